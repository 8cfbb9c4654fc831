"""How a table changes when betting was closed by a slip, and when a round is cancelled."""

from msgspec.structs import replace

from punto.table.decision import Evolvers, this_round
from punto.table.play.settling import round_over
from punto.table.play.stake_correction import with_played
from punto.table.records.correction_events import BettingReopened, RoundCancelled
from punto.table.records.kinds import SqueezeState
from punto.table.records.state import Phase, Table


def on_betting_reopened(table: Table, _: BettingReopened) -> Table:
    """The next close decides again how much of each bet plays and which requests to squeeze lapse."""
    now = this_round(table)
    squeezes = tuple(
        replace(each, state=each.lapsed_from) if each.state is SqueezeState.LAPSED else each for each in now.squeezes
    )
    reopened = replace(with_played(now, ()), at_close={}, bets_corrected=False, squeezes=squeezes)
    return replace(table, phase=Phase.BETTING, round=reopened)


def on_round_cancelled(table: Table, event: RoundCancelled) -> Table:
    """It does not count as a round after the cut card. The round before is as it was, if nothing has happened since."""
    now, shoe = this_round(table), table.shoe
    if shoe is not None and now.after_cut_card:
        shoe = replace(shoe, rounds_since_cut_card=shoe.rounds_since_cut_card - 1)
    over, before = round_over(replace(table, shoe=shoe), replace(now, cancelled=True)), table.round_before
    if event.restores is None or before is None:
        return over
    again = replace(before.round, calls_cancelled=before.round.calls_cancelled + 1)
    return replace(over, round=again, gone=before.gone, abandoned=before.abandoned)


EVOLVERS: Evolvers = {
    BettingReopened: on_betting_reopened,
    RoundCancelled: on_round_cancelled,
}
