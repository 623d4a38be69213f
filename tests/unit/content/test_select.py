from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gsd_install.content.model import BODIES, TIERS, Document
from gsd_install.content.select import select, specific_paths
from support.content import EVERY_KIND, content_root, loaded


def front(tier: str | None = None, *, requires: str = "") -> str:
    lines = ["description: d"]
    lines += [f"tier: {tier}"] if tier else []
    lines += [f"requires: [{requires}]"] if requires else []
    return "---\n" + "\n".join(lines) + "\n---\n"


def chosen(folder: Path, files: Mapping[str, str], profile: str) -> list[str]:
    return [document.path for document in select(loaded(folder, files), profile)]


TIERED = {
    "commands/core.md": front("core"),
    "commands/full.md": front("full"),
    "commands/standard.md": front(),
    "skills/core/SKILL.md": front("core").replace("description: d", "description: d\ntitle: t"),
}


@pytest.mark.parametrize(("profile", "count"), [("core", 1), ("standard", 2), ("full", 3)])
def test_a_profile_holds_its_tier_and_those_below(tmp_path: Path, profile: str, count: int) -> None:
    files = {path.replace("skills/core", "skills/other"): text for path, text in TIERED.items()}
    paths = chosen(tmp_path, files, profile)
    assert len([path for path in paths if path.startswith("commands/")]) == count
    assert "skills/other/SKILL.md" in paths


def test_what_a_command_requires_comes_along_whatever_its_tier(tmp_path: Path) -> None:
    files = {
        "commands/a.md": front("core", requires="b"),
        "commands/b.md": front("full", requires="c"),
        "commands/c.md": front("full"),
        "commands/d.md": front("full"),
    }
    assert chosen(tmp_path, files, "core") == ["commands/a.md", "commands/b.md", "commands/c.md"]


def test_a_body_comes_along_when_a_chosen_text_points_at_it(tmp_path: Path) -> None:
    files = {
        "commands/a.md": front("core") + "{gsd:path workflows/a.md}\n",
        "commands/b.md": front("full") + "{gsd:path workflows/b.md}\n",
        "workflows/a.md": "{gsd:path references/deep/r.md}\n",
        "workflows/b.md": "x\n",
        "references/deep/r.md": "{gsd:path templates/t.md} {gsd:path workflows/a.md}\n",
        "templates/t.md": "t\n",
        "templates/orphan.md": "t\n",
    }
    assert chosen(tmp_path, files, "core") == [
        "commands/a.md",
        "references/deep/r.md",
        "templates/t.md",
        "workflows/a.md",
    ]
    assert "templates/orphan.md" not in chosen(tmp_path, files, "full")


def test_an_agent_comes_along_when_it_is_named_and_of_the_profile(tmp_path: Path) -> None:
    files = {
        "commands/a.md": front("core") + "{gsd:agent small} {gsd:agent big}\n",
        "agents/small.md": front("core") + "{gsd:path references/r.md}\n",
        "agents/big.md": front(),
        "agents/unnamed.md": front("core"),
        "references/r.md": "r\n",
    }
    assert chosen(tmp_path, files, "core") == ["agents/small.md", "commands/a.md", "references/r.md"]
    assert "agents/big.md" in chosen(tmp_path, files, "standard")


def test_an_agent_whose_file_is_pointed_at_is_there_to_be_read(tmp_path: Path) -> None:
    files = {"commands/a.md": front("core") + "{gsd:path agents/big.md}\n", "agents/big.md": front("full")}
    assert chosen(tmp_path, files, "core") == ["agents/big.md", "commands/a.md"]


def test_a_file_of_a_skill_brings_its_skill_along(tmp_path: Path) -> None:
    files = {
        "commands/a.md": front("core") + "{gsd:path skills/s/run.py}\n",
        "skills/s/SKILL.md": front("full"),
        "skills/s/run.py": "",
    }
    assert chosen(tmp_path, files, "core") == ["commands/a.md", "skills/s/SKILL.md"]


def test_rules_are_in_every_profile(tmp_path: Path) -> None:
    paths = chosen(
        tmp_path,
        {"commands/a.md": front("full"), "rules/r.md": "{gsd:path templates/t.md}\n", "templates/t.md": ""},
        "core",
    )
    assert paths == ["rules/r.md", "templates/t.md"]


