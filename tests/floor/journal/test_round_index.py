"""The rows of ``rounds`` equal the projection of the journal: after each command, a migration and a rebuild."""

from collections.abc import Callable, Iterable
from itertools import chain, groupby
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from punto.cli import main
from punto.floor.audit.verify import verify
from punto.floor.database import open_database, schema
from punto.floor.database.base import Database, Row, Transaction
from punto.floor.journal import round_index, streams
from punto.floor.journal.entry import Entry, read_event, tag, tag_of
from punto.floor.journal.round_index import COLUMNS, RoundRow, index_rounds, row_of
from punto.floor.journal.round_marks import RoundFacts
from punto.floor.journal.round_record import Conditions, RoundRecord
from punto.floor.journal.rounds import conditions_after, read_round
from punto.floor.upkeep.backup import backup
from punto.floor.upkeep.migration import migrate
from punto.floor.upkeep.rebuild import rebuild
from tests.floor.audit.forging import tamper
from tests.floor.earlier_schemas import make_older
from tests.floor.journals import EVERY_JOURNAL, JOURNALS, all_entries, reopened
from tests.floor.nights import DORA, SID, Night, night, opened, small, troubled
from tests.floor.restoring import restored

SELECT = (
    f"SELECT s.name, {', '.join(f'r.{name}' for name in COLUMNS)} FROM rounds AS r JOIN streams AS s ON s.id = r.stream"  # noqa: S608
)
ORDER = " ORDER BY s.id, r.number"


def stored(url: str) -> list[Row]:
    """All rows, each with the name of its stream first."""
    with opened(url) as database:
        return database.reading(lambda transaction: transaction.rows(SELECT + ORDER)).result()


STARTS = ("betting_opened.1", "table_opened.1")
CHANGING = frozenset((*STARTS, *map(tag, round_index._CHANGING)))


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
            self.rows[record.number] = in_row(record, facts_of(self._round))


def facts_of(entries: list[Entry]) -> RoundFacts:
    """What the entries of a round add to its marks, up to the end of the last command that changes its row."""
    facts, known = RoundFacts(), 0
    commands = [list(group) for _, group in groupby(entries, lambda entry: entry.command_id)]
    for number, command in enumerate(commands, 1):
        if any(tag_of(entry) in CHANGING for entry in command):
            known = number
    for entry in chain(*commands[:known]):
        facts.take(entry, read_event(entry.event))
    return facts


def in_row(record: RoundRecord, facts: RoundFacts) -> RoundRow:
    """The row of a record, checked against the description of its content."""
    row = row_of(record, facts)
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


@pytest.fixture(scope="module", params=EVERY_JOURNAL)
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


@pytest.mark.sweep
def test_rows_follow_each_command(journal: str, tmp_path: Path) -> None:
    entries = entries_of(journal)
    database = open_database(str(tmp_path / "again.db"))
    _append_one_by_one(database, entries)
    database.close()
    rows = stored(str(tmp_path / "again.db"))
    assert same(rows, expected(entries))
    assert len(rows) > 5
    assert {row[0] for row in rows} == {entry.stream for entry in entries}


@pytest.mark.parametrize(("play", "first"), [(troubled, 1), (reopened, 0)])
def test_the_floor_writes_the_rows(database_url: str, play: Callable[[str], None], first: int) -> None:
    play(database_url)
    rows = stored(database_url)
    assert same(rows, expected(entries_of(database_url)))
    assert rows[0][:2] == ("t1/1", first)


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
    real = round_index._write_rows

    def counting(transaction: Transaction, stream: int, rows: Iterable[RoundRow]) -> None:
        listed = list(rows)
        written.append(" ".join(f"{row.number}{row.outcome and '+'}" for row in listed))
        real(transaction, stream, listed)

    monkeypatch.setattr(round_index, "_write_rows", counting)

    async def play(floor: Night) -> None:
        await floor.table("t1")
        await floor.rounds("t1", 2)

    night(url, play)
    assert written == ["1", "1+", "2", "2+"]


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


@pytest.mark.sweep
def test_a_migration_fills_the_table(journal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_index, "ROUNDS_A_PAGE", 3)
    monkeypatch.setattr(round_index, "ENTRIES_A_PAGE", 50)
    url, kept = str(tmp_path / "older.db"), stored(journal)
    with opened(journal) as database:
        database.copy_to(url)
    make_older(url, 3)
    assert migrate(url) == (3, schema.VERSION)
    assert stored(url) == kept
    assert len(kept) > 5


