"""Rounds of a database to step through: found from near, on every database, also those of earlier releases."""

import asyncio
from pathlib import Path

import pytest

from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry
from punto.floor.journal.stream_name import StreamName
from punto.floor.reports.rounds import round_reader
from punto.floor.reports.rounds.round_reader import RoundReader, SteppedRound
from punto.floor.reports.rounds.round_steps import StepFold, TableAt
from punto.floor.running import live_table
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.upkeep.migration import migrate
from tests.floor.nights import Night, night
from tests.floor.round_steps import check_steps, each_round
from tests.floor.upgrades.old_floors import RELEASES
from tests.floor.upgrades.upgraded import put_old_floor
from tests.marks import rest_at_night


async def entries_of(database: Database) -> list[Entry]:
    """All entries of all tables, stream by stream."""
    heads = [head for name, head in (await database.read(streams.heads)).items() if StreamName.find(name)]
    return await database.read(lambda transaction: [e for head in heads for e in streams.read(transaction, head, 0)])


async def read_all_rounds(database: Database, reader: RoundReader) -> dict[tuple[str, int], SteppedRound]:
    """Every round, in the order of the links from one to the next."""
    found: dict[tuple[str, int], SteppedRound] = {}
    tables = await database.read(streams.openings)
    for table in sorted(tables):
        place: tuple[int, int] | None = (1, 0)
        before = None
        while place is not None:
            each = await reader.find(StreamName(table, place[0]), place[1])
            assert each.earlier == before
            found[f"{table}/{place[0]}", place[1]] = each
            before, place = place, each.later
    return found


def test_rounds_of_a_database_are_those_of_the_journal(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first entry or from a state that was kept, whatever the size of a page."""

    async def play(floor: Night) -> None:
        await floor.table("t1", shoes=ShoeKind.SEEDED, seed="steps")
        await floor.rounds("t1", 6)
        await floor.close("t1")
        await floor.open("t1")
        await floor.rounds("t1", 3)
        database = floor.floor.database
        wanted = {(each.record.stream, each.record.number): each for each in each_round(await entries_of(database))}
        assert len(wanted) == 11
        for page in (7, 1_000):
            monkeypatch.setattr(round_reader, "ENTRIES_A_PAGE", page)
            monkeypatch.setattr(round_reader, "ENTRIES_A_ROUND", page)
            reader = RoundReader(database)
            for _ in range(2):  # cold, then from what is kept
                found = await read_all_rounds(database, reader)
                assert {key: each.steps for key, each in found.items()} == wanted
        assert [await reader.last_opening_with("t1", number) for number in (0, 3, 4, 6)] == [2, 2, 1, 1]
        for opening, number in ((1, 7), (3, 0), (3, 1), (2, 4)):
            with pytest.raises(FloorRefused) as refused:
                await reader.find(StreamName("t1", opening), number)
            assert refused.value.code is FloorCode.UNKNOWN_ROUND
        for table, number in (("t1", 7), ("t2", 1), ("t2", 0)):
            with pytest.raises(FloorRefused) as refused:
                await reader.last_opening_with(table, number)
            assert refused.value.code is FloorCode.UNKNOWN_ROUND

    night(database_url, play)


def test_a_second_look_starts_near_the_round_and_what_is_kept_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_reader, "ENTRIES_A_PAGE", 20)
    monkeypatch.setattr(round_reader, "MAX_TABLES_KEPT", 4)
    pages: list[int] = []
    take = round_reader._take_page

    def counted(transaction: Transaction, head: streams.Head, fold: StepFold, limit: int) -> bool:
        pages.append(fold.at.version)
        return take(transaction, head, fold, limit)

    monkeypatch.setattr(round_reader, "_take_page", counted)

    async def play(floor: Night) -> None:
        await floor.table("t1", shoes=ShoeKind.SEEDED, seed="near")
        await floor.rounds("t1", 12)
        reader = RoundReader(floor.floor.database)
        first = await reader.find(StreamName("t1", 1), 12)
        cold = len(pages)
        assert pages[0] == 0
        assert cold > 6
        pages.clear()
        assert (await reader.find(StreamName("t1", 1), 12)).steps == first.steps
        assert pages == [first.steps.steps[0].entry.version - 1]
        assert len(reader._kept) == 4

    night(str(tmp_path / "floor.db"), play)


def test_the_snapshot_of_a_table_is_near_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_table, "ENTRIES_A_SNAPSHOT", 60)
    starts: list[int] = []
    start = RoundReader._nearest

    def noted(self: RoundReader, place: round_reader._Place) -> TableAt:
        at = start(self, place)
        starts.append(at.version)
        return at

    monkeypatch.setattr(RoundReader, "_nearest", noted)

    async def play(floor: Night) -> None:
        await floor.table("t1", shoes=ShoeKind.SEEDED, seed="snapshot")
        await floor.rounds("t1", 12)
        reader = RoundReader(floor.floor.database)
        last = await reader.find(StreamName("t1", 1), 12)
        (at,) = starts
        assert 0 < at < last.steps.steps[0].entry.version
        early = await reader.find(StreamName("t1", 1), 1)
        assert starts[1:] == [0]  # the snapshot is of a later time
        whole = list(each_round(await entries_of(floor.floor.database)))
        assert [early.steps, last.steps] == [whole[1], whole[12]]

    night(str(tmp_path / "floor.db"), play)


def test_too_many_strangers_who_wait_are_refused_and_staff_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_reader, "MAX_WAITING_READS", 2)

    async def play(floor: Night) -> None:
        await floor.table("t1")
        reader = RoundReader(floor.floor.database)
        looks = [asyncio.ensure_future(reader.find(StreamName("t1", 1), 0)) for _ in range(4)]
        await asyncio.sleep(0)  # they stand in line
        assert (await reader.find(StreamName("t1", 1), 0, staff=True)).later is None
        answers = await asyncio.gather(*looks, return_exceptions=True)
        refused = [each for each in answers if isinstance(each, FloorRefused)]
        assert [each.code for each in refused] == [FloorCode.BUSY]
        assert [each.later for each in answers if isinstance(each, SteppedRound)] == [None] * 3

    night(str(tmp_path / "floor.db"), play)


OLD = [f"{release} {game}" for release in ("0.2.0", "0.3.0") for game in RELEASES[release].books]


@pytest.mark.parametrize("old", rest_at_night(OLD, ("0.2.0 commission", "0.3.0 tiger-buffalo")))
def test_rounds_of_earlier_releases_are_stepped_through_too(old: str, tmp_path: Path) -> None:
    release, game = old.split()
    url = str(tmp_path / "moved.db")
    put_old_floor(url, RELEASES[release].schema, game, tmp_path, release)
    migrate(url)

    async def look(floor: Night) -> None:
        database = floor.floor.database
        found = await read_all_rounds(database, RoundReader(database))
        assert sum(each.steps.record.over for each in found.values()) > 5
        check_steps([step.entry for each in found.values() for step in each.steps.steps])

    night(url, look)
