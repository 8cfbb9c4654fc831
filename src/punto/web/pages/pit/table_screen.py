"""Everything about one table, in pieces: its tile, what can be done there, and who is on duty."""

from collections.abc import Collection, Mapping
from typing import ClassVar

import msgspec
from markupsafe import escape
from msgspec import Struct

from punto.catalogue.sentence import Language
from punto.floor.journal.actor import Actor
from punto.floor.people.duty_record import DutyLine
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.positions import MANAGER_UP, STAFF, SUPERVISOR_UP, Position
from punto.table.records.state import Phase
from punto.web.messages import TableView
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.base.layout import MAY_SEE_PIT
from punto.web.pages.base.templates import Context, render
from punto.web.pages.live.floor_signal import Changed
from punto.web.pages.parts.edges import EdgesPiece, show_edges
from punto.web.pages.pit.screen import PitScreen, TilePiece
from punto.web.views.cursors import write_cursor
from punto.web.views.table_cache import TableCache
from punto.web.views.visibility import Sight


class PitAct(Struct, frozen=True):
    """Something that can be done at a table now: a dialog of its console."""

    key: str
    dialog: str
    name: str
    """Of its sentence: ``command.open_table``."""


class ActsPiece(Context, frozen=True, kw_only=True):
    template = "pit/acts.html"
    acts: tuple[PitAct, ...]


def acts_of(view: TableView, shoes: ShoeKind) -> tuple[PitAct, ...]:
    """At a table of sealed shoes the floor loads them."""
    if view.phase is Phase.CLOSED:
        return (PitAct("O", "open_table", "open_table"),)
    by_hand = (PitAct("N", "shoe", "load_shoe"),) if shoes is ShoeKind.MANUAL else ()
    return (PitAct("L", "change_settings", "change_settings"), *by_hand, PitAct("X", "close_table", "close_table"))


class DutyPiece(Context, frozen=True, kw_only=True):
    template = "pit/duty.html"
    lines: tuple[DutyLine, ...]
    late_s: int
    """After so long a dealer's time is marked; 0: never."""
    assigns: bool


class PitTableScreen:
    contexts: ClassVar[Collection[type[Context]]] = (TilePiece, ActsPiece, DutyPiece, EdgesPiece)

    def __init__(self, pit: PitScreen, cache: TableCache) -> None:
        self.cache = cache
        self._pit = pit

    def changed(self) -> Changed:
        return self._pit.changed()

    async def pieces(self, actor: Actor | None, query: Mapping[str, str], language: Language) -> dict[str, str]:  # noqa: ARG002 - the same for all
        if actor is None or actor.position not in MAY_SEE_PIT:
            return {}
        name = self.cache.live.setup.name
        facts = (await self._pit.facts.now()).of(name)
        tile = await (await self._pit.tiles.of(name)).draw(facts, language, alone=True)
        view = await self.cache.view(Sight.STAFF)
        acts = acts_of(view, self.cache.live.setup.shoes) if actor.position in SUPERVISOR_UP else ()
        lines = tuple(sorted(facts.on_duty, key=lambda line: list(STAFF).index(Position(line.position))))
        late_s = facts.thresholds.dealer_on_min * 60
        wire = {"at": write_cursor(view.opening, view.version), "round": view.round.number if view.round else 0}
        return {
            "tile": tile.html,
            "acts": render(ActsPiece(acts=acts), language),
            "edges": render(EdgesPiece(edges=show_edges(facts.edges, TRANSLATORS[language])), language),
            "duty": render(DutyPiece(lines=lines, late_s=late_s, assigns=actor.position in MANAGER_UP), language),
            "queue": await self._pit.queue(actor, language, name),
            "moment": str(escape(msgspec.json.encode({**wire, "moments": [{"name": "pit"}]}).decode())),
        }
