"""What the cards carried over face up are worth to a bettor, for the pit to know before betting opens."""

from msgspec import Struct

from punto.floor.edges.round_start import RoundStart, round_start
from punto.floor.edges.table_edges import solve_starts
from punto.floor.running.live_table import LiveTable
from punto.rules.topics import Topic
from punto.table.records.state import Phase
from punto.web.messages import BetEdge, KnownFirst


class CarriedFirst(Struct, frozen=True, eq=False):
    """The next round, of which at least one card is known."""

    start: RoundStart

    @property
    def version(self) -> tuple[object, ...]:
        """Equal for cards of equal value."""
        return self.start.version

    def worth(self) -> KnownFirst:
        """Takes some 25 milliseconds: do not call on the event loop."""
        (edges,) = solve_starts([self.start], compiled=False)
        return KnownFirst(
            cards=tuple(None if card is None else str(card) for card in self.start.first),
            bets=tuple(BetEdge(bet=bet, edge=str(edge), edge_float=float(edge)) for bet, edge in edges.items()),
            best=min(edges, key=edges.__getitem__),
            clauses=self.start.rules.topics[Topic.EXCESS_CARDS],
        )


def carried_first(live: LiveTable) -> CarriedFirst | None:
    """The cards carried over to the next round; None if none of its cards is known, or betting has opened."""
    start = round_start(live) if live.state.phase is Phase.READY else None
    return CarriedFirst(start) if start is not None and start.first_known else None
