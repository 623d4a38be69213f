"""Run inside the fence: start the model stub, ask one host, print what it showed as JSON.

python -m support.hosts.inside HOST PROGRAM HOME PROJECT [FOLDER-FOR-PATH]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from support.hosts.asking import HOW, Asker
from support.hosts.model_stub import serving
from support.hosts.settings import ADDRESS


def main() -> None:
    """Ask."""
    host, program, home, project, *search = sys.argv[1:]
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
        print(json.dumps(HOW[host](asker)._asdict()))


if __name__ == "__main__":
    main()
