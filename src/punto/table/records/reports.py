"""Commands about irregularities. Part of the closed set of commands."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct, field

from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side
from punto.rules.topics import Topic
from punto.table.records.commands import MAX_COUNTED, Command
from punto.table.records.kinds import Choice, Concern, Effect, Late
from punto.table.records.positions import (
    DEALER_UP,
    HOUSE_ONLY,
    MANAGER_UP,
    PIT_OR_PLAYER,
    SHIFT_MANAGER_UP,
    SUPERVISOR_UP,
    Position,
)


class TroubleCommand(Command, frozen=True):
    """A command about an irregularity."""

    concern: ClassVar[Concern] = Concern.TROUBLE


class Report(TroubleCommand, frozen=True):
    """A report whose clause names no position, so the house makes it."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP
    by_the_house: ClassVar[bool] = True


# ---- grounds for a void


class ReportInterruption(Report, frozen=True, tag="report_interruption.1"):
    """A technical failure stopped the round. Its cards decide whether it continues or is void."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP | {Position.HOUSE}
    topic: ClassVar[Topic | None] = Topic.INTERRUPTION

    reason: str = ""


class ReportForeignCard(Report, frozen=True, tag="report_foreign_card.1"):
    """A foreign card was found. The round is void and the shoe is taken off."""

    topic: ClassVar[Topic | None] = Topic.FOREIGN_CARD

    reason: str = ""


class ReportCardCount(Report, frozen=True, tag="report_card_count.1"):
    """The shoe has too few or too many cards. The round is void and the shoe is taken off."""

    topic: ClassVar[Topic | None] = Topic.CARD_COUNT

    reason: str = ""


class ReportNotShuffled(Report, frozen=True, tag="report_not_shuffled.1"):
    """The cards were not shuffled. The round is void and the shoe is taken off."""

    topic: ClassVar[Topic | None] = Topic.NOT_SHUFFLED

    reason: str = ""


class ReportShoeRunOut(Report, frozen=True, tag="report_shoe_run_out.1"):
    """A card is needed and the shoe has none. The round is void and the shoe is taken off."""

    reason: str = ""


class ReportWrongNumber(Report, frozen=True, tag="report_wrong_number.1"):
    """A hand has a wrong number of cards. It is reconstructed with the extra ``cards``, or the round is void.

    A settled round can become void until the next call for bets.
    """

    topic: ClassVar[Topic | None] = Topic.WRONG_NUMBER_OF_CARDS

    cards: tuple[Face | None, ...] = ()
    reconstructable: bool = False
    to: Side | None = None
    reason: str = ""


# ---- dealing errors


class ReportExcessCard(Report, frozen=True, tag="report_excess_card.1"):
    """Too many cards were drawn or exposed, in this order; null for a card nobody has seen.

    They are dealt next if the Table of Play needs them in this round, or else first in the next one.
    """

    topic: ClassVar[Topic | None] = Topic.EXCESS_CARDS

    cards: tuple[Face | None, ...]
    to: Side | None = None
    """The hand they were added to, if any."""
    reconstructable: bool = True
    """The house decides this."""
    reason: str = ""


class ReportWrongSide(Report, frozen=True, tag="report_wrong_side.1"):
    """Cards went to the wrong side, or to the player who squeezes the other hand."""

    topic: ClassVar[Topic | None] = Topic.WRONG_SIDE

    as_dealt: tuple[Side, ...]
    """Where each card of the round went, in the order drawn."""
    to_person: bool = False
    reconstructable: bool = True
    reason: str = ""
    in_doubt: tuple[int, ...] = ()
    """If not reconstructable: places of the cards whose order is lost; empty for all cards of each hand that got a
    wrong card."""


class ReportFaceUpCard(TroubleCommand, frozen=True, tag="report_face_up_card.1"):
    """A card was dealt face up at a table where cards are dealt face down."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.FACE_UP

    place: int
    card: Face


class ReportSimultaneousCards(TroubleCommand, frozen=True, tag="report_simultaneous_cards.1"):
    """Cards were drawn at the same time, so nobody knows their order; null for a card nobody has seen."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.SIMULTANEOUS_CARDS

    cards: tuple[Face | None, ...] = ()
    entered: int = 0
    """How many of the last cards dealt were drawn at the same time too. ``cards`` are the others."""


class RuleCardOrder(TroubleCommand, frozen=True, tag="rule_card_order.1"):
    """Rule on the order of cards whose order is lost: their places, in the order drawn."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP
    topic: ClassVar[Topic | None] = Topic.SIMULTANEOUS_CARDS

    order: tuple[int, ...]


