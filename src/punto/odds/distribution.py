"""How the rounds of a shoe come out, as whole numbers: counted exactly, or tallied by simulation."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from punto.rules.bets.insurance import Stage
from punto.rules.coup.space import ENDS, PAIRS, Space, Winner, run_index
from punto.rules.coup.table_of_play import POINTS, To

WINNERS: Final = tuple(Winner)
CELLS: Final = len(POINTS) ** 2
"""How many cells of points an insurance table has: Player's by Banker's."""


class Distribution(Struct, frozen=True):
    """All rounds there can be, or all that were played, by what bets and insurance ask about.

    Every number is a weight over ``total``: ordered deals of six cards, used or not, when counted; rounds, when
    played.
    """

    total: int
    ends: tuple[int, ...]
    """By the index of the end: 400."""
    pairs: tuple[int, ...]
    """By pair pattern, in the order of ``Pairs``: 5."""
    four: tuple[int, ...]
    """By :func:`cell` of both hands on four cards and by winner: 300; only where a fifth card is drawn."""
    third: tuple[int, ...]
    """By :func:`cell` of Player on three cards and Banker on two, and by winner: 300; only where Banker draws too."""

    @classmethod
    def of_runs(cls, space: Space, runs: Sequence[int], pairs: Sequence[int]) -> "Distribution":
        """From how often each of the 10,000 runs and each of the five pair patterns came."""
        total = sum(runs)
        if len(runs) != len(space.ends) or len(pairs) != len(PAIRS) or sum(pairs) != total:
            raise ValueError("every round is one of the 10,000 runs and one of the 5 pair patterns")
        ends, four, third = [0] * len(ENDS), [0] * (3 * CELLS), [0] * (3 * CELLS)
        play = space.play
        for player in POINTS:
            for banker in POINTS:
                to = play.fifth(player, banker).to
                for fifth in POINTS:
                    asked_again = to is To.PLAYER and play.sixth(banker, fifth).to is To.BANKER
                    for sixth in POINTS:
                        run = run_index((player, banker, fifth, sixth))
                        weight, end = int(runs[run]), space.ends[run]
                        ends[end.index] += weight
                        if to is not To.NOBODY:
                            four[cell(player, banker, end.winner)] += weight
                        if asked_again:
                            third[cell(end.player, banker, end.winner)] += weight
        return cls(int(total), tuple(ends), tuple(map(int, pairs)), tuple(four), tuple(third))

    def at(self, stage: Stage, player: int, banker: int) -> dict[Winner, int]:
        """The weight of the rounds that come by this cell with a card still to be drawn, by their winner."""
        weights = self.four if stage is Stage.FOUR else self.third
        return {winner: weights[cell(player, banker, winner)] for winner in WINNERS}


def cell(player: int, banker: int, winner: Winner) -> int:
    """The place of a cell of points and a winner in ``four`` and ``third``."""
    return (player * 10 + banker) * 3 + WINNERS.index(winner)
