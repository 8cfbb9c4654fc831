"""What a command would lead to, before it is given."""

from typing import Any

from punto.catalogue.sentence import Language
from punto.rules.refusals import Clause
from punto.table.consequences import Balance, Chooser, Finished, MovedMoney, PossibleOrder
from punto.table.records.findings import Hands
from punto.table.records.positions import Position
from punto.table.situation import Then
from punto.web.messages.base import Message, RequestBody


class PreviewRequest(RequestBody, frozen=True, omit_defaults=True):
    """A command to look at. Nothing is kept and nothing changes."""

    command: dict[str, Any]
    """As in a command."""
    happened_at: str | None = None
    """As in a command."""


class ConsequencesView(Message, frozen=True):
    """What would follow for the people at the table. It never has a card that nobody has seen."""

    positions: tuple[Position, ...]
    """Who may give the command, from the lowest to the highest."""
    established: bool | None
    """Whether a bet is certain to win or lose; null if the command does not ask."""
    established_by: tuple[str, ...]
    """The bets that are."""
    as_dealt: Hands | None
    should_be: Hands | None
    """By the order in which the cards were drawn."""
    orders: tuple[PossibleOrder, ...]
    """The possible orders of cards in doubt, and how the round ends with each, if all its cards are there."""
    more_orders: int
    """How many more there are."""
    choosing: tuple[Chooser, ...]
    """The players who choose, and what each gets back if they take their bets back."""
    away: tuple[str, ...]
    """Players who would choose and have left. They play on."""
    void: bool
    money: tuple[MovedMoney, ...]
    """What each player gets, bet by bet; negative: what they give."""
    balances: tuple[Balance, ...]
    """Chips before and after, of the players whose chips change."""
    finished: Finished | None
    """How the round ends if everybody plays on, if all its cards are there."""
    then: Then
    """What comes next at the table."""
    then_positions: tuple[Position, ...]
    """Who may do it."""


class Told(Message, frozen=True):
    """The same in words, in the language of the request. What does not apply is empty."""

    title: str
    """The command."""
    follows: tuple[str, ...]
    """What goes on record, in order."""
    established: str
    as_dealt: str
    should_be: str
    orders: tuple[str, ...]
    """One for each of `orders`."""
    more_orders: str
    choosing: tuple[str, ...]
    """One for each of `choosing`."""
    away: str
    money: tuple[str, ...]
    """One for each of `money`."""
    balances: tuple[str, ...]
    """One for each of `balances`."""
    finished: str
    endings: tuple[str, ...]
    """What each player ends with, if `finished` is there."""
    say: str
    """What the dealer says aloud."""
    say_in: dict[Language, str]
    """The same in every language."""
    who_may: str
    then: str
    then_who: str


class PreviewView(Message, frozen=True):
    """What follows if the command is given."""

    events: tuple[dict[str, Any], ...]
    """Without the fields that say who gave the command."""
    clauses: tuple[Clause, ...]
    """All clauses that the events cite."""
    consequences: ConsequencesView | None = None
    """Null in a proposal that is decided, or after which something else would follow now."""
    words: Told | None = None
    """Null where `consequences` is."""
