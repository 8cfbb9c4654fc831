"""An index of the entries in the house's stream that seal and reveal each shoe.

It is only an index: it has versions, and the content is always read from the entries.
"""

from collections.abc import Iterable

import msgspec

from punto.floor.database.base import Transaction
from punto.floor.house.projection import Operation, Projection, Put, Update
from punto.floor.journal.entry import Entry, text_start
from punto.floor.journal.fault_codes import FaultCode
from punto.floor.journal.house_events import HOUSE, HouseEvent, ShoeRevealed, ShoeSealed, read_house_event

Seal = tuple[ShoeSealed, ShoeRevealed | None]
_KINDS = text_start(ShoeSealed), text_start(ShoeRevealed)


class SealsTable(Projection):
    table = "seals"
    thing = "shoe"
    fault = FaultCode.SEALS_DIFFER
    key = ("shoe",)
    derived = ("at_table", "sealed", "revealed")
    kinds = (ShoeSealed, ShoeRevealed)

    def apply(self, event: ShoeSealed | ShoeRevealed, entry: Entry) -> Iterable[Operation]:
        if isinstance(event, ShoeRevealed):
            yield Update({"shoe": event.shoe}, {"revealed": entry.version}, needed=False)
        else:
            yield Put({"shoe": event.id, "at_table": event.table, "sealed": entry.version, "revealed": 0}, anew=True)


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
