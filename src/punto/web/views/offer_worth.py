"""The expected value of the insurance on offer, given the cards that have been seen."""

from msgspec import Struct

from punto.floor.edges.round_start import unseen
from punto.floor.running.live_table import LiveTable
from punto.odds.exact.insurance_offer import offer_figures
from punto.odds.figures import StakeFigures
from punto.odds.shoe import Composition
from punto.rules.bets.insurance import InsuranceLine
from punto.rules.coup.coup import Coup
from punto.table.play.insuring import current_line, visible_coup


class OpenOffer(Struct, frozen=True, eq=False):
    """An offer and everything its value depends on."""

    line: InsuranceLine
    coup: Coup
    unseen: Composition

    @property
    def version(self) -> tuple[object, ...]:
        """Equal for offers of equal value."""
        return self.line.stage, self.line.side, self.coup.cards, self.unseen.ranks

    def figures(self) -> StakeFigures:
        """Exact, over all cards that may come. Takes some milliseconds: do not call on the event loop."""
        return offer_figures(self.line, self.coup, self.unseen)


def open_offer(live: LiveTable) -> OpenOffer | None:
    state, rules = live.state, live.rules
    if state.round is None or not state.round.insurance.offer_stands or state.shoe is None:
        return None
    line, coup, left = current_line(rules, state), visible_coup(rules, state), unseen(state.shoe)
    return None if line is None or coup is None or left is None else OpenOffer(line, coup, left)