@pytest.mark.slow
def test_a_migration_fills_the_table_of_a_server(postgres_url: str) -> None:
    troubled(postgres_url)
    kept = stored(postgres_url)
    make_older(postgres_url, 3)
    migrate(postgres_url)
    assert stored(postgres_url) == kept


@pytest.mark.sweep
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
        ("UPDATE rounds SET stream = 1 WHERE id = (SELECT max(id) FROM rounds WHERE number = 5)", ()),
        ("UPDATE rounds SET number = -7 WHERE id = (SELECT min(id) FROM rounds)", ()),
    )
    assert rebuild(url).differed >= 6
    assert stored(url) == kept
    assert rebuild(url).differed == 0


def test_a_rebuild_skips_entries_that_cannot_be_read(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    troubled(url)
    kept = stored(url)
    damage = "UPDATE entries SET event = {} WHERE stream = (SELECT id FROM streams WHERE name = 't1/1') AND version = ?"
    settled = [entry.version for entry in entries_of(url) if tag_of(entry) == "round_settled.1"]
    tamper(
        url,
        (damage.format("'{'"), settled[:1]),
        (damage.format("x'00'"), settled[1:2]),
        (damage.format("CAST(x'ff' AS TEXT)"), settled[2:3]),
    )
    assert rebuild(url).differed == 3
    rows = stored(url)
    differing = [now for now, before in zip(rows, kept, strict=True) if now != before]
    assert [dict(zip(("stream", *COLUMNS), row, strict=True))["outcome"] for row in differing] == ["", "", ""]


def test_punto_rebuild(database_url: str) -> None:
    small(database_url)
    tamper(
        database_url,
        ("UPDATE rounds SET outcome = 'lost' WHERE number = 5", ()),
        ("UPDATE seals SET revealed = 0", ()),
        ("DELETE FROM rounds WHERE number = 2", ()),
    )
    done = CliRunner().invoke(main, ["rebuild", "--db", database_url])
    assert (done.exit_code, done.output) == (0, "7 rounds, 0 incidents and 3 shoes; 4 rows differed.\n")
    tamper(database_url, ("UPDATE rounds SET outcome = 'lost' WHERE number = 5", ()))
    done = CliRunner().invoke(main, ["rebuild", "--db", database_url])
    assert (done.exit_code, done.output) == (0, "7 rounds, 0 incidents and 3 shoes; 1 row differed.\n")
    done = CliRunner().invoke(main, ["rebuild", "--db", database_url, "--json"])
    counts = {"rounds": 7, "seals": 3, "differed": 0, "incidents": 0}
    assert (done.exit_code, msgspec.json.decode(done.output)) == (0, counts)
    with opened(database_url) as database:
        assert verify(database).sound


def test_punto_rebuild_waits_for_the_floor_to_end(database_url: str) -> None:
    database = open_database(database_url)
    assert database.enter()
    done = CliRunner().invoke(main, ["rebuild", "--db", database_url])
    assert done.exit_code == 2
    assert "Another server already uses this database" in done.stderr
    database.close()
    assert CliRunner().invoke(main, ["rebuild", "--db", database_url]).exit_code == 0


def test_punto_rebuild_refuses_an_older_database(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    small(url)
    make_older(url, 3)
    done = CliRunner().invoke(main, ["rebuild", "--db", url, "--json"])
    assert done.exit_code == 2
    assert '"code": "database_older"' in done.output


@pytest.mark.parametrize("older", [False, True])
def test_a_restored_floor_has_its_rounds(database_url: str, tmp_path: Path, older: bool) -> None:  # noqa: FBT001
    source, kept = str(tmp_path / "source.db"), tmp_path / "kept.db"
    troubled(source)
    with opened(source) as database:
        backup(database, kept)
    if older:
        make_older(str(kept), 3)
    restored(kept, database_url)
    assert stored(database_url) == stored(source)
    night(database_url, _one_more)
    assert same(stored(database_url), expected(entries_of(database_url)))
    assert len(stored(database_url)) == len(stored(source)) + 1


async def _one_more(floor: Night) -> None:
    await floor.do(SID, "t1", "rule.1", reason="the backup was restored", effect="void")
    await floor.do(DORA, "t1", "open_betting.1")
