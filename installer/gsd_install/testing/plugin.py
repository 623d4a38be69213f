"""The pytest plugin of the conformance kit: one option, `--gsd-runtime ID`.

It is loaded by every pytest run where gsd-install is installed, so it imports nothing unless the option
is given.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names the runtimes to test."""
    parser.getgroup("gsd-install").addoption(
        "--gsd-runtime",
        action="append",
        default=[],
        metavar="ID",
        help="a runtime for gsd_install.testing.conformance to test; repeat for several",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse an id that no installed distribution declares. Raises pytest.UsageError."""
    names: list[str] = config.getoption("gsd_runtime")
    if not names:
        return
    import pytest

    from gsd_install.declared import declared

    known = sorted({entry.name for entry in declared() if "." not in entry.name})
    for name in names:
        if name not in known:
            raise pytest.UsageError(
                f"--gsd-runtime: no installed distribution declares {name!r} (known: {', '.join(known)})"
            )
