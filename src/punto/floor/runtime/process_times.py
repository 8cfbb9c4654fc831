"""When each process was last alive, so that the next one knows how long a table was without a server."""

from punto.floor.database.base import Transaction

_ALIVE = (
    "INSERT INTO processes (process, alive_us) VALUES (?, ?)"
    " ON CONFLICT (process) DO UPDATE SET alive_us = excluded.alive_us"
)


def record_alive(transaction: Transaction, process: str, now_us: int) -> None:
    transaction.change(_ALIVE, (process, now_us))


def last_alive_us(transaction: Transaction, process: str) -> int:
    """0 if it is not on record: it ran no table with a real shoe, or was of an earlier release."""
    rows = transaction.rows("SELECT alive_us FROM processes WHERE process = ?", (process,))
    return int(rows[0][0]) if rows else 0


def forget_stopped(transaction: Transaction) -> None:
    """Delete the processes from which every table has been taken over."""
    transaction.change("DELETE FROM processes WHERE process NOT IN (SELECT held_by FROM tables)")
