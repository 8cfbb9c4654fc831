"""All deals of a small shoe, one by one: written from ``tests/plainly.py``, sharing nothing with the kernel."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from hypothesis import strategies as st

from tests import plainly
from tests.plainly import Dealt, deal

RANKS = "A23456789TJQK"
Kinds = Counter["Kind"]


class Kind(NamedTuple):
    """All that any bet or insurance of any game can ask about a round."""

    dealt: Dealt
    player_pair: str | None
    banker_pair: str | None
    four: tuple[int, int] | None
    """The points on four cards, where a fifth is drawn."""
    third: tuple[int, int] | None
    """Player's points on three cards and Banker's on two, where a sixth is drawn after that."""


def deals(left: dict[str, int], cards: int = 6) -> Iterator[tuple[tuple[str, ...], int]]:
    """The ranks of every deal in drawn order, with the number of ways to deal it."""
    if cards == 0:
        yield (), 1
        return
    for rank, count in left.items():
        if count:
            for rest, ways in deals({**left, rank: count - 1}, cards - 1):
                yield (rank, *rest), count * ways


def kind(ranks: Sequence[str]) -> Kind:
    """The round that six cards make."""
    one, two, three, four, fifth, sixth = (plainly.VALUES[rank] for rank in ranks)
    player, banker = (one + three) % 10, (two + four) % 10
    dealt = deal(player, banker, fifth, sixth)
    drawn = dealt.player_cards + dealt.banker_cards
    return Kind(
        dealt,
        ranks[0] if ranks[0] == ranks[2] else None,
        ranks[1] if ranks[1] == ranks[3] else None,
        (player, banker) if drawn > 4 else None,
        (dealt.player, banker) if drawn > 5 else None,
    )


def kinds(counts: Sequence[int]) -> Kinds:
    """How often each kind of round comes from so many cards of each rank."""
    found: Kinds = Counter()
    for ranks, ways in deals(dict(zip(RANKS, counts, strict=True))):
        found[kind(ranks)] += ways
    return found


def bet_results(found: Kinds, game: str, bet: str) -> Counter[str]:
    """How often the bet comes out at which odds, ``push`` or ``lose``."""
    results: Counter[str] = Counter()
    for each, ways in found.items():
        results[plainly.pays(game, bet, each.dealt, each.player_pair, each.banker_pair)] += ways
    return results


Cell = tuple[str, str, int, int, str]
"""Stage, insured side, Player's points, Banker's, odds."""


def insurance_results(found: Kinds, game: str) -> dict[Cell, Counter[str]]:
    """How often insurance is won, returned and lost in each cell that is offered."""
    results: dict[Cell, Counter[str]] = {}
    for each, ways in found.items():
        for stage, points in (("four", each.four), ("third", each.third)):
            offered = plainly.insured(game, stage, *points) if points else None
            if points and offered:
                cell = (stage, offered[0], *points, offered[1])
                said = plainly.insurance_pays(game, stage, offered[0], each.dealt)
                results.setdefault(cell, Counter())[said] += ways
    return results


def expectation(results: Counter[str]) -> Fraction:
    """The bettor's, from how often which odds come."""
    total = Fraction()
    for result, ways in results.items():
        gain = {"push": Fraction(), "lose": Fraction(-1)}.get(result)
        total += ways * (Fraction(result) if gain is None else gain)
    return total / sum(results.values())


def _spread(counts: dict[str, int]) -> tuple[int, ...]:
    return tuple(counts.get(rank, 0) for rank in RANKS)


few_cards = st.lists(st.sampled_from(RANKS), min_size=6, max_size=7).map(lambda ranks: _spread(dict(Counter(ranks))))
"""The last cards of a shoe, of any ranks."""

few_ranks = (
    st.dictionaries(st.sampled_from(RANKS), st.integers(1, 40), min_size=1, max_size=4)
    .map(_spread)
    .filter(lambda counts: sum(counts) >= 6)
)
"""Shoes of any size that hold few ranks: their deals are few, and the numbers large."""

any_shoe = st.tuples(*[st.integers(0, 40)] * 13).filter(lambda counts: sum(counts) >= 6)
"""Any shoe that ten decks can come to."""
