"""What becomes of public content packages in every runtime?

    python bench/bundles.py [--package NAME ...] [--scope global|project]

Fetches packages from npm by name, and prints for each, per runtime: files, documents that had to be changed
to fit, and refusals. Says so and exits 0 where the registry cannot be reached; exits 1 where a runtime
refuses a bundle, or where no package holds one.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gsd_install.apply.ledger import Ledger
from gsd_install.apply.location import global_location, project_location
from gsd_install.content.bundles.marketplace import roots
from gsd_install.content.catalog import load
from gsd_install.content.model import Catalog
from gsd_install.contents import Content
from gsd_install.emit.companion import Code
from gsd_install.kernel.errors import GsdError
from gsd_install.payload import Payload
from gsd_install.pipeline import prepare
from gsd_install.plugins import Plugins
from gsd_install.runtime.platform import Platform
from gsd_install.units import Wish
from measuring import table

PACKAGES = (
    "claude-dev-environment-setup",
    "selfish-pipeline",
    "@ckelsoe/claude-skill-prompt-architect",
    "@houseofwolvesllc/claude-scrum-skill",
    "@wednesday-solutions-eng/ai-agent-skills",
    "@opengsd/gsd-core",
)
HOME = "/home/bench"
SECONDS = 120


class Row(NamedTuple):
    """One runtime: files it gets, documents changed to fit, and why it refuses, if it does."""

    runtime: str
    files: int
    fitted: int
    refused: str


def fetched(name: str, folder: Path) -> Path | None:
    """The unpacked package; None where the registry does not answer or does not know it."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    folder.mkdir(parents=True)
    try:
        done = subprocess.run(
            [npm, "pack", "--silent", name], cwd=folder, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    archives = list(folder.glob("*.tgz"))
    if done.returncode or not archives:
        return None
    with tarfile.open(archives[0]) as archive:
        archive.extractall(folder, filter="data")
    return folder / "package"


def rows(catalog: Catalog, scope: str) -> Iterator[Row]:
    """What each runtime makes of a bundle."""
    plugins, nothing = Plugins(), Payload(Code(), ())
    platform = Platform("linux", HOME, {}, f"{HOME}/project")
    where = global_location(platform) if scope == "global" else project_location(platform, platform.cwd)
    content = Content(catalog.root, catalog=catalog)
    for name in plugins.ids():
        if not any(place.scope in (None, scope) for place in plugins.get(name).runtime.places):
            continue
        try:
            made = prepare(where, Ledger(), plugins, [(name, content, Wish("full"))], brought=nothing)
        except GsdError as error:
            yield Row(name, 0, 0, f"{error.reason}: {error}")
            continue
        changed = {output.source for output in made.outputs if output.fit is not None}
        yield Row(name, len(made.outputs), len(changed), "")


def report(name: str, package: Path, scope: str) -> tuple[int, int]:
    """Print what becomes of one package; how many bundles it holds, and how many refusals there were."""
    found = refused = 0
    for root in roots(str(package)):
        try:
            catalog = load(root)
        except GsdError as error:
            print(f"\n## {name}: no bundle ({error.reason}: {error.message})")
            continue
        found += 1
        kinds = [document.kind for document in catalog.documents]
        counts = ", ".join(f"{kinds.count(kind)} {kind}s" for kind in dict.fromkeys(kinds))
        print(f"\n## {name}: {counts}, {len(catalog.assets)} files, {len(catalog.notes)} notes\n")
        lines = [*rows(catalog, scope)]
        refused += sum(bool(row.refused) for row in lines)
        shown = [(row.runtime, str(row.files), str(row.fitted), row.refused or "-") for row in lines]
        print(table([("runtime", "files", "fitted", "refused"), *shown]))
    return found, refused


def main() -> int:
    """Fetch, install in memory, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", action="append", default=[], metavar="NAME")
    parser.add_argument("--scope", choices=("global", "project"), default="global")
    args = parser.parse_args()
    reached = found = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for at, name in enumerate(args.package or PACKAGES):
            package = fetched(name, Path(folder) / str(at))
            if package is None:
                print(f"\n## {name}: could not be fetched")
                continue
            reached += 1
            bundles, refusals = report(name, package, args.scope)
            found, refused = found + bundles, refused + refusals
    if not reached:
        print("\nthe registry cannot be reached: nothing was compared")
        return 0
    print(f"\n{reached} packages, {found} bundles, {refused} refusals")
    return 1 if refused or not found else 0


if __name__ == "__main__":
    sys.exit(main())
