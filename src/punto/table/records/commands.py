"""What can be asked of a table. A closed set: the tag and its version never change their meaning.

Each command names who gives it and the position they hold this shift; ``may`` says which positions the book and
the house let give it.
"""

from typing import Any, ClassVar

from msgspec import Struct, to_builtins

from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.topics import Topic
from punto.table.records.positions import (
    DEALER_UP,
    EVERYDAY,
    EVERYDAY_OR_PLAYER,
    PIT_OR_PLAYER,
    SUPERVISOR_UP,
    Position,
)
from punto.table.records.settings import Settings


class Command(Struct, frozen=True, tag_field="command", forbid_unknown_fields=True):
    """Something asked of a table."""

    may: ClassVar[frozenset[Position]] = EVERYDAY
    topic: ClassVar[Topic | None] = None
    """What the book says on it: a book without a clause on that has no such command."""
    by_the_house: ClassVar[bool] = False
    """The clause says only "the house": the table's settings name the position that may give it."""

    by: str
    position: Position


RESERVED_FIELDS = frozenset({"by", "position", "carried"})
"""What no client may set: the session says who gives a command, the last closing what is carried over from it."""


def client_fields(command: Command) -> dict[str, Any]:
    """A command as a client sends it: its tag and its fields, without the reserved ones."""
    fields: dict[str, Any] = to_builtins(command)
    return {name: value for name, value in fields.items() if name not in RESERVED_FIELDS}


# ---- the table


class OpenTable(Command, frozen=True, tag="open_table.1"):
    """Open the table, with what it holds and the balances carried over from its last closing."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP

    settings: Settings
    float_minor: int = 0
    carried: dict[str, int] = {}


class ChangeSettings(Command, frozen=True, tag="change_settings.1"):
    """Run the table otherwise from the next round on."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP

    settings: Settings


class CloseTable(Command, frozen=True, tag="close_table.1"):
    """Close the table; its balances can be carried over."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP


class LoadShoe(Command, frozen=True, tag="load_shoe.1"):
    """Put a shoe on the table, or another in the place of the one there."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP | {Position.HOUSE}

    shoe: str
    decks: int


class BurnCards(Command, frozen=True, tag="burn_cards.1"):
    """Show the first card of the shoe and burn as many as it is worth."""

    card: Card


# ---- people


class BuyIn(Command, frozen=True, tag="buy_in.1"):
    """Give a player chips of this table."""

    who: str
    amount_minor: int


class CashOut(Command, frozen=True, tag="cash_out.1"):
    """Take a player's chips back."""

    who: str
    amount_minor: int


class Sit(Command, frozen=True, tag="sit.1"):
    """Sit down at a box."""

    may: ClassVar[frozenset[Position]] = EVERYDAY_OR_PLAYER

    who: str
    box: int


class StandBehind(Command, frozen=True, tag="stand_behind.1"):
    """Stand behind a box, to bet on it."""

    may: ClassVar[frozenset[Position]] = EVERYDAY_OR_PLAYER

    who: str
    box: int


class Leave(Command, frozen=True, tag="leave.1"):
    """Get up and go; stakes stay until the round is settled."""

    may: ClassVar[frozenset[Position]] = EVERYDAY_OR_PLAYER

    who: str


# ---- betting


class OpenBetting(Command, frozen=True, tag="open_betting.1"):
    """Call for bets: a round begins."""

    topic: ClassVar[Topic | None] = Topic.BETTING_OPENS


class PlaceBet(Command, frozen=True, tag="place_bet.1"):
    """Place a bet, or raise it by that much."""

    may: ClassVar[frozenset[Position]] = PIT_OR_PLAYER
    topic: ClassVar[Topic | None] = Topic.BETS_OFFERED

    who: str
    box: int
    bet: str
    stake_minor: int


class WithdrawBet(Command, frozen=True, tag="withdraw_bet.1"):
    """Take back a bet, or that much of it."""

    may: ClassVar[frozenset[Position]] = PIT_OR_PLAYER
    topic: ClassVar[Topic | None] = Topic.BETS_OFFERED

    who: str
    box: int
    bet: str
    amount_minor: int


class RejectExcess(Command, frozen=True, tag="reject_excess.1"):
    """Reject what a box holds above the differential limit."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.DIFFERENTIAL

    box: int


class AdviseMinimum(Command, frozen=True, tag="advise_minimum.1"):
    """Tell a player that their bet is under the minimum, to raise or withdraw it."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.BELOW_MINIMUM

    who: str
    box: int
    bet: str


class CloseBetting(Command, frozen=True, tag="close_betting.1"):
    """No more bets."""

    topic: ClassVar[Topic | None] = Topic.BETTING_CLOSED


# ---- the coup


class RequestSqueeze(Command, frozen=True, tag="request_squeeze.1"):
    """Ask to squeeze the cards of a hand."""

    may: ClassVar[frozenset[Position]] = PIT_OR_PLAYER
    topic: ClassVar[Topic | None] = Topic.SQUEEZE

    who: str
    side: Side


class GrantSqueeze(Command, frozen=True, tag="grant_squeeze.1"):
    """The house permits it."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP
    topic: ClassVar[Topic | None] = Topic.SQUEEZE
    by_the_house: ClassVar[bool] = True

    side: Side


class RefuseSqueeze(Command, frozen=True, tag="refuse_squeeze.1"):
    """The house does not permit it."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP
    topic: ClassVar[Topic | None] = Topic.SQUEEZE
    by_the_house: ClassVar[bool] = True

    side: Side


class WaiveThirdCardInsurance(Command, frozen=True, tag="waive_third_card_insurance.1"):
    """Consent that Banker's third card is opened before Player's, at the wish of who has the highest bet."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP
    topic: ClassVar[Topic | None] = Topic.THIRD_CARD_WAIVER
    by_the_house: ClassVar[bool] = True

    who: str


class DealCard(Command, frozen=True, tag="deal_card.1"):
    """Draw the next card to its place; with the card where cards are dealt face up."""

    topic: ClassVar[Topic | None] = Topic.FIRST_FOUR

    card: Card | None = None


class SqueezeCard(Command, frozen=True, tag="squeeze_card.1"):
    """Open the card at a place of the hand one accepts; what it is, the table says."""

    may: ClassVar[frozenset[Position]] = frozenset({Position.PLAYER})
    topic: ClassVar[Topic | None] = Topic.SQUEEZE

    place: int


class TurnCard(Command, frozen=True, tag="turn_card.1"):
    """Show which card lies at a place, counted from 1 in drawn order."""

    place: int
    card: Card


# ---- insurance and settlement


class OpenInsurance(Command, frozen=True, tag="open_insurance.1"):
    """Offer the insurance that the cards give."""

    topic: ClassVar[Topic | None] = Topic.INSURANCE


class TakeInsurance(Command, frozen=True, tag="take_insurance.1"):
    """Take the open offer, or add to it."""

    may: ClassVar[frozenset[Position]] = PIT_OR_PLAYER
    topic: ClassVar[Topic | None] = Topic.INSURANCE

    who: str
    box: int
    stake_minor: int


class CloseInsurance(Command, frozen=True, tag="close_insurance.1"):
    """The offer is over. Drawing the next card closes it too."""

    topic: ClassVar[Topic | None] = Topic.INSURANCE


class Settle(Command, frozen=True, tag="settle.1"):
    """Settle the round."""
