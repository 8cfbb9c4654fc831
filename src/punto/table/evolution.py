"""``evolve`` applies an event to a table. It never judges."""

from msgspec.structs import replace

from punto.table.decision import Evolvers
from punto.table.irregularities import extra_cards, ordering, rulings, uninsured
from punto.table.play import (
    betting,
    calling,
    card_correction,
    dealing,
    exchanging,
    identifying,
    insurance_stakes,
    insuring,
    opening,
    options,
    payouts,
    raising,
    rejudging,
    restarting,
    round_correction,
    seating,
    settling,
    shoe_records,
    shuffler,
    squeezing,
    stake_correction,
    trays,
    voiding,
)
from punto.table.records.chips import SlipReceived, SlipRequested, SlipSent, SlipVoided, TrayCounted
from punto.table.records.correction_events import BettingReopened
from punto.table.records.events import (
    BettingClosed,
    BettingOpened,
    CardsBurned,
    CardTurned,
    CutCardReached,
    Event,
    MoneyEvent,
    PlayerIdentified,
)
from punto.table.records.findings import CardCorrected, IrregularityRaised, RestartRecorded, RoundResumed
from punto.table.records.ledger import post
from punto.table.records.pit_calls import CallAnswered, PitCalled
from punto.table.records.state import Table

EVOLVERS: Evolvers = {
    **opening.EVOLVERS,
    **shoe_records.EVOLVERS,
    **shuffler.EVOLVERS,
    **seating.EVOLVERS,
    **identifying.EVOLVERS,
    **betting.EVOLVERS,
    **dealing.EVOLVERS,
    **card_correction.EVOLVERS,
    **squeezing.EVOLVERS,
    **insuring.EVOLVERS,
    **insurance_stakes.EVOLVERS,
    **rejudging.EVOLVERS,
    **settling.EVOLVERS,
    **payouts.EVOLVERS,
    **voiding.EVOLVERS,
    **exchanging.EVOLVERS,
    **restarting.EVOLVERS,
    **calling.EVOLVERS,
    **trays.EVOLVERS,
    **extra_cards.EVOLVERS,
    **ordering.EVOLVERS,
    **raising.EVOLVERS,
    **options.EVOLVERS,
    **uninsured.EVOLVERS,
    **rulings.EVOLVERS,
    **stake_correction.EVOLVERS,
    **round_correction.EVOLVERS,
}


_LEAVE_LAST_ENTRY = frozenset(
    {
        *(CardsBurned, CardTurned, CutCardReached, CardCorrected, IrregularityRaised),
        *(PlayerIdentified, RestartRecorded, RoundResumed, PitCalled, CallAnswered),
        *(SlipRequested, SlipSent, SlipReceived, SlipVoided, TrayCounted),
    }
)
"""Events after which a card is still the last entry. A player's new name, a restart, a call for the pit
and what happens to the tray are nothing in the game."""

LEAVE_ROUND_BEFORE = frozenset(
    {
        *(BettingOpened, BettingClosed, BettingReopened, RestartRecorded, RoundResumed, PitCalled, CallAnswered),
        *(SlipRequested, SlipSent, SlipReceived, SlipVoided, TrayCounted),
    }
)
"""Events after which a round is still as empty as when it was called. After all others, also when people come and go or
get a name, its cancellation does not give back the round before."""


def evolve(table: Table, event: Event) -> Table:
    """The table after an event. Postings are applied first, so evolvers see the new balances."""
    if isinstance(event, MoneyEvent):
        table = replace(table, balances=post(table.balances, event.postings))
    after = EVOLVERS[type(event)](table, event)
    if after.restart is not None:
        after = restarting.clear_answered(after, event)
    if after.round is not None and after.round.irregularities.correctable:
        after = options.end_choices(after, event)
    if after.last_entered is not None and type(event) not in _LEAVE_LAST_ENTRY:
        after = replace(after, last_entered=None)
    if after.round_before is not None and type(event) not in LEAVE_ROUND_BEFORE:
        return replace(after, round_before=None)
    return after
