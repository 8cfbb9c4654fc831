"""Shoes: shuffled without bias, sealed under a commitment, revealed when they are over."""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from punto.floor.database.base import Duplicate, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.running.table_setup import ShoeKind
from punto.rules.coup.cards import Card, read_cards, write_cards
from punto.table.moves.next_step import AutomaticStep, needs_card
from punto.table.records.commands import BurnCards, DealCard, TurnCard
from punto.table.records.events import CardsBurned, CardTurned, Event
from punto.table.records.findings import CardsDrawnOutOfTurn
from punto.table.records.names import MOST_NAME
from punto.table.records.reports import ReportFaceUpCard
from punto.table.records.settings import Automation
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


def shuffled(decks: int, below: Callable[[int], int]) -> tuple[Card, ...]:
    """Fisher and Yates: every order is as likely as every other if ``below`` is fair."""
    cards = [card for card in Card for _ in range(decks)]
    for last in range(len(cards) - 1, 0, -1):
        other = below(last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    return tuple(cards)


def virtual_shoe(shoe: str, decks: int) -> SealedShoe:
    """Shuffled and sealed by the operating system's randomness."""
    return SealedShoe(shoe, ShoeKind.VIRTUAL, shuffled(decks, secrets.randbelow), secrets.token_hex(32))


def seeded_shoe(shoe: str, decks: int, seed: str) -> SealedShoe:
    """The same order for the same seed and name. For tests and training alone."""
    stream = _Stream(f"{seed}\n{shoe}".encode())
    return SealedShoe(shoe, ShoeKind.SEEDED, shuffled(decks, stream.below), stream.hex())


class _Stream:
    """Numbers from a seed, by HMAC over a counter; fair by rejection, like the real thing."""

    def __init__(self, seed: bytes) -> None:
        self._seed, self._count = seed, 0

    def _next(self) -> bytes:
        self._count += 1
        return hmac.digest(self._seed, self._count.to_bytes(8, "big"), "sha256")

    def below(self, bound: int) -> int:
        most = (1 << 64) // bound * bound
        while (drawn := int.from_bytes(self._next()[:8], "big")) >= most:
            pass
        return drawn % bound

    def hex(self) -> str:
        return self._next().hex()


# ---- where they lie


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


def shoe_name(table: str, opening: int, version: int) -> str:
    """The name of a shoe that a table loads by itself: no other table's, and no other opening's."""
    name = f"{table} {opening}-{version}"
    if len(name) <= MOST_NAME:
        return name
    mark = hashlib.sha256(table.encode()).hexdigest()[:12]
    return f"{table[: MOST_NAME - 14 - len(name) + len(table)]}~{mark} {opening}-{version}"


# ---- the card that a step or a command needs, and the cards that an event shows


def wanted(table: Table, step: AutomaticStep) -> tuple[str, int] | None:
    """Of which shoe the how manieth card a step needs."""
    now = table.round
    if step.automation is Automation.TURN and now is not None:
        return now.shoes[step.place - 1], now.draws[step.place - 1]
    if step.automation is Automation.DEAL:
        return _next(table)
    return None if table.shoe is None else (table.shoe.id, table.shoe.drawn)


def _next(table: Table) -> tuple[str, int] | None:
    """Where the card is that is dealt next."""
    if table.carried:
        return table.carried[0].shoe, table.carried[0].draw
    return None if table.shoe is None else (table.shoe.id, table.shoe.drawn)


_SHOWS = {str(kind.__struct_config__.tag): kind for kind in (BurnCards, DealCard, TurnCard, ReportFaceUpCard)}
"""The commands that say which card it is, by their tags."""


def refuse_named_cards(body: Mapping[str, Any]) -> None:
    """Nobody names a card of a sealed shoe: whoever might guess could find out what the next one is not."""
    cards = body.get("cards")
    if body.get("card") is not None or (isinstance(cards, list | tuple) and any(card is not None for card in cards)):
        raise FloorRefused(FloorCode.NOT_THE_SEALED_CARD, variant="named")


def shows_card(body: Mapping[str, Any]) -> bool:
    """A command that has to say which card it is."""
    return str(body.get("command")) in _SHOWS


def without_card(body: Mapping[str, Any]) -> dict[str, Any]:
    """A command where there is no card: the table refuses it before it looks at one."""
    return {**body, "card": None if _SHOWS[body["command"]] is DealCard else Card.ACE_SPADES}


def asked_for(table: Table, body: Mapping[str, Any]) -> tuple[str, int] | None:
    """Of which shoe the how manieth card a command shows."""
    kind, now, place = _SHOWS.get(str(body.get("command"))), table.round, body.get("place")
    if kind is DealCard:
        return _next(table) if table.settings is not None and needs_card(table) else None
    if kind is BurnCards:
        return None if table.shoe is None else (table.shoe.id, table.shoe.drawn)
    if kind is None or now is None or type(place) is not int or not 0 < place <= len(now.shoes):
        return None
    return now.shoes[place - 1], now.draws[place - 1]


def shown(table: Table, event: Event) -> list[tuple[str, int, Card]]:
    """Of which shoe the how manieth card an event shows, and as what; ``table`` as it was before the event."""
    now = table.round
    if isinstance(event, CardTurned) and now is not None:
        return [(now.shoes[event.place - 1], now.draws[event.place - 1], event.card)]
    if isinstance(event, CardsBurned):
        return [(event.shoe, 0, event.card)]
    if isinstance(event, CardsDrawnOutOfTurn) and table.shoe is not None:
        drawn = enumerate(event.cards, table.shoe.drawn)
        return [(event.shoe, at, card) for at, card in drawn if card is not None]
    return []


def in_play(table: Table) -> set[str]:
    """The shoes whose cards lie on the table or may still come to it."""
    now = table.round
    names = {shoe.id for shoe in (table.shoe, table.next_shoe) if shoe is not None}
    names |= {carried.shoe for carried in table.carried}
    if now is not None and not now.over:
        names |= {*now.shoes, *(shoe.id for shoe in now.irregularities.replaced)}
    return names
