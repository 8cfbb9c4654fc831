"""The database of an older release brought up to this one, with what its new tables take from the journal."""

from collections.abc import Mapping

from punto.floor.database import migrate_database
from punto.floor.database.schema import Filling
from punto.floor.journal.seal_index import find_places

FILLINGS: Mapping[int, Filling] = {2: find_places}
"""By the schema they start from: what is worked out from the journal once the tables of the next one are there."""


def migrate(url: str) -> tuple[int, int]:
    """Bring a database up to the schema of this release, while no floor runs on it; from which schema to which."""
    return migrate_database(url, FILLINGS)
