"""Sealed shoes: their order is committed to before the first card, and revealed when they are over."""

import hashlib
import secrets
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from punto.floor.database.base import Database, Duplicate, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.house_events import HouseEvent, ShoeRevealed
from punto.floor.shoes import card_lookup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.shoes.shuffle import SeededNumbers, shuffled
from punto.rules.coup.cards import Card, read_cards, write_cards
from punto.table.records.commands import Command, LoadShoe
from punto.table.records.events import Event
from punto.table.records.names import MAX_NAME_LENGTH
from punto.table.records.reports import ReplaceShoe
from punto.table.records.state import Table


class SealedShoe(Struct, frozen=True):
    """A shoe whose order is fixed and that nobody but the runtime may look into."""

    id: str
    kind: ShoeKind
    cards: tuple[Card, ...]
    nonce: str

    def __repr__(self) -> str:
        """Without what is sealed: a log or a traceback is no place for it."""
        return f"SealedShoe({self.id!r}, {self.kind.value}, {len(self.cards)} cards)"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """As above, for those who print in colours."""
        return [("id", self.id), ("kind", self.kind)]

    @property
    def commitment(self) -> str:
        """What is published before the first card."""
        return commitment(self.nonce, write_cards(self.cards))


def commitment(nonce: str, cards: str) -> str:
    """SHA-256 over the nonce, a line end, and the cards as written, in the order in which they will be drawn."""
    return hashlib.sha256(f"{nonce}\n{cards}".encode()).hexdigest()


def virtual_shoe(shoe: str, decks: int) -> SealedShoe:
    """Shuffled and sealed by the operating system's randomness."""
    return SealedShoe(shoe, ShoeKind.VIRTUAL, shuffled(decks, secrets.randbelow), secrets.token_hex(32))


def seeded_shoe(shoe: str, decks: int, seed: str) -> SealedShoe:
    """The same order for the same seed and name. For tests and training alone."""
    numbers = SeededNumbers(f"{seed}\n{shoe}".encode())
    return SealedShoe(shoe, ShoeKind.SEEDED, shuffled(decks, numbers.below), numbers.hex())


def shoe_name(table: str, opening: int, version: int) -> str:
    """The name of a shoe that a table loads by itself: no other table's, and no other opening's."""
    name = f"{table} {opening}-{version}"
    if len(name) <= MAX_NAME_LENGTH:
        return name
    mark = hashlib.sha256(table.encode()).hexdigest()[:12]
    return f"{table[: MAX_NAME_LENGTH - 14 - len(name) + len(table)]}~{mark} {opening}-{version}"


# ---- in the database


def seal(transaction: Transaction, shoe: SealedShoe) -> None:
    """Put a shoe where only the runtime looks; a name serves once."""
    row = (shoe.id, shoe.kind, write_cards(shoe.cards), shoe.nonce)
    try:
        transaction.many("INSERT INTO shoes (id, kind, cards, nonce) VALUES (?, ?, ?, ?)", [row])
    except Duplicate as error:
        raise FloorRefused(FloorCode.SHOE_NAME_TAKEN, variant="floor", shoe=shoe.id) from error


def unseal(transaction: Transaction, shoe: str) -> SealedShoe | None:
    """A shoe that was sealed, if there is one of that name."""
    rows = transaction.rows("SELECT id, kind, cards, nonce FROM shoes WHERE id = ?", (shoe,))
    return _sealed(*rows[0]) if rows else None


def _sealed(shoe: str, kind: str, cards: str, nonce: str) -> SealedShoe:
    order = tuple(card for card in read_cards(cards) if card is not None)
    return SealedShoe(shoe, ShoeKind(kind), order, nonce)


# ---- on a floor


class SealedShoes:
    """The sealed shoes of a floor. For the runtime alone."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache: dict[str, SealedShoe] = {}

    async def find(self, name: str) -> SealedShoe | None:
        """A sealed shoe; None for a real one."""
        if name not in self._cache:
            found = await self._database.read(lambda transaction: unseal(transaction, name))
            if found is None:
                return None
            self._cache[name] = found
        return self._cache[name]

    @staticmethod
    def loaded(kind: ShoeKind, seed: str, command: Command) -> SealedShoe | None:
        """The shoe that a command brings to a table, shuffled now."""
        if not isinstance(command, LoadShoe | ReplaceShoe):
            return None
        if kind is ShoeKind.SEEDED:
            return seeded_shoe(command.shoe, command.decks, seed)
        return virtual_shoe(command.shoe, command.decks)

    async def over(self, before: Table, after: Table) -> list[HouseEvent]:
        """The shoes that are over between two states of a table, with all that was sealed of them."""
        names = sorted(card_lookup.in_play(before) - card_lookup.in_play(after))
        shoes = [await self.find(name) for name in names]
        return [ShoeRevealed(shoe.id, shoe.nonce, write_cards(shoe.cards)) for shoe in shoes if shoe is not None]

    def forget(self, events: Sequence[HouseEvent]) -> None:
        """Shoes that are over are not needed any more."""
        for event in events:
            if isinstance(event, ShoeRevealed):
                self._cache.pop(event.shoe, None)

    async def with_card(self, state: Table, body: dict[str, Any]) -> dict[str, Any]:
        """A command completed with the card that the shoe has there."""
        if not card_lookup.shows_card(body):
            return body
        place = card_lookup.place_for_command(state, body)
        shoe = await self.find(place[0]) if place else None
        if place is None or shoe is None or place[1] >= len(shoe.cards):
            return card_lookup.without_card(body)
        return {**body, "card": shoe.cards[place[1]]}

    async def check(self, state: Table, event: Event) -> None:
        """Refuse a card that is not the one in the shoe, whoever shows it; ``state`` as it was before the event."""
        for name, draw, card in card_lookup.shown(state, event):
            shoe = await self.find(name)
            if shoe is None or draw >= len(shoe.cards) or shoe.cards[draw] is not card:
                raise FloorRefused(FloorCode.NOT_THE_SEALED_CARD, variant="other_card", card=card)
