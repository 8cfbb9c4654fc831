"""Sealed shoes: a commitment to their order is published before the first card, the order after the last."""

import hashlib
import secrets
from collections import Counter
from typing import Any

from msgspec import Struct

from punto.floor.database.base import Duplicate, Row, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.projections.seals import find_seal
from punto.floor.journal.house_events import ShoeSealed
from punto.floor.runtime.sealed_shoes import add_order, seal_orders
from punto.floor.secret_key import NotOpened, SecretKey
from punto.floor.shoes.machine_orders import SealedBlock, read_block
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.shoes.shuffle import SeededNumbers, shuffled
from punto.rules.coup.cards import Card, read_cards, write_cards
from punto.rules.refusals import Refused
from punto.table.records.names import MAX_NAME_LENGTH


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

    @property
    def shoe(self) -> str:
        return self.id

    @property
    def decks(self) -> int:
        return len(self.cards) // len(Card)

    @property
    def text(self) -> str:
        return f"{self.nonce}\n{write_cards(self.cards)}"


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

    def block(self, published: ShoeSealed, key: SecretKey | None) -> SealedBlock | None:
        """The orders of a machine; None if they cannot be opened or do not match the commitment."""
        opened = self.opened(key)
        if opened is None:
            return None
        sealed = (published.shoe, self.kind, published.decks, published.block)
        block = read_block(*sealed, "\n".join(opened))
        return block if block is not None and block.commitment == published.commitment else None

    def is_as_sealed(self, published: ShoeSealed, key: SecretKey | None) -> bool:
        content = self.block(published, key) if published.orders else self.order(published, key)
        return self.kind == published.kind and content is not None


def seal(transaction: Transaction, key: SecretKey, shoe: SealedShoe | SealedBlock) -> None:
    """Store a sealed shoe, or a block of orders. Each name can be used once."""
    try:
        add_order(transaction, shoe.id, shoe.kind, key.seal(shoe.text.encode(), _about(shoe.id)))
    except Duplicate as error:
        raise FloorRefused(FloorCode.SHOE_NAME_TAKEN, variant="floor", shoe=shoe.id) from error


def encrypt_orders(transaction: Transaction, key: SecretKey) -> None:
    """Encrypt the orders that an earlier release stored in clear."""
    clear = [StoredShoe.of(row) for row in transaction.rows(f"{SELECT_SHOES} WHERE sealed IS NULL")]
    rows = [(key.seal(f"{shoe.nonce}\n{shoe.cards}".encode(), _about(shoe.id)), shoe.id) for shoe in clear]
    seal_orders(transaction, rows)


def _about(shoe: str) -> bytes:
    return f"shoe {shoe}".encode()


SealedOrders = SealedShoe | SealedBlock
"""One order, of a shoe, or those of a block of rounds."""


def unseal(transaction: Transaction, key: SecretKey, name: str) -> tuple[SealedOrders | None, ShoeSealed | None]:
    """The shoe or block as it is stored, and its published commitment.

    Neither for a real shoe. No shoe if what is stored cannot be opened or does not match the commitment.
    """
    rows = transaction.rows(f"{SELECT_SHOES} WHERE id = ?", (name,))
    published = find_seal(transaction, name)
    if not rows or published is None:
        if rows or published is not None:
            return None, published or ShoeSealed(name, "", 0, "", "")
        return None, None
    stored = StoredShoe.of(rows[0])
    if stored.kind != published.kind:
        return None, published
    if published.orders:
        return stored.block(published, key), published
    order, opened = stored.order(published, key), stored.opened(key)
    if order is None or opened is None:
        return None, published
    return SealedShoe(name, ShoeKind(stored.kind), order, opened[0]), published


def checked_order(sealed: ShoeSealed, nonce: str, cards: str) -> tuple[Card, ...] | None:
    """The order of a shoe; None if it does not match the commitment or is not made of whole decks."""
    if commitment(nonce, cards) != sealed.commitment:
        return None
    try:
        order = tuple(card for card in read_cards(cards) if card is not None)
    except Refused:
        return None
    return order if Counter(order) == dict.fromkeys(Card, sealed.decks) else None
