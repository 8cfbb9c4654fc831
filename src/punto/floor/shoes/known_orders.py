"""Shoes whose order somebody may know: those sealed before the floor was restored from a backup.

What happened after the backup is not in the restored floor, but people saw it. Perhaps the shoe was revealed.
"""

from collections.abc import Iterable

from punto.floor.database.base import Transaction
from punto.floor.runtime.notes import note_again
from punto.table.records.state import Table

RESTORED_KEY = "restored"
"""In the table `meta`: the version of the house's entry that recorded the last restore. It stays for ever."""


def mark_restored(transaction: Transaction, version: int) -> None:
    note_again(transaction, RESTORED_KEY, str(version))


def was_restored(transaction: Transaction) -> bool:
    return bool(_restored_at(transaction))


def known_orders(transaction: Transaction, shoes: Iterable[str]) -> set[str]:
    """Which of these shoes were sealed before the last restore."""
    sql, restored_at = "SELECT shoe FROM seals WHERE shoe = ? AND sealed < ?", _restored_at(transaction)
    return {shoe for shoe in shoes if transaction.rows(sql, (shoe, restored_at))}


def _restored_at(transaction: Transaction) -> int:
    """The version of the house's entry that recorded the last restore; 0 if there was none."""
    rows = transaction.rows("SELECT value FROM meta WHERE name = ?", (RESTORED_KEY,))
    return int(rows[0][0]) if rows else 0


def shoes_to_come(table: Table) -> set[str]:
    """Shoes with cards that nobody has seen and that can still be drawn or turned."""
    now = table.round
    names = {shoe.id for shoe in (table.shoe, table.next_shoe) if shoe is not None}
    names |= {carried.shoe for carried in table.carried if carried.card is None}
    if now is not None and not now.over:
        names |= {shoe for shoe, card in zip(now.shoes, now.cards, strict=True) if card is None}
    return names
