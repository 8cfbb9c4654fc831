"""What has happened at a table. A closed set: events gain only fields with defaults, and tags never change.

An event carries all that ``evolve`` needs, so that replay never judges again; one that moves money carries its
postings.
"""

from enum import StrEnum

from msgspec import Struct

from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import Card
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.table.records.ledger import Posting
from punto.table.records.settings import Settings


class Limit(StrEnum):
    """What a bet can be beyond."""

    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    DIFFERENTIAL = "differential"


class Event(Struct, frozen=True, tag_field="event", forbid_unknown_fields=True, gc=False):
    """Something that happened."""


class MoneyEvent(Event, frozen=True, kw_only=True, gc=False):
    """Something that happened and moved money."""

    postings: tuple[Posting, ...]


# ---- the table


class TableOpened(MoneyEvent, frozen=True, tag="table_opened.1"):
    """The table is open, under the law of this hash."""

    book: str
    settings: Settings
    law_hash: str
    clauses: tuple[Clause, ...] = ()


class SettingsChanged(Event, frozen=True, tag="settings_changed.1"):
    """The table is run otherwise."""

    settings: Settings
    clauses: tuple[Clause, ...] = ()


class TableClosed(Event, frozen=True, tag="table_closed.1"):
    """The table is closed with these balances."""

    balances: dict[str, int]


class ShoeLoaded(Event, frozen=True, tag="shoe_loaded.1"):
    """A shoe is on the table."""

    shoe: str
    decks: int


class CardsBurned(Event, frozen=True, tag="cards_burned.1"):
    """The first card was shown, and so many more were burned unseen."""

    shoe: str
    card: Card
    unseen: int


class CutCardReached(Event, frozen=True, tag="cut_card_reached.1"):
    """The cut card came out, perhaps in the last round of the shoe."""

    shoe: str
    last: bool


# ---- people


class ChipsBought(MoneyEvent, frozen=True, tag="chips_bought.1"):
    """A player bought in."""

    who: str


class ChipsCashed(MoneyEvent, frozen=True, tag="chips_cashed.1"):
    """A player cashed out."""

    who: str


class PlayerSat(Event, frozen=True, tag="player_sat.1"):
    """A player sits at a box."""

    who: str
    box: int


class PlayerStood(Event, frozen=True, tag="player_stood.1"):
    """A player stands behind a box."""

    who: str
    box: int


class PlayerLeft(Event, frozen=True, tag="player_left.1"):
    """A player left; with stakes in play they are away until the round is settled."""

    who: str
    away: bool
    clauses: tuple[Clause, ...] = ()


# ---- betting


class BettingOpened(Event, frozen=True, tag="betting_opened.1"):
    """A round has begun, perhaps the last of the shoe."""

    round: int
    last: bool
    clauses: tuple[Clause, ...]
    carried: tuple[Card | None, ...] = ()
    """Cards left over from before, which are dealt first."""


class BetPlaced(MoneyEvent, frozen=True, tag="bet_placed.1"):
    """A bet was placed or raised to this stake."""

    who: str
    box: int
    bet: str
    stake_minor: int
    seated: bool
    placed_by: str
    clauses: tuple[Clause, ...] = ()


class BetWithdrawn(MoneyEvent, frozen=True, tag="bet_withdrawn.1"):
    """A bet was taken back, or down to this stake."""

    who: str
    box: int
    bet: str
    stake_minor: int
    withdrawn_by: str
    clauses: tuple[Clause, ...] = ()


class BetRejected(MoneyEvent, frozen=True, tag="bet_rejected.1"):
    """A bet was rejected, or down to this stake."""

    who: str
    box: int
    bet: str
    stake_minor: int
    clauses: tuple[Clause, ...]


class LimitFlagged(Event, frozen=True, tag="limit_flagged.1"):
    """An observing table points at a bet beyond a limit: whose, where it is one player's."""

    box: int
    bet: str
    limit: Limit
    who: str | None
    clauses: tuple[Clause, ...]


