"""Run inside the fence: start the model stub, ask one host, have it use what it has, print both as JSON.

python -m support.hosts.inside HOST PROGRAM HOME PROJECT [FOLDER-FOR-PATH]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from support.hosts.asking import HOW
from support.hosts.model_stub import serving
from support.hosts.reading import Asker
from support.hosts.settings import ADDRESS
from support.hosts.speaking import TURNS
from support.hosts.table import BY_ID
from support.hosts.using import use


def main() -> None:
    """Ask."""
    host, program, home, project, *search = sys.argv[1:]
    (Path(home).parent / "tmp").mkdir()
    with serving() as stub:
        for path in Path(home).rglob("*"):
            if (
                path.suffix in {".json", ".jsonc", ".toml", ".yaml"}
                and path.is_file()
                and not path.is_symlink()
            ):
                text = path.read_text(encoding="utf-8")
                if ADDRESS in text:
                    path.write_text(text.replace(ADDRESS, stub.url), encoding="utf-8")
        asker = Asker(Path(program), Path(home), Path(project), stub, *search)
        seen = HOW[host](asker)._asdict()
        used = use(host, asker, injects="inject" in BY_ID[host].kinds)._asdict() if host in TURNS else None
        print(json.dumps({"seen": seen, "used": used}))


if __name__ == "__main__":
    main()
