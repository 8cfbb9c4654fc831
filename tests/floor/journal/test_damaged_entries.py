"""A journal with a damaged entry: every reader of rounds refuses and names the stream and the entry."""

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from punto.floor.database.base import Database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.entry import Entry, write
from punto.floor.reports.export import What, export_rows
from punto.floor.reports.rounds.replay_round import replay_round
from punto.floor.settings.gaming_day import Period
from punto.table.records.events import BetWithdrawn
from punto.table.records.ledger import FELT, Posting, chips
from tests.floor.audit.forging import entries, is_a, retold, rewrite, tamper
from tests.floor.journals import reopened
from tests.floor.nights import opened
from tests.floor.reports.test_player_report import flat

STREAM = "t1/1"
POSTINGS = (Posting(FELT, -5_00), Posting(chips("eve"), 5_00))
NO_SUCH_BET = write(BetWithdrawn("eve", 7, "tie", 0, "eve", postings=POSTINGS))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A floor that is not running."""
    path = tmp_path_factory.mktemp("damaged") / "floor.db"
    reopened(str(path))
    return path


@pytest.fixture
def url(made: Path, tmp_path: Path) -> str:
    """A copy that the test may change."""
    return str(shutil.copyfile(made, tmp_path / "floor.db"))


def _export(what: What) -> Callable[[Database], object]:
    return lambda database: list(export_rows(database, what, Period(), flat)[1])


READERS: dict[str, Callable[[Database], object]] = {
    **{f"export {what}": _export(what) for what in What if what is not What.EXCEPTIONS},
    "replay": lambda database: replay_round(database, STREAM, 1),
    "replay of a later round": lambda database: replay_round(database, STREAM, 3),
}


def refused(url: str, reader: str, version: int) -> str:
    """The variant of the refusal, which must name this entry."""
    with opened(url) as database, pytest.raises(FloorRefused) as told:
        READERS[reader](database)
    refusal = told.value.refusal
    assert refusal.code is FloorCode.BAD_DATABASE
    assert f"entry {version} of {STREAM} " in refusal.message.lower()
    return refusal.variant


def first(url: str, tag: str) -> Entry:
    """The first entry of a kind."""
    return next(entry for entry in entries(url, STREAM) if is_a(entry, tag))


def put(url: str, entry: Entry, event: str | bytes, as_type: str = "?") -> None:
    """Write another event to an entry, directly in the database."""
    where = "version = ? AND stream = (SELECT id FROM streams WHERE name = ?)"
    tamper(url, (f"UPDATE entries SET event = {as_type} WHERE {where}", (event, entry.version, STREAM)))  # noqa: S608


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("tag", ["table_opened.1", "chips_bought.1", "ruled.1", "bet_placed.1", "round_settled.1"])
def test_money_that_does_not_balance_is_refused(url: str, reader: str, tag: str) -> None:
    """For every kind of event that moves money."""
    entry = first(url, tag)
    (account, amount), *others = msgspec.json.decode(entry.event)["postings"]
    put(url, entry, retold(entry, postings=[(account, amount + 1), *others]).event)
    assert refused(url, reader, entry.version) == "unbalanced"


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    ("event", "as_type"),
    [
        (b"\0\xff", "?"),
        (b"\0\xff", "CAST(? AS TEXT)"),
        (b'{"event":"betting_closed.1"}', "?"),
        ("", "?"),
        ("{}", "?"),
        ("7", "?"),
        ('{"event":"nothing.1"}', "?"),
        ('{"event":"bet_placed.1","who":7}', "?"),
    ],
)
def test_an_event_that_cannot_be_read_is_refused(url: str, reader: str, event: str | bytes, as_type: str) -> None:
    entry = first(url, "bet_placed.1")
    put(url, entry, event, as_type)
    assert refused(url, reader, entry.version) == "event"


@pytest.mark.parametrize("reader", READERS)
def test_an_event_that_cannot_have_happened_is_refused(url: str, reader: str) -> None:
    """An event about a bet that nobody placed, with new hashes."""
    entry = first(url, "bet_placed.1")
    rewrite(url, STREAM, lambda told: [replace(each, event=NO_SUCH_BET) if each == entry else each for each in told])
    assert refused(url, reader, entry.version) == "entry"
