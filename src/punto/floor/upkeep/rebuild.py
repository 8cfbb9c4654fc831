"""Rebuilds the tables that are caches of the journal: `rounds` and `seals`."""

from msgspec import Struct

from punto.floor.database import change_alone
from punto.floor.database.base import Row, Transaction
from punto.floor.journal.round_index import rebuild_rounds
from punto.floor.journal.seal_index import SELECT_SEALS, rebuild_seal_index


class RebuiltTables(Struct, frozen=True):
    """Rows of each table."""

    rounds: int
    seals: int
    differed: int
    """Rows that were changed, added or deleted."""


def rebuild(url: str) -> RebuiltTables:
    """Rebuild both tables in one transaction. No floor may be running on the database."""
    return change_alone(url, _rebuild)


def _rebuild(transaction: Transaction) -> RebuiltTables:
    rounds = rebuild_rounds(transaction)
    before = _seals(transaction)
    transaction.change("DELETE FROM seals")
    rebuild_seal_index(transaction)
    seals = _seals(transaction)
    return RebuiltTables(rounds.rounds, len(seals), rounds.differed + len({row[0] for row in before ^ seals}))


def _seals(transaction: Transaction) -> set[Row]:
    try:
        return set(transaction.rows(SELECT_SEALS))
    except UnicodeDecodeError:  # a damaged row: all of them count as different
        return set()