class MinimumAdvised(Event, frozen=True, tag="minimum_advised.1"):
    """A player was told that their bet is under the minimum."""

    who: str
    box: int
    bet: str
    clauses: tuple[Clause, ...]


class PlayedBet(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What plays of a bet that lay beyond a limit and that nobody noticed before the close."""

    who: str
    box: int
    bet: str
    played_minor: int
    clauses: tuple[Clause, ...]


class BettingClosed(Event, frozen=True, tag="betting_closed.1"):
    """No more bets; what was beyond a limit and went unnoticed plays so."""

    clauses: tuple[Clause, ...]
    played: tuple[PlayedBet, ...] = ()


# ---- the coup


class SqueezeRequested(Event, frozen=True, tag="squeeze_requested.1"):
    """A player asks to squeeze a hand."""

    who: str
    side: Side
    clauses: tuple[Clause, ...]


class SqueezeGranted(Event, frozen=True, tag="squeeze_granted.1"):
    """The house permits it."""

    who: str
    side: Side
    clauses: tuple[Clause, ...]


class SqueezeRefused(Event, frozen=True, tag="squeeze_refused.1"):
    """The house does not permit it."""

    who: str
    side: Side
    clauses: tuple[Clause, ...]


class CardSqueezed(Event, frozen=True, tag="card_squeezed.1"):
    """Who accepts a hand has opened the card at a place; what it is, the table says."""

    who: str
    place: int


class ThirdCardInsuranceWaived(Event, frozen=True, tag="third_card_insurance_waived.1"):
    """Banker's third card may be opened first, and nobody insures after Player's."""

    who: str
    clauses: tuple[Clause, ...]


class CardDealt(Event, frozen=True, tag="card_dealt.1"):
    """A card of a shoe lies at a place, counted from 1 in drawn order."""

    place: int
    shoe: str
    to: Side
    clauses: tuple[Clause, ...]
    carried: bool = False
    """It was drawn before its time."""


class CardTurned(Event, frozen=True, tag="card_turned.1"):
    """Everybody can see the card at a place."""

    place: int
    card: Card
    again: bool = False
    """It had been exposed before it was dealt."""


# ---- insurance and settlement


class InsuranceOffered(Event, frozen=True, tag="insurance_offered.1"):
    """Insurance is on offer."""

    stage: Stage
    side: Side
    odds: str
    clauses: tuple[Clause, ...]
    makes_good: tuple[Stage, ...] = ()
    """The missed offers that this late one makes up for."""


class InsuranceMissed(Event, frozen=True, tag="insurance_missed.1"):
    """An offer went by that was due on these points of both hands."""

    stage: Stage
    side: Side
    odds: str
    clauses: tuple[Clause, ...]
    player: int | None = None
    banker: int | None = None
    """None in journals older than these fields."""


class InsuranceTaken(MoneyEvent, frozen=True, tag="insurance_taken.1"):
    """A player took insurance on these points of both hands."""

    who: str
    box: int
    side: Side
    stage: Stage
    player: int
    banker: int
    odds: str
    stake_minor: int
    placed_by: str
    clauses: tuple[Clause, ...]


class InsuranceClosed(Event, frozen=True, tag="insurance_closed.1"):
    """The offer is over; these have forgone what comes after."""

    forgone: tuple[str, ...] = ()
    clauses: tuple[Clause, ...] = ()


class SettledBet(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What became of one bet or one insurance."""

    who: str
    box: int
    bet: str
    stake_minor: int
    result: Result
    returned_minor: int
    clauses: tuple[Clause, ...]
    stage: Stage | None = None
    odds: str | None = None
    commission_minor: int | None = None
    played_minor: int | None = None


class RoundSettled(MoneyEvent, frozen=True, tag="round_settled.1"):
    """The round is settled."""

    winner: Winner
    player: int
    banker: int
    results: tuple[SettledBet, ...]
    clauses: tuple[Clause, ...]
    left_over: int = 0
    """So many of the last cards were not wanted: they come first in the next round."""
