"""Commands where the companion is installed: the host runs the launcher, or the agent is told to."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gsd_install.content.model import Catalog
from gsd_install.emit.emit import emit
from gsd_install.kernel.errors import GsdError
from gsd_install.runtime import Field, Home, Place, Runtime, markdown
from gsd_install.runtime.inject import BRACED, FENCED, FENCED_END, inject
from support.content import loaded, target_of

PLAIN = markdown("description", Field("may", constant="{payload}"))
ABLE = markdown("description", Field("may", constant="{launcher} {payload}"))
TREE = {
    "workflows/do.md": "Do it.\n",
    "workflows/host.md": "Type {gsd:command one}.\n",
    "references/r.md": "R.\n",
    "commands/one.md": (
        "---\ndescription: D.\n---\nTop.\n\nArguments: {gsd:args}\n\n"
        "Read {gsd:path workflows/do.md}, and\nfollow it.\n\nDone when: done.\n"
    ),
    "commands/two.md": "---\ndescription: D.\n---\n{gsd:path workflows/do.md} {gsd:path workflows/host.md}\n",
    "commands/specific.md": "---\ndescription: D.\n---\nRead {gsd:path workflows/host.md}.\n",
    "commands/none.md": "---\ndescription: D.\n---\nRead {gsd:path references/r.md}.\n",
    "commands/bare.md": "---\ndescription: D.\n---\n{gsd:path workflows/do.md}",
}


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return loaded(tmp_path, TREE)


def commands(catalog: Catalog, *forms: object, launcher: str = "tool") -> dict[str, str]:
    runtime = Runtime("acme", "Acme", Home("~/.acme"), ".acme", (Place("command", "c/{name}.md", forms),))  # type: ignore[arg-type]
    found = emit(catalog, catalog.documents, target_of(runtime), (), {}, launcher=launcher)
    return {
        output.source.removeprefix("commands/").removesuffix(".md"): output.data.decode()
        for output in found.outputs
        if output.kind == "command"
    }


def test_without_a_launcher_nothing_changes(catalog: Catalog) -> None:
    assert commands(catalog, inject(ABLE, FENCED), ABLE, PLAIN, launcher="") == commands(
        catalog, PLAIN, launcher=""
    )


def test_the_snippet_stands_before_the_paragraph_with_the_link_and_no_sentence_is_lost(
    catalog: Catalog,
) -> None:
    text = commands(catalog, inject(ABLE, FENCED), PLAIN)["one"]
    assert 'may: "~/.gsd/bin/tool ~/.gsd"' in text
    assert "Top.\n\nArguments: $ARGUMENTS\n\nWhat follows is the do workflow" in text
    assert "\n```!\n~/.gsd/bin/tool render do - <<'GSD_" in text
    plain = commands(catalog, PLAIN, launcher="")["one"]
    rest = text.partition("\n```\n\nOnly where nothing stands above, do this instead")[2].partition("\n\n")[2]
    assert "workflows/do.md" in rest
    assert rest.endswith("Done when: done.\n")
    assert plain.endswith(rest)


@pytest.mark.parametrize("name", ["two", "specific", "none"])
def test_a_command_that_is_not_about_one_shared_workflow_stays_as_it_is(catalog: Catalog, name: str) -> None:
    assert commands(catalog, inject(ABLE, FENCED), PLAIN)[name] == commands(catalog, PLAIN, launcher="")[name]


def test_elsewhere_the_agent_is_told_to_run_it_first(catalog: Catalog) -> None:
    plain = commands(catalog, PLAIN, launcher="")["one"]
    told = commands(catalog, ABLE, PLAIN)["one"].replace("~/.gsd/bin/tool ~/.gsd", "~/.gsd")
    before, line, rest = told.partition("First run `~/.gsd/bin/tool render do`")
    assert line
    assert before + rest.partition("\n\n")[2] == plain


def test_a_body_that_is_nothing_but_the_link(catalog: Catalog) -> None:
    assert commands(catalog, inject(PLAIN, BRACED), PLAIN)["bare"].endswith(
        commands(catalog, PLAIN, launcher="")["bare"].rpartition("\n\n")[2]
    )
    assert (
        "\n!{~/.gsd/bin/tool render do {{args}}}\n" in commands(catalog, inject(PLAIN, BRACED), PLAIN)["bare"]
    )


def test_a_place_needs_a_form_for_other_commands(catalog: Catalog) -> None:
    with pytest.raises(GsdError, match="no form that does without a launcher"):
        commands(catalog, inject(PLAIN, BRACED))


# --- hostile arguments --------------------------------------------------------------------------------


def snippet(catalog: Catalog) -> str:
    text = commands(catalog, inject(ABLE, FENCED), PLAIN)["one"]
    return text.partition("```!\n")[2].partition("\n```")[0]


def received(script: str, arguments: str, home: Path) -> str:
    """What reaches the launcher when a host puts `arguments` in and runs the script.

    The host writes "! `" for "!`" in arguments before it does, which the last test relies on.
    """
    launcher = home / ".gsd" / "bin" / "tool"
    launcher.parent.mkdir(parents=True, exist_ok=True)
    launcher.write_text("#!/bin/sh\nexec cat\n")
    launcher.chmod(0o755)
    ran = script.replace("$ARGUMENTS", arguments.replace("!`", "! `"))
    done = subprocess.run(
        ["/bin/sh", "-c", ran],
        cwd=home,
        env={"HOME": str(home), "PATH": os.defpath},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "3 don't",
        "$(touch F) ; touch G",
        "`touch F`",
        'a "b" \\ $HOME',
        "é\n\nü",
        "END\nEOF\ntouch F",
        "'",
        "``` x",
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="runs a POSIX shell")
def test_hostile_arguments_arrive_whole_and_are_not_run(
    catalog: Catalog, tmp_path: Path, arguments: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    assert received(snippet(catalog), arguments, home) == f"{arguments}\n"
    assert sorted(path.name for path in home.iterdir()) == [".gsd"]


@pytest.mark.skipif(os.name == "nt", reason="runs a POSIX shell")
def test_a_line_like_the_end_of_the_heredoc_does_not_end_it(catalog: Catalog, tmp_path: Path) -> None:
    script = snippet(catalog)
    end = script.splitlines()[-1]
    assert FENCED_END in end
    home = tmp_path / "home"
    home.mkdir()
    arguments = f"one\n{end}\ntouch F"
    assert received(script, arguments, home) == arguments.replace("!`", "! `") + "\n"
    assert not (home / "F").exists()
    guessable = script.replace(end, "END")
    assert received(guessable, "one\nEND\ntouch F\nexit", home) == "one\n"
    assert (home / "F").exists(), "this test could not fail"


@pytest.mark.skipif(os.name == "nt", reason="runs a POSIX shell")
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    arguments=st.text(
        st.characters(blacklist_categories=("Cs", "Cc"), whitelist_characters="\n"), max_size=60
    )
)
def test_any_arguments_arrive_whole(catalog: Catalog, tmp_path: Path, arguments: str) -> None:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    assert received(snippet(catalog), arguments, home) == arguments.replace("!`", "! `") + "\n"