class ReplaceShoe(TroubleCommand, frozen=True, tag="replace_shoe.1"):
    """Replace the shoe after cards were drawn at the same time, from the next round or now."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP
    topic: ClassVar[Topic | None] = Topic.REPLACE_SHOE

    shoe: str
    decks: int
    now: bool = False
    formerly: str = ""
    """As in :class:`~punto.table.records.commands.LoadShoe`."""


class InspectShoe(TroubleCommand, frozen=True, tag="inspect_shoe.1"):
    """Record that a shoe which was taken off or replaced has been inspected, and what was found."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP

    shoe: str
    reason: str


class ReportDealingError(Report, frozen=True, tag="report_dealing_error.1"):
    """Any other dealing error. The players choose whether to play on."""

    topic: ClassVar[Topic | None] = Topic.OPTIONS

    reason: str
    reconstructable: bool = True
    in_doubt: tuple[int, ...] = ()
    """If not reconstructable: places of the cards whose order is lost; empty for all dealt cards."""


class DismissIrregularity(Report, frozen=True, tag="dismiss_irregularity.1"):
    """Dismiss an irregularity that the table detected by mistake, for example from a misread card."""

    reason: str


# ---- the players' options


class ChooseOption(TroubleCommand, frozen=True, tag="choose_option.1"):
    """Choose, for a player: play on, or get all their bets of the round back."""

    may: ClassVar[frozenset[Position]] = PIT_OR_PLAYER
    topic: ClassVar[Topic | None] = Topic.OPTIONS

    who: str
    choice: Choice


class CallTime(TroubleCommand, frozen=True, tag="call_time.1"):
    """Stop waiting. Players who have not chosen play on."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP | {Position.HOUSE}
    topic: ClassVar[Topic | None] = Topic.OPTIONS

    took_back: Annotated[int, Meta(ge=0, le=MAX_COUNTED)] | None = None
    """How many players took their bets back, if somebody counted them. Only at a table that records cards only."""


# ---- insurance not offered


class OfferLateInsurance(TroubleCommand, frozen=True, tag="offer_late_insurance.1"):
    """Offer insurance that was missed, at the odds for the cards now face up."""

    may: ClassVar[frozenset[Position]] = MANAGER_UP
    topic: ClassVar[Topic | None] = Topic.LATE_INSURANCE


class ReturnUninsuredBets(TroubleCommand, frozen=True, tag="return_uninsured_bets.1"):
    """Return a bet that a player meant to insure, because the missed insurance would have won."""

    may: ClassVar[frozenset[Position]] = MANAGER_UP
    topic: ClassVar[Topic | None] = Topic.UNINSURED_BET

    who: str
    box: int
    side: Side
    reason: str


# ---- restarts of the server, at a table with a real shoe


class ReportRestart(TroubleCommand, frozen=True, tag="report_restart.1"):
    """The server was away while a round was open. The round stays as it is."""

    may: ClassVar[frozenset[Position]] = HOUSE_ONLY

    from_us: Annotated[int, Meta(ge=0)]
    to_us: Annotated[int, Meta(ge=0)]


class ResumeRound(TroubleCommand, frozen=True, tag="resume_round.1"):
    """Confirm, after a restart, that the cards on the table are those on record. Dealing and settling go on."""

    may: ClassVar[frozenset[Position]] = DEALER_UP


# ---- a sealed shoe whose order may be known


class ExchangeShoe(TroubleCommand, frozen=True, tag="exchange_shoe.1"):
    """Put another shoe on during a round, after the floor was restored from a backup.

    Cards that are face up stay. Those that nobody has seen are discarded and dealt again from the new shoe.
    """

    may: ClassVar[frozenset[Position]] = HOUSE_ONLY

    shoe: str
    decks: int


# ---- records only


class ReportLateBet(TroubleCommand, frozen=True, tag="report_late_bet.1"):
    """Record that someone tried to change a bet after betting closed. The bet plays as it was."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.BETTING_CLOSED

    who: str
    box: int
    bet: str
    tried: Late
    amount_minor: int


class ReportLaterError(TroubleCommand, frozen=True, tag="report_later_error.1"):
    """Record an error in an earlier round. Nothing changes."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.LATER_ERROR

    round: int
    """The earlier round. Unlike other commands, this one is not refused in another round."""
    reason: str


class RuledBet(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A bet that a ruling returns. The bets ``player_insurance`` and ``banker_insurance`` are insurance."""

    who: str
    box: int
    bet: str


class Rule(TroubleCommand, frozen=True, tag="rule.1"):
    """Decide something no clause covers: continue, void the round, return bets, or pay or take amounts."""

    concern: ClassVar[Concern] = Concern.RULING
    may: ClassVar[frozenset[Position]] = SHIFT_MANAGER_UP

    reason: str
    effect: Effect
    bets: tuple[RuledBet, ...] = ()
    amounts: dict[str, int] = field(default_factory=dict)
    """What each player is paid; negative if it is taken."""
