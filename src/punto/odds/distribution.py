"""The outcomes of a round as integer weights, counted exactly or tallied by simulation."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import BetRule
from punto.rules.coup.space import ENDS, PAIRS, Space, Winner, run_index
from punto.rules.coup.table_of_play import POINTS, To

WINNERS: Final = tuple(Winner)
CELLS: Final = len(POINTS) ** 2
"""Cells of an insurance table: Player's points by Banker's points."""


class Distribution(Struct, frozen=True):
    """Rounds grouped by everything that bets and insurance depend on.

    Every number is a weight out of ``total``. Counted exactly, a weight is a number of ordered deals of six cards,
    whether all six are used or not. Simulated, it is a number of rounds.
    """

    total: int
    ends: tuple[int, ...]
    """400 weights, by index of the end."""
    pairs: tuple[int, ...]
    """5 weights, by pair pattern in the order of ``Pairs``."""
    four: tuple[int, ...]
    """300 weights, by :func:`cell` of both hands on four cards. Only rounds with a fifth card count."""
    third: tuple[int, ...]
    """300 weights, by :func:`cell` of Player on three cards and Banker on two. Only rounds with a sixth card count."""
    lines: dict[str, tuple[int, ...]] = {}
    """For each bet on single cards that was counted: a weight for each line that comes first, and one for none."""

    @classmethod
    def of_runs(
        cls, space: Space, runs: Sequence[int], pairs: Sequence[int], lines: dict[str, tuple[int, ...]] | None = None
    ) -> "Distribution":
        """Build from the frequencies of the 10,000 runs, of the five pair patterns and of the lines of card bets."""
        total = sum(runs)
        if len(runs) != len(space.ends) or len(pairs) != len(PAIRS) or sum(pairs) != total:
            raise ValueError("expected 10,000 runs and 5 pair patterns with the same total")
        ends, four, third = [0] * len(ENDS), [0] * (3 * CELLS), [0] * (3 * CELLS)
        play = space.play
        for player in POINTS:
            for banker in POINTS:
                to = play.fifth(player, banker).to
                for fifth in POINTS:
                    banker_draws_too = to is To.PLAYER and play.sixth(banker, fifth).to is To.BANKER
                    for sixth in POINTS:
                        run = run_index((player, banker, fifth, sixth))
                        weight, end = int(runs[run]), space.ends[run]
                        ends[end.index] += weight
                        if to is not To.NOBODY:
                            four[cell(player, banker, end.winner)] += weight
                        if banker_draws_too:
                            third[cell(end.player, banker, end.winner)] += weight
        return cls(int(total), tuple(ends), tuple(map(int, pairs)), tuple(four), tuple(third), lines or {})

    def of_cells(self, rule: BetRule) -> tuple[int, ...]:
        """Weights by cell of a bet."""
        if rule.automaton is not None:
            return self.lines[rule.id]
        return self.pairs if rule.over_pairs else self.ends

    def at(self, stage: Stage, player: int, banker: int) -> dict[Winner, int]:
        """Weights by winner of the rounds that reach this cell with a card still to draw."""
        weights = self.four if stage is Stage.FOUR else self.third
        return {winner: weights[cell(player, banker, winner)] for winner in WINNERS}


def cell(player: int, banker: int, winner: Winner) -> int:
    """Index of a cell of points and a winner in ``four`` and ``third``."""
    return (player * 10 + banker) * 3 + WINNERS.index(winner)
