"""Rebuilds the tables that are caches of the journal: rounds, incidents, and what follows from the house's stream."""

from msgspec import Struct

from punto.floor.database import change_alone
from punto.floor.database.base import Transaction
from punto.floor.house.rebuild import rebuild_tables
from punto.floor.journal.incident_index import rebuild_incidents
from punto.floor.journal.round_index import rebuild_rounds


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
    differed = rounds.differed + incidents.differed + rebuild_tables(transaction)
    ((seals,),) = transaction.rows("SELECT count(*) FROM seals")
    return RebuiltTables(rounds.rounds, seals, differed, incidents.incidents)
