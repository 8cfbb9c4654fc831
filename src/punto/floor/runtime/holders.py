"""Which process holds a table."""

from punto.floor.database.base import Transaction


def note_holder(transaction: Transaction, table: str, process: str) -> None:
    transaction.change("UPDATE tables SET held_by = ? WHERE name = ?", (process, table))
