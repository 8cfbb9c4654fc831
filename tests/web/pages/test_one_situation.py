"""Tile, lobby, board, console and guide name the same situation at every entry of the golden sessions."""

from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import pytest

from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import NO_CONTEXT, Entry, event_of, write
from punto.floor.running.table_setup import TableSetup
from punto.floor.settings.gaming_day import GamingDay
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table import evolve
from punto.table.procedure.moment import moments_of
from punto.table.procedure.scene import MomentName, Scene
from punto.table.records.positions import Position
from punto.table.records.state import Table
from punto.table.situation import LastRound, Situation, SituationKind, Then, situation
from punto.web.pages.base.i18n import translator
from punto.web.pages.guide.address import Address
from punto.web.pages.guide.contexts import guide_page
from punto.web.pages.guide.moment import Guided, StepName
from punto.web.pages.guide.story import Story
from punto.web.pages.parts.announcement import call_of
from punto.web.pages.pit.tile import TileState, state_of
from punto.web.views.shoe_results import ShoeResults
from punto.web.views.table_view import table_view
from punto.web.views.visibility import Sight
from tests.golden.recordings import golden, recordings

Kind = SituationKind
T = translator("en", at_shuffler=False)
DORA = Actor("dora", Position.DEALER)


class Names(NamedTuple):
    """What a situation is called: on the tile, in the lobby and on the board, at the console, in the guide."""

    tile: set[TileState]
    call: set[str]
    console: set[MomentName]
    guide: StepName = StepName.TILES


DRAWS = {"player_draws", "banker_draws"}
BURNS = {"soon", "dealing", "no_more_bets", *DRAWS}
"""Between rounds, or once a shoe was exchanged during one."""
NAMES = {
    Kind.CLOSED: Names({TileState.CLOSED}, {"closed"}, {MomentName.CLOSED_TABLE}),
    Kind.OTHER_LAW: Names({TileState.OTHER_LAW}, {"under_review"}, {MomentName.OTHER_LAW}),
    Kind.NO_SHOE: Names({TileState.NO_SHOE}, {"shuffling"}, {MomentName.SHOE}),
    Kind.SHOE_OVER: Names({TileState.NO_SHOE}, {"shuffling"}, {MomentName.SHOE}),
    Kind.BURNING: Names({TileState.READY, TileState.DEALING}, BURNS, {MomentName.BURN}),
    Kind.READY: Names({TileState.READY}, {"soon"}, {MomentName.READY}),
    Kind.RAISED: Names({TileState.REVIEW}, {"under_review"}, {MomentName.TROUBLE}),
    Kind.CHOOSING: Names({TileState.OPTIONS}, {"options"}, {MomentName.TROUBLE}, StepName.OPTIONS),
    Kind.ORDER_LOST: Names({TileState.REVIEW}, {"under_review"}, {MomentName.TROUBLE}, StepName.ORDER),
    Kind.RESTARTED: Names({TileState.RESTART}, {"waits_for_dealer"}, {MomentName.RESTARTED}),
    Kind.BETTING: Names({TileState.BETTING}, {"place_bets", "last_round", "card_exposed"}, {MomentName.BETTING}),
    Kind.CARDS: Names({TileState.DEALING}, {"dealing", "no_more_bets"}, {MomentName.CLOSED, MomentName.CARDS}),
    Kind.THIRD_CARD: Names({TileState.DEALING}, DRAWS, {MomentName.THIRD}),
    Kind.TURNING: Names({TileState.DEALING}, {"turning"}, {MomentName.TURN, MomentName.SQUEEZE}),
    Kind.SQUEEZING: Names({TileState.DEALING}, {"squeezing"}, {MomentName.TURN, MomentName.SQUEEZE}),
    Kind.INSURANCE_DUE: Names({TileState.DEALING}, DRAWS | {"settling"}, {MomentName.INSURANCE_DUE}),
    Kind.INSURANCE: Names({TileState.INSURANCE}, {"insurance", "insurance_closed"}, {MomentName.INSURANCE}),
    Kind.CLAIMED: Names({TileState.DEALING}, {"settling"}, {MomentName.TROUBLE}, StepName.FACTS),
    Kind.FINISHED: Names({TileState.DEALING}, {"settling"}, {MomentName.RESULT}),
}
RESULTS = {LastRound.SETTLED: TileState.WON, LastRound.VOID: TileState.VOID}


Looks = tuple[SituationKind, LastRound | None, Then]


class Shown(NamedTuple):
    tile: TileState
    call: str
    console: MomentName
    guide: StepName


def shown_at(live: Any, results: ShoeResults) -> Shown:
    view = table_view(live, results, Sight.STAFF, None, stopped=False)
    scene = Scene(live.rules, live.state, sealed=False, position=DORA.position, by=DORA.name)
    guided = Guided(live.rules, live.state, view, sealed=False, by=DORA, t=T)
    page = guide_page(cast("Any", None), guided, GamingDay(), Story(), Address("/tables/t1/resolve", {}))
    return Shown(state_of(view), call_of(live, view, T).words, moments_of(scene)[-1].name, page.step)


def require_named(found: Situation, shown: Shown) -> None:
    names = NAMES[found.kind]
    tiles, calls = set(names.tile), {T(f"call.{key}") for key in names.call}
    if found.last in RESULTS:  # what became of the last round is called until the next; the tile needs a shoe first
        tiles |= {RESULTS[found.last]}
        calls = {T("call.void")} if found.last is LastRound.VOID else {T(f"outcome.{side}") for side in OUTCOMES}
    assert shown.tile in tiles, (found, shown)
    assert shown.call in calls, (found, shown)
    assert shown.console in names.console, (found, shown)
    assert shown.guide is names.guide, (found, shown)


OUTCOMES = ("player", "banker", "tie")


def test_everybody_names_the_same_situation() -> None:
    """Looked at once for each book and each change from one situation to another."""
    seen: set[tuple[str, Looks, Looks | None]] = set()
    for name in recordings():
        evening = golden(name)
        rules, setup = book(evening.book), TableSetup("t1", evening.book, ShoeKind.MANUAL)
        live: Any = SimpleNamespace(rules=rules, setup=setup, title="t1", openings=1, head=None, stop=None)
        live.state = Table()
        results, version = ShoeResults(), 0
        before: Looks | None = None
        for step in evening.steps:
            for text in step.events:
                version += 1
                given = ("dora", "dealer", f"c{version}", 0, "", None)
                entry = Entry("t1/1", version, version, *given, text, write(NO_CONTEXT), "")
                live.state = evolve(live.state, event_of(entry))
                results.feed([entry])
            found = situation(rules, live.state)
            looks = (found.kind, found.last, found.then)
            change = (evening.book, looks, before)
            if step.events and change not in seen:
                require_named(found, shown_at(live, results))
                seen.add(change)
            before = looks
    assert {looks[0] for _, looks, _ in seen} == NAMES.keys() - {Kind.OTHER_LAW}


@pytest.mark.parametrize("kind", Kind)
def test_every_situation_has_a_name_everywhere(kind: SituationKind) -> None:
    assert kind in NAMES
