"""Migrates the database of an older release and fills its new tables from the journal."""

from collections.abc import Mapping

from punto.floor.database import migrate_database
from punto.floor.database.schema import Filling
from punto.floor.journal.seal_index import rebuild_seal_index

FILLINGS: Mapping[int, Filling] = {2: rebuild_seal_index}
"""Run after the migration that starts from their schema version."""


def migrate(url: str) -> tuple[int, int]:
    """Migrate to the schema of this release; return the old and the new version. No floor may be running on it."""
    return migrate_database(url, FILLINGS)
