"""Small content roots for the console script, in as many versions as a test needs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from support.installs import Done, Machine

Content = str | bytes
Texts = Mapping[str, str]

HOOKS = '[[hook]]\nid = "hello"\nevent = "session-start"\nscript = "hello.py"\n'
STDIO = '{"mcpServers": {"acme": {"command": "acme-mcp", "args": ["--stdio"], "env": {"A": "1"}}}}\n'
PLAN = "---\ndescription: Plans the work\n---\nRead {gsd:path workflows/plan.md} and do it.\n"
SHIP = "---\ndescription: Ships the work\n---\nRead {gsd:path references/deep/scope.md} first.\n"
TIDY = (
    "---\ndescription: Tidies\n---\n{gsd:path skills/tidy/notes.md}\n{gsd:path skills/tidy/scripts/do.py}\n"
)

EVERY_KIND: Texts = MappingProxyType(
    {
        "commands/plan.md": PLAN,
        "commands/ship.md": SHIP,
        "workflows/plan.md": "# Plan\n\nAsk {gsd:agent planner}.\n\nFill in {gsd:path templates/plan.md}.\n",
        "agents/planner.md": "---\ndescription: Makes plans\n---\nYou plan.\n",
        "skills/tidy/SKILL.md": TIDY,
        "skills/tidy/scripts/do.py": "#!/usr/bin/env python3\nprint('tidy')\n",
        "skills/tidy/notes.md": "Tidy from the top.\n",
        "references/deep/scope.md": "What belongs to the scope.\n",
        "templates/plan.md": "# Plan of ...\n",
        "rules/loop.md": "Plan first, then work.\n",
        "hooks/hooks.toml": HOOKS,
        "hooks/hello.py": "#!/usr/bin/env python3\nprint('ok')\n",
        "mcp.json": STDIO,
    }
)
SMALL: Texts = MappingProxyType({"commands/plan.md": "---\ndescription: Plans\n---\nPlan it.\n"})


class Bundle(NamedTuple):
    """A content root on disk; `words` are the flags that install it."""

    root: Path
    name: str

    @property
    def words(self) -> tuple[str, str]:
        """`--content` and the folder."""
        return ("--content", str(self.root))

    def write(self, files: Mapping[str, Content] = EVERY_KIND, version: str = "1") -> Bundle:
        """Make the folder hold exactly `files`, as the given version; the bundle itself is returned."""
        if self.root.exists():
            shutil.rmtree(self.root)
        head = (
            f'format = 1\nid = "{self.name}"\nname = "Acme"\nversion = "{version}"\nprefix = "{self.name}"\n'
        )
        for path, content in {"content.toml": head, **files}.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self


def bundle(
    folder: Path, files: Mapping[str, Content] = EVERY_KIND, *, name: str = "acme", version: str = "1"
) -> Bundle:
    """A new bundle below `folder`; `name` is its id and prefix."""
    return Bundle(folder / "bundles" / name, name).write(files, version)


def without(files: Texts, *paths: str) -> dict[str, str]:
    """`files` less those `paths`, each of which must be there."""
    missing = set(paths) - set(files)
    assert not missing, missing
    return {path: content for path, content in files.items() if path not in paths}


def install(
    box: Machine,
    content: Bundle,
    *runtimes: str,
    scope: str = "global",
    surfaces: str = "",
    extra: tuple[str, ...] = (),
) -> Done:
    """Install a bundle for runtimes; `surfaces` is what `--with` takes. The caller looks at the exit code."""
    words = [word for name in runtimes for word in ("--runtime", name)]
    given = ("--with", surfaces) if surfaces else ()
    return box.run(*words, *content.words, "--scope", scope, *given, *extra)


def uninstall(box: Machine, *runtimes: str, scope: str = "global") -> Done:
    """Take runtimes out again, all of them when none is named, and require that it worked."""
    words = [word for name in runtimes for word in ("--runtime", name)]
    return box.run("uninstall", *words, "--scope", scope, "--yes").ok()


def put(path: Path, content: Content, mode: int | None = None) -> Path:
    """Write a file of the user's, with the directories it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if mode is not None:
        path.chmod(mode)
    return path


def drift(box: Machine, scope: str = "global") -> dict[str, str]:
    """What `--check` finds: kind of difference by path."""
    done = box.run("--check", "--scope", scope, "--json")
    assert done.code in {0, 4}, done
    return {item["path"]: item["drift"] for item in done.json["data"]["drift"]}


def may_mount() -> bool:
    """Whether this user can have mounts of his own, which fail in ways that permissions cannot."""
    if os.name == "nt" or shutil.which("unshare") is None:
        return False
    probe = ["unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0
