"""Enumerate all deals of a small shoe with ``tests/plainly.py``, sharing no code with the kernel."""

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
    """Everything that a bet or insurance can depend on."""

    dealt: Dealt
    player_pair: str | None
    banker_pair: str | None
    four: tuple[int, int] | None
    """The points on four cards, if a fifth is drawn."""
    third: tuple[int, int] | None
    """Player's points on three cards and Banker's on two, if a sixth is drawn."""


def deals(left: dict[str, int], cards: int = 6) -> Iterator[tuple[tuple[str, ...], int]]:
    """The ranks of every deal in the order drawn, with the number of ways."""
    if cards == 0:
        yield (), 1
        return
    for rank, count in left.items():
        if count:
            for rest, ways in deals({**left, rank: count - 1}, cards - 1):
                yield (rank, *rest), count * ways


def kind(ranks: Sequence[str]) -> Kind:
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
    """The weight of each kind of round, from this many cards of each rank."""
    found: Kinds = Counter()
    for ranks, ways in deals(dict(zip(RANKS, counts, strict=True))):
        found[kind(ranks)] += ways
    return found


def bet_results(found: Kinds, game: str, bet: str) -> Counter[str]:
    """The weight of each result of a bet: its odds, ``push`` or ``lose``."""
    results: Counter[str] = Counter()
    for each, ways in found.items():
        results[plainly.pays(game, bet, each.dealt, each.player_pair, each.banker_pair)] += ways
    return results


Cell = tuple[str, str, int, int, str]
"""Stage, insured side, Player's points, Banker's, odds."""


def insurance_results(found: Kinds, game: str) -> dict[Cell, Counter[str]]:
    """The weights of win, push and lose for each cell that is offered."""
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
    """The bettor's expectation from these weights."""
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
"""Shoes of any size with few ranks: few deals, with large weights."""

any_shoe = st.tuples(*[st.integers(0, 40)] * 13).filter(lambda counts: sum(counts) >= 6)
"""Any part of a shoe of ten decks."""
