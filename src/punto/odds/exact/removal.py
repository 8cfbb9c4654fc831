"""Effects of removal: how removing one card of a rank changes the bettor's expectation."""

from collections.abc import Iterable
from fractions import Fraction

from msgspec import Struct

from punto.odds.exact.solver import solve
from punto.odds.figures import Figures, figures
from punto.odds.procedure import LARGEST_ROUND
from punto.odds.shoe import Composition
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import RANKS
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic


class Cell(Struct, frozen=True, order=True):
    """Identifies an insurance cell."""

    stage: Stage
    side: Side
    player: int
    banker: int


class Effects(Struct, frozen=True):
    """Effects of removal on one bet, or on one insurance cell given that it is offered."""

    edge: Fraction
    """The house edge before the removal."""
    by_rank: dict[str, Fraction]
    """By rank of the removed card: increase of the bettor's expectation per unit staked.

    Without ranks of which no card is left, and without ranks whose removal makes the cell impossible.
    """


class Removal(Struct, frozen=True):
    bets: dict[str, Effects]
    insurance: dict[Cell, Effects]


def removal(book: Rulebook, composition: Composition, bets: Iterable[str] | None = None) -> Removal:
    """Solve the shoe with and without one card of each rank, and compare. The results are exact."""
    if composition.cards <= LARGEST_ROUND:
        raise Refused(
            Code.TOO_FEW_CARDS,
            variant="removal",
            topic=Topic.SHOE_RUN_OUT,
            clauses=book.topics[Topic.SHOE_RUN_OUT],
            most=LARGEST_ROUND,
            cards=composition.cards,
        )
    chosen = tuple(book.bets if bets is None else bets)
    edges = _edges(figures(book, solve(book, composition), chosen))
    effects: dict[str | Cell, dict[str, Fraction]] = {key: {} for key in edges}
    for rank, left in zip(RANKS, composition.ranks, strict=True):
        if left:
            after = _edges(figures(book, solve(book, composition.less(rank)), chosen))
            for key, edge in after.items():
                effects[key][rank] = edges[key] - edge
    results = {key: Effects(edges[key], by_rank) for key, by_rank in effects.items()}
    return Removal(
        {key: effect for key, effect in results.items() if isinstance(key, str)},
        {key: effect for key, effect in results.items() if isinstance(key, Cell)},
    )


def _edges(worth: Figures) -> dict[str | Cell, Fraction]:
    """The edge of each bet and each cell. Removing a card never makes new cells possible."""
    edges: dict[str | Cell, Fraction] = {bet: each.edge for bet, each in worth.bets.items()}
    for each in worth.insurance:
        edges[Cell(each.stage, each.side, each.player, each.banker)] = each.edge
    return edges
