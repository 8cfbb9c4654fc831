"""Cards that a scanner read from a real shoe. They are as secret as a sealed order: only the runtime reads them.

``scans`` has the drawn cards, stored in the same transaction as the draw, or later. The house's stream has a commitment
to each, so that none can be changed unseen before it is turned. ``scan_reads`` has every read, also those that were
refused.
"""

from enum import StrEnum
from hashlib import sha256
from secrets import token_hex
from typing import Any

from msgspec import Struct

from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.writer import append_house
from punto.floor.journal.entry import CommandRecord, tag
from punto.floor.journal.house_events import CardScanned
from punto.floor.journal.stream_name import StreamName
from punto.floor.runtime.scans import add_read, add_scan, drop_scan
from punto.floor.shoes import card_lookup
from punto.floor.shoes.card_lookup import ShoePlace
from punto.rules.coup.cards import Card
from punto.table.records.commands import LoadShoe
from punto.table.records.events import Event
from punto.table.records.findings import CardCorrected
from punto.table.records.names import is_name
from punto.table.records.positions import SUPERVISOR_UP, Position
from punto.table.records.reports import ReplaceShoe
from punto.table.records.state import Table

_LOADS = frozenset({tag(LoadShoe), tag(ReplaceShoe)})


class Scan(Struct, frozen=True):
    shoe: str
    draw: int
    """Number of the card in the shoe, counted from 1."""
    card: Card

    def __repr__(self) -> str:
        """Leave out the card: it may be face down and must not get into logs or tracebacks."""
        return f"Scan({self.shoe!r}, {self.draw})"


class ScanResult(StrEnum):
    """What happened to a scanned card."""

    TAKEN = "taken"
    """Dealt, stored for a face-down card, or burned face up."""
    BURNED = "burned"
    """Burned face down."""
    KNOWN = "known"
    """The table already had it."""
    RAISED = "raised"
    """Not taken yet: the table found an irregularity, and a supervisor has to resolve it."""


class StoredScan(Struct, frozen=True):
    card: Card
    version: int
    """The entry that the scan led to; 0 if none."""

    def __repr__(self) -> str:
        """Leave out the card, as above."""
        return f"StoredScan({self.version})"


def find_scan(transaction: Transaction, stream: StreamName, shoe: str, draw: int) -> StoredScan | None:
    """The scan of a card of a shoe in this opening."""
    sql = "SELECT card, version FROM scans WHERE stream = ? AND shoe = ? AND draw = ?"
    rows = transaction.rows(sql, (str(stream), shoe, draw))
    return StoredScan(Card(rows[0][0]), rows[0][1]) if rows else None


def store_scan(
    transaction: Transaction, stream: StreamName, scan: Scan, record: CommandRecord, version: int = 0
) -> None:
    """Store the scan of a drawn card and commit to it. Raises ``Duplicate`` if it already exists."""
    place, nonce = (str(stream), scan.shoe, scan.draw), token_hex(32)
    add_scan(transaction, place, scan.card, version, nonce)
    append_house(transaction, record, CardScanned(*place, scan_commitment(nonce, *place, scan.card, version)))


def scan_commitment(nonce: str, stream: str, shoe: str, draw: int, card: str, version: int) -> str:
    """SHA-256 over all of these, one per line."""
    return sha256("\n".join(map(str, (nonce, stream, shoe, draw, card, version))).encode()).hexdigest()


def forget_undrawn(transaction: Transaction, stream: StreamName, event: Event) -> None:
    """Delete the scan of a card that was never drawn after all: the next card gets its draw."""
    if isinstance(event, CardCorrected) and event.card is None:
        drop_scan(transaction, (str(stream), event.shoe, event.draw + 1))


class ScanRead(Struct, frozen=True):
    """A scan that somebody posted, and what became of it."""

    stream: StreamName
    actor: str
    scan: Scan
    outcome: str
    """A ``ScanResult``, or the code of the refusal."""

    @property
    def shoe(self) -> str:
        """The name of the shoe; empty if it cannot be one."""
        return self.scan.shoe if is_name(self.scan.shoe) else ""


def is_kept(transaction: Transaction, read: ScanRead) -> bool:
    """Whether the last read of this card was the same, with the same outcome: a bridge repeats it until it is taken."""
    rows = transaction.rows(
        "SELECT actor, card, outcome FROM scan_reads WHERE stream = ? AND shoe = ? AND draw = ?"
        " ORDER BY id DESC LIMIT 1",
        (str(read.stream), read.shoe, read.scan.draw),
    )
    return bool(rows) and rows[0] == (read.actor, read.scan.card, read.outcome)


def keep_read(transaction: Transaction, read: ScanRead, at_us: int) -> None:
    scan = read.scan
    row = (str(read.stream), at_us, read.actor, read.shoe, scan.draw, scan.card, read.outcome)
    add_read(transaction, row)


class Scans:
    """The scans of a floor. For the runtime only."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def card(self, stream: StreamName, state: Table, place: ShoePlace | None) -> Card | None:
        """The card at a place; None if it was not scanned or not drawn yet."""
        shoe = state.shoe
        if place is None or (shoe is not None and shoe.id == place[0] and place[1] >= shoe.drawn):
            return None
        name, draw = place[0], place[1] + 1
        stored = await self._database.read(lambda transaction: find_scan(transaction, stream, name, draw))
        return stored.card if stored else None

    async def with_card(
        self, stream: StreamName, state: Table, position: Position, body: dict[str, Any]
    ) -> dict[str, Any]:
        """Complete a command with the scanned card. Supervisors and above may name a different card."""
        if str(body.get("command")) in _LOADS and position in SUPERVISOR_UP:
            await self._require_new(stream, body.get("shoe"))
        if position is Position.DEALER and card_lookup.is_correction(body):
            place = (str(body.get("shoe")), draw) if type(draw := body.get("draw")) is int else None
            if await self.card(stream, state, place) is not None:
                raise FloorRefused(FloorCode.CARD_SCANNED)
        if not card_lookup.shows_card(body):
            return body
        named = body.get("card") is not None
        if named and position is not Position.DEALER:
            return body
        card = await self.card(stream, state, card_lookup.place_for_command(state, body))
        if card is None:
            return body
        if named:  # the same answer for a right and a wrong card, so guessing reveals nothing
            raise FloorRefused(FloorCode.CARD_SCANNED)
        return {**body, "card": card}

    async def _require_new(self, stream: StreamName, shoe: object) -> None:
        """Refuse a shoe name that already has scans, which would be taken for the new shoe's."""
        sql = "SELECT 1 FROM scans WHERE stream = ? AND shoe = ? LIMIT 1"
        values = (str(stream), shoe if isinstance(shoe, str) else "")
        if await self._database.read(lambda transaction: transaction.rows(sql, values)):
            raise FloorRefused(FloorCode.SHOE_NAME_TAKEN, variant="table", shoe=values[1])
