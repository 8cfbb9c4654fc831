"""The table ``shoes``: sealed orders, to which the house's stream has commitments until they are revealed."""

from collections.abc import Iterable

from punto.floor.database.base import Transaction


def add_order(transaction: Transaction, shoe: str, kind: str, sealed: bytes) -> None:
    """Raises ``Duplicate`` if the name was used before."""
    row = (shoe, kind, "", "", sealed)
    transaction.many("INSERT INTO shoes (id, kind, cards, nonce, sealed) VALUES (?, ?, ?, ?, ?)", [row])


def seal_orders(transaction: Transaction, sealed: Iterable[tuple[bytes, str]]) -> None:
    """Orders that an earlier release stored in clear, with the name of the shoe."""
    transaction.many("UPDATE shoes SET sealed = ?, cards = '', nonce = '' WHERE id = ?", sealed)
