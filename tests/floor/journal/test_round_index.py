"""The rows of ``rounds`` equal the projection of the journal: after each command, a migration and a rebuild."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

import apsw
import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from punto.cli import main
from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.database import Database, open_database, schema
from punto.floor.database.base import Row, Transaction
from punto.floor.journal import round_index, streams
from punto.floor.journal.entry import Entry, read_event, tag_of
from punto.floor.journal.round_index import COLUMNS, RoundRow, index_rounds, row_of
from punto.floor.journal.round_record import Conditions, RoundRecord
from punto.floor.journal.rounds import conditions_after, read_round
from punto.floor.upkeep.backup import backup, restore
from punto.floor.upkeep.migration import migrate
from punto.floor.upkeep.rebuild import rebuild
from tests.floor.audit.forging import tamper
from tests.floor.journals import JOURNALS, all_entries, reopened
from tests.floor.nights import Night, night, opened, small, troubled

SELECT = (
    f"SELECT s.name, {', '.join(f'r.{name}' for name in COLUMNS)} FROM rounds AS r JOIN streams AS s ON s.id = r.stream"  # noqa: S608, E501
)
ORDER = " ORDER BY s.id, r.number"
SCHEMA_3 = (
    "DROP TABLE rounds",
    "DROP TABLE players",
    "ALTER TABLE entries DROP COLUMN context",
    "UPDATE meta SET value = '3' WHERE name = 'schema'",
)
"""Remove what schema 4 added."""


def stored(url: str) -> list[Row]:
    """All rows, each with the name of its stream first."""
    with opened(url) as database:
        return database.reading(lambda transaction: transaction.rows(SELECT + ORDER)).result()


STARTS = ("betting_opened.1", "table_opened.1")


class Expected:
    """The rows of one stream, worked out from the entries of each round."""

    def __init__(self) -> None:
        self.rows: dict[int, RoundRow] = {}
        self._round: list[Entry] = []
        self._conditions = self._at_start = Conditions()

    def take(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._conditions = conditions_after(self._conditions, read_event(entry.event))
            if tag_of(entry) in STARTS:
                self._write_row()
                self._round, self._at_start = [], self._conditions
            self._round.append(entry)
        self._write_row()

    def _write_row(self) -> None:
        if not self._round:
            return
        record = read_round(self._round, self._at_start)
        if record.number or record.adjustments:
            self.rows[record.number] = in_row(record)


def in_row(record: RoundRecord) -> RoundRow:
    """The row of a record, checked against the description of its content."""
    row = row_of(record)
    assert row is not None
    assert row.record == (record if record.over else replace(record, cards=()))
    staked = sum(bet.stake_minor for bet in record.bets)
    assert (row.staked_minor, row.win_minor) == (staked, staked - sum(bet.returned_minor for bet in record.bets))
    return row


def expected(entries: Iterable[Entry]) -> list[tuple[str, RoundRow]]:
    """The rows of all streams."""
    found = []
    for stream, in_stream in groupby(entries, lambda entry: entry.stream):
        wanted = Expected()
        wanted.take(in_stream)
        found += [(stream, row) for row in wanted.rows.values()]
    return found


def same(rows: list[Row], wanted: list[tuple[str, RoundRow]]) -> bool:
    """Compare as the audit does."""
    return [(row[0], row[1]) for row in rows] == [(stream, row.number) for stream, row in wanted] and not any(
        row.differences(found[1:]) for found, (_, row) in zip(rows, wanted, strict=True)
    )


def entries_of(url: str) -> list[Entry]:
    with opened(url) as database:
        return all_entries(database)


@pytest.fixture(scope="module", params=JOURNALS)
def journal(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A floor with played rounds."""
    url = str(tmp_path_factory.mktemp("rounds") / "floor.db")
    JOURNALS[request.param](url)
    return url


# ---- in step with the journal


def _append_one_by_one(database: Database, entries: list[Entry]) -> None:
    """Write each command as the floor does, and compare the last row after it."""

    def work(transaction: Transaction) -> None:
        for stream, in_stream in groupby(entries, lambda entry: entry.stream):
            head, wanted = streams.create(transaction, stream), Expected()
            for _, command in groupby(in_stream, lambda entry: entry.command_id):
                new = list(command)
                head = streams.append(transaction, head, new)
                index_rounds(transaction, head, new)
                wanted.take(new)
                rows = transaction.rows(f"{SELECT} WHERE s.name = ? ORDER BY r.number DESC LIMIT 1", (stream,))
                assert same(rows, [(stream, row) for row in wanted.rows.values()][-1:]), (stream, new)

    database.writing(work).result()


def test_rows_follow_each_command(journal: str, tmp_path: Path) -> None:
    entries = entries_of(journal)
    database = open_database(str(tmp_path / "again.db"))
    _append_one_by_one(database, entries)
    database.close()
    rows = stored(str(tmp_path / "again.db"))
    assert same(rows, expected(entries))
    assert len(rows) > 5
    assert {row[0] for row in rows} == {entry.stream for entry in entries}


