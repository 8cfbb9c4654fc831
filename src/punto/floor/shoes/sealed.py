"""Sealed shoes: a commitment to their order is published before the first card, the order after the last."""

import hashlib
import logging
import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from msgspec import Struct

from punto.floor.database.base import Duplicate, Row, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.house_events import HouseEvent, ShoeNotAsSealed, ShoeRevealed, ShoeSealed, ShoeUnreadable
from punto.floor.journal.house_log import HouseLog
from punto.floor.journal.seal_index import find_seal
from punto.floor.secret_key import NotOpened, SecretKey
from punto.floor.shoes import card_lookup
from punto.floor.shoes.generator_check import Generator
from punto.floor.shoes.known_orders import known_orders
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.shoes.shuffle import SeededNumbers, shuffled
from punto.rules.coup.cards import Card, read_cards, write_cards
from punto.rules.refusals import Refused
from punto.table.records.commands import CashOut, Command, Leave, LoadShoe, OpenBetting
from punto.table.records.events import Event
from punto.table.records.names import MAX_NAME_LENGTH
from punto.table.records.positions import SUPERVISOR_UP
from punto.table.records.reports import ExchangeShoe, ReplaceShoe
from punto.table.records.state import Table

LOADING = (LoadShoe, ReplaceShoe, ExchangeShoe)
"""Commands that put a newly shuffled shoe on a table."""
_LOG = logging.getLogger(__name__)


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

SELECT_SHOES = "SELECT id, kind, nonce, cards, sealed FROM shoes"


class StoredShoe(Struct, frozen=True):
    """A sealed shoe as the database has it: encrypted, or in clear if an earlier release stored it."""

    id: str
    kind: str
    nonce: str
    cards: str
    sealed: bytes | None

    @classmethod
    def of(cls, row: Row) -> "StoredShoe":
        shoe, kind, nonce, cards, sealed = row
        return cls(str(shoe), str(kind), str(nonce), str(cards), None if sealed is None else bytes(sealed))

    def opened(self, key: SecretKey | None) -> tuple[str, str] | None:
        """Nonce and cards; None without the key that they were encrypted with, or if they were altered."""
        if self.sealed is None:
            return self.nonce, self.cards
        if key is None or self.nonce or self.cards:
            return None
        try:
            nonce, _, cards = key.open(self.sealed, _about(self.id)).decode().partition("\n")
        except NotOpened:
            return None
        return nonce, cards

    def order(self, published: ShoeSealed, key: SecretKey | None) -> tuple[Card, ...] | None:
        """The order; None if it cannot be opened or does not match the commitment."""
        opened = self.opened(key)
        return None if opened is None else checked_order(published, *opened)


def seal(transaction: Transaction, key: SecretKey, shoe: SealedShoe) -> None:
    """Store a sealed shoe. Each name can be used once."""
    row = (shoe.id, shoe.kind, "", "", _encrypted(key, shoe.id, shoe.nonce, write_cards(shoe.cards)))
    try:
        transaction.many("INSERT INTO shoes (id, kind, cards, nonce, sealed) VALUES (?, ?, ?, ?, ?)", [row])
    except Duplicate as error:
        raise FloorRefused(FloorCode.SHOE_NAME_TAKEN, variant="floor", shoe=shoe.id) from error


def encrypt_orders(transaction: Transaction, key: SecretKey) -> None:
    """Encrypt the orders that an earlier release stored in clear."""
    clear = [StoredShoe.of(row) for row in transaction.rows(f"{SELECT_SHOES} WHERE sealed IS NULL")]
    rows = [(_encrypted(key, shoe.id, shoe.nonce, shoe.cards), shoe.id) for shoe in clear]
    transaction.many("UPDATE shoes SET sealed = ?, cards = '', nonce = '' WHERE id = ?", rows)


def _encrypted(key: SecretKey, shoe: str, nonce: str, cards: str) -> bytes:
    return key.seal(f"{nonce}\n{cards}".encode(), _about(shoe))


def _about(shoe: str) -> bytes:
    return f"shoe {shoe}".encode()


def unseal(transaction: Transaction, key: SecretKey, shoe: str) -> tuple[SealedShoe | None, ShoeSealed | None]:
    """The shoe as it is stored, and its published commitment.

    Neither for a real shoe. No shoe if what is stored cannot be opened or does not match the commitment.
    """
    rows = transaction.rows(f"{SELECT_SHOES} WHERE id = ?", (shoe,))
    published = find_seal(transaction, shoe)
    if not rows or published is None:
        if rows or published is not None:
            return None, published or ShoeSealed(shoe, "", 0, "", "")
        return None, None
    stored = StoredShoe.of(rows[0])
    order, opened = stored.order(published, key), stored.opened(key)
    if order is None or opened is None or stored.kind != published.kind:
        return None, published
    return SealedShoe(shoe, ShoeKind(stored.kind), order, opened[0]), published


