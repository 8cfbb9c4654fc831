"""Events about irregularities. Part of the closed set of events.

A correction never changes an earlier event: it is a new event that reverses it and posts again.
"""

from typing import ClassVar

from msgspec import Struct, field

from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.table.records.events import Event, MoneyEvent, Payout
from punto.table.records.kinds import CardUse, Choice, Concern, Effect, Irregularity, Late, MoneyKind
from punto.table.records.positions import Position
from punto.table.records.reports import RuledBet
from punto.table.records.settings import ContinuousShuffler


class Finding(Event, frozen=True):
    """An event about an irregularity."""

    concern: ClassVar[Concern] = Concern.TROUBLE


class MoneyFinding(MoneyEvent, frozen=True, kw_only=True):
    """An event about an irregularity, which moves money."""

    concern: ClassVar[Concern] = Concern.TROUBLE


class IrregularityRaised(Finding, frozen=True, tag="irregularity_raised.1"):
    """The table detected an irregularity. The round waits until it is reported or dismissed."""

    kind: Irregularity
    report: str
    """The tag of the command that resolves it, without its version."""
    clauses: tuple[Clause, ...]
    card: Face | None = None
    place: int | None = None


class IrregularityDismissed(Finding, frozen=True, tag="irregularity_dismissed.1"):
    """A detected irregularity was dismissed."""

    kind: Irregularity
    reason: str


