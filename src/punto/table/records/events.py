"""Events at a table. A closed set: events gain only fields with defaults, and tags never change.

An event has everything ``evolve`` needs, so replay never judges. An event that moves money has its postings.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import ClassVar

from msgspec import Struct

from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import Face
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.table.records.kinds import BuyInKind, CashOutKind, Concern, MoneyKind, ShoeCheck
from punto.table.records.ledger import Posting
from punto.table.records.settings import ContinuousShuffler, Settings


class Limit(StrEnum):
    """A limit that a bet can break."""

    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    DIFFERENTIAL = "differential"
    SHARE = "share"
    """What a bet may be of another one."""


class Event(Struct, frozen=True, tag_field="event", forbid_unknown_fields=True, gc=False):
    """An event at a table."""

    concern: ClassVar[Concern] = Concern.GAME


def cited_by(events: Iterable[Event]) -> tuple[Clause, ...]:
    """The clauses that events cite, in their order, each once."""
    return tuple(dict.fromkeys(clause for event in events for clause in getattr(event, "clauses", ())))


class MoneyEvent(Event, frozen=True, kw_only=True, gc=False):
    """An event that moves money."""

    postings: tuple[Posting, ...]

    @property
    def money(self) -> MoneyKind:
        """What the movement is to the table's figures."""
        return MoneyKind.PLAY


class MayMoveMoney(MoneyEvent, frozen=True, kw_only=True, gc=False):
    """An event that moves money at some tables only. Older journals have it without postings."""

    postings: tuple[Posting, ...] = ()


# ---- the table


class TableOpened(MoneyEvent, frozen=True, tag="table_opened.1"):
    """The table opened. ``law_hash`` identifies the rules it is played under."""

    book: str
    settings: Settings
    law_hash: str
    clauses: tuple[Clause, ...] = ()
    no_insurance_asked_by: str = ""
    taken_off: dict[str, ShoeCheck] = {}
    """As the last closing left them."""
    last_slip: int = 0
    """As the last closing left it."""

    @property
    def money(self) -> MoneyKind:
        return MoneyKind.FLOAT


class SettingsChanged(Event, frozen=True, tag="settings_changed.1"):
    """New settings apply from the next round."""

    settings: Settings
    clauses: tuple[Clause, ...] = ()
    no_insurance_asked_by: str = ""


class TableClosed(Event, frozen=True, tag="table_closed.1"):
    """The table closed, with these balances, and these shoes taken off or replaced."""

    balances: dict[str, int]
    taken_off: dict[str, ShoeCheck] = {}
    last_slip: int = 0
    """The number of the table's last slip."""


class ShoeLoaded(Event, frozen=True, tag="shoe_loaded.1"):
    """A shoe was put on the table."""

    shoe: str
    decks: int
    formerly: str = ""
    """The name it had when it was taken off or replaced."""
    inspected_by: str = ""
    """Who looked at its cards and shuffled them, if somebody said so."""
    continuous: ContinuousShuffler | None = None
    """Set if it is a machine that takes cards back."""


class CardsPutBack(Event, frozen=True, tag="cards_put_back.1"):
    """At a call for bets, the cards of these rounds went back into the machine."""

    shoe: str
    rounds: tuple[int, ...]
    cards: int
    clauses: tuple[Clause, ...]


class OrderRevealed(Event, frozen=True, tag="order_revealed.1"):
    """A round at a sealed machine is over. With this anybody can check its cards and that its order was sealed.

    The floor adds it to the events of the command that ended the round.
    """

    shoe: str
    order: int
    """Counted from 0, since the machine was loaded."""
    round: int
    first_draw: int
    """The position of the first card that was drawn from it."""
    nonce: str
    cards: str
    """Every card of the set with the number of its copy, such as ``As3``."""
    out: str
    """The cards that were out when the round began. If k copies of a card are out, its copies 1 to k
    are passed over."""
    path: tuple[str, ...]
    """The hashes that lead from the order to the sealed root, from the bottom."""


class BoardStarted(Event, frozen=True, tag="board_started.1"):
    """The next round is the first on a new board."""


class CardsBurned(Event, frozen=True, tag="cards_burned.1"):
    """The first card was shown, and ``unseen`` more were burned face down."""

    shoe: str
    card: Face
    unseen: int


