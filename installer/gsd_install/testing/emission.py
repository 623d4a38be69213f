"""One runtime in one scope, and what it makes of one document, in memory."""

from __future__ import annotations

from gsd_install.apply.ledger import Ledger
from gsd_install.apply.location import global_location, project_location, target_at
from gsd_install.contents import Content
from gsd_install.emit.target import Target
from gsd_install.kernel.errors import GsdError
from gsd_install.kernel.record import TYPE_CHECKING, NamedTuple
from gsd_install.pipeline import Prepared, prepare
from gsd_install.plugins import Plugin, Plugins
from gsd_install.testing import sample
from gsd_install.units import Wish

if TYPE_CHECKING:
    from gsd_install.apply.model import Edit, Location
    from gsd_install.content.model import Catalog, Document
    from gsd_install.runtime.model import Place, Runtime, Surface
    from gsd_install.runtime.platform import Platform
    from gsd_install.runtime.words import Scope


class Case(NamedTuple):
    """One runtime in one scope on one machine; `uncapped` are the same plugins without a single limit."""

    plugins: Plugins
    uncapped: Plugins
    plugin: Plugin
    scope: Scope
    platform: Platform

    @property
    def runtime(self) -> Runtime:
        """What the plugin says it is."""
        return self.plugin.runtime

    @property
    def location(self) -> Location:
        """Where the scope installs."""
        if self.scope == "global":
            return global_location(self.platform)
        return project_location(self.platform, self.platform.cwd)

    @property
    def target(self) -> Target:
        """The runtime's directories."""
        return target_at(self.location, self.runtime)

    @property
    def places(self) -> tuple[Place, ...]:
        """The places of the scope."""
        return tuple(place for place in self.runtime.places if place.scope in (None, self.scope))

    @property
    def surfaces(self) -> tuple[Surface, ...]:
        """The surfaces of the scope."""
        return tuple(surface for surface in self.runtime.surfaces if surface.scope in (None, self.scope))


class Reply(NamedTuple):
    """What became of a document: `text` is where the host finds it, `all_text` includes what stands aside."""

    text: str
    all_text: str
    warnings: tuple[str, ...]
    error: GsdError | None


class Uncapped(Plugins):
    """The installed plugins without a single limit."""

    def get(self, runtime_id: str) -> Plugin:
        """The merged plugin of one runtime, its caps left out."""
        return super().get(runtime_id)._replace(caps=())


def emitted(case: Case, documents: tuple[Document, ...], *, uncapped: bool = False) -> Reply:
    """Emit documents of one kind, the first being looked at; an error is part of the reply."""
    surfaces = frozenset({"instructions"} if documents[0].kind == "rule" else ())
    plugins = case.uncapped if uncapped else case.plugins
    try:
        prepared = prepared_for(case, sample.catalog(documents), plugins, surfaces)
    except GsdError as error:
        return Reply("", "", (), error)
    warnings = tuple(warning for unit in prepared.units for warning in unit.warnings)
    texts = {output.path: output.data.decode() for output in prepared.outputs}
    inserted = "".join(map(_block, prepared.desired.edits))
    text = inserted if documents[0].kind == "rule" else texts.get(path_of(case, documents[0]), "")
    return Reply(text, "\n".join([*texts.values(), inserted]), warnings, None)


def _block(edit: Edit) -> str:
    """A file that holds nothing but the entry."""
    from gsd_install.configedit import edit as configedit

    return configedit.put(None, edit.format, edit.pointer, edit.value, file=edit.path)[0].decode()


def prepared_for(
    case: Case, catalog: Catalog, plugins: Plugins, surfaces: frozenset[str] = frozenset()
) -> Prepared:
    """What an install of `catalog` would hold. Raises GsdError."""
    content = Content(catalog.root, catalog=catalog)
    return prepare(case.location, Ledger(), plugins, [(case.runtime.id, content, Wish("full", surfaces))])


def path_of(case: Case, document: Document) -> str:
    """Where the host finds a document that has a place."""
    place = case.target.places(document.kind)[0]
    return case.target.resolve(place.path.replace("{name}", f"{sample.PREFIX}-{document.id}"))
