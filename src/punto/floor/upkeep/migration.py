"""Migrates the database of an older release and fills its new tables from the journal."""

from collections.abc import Mapping

from punto.floor.clock import SystemClock
from punto.floor.database import migrate_database
from punto.floor.database.base import Transaction
from punto.floor.database.schema import Filling
from punto.floor.house.projections.seals import SealsTable
from punto.floor.house.projections.sessions import count_idle_from
from punto.floor.house.rebuild import rebuild_tables
from punto.floor.journal.round_index import rebuild_rounds
from punto.floor.people.players import reserve_names_like_ids
from punto.floor.upkeep.recording import record_migration, record_unrecorded


def _fill_seals(transaction: Transaction) -> None:
    rebuild_tables(transaction, [SealsTable()])


def _fill_people_and_rounds(transaction: Transaction) -> None:
    rebuild_rounds(transaction)
    reserve_names_like_ids(transaction)


def _fill_records_and_activity(transaction: Transaction) -> None:
    record_unrecorded(transaction)
    count_idle_from(transaction, SystemClock().now_us())


def _fill_schema_7(transaction: Transaction) -> None:
    rebuild_rounds(transaction)
    record_migration(transaction, 7)


def _fill_schema_8(transaction: Transaction) -> None:
    record_migration(transaction, 8)


FILLINGS: Mapping[int, Filling] = {
    2: _fill_seals,
    3: _fill_people_and_rounds,
    5: _fill_records_and_activity,
    6: _fill_schema_7,
    7: _fill_schema_8,
}
"""By the schema version that a migration starts from."""


def migrate(url: str) -> tuple[int, int]:
    """Migrate to the schema of this release; return the old and the new version. No floor may be running on it."""
    return migrate_database(url, FILLINGS)
