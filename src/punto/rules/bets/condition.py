"""What one pay line asks of a coup, in the words of a book: facts of the points, and features of the cards."""

from collections.abc import Callable
from enum import StrEnum
from typing import Final

from msgspec import Struct

from punto.rules.bets.features import Group
from punto.rules.coup.space import ENDS, UNKNOWN, End, Pairs, Space, Winner
from punto.rules.coup.table_of_play import POINTS, To


class Fact(StrEnum):
    """A number that a finished coup has."""

    POINTS = "points"
    """The winning hand's, or both hands' in a tie."""
    PLAYER = "player"
    BANKER = "banker"
    TOTAL = "total"
    """The points of both hands together."""
    MARGIN = "margin"
    CARDS = "cards"
    PLAYER_CARDS = "player_cards"
    BANKER_CARDS = "banker_cards"
    PLAYER_TWO_POINTS = "player_two_points"
    """The points of the hand's first two cards."""
    BANKER_TWO_POINTS = "banker_two_points"
    PLAYER_THIRD = "player_third"
    """The value of the hand's third card; a hand of two cards has none."""
    BANKER_THIRD = "banker_third"


OF_END: Final[dict[Fact, Callable[[End], int]]] = {
    Fact.POINTS: lambda end: max(end.player, end.banker),
    Fact.PLAYER: lambda end: end.player,
    Fact.BANKER: lambda end: end.banker,
    Fact.TOTAL: lambda end: end.player + end.banker,
    Fact.MARGIN: lambda end: abs(end.player - end.banker),
    Fact.CARDS: lambda end: end.cards,
    Fact.PLAYER_CARDS: lambda end: end.player_cards,
    Fact.BANKER_CARDS: lambda end: end.banker_cards,
}
"""The facts that follow from the end of a coup. The others need its run."""


class Natural(StrEnum):
    """Which hands have a natural."""

    PLAYER = "player"
    BANKER = "banker"
    EITHER = "either"
    BOTH = "both"
    NONE = "none"


class Condition(Struct, frozen=True, omit_defaults=True):
    """Everything named here has to hold; what is empty or None holds always."""

    winners: tuple[Winner, ...] = ()
    numbers: tuple[tuple[Fact, tuple[int, ...]], ...] = ()
    """For each fact, the numbers it may be."""
    natural: Natural | None = None
    naturals: tuple[tuple[int, ...], ...] = ()
    """Where naturals are asked for: the points on two cards that are one, Player's and Banker's."""
    pairs: tuple[Pairs, ...] = ()
    features: tuple[tuple[Group, tuple[str, ...]], ...] = ()
    """For each group of cards, the words that all have to be true of it."""

    @property
    def about_end(self) -> bool:
        """Whether the end of the coup alone decides it."""
        return not self.pairs and not self.features and all(fact in OF_END for fact, _ in self.numbers)

    @property
    def about_run(self) -> bool:
        """Whether points or the numbers of cards matter at all."""
        return bool(self.winners or self.numbers or self.natural)

    def matches(self, end: End) -> bool:
        """Whether the end is as asked, so far as the condition is about the end."""
        return (
            (not self.winners or end.winner in self.winners)
            and all(OF_END[fact](end) in numbers for fact, numbers in self.numbers if fact in OF_END)
            and (self.natural is None or self.natural in self._naturals(end))
        )

    def _naturals(self, end: End) -> tuple[Natural, ...]:
        player = end.player_cards == 2 and end.player in self.naturals[0]
        banker = end.banker_cards == 2 and end.banker in self.naturals[1]
        if not player and not banker:
            return (Natural.NONE,)
        if player and banker:
            return (Natural.PLAYER, Natural.BANKER, Natural.EITHER, Natural.BOTH)
        return (Natural.PLAYER if player else Natural.BANKER, Natural.EITHER)

    def runs(self, space: Space) -> int:
        """The runs that are as asked, as a bit set."""
        ends = [self.matches(end) for end in ENDS]
        of_run = [(fact, numbers) for fact, numbers in self.numbers if fact not in OF_END]
        bits = ["0"] * len(space.ends)
        at = 0
        for player in POINTS:
            for banker in POINTS:
                to = space.play.fifth(player, banker).to
                for fifth in POINTS:
                    for sixth in POINTS:
                        end = space.ends[at]
                        if ends[end.index] and (not of_run or _has(of_run, end, to, (player, banker, fifth, sixth))):
                            bits[at] = "1"
                        at += 1
        return int("".join(reversed(bits)), 2)


def _has(asked: list[tuple[Fact, tuple[int, ...]]], end: End, to: To, run: tuple[int, int, int, int]) -> bool:
    player, banker, fifth, sixth = run
    banker_third = fifth if to is To.BANKER else sixth
    facts = {
        Fact.PLAYER_TWO_POINTS: player,
        Fact.BANKER_TWO_POINTS: banker,
        Fact.PLAYER_THIRD: fifth if end.player_cards > 2 else UNKNOWN,
        Fact.BANKER_THIRD: banker_third if end.banker_cards > 2 else UNKNOWN,
    }
    return all(facts[fact] in numbers for fact, numbers in asked)
