from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gsd_install.emit.target import home_of, target
from gsd_install.runtime import Home, Place, Runtime, inline
from gsd_install.runtime.platform import Platform
from gsd_install.runtime.words import Scope
from support.content import LINUX, MACOS, SYSTEMS, WINDOWS, joined, target_of

PLACES = (
    Place("command", "commands/{name}.md", (inline,)),
    Place("skill", "~/.agents/skills/{name}/SKILL.md", (inline,), scope="global"),
    Place("skill", "./.agents/skills/{name}/SKILL.md", (inline,), scope="project"),
)
HOME = Home(
    "~/.acme",
    env=("ACME_CONFIG_DIR", "ACME_HOME"),
    parents=(("XDG_CONFIG_HOME", "acme"),),
    windows="%APPDATA%/Acme",
    macos="~/Library/Application Support/Acme",
)
ACME = Runtime(
    "acme",
    "Acme",
    HOME,
    ".acme",
    PLACES,
    cross_reads=("~/.claude/skills/{name}/SKILL.md", "./.claude/skills/{name}/SKILL.md"),
)


def home(platform: Platform, **env: str) -> str:
    return home_of(HOME, platform._replace(env=env))


def test_each_system_has_its_usual_home() -> None:
    assert home(LINUX) == "/home/ann/.acme"
    assert home(MACOS) == "/Users/ann/Library/Application Support/Acme"
    assert (
        home(WINDOWS, APPDATA="C:\\Users\\ann\\AppData\\Roaming") == "C:\\Users\\ann\\AppData\\Roaming\\Acme"
    )
    assert home(WINDOWS) == "C:\\Users\\ann\\Acme"
    plain = Home("~/.acme")
    assert [home_of(plain, platform) for platform in SYSTEMS] == [
        "/home/ann/.acme",
        "/Users/ann/.acme",
        "C:\\Users\\ann\\.acme",
    ]


@pytest.mark.case("DD-01")
@pytest.mark.parametrize("platform", SYSTEMS, ids=lambda platform: platform.os)
def test_the_first_variable_that_is_set_names_the_home(platform: Platform) -> None:
    opt, var = joined(platform, platform.home, "opt"), joined(platform, platform.home, "var")
    assert home(platform, ACME_CONFIG_DIR=opt, ACME_HOME=var, XDG_CONFIG_HOME=var) == opt
    assert home(platform, ACME_HOME=var, XDG_CONFIG_HOME=opt) == var
    assert home(platform, XDG_CONFIG_HOME=opt) == joined(platform, opt, "acme")
    assert home(platform, UNRELATED=opt) == home(platform)


def test_a_home_from_a_variable_is_spelled_out() -> None:
    assert home(LINUX, ACME_HOME="~/cfg/") == "/home/ann/cfg"
    assert home(LINUX, ACME_HOME="cfg") == "/home/ann/work/app/cfg"
    assert home(LINUX, ACME_HOME="/opt//acme/../a") == "/opt/a"
    assert home(LINUX, XDG_CONFIG_HOME="~/cfg/") == "/home/ann/cfg/acme"
    assert home(WINDOWS, ACME_HOME="D:/acme") == "D:\\acme"


@pytest.mark.case("DD-04")
@pytest.mark.parametrize("blank", ["", " ", "\t"])
def test_a_blank_variable_names_no_home(blank: str) -> None:
    assert home(LINUX, ACME_CONFIG_DIR=blank, ACME_HOME=blank, XDG_CONFIG_HOME=blank) == "/home/ann/.acme"
    assert home(LINUX, ACME_CONFIG_DIR=blank, ACME_HOME="/opt/a") == "/opt/a"


@pytest.mark.case("DD-03")
@pytest.mark.parametrize("value", ["conf", "./conf", "../conf", "conf/"])
def test_a_relative_base_directory_is_invalid_and_ignored(value: str) -> None:
    assert home(LINUX, XDG_CONFIG_HOME=value) == "/home/ann/.acme"
    assert home(WINDOWS, XDG_CONFIG_HOME=value) == home(WINDOWS)


@pytest.mark.parametrize("platform", SYSTEMS, ids=lambda platform: platform.os)
def test_a_place_is_resolved_in_its_scope(platform: Platform) -> None:
    made = target_of(ACME, "global", platform)
    name = "gsd-plan"
    own = home_of(HOME, platform)
    assert made.resolve("commands/x.md") == joined(platform, own, "commands", "x.md")
    assert made.resolve("~/.agents/x") == joined(platform, platform.home, ".agents", "x")
    project = target_of(ACME, "project", platform)
    assert project.own == joined(platform, platform.cwd, ".acme")
    assert project.resolve("./.agents/x") == joined(platform, platform.cwd, ".agents", "x")
    assert project.resolve("commands/x.md") == joined(platform, platform.cwd, ".acme", "commands", "x.md")
    assert made.cross_read(name) == (joined(platform, platform.home, ".claude", "skills", name, "SKILL.md"),)
    assert project.cross_read(name) == (
        joined(platform, platform.cwd, ".claude", "skills", name, "SKILL.md"),
    )


