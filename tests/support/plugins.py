"""Plugins that a test declares on the spot, for installs in processes of their own."""

from __future__ import annotations

from pathlib import Path

HEAD = "from __future__ import annotations\nfrom gsd_install.runtime import Cap, hookimpl\n"


def overlays(folder: Path, **caps: str) -> dict[str, str]:
    """The environment in which runtimes have more caps: `windsurf='Cap("command", 900),'` and so on."""
    info = folder / "overlays-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: overlays\nVersion: 1.0\n")
    lines = ["[gsd_install.runtimes]"]
    for runtime, declared in caps.items():
        module = f"overlay_{runtime}"
        body = f"\n\n@hookimpl\ndef gsd_caps() -> tuple[Cap, ...]:\n    return ({declared})\n"
        (folder / f"{module}.py").write_text(HEAD + body)
        lines.append(f"{runtime}.strict = {module}")
    (info / "entry_points.txt").write_text("\n".join([*lines, ""]))
    return {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
