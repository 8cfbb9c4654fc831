"""The house's exact edge of every bet and every insurance, for the theoretical win.

This is the one place where the floor asks ``punto.odds``.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from msgspec import Struct

from punto.floor.journal.round_records import InsuranceCell
from punto.library import book
from punto.odds import figures, full_shoe, solve


class Edges(Struct, frozen=True):
    """The house's edge of each unit staked, of a game with a full shoe of so many decks."""

    bets: dict[str, Fraction]
    insurance: dict[InsuranceCell, Fraction]

    def of(self, bet: str, cell: InsuranceCell | None) -> Fraction:
        """The edge of a bet, or of insurance taken on those points."""
        return self.bets[bet] if cell is None else self.insurance[cell]


EdgesOf = Callable[[str, int], Edges]
"""The edges by book and number of decks."""


@cache
def exact_edges(book_id: str, decks: int) -> Edges:
    """Counted over all ordered deals of a full shoe."""
    rules = book(book_id)
    found = figures(rules, solve(rules, full_shoe(rules, decks)))
    return Edges(
        {bet: odds.edge for bet, odds in found.bets.items()},
        {(cell.stage, cell.side, cell.player, cell.banker): cell.edge for cell in found.insurance},
    )
