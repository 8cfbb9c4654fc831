"""The exact edge of every bet of a round, from what is known before it."""

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.edges.round_start import RoundStart
from punto.odds.distribution import Distribution
from punto.odds.exact.known_cards import solve_known
from punto.odds.exact.solver import lines_of, solve
from punto.odds.figures import edge_of
from punto.rules.rulebook import Rulebook


class TableEdges(Struct, frozen=True):
    table: str
    round_next: int
    """The round they are for: the one that is open, or the next."""
    shoe: str
    drawn: int
    """Cards drawn from the shoe before the round."""
    edges: dict[str, Fraction]
    """The house edge of each bet on the menu. Negative: the bettor has the advantage."""
    first_card_known: bool
    """A card that is dealt first lies face up."""

    @property
    def below_zero(self) -> dict[str, Fraction]:
        """The bets that favour the bettor, the best first."""
        return dict(sorted(((bet, edge) for bet, edge in self.edges.items() if edge < 0), key=lambda each: each[1]))


def solve_starts(starts: Sequence[RoundStart], *, compiled: bool) -> list[dict[str, Fraction]]:
    """The edges of every bet on the menu, for each round. ``compiled`` needs the extra ``odds``.

    A round takes some 3 milliseconds in plain Python, 0.3 compiled, and 25 if a card is known: not for an event loop.
    """
    dealt: dict[int, Distribution] = {}
    by_book: dict[str, list[int]] = {}
    for at, start in enumerate(starts):
        if start.first_known:
            known = solve_known(start.rules, start.first, start.unseen, start.menu)
            assert known is not None  # noqa: S101 - a start has cards for a round
            dealt[at] = known
        elif compiled:
            by_book.setdefault(start.rules.id, []).append(at)
        else:
            dealt[at] = solve(start.rules, start.unseen, start.menu)
    for places in by_book.values():
        chosen = [starts[at] for at in places]
        dealt |= zip(places, _solve_compiled(chosen[0].rules, chosen), strict=True)
    return [{bet: edge_of(start.rules.bets[bet], dealt[at]) for bet in start.menu} for at, start in enumerate(starts)]


def _solve_compiled(rules: Rulebook, starts: Sequence[RoundStart]) -> list[Distribution]:
    from punto.odds.exact.batch import solve_many  # noqa: PLC0415 - needs the extra, and takes a second to import

    batch = solve_many(rules, [start.unseen for start in starts])
    return [replace(batch[at], lines=lines_of(rules, start.unseen, start.menu)) for at, start in enumerate(starts)]
