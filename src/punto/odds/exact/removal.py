"""Effects of removal: how removing one card of a rank changes the bettor's expectation."""

from collections.abc import Iterable
from fractions import Fraction

from msgspec import Struct

from punto.odds.exact.solver import lines_of, solve
from punto.odds.figures import Figures, edge_over, figures, require_bet
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
    ranked = [bet for bet in chosen if not require_bet(book, bet).needs_suits]
    edges = _edges(figures(book, solve(book, composition, chosen), chosen))
    suited = [bet for bet in chosen if book.bets[bet].needs_suits]
    effects: dict[str | Cell, dict[str, Fraction]] = {key: {} for key in edges}
    for rank, left in zip(RANKS, composition.ranks, strict=True):
        if left:
            after = _edges(figures(book, solve(book, composition.less(rank), ranked), ranked)) | _suited_edges(
                book, composition, rank, suited
            )
            for key, edge in after.items():
                effects[key][rank] = edges[key] - edge
    results = {key: Effects(edges[key], by_rank) for key, by_rank in effects.items()}
    return Removal(
        {key: effect for key, effect in results.items() if isinstance(key, str)},
        {key: effect for key, effect in results.items() if isinstance(key, Cell)},
    )


def _suited_edges(book: Rulebook, composition: Composition, rank: str, bets: list[str]) -> dict[str | Cell, Fraction]:
    """The edges of bets that depend on suits, after any card of the rank that is left."""
    if not bets:
        return {}
    sums: dict[str | Cell, Fraction] = dict.fromkeys(bets, Fraction())
    left = {card: number for card, number in composition.by_card().items() if card.rank == rank and number}
    for card, number in left.items():
        after = lines_of(book, composition.less_card(card), bets)
        for bet in bets:
            sums[bet] += Fraction(number, sum(left.values())) * edge_over(book.bets[bet], after[bet], sum(after[bet]))
    return sums


def _edges(worth: Figures) -> dict[str | Cell, Fraction]:
    """The edge of each bet and each cell. Removing a card never makes new cells possible."""
    edges: dict[str | Cell, Fraction] = {bet: each.edge for bet, each in worth.bets.items()}
    for each in worth.insurance:
        edges[Cell(each.stage, each.side, each.player, each.banker)] = each.edge
    return edges
