"""The 52 cards of a deck, and faces: a card, or its rank alone. The books define their values."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from punto.rules.refusals import Code, Refused

RANKS = "A23456789TJQK"
SUITS = "shdc"

FACE_DOWN = "??"
"""A card that nobody has seen."""


class _Written(StrEnum):
    """Written as a rank, mostly with a suit. Members are strings, also in JSON."""

    @property
    def rank(self) -> str:
        """The rank: one of ``A23456789TJQK``."""
        return self[0]

    @property
    def suit(self) -> str:
        """The suit: ``s``, ``h``, ``d`` or ``c``; empty for a rank alone."""
        return self[1:]


class Card(_Written):
    """A card, written as rank and suit."""

    ACE_SPADES = "As"
    TWO_SPADES = "2s"
    THREE_SPADES = "3s"
    FOUR_SPADES = "4s"
    FIVE_SPADES = "5s"
    SIX_SPADES = "6s"
    SEVEN_SPADES = "7s"
    EIGHT_SPADES = "8s"
    NINE_SPADES = "9s"
    TEN_SPADES = "Ts"
    JACK_SPADES = "Js"
    QUEEN_SPADES = "Qs"
    KING_SPADES = "Ks"
    ACE_HEARTS = "Ah"
    TWO_HEARTS = "2h"
    THREE_HEARTS = "3h"
    FOUR_HEARTS = "4h"
    FIVE_HEARTS = "5h"
    SIX_HEARTS = "6h"
    SEVEN_HEARTS = "7h"
    EIGHT_HEARTS = "8h"
    NINE_HEARTS = "9h"
    TEN_HEARTS = "Th"
    JACK_HEARTS = "Jh"
    QUEEN_HEARTS = "Qh"
    KING_HEARTS = "Kh"
    ACE_DIAMONDS = "Ad"
    TWO_DIAMONDS = "2d"
    THREE_DIAMONDS = "3d"
    FOUR_DIAMONDS = "4d"
    FIVE_DIAMONDS = "5d"
    SIX_DIAMONDS = "6d"
    SEVEN_DIAMONDS = "7d"
    EIGHT_DIAMONDS = "8d"
    NINE_DIAMONDS = "9d"
    TEN_DIAMONDS = "Td"
    JACK_DIAMONDS = "Jd"
    QUEEN_DIAMONDS = "Qd"
    KING_DIAMONDS = "Kd"
    ACE_CLUBS = "Ac"
    TWO_CLUBS = "2c"
    THREE_CLUBS = "3c"
    FOUR_CLUBS = "4c"
    FIVE_CLUBS = "5c"
    SIX_CLUBS = "6c"
    SEVEN_CLUBS = "7c"
    EIGHT_CLUBS = "8c"
    NINE_CLUBS = "9c"
    TEN_CLUBS = "Tc"
    JACK_CLUBS = "Jc"
    QUEEN_CLUBS = "Qc"
    KING_CLUBS = "Kc"


if TYPE_CHECKING:  # to the type checker a face is a card: a rank alone stands wherever a card does
    Face = Card
else:
    Face = _Written("Face", {**{card.name: card.value for card in Card}, **{f"RANK_{rank}": rank for rank in RANKS}})
    """What a table is told of a card: one of the 52 cards, or one of the 13 ranks. Equal to the card it names."""


def may_be(face: Face, card: Card) -> bool:
    """Whether the face is this card's, or its rank alone.

    >>> may_be(Face("9"), Card("9s")), may_be(Face("9h"), Card("9s"))
    (True, False)
    """
    return face in (card, card.rank)


CARDS: dict[str, Card] = {str(card): card for card in Card}


def read_card(text: str) -> Card:
    """The card written as ``text``.

    >>> read_card("Td")
    <Card.TEN_DIAMONDS: 'Td'>
    """
    card = CARDS.get(text)
    if card is None:
        raise not_a_card(text)
    return card


def not_a_card(text: str) -> Refused:
    """The refusal for a text that is not a card."""
    return Refused(Code.NOT_A_CARD, text=text[:40], ranks=RANKS, suits=SUITS)


def read_cards(text: str) -> tuple[Card | None, ...]:
    """The cards in ``text``, separated by spaces; ``??`` is a card face down."""
    return tuple(None if word == FACE_DOWN else read_card(word) for word in text.split())


def write_cards(cards: Sequence[Card | None]) -> str:
    """The inverse of :func:`read_cards`."""
    return " ".join(FACE_DOWN if card is None else card for card in cards)
