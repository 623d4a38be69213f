"""The command line: verbs, flags, and what a mistake in them is answered with."""

from __future__ import annotations

import argparse
import os

from gsd_install.kernel.errors import UsageError
from gsd_install.kernel.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn

VERBS = {
    "install": "put content into runtimes (what no verb does, too)",
    "uninstall": "take it out again, byte for byte",
    "upgrade": "apply what is recorded with this version",
    "adopt": "take over files of ours that nothing records, and name what other tools left",
    "surface": "show what hosts list and what it costs, or change it to another profile",
    "skills": "show, approve, reject or remove what agents propose to learn in this project",
    "status": "show what is installed and what has changed since",
    "runtimes": "list the runtimes that can be installed here",
    "explain": "say why an installed file is there and where its text comes from",
    "report": "show sizes and limits for each runtime and kind",
    "lint": "look for everything that is wrong with a content root",
    "preview": "print what one document becomes in a runtime",
    "doctor": "look for what is wrong: plugins, ledgers, interrupted installs",
}
PROFILES = ("core", "standard", "full")
_UNSCOPED = ("lint", "skills")
SURFACES = ("hooks", "mcp", "instructions", "permissions", "all")


class Parser(argparse.ArgumentParser):
    """argparse that raises instead of exiting and suggests the nearest spelling."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, reason="usage", hint=f"see {self.prog} --help")

    def parse(self, argv: list[str]) -> argparse.Namespace:
        """Parse all of `argv`. Raises UsageError."""
        args, unknown = self.parse_known_args(argv)
        if unknown:
            raise UsageError(
                f"there is no argument {unknown[0]!r}", reason="usage", hint=self._nearest(unknown[0])
            )
        if getattr(args, "sarif", False):
            _require_plain_check(args)
        return args

    def _nearest(self, word: str) -> str:
        from difflib import get_close_matches

        known = [
            option for action in self._actions for option in action.option_strings if option.startswith("--")
        ]
        known += [] if word.startswith("-") else list(VERBS)
        near = get_close_matches(word.split("=")[0], known, n=1, cutoff=0.6)
        return f"did you mean {near[0]!r}?" if near else f"see {self.prog} --help"


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """As wide as the terminal; told so, argparse need not import shutil for every argument it is given."""

    def __init__(self, prog: str) -> None:
        try:
            columns = os.get_terminal_size(1).columns
        except (OSError, ValueError):
            columns = 100
        super().__init__(prog, width=max(60, columns - 2))


def parser(verb: str) -> Parser:
    """The parser of one verb."""
    made = Parser(
        prog="gsd-install" if verb == "install" else f"gsd-install {verb}",
        allow_abbrev=False,
        description=VERBS[verb].capitalize() + ".",
        formatter_class=_Formatter,
    )
    _common(made, scoped=verb not in _UNSCOPED)
    made.set_defaults(verb=verb)
    _BUILDERS.get(verb, lambda _: None)(made)
    if verb == "install":
        made.epilog = "verbs:\n" + "\n".join(f"  {name:<11}{text}" for name, text in VERBS.items())
        made.epilog += "\n\n`gsd-install VERB --help` shows the flags of a verb."
        made.usage = "gsd-install [VERB] [flags]"
        made.add_argument("--version", action="store_true", help="print the version")
    return made


def _common(made: Parser, *, scoped: bool) -> None:
    if scoped:
        made.add_argument(
            "--scope",
            choices=("global", "project"),
            default=None,
            help="global: your home (default); project: the current directory",
        )
    made.add_argument("--home", metavar="DIR", help="use DIR as the home, to build an image for another user")
    made.add_argument("--json", action="store_true", help="print one JSON document")


def _selection(made: Parser) -> None:
    made.add_argument(
        "--runtime", action="append", default=[], metavar="R", help="a runtime; repeat for several"
    )


def _content(made: Parser) -> None:
    made.add_argument(
        "--content",
        action="append",
        default=[],
        metavar="PATH",
        help="a content root, a plugin or a folder of skills instead of what ships; repeat for several",
    )


def _changing(made: Parser) -> None:
    made.add_argument("--dry-run", action="store_true", help="show what would be done; write nothing")
    made.add_argument(
        "--diff", action="store_true", help="with --dry-run: show changed text as unified diffs"
    )
    made.add_argument("--yes", action="store_true", help="ask nothing")


def _renewing(made: Parser) -> None:
    made.add_argument(
        "--backup", action="store_true", help="move foreign files in our place aside; uninstall restores them"
    )
    made.add_argument("--restore", action="store_true", help="bring back files of ours that you deleted")


def _install(made: Parser) -> None:
    _selection(made)
    made.add_argument("--all", action="store_true", help="every runtime")
    made.add_argument("--detected", action="store_true", help="every runtime found on this machine")
    made.add_argument("--config-dir", metavar="D", help="the runtime's own directory (one runtime only)")
    _content(made)
    made.add_argument("--profile", choices=PROFILES, help="how much to install (default: standard)")
    made.add_argument(
        "--with",
        dest="surfaces",
        action="append",
        default=None,
        metavar="S[,S]",
        help=f"also write to files of yours: {', '.join(SURFACES)}",
    )
    _changing(made)
    _renewing(made)
    made.add_argument(
        "--check", action="store_true", help="compare with what is installed; exit 4 when it differs"
    )
    made.add_argument("--sarif", action="store_true", help="with --check: print a SARIF 2.1.0 document")


def _require_plain_check(args: argparse.Namespace) -> None:
    if args.json:
        raise UsageError("--json and --sarif exclude each other", reason="usage", hint="give one of them")
    if "check" not in args:
        return
    if not args.check:
        raise UsageError("--sarif goes with --check", reason="usage", hint="gsd-install --check --sarif")
    if args.runtime or args.all or args.detected:
        raise UsageError("--sarif compares all that is recorded", reason="usage", hint="name no runtime")


def _uninstall(made: Parser) -> None:
    _selection(made)
    made.add_argument(
        "--content", action="append", default=[], metavar="ID", help="only this content; repeat for several"
    )
    _changing(made)


def _upgrade(made: Parser) -> None:
    _changing(made)
    _renewing(made)


def _surface(made: Parser) -> None:
    made.add_argument("profile", nargs="?", choices=PROFILES, help="the profile to change to")
    _selection(made)
    _changing(made)
    _renewing(made)


def _adopt(made: Parser) -> None:
    _selection(made)
    made.add_argument("--config-dir", metavar="D", help="the runtime's own directory (one runtime only)")
    _content(made)
    made.add_argument(
        "--profile", choices=PROFILES, help="how much was installed (default: what is there says)"
    )
    made.add_argument("--yes", action="store_true", help="take them over; without it nothing is written")
    made.add_argument(
        "--backup",
        action="store_true",
        help="move files that differ aside and write ours; uninstall restores them",
    )


def _doctor(made: Parser) -> None:
    made.add_argument(
        "--live", action="store_true", help="also ask the hosts on this machine what they have loaded"
    )


def _explain(made: Parser) -> None:
    made.add_argument("path", metavar="PATH", help="an installed file")


def _report(made: Parser) -> None:
    _selection(made)
    made.add_argument("--all", action="store_true", help="every runtime")
    _content(made)
    made.add_argument("--profile", choices=PROFILES, help="how much would be installed")
    made.add_argument("--exact", action="store_true", help="count o200k tokens instead of estimating them")
    made.set_defaults(detected=False, config_dir=None)


def _lint(made: Parser) -> None:
    made.add_argument(
        "path",
        nargs="?",
        metavar="PATH",
        help="a content root, a plugin or a folder of skills (default: what ships)",
    )
    made.add_argument("--sarif", action="store_true", help="print a SARIF 2.1.0 document")


def _preview(made: Parser) -> None:
    made.add_argument(
        "document", metavar="DOC", help="commands/plan-phase.md, agents/planner or an id: plan-phase"
    )
    made.add_argument("--runtime", required=True, metavar="R", help="the runtime to print it for")
    made.add_argument(
        "--content",
        metavar="PATH",
        help="a content root, a plugin or a folder of skills instead of what ships",
    )
    made.add_argument(
        "--all", dest="every", action="store_true", help="each file it becomes, under a header line"
    )


def _skills(made: Parser) -> None:
    made.add_argument(
        "action",
        choices=("list", "show", "approve", "reject", "review", "remove", "sync"),
        help="review asks about each; sync brings what is learned to every runtime again",
    )
    made.add_argument("name", nargs="?", metavar="NAME", help="show, approve, reject, remove: which one")
    made.add_argument("--reason", metavar="R", help="reject: why, for whoever proposed it")
    made.add_argument("--yes", action="store_true", help="ask nothing: you have looked at it")
    made.set_defaults(scope="project", dry_run=False)


_BUILDERS = {
    "adopt": _adopt,
    "doctor": _doctor,
    "explain": _explain,
    "install": _install,
    "lint": _lint,
    "preview": _preview,
    "report": _report,
    "skills": _skills,
    "surface": _surface,
    "uninstall": _uninstall,
    "upgrade": _upgrade,
}


def surfaces(given: list[str] | None) -> frozenset[str] | None:
    """The surfaces that `--with` names; None when it was not given. Raises UsageError."""
    if given is None:
        return None
    names = _split(given)
    for name in names:
        if name not in SURFACES:
            raise UsageError(
                f"--with cannot be {name!r}", reason="usage", hint=f"one of: {', '.join(SURFACES)}"
            )
    return frozenset(SURFACES[:-1]) if "all" in names else frozenset(names)


def named_surfaces(given: list[str] | None) -> frozenset[str]:
    """Those that `--with` names one by one: who names one wants it or an error."""
    return frozenset(_split(given or ())) - {"all"}


def _split(given: Iterable[str]) -> list[str]:
    return [name.strip() for item in given for name in item.split(",") if name.strip()]
