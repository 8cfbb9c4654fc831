"""Notes of the floor in the table ``meta`` that no event describes."""

from punto.floor.database.base import Transaction


def note_once(transaction: Transaction, name: str, value: str) -> bool:
    """Note something for good; return False if it is noted already."""
    sql = "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"
    return bool(transaction.change(sql, (name, value)))


def note_again(transaction: Transaction, name: str, value: str) -> None:
    """Take the place of an earlier note."""
    forget_notes(transaction, name)
    note_once(transaction, name, value)


def forget_notes(transaction: Transaction, *names: str) -> None:
    for name in names:
        transaction.change("DELETE FROM meta WHERE name = ?", (name,))


def try_to_write(transaction: Transaction) -> None:
    """Changes nothing, but goes to the disk."""
    transaction.change("UPDATE meta SET value = value WHERE name = 'schema'")
