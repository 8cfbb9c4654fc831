"""The exact house edge and covariance of every bet and insurance, for the theoretical win and its deviation."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from msgspec import Struct

from punto.library import book
from punto.odds import full_shoe, full_shoe_figures
from punto.odds.exact.covariance import Covariances
from punto.rules.bets.insurance import InsuranceCell


class Edges(Struct, frozen=True):
    """House edge for each unit staked, with a full shoe."""

    bets: dict[str, Fraction]
    insurance: dict[InsuranceCell, Fraction]

    def of(self, bet: str, cell: InsuranceCell | None) -> Fraction:
        """The edge of a bet, or of insurance if ``cell`` is given."""
        return self.bets[bet] if cell is None else self.insurance[cell]


EdgesOf = Callable[[str, int], Edges]
"""Returns the edges for a book and a number of decks."""


@cache
def exact_edges(book_id: str, decks: int) -> Edges:
    """Counted over all ordered deals of a full shoe."""
    figures = full_shoe_figures(book(book_id), decks)
    return Edges(
        {bet: odds.edge for bet, odds in figures.bets.items()},
        {(cell.stage, cell.side, cell.player, cell.banker): cell.edge for cell in figures.insurance},
    )


CovariancesOf = Callable[[str, int], Covariances]
"""Returns the covariances for a book and a number of decks."""


@cache
def exact_covariances(book_id: str, decks: int) -> Covariances:
    """Takes a third of a second the first time."""
    rules = book(book_id)
    return Covariances(rules, full_shoe(rules, decks))
