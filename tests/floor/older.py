"""Turns a floor that today's code wrote into one of an earlier schema."""

from collections.abc import Sequence

from msgspec.structs import replace

from punto.floor.database import open_database, schema
from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import NO_PREVIOUS_HASH, Entry, digest

_NEW_IN: dict[int, Sequence[str]] = {
    2: ("DROP TABLE scans",),
    3: ("DROP TABLE seals",),
    4: ("ALTER TABLE entries DROP COLUMN context", "DROP TABLE players", "DROP TABLE rounds"),
}
"""Takes away what a schema added."""


def make_older(url: str, version: int) -> None:
    """Take the database back to a schema version. Entries lose their context and are chained anew as at that time."""
    database = open_database(url, create=False)
    try:
        if version < 4:
            database.writing(_chain_without_context).result()
        for newer in range(schema.VERSION, version, -1):
            for statement in _NEW_IN[newer]:
                database.writing(lambda transaction, sql=statement: transaction.change(sql)).result()  # type: ignore[misc]
        sql = "UPDATE meta SET value = ? WHERE name = 'schema'"
        database.writing(lambda transaction: transaction.change(sql, (str(version),))).result()
    finally:
        database.close()


def _chain_without_context(transaction: Transaction) -> None:
    for head in streams.heads(transaction).values():
        before, entries = NO_PREVIOUS_HASH, list[Entry]()
        for entry in streams.read(transaction, head, 0, head.version):
            bare = replace(entry, context="")
            before = digest(before, bare)
            entries.append(replace(bare, hash=before))
        transaction.many(
            "UPDATE entries SET context = '', hash = ? WHERE stream = ? AND version = ?",
            [(entry.hash, head.key, entry.version) for entry in entries],
        )
        transaction.change("UPDATE streams SET hash = ? WHERE id = ?", (before, head.key))