def checked_order(sealed: ShoeSealed, nonce: str, cards: str) -> tuple[Card, ...] | None:
    """The order of a shoe; None if it does not match the commitment or is not made of whole decks."""
    if commitment(nonce, cards) != sealed.commitment:
        return None
    try:
        order = tuple(card for card in read_cards(cards) if card is not None)
    except Refused:
        return None
    return order if Counter(order) == dict.fromkeys(Card, sealed.decks) else None


# ---- on a floor


def _altered(shoe: str) -> FloorRefused:
    return FloorRefused(FloorCode.SHOE_NOT_AS_SEALED, shoe=shoe)


@contextmanager
def _suppress_altered() -> Iterator[None]:
    """Go on where a shoe is not as it was sealed: that is on record already."""
    try:
        yield
    except FloorRefused as refused:
        if refused.code is not FloorCode.SHOE_NOT_AS_SEALED:
            raise


class SealedShoes:
    """The sealed shoes of a floor. For the runtime only."""

    def __init__(self, house_log: HouseLog, key: SecretKey, generator: Generator) -> None:
        self._house_log, self._database = house_log, house_log.database
        self._generator = generator
        self._key = key
        self._cache: dict[str, SealedShoe] = {}
        self._altered: set[str] = set()
        """Shoes whose stored order does not match their commitment."""
        self._unreadable: set[str] = set()
        """Shoes from before a restore whose key the floor does not have any more. They are ended at the next start."""

    async def find(self, name: str) -> SealedShoe | None:
        """A sealed shoe; None if it is a real one, or cannot be read since the floor was restored.

        Refused if its order is not the one that was sealed.
        """
        if name in self._altered:
            raise _altered(name)
        if name in self._unreadable:
            return None
        if name not in self._cache:
            sealed, published = await self._database.read(lambda transaction: unseal(transaction, self._key, name))
            if published is None:
                return None
            if sealed is None:
                if await self._database.read(lambda transaction: known_orders(transaction, [name])):
                    self._unreadable.add(name)
                    return None
                await self._report(name, published.table)
                raise _altered(name)
            self._cache[name] = sealed
        return self._cache[name]

    async def _report(self, name: str, table: str) -> None:
        self._altered.add(name)
        _LOG.error("the stored order of the shoe %r does not match its commitment; its table is stopped", name)
        await self._house_log.write(THE_HOUSE, ShoeNotAsSealed(name, table))

    async def squeezed(self, state: Table) -> dict[int, Card]:
        """By place, the cards that a player has squeezed and nobody has turned. For that player alone."""
        now = state.round
        if now is None:
            return {}
        cards: dict[int, Card] = {}
        for place in sorted(now.squeezed):
            if now.cards[place - 1] is None:
                with _suppress_altered():
                    if (sealed := await self.find(now.shoes[place - 1])) is not None:
                        cards[place] = sealed.cards[now.draws[place - 1]]
        return cards

    async def check_in_play(self, state: Table) -> None:
        """Check every shoe of a table, and record those that are not as they were sealed."""
        for name in sorted(card_lookup.in_play(state)):
            with _suppress_altered():
                await self.find(name)

    def altered(self, state: Table) -> str | None:
        """A shoe in play that is not as it was sealed. The table is stopped."""
        return min(card_lookup.in_play(state) & self._altered, default=None)

    def require_as_sealed(self, state: Table, command: Command) -> None:
        """At a stopped table, refuse everything but what leads out of it.

        Players may leave. Pit supervisors and above may end the round and take the shoe away, not start another round.
        """
        name = self.altered(state)
        if name is None or isinstance(command, Leave | CashOut):
            return
        if command.position not in SUPERVISOR_UP or isinstance(command, OpenBetting):
            raise _altered(name)

    def seal(self, transaction: Transaction, shoe: SealedShoe) -> None:
        """Store a newly shuffled shoe."""
        seal(transaction, self._key, shoe)

    def require_generator(self, kind: ShoeKind, command: Command) -> None:
        """Refuse a new round and a new shoe at a virtual table if the generator has failed. A round in play ends."""
        if kind is ShoeKind.VIRTUAL and isinstance(command, (OpenBetting, *LOADING)):
            self._generator.require_sound()

    async def shuffle_for(self, kind: ShoeKind, seed: str, command: Command) -> SealedShoe | None:
        """A newly shuffled shoe, if the command loads one. Refused if the generator fails its test."""
        if not isinstance(command, LOADING):
            return None
        if kind is ShoeKind.SEEDED:
            return seeded_shoe(command.shoe, command.decks, seed)
        await self._generator.check()
        self._generator.require_sound()
        return virtual_shoe(command.shoe, command.decks)

    async def reveal(self, table: str, before: Table, after: Table) -> list[HouseEvent]:
        """Events that reveal the shoes that are in play before but not after.

        A shoe that is not as it was sealed is on record as that, and cannot be revealed.
        """
        events = list[HouseEvent]()
        for name in sorted(card_lookup.in_play(before) - card_lookup.in_play(after)):
            with _suppress_altered():
                shoe = await self.find(name)
                if shoe is not None:
                    events.append(ShoeRevealed(shoe.id, shoe.nonce, write_cards(shoe.cards)))
                elif name in self._unreadable:
                    events.append(ShoeUnreadable(name, table))
        return events

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
