"""Effects of removal: what one card less of a rank adds to the bettor's expectation, bet by bet and cell by cell."""

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
    """An insurance cell by its name."""

    stage: Stage
    side: Side
    player: int
    banker: int


class Effects(Struct, frozen=True):
    """What becomes of one bet, or of one cell once it is offered, as cards leave the shoe."""

    edge: Fraction
    """The house's edge before."""
    by_rank: dict[str, Fraction]
    """By the rank of the card that leaves: how much the bettor's expectation for each unit staked rises by it.

    A rank of which none is left is not among them, nor one without which the cell is never offered.
    """


class Removal(Struct, frozen=True):
    """The effects of removal on all of a game."""

    bets: dict[str, Effects]
    insurance: dict[Cell, Effects]


def removal(book: Rulebook, composition: Composition, bets: Iterable[str] | None = None) -> Removal:
    """The difference that each rank makes, exactly: the shoe solved with one card of it less, beside the shoe."""
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
    effects: dict[str | Cell, dict[str, Fraction]] = {one: {} for one in edges}
    for rank, left in zip(RANKS, composition.ranks, strict=True):
        if left:
            after = _edges(figures(book, solve(book, composition.less(rank)), chosen))
            for one, edge in after.items():
                effects[one][rank] = edges[one] - edge
    found = {one: Effects(edges[one], by_rank) for one, by_rank in effects.items()}
    return Removal(
        {one: effect for one, effect in found.items() if isinstance(one, str)},
        {one: effect for one, effect in found.items() if isinstance(one, Cell)},
    )


def _edges(worth: Figures) -> dict[str | Cell, Fraction]:
    """The edge of each bet and each cell. A cell that was not offered before is not offered with a card less."""
    edges: dict[str | Cell, Fraction] = {bet: each.edge for bet, each in worth.bets.items()}
    for each in worth.insurance:
        edges[Cell(each.stage, each.side, each.player, each.banker)] = each.edge
    return edges