class CutCardReached(Event, frozen=True, tag="cut_card_reached.1"):
    """The cut card came out; ``last`` if this is the last round of the shoe."""

    shoe: str
    last: bool
    announced_left: int | None = None
    """Cards left by the count when the dealer announced it; None if the count itself brought it out."""


class ShoeReconciled(Event, frozen=True, tag="shoe_reconciled.1"):
    """A shoe was taken off at its end, and its cards were compared with the count."""

    shoe: str
    dealt: int
    burned: int
    left: int
    """By the count."""
    counted: int | None = None
    """Cards found in the shoe; None if nobody counted them."""
    difference: int | None = None
    """``counted`` less ``left``: negative if cards are missing."""
    clauses: tuple[Clause, ...] = ()


# ---- people


_BOUGHT = {
    BuyInKind.CASH: MoneyKind.CASH_IN,
    BuyInKind.VOUCHER: MoneyKind.VOUCHER_IN,
    BuyInKind.CHIPS: MoneyKind.CHANGE,
}


class ChipsBought(MoneyEvent, frozen=True, tag="chips_bought.1"):
    """A player bought in."""

    who: str
    kind: BuyInKind = BuyInKind.CASH
    changed_minor: int = 0
    """For chips: how much was changed. Only what was not on record here moves; else the postings have the amount."""

    @property
    def money(self) -> MoneyKind:
        return _BOUGHT[self.kind]


class ChipsCashed(MoneyEvent, frozen=True, tag="chips_cashed.1"):
    """A player cashed out."""

    who: str
    kind: CashOutKind = CashOutKind.CASH

    @property
    def money(self) -> MoneyKind:
        return MoneyKind.VOUCHER_OUT if self.kind is CashOutKind.VOUCHER else MoneyKind.CASH_OUT


class PlayerSat(Event, frozen=True, tag="player_sat.1"):
    """A player sat down at a box."""

    who: str
    box: int


class PlayerStood(Event, frozen=True, tag="player_stood.1"):
    """A player went to stand behind a box."""

    who: str
    box: int


class PlayerLeft(MayMoveMoney, frozen=True, tag="player_left.1"):
    """A player left; ``away`` if they still have stakes in the round. At a felt table their chips go with them."""

    who: str
    away: bool
    clauses: tuple[Clause, ...] = ()


class PlayerIdentified(MoneyEvent, frozen=True, tag="player_identified.1"):
    """The person at a place, or with a plain name, has another name from now on. Earlier events keep the old one."""

    who: str
    player_id: str
    """A registered player's id, or the place where somebody unknown is now."""
    left: bool = False
    """They had left, and somebody new takes their place. ``player_id`` is what they are called from now on."""


# ---- betting


class BettingOpened(Event, frozen=True, tag="betting_opened.1"):
    """A round started; ``last`` if it is the last of the shoe."""

    round: int
    last: bool
    clauses: tuple[Clause, ...]
    carried: tuple[Face | None, ...] = ()
    """Cards already drawn, which are dealt first."""
    left: int | None = None
    """The cards for this round by the count, these included, if there are fewer than a round may need."""


class BetPlaced(MoneyEvent, frozen=True, tag="bet_placed.1"):
    """A bet was placed, or raised to this stake."""

    who: str
    box: int
    bet: str
    stake_minor: int
    seated: bool
    placed_by: str
    clauses: tuple[Clause, ...] = ()
    assumed: bool = False
    """As in :class:`~punto.table.records.commands.PlaceBet`. A bet that is raised by hand is not assumed."""


