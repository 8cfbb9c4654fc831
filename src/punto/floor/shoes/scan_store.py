"""Cards that a scanner has read of a real shoe, where only the runtime looks: as secret as a sealed order.

There is one only of a card that has been drawn: it is kept with its draw, in one transaction, or later than it.
"""

from typing import Any

from msgspec import Struct

from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.entry import tag
from punto.floor.journal.stream_name import StreamName
from punto.floor.shoes import card_lookup
from punto.floor.shoes.card_lookup import ShoePlace
from punto.rules.coup.cards import Card
from punto.table.records.commands import LoadShoe
from punto.table.records.positions import SUPERVISOR_UP, Position
from punto.table.records.reports import ReplaceShoe
from punto.table.records.state import Table

_LOADS = frozenset({tag(LoadShoe), tag(ReplaceShoe)})


class Scan(Struct, frozen=True):
    """A card as a scanner read it."""

    shoe: str
    draw: int
    """Its number in the shoe, counted from 1."""
    card: Card

    def __repr__(self) -> str:
        """Without the card: a log or a traceback is no place for one that lies face down."""
        return f"Scan({self.shoe!r}, {self.draw})"


class Kept(Struct, frozen=True):
    """What is kept of a scan."""

    card: Card
    version: int
    """The entry that came of it; 0 where none did."""

    def __repr__(self) -> str:
        """As above."""
        return f"Kept({self.version})"


def find_scan(transaction: Transaction, stream: StreamName, shoe: str, draw: int) -> Kept | None:
    """What was read as this card of a shoe of this opening."""
    sql = "SELECT card, version FROM scans WHERE stream = ? AND shoe = ? AND draw = ?"
    rows = transaction.rows(sql, (str(stream), shoe, draw))
    return Kept(Card(rows[0][0]), rows[0][1]) if rows else None


def keep_scan(transaction: Transaction, stream: StreamName, scan: Scan, version: int = 0) -> None:
    """A scan of a card that is drawn; ``Duplicate`` where there is one already."""
    row = (str(stream), scan.shoe, scan.draw, scan.card, version)
    transaction.many("INSERT INTO scans (stream, shoe, draw, card, version) VALUES (?, ?, ?, ?, ?)", [row])


class Scans:
    """What a floor knows of its real shoes by scanners. For the runtime alone."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def card(self, stream: StreamName, state: Table, place: ShoePlace | None) -> Card | None:
        """The card there; None where nobody has read it, or it is yet to be drawn."""
        shoe = state.shoe
        if place is None or (shoe is not None and shoe.id == place[0] and place[1] >= shoe.drawn):
            return None
        name, draw = place[0], place[1] + 1
        kept = await self._database.read(lambda transaction: find_scan(transaction, stream, name, draw))
        return kept.card if kept else None

    async def with_card(
        self, stream: StreamName, state: Table, position: Position, body: dict[str, Any]
    ) -> dict[str, Any]:
        """A command completed with the card that was scanned; who is above a dealer may name another one."""
        if str(body.get("command")) in _LOADS and position in SUPERVISOR_UP:
            await self._require_new(stream, body.get("shoe"))
        if not card_lookup.shows_card(body):
            return body
        named = body.get("card") is not None
        if named and position is not Position.DEALER:
            return body
        card = await self.card(stream, state, card_lookup.place_for_command(state, body))
        if card is None:
            return body
        if named:  # the same answer to the right card and to a wrong one: nobody finds out by guessing
            raise FloorRefused(FloorCode.CARD_SCANNED)
        return {**body, "card": card}

    async def _require_new(self, stream: StreamName, shoe: object) -> None:
        """A shoe that was scanned under this name would be taken for the new one."""
        sql = "SELECT 1 FROM scans WHERE stream = ? AND shoe = ? LIMIT 1"
        values = (str(stream), shoe if isinstance(shoe, str) else "")
        if await self._database.read(lambda transaction: transaction.rows(sql, values)):
            raise FloorRefused(FloorCode.SHOE_NAME_TAKEN, variant="table", shoe=values[1])
