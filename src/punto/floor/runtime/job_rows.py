"""Changes of the table ``jobs``: how far each is changes without an event; what came of it is in the house's stream."""

from collections.abc import Mapping

from punto.floor.database.base import Transaction

RUNNING = "running"


def add_row(transaction: Transaction, row: Mapping[str, object]) -> None:
    columns, marks = ", ".join(row), ", ".join("?" * len(row))
    transaction.change(f"INSERT INTO jobs ({columns}) VALUES ({marks})", tuple(row.values()))  # noqa: S608 - our own


def change_running(transaction: Transaction, job: str, values: Mapping[str, object]) -> bool:
    """Return False if the job does not run any more."""
    setting = ", ".join(f"{column} = ?" for column in values)
    sql = f"UPDATE jobs SET {setting} WHERE id = ? AND state = ?"  # noqa: S608 - our own names
    return transaction.change(sql, (*values.values(), job, RUNNING)) > 0


def forget_file(transaction: Transaction, job: str) -> None:
    transaction.change("UPDATE jobs SET file_until_us = 0 WHERE id = ?", (job,))


def forget_ended(transaction: Transaction, before_us: int) -> None:
    transaction.change("DELETE FROM jobs WHERE state <> ? AND ended_us < ?", (RUNNING, before_us))
