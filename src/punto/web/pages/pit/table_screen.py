"""Everything about one table, in pieces: its tile, what can be done there, and who is on duty."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import ClassVar

import msgspec
from markupsafe import escape
from msgspec import UNSET

from punto.catalogue.sentence import Language
from punto.floor.house.projections.duty import DutyLine
from punto.floor.journal.actor import Actor
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.positions import DEALER_UP, MANAGER_UP, STAFF, SUPERVISOR_UP, Position
from punto.table.records.state import Phase
from punto.web.messages import SlipView, TableView
from punto.web.pages.base.i18n import translator
from punto.web.pages.base.layout import MAY_SEE_PIT
from punto.web.pages.base.templates import Context, render
from punto.web.pages.live.floor_signal import Changed
from punto.web.pages.parts.edges import EdgesPiece, show_edges
from punto.web.pages.pit.screen import PitScreen, TilePiece
from punto.web.views.cursors import write_cursor
from punto.web.views.table_cache import TableCache
from punto.web.views.visibility import Sight


class PitAct(StrEnum):
    """What can be done at a table: the dialogs of its console."""

    OPEN_TABLE = "open_table"
    CLOSE_TABLE = "close_table"
    CHANGE_SETTINGS = "change_settings"
    SHOE = "shoe"
    REQUEST_FILL = "request_fill"
    REQUEST_CREDIT = "request_credit"
    SLIPS = "slips"
    """The next step of an open slip."""
    VOID_SLIP = "void_slip"
    COUNT_TRAY = "count_tray"


TABLE_KEYS = dict(zip(PitAct, "OXLNFCSVK", strict=True))


class ActsPiece(Context, frozen=True, kw_only=True):
    template = "pit/acts.html"
    acts: tuple[tuple[str, PitAct], ...]
    """Keys and what they do."""


class ChipsPiece(Context, frozen=True, kw_only=True):
    template = "pit/chips.html"
    slips: tuple[SlipView, ...]
    """Open fills and credits."""
    acts: tuple[tuple[str, PitAct], ...]


def table_acts(view: TableView, shoes: ShoeKind) -> tuple[PitAct, ...]:
    if view.phase is Phase.CLOSED:
        return (PitAct.OPEN_TABLE,)
    by_hand = (PitAct.SHOE,) if shoes is ShoeKind.MANUAL else ()  # sealed ones are loaded by the floor
    return (PitAct.CHANGE_SETTINGS, *by_hand, PitAct.CLOSE_TABLE)


def tray_acts(view: TableView) -> tuple[PitAct, ...]:
    if view.phase is Phase.CLOSED:
        return ()
    slips = () if view.slips is UNSET else (PitAct.SLIPS, PitAct.VOID_SLIP)
    return (PitAct.REQUEST_FILL, PitAct.REQUEST_CREDIT, *slips, PitAct.COUNT_TRAY)


class DutyPiece(Context, frozen=True, kw_only=True):
    template = "pit/duty.html"
    lines: tuple[DutyLine, ...]
    late_s: int
    """After so long a dealer's time is marked; 0: never."""
    assigns: bool


class PitTableScreen:
    contexts: ClassVar[Collection[type[Context]]] = (TilePiece, ActsPiece, ChipsPiece, DutyPiece, EdgesPiece)

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
        tile = await (await self._pit.tiles.of(name)).draw(
            facts, language, counts=actor.position in DEALER_UP, alone=True
        )
        view = await self.cache.view(Sight.STAFF)
        t = translator(language, at_shuffler=self.cache.live.state.at_shuffler)
        acts = actor.position in SUPERVISOR_UP
        of_table = table_acts(view, self.cache.live.setup.shoes) if acts else ()
        of_tray = tray_acts(view) if acts and not facts.for_play_money else ()
        slips = () if view.slips is UNSET else view.slips
        lines = tuple(sorted(facts.on_duty, key=lambda line: list(STAFF).index(Position(line.position))))
        late_s = facts.thresholds.dealer_on_min * 60
        wire = {"at": write_cursor(view.opening, view.version), "round": view.round.number if view.round else 0}
        return {
            "tile": tile.html,
            "acts": render(ActsPiece(acts=_with_keys(of_table)), language, t),
            "chips": render(ChipsPiece(slips=slips, acts=_with_keys(of_tray)), language),
            "edges": render(EdgesPiece(edges=show_edges(facts.edges, t)), language, t),
            "duty": render(DutyPiece(lines=lines, late_s=late_s, assigns=actor.position in MANAGER_UP), language),
            "queue": await self._pit.queue(actor, language, name),
            "moment": str(escape(msgspec.json.encode({**wire, "moments": [{"name": "pit"}]}).decode())),
        }


def _with_keys(acts: tuple[PitAct, ...]) -> tuple[tuple[str, PitAct], ...]:
    return tuple((TABLE_KEYS[act], act) for act in acts)
