"""What can be asked of a table when something has gone wrong. Part of the closed set of commands."""

from typing import ClassVar

from msgspec import Struct, field

from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.topics import Topic
from punto.table.records.commands import Command
from punto.table.records.kinds import Choice, Effect, Late
from punto.table.records.positions import (
    DEALER_UP,
    MANAGER_UP,
    PIT_OR_PLAYER,
    SHIFT_MANAGER_UP,
    SUPERVISOR_UP,
    Position,
)


class Report(Command, frozen=True):
    """A report for which the clause names nobody: it is the house's to make."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP
    by_the_house: ClassVar[bool] = True


# ---- grounds for a void


class ReportInterruption(Report, frozen=True, tag="report_interruption.1"):
    """A technical failure stopped the round: it goes on or is void, as its cards have it."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP | {Position.HOUSE}
    topic: ClassVar[Topic | None] = Topic.INTERRUPTION

    reason: str = ""


class ReportForeignCard(Report, frozen=True, tag="report_foreign_card.1"):
    """A card that is not of the set was found: the round is void, and the shoe goes."""

    topic: ClassVar[Topic | None] = Topic.FOREIGN_CARD

    reason: str = ""


class ReportCardCount(Report, frozen=True, tag="report_card_count.1"):
    """There are too few or too many cards in the deck: the round is void, and the shoe goes."""

    topic: ClassVar[Topic | None] = Topic.CARD_COUNT

    reason: str = ""


class ReportNotShuffled(Report, frozen=True, tag="report_not_shuffled.1"):
    """The cards were not shuffled: the round is void, and the shoe goes."""

    topic: ClassVar[Topic | None] = Topic.NOT_SHUFFLED

    reason: str = ""


class ReportWrongNumber(Report, frozen=True, tag="report_wrong_number.1"):
    """A hand has a wrong number of cards: reconstructed with these cards drawn too many, or void.

    A settled round can still be void for it until the next call for bets.
    """

    topic: ClassVar[Topic | None] = Topic.WRONG_NUMBER_OF_CARDS

    cards: tuple[Card | None, ...] = ()
    reconstructable: bool = False
    to: Side | None = None
    reason: str = ""


# ---- dealing errors


class ReportExcessCard(Report, frozen=True, tag="report_excess_card.1"):
    """Cards were drawn in excess or exposed, in this order; null for one that nobody has seen.

    They are dealt next where the Table of Play wants them, in this round or the one after it.
    """

    topic: ClassVar[Topic | None] = Topic.EXCESS_CARDS

    cards: tuple[Card | None, ...]
    to: Side | None = None
    """The hand they were put to, if any."""
    reconstructable: bool = True
    """The house has the last word on that."""
    reason: str = ""


class ReportWrongSide(Report, frozen=True, tag="report_wrong_side.1"):
    """Cards went to the wrong side, or to the person who accepts the other hand."""

    topic: ClassVar[Topic | None] = Topic.WRONG_SIDE

    as_dealt: tuple[Side, ...]
    """Where each card of the round went, in drawn order."""
    to_person: bool = False
    reconstructable: bool = True
    reason: str = ""


class ReportFaceUpCard(Command, frozen=True, tag="report_face_up_card.1"):
    """The card at a place was dealt face up where cards are dealt face down."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.FACE_UP

    place: int
    card: Card


class ReportSimultaneousCards(Command, frozen=True, tag="report_simultaneous_cards.1"):
    """These cards were drawn at once, nobody knows in which order; null for one that nobody has seen."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.SIMULTANEOUS_CARDS

    cards: tuple[Card | None, ...]


class RuleCardOrder(Command, frozen=True, tag="rule_card_order.1"):
    """Say in which order the cards came whose order nobody knows: their places, the first first."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP
    topic: ClassVar[Topic | None] = Topic.SIMULTANEOUS_CARDS

    order: tuple[int, ...]


class ReplaceShoe(Command, frozen=True, tag="replace_shoe.1"):
    """Have the cards in the shoe replaced after cards drawn at once: from the next round on, or now."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP
    topic: ClassVar[Topic | None] = Topic.REPLACE_SHOE

    shoe: str
    decks: int
    now: bool = False


class ReportDealingError(Report, frozen=True, tag="report_dealing_error.1"):
    """A dealing error of any other kind: the players have their options."""

    topic: ClassVar[Topic | None] = Topic.OPTIONS

    reason: str
    reconstructable: bool = True


class DismissIrregularity(Report, frozen=True, tag="dismiss_irregularity.1"):
    """What the table raised by itself was none: a card misread, a draw that never was."""

    reason: str


# ---- the players' options


class ChooseOption(Command, frozen=True, tag="choose_option.1"):
    """Go on, or have all one's bets of the round back."""

    may: ClassVar[frozenset[Position]] = PIT_OR_PLAYER
    topic: ClassVar[Topic | None] = Topic.OPTIONS

    who: str
    choice: Choice


class CallTime(Command, frozen=True, tag="call_time.1"):
    """Whoever has not chosen goes on."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP | {Position.HOUSE}
    topic: ClassVar[Topic | None] = Topic.OPTIONS


# ---- insurance not offered


class OfferLateInsurance(Command, frozen=True, tag="offer_late_insurance.1"):
    """Make up for an offer that was missed, at the line for the cards now showing."""

    may: ClassVar[frozenset[Position]] = MANAGER_UP
    topic: ClassVar[Topic | None] = Topic.LATE_INSURANCE


class ReturnUninsuredBets(Command, frozen=True, tag="return_uninsured_bets.1"):
    """Find that a player had meant to insure a bet, and return it: the offer was missed and would have won."""

    may: ClassVar[frozenset[Position]] = MANAGER_UP
    topic: ClassVar[Topic | None] = Topic.UNINSURED_BET

    who: str
    box: int
    side: Side
    reason: str


# ---- for the record


class ReportLateBet(Command, frozen=True, tag="report_late_bet.1"):
    """Something was tried with a bet after the close: it was refused, and what lay at the close plays."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.BETTING_CLOSED

    who: str
    box: int
    bet: str
    tried: Late
    amount_minor: int


class ReportLaterError(Command, frozen=True, tag="report_later_error.1"):
    """An error in an earlier round was found after another had begun: nothing changes."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.LATER_ERROR

    round: int
    reason: str


class RuledBet(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A bet that a ruling returns; ``player_insurance`` and ``banker_insurance`` name insurance."""

    who: str
    box: int
    bet: str


class Rule(Command, frozen=True, tag="rule.1"):
    """Decide what no clause covers: go on, void the round, return bets, pay or take amounts."""

    may: ClassVar[frozenset[Position]] = SHIFT_MANAGER_UP

    reason: str
    effect: Effect
    bets: tuple[RuledBet, ...] = ()
    amounts: dict[str, int] = field(default_factory=dict)
    """What each player is paid, or, below zero, gives."""
