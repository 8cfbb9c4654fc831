"""What has happened when something went wrong. Part of the closed set of events.

A correction never edits: it is a further event that reverses and reposts.
"""

from msgspec import Struct

from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.table.records.events import Event, MoneyEvent
from punto.table.records.kinds import Choice, Effect, Irregularity, Late
from punto.table.records.positions import Position
from punto.table.records.reports import RuledBet


class IrregularityRaised(Event, frozen=True, tag="irregularity_raised.1"):
    """The table itself sees that something is wrong: nothing goes on before it is reported or dismissed."""

    kind: Irregularity
    report: str
    """The command that sees to it."""
    clauses: tuple[Clause, ...]
    card: Card | None = None
    place: int | None = None


class IrregularityDismissed(Event, frozen=True, tag="irregularity_dismissed.1"):
    """It was none."""

    kind: Irregularity
    reason: str


class Hands(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The cards of both hands."""

    player: tuple[Card | None, ...]
    banker: tuple[Card | None, ...]


class IrregularityReported(Event, frozen=True, tag="irregularity_reported.1"):
    """Something went wrong in a round; other events say what follows from it."""

    kind: Irregularity
    round: int
    clauses: tuple[Clause, ...]
    reason: str = ""
    reconstructable: bool | None = None
    as_dealt: Hands | None = None
    should_be: Hands | None = None
    established: tuple[str, ...] = ()
    """The bets that are certain to win or to lose, on the cards of the round and those exposed."""


class CardsDrawnOutOfTurn(Event, frozen=True, tag="cards_drawn_out_of_turn.1"):
    """Cards left the shoe before their time; they are dealt next."""

    shoe: str
    cards: tuple[Card | None, ...]


class OrderLost(Event, frozen=True, tag="order_lost.1"):
    """Nobody knows in which order the cards of these places came."""

    places: tuple[int, ...]
    simultaneous: bool = False
    """They were drawn at once."""


class CardOrderRuled(Event, frozen=True, tag="card_order_ruled.1"):
    """The cards came in this order: the places they lay at, the first first."""

    order: tuple[int, ...]
    clauses: tuple[Clause, ...]


class OptionsGiven(Event, frozen=True, tag="options_given.1"):
    """These players choose: to go on, or to have their bets back."""

    kind: Irregularity
    players: tuple[str, ...]
    reconstructable: bool
    clauses: tuple[Clause, ...]
    away: tuple[str, ...] = ()
    """Who has walked away goes on."""


class OptionChosen(MoneyEvent, frozen=True, tag="option_chosen.1"):
    """A player has chosen, for all their boxes and bets of the round."""

    who: str
    choice: Choice
    chosen_by: str
    clauses: tuple[Clause, ...]


class OptionsClosed(Event, frozen=True, tag="options_closed.1"):
    """Everybody has chosen, or time was called and the silent go on."""

    silent: tuple[str, ...]
    clauses: tuple[Clause, ...]


class SettlementReversed(MoneyEvent, frozen=True, tag="settlement_reversed.1"):
    """What a settlement moved is moved back, for the round is to be void."""

    round: int
    clauses: tuple[Clause, ...]


class RoundVoided(MoneyEvent, frozen=True, tag="round_voided.1"):
    """The round is void: every bet of it went back."""

    ground: Irregularity
    round: int
    clauses: tuple[Clause, ...]
    reason: str = ""


class ShoeTakenOff(Event, frozen=True, tag="shoe_taken_off.1"):
    """The cards of the shoe are not played with again."""

    shoe: str
    clauses: tuple[Clause, ...]


class ShoeReplaced(Event, frozen=True, tag="shoe_replaced.1"):
    """Another shoe takes the place of this one, now or from the next round on."""

    shoe: str
    decks: int
    now: bool
    clauses: tuple[Clause, ...]


class UninsuredBetReturned(MoneyEvent, frozen=True, tag="uninsured_bet_returned.1"):
    """A bet went back whose insurance was never offered and would have won."""

    who: str
    box: int
    side: Side
    stake_minor: int
    reason: str
    found_by: str
    clauses: tuple[Clause, ...]


class LateBetRefused(Event, frozen=True, tag="late_bet_refused.1"):
    """What was tried after the close changed nothing."""

    who: str
    box: int
    bet: str
    tried: Late
    amount_minor: int
    clauses: tuple[Clause, ...]


class Ruled(MoneyEvent, frozen=True, tag="ruled.1"):
    """A ruling, by whom, in which position, why, and what it does."""

    effect: Effect
    reason: str
    ruled_by: str
    position: Position
    clauses: tuple[Clause, ...]
    """None where no clause provides for a ruling."""
    bets: tuple[RuledBet, ...] = ()
