"""An index of the entries in the house's stream that seal and reveal each shoe.

It is only an index: it has versions, and the content is always read from the entries.
"""

from collections.abc import Iterable

import msgspec

from punto.floor.database.base import Transaction
from punto.floor.journal.entry import text_start
from punto.floor.journal.house_events import HOUSE, HouseEvent, ShoeRevealed, ShoeSealed, read_house_event

Seal = tuple[ShoeSealed, ShoeRevealed | None]
SELECT_SEALS = "SELECT shoe, at_table, sealed, revealed FROM seals"
ENTRIES_A_SCAN = 2_000
"""Entries read in one query when the index is rebuilt."""

_KINDS = text_start(ShoeSealed), text_start(ShoeRevealed)


def index_event(transaction: Transaction, version: int, event: HouseEvent) -> None:
    """Index an event of the house if it seals or reveals a shoe."""
    if isinstance(event, ShoeSealed):
        row = (event.id, event.table, version)
        sql = "INSERT INTO seals (shoe, at_table, sealed, revealed) VALUES (?, ?, ?, 0) ON CONFLICT (shoe) DO NOTHING"
        transaction.change(sql, row)
    elif isinstance(event, ShoeRevealed):
        transaction.change("UPDATE seals SET revealed = ? WHERE shoe = ?", (version, event.shoe))


def rebuild_seal_index(transaction: Transaction) -> None:
    """Rebuild the index from the house's stream. Entries that cannot be read are skipped: the audit reports them."""
    after = 0
    while entries := transaction.rows(
        "SELECT e.version, e.event FROM entries AS e JOIN streams AS s ON s.id = e.stream"
        " WHERE s.name = ? AND e.version > ? ORDER BY e.version LIMIT ?",
        (HOUSE, after, ENTRIES_A_SCAN),
    ):
        for version, text in entries:
            if (event := _read(text)) is not None:
                index_event(transaction, version, event)
        after = entries[-1][0]


def find_seal(transaction: Transaction, shoe: str) -> ShoeSealed | None:
    """The published commitment of a shoe, or of a block by its ``seal_id``; None if there is none."""
    rows = transaction.rows(
        "SELECT e.event FROM seals AS p JOIN streams AS s ON s.name = ?"
        " JOIN entries AS e ON e.stream = s.id AND e.version = p.sealed WHERE p.shoe = ?",
        (HOUSE, shoe),
    )
    sealed = _read(rows[0][0]) if rows else None
    return sealed if isinstance(sealed, ShoeSealed) and sealed.id == shoe else None


def last_seals(transaction: Transaction, table: str, limit: int) -> list[Seal]:
    """The last sealed shoes of a table, newest first."""
    rows = transaction.rows(
        "SELECT e.event, r.event FROM seals AS p JOIN streams AS s ON s.name = ?"
        " JOIN entries AS e ON e.stream = s.id AND e.version = p.sealed"
        " LEFT JOIN entries AS r ON r.stream = s.id AND r.version = p.revealed"
        " WHERE p.at_table = ? ORDER BY p.sealed DESC LIMIT ?",
        (HOUSE, table, limit),
    )
    return list(_seals(table, rows))


def _seals(table: str, rows: Iterable[tuple[str, str | None]]) -> Iterable[Seal]:
    for sealed_text, revealed_text in rows:
        sealed, revealed = _read(sealed_text), _read(revealed_text or "")
        if isinstance(sealed, ShoeSealed) and sealed.table == table:
            yield sealed, revealed if isinstance(revealed, ShoeRevealed) and revealed.shoe == sealed.shoe else None


def _read(text: str) -> HouseEvent | None:
    if not text.startswith(_KINDS):
        return None
    try:
        return read_house_event(text)
    except msgspec.MsgspecError:
        return None
