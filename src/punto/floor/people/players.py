"""The house's register of players."""

from punto.floor.database.base import Transaction


def registered(transaction: Transaction, number: int) -> bool:
    """Whether there is a player with this number who was not erased."""
    return bool(transaction.rows("SELECT 1 FROM players WHERE number = ? AND name IS NOT NULL", (number,)))
