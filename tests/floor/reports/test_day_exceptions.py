"""What is out of the ordinary in a day, against the entries themselves, read one by one."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from punto.floor.clock import SystemClock
from punto.floor.database import open_database
from punto.floor.house.writer import append_house
from punto.floor.journal.actor import command_record, with_context
from punto.floor.journal.entry import Entry, EntryContext, context_of, read_event
from punto.floor.journal.event_base import ExceptionKind
from punto.floor.journal.exceptions import EXCEPTIONS
from punto.floor.journal.house_events import HOUSE, AccountCreated, FloorStarted, LockedOut, PositionAssigned
from punto.floor.journal.pit_events import CountsDiffered, ShoeStepTaken
from punto.floor.journal.streams import heads, read_all
from punto.floor.reports.days.day_exceptions import (
    DayException,
    count_by_kind,
    house_exceptions,
    table_exceptions,
)
from punto.floor.reports.days.opening_facts import openings_in
from punto.floor.reports.days.shift_report import make_report
from punto.floor.settings.gaming_day import GamingDay, Period
from punto.table.records import events, findings
from punto.table.records.chips import TrayCounted
from tests.floor.audit_day import DAY, AuditedNight
from tests.floor.goldens import play_golden
from tests.floor.nights import DORA, SID, opened, small, troubled
from tests.floor.report_floor import reported
from tests.golden.recordings import DECIDED
from tests.marks import rest_at_night

FLOORS = {"troubled": troubled, "small": small, "reported": reported}
SOME = (*FLOORS, *DECIDED[:2])
ALL = Period()
_COUNTED: dict[type[events.Event], ExceptionKind] = {
    findings.RoundVoided: ExceptionKind.VOID,
    findings.Ruled: ExceptionKind.RULING,
    findings.PayoutsNotVerified: ExceptionKind.NOT_VERIFIED,
}
"""Kinds that come from one kind of event, at most once in a command."""


@pytest.fixture(
    scope="module",
    params=rest_at_night([*FLOORS, *DECIDED], SOME),
)
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("exceptions") / "floor.db")
    if request.param in FLOORS:
        FLOORS[request.param](path)
    else:
        play_golden(path, request.param)
    return path


def found_in(url: str, period: Period) -> list[DayException]:
    with opened(url) as database:
        of_tables = database.reading(
            lambda tx: [each for opening in openings_in(tx, period) for each in table_exceptions(tx, opening, period)]
        ).result()
        return [*of_tables, *database.reading(lambda tx: [*house_exceptions(tx, period)]).result()]


def _entries(url: str) -> Iterator[Entry]:
    with opened(url) as database:
        for name, head in database.reading(heads).result().items():
            if name != HOUSE:
                yield from read_all(database, head)


def test_nothing_is_left_out_and_nothing_is_made_up(url: str) -> None:
    lines, expected = found_in(url, ALL), Counter[ExceptionKind]()
    number, rounds = 0, dict[tuple[str, int], int]()
    for entry in _entries(url):
        event = read_event(entry.event)
        number = 0 if entry.version == 1 else event.round if isinstance(event, events.BettingOpened) else number
        rounds[entry.stream, entry.version] = number
        if (kind := _COUNTED.get(type(event))) is not None:
            expected[kind] += 1
        if isinstance(event, TrayCounted):
            expected[ExceptionKind.COUNT_DIFFERED] += event.difference_minor != 0
        if entry.part == 0:
            expected[ExceptionKind.ENTERED_LATER] += context_of(entry).happened_at_us > 0
            expected[ExceptionKind.ALONE] += context_of(entry).alone
    counts = count_by_kind(line for line in lines if line.stream != HOUSE)
    for kind in (*_COUNTED.values(), ExceptionKind.COUNT_DIFFERED, ExceptionKind.ENTERED_LATER, ExceptionKind.ALONE):
        assert counts.get(kind, 0) == expected[kind], kind
    for line in lines:
        if line.stream != HOUSE:
            assert line.round == rounds[line.stream, line.version], line
            assert line.kinds
            assert line.command


def test_the_report_of_the_same_time_has_as_many(url: str) -> None:
    with opened(url) as database:
        report = make_report(database, ALL, 2**62)
    counts = count_by_kind(found_in(url, ALL))
    assert counts.get(ExceptionKind.VOID, 0) == sum(sums.play.voids for sums in report.tables.values())
    assert counts.get(ExceptionKind.ALONE, 0) == len(report.alone)
    assert counts.get(ExceptionKind.CORRECTION, 0) == sum(dealer.corrections for dealer in report.dealers.values())
    assert counts.get(ExceptionKind.RULING, 0) >= len(report.rulings)


def test_periods_that_follow_each_other_add_up_to_the_whole(url: str) -> None:
    whole = found_in(url, ALL)
    moments = sorted({line.at_us for line in whole})
    ends = [0, *moments[:: max(len(moments) // 5, 1)], 2**62]
    parts = [found_in(url, Period(since_us, until_us)) for since_us, until_us in pairwise(ends)]
    for (since_us, until_us), part in zip(pairwise(ends), parts, strict=True):
        assert all(since_us <= line.at_us < until_us for line in part)
    key = sorted((line.stream, line.version, line.kinds) for line in whole)
    assert sorted((line.stream, line.version, line.kinds) for part in parts for line in part) == key


def test_every_kind_of_a_table_is_found_in_its_round(tmp_path: Path) -> None:
    path = str(tmp_path / "floor.db")

    async def play() -> None:
        database = open_database(path)
        try:
            floor = await AuditedNight.start(database)
            await floor.play_day()
            await floor.do(DORA, "felt", "open_betting.1")
            await floor.lay("ann", 1, "banker", 900_00)
            await floor.lay("ben", 1, "banker", 5_00)  # under the minimum, so it does not share the excess
            await floor.do(DORA, "felt", "close_betting.1")
            await floor.floor.house_log.write(
                SID, LockedOut("eve", 1), CountsDiffered("felt", "check", "sue", 1_00, 2_00), _step(""), _step("locked")
            )
        finally:
            database.close()

    asyncio.run(play())
    lines = found_in(path, GamingDay().period(DAY))
    kinds = {(line.round, line.kinds) for line in lines if line.stream != HOUSE}
    assert {
        (1, (ExceptionKind.CORRECTION,)),
        (2, (ExceptionKind.PRO_RATA, ExceptionKind.UNDER_MINIMUM)),
        (3, (ExceptionKind.MISSED_INSURANCE,)),
        (4, (ExceptionKind.VOID,)),
        (5, (ExceptionKind.RULING,)),
        (6, (ExceptionKind.ENTERED_LATER,)),
        (6, (ExceptionKind.COUNT_DIFFERED,)),
        (6, (ExceptionKind.COUNT_DIFFERED, ExceptionKind.ALONE)),
        (8, (ExceptionKind.PRO_RATA, ExceptionKind.UNDER_MINIMUM)),
    } == kinds
    (later,) = (line for line in lines if ExceptionKind.ENTERED_LATER in line.kinds)
    assert (later.by, later.command) == (DORA.name, "deal_card")
    assert later.at_us - later.context.happened_at_us == 310_000_000
    played, other = (line for line in lines if line.played)
    assert {(bet.who, bet.played_minor) for bet in other.played} == {("ann", 495_00), ("ben", 5_00)}
    assert {(bet.who, bet.played_minor) for bet in played.played} == {("ann", 500_00), ("ben", 5_00)}
    of_house = [line for line in lines if line.stream == HOUSE]
    assert [type(line.events[0]) for line in of_house] == [FloorStarted, LockedOut, CountsDiffered, ShoeStepTaken]
    assert [line.table for line in of_house] == ["", "", "felt", "felt"]
    assert found_in(path, GamingDay().period(DAY, 3)) == []


def test_what_one_person_did_alone_in_several_entries_is_one_line(tmp_path: Path) -> None:
    path, clock = str(tmp_path / "floor.db"), SystemClock()
    record = with_context(command_record(SID, clock), EntryContext(alone=True))
    with closing(open_database(path)) as database:
        both = AccountCreated("eve", "dealer"), PositionAssigned("eve", "pit_supervisor")
        database.writing(lambda tx: append_house(tx, record, *both)).result()
    (line,) = found_in(path, ALL)
    assert (line.kinds, line.events, line.by) == ((ExceptionKind.ALONE,), both[:1], SID.name)


def _step(problem: str) -> ShoeStepTaken:
    return ShoeStepTaken(shoe="one", step="loaded", table="felt", problem=problem)


def test_what_the_list_of_the_house_has_is_in_the_day_too() -> None:
    assert all(kind.exception for kind in EXCEPTIONS)
