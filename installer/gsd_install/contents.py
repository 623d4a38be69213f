"""Content roots as commands use them: what they say of themselves at once, their documents when needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gsd_install.emit.output import Emission, Output
from gsd_install.emit.packed import Pack, open_pack
from gsd_install.emit.target import Target
from gsd_install.gathering import Gathered, gather_capabilities
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.plugins import Plugin
from gsd_install.runtime.platform import Platform
from gsd_install.shipped import shipped_root
from gsd_install.version import VERSION

if TYPE_CHECKING:
    from gsd_install.content.model import Catalog, Document


class Content:
    """One content root. Where its emissions were packed, it is not even parsed.

    `gathered` are the capabilities whose content joins it; None where none may.
    """

    def __init__(
        self,
        root: str,
        *,
        pack: Pack | None = None,
        catalog: Catalog | None = None,
        gathered: Gathered | None = None,
    ) -> None:
        self.root = root
        self.gathered = gathered
        self._pack = pack
        self._catalog = catalog
        self._faults: Mapping[str, GsdError] = {}
        self._selected: dict[str, tuple[tuple[Document, ...], frozenset[str]]] = {}
        head = pack.head if pack else self.catalog
        self.id, self.name, self.version = head.id, head.name, head.version
        self.prefix, self.requires, self.start = head.prefix, head.requires, head.start

    @property
    def catalog(self) -> Catalog:
        """Its documents and assets, parsed."""
        if self._catalog is None:
            from gsd_install.content.catalog import load_with

            features = self.gathered.features if self.gathered else ()
            self._catalog, self._faults = load_with(self.root, features)
        return self._catalog

    @property
    def is_bundle(self) -> bool:
        """Whether it was written for another host."""
        return self._pack is None and bool(self.catalog.bundle)

    @property
    def faults(self) -> Mapping[str, GsdError]:
        """What is wrong with the content of each capability that is left out, by id."""
        if self._pack is None and self.gathered is not None and self.catalog:
            return self._faults
        return {}

    @property
    def problems(self) -> tuple[str, ...]:
        """A sentence for each of them, and for what is to be known of a bundle."""
        gathered = self.gathered
        notes: tuple[str, ...] = ()
        if self.is_bundle:
            from gsd_install.emit.kept import grouped

            notes = grouped(self.catalog.notes)
        return notes + (tuple(gathered.sentence(*fault) for fault in self.faults.items()) if gathered else ())

    def documents(self, profile: str) -> tuple[Document, ...]:
        """The documents of an install profile."""
        return self._select(profile)[0]

    def specific(self, profile: str) -> frozenset[str]:
        """The paths of those bodies that read differently from one host to the next."""
        return self._select(profile)[1]

    def emission(
        self, plugin: Plugin, target: Target, profile: str, elsewhere: frozenset[str], launcher: str = ""
    ) -> Emission:
        """What one runtime gets; `elsewhere` are skill files of others that it may list too.

        `launcher` is the name of the one that renders workflows, or empty.
        """
        if self._pack and plugin.digest:
            packed = self._pack.emission(target, plugin.digest, profile, elsewhere, launcher)
            if packed is not None:
                return packed
        from gsd_install.emit.emit import emit

        documents, specific = self._select(profile)
        emission = emit(
            self.catalog,
            documents,
            target,
            plugin.caps,
            plugin.converters,
            elsewhere,
            specific,
            launcher,
            plugin.rewrites,
        )
        if not self.is_bundle:
            return emission
        from gsd_install.emit.kept import left_out

        return emission._replace(warnings=emission.warnings + left_out(self.catalog, documents, target))

    def shared(self, target: Target, profile: str) -> tuple[Output, ...]:
        """The texts that every runtime of the target's scope reads."""
        packed = self._pack.shared(target, profile) if self._pack else None
        if packed is not None:
            return packed
        from gsd_install.emit.emit import emit_shared

        documents, specific = self._select(profile)
        return emit_shared(self.catalog, documents, target, specific)

    def described(self, target: Target) -> tuple[Output, ...]:
        """What the companion reads about this content root in the target's scope."""
        packed = self._pack.described(target) if self._pack else None
        if packed is not None:
            return packed
        from gsd_install.emit.companion import described

        documents, specific = self._select("full")
        return described(self.catalog, documents, target, specific)

    def first_command(self, target: Target, profile: str) -> str:
        """How the command to begin with is typed: `start`, else the profile's first; empty without one."""
        if self._pack:
            names = {name: f"{self.prefix}-{name}" for name in self._pack.head.commands[profile]}
        else:
            documents = (item for item in self.documents(profile) if item.kind == "command")
            names = {item.id: self.catalog.name_of(item) for item in documents}
        if not names:
            return ""
        first = self.start if self.start in names else next(iter(names))
        return target.runtime.invoke.replace("{name}", names[first])

    def _select(self, profile: str) -> tuple[tuple[Document, ...], frozenset[str]]:
        if profile not in self._selected:
            from gsd_install.content.select import select, specific_paths

            documents = select(self.catalog, profile)
            self._selected[profile] = documents, specific_paths(documents)
        return self._selected[profile]


def open_contents(roots: Iterable[str], platform: Platform) -> tuple[Content, ...]:
    """The content of each root; two with one id are an error that names both."""
    found: dict[str, Content] = {}
    for given in roots:
        root = platform.expand(given)
        content = _shipped(root) if given == shipped_root() else Content(root, pack=open_pack(root))
        _require_version(content)
        if content.id in found:
            raise GsdError(
                f"two content roots have the id {content.id!r}: {found[content.id].root} and {root}",
                reason="content_clash",
                hint="change `id` in one content.toml, or `name` in one plugin.json",
            )
        found[content.id] = content
    return tuple(found.values())


def expanded(roots: Iterable[str], platform: Platform) -> tuple[str, ...]:
    """The content roots that paths of the command line stand for: a marketplace is every plugin in it."""
    found: list[str] = []
    for given in roots:
        from gsd_install.content.bundles.marketplace import roots as plugins_of  # most commands name none

        found += plugins_of(platform.expand(given))
    return tuple(found)


def brought(contents: Iterable[Content]) -> Gathered:
    """The capabilities whose code goes with these contents: all, less those whose content is at fault."""
    found = tuple(contents)
    gathered = next((content.gathered for content in found if content.gathered is not None), None)
    return (gathered or gather_capabilities()).without(name for content in found for name in content.faults)


def _shipped(root: str) -> Content:
    gathered = gather_capabilities()
    return Content(root, pack=open_pack(root, gathered.signature()), gathered=gathered)


def _require_version(content: Content) -> None:
    """Raise GsdError when a content root needs another version of gsd-install."""
    floor = content.requires.removeprefix(">=")
    if not content.requires or (content.requires.startswith(">=") and f"{VERSION}.".startswith(f"{floor}.")):
        return  # the common cases, without importing packaging
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    file = f"{content.root}/content.toml"
    try:
        matches = SpecifierSet(content.requires).contains(VERSION, prereleases=True)
    except InvalidSpecifier as error:
        raise GsdError(f"requires does not parse: {error}", reason="bad_value", file=file) from error
    if not matches:
        raise GsdError(
            f"{content.name} requires gsd-install {content.requires}, this is {VERSION}",
            reason="content_requires",
            file=file,
            hint="upgrade gsd-install",
        )
