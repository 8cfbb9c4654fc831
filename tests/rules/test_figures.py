"""Published figures, exact: the whole space weighted by the cards of a shoe."""

from itertools import product
from math import perm

import pytest

from punto import book
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import POINTS

COUNTS = {  # decks: Banker wins, Player wins, ties, of all ordered deals of six cards
    4: (34_543_624_867_840, 33_608_344_225_792, 7_145_601_996_928),
    6: (403_095_751_234_560, 392_220_492_728_832, 83_552_962_932_288),
    8: (2_292_252_566_437_888, 2_230_518_282_592_256, 475_627_426_473_216),
}


@pytest.mark.parametrize("decks", COUNTS)
def test_the_ends_of_all_deals_are_counted_as_published(decks: int) -> None:
    space = book("commission").space
    shoe = [16 * decks if value == 0 else 4 * decks for value in POINTS]
    left = list(shoe)
    counts = dict.fromkeys(Winner, 0)

    def choose(values: tuple[int, ...]) -> int:
        """The number of ways to draw cards of these values in this order, without replacement."""
        ways = 1
        for value in values:
            ways *= left[value]
            left[value] -= 1
        return ways

    def put_back(values: tuple[int, ...]) -> None:
        for value in values:
            left[value] += 1

    for four in product(POINTS, repeat=4):
        ways = choose(four)
        base = (four[0] + four[2]) % 10 * 1000 + (four[1] + four[3]) % 10 * 100
        for fifth in POINTS if ways else ():
            five_ways = ways * left[fifth]
            left[fifth] -= 1
            for sixth in POINTS:
                counts[space.ends[base + fifth * 10 + sixth].winner] += five_ways * left[sixth]
            left[fifth] += 1
        put_back(four)
    assert (counts[Winner.BANKER], counts[Winner.PLAYER], counts[Winner.TIE]) == COUNTS[decks]
    assert sum(counts.values()) == perm(52 * decks, 6)
