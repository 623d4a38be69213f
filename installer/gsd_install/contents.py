"""Content roots as commands use them: what they say of themselves at once, their documents when needed."""

from __future__ import annotations

from collections.abc import Iterable

from gsd_install.emit.output import Emission, Output, gather
from gsd_install.emit.packed import Pack, open_pack, plugin_key
from gsd_install.emit.target import Target
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING
from gsd_install.plugins import Plugin
from gsd_install.runtime.platform import Platform
from gsd_install.version import VERSION

if TYPE_CHECKING:
    from gsd_install.content.model import Catalog, Document


class Content:
    """One content root. Where its emissions were packed, it is not even parsed."""

    def __init__(self, root: str, *, pack: Pack | None = None, catalog: Catalog | None = None) -> None:
        self.root = root
        self._pack = pack
        self._catalog = catalog
        self._selected: dict[str, tuple[tuple[Document, ...], frozenset[str]]] = {}
        head = pack.head if pack else self.catalog
        self.id, self.name, self.version = head.id, head.name, head.version
        self.prefix, self.requires, self.start = head.prefix, head.requires, head.start

    @property
    def catalog(self) -> Catalog:
        """Its documents and assets, parsed."""
        if self._catalog is None:
            from gsd_install.content.catalog import load

            self._catalog = load(self.root)
        return self._catalog

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
            key = plugin_key(plugin.digest, plugin.caps)
            pieces = self._pack.pieces(target, key, profile, elsewhere, launcher)
            if pieces is not None:
                return gather(pieces)
        from gsd_install.emit.emit import emit

        documents, specific = self._select(profile)
        return emit(
            self.catalog, documents, target, plugin.caps, plugin.converters, elsewhere, specific, launcher
        )

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
            ids = self._pack.head.commands[profile]
        else:
            ids = [document.id for document in self.documents(profile) if document.kind == "command"]
        if not ids:
            return ""
        first = self.start if self.start in ids else ids[0]
        return target.runtime.invoke.replace("{name}", f"{self.prefix}-{first}")

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
        content = Content(root, pack=open_pack(root))
        _require_version(content)
        if content.id in found:
            raise GsdError(
                f"two content roots have the id {content.id!r}: {found[content.id].root} and {root}",
                reason="content_clash",
                hint="change `id` in one content.toml",
            )
        found[content.id] = content
    return tuple(found.values())


def shipped_root() -> str:
    """The content tree that comes with the distribution."""
    from importlib.util import find_spec

    spec = find_spec("gsd_content")
    if spec is None or not spec.submodule_search_locations:
        raise GsdError(
            "the shipped content is missing", reason="no_shipped_content", hint="reinstall gsd-install"
        )
    return next(iter(spec.submodule_search_locations))


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
