"""The figures of a table's gaming day, compared with its rounds and its accounts."""

from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import pytest

from punto.floor.clock import HOUR_US
from punto.floor.database.base import Database
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, event_of
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.round_index import rows_of
from punto.floor.journal.stream_name import StreamName
from punto.floor.running.live_table import LiveTable
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book_ids
from punto.table.records.events import BettingOpened, ChipsBought, ChipsCashed, InsuranceMissed, MoneyEvent
from punto.table.records.kinds import BuyInKind
from punto.table.records.ledger import MISPAID, chip_changes
from punto.web.views.table_day import LEAST_US, DayFigures, DayFold, TableDay
from tests.floor.journals import random_history, reopened
from tests.floor.nights import opened, small, troubled
from tests.waiting import run

NIGHTS = [small, troubled, reopened]


def by_stream(database: Database) -> dict[str, list[Entry]]:
    heads = database.reading(streams.heads).result()
    return {name: list(streams.read_all(database, head)) for name, head in heads.items() if name != HOUSE}


def figures_of(entries: list[Entry]) -> DayFigures:
    """Worked out from the records of the rounds and from the chips that players got and gave back."""
    events = [event_of(entry) for entry in entries]
    records = [row.record for row in rows_of(entries)]
    won = sum(bet.win_minor for record in records for bet in record.bets)
    ruled = sum(moved.amount_minor for record in records for moved in record.adjustments)
    mispaid = sum(
        posting.amount_minor
        for event in events
        if isinstance(event, MoneyEvent)
        for posting in event.postings
        if posting.account == MISPAID
    )
    cash = [
        sum(chip_changes(event.postings).values())
        for event in events
        if isinstance(event, ChipsCashed) or (isinstance(event, ChipsBought) and event.kind is BuyInKind.CASH)
    ]
    return DayFigures(
        rounds=sum(isinstance(event, BettingOpened) for event in events),
        missed=sum(isinstance(event, InsuranceMissed) for event in events),
        drop_minor=sum(cash),
        win_minor=won - ruled + mispaid,
    )


def compare(url: str) -> int:
    """Compare the figures between rounds, at most ten times in each stream; returns how often."""
    with opened(url) as database:
        found = by_stream(database)
    compared = 0
    for entries in found.values():
        starts = [at for at, entry in enumerate(entries) if isinstance(event_of(entry), BettingOpened)]
        for end in (*starts[1 :: max(1, len(starts) // 10)], len(entries)):
            rounds = [row.record for row in rows_of(entries[:end])]
            if rounds and rounds[-1].end is not None:
                fold = DayFold()
                fold.feed(entries[:end])
                assert fold.figures == figures_of(entries[:end]), (entries[0].stream, end)
                compared += 1
    return compared


@pytest.mark.parametrize("night", NIGHTS)
def test_figures_of_nights(tmp_path: Path, night: Callable[[str], None]) -> None:
    url = str(tmp_path / "floor.db")
    night(url)
    assert compare(url) > 0


@pytest.mark.sweep
@pytest.mark.parametrize("game", book_ids())
def test_figures_of_random_histories(tmp_path: Path, game: str) -> None:
    random_history(str(tmp_path / "floor.db"), game)
    assert compare(str(tmp_path / "floor.db")) > 3


@pytest.mark.parametrize("night", NIGHTS)
def test_a_day_may_begin_anywhere_and_goes_on_as_entries_come(tmp_path: Path, night: Callable[[str], None]) -> None:
    url = str(tmp_path / "floor.db")
    night(url)
    with opened(url) as database:
        found = by_stream(database)
        for table in sorted({StreamName.parse(name).table for name in found}):
            entries = [entry for name, each in found.items() if StreamName.parse(name).table == table for entry in each]
            run(_follow(database, table, entries))


async def _follow(database: Database, table: str, entries: list[Entry]) -> None:
    setup = TableSetup(table, "commission-insurance", ShoeKind.VIRTUAL)
    moments = sorted({entry.at_us for entry in entries})
    live = await LiveTable.load(setup, database, 0)
    for since_us in (0, moments[len(moments) // 2], moments[-1] + 1):
        wanted = DayFold()
        wanted.feed(entry for entry in entries if entry.at_us >= since_us)
        assert (await TableDay(live).since(since_us)).figures == wanted.figures
    early = LiveTable(setup, database)  # as it was before it was opened
    day, whole = TableDay(early), DayFold()
    assert (await day.since(0)).figures == DayFigures()
    await early.catch_up()
    whole.feed(entries)
    assert (await day.since(0)).figures == whole.figures


def test_rounds_an_hour_are_those_of_the_last_hour() -> None:
    fold, minute_us = DayFold(), HOUR_US // 60
    assert fold.rounds_an_hour(0) is None
    for at_us in accumulate([minute_us] * 90):
        fold.feed([opening(at_us)])
        if at_us < LEAST_US:
            assert fold.rounds_an_hour(at_us) is None
    assert fold.rounds_an_hour(90 * minute_us) == 61  # from the first of them, 59 minutes ago
    assert fold.rounds_an_hour(120 * minute_us) == 31
    assert fold.rounds_an_hour(151 * minute_us) is None
    assert fold.figures.rounds == 90


def opening(at_us: int) -> Entry:
    event = '{"event":"betting_opened.1","round":1,"last":false}'
    return Entry("t1/1", 1, at_us, "dora", "dealer", "c1", 0, "", None, event, "", "")