class ConfirmedBet(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    who: str
    box: int
    bet: str


class BetsConfirmed(Event, frozen=True, tag="bets_confirmed.1"):
    """Bets that were entered as assumed do lie there."""

    bets: tuple[ConfirmedBet, ...]


class BetWithdrawn(MoneyEvent, frozen=True, tag="bet_withdrawn.1"):
    """A bet was taken back, or lowered to this stake."""

    who: str
    box: int
    bet: str
    stake_minor: int
    withdrawn_by: str
    clauses: tuple[Clause, ...] = ()


class BetRejected(MoneyEvent, frozen=True, tag="bet_rejected.1"):
    """A bet was rejected, or lowered to this stake."""

    who: str
    box: int
    bet: str
    stake_minor: int
    clauses: tuple[Clause, ...]


class LimitFlagged(Event, frozen=True, tag="limit_flagged.1"):
    """At a felt table, a bet is beyond a limit; ``who`` if it is one player's bet."""

    concern: ClassVar[Concern] = Concern.FLAG

    box: int
    bet: str
    limit: Limit
    who: str | None
    clauses: tuple[Clause, ...]


class BetFlag(StrEnum):
    """Why a bet on the felt should not be there."""

    CARD_EXPOSED = "card_exposed"
    """It was placed or raised while a card of the round was exposed."""
    NO_SEATED_BET = "no_seated_bet"
    """A standing player placed or raised it where no seated player has a bet."""


class BetFlagged(Event, frozen=True, tag="bet_flagged.1"):
    """At a felt table, a bet was placed or raised that other tables refuse."""

    concern: ClassVar[Concern] = Concern.FLAG

    who: str
    box: int
    bet: str
    flag: BetFlag
    clauses: tuple[Clause, ...]


class MinimumAdvised(Event, frozen=True, tag="minimum_advised.1"):
    """A player was told that their bet is below the minimum."""

    concern: ClassVar[Concern] = Concern.FLAG

    who: str
    box: int
    bet: str
    clauses: tuple[Clause, ...]


class ProRata(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Why a bet plays only in part: what lay on both sides of its box, and the differential limit."""

    player_minor: int
    banker_minor: int
    limit_minor: int

    @property
    def differential_minor(self) -> int:
        return abs(self.banker_minor - self.player_minor)


class PlayedBet(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """How much plays of a bet that was beyond a limit when betting closed."""

    who: str
    box: int
    bet: str
    played_minor: int
    clauses: tuple[Clause, ...]
    pro_rata: ProRata | None = None
    """None if all of it plays, and in journals before 0.11.0."""


class BettingClosed(Event, frozen=True, tag="betting_closed.1"):
    """Betting closed. ``played`` has the bets that were beyond a limit."""

    clauses: tuple[Clause, ...]
    played: tuple[PlayedBet, ...] = ()


# ---- the coup


class SqueezeRequested(Event, frozen=True, tag="squeeze_requested.1"):
    """A player asked to squeeze a hand."""

    who: str
    side: Side
    clauses: tuple[Clause, ...]
    from_place: int = 1
    """Cards dealt before this place are not squeezed: the request came too late for them."""


class SqueezeGranted(Event, frozen=True, tag="squeeze_granted.1"):
    """The house permitted a squeeze; ``standing`` if it permits this hand until the shoe ends."""

    who: str
    """Empty if nobody had asked: the house gave a standing permission for the hand."""
    side: Side
    clauses: tuple[Clause, ...]
    standing: bool = False


class SqueezeRefused(Event, frozen=True, tag="squeeze_refused.1"):
    """The house refused a squeeze; ``standing`` if it ended its standing permission for the hand."""

    who: str
    """Empty for a standing permission: what it has granted stays."""
    side: Side
    clauses: tuple[Clause, ...]
    standing: bool = False


class SqueezeLapsed(Event, frozen=True, tag="squeeze_lapsed.1"):
    """A request or permission ended: the player did not have the highest bet at the close or after it."""

    who: str
    side: Side
    clauses: tuple[Clause, ...]


class CardSqueezed(Event, frozen=True, tag="card_squeezed.1"):
    """A player squeezed a card. A ``CardTurned`` event follows and says which card it is."""

    who: str
    place: int
    recorded_by: str = ""
    """The member of staff who recorded it; empty if the player did it on a screen."""
    clauses: tuple[Clause, ...] = ()
    laid_open: bool = False
    """The player laid it open for all; an event without this may have gone before."""


class ThirdCardInsuranceWaived(Event, frozen=True, tag="third_card_insurance_waived.1"):
    """Banker's third card may be opened first, and no third-card insurance is offered."""

    who: str
    clauses: tuple[Clause, ...]


class CardDealt(Event, frozen=True, tag="card_dealt.1"):
    """A card was dealt. Places count from 1, in the order drawn."""

    place: int
    shoe: str
    to: Side
    clauses: tuple[Clause, ...]
    carried: bool = False
    """The card had been drawn too early."""


class CardTurned(Event, frozen=True, tag="card_turned.1"):
    """A card was turned face up."""

    place: int
    card: Face
    again: bool = False
    """The card had been seen before it was dealt."""
    order_unseen: bool = False
    """A player gave both cards of the hand back together: which of them came first, nobody saw."""


# ---- insurance and settlement


class InsuranceOffered(Event, frozen=True, tag="insurance_offered.1"):
    """Insurance was offered at this stage and these odds."""

    stage: Stage
    side: Side
    odds: str
    clauses: tuple[Clause, ...]
    makes_good: tuple[Stage, ...] = ()
    """The missed offers that this late offer replaces."""
    players: tuple[str, ...] = ()
    """The players whom a late offer is for, if it had been made to others; empty if it is for everybody."""


class InsuranceMissed(Event, frozen=True, tag="insurance_missed.1"):
    """Insurance was due on these points of both hands, but was not offered, or not to everybody."""

    concern: ClassVar[Concern] = Concern.FLAG

    stage: Stage
    side: Side
    odds: str
    clauses: tuple[Clause, ...]
    player: int | None = None
    banker: int | None = None
    """None in journals written before these fields existed."""
    players: tuple[str, ...] = ()
    """The players it did not reach, if it was made to others; empty if it was made to nobody."""
    cut_short: bool = False
    """It was made, and a card was seen before these players had answered."""


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
    called: bool = False
    """The player told the dealer; the chips follow."""


class InsurancePassed(Event, frozen=True, tag="insurance_passed.1"):
    """A player said that they take no insurance, or no more, in a box. They still can until the next card is drawn."""

    who: str
    box: int
    stage: Stage
    clauses: tuple[Clause, ...]


class InsuranceFlag(StrEnum):
    """Why insurance on the felt does not play."""

    ABOVE_CAP = "above_cap"
    NO_ORIGINAL_BET = "no_original_bet"
    FORGONE = "forgone"
    """The player passed on an earlier offer, or has left."""
    NO_OFFER = "no_offer"
    """No insurance is on offer: none was due, or the next card is drawn."""


class InsuranceFlagged(Event, frozen=True, tag="insurance_flagged.1"):
    """At a felt table, insurance that does not play goes back to the player."""

    concern: ClassVar[Concern] = Concern.FLAG

    who: str
    box: int
    stage: Stage | None
    """The stage of the offer; None if there was none."""
    amount_minor: int
    """0 if the player named no amount."""
    why: InsuranceFlag
    clauses: tuple[Clause, ...]


class InsuranceClosed(Event, frozen=True, tag="insurance_closed.1"):
    """The offer closed. Players in ``forgone`` cannot take the next one."""

    forgone: tuple[str, ...] = ()
    clauses: tuple[Clause, ...] = ()
    until_next_card: bool = False
    """The dealer closed it, and players can still take it until the next card is drawn."""
    cut_short: bool = False
    """A card was seen too early, or the points of a late offer are in doubt. Players who had not taken the offer count
    as not having been offered it."""


class SettledBet(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The result of one bet or one insurance."""

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
    rounded_minor: int = 0
    """What the smallest chip added to ``returned_minor``; negative if it took something off."""
    pro_rata: ProRata | None = None
    """Why only ``played_minor`` of it played; None if all of it did, and in journals before 0.11.0."""


class Difference(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What the dealer pays for one bet or one insurance because a settlement was made again; collects if negative."""

    who: str
    box: int
    bet: str
    amount_minor: int
    stage: Stage | None = None


class RoundSettled(MoneyEvent, frozen=True, tag="round_settled.1"):
    """The round was settled."""

    winner: Winner
    player: int
    banker: int
    results: tuple[SettledBet, ...]
    clauses: tuple[Clause, ...]
    left_over: int = 0
    """How many of the last cards do not belong to the coup. They are dealt first in the next round."""
    differences: tuple[Difference, ...] = ()
    """After a correction: against the chips that the earlier settlement left with the players."""


class Payout(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What is handed over beside the stake for one bet or one insurance; negative if it is taken."""

    who: str
    box: int
    bet: str
    amount_minor: int
    stage: Stage | None = None


class PayoutsVerified(Event, frozen=True, tag="payouts_verified.1"):
    """A supervisor verified the payouts over the threshold."""

    round: int
    payouts: tuple[Payout, ...]
    clauses: tuple[Clause, ...]
    """Those the payouts follow from."""


class PaymentsMarked(Event, frozen=True, tag="payments_marked.1"):
    """The dealer has taken and paid these lines of the settlement sheet."""

    round: int
    lines: tuple[Payout, ...]
    taken_back: bool = False
    """They were marked by a slip, and are still to be done."""
