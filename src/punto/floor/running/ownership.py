"""Who runs a table, and what he who takes it over from a process that is gone has to do."""

from punto.floor.database.base import Transaction
from punto.floor.errors import VersionConflict
from punto.floor.journal.house_events import TableRecovered
from punto.floor.journal.streams import Head
from punto.floor.running.live_table import LiveTable
from punto.rules.topics import Topic
from punto.table.records.positions import Position
from punto.table.records.reports import ReportInterruption
from punto.table.records.state import Phase


def claim_of(table: str) -> str:
    """By what name the clock of a table is claimed."""
    return f"table {table}"


def held_by(transaction: Transaction, table: str) -> str:
    """The process that last ran the table."""
    rows = transaction.rows("SELECT held_by FROM tables WHERE name = ?", (table,))
    return str(rows[0][0])


def hold(transaction: Transaction, table: str, process: str) -> None:
    """From now on this one does."""
    transaction.change("UPDATE tables SET held_by = ? WHERE name = ?", (process, table))


def require_end(transaction: Transaction, head: Head) -> None:
    """The stream still ends there, and nobody appends to it before the commit."""
    sql = "UPDATE streams SET version = version WHERE id = ? AND version = ? AND hash = ?"
    if not transaction.change(sql, (head.key, head.version, head.hash)):
        raise VersionConflict(head.stream)


def recovered(live: LiveTable) -> TableRecovered | None:
    """What the house writes down of it; nothing of a table that is closed."""
    if live.head is None or live.state.phase is Phase.CLOSED:
        return None
    return TableRecovered(live.stream, live.head.version, _round_open(live))


def interruption(live: LiveTable, by: str) -> ReportInterruption | None:
    """The interruption of the round that is open there, if the book has a clause on that."""
    if not _round_open(live) or not live.rules.topics[Topic.INTERRUPTION]:
        return None
    return ReportInterruption(by, Position.HOUSE, "the table was taken over")


def _round_open(live: LiveTable) -> bool:
    return live.state.phase in (Phase.BETTING, Phase.DEALING)
