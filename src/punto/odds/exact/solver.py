"""Exact odds of any composition, down to the last six cards, from integer counts of ordered deals.

One answer takes milliseconds in plain Python. ``batch`` compiles the same functions and takes microseconds for each,
with identical integers.
"""

from collections.abc import Iterable, Sequence
from math import perm
from typing import Any

from msgspec.structs import replace

from punto.odds.distribution import Distribution
from punto.odds.exact import exact_kernel
from punto.odds.exact.card_bets import count_lines
from punto.odds.procedure import LARGEST_ROUND
from punto.odds.shoe import Composition, require_round
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import POINTS, TableOfPlay, To
from punto.rules.rulebook import Rulebook

_FIFTH_TO = {
    To.NOBODY: exact_kernel.FIFTH_TO_NOBODY,
    To.PLAYER: exact_kernel.FIFTH_TO_PLAYER,
    To.BANKER: exact_kernel.FIFTH_TO_BANKER,
}


def solve(book: Rulebook, composition: Composition, bets: Iterable[str] | None = None) -> Distribution:
    """The distribution of the next round, over all ordered deals of six cards.

    Of the bets on single cards, which take longer, only those in ``bets`` are counted; None for all of the book.

    >>> from punto import book
    >>> from punto.odds.shoe import full_shoe
    >>> solve(book("commission"), full_shoe(book("commission"), decks=8)).total
    4998398275503360
    """
    require_round(book, composition)
    play = book.table_of_play
    counts = [0] * exact_kernel.COUNTS
    exact_kernel.count(composition.values(play), written_play(play), [0] * exact_kernel.WORK, counts)
    dealt = distribution(perm(composition.cards, LARGEST_ROUND), pair_counts(composition.ranks), counts)
    return replace(dealt, lines=lines_of(book, composition, bets))


def lines_of(
    book: Rulebook, composition: Composition, bets: Iterable[str] | None = None, known: Sequence[Card | None] = ()
) -> dict[str, tuple[int, ...]]:
    """For each bet on single cards, the ordered deals of the unknown cards by line.

    ``known`` are the first cards of the round; they are not in the composition.
    """
    chosen = book.bets.values() if bets is None else [book.bets[bet] for bet in bets if bet in book.bets]
    automata = {rule.id: rule.automaton for rule in chosen if rule.automaton is not None}
    return {
        bet: tuple(count_lines(each, composition.by_card(suits_matter=each.needs_suits), known))
        for bet, each in automata.items()
    }


def distribution(total: int, pairs: Iterable[int], counts: Sequence[int]) -> Distribution:
    """Split the kernel's counts into a distribution."""
    ends, four, third = (
        counts[: exact_kernel.FOUR],
        counts[exact_kernel.FOUR : exact_kernel.THIRD],
        counts[exact_kernel.THIRD :],
    )
    return Distribution(total, tuple(ends), tuple(pairs), tuple(four), tuple(third))


def written_play(play: TableOfPlay) -> list[int]:
    """The drawing rules, encoded for the kernel."""
    fifth = [_FIFTH_TO[play.fifth(player, banker).to] for player in POINTS for banker in POINTS]
    return fifth + [int(play.sixth(banker, third).to is To.BANKER) for banker in POINTS for third in POINTS]


def pair_counts(ranks: Sequence[Any]) -> list[Any]:
    """Count the ordered deals of six cards by pair pattern, from the number of cards of each rank, or arrays of them.

    With r cards of a rank, a hand is a pair of that rank in r(r - 1) ways, and both hands are pairs of that rank in
    r(r - 1)(r - 2)(r - 3) ways. For pairs of two ranks, multiply the ways of each. The other cards can be any.
    """
    cards = sum(ranks)
    ways = [left * (left - 1) for left in ranks]
    some = sum(ways)
    twin = sum(two * (left - 2) * (left - 3) for two, left in zip(ways, ranks, strict=True))
    both = some * some - sum(two * two for two in ways)
    one = some * (cards - 2) * (cards - 3) - both - twin
    none = cards * (cards - 1) * (cards - 2) * (cards - 3) - 2 * one - both - twin
    unused = (cards - 4) * (cards - 5)
    return [each * unused for each in (none, one, one, both, twin)]
