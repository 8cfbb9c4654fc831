"""The expected value of the insurance on offer, given the cards that have been seen."""

from msgspec import Struct

from punto.floor.running.live_table import LiveTable
from punto.odds.exact.insurance_offer import offer_figures
from punto.odds.figures import StakeFigures
from punto.odds.shoe import Composition
from punto.rules.bets.insurance import InsuranceLine
from punto.rules.coup.cards import RANKS, SUITS, Face
from punto.rules.coup.coup import Coup
from punto.table.play.insuring import current_line, visible_coup
from punto.table.records.state import Shoe


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
    line, coup = current_line(rules, state), visible_coup(rules, state)
    return None if line is None or coup is None else OpenOffer(line, coup, unseen(state.shoe))


def unseen(shoe: Shoe) -> Composition:
    """The cards nobody has seen: those left in the shoe and those burned face down."""
    left = dict.fromkeys(RANKS, shoe.decks * len(SUITS))
    return Composition(tuple(copies - shoe.copies_seen(Face(rank)) for rank, copies in left.items()))
