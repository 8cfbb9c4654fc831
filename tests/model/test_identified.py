"""A player who is identified at any moment ends as one whose id was known from the start."""

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from punto.floor.journal.entry import Entry
from punto.floor.reports.player_report import ReportLine, by_player
from punto.floor.reports.records import records
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide, handle
from punto.table.decision import Decision
from punto.table.records.commands import Command, IdentifyPlayer
from punto.table.records.events import Event, PlayerIdentified
from punto.table.records.ledger import chips
from punto.table.records.state import BetKey, PlacedBet, Table, TakenInsurance, with_insurance, with_irregularities
from tests.floor.journals import entries_from, openings
from tests.floor.reports.test_player_report import flat
from tests.lanes import examples, same_each_time
from tests.marks import books
from tests.model import walk
from tests.model.choices import Choices, Seeded
from tests.model.evening import Evening
from tests.model.walk import DEALER

pytestmark = pytest.mark.sweep

ANN, ID = "ann", "P000123"
"""Both come first in the order of names, so lists of people have the same order."""
MOVES = tuple(
    move
    for move in walk.MOVES
    if move not in (walk.somebody_is_identified, walk.anything, walk.something_legal, walk.the_round_can_be_finished)
)


class Recorded(Evening):
    """Keeps the commands that were accepted."""

    def __init__(self, rules: Rulebook) -> None:
        super().__init__(rules)
        self.accepted: list[Command] = []

    def do(self, command: Command) -> Decision:
        decision = super().do(command)
        if not isinstance(decision, Refusal):
            self.accepted.append(command)
        return decision


def _history(rules: Rulebook, seed: int) -> list[Command]:
    evening, some = Recorded(rules), Choices(rules, Seeded(seed))
    walk.open_with_people(evening, some)
    for _ in range(40):
        some.pick(MOVES)(evening, some)
    return evening.accepted


class Run:
    """Commands given to a new table."""

    def __init__(self, rules: Rulebook) -> None:
        self.rules, self.table, self.events = rules, Table(), list[Event]()
        self.arrived = 0
        """How often Ann came to the table in this opening."""

    def do(self, command: Command) -> None:
        here = ANN in self.table.people
        self.table, decision = handle(self.rules, self.table, command)
        assert not isinstance(decision, Refusal), (command, decision)
        self.events += decision
        self.arrived += ANN in self.table.people and not here


def _as_id(value: Any) -> Any:
    """The same, with the id in the place of Ann."""
    if isinstance(value, str):
        return {ANN: ID, chips(ANN): chips(ID)}.get(value, value)
    if isinstance(value, Struct):
        return type(value)(**{name: _as_id(getattr(value, name)) for name in value.__struct_fields__})
    if isinstance(value, dict):
        return {_as_id(key): _as_id(part) for key, part in value.items()}
    if isinstance(value, tuple | frozenset):
        return type(value)(map(_as_id, value))
    return value


def _report(events: list[Event]) -> list[dict[str, ReportLine]]:
    """By opening, the line of each player."""

    def read(opening: list[Entry]) -> dict[str, ReportLine]:
        lines = by_player(records(lambda: opening), flat)
        assert len({line.currency for line in lines}) <= 1
        return {line.name: line for line in lines}

    return [read(entries_from(f"t1/{number}", part)) for number, part in enumerate(openings(events), 1)]


def _totals(lines: dict[str, ReportLine]) -> tuple[Any, ...]:
    """What the lines of Ann and of her id add up to, and all other lines."""
    hers = [msgspec.structs.astuple(lines[name])[2:] for name in (ANN, ID) if name in lines]
    return [sum(column) for column in zip(*hers, strict=True)], {
        name: line for name, line in lines.items() if name not in (ANN, ID)
    }


@pytest.mark.parametrize("rules", books())
def test_the_same_happens_as_if_the_id_had_been_known(rules: Rulebook) -> None:
    @settings(
        max_examples=examples(2),
        derandomize=same_each_time(),
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(seed=st.integers(0, 10**6), moment=st.integers(0, 10**6))
    def check(seed: int, moment: int) -> None:
        history = _history(rules, seed)
        moments = _moments(rules, history)
        assume(moments)
        play_twice(rules, history, moments[moment % len(moments)])

    check()


def play_twice(rules: Rulebook, history: list[Command], at: int) -> None:
    """Once with the id from the start, once with Ann identified after ``at`` commands."""
    known, late = Run(rules), Run(rules)
    for number, command in enumerate(history, 1):
        known.do(_as_id(command))
        late.do(_as_id(command) if number > at else command)
        if number == at:
            late.do(IdentifyPlayer(*DEALER, ANN, ID))
        if number >= at:
            assert _now(late.table) == _now(known.table)
    _compare(known, late)


def _moments(rules: Rulebook, history: list[Command]) -> list[int]:
    """After how many commands Ann can be identified."""
    run, moments = Run(rules), []
    for number, command in enumerate(history, 1):
        run.do(command)
        if not isinstance(decide(rules, run.table, IdentifyPlayer(*DEALER, ANN, ID)), Refusal):
            moments.append(number)
    return moments


def _now(table: Table) -> Table:
    """The table without what keeps a name of the past: who placed a bet, and who has gone."""
    now = table.round
    if now is None:
        return replace(table, gone=frozenset())
    cover, returned = now.insurance.cover, now.insurance.returned_uninsured
    taken_back = {
        who: replace(taken, bets=_unnamed(taken.bets), cover=_unnamed_cover(taken.cover))
        for who, taken in now.irregularities.taken_back.items()
    }
    now = with_irregularities(
        replace(now, bets=_unnamed(now.bets), at_close=_unnamed(now.at_close)), taken_back=taken_back
    )
    uninsured = {key: replace(each, placed=replace(each.placed, placed_by="")) for key, each in returned.items()}
    now = with_insurance(now, cover=_unnamed_cover(cover), returned_uninsured=uninsured)
    return replace(table, gone=frozenset(), round=now)


def _unnamed(bets: dict[BetKey, PlacedBet]) -> dict[BetKey, PlacedBet]:
    return {key: replace(placed, placed_by="") for key, placed in bets.items()}


def _unnamed_cover(cover: tuple[TakenInsurance, ...]) -> tuple[TakenInsurance, ...]:
    return tuple(replace(covered, placed_by="") for covered in cover)


def _compare(known: Run, late: Run) -> None:
    others = [event for event in late.events if not isinstance(event, PlayerIdentified)]
    assert [_as_id(event) for event in others] == known.events
    reports, expected = _report(late.events), _report(known.events)
    for report, same in zip(reports, expected, strict=True):
        assert _totals(report) == _totals(same)
    in_opening = [any(isinstance(event, PlayerIdentified) for event in part) for part in openings(late.events)]
    if late.arrived == 1:
        assert ANN not in reports[in_opening.index(True)]
