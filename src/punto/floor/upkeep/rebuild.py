"""Rebuilds the tables that are caches of the journal: `rounds`, `incidents` and `seals`."""

from msgspec import Struct

from punto.floor.database import change_alone
from punto.floor.database.base import Row, Transaction
from punto.floor.journal.incident_index import rebuild_incidents
from punto.floor.journal.round_index import rebuild_rounds
from punto.floor.journal.seal_index import SELECT_SEALS, rebuild_seal_index


class RebuiltTables(Struct, frozen=True):
    """Rows of each table."""

    rounds: int
    seals: int
    differed: int
    """Rows that were changed, added or deleted."""
    incidents: int = 0


def rebuild(url: str) -> RebuiltTables:
    """Rebuild the tables in one transaction. No floor may be running on the database."""
    return change_alone(url, _rebuild)


def _rebuild(transaction: Transaction) -> RebuiltTables:
    rounds, incidents = rebuild_rounds(transaction), rebuild_incidents(transaction)
    before = _seals(transaction)
    transaction.change("DELETE FROM seals")
    rebuild_seal_index(transaction)
    seals = _seals(transaction)
    differed = rounds.differed + incidents.differed + len({row[0] for row in before ^ seals})
    return RebuiltTables(rounds.rounds, len(seals), differed, incidents.incidents)


def _seals(transaction: Transaction) -> set[Row]:
    try:
        return set(transaction.rows(SELECT_SEALS))
    except UnicodeDecodeError:  # a damaged row: all of them count as different
        return set()
