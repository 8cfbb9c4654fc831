"""Sealed shoes: a commitment to their order is published before the first card, the order after the last."""

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
    """A shoe with a fixed order that only the runtime may read."""

    id: str
    kind: ShoeKind
    cards: tuple[Card, ...]
    nonce: str

    def __repr__(self) -> str:
        """Leave out the cards and the nonce: they must not get into logs or tracebacks."""
        return f"SealedShoe({self.id!r}, {self.kind.value}, {len(self.cards)} cards)"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Leave them out for Rich too."""
        return [("id", self.id), ("kind", self.kind)]

    @property
    def commitment(self) -> str:
        return commitment(self.nonce, write_cards(self.cards))


def commitment(nonce: str, cards: str) -> str:
    """SHA-256 over the nonce, a newline and the cards in drawing order."""
    return hashlib.sha256(f"{nonce}\n{cards}".encode()).hexdigest()


def virtual_shoe(shoe: str, decks: int) -> SealedShoe:
    """A shoe shuffled with the operating system's random numbers."""
    return SealedShoe(shoe, ShoeKind.VIRTUAL, shuffled(decks, secrets.randbelow), secrets.token_hex(32))


def seeded_shoe(shoe: str, decks: int, seed: str) -> SealedShoe:
    """The same order for the same seed and name. For tests and training only."""
    numbers = SeededNumbers(f"{seed}\n{shoe}".encode())
    return SealedShoe(shoe, ShoeKind.SEEDED, shuffled(decks, numbers.below), numbers.hex())


def shoe_name(table: str, opening: int, version: int) -> str:
    """A name for a shoe that a table loads by itself, unique over all tables and openings."""
    name = f"{table} {opening}-{version}"
    if len(name) <= MAX_NAME_LENGTH:
        return name
    digest = hashlib.sha256(table.encode()).hexdigest()[:12]
    return f"{table[: MAX_NAME_LENGTH - 14 - len(name) + len(table)]}~{digest} {opening}-{version}"


# ---- in the database


def seal(transaction: Transaction, shoe: SealedShoe) -> None:
    """Store a sealed shoe. Each name can be used once."""
    row = (shoe.id, shoe.kind, write_cards(shoe.cards), shoe.nonce)
    try:
        transaction.many("INSERT INTO shoes (id, kind, cards, nonce) VALUES (?, ?, ?, ?)", [row])
    except Duplicate as error:
        raise FloorRefused(FloorCode.SHOE_NAME_TAKEN, variant="floor", shoe=shoe.id) from error


def unseal(transaction: Transaction, shoe: str) -> SealedShoe | None:
    """The sealed shoe of a name; None if there is none."""
    rows = transaction.rows("SELECT id, kind, cards, nonce FROM shoes WHERE id = ?", (shoe,))
    return _sealed(*rows[0]) if rows else None


def _sealed(shoe: str, kind: str, cards: str, nonce: str) -> SealedShoe:
    order = tuple(card for card in read_cards(cards) if card is not None)
    return SealedShoe(shoe, ShoeKind(kind), order, nonce)


# ---- on a floor


class SealedShoes:
    """The sealed shoes of a floor. For the runtime only."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache: dict[str, SealedShoe] = {}

    async def find(self, name: str) -> SealedShoe | None:
        """A sealed shoe; None if the shoe is a real one."""
        if name not in self._cache:
            sealed = await self._database.read(lambda transaction: unseal(transaction, name))
            if sealed is None:
                return None
            self._cache[name] = sealed
        return self._cache[name]

    @staticmethod
    def shuffle_for(kind: ShoeKind, seed: str, command: Command) -> SealedShoe | None:
        """A newly shuffled shoe, if the command loads one."""
        if not isinstance(command, LoadShoe | ReplaceShoe):
            return None
        if kind is ShoeKind.SEEDED:
            return seeded_shoe(command.shoe, command.decks, seed)
        return virtual_shoe(command.shoe, command.decks)

    async def reveal(self, before: Table, after: Table) -> list[HouseEvent]:
        """Events that reveal the shoes that are in play before but not after."""
        names = sorted(card_lookup.in_play(before) - card_lookup.in_play(after))
        shoes = [await self.find(name) for name in names]
        return [ShoeRevealed(shoe.id, shoe.nonce, write_cards(shoe.cards)) for shoe in shoes if shoe is not None]

    def forget(self, events: Sequence[HouseEvent]) -> None:
        """Drop revealed shoes from the cache."""
        for event in events:
            if isinstance(event, ShoeRevealed):
                self._cache.pop(event.shoe, None)

    async def with_card(self, state: Table, body: dict[str, Any]) -> dict[str, Any]:
        """Complete a command with the card from the shoe."""
        if not card_lookup.shows_card(body):
            return body
        place = card_lookup.place_for_command(state, body)
        shoe = await self.find(place[0]) if place else None
        if place is None or shoe is None or place[1] >= len(shoe.cards):
            return card_lookup.without_card(body)
        return {**body, "card": shoe.cards[place[1]]}

    async def check(self, state: Table, event: Event) -> None:
        """Refuse an event with a card that differs from the shoe. ``state`` is the table before the event."""
        for name, draw, card in card_lookup.cards_shown(state, event):
            shoe = await self.find(name)
            if shoe is None or draw >= len(shoe.cards) or shoe.cards[draw] != card:
                raise FloorRefused(FloorCode.NOT_THE_SEALED_CARD, variant="other_card", card=card)