@pytest.mark.parametrize("verb", ["{gsd:command plan}", "{gsd:tool read}", "{gsd:args}", "{gsd:runtime}"])
def test_a_word_of_the_host_makes_a_body_specific_and_all_that_point_at_it(tmp_path: Path, verb: str) -> None:
    files = {
        **EVERY_KIND,
        "references/deep/scope.md": f"{verb}\n",
        "references/apart.md": "{gsd:agent planner}\n",
        "references/around.md": "{gsd:path workflows/plan.md} {gsd:path references/around.md}\n",
    }
    assert specific_paths(loaded(tmp_path, files).documents) == {
        "references/deep/scope.md",
        "workflows/plan.md",
        "references/around.md",
    }


@pytest.mark.parametrize(
    "path", ["commands/plan.md", "agents/planner.md", "skills/tidy/SKILL.md", "skills/tidy/tidy.py"]
)
def test_a_path_that_each_host_decides_makes_a_body_specific(tmp_path: Path, path: str) -> None:
    files = {**EVERY_KIND, "references/deep/scope.md": f"{{gsd:path {path}}}\n"}
    assert specific_paths(loaded(tmp_path, files).documents) == {
        "references/deep/scope.md",
        "workflows/plan.md",
    }


def test_a_neutral_tree_is_shared_as_a_whole(tmp_path: Path) -> None:
    assert specific_paths(loaded(tmp_path, EVERY_KIND).documents) == frozenset()


NAMES = ("a", "b", "c")
LINKS = st.dictionaries(
    st.sampled_from(
        [f"{kind}/{name}.md" for kind in ("commands", "workflows", "references", "agents") for name in NAMES]
    ),
    st.tuples(
        st.sampled_from(TIERS),
        st.lists(st.sampled_from(NAMES), max_size=2),
        st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


def _files(links: Mapping[str, tuple[str, list[str], bool]]) -> dict[str, str]:
    files = {"commands/root.md": front("core")}
    for path, (tier, names, specific) in links.items():
        kind = path.partition("/")[0]
        texts = [
            f"{{gsd:path {folder}/{name}.md}}"
            for name in names
            for folder in ("workflows", "references")
            if f"{folder}/{name}.md" in links
        ]
        texts += [f"{{gsd:agent {name}}}" for name in names if f"agents/{name}.md" in links]
        texts += ["{gsd:args}"] if specific else []
        files[path] = (front(tier) if kind in {"commands", "agents"} else "") + "\n".join(texts) + "\n"
    return files


@given(LINKS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_selection_is_closed_ordered_and_grows_with_its_profile(
    tmp_path_factory: pytest.TempPathFactory, links: Mapping[str, tuple[str, list[str], bool]]
) -> None:
    catalog = loaded(tmp_path_factory.mktemp("root"), _files(links))
    found = {profile: select(catalog, profile) for profile in TIERS}
    assert (
        {d.path for d in found["core"]}
        <= {d.path for d in found["standard"]}
        <= {d.path for d in found["full"]}
    )
    for profile, documents in found.items():
        paths = {document.path for document in documents}
        assert [d.path for d in documents] == sorted(paths)
        for document in documents:
            for placeholder in document.placeholders:
                if placeholder.verb == "path":
                    assert placeholder.argument in paths
                if placeholder.verb == "agent" and f"agents/{placeholder.argument}.md" not in paths:
                    assert (
                        _tier(catalog.documents, placeholder.argument)
                        not in TIERS[: TIERS.index(profile) + 1]
                    )
        _check_specific(documents)


def _tier(documents: tuple[Document, ...], agent: str) -> str:
    return next(document.tier for document in documents if (document.kind, document.id) == ("agent", agent))


def _check_specific(documents: tuple[Document, ...]) -> None:
    """A shared body reads the same for every host: nothing it can reach names one."""
    specific = specific_paths(documents)
    for document in documents:
        if document.kind in BODIES and document.path not in specific:
            verbs = {placeholder.verb for placeholder in document.placeholders}
            assert verbs <= {"path", "agent"}
            assert {p.argument for p in document.placeholders if p.verb == "path"}.isdisjoint(specific)


def test_the_builder_writes_what_it_is_given(tmp_path: Path) -> None:
    root = content_root(tmp_path, {"a/b.md": "x\r\n", "c": b"\xff"})
    assert (root / "a" / "b.md").read_bytes() == b"x\r\n"
    assert (root / "c").read_bytes() == b"\xff"
