"""Cards that a scanner has read of a real shoe, where only the runtime looks: as secret as a sealed order.

There is one only of a card that has been drawn: it is kept with its draw, in one transaction, or later than it.
"""

from typing import Any

import msgspec
from msgspec import Struct

from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorCode, FloorRefused, id_taken
from punto.floor.journal import streams
from punto.floor.journal.entry import tag
from punto.floor.running.live_table import LiveTable
from punto.floor.running.table_setup import ShoeKind
from punto.floor.shoes import sealed_shoe
from punto.rules.coup.cards import Card
from punto.table.records.commands import LoadShoe
from punto.table.records.positions import SUPERVISOR_UP, Position
from punto.table.records.reports import ReplaceShoe

_LOADS = frozenset({tag(LoadShoe), tag(ReplaceShoe)})


class Scan(Struct, frozen=True):
    """A card as a scanner read it: of which shoe, and the how manieth of it, from 1 on."""

    shoe: str
    draw: int
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


def find_scan(transaction: Transaction, stream: str, shoe: str, draw: int) -> Kept | None:
    """What was read as this card of a shoe of this opening."""
    sql = "SELECT card, version FROM scans WHERE stream = ? AND shoe = ? AND draw = ?"
    rows = transaction.rows(sql, (stream, shoe, draw))
    return Kept(Card(rows[0][0]), rows[0][1]) if rows else None


def keep_scan(transaction: Transaction, stream: str, scan: Scan, version: int = 0) -> None:
    """A scan of a card that is drawn; ``Duplicate`` where there is one already."""
    row = (stream, scan.shoe, scan.draw, scan.card, version)
    transaction.many("INSERT INTO scans (stream, shoe, draw, card, version) VALUES (?, ?, ?, ?, ?)", [row])


class Scans:
    """What a floor knows of its real shoes by scanners. For the runtime alone."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def card(self, live: LiveTable, where: tuple[str, int] | None) -> Card | None:
        """The card there, the first of a shoe being 0; None where nobody has read it, or it is yet to be drawn."""
        shoe = live.state.shoe
        if where is None or (shoe is not None and shoe.id == where[0] and where[1] >= shoe.drawn):
            return None
        stream, name, draw = live.stream, where[0], where[1] + 1
        kept = await self._database.read(lambda transaction: find_scan(transaction, stream, name, draw))
        return kept.card if kept else None

    async def with_card(
        self, live: LiveTable, position: Position, command_id: str, body: dict[str, Any]
    ) -> dict[str, Any]:
        """Of a card that was scanned the scan says what it is, unless the pit says otherwise."""
        if live.setup.shoes is not ShoeKind.MANUAL:
            return body
        if str(body.get("command")) in _LOADS and position in SUPERVISOR_UP:
            await self._require_new(live.stream, command_id, body.get("shoe"))
        if not sealed_shoe.shows_card(body):
            return body
        named = body.get("card") is not None
        if named and position is not Position.DEALER:
            return body
        card = await self.card(live, sealed_shoe.asked_for(live.state, body))
        if named and card is None:
            return body
        if told := await self._accepted(command_id):
            if any(told.get(name) != value for name, value in body.items() if name != "card" or named):
                raise id_taken(command_id)
            return {**body, "card": told.get("card")}
        if named:  # the same answer to the right card and to a wrong one: nobody finds out by guessing
            raise FloorRefused(FloorCode.CARD_SCANNED)
        return body if card is None else {**body, "card": card}

    async def _accepted(self, command_id: str) -> dict[str, Any]:
        """The command that was accepted with this id before, if any was."""
        before = await self._database.read(lambda transaction: streams.accepted(transaction, command_id))
        told: dict[str, Any] = msgspec.json.decode(before[0].command or "{}") if before else {}
        return told

    async def _require_new(self, stream: str, command_id: str, shoe: object) -> None:
        """A shoe that was scanned under this name would be taken for the new one."""
        sql = "SELECT 1 FROM scans WHERE stream = ? AND shoe = ? LIMIT 1"
        values = (stream, shoe if isinstance(shoe, str) else "")
        if await self._database.read(lambda transaction: transaction.rows(sql, values)):
            if await self._accepted(command_id):
                return
            raise FloorRefused(FloorCode.SHOE_NAME_TAKEN, variant="table", shoe=values[1])
