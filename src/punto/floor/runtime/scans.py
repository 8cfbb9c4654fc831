"""The tables ``scans`` and ``scan_reads``: of cards that may lie face down the journal has no more than commitments."""

from collections.abc import Sequence

from punto.floor.database.base import Transaction

Place = tuple[str, str, int]
"""Stream, shoe and draw."""


def add_scan(transaction: Transaction, place: Place, card: str, version: int, nonce: str) -> None:
    """Raises ``Duplicate`` if there is one of this place."""
    row = (*place, card, version, nonce)
    transaction.many("INSERT INTO scans (stream, shoe, draw, card, version, nonce) VALUES (?, ?, ?, ?, ?, ?)", [row])


def drop_scan(transaction: Transaction, place: Place) -> None:
    transaction.change("DELETE FROM scans WHERE stream = ? AND shoe = ? AND draw = ?", place)


def add_read(transaction: Transaction, row: Sequence[object]) -> None:
    """Stream, time, actor, shoe, draw, card and outcome."""
    columns = "stream, at_us, actor, shoe, draw, card, outcome"
    transaction.many(f"INSERT INTO scan_reads ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", [row])  # noqa: S608 - our own
