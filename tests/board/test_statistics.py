"""The counts beside the roads."""

from collections.abc import Sequence
from itertools import groupby

import msgspec
from hypothesis import given

from punto.board.results import Mark, read_marks
from punto.board.statistics import Statistics, statistics
from punto.rules.coup.space import Winner
from tests.board.shoes import SHOES


def test_a_shoe_by_hand() -> None:
    assert statistics(read_marks("T BBTBp TT PbP B Tbp T T")) == Statistics(
        rounds=13,
        banker=4,
        player=2,
        tie=7,
        banker_pair=2,
        player_pair=2,
        naturals=0,
        longest_banker=3,
        longest_player=2,
        longest_tie=3,
    )


def test_nothing_is_nothing() -> None:
    assert msgspec.to_builtins(statistics([])) == dict.fromkeys(Statistics.__struct_fields__, 0)


def _longest(winners: Sequence[Winner], winner: Winner) -> int:
    return max((len([*run]) for won, run in groupby(winners) if won is winner), default=0)


@given(SHOES)
def test_any_shoe(shoe: list[Mark]) -> None:
    counted = statistics(shoe)
    winners = [mark.winner for mark in shoe]
    decided = [winner for winner in winners if winner is not Winner.TIE]
    assert counted == Statistics(
        rounds=len(shoe),
        banker=winners.count(Winner.BANKER),
        player=winners.count(Winner.PLAYER),
        tie=winners.count(Winner.TIE),
        banker_pair=sum(mark.banker_pair for mark in shoe),
        player_pair=sum(mark.player_pair for mark in shoe),
        naturals=sum(mark.natural for mark in shoe),
        longest_banker=_longest(decided, Winner.BANKER),
        longest_player=_longest(decided, Winner.PLAYER),
        longest_tie=_longest(winners, Winner.TIE),
    )