def test_the_floor_writes_the_rows(database_url: str) -> None:
    for play in (troubled, reopened):
        play(database_url)
    rows = stored(database_url)
    assert same(rows, expected(entries_of(database_url)))
    assert [row[1] for row in rows if row[0] == "t1/1"][0] == 0


def test_a_row_has_the_conditions_of_its_round(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    small(url)
    rows = [(row[0], msgspec.json.decode(row[-1])["conditions"]) for row in stored(url)]
    assert {
        (stream, conditions["book"], conditions["currency"], conditions["decks"]) for stream, conditions in rows
    } == {(stream, "commission-insurance", "SGD", 8) for stream in ("t1/1", "t1/2", "m1/1")}
    shoes = [conditions["shoe"] for _, conditions in rows]
    assert len(shoes) == 7
    assert len(set(shoes)) == 4
    assert "" not in shoes


def test_a_row_in_play_shows_no_cards(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    small(url)
    in_play = {row[0]: row for row in stored(url)}["m1/1"]
    record = msgspec.json.decode(in_play[-1], type=RoundRecord)
    assert (record.cards, record.bets, record.ended_us) == ((), (), 0)
    assert (
        dict(zip(("stream", *COLUMNS), in_play, strict=True)).items()
        >= {
            "at_table": "m1",
            "number": 1,
            "outcome": "",
            "staked_minor": 0,
            "win_minor": 0,
            "opened_by": "house",
        }.items()
    )


def test_a_round_is_written_only_when_its_row_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = str(tmp_path / "floor.db")
    written: list[str] = []
    real = round_index._write_rows  # noqa: SLF001

    def counting(transaction: Transaction, stream: int, rows: Iterable[RoundRow]) -> None:
        listed = list(rows)
        written.append(" ".join(f"{row.number}{row.outcome and '+'}" for row in listed))
        real(transaction, stream, listed)

    monkeypatch.setattr(round_index, "_write_rows", counting)

    async def play(floor: Night) -> None:
        await floor.table("t1")
        await floor.rounds("t1", 2)

    night(url, play)
    assert written == ["1", "1+", "1+ 2", "2+"]


@pytest.mark.parametrize("damage", ["'{'", "'{}'", "CAST(x'ff' AS TEXT)"])
def test_a_damaged_row_does_not_stop_the_table(tmp_path: Path, damage: str) -> None:
    url = str(tmp_path / "floor.db")
    small(url)
    tamper(url, (f"UPDATE rounds SET record = {damage}", ()))  # noqa: S608

    async def play(floor: Night) -> None:
        await floor.rounds("t1", 2)

    night(url, play)
    entries = entries_of(url)
    with opened(url) as database:
        last = database.reading(lambda tx: tx.rows(f"{SELECT} WHERE s.name = 't1/2' ORDER BY r.number DESC LIMIT 1"))
        assert same(last.result(), [each for each in expected(entries) if each[0] == "t1/2"][-1:])
    rebuild(url)
    assert same(stored(url), expected(entries))


# ---- made again


def _to_schema_3(url: str) -> None:
    tamper(url, *((sql, ()) for sql in SCHEMA_3))


def test_a_migration_fills_the_table(journal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_index, "ROUNDS_A_PAGE", 3)
    monkeypatch.setattr(round_index, "ENTRIES_A_PAGE", 50)
    url, kept = str(tmp_path / "older.db"), stored(journal)
    with opened(journal) as database:
        database.copy_to(url)
    _to_schema_3(url)
    assert migrate(url) == (3, schema.VERSION)
    assert stored(url) == kept
    assert len(kept) > 5


def test_a_migration_fills_the_table_of_a_server(postgres_url: str) -> None:
    troubled(postgres_url)
    kept = stored(postgres_url)
    _to_schema_3(postgres_url)
    migrate(postgres_url)
    assert stored(postgres_url) == kept


def test_a_rebuild_repairs_every_row(journal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_index, "ROUNDS_A_PAGE", 3)
    url, kept = str(tmp_path / "floor.db"), stored(journal)
    with opened(journal) as database:
        database.copy_to(url)
    assert (rebuild(url).rounds, rebuild(url).differed) == (len(kept), 0)
    tamper(
        url,
        ("UPDATE rounds SET win_minor = win_minor + 1 WHERE number = 2", ()),
        ("DELETE FROM rounds WHERE number = 4", ()),
        ("UPDATE rounds SET stream = 1 WHERE number = 5", ()),
        ("UPDATE rounds SET number = -7 WHERE id = (SELECT min(id) FROM rounds)", ()),
    )
    assert rebuild(url).differed >= 6
    assert stored(url) == kept
    assert rebuild(url).differed == 0