def test_a_scope_has_its_own_places() -> None:
    assert [place.path for place in target_of(ACME, "global").places("skill")] == [
        "~/.agents/skills/{name}/SKILL.md"
    ]
    assert [place.path for place in target_of(ACME, "project").places("skill")] == [
        "./.agents/skills/{name}/SKILL.md"
    ]
    assert target_of(ACME).places("command") == (PLACES[0],)
    assert target_of(ACME).places("agent") == ()


@pytest.mark.parametrize("scope", ["global", "project"])
def test_a_config_dir_replaces_the_runtimes_own_directory_only(scope: Scope) -> None:
    made = target_of(ACME, scope, config_dir="~/elsewhere/acme")
    assert (made.own, made.configured) == ("/home/ann/elsewhere/acme", "~/elsewhere/acme")
    assert made.base == ("/home/ann" if scope == "global" else "/home/ann/work/app")
    assert target_of(ACME, scope, config_dir="sub").own == "/home/ann/work/app/sub"
    assert target_of(ACME, scope).configured is None


@pytest.mark.case("PR-03", "PR-07")
@pytest.mark.parametrize(
    ("scope", "platform", "path", "spelled"),
    [
        ("global", LINUX, "/home/ann/.gsd/content/x.md", "~/.gsd/content/x.md"),
        ("global", LINUX, "/opt/x.md", "/opt/x.md"),
        ("global", LINUX, "/home/anna/x.md", "/home/anna/x.md"),
        ("global", LINUX, "/home/ann", "~"),
        ("global", LINUX, "/home/ann/a\\b.md", "~/a\\b.md"),
        ("global", LINUX, "/home/ann/a b/\u00e9.md", "~/a b/\u00e9.md"),
        ("project", LINUX, "/home/ann/work/app/.gsd/x.md", ".gsd/x.md"),
        ("project", LINUX, "/home/ann/work/app", "."),
        ("project", LINUX, "/home/ann/.acme/x.md", "/home/ann/.acme/x.md"),
        ("project", LINUX, "/home/ann/work/app2/x.md", "/home/ann/work/app2/x.md"),
        ("global", MACOS, "/Users/ann/Library/Application Support/x", "~/Library/Application Support/x"),
        ("global", WINDOWS, "C:\\Users\\ann\\.gsd\\x.md", "~/.gsd/x.md"),
        ("global", WINDOWS, "c:\\users\\Ann\\.gsd\\x.md", "~/.gsd/x.md"),
        ("global", WINDOWS, "D:\\gsd\\x.md", "D:/gsd/x.md"),
        ("project", WINDOWS, "C:\\Users\\ann\\work\\app\\.gsd\\x.md", ".gsd/x.md"),
    ],
)
def test_paths_are_spelled_for_the_agent_that_reads_them(
    scope: Scope, platform: Platform, path: str, spelled: str
) -> None:
    assert target_of(ACME, scope, platform).spell(path) == spelled


def test_a_home_or_project_at_the_root_of_a_disk_is_spelled_too() -> None:
    for platform, base, spelled in ((LINUX, "/", "~/.gsd/x"), (WINDOWS, "C:\\", "~/.gsd/x")):
        made = target(
            ACME, "global", platform._replace(home=base), base=base, payload=joined(platform, base, ".gsd")
        )
        assert made.spell(joined(platform, base, ".gsd", "x")) == spelled
        assert made.root_of(joined(platform, base, ".gsd", "x")) == base


def test_every_path_stays_in_the_root_it_belongs_to() -> None:
    inside = target_of(ACME)
    assert inside.root_of("/home/ann/.acme/commands/x.md") == "/home/ann"
    outside = target_of(ACME, config_dir="/opt/acme", payload="/srv/pay load")
    assert outside.root_of("/opt/acme/commands/x.md") == "/opt/acme"
    assert outside.root_of("/srv/pay load/content/x.md") == "/srv/pay load"
    assert outside.root_of("/home/ann/.agents/skills/x/SKILL.md") == "/home/ann"
    assert outside.root_of("/etc/passwd") == "/opt/acme"


NAMES = st.lists(
    st.text("ab .-\u00e9", min_size=1, max_size=4).filter(lambda s: s.strip(". ") != ""),
    min_size=1,
    max_size=4,
)


@given(st.sampled_from(SYSTEMS), st.sampled_from(["global", "project"]), NAMES)
@settings(max_examples=200)
def test_what_is_spelled_leads_back_to_the_same_file(
    platform: Platform, scope: Scope, names: list[str]
) -> None:
    made = target_of(ACME, scope, platform)
    path = joined(platform, made.base, *names)
    spelled = made.spell(path)
    assert platform.home not in spelled
    assert "\\" not in spelled
    assert platform._replace(cwd=made.base).expand(spelled) == path
