"""What the cards carried over face up are worth to a bettor, for the pit to know before betting opens."""

from fractions import Fraction

from msgspec import Struct

from punto.floor.running.live_table import LiveTable
from punto.odds.exact.known_cards import solve_known
from punto.odds.figures import bet_figures
from punto.odds.procedure import LARGEST_ROUND
from punto.odds.shoe import Composition
from punto.rules.coup.cards import Face
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records.state import Phase
from punto.web.messages import KnownFirst, KnownFirstBet
from punto.web.views.offer_worth import unseen


class CarriedFirst(Struct, frozen=True, eq=False):
    """The cards that start the next round, at least one of them face up, and the cards nobody has seen."""

    rules: Rulebook
    layout: str
    first: tuple[Face | None, ...]
    unseen: Composition

    @property
    def version(self) -> tuple[object, ...]:
        """Equal for cards of equal value."""
        return self.layout, self.first, self.unseen.ranks

    def worth(self) -> KnownFirst | None:
        """None if the shoe cannot fill a round. Takes some 25 milliseconds: do not call on the event loop."""
        dealt = solve_known(self.rules, self.first, self.unseen)
        if dealt is None:
            return None
        edges: dict[str, Fraction] = {
            bet: bet_figures(self.rules.bets[bet], dealt).edge for bet in self.rules.layouts[self.layout].menu
        }
        return KnownFirst(
            cards=tuple(None if card is None else str(card) for card in self.first),
            bets=tuple(KnownFirstBet(bet=bet, edge=str(edge), edge_float=float(edge)) for bet, edge in edges.items()),
            best=min(edges, key=edges.__getitem__),
            clauses=self.rules.topics[Topic.EXCESS_CARDS],
        )


def carried_first(live: LiveTable) -> CarriedFirst | None:
    """The cards carried over to the next round; None if none of its cards is known, or betting has opened."""
    state, rules = live.state, live.rules
    first = tuple(each.card for each in state.carried[:LARGEST_ROUND])
    if state.phase is not Phase.READY or state.shoe is None or not any(first):
        return None
    if state.settings is None or state.settings.layout not in rules.layouts:
        return None
    return CarriedFirst(rules, state.settings.layout, first, unseen(state.shoe))