class Hands(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The cards of both hands; None for a card face down."""

    player: tuple[Face | None, ...]
    banker: tuple[Face | None, ...]


class IrregularityReported(Finding, frozen=True, tag="irregularity_reported.1"):
    """An irregularity was reported. Further events say what follows from it."""

    kind: Irregularity
    round: int
    clauses: tuple[Clause, ...]
    reason: str = ""
    reconstructable: bool | None = None
    as_dealt: Hands | None = None
    should_be: Hands | None = None
    established: tuple[str, ...] = ()
    """The bets that are certain to win or lose, counting exposed cards as dealt."""
    same_in_any_order: bool = False
    """The order of some cards is lost, but every possible order gives the same result: no ruling is needed."""


class CardsDrawnOutOfTurn(Finding, frozen=True, tag="cards_drawn_out_of_turn.1"):
    """Cards were drawn too early."""

    shoe: str
    cards: tuple[Face | None, ...]
    use: CardUse | None = None
    """None in journals that do not say it."""


class OrderLost(Finding, frozen=True, tag="order_lost.1"):
    """Nobody knows the order in which the cards at these places were drawn."""

    places: tuple[int, ...]
    simultaneous: bool = False
    """They fall under the rule on cards drawn at the same time: they were, or one lies with no hand and their
    order decides the coup."""


class CardOrderRuled(Finding, frozen=True, tag="card_order_ruled.1"):
    """The order of the cards was ruled: their places, in the order drawn."""

    order: tuple[int, ...]
    clauses: tuple[Clause, ...]


class RejudgedInsurance(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One stake of insurance, on the points that the right cards give."""

    who: str
    box: int
    side: Side
    stage: Stage
    player: int
    banker: int
    odds: str
    stake_minor: int
    """What is left of it; 0 if all of it was returned."""


class InsuranceRejudged(MoneyFinding, frozen=True, tag="insurance_rejudged.1"):
    """What insurance rests on turned out to be otherwise, so it was judged again: the cards, a bet, or an offer."""

    cover: tuple[RejudgedInsurance, ...]
    """All insurance of the round, in the order taken."""
    offered: tuple[Stage, ...]
    """The stages whose offers still count as made."""
    missed: tuple[Stage, ...]
    """The stages whose offers were missed and still count as missed."""
    forgone: tuple[str, ...]
    """The players who still cannot take insurance in this round."""
    clauses: tuple[Clause, ...]
    passed: dict[str, Stage] = field(default_factory=dict)
    """The players who turn out to have passed on an offer, and at which stage."""
    disturbed: tuple[Stage, ...] = ()
    """The stages whose offers were made on wrong cards. Nobody forgoes insurance by passing on them."""


class OptionsGiven(Finding, frozen=True, tag="options_given.1"):
    """These players choose whether to play on or to get their bets back."""

    kind: Irregularity
    players: tuple[str, ...]
    reconstructable: bool
    clauses: tuple[Clause, ...]
    away: tuple[str, ...] = ()
    """Players who left. They play on."""
    by_hand: bool = False
    """The table records cards only: everybody with a bet chooses, nobody is named, and it is settled by hand."""


class OptionChosen(MoneyFinding, frozen=True, tag="option_chosen.1"):
    """A player chose, for all their bets of the round."""

    who: str
    choice: Choice
    chosen_by: str
    clauses: tuple[Clause, ...]


class OptionsClosed(Finding, frozen=True, tag="options_closed.1"):
    """Everybody has chosen, or time was called. Players in ``silent`` did not choose and play on."""

    silent: tuple[str, ...]
    clauses: tuple[Clause, ...]
    final: bool = False
    """No choice can be put right any more: time was called, or there was no error to choose after."""
    took_back: int | None = None
    """Where the table records cards only, how many players took their bets back; None if nobody counted them."""
    established: bool = False
    """A corrected card shows that an outcome was established, so that nobody had this choice."""


class SettlementReversed(MoneyFinding, frozen=True, tag="settlement_reversed.1"):
    """A settlement was reversed: the round becomes void, or something is corrected."""

    round: int
    clauses: tuple[Clause, ...]
    again: bool = False
    """The round continues and is settled again. Without this, it becomes void."""


class RoundVoided(MoneyFinding, frozen=True, tag="round_voided.1"):
    """The round is void. Every bet was returned."""

    ground: Irregularity
    round: int
    clauses: tuple[Clause, ...]
    reason: str = ""
    by_hand: bool = False
    """The table records cards only: the dealer returned the bets, and they are not on record."""


class ShoeTakenOff(Finding, frozen=True, tag="shoe_taken_off.1"):
    """The shoe was taken off the table and is no longer used."""

    shoe: str
    clauses: tuple[Clause, ...]


class ShoeReplaced(Finding, frozen=True, tag="shoe_replaced.1"):
    """Another shoe replaces the current one, now or from the next round."""

    shoe: str
    decks: int
    now: bool
    clauses: tuple[Clause, ...]
    formerly: str = ""
    """As in :class:`~punto.table.records.events.ShoeLoaded`."""
    continuous: ContinuousShuffler | None = None
    """As there."""


class ShoeExchanged(Finding, frozen=True, tag="shoe_exchanged.1"):
    """The house put another shoe on, because somebody may know the order of the current one. The round goes on."""

    shoe: str
    decks: int
    was: str
    """The shoe that was on the table. The rest of it is discarded."""
    dealt_again: tuple[int, ...] = ()
    """Places of the cards that nobody had seen, those drawn too early after the dealt ones. They were discarded, and
    the first cards of the new shoe lie there instead, face down."""
    continuous: ContinuousShuffler | None = None
    """As in :class:`~punto.table.records.events.ShoeLoaded`."""


class ShoeInspected(Finding, frozen=True, tag="shoe_inspected.1"):
    """A shoe that had been taken off or replaced was inspected. It may come back under another name."""

    shoe: str
    reason: str
    """What was found."""


class RestartRecorded(Finding, frozen=True, tag="restart_recorded.1"):
    """The server was away during the round, which stays as it is. Times are Unix time in microseconds."""

    from_us: int
    to_us: int
    asks: bool
    """Cards and settlement wait until the dealer resumes the round or somebody reports what happened."""
    clauses: tuple[Clause, ...] = ()


class RoundResumed(Finding, frozen=True, tag="round_resumed.1"):
    """After a restart the dealer confirmed that the table is as recorded."""

    round: int


class UninsuredBetReturned(MoneyFinding, frozen=True, tag="uninsured_bet_returned.1"):
    """A bet was returned, because insurance on it was not offered and would have won."""

    who: str
    box: int
    side: Side
    stake_minor: int
    reason: str
    found_by: str
    clauses: tuple[Clause, ...]
    by_hand: bool = False
    """The table records cards only: the dealer returned the bet. ``stake_minor`` is 0, because nobody recorded it."""


class UninsuredBetPutBack(MoneyFinding, frozen=True, tag="uninsured_bet_put_back.1"):
    """A bet that was returned for want of insurance is on the felt again: the right cards do not give that offer."""

    who: str
    box: int
    side: Side
    stake_minor: int
    clauses: tuple[Clause, ...]


class LateBetRefused(Finding, frozen=True, tag="late_bet_refused.1"):
    """A change to a bet after betting closed was refused."""

    who: str
    box: int
    bet: str
    tried: Late
    amount_minor: int
    clauses: tuple[Clause, ...]


class Ruled(MoneyFinding, frozen=True, tag="ruled.1"):
    """A ruling on something no clause covers."""

    concern: ClassVar[Concern] = Concern.RULING

    effect: Effect
    reason: str
    ruled_by: str
    position: Position
    clauses: tuple[Clause, ...]
    """Empty if the book has no clause on rulings."""
    bets: tuple[RuledBet, ...] = ()

    @property
    def money(self) -> MoneyKind:
        return MoneyKind.RULING if self.effect is Effect.ADJUST else MoneyKind.PLAY


class PayoutsNotVerified(Finding, frozen=True, tag="payouts_not_verified.1"):
    """Payouts over the threshold were not verified before the next call for bets, or before the table closed."""

    round: int
    payouts: tuple[Payout, ...]
    clauses: tuple[Clause, ...]
    """Those the payouts follow from."""


class CardCorrected(Finding, frozen=True, tag="card_corrected.1"):
    """A card turned out to be another one, or not to have been drawn. What follows from it has events of its own."""

    concern: ClassVar[Concern] = Concern.CORRECTION

    shoe: str
    draw: int
    was: Face
    card: Face | None
    """None if it was never drawn."""
    place: int | None
    """Among the cards of the round, including those drawn too early, counted from 1; None for a burned card."""
    dealt: int | None
    """How many of these cards are dealt now, by the Table of Play; None if that does not change."""
    clauses: tuple[Clause, ...]
    reason: str = ""
    cut_card_in: bool = False
    """The cut card had been counted as out and is not."""
    burned_unseen: int | None = None
    """For a burned card: how many were burned face down after it, which its value decides."""
