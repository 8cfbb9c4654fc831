"""Every possible coup in one space.

A *run* is the points of both hands on two cards and the values of cards five and six, used or not:
10,000 cells. The *end* of a run is the points and the number of cards of both hands: 400. There are also
five *pair patterns*. An end and a pattern make an *outcome*, which is all that a bet depends on.
"""

from collections.abc import Iterable
from enum import StrEnum
from functools import cached_property, reduce
from operator import or_
from typing import Final

from msgspec import Struct

from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import POINTS, NextCard, TableOfPlay, To

UNKNOWN: Final = 10
"""Points or a value not yet known, in a partial run."""

Partial = tuple[int, int, int, int]
"""A run that is not fully known: two-card points of Player and Banker, values of cards five and six."""


class Winner(StrEnum):
    """Who won the coup."""

    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


class Pairs(StrEnum):
    """Which of the two hands started with a pair."""

    NONE = "none"
    PLAYER = "player"
    BANKER = "banker"
    BOTH = "both"
    """Both, of different ranks."""
    TWIN = "twin"
    """Both, of the same rank."""


class End(Struct, frozen=True):
    """How a coup ended: the points and the number of cards of both hands, and what follows from them."""

    index: int
    """Index among the 400."""
    player: int
    player_cards: int
    banker: int
    banker_cards: int
    cards: int
    winner: Winner

    @classmethod
    def of(cls, player: int, player_cards: int, banker: int, banker_cards: int) -> "End":
        """The end with these four numbers."""
        return ENDS[(player * 2 + player_cards - 2) * 20 + banker * 2 + banker_cards - 2]

    def __str__(self) -> str:
        """For messages: points and cards of both hands."""
        return f"Player {self.player} on {self.player_cards} cards, Banker {self.banker} on {self.banker_cards}"


def _winner(player: int, banker: int) -> Winner:
    if player == banker:
        return Winner.TIE
    return Winner.PLAYER if player > banker else Winner.BANKER


_FOURS = ((p, pc, b, bc) for p in POINTS for pc in (2, 3) for b in POINTS for bc in (2, 3))
ENDS: Final = tuple(End(at, p, pc, b, bc, pc + bc, _winner(p, b)) for at, (p, pc, b, bc) in enumerate(_FOURS))
PAIRS: Final = tuple(Pairs)
_TWIN: Final = PAIRS.index(Pairs.TWIN)


class Outcome(Struct, frozen=True):
    """All that a bet can ask about a finished coup."""

    end: End
    pairs: Pairs

    @property
    def index(self) -> int:
        """Index among the 2,000."""
        return self.end.index * len(PAIRS) + PAIRS.index(self.pairs)


def run_index(run: Partial) -> int:
    """Index of a fully known run among the 10,000."""
    player, banker, fifth, sixth = run
    return player * 1000 + banker * 100 + fifth * 10 + sixth


def pairs_index(player_rank: str | None, banker_rank: str | None) -> int:
    """The index of the pair pattern, by the rank each hand has a pair of, if any."""
    if player_rank is not None and player_rank == banker_rank:
        return _TWIN
    return (player_rank is not None) + 2 * (banker_rank is not None)


class Space(Struct, frozen=True, dict=True):
    """All runs of one Table of Play."""

    play: TableOfPlay

    @cached_property
    def card_values(self) -> dict[Face | None, int]:
        """What each face is worth; a card face down may be worth anything."""
        values: dict[Face | None, int] = {face: self.play.values[face.rank] for face in Face}
        values[None] = UNKNOWN
        return values

    @cached_property
    def ends(self) -> tuple[End, ...]:
        """The end of each run."""
        runs: list[End] = []
        for player in POINTS:
            for banker in POINTS:
                to = self.play.fifth(player, banker).to
                for fifth in POINTS:
                    if to is To.NOBODY:
                        runs += [End.of(player, 2, banker, 2)] * 10
                    elif to is To.BANKER:
                        runs += [End.of(player, 2, (banker + fifth) % 10, 3)] * 10
                    elif self.play.sixth(banker, fifth).to is To.NOBODY:
                        runs += [End.of((player + fifth) % 10, 3, banker, 2)] * 10
                    else:
                        total = (player + fifth) % 10
                        runs += [End.of(total, 3, (banker + sixth) % 10, 3) for sixth in POINTS]
        return tuple(runs)

    @cached_property
    def reachable(self) -> int:
        """The ends that at least one run leads to, as a bit set."""
        return reduce(or_, (1 << end.index for end in set(self.ends)))

    @cached_property
    def fifths(self) -> dict[tuple[int, int], NextCard]:
        """Where the fifth card goes, by the points of Player and Banker or UNKNOWN, as far as it was asked."""
        return {}

    @cached_property
    def _possible_cache(self) -> dict[Partial, int]:
        return {}

    def possible_ends(self, partial: Partial) -> int:
        """The ends still possible for a partly known run, as a bit set.

        Any card can still be dealt, so a hand with an unknown card can have any points.
        """
        bits = self._possible_cache.get(partial)
        if bits is None:
            player, banker, fifth, sixth = partial
            if player == UNKNOWN:
                bits = self._union((value, banker, fifth, sixth) for value in POINTS)
            elif banker == UNKNOWN:
                bits = self._union((player, value, fifth, sixth) for value in POINTS)
            elif fifth == UNKNOWN:
                bits = self._union((player, banker, value, sixth) for value in POINTS)
            elif sixth == UNKNOWN:
                bits = self._union((player, banker, fifth, value) for value in POINTS)
            else:
                bits = 1 << self.ends[run_index(partial)].index
            self._possible_cache[partial] = bits
        return bits

    def _union(self, cases: Iterable[Partial]) -> int:
        return reduce(or_, map(self.possible_ends, cases))
