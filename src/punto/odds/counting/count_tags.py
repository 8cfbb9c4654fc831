"""The best count of a bet: a tag for each rank, added up as cards leave a full shoe, that follows its expectation.

To the first order a bet's expectation moves by the effect of each card that left, so the effects themselves are the
best tags there are. People count in small whole numbers; of those the best are the tags that correlate most with the
effects. Only balanced counts are looked at, whose tags over a whole deck add up to nothing, as the effects do: such a
count, over the cards still unseen, estimates the expectation at any depth of the shoe. Of balanced tags none is left
out: a house that asks what can be done to it wants the best, even where a ten and a picture get different tags.
"""

from bisect import insort
from collections.abc import Sequence
from fractions import Fraction
from math import copysign, lcm, sqrt
from typing import Final

from msgspec import Struct

from punto.odds.exact.removal import Effects
from punto.rules.coup.cards import RANKS

LEVELS: Final = (1, 2, 3)
"""The largest tags looked at: counters speak of counts of the first, second and third level."""


class Tags(Struct, frozen=True):
    """A tag for each rank, in the order of ``RANKS``. A count above zero is good for the bettor."""

    tags: tuple[Fraction, ...]
    correlation: float
    """With the effects of removal."""
    effect: Fraction
    """What one unit of tag that leaves adds to the bettor's expectation, as it best fits the effects."""


class Count(Struct, frozen=True):
    """The best counts of one bet, or of one insurance cell."""

    effects: Effects
    best: Tags | None
    """The effects themselves, the largest of them made 1. None where no card has an effect: no count can tell."""
    levels: dict[int, Tags]
    """For each level the best whole-numbered tags up to it, where there are any that follow the effects."""


def best_count(effects: Effects) -> Count:
    """The best counts that the effects on a full shoe give, every rank being there equally often."""
    if len(effects.by_rank) != len(RANKS):
        raise ValueError("a count is made for a full shoe: it has cards of every rank")
    wanted = [effects.by_rank[rank] for rank in RANKS]
    largest = max(map(abs, wanted))
    if not largest:
        return Count(effects, None, {})
    found = {level: whole_tags(wanted, level) for level in LEVELS}
    return Count(
        effects,
        _tags([effect / largest for effect in wanted], wanted),
        {level: _tags(tags, wanted) for level, tags in found.items() if tags is not None},
    )


def _tags(tags: Sequence[Fraction], wanted: Sequence[Fraction]) -> Tags:
    product = sum((tag * effect for tag, effect in zip(tags, wanted, strict=True)), Fraction())
    return Tags(tuple(tags), correlation(tags, wanted), product / sum(tag * tag for tag in tags))


def turns_at(tags: Tags, edge: Fraction, cards: int) -> float:
    """The count for each deck of 52 unseen from which on the bet favours the bettor, on a shoe of so many cards.

    Of N cards each that leaves moves the mean over those unseen by N - 1 times its effect over their number.
    """
    return float(edge * 52 / ((cards - 1) * tags.effect))


def correlation(one: Sequence[Fraction], other: Sequence[Fraction]) -> float:
    """The correlation of two lists of numbers, neither of which is all the same."""
    mean, other_mean = sum(one, Fraction()) / len(one), sum(other, Fraction()) / len(other)
    away = [(x - mean, y - other_mean) for x, y in zip(one, other, strict=True)]
    product = sum((x * y for x, y in away), Fraction())
    squares = sum((x * x for x, _ in away), Fraction()) * sum((y * y for _, y in away), Fraction())
    return copysign(sqrt(product * product / squares), product)


def whole_tags(wanted: Sequence[Fraction], level: int) -> list[Fraction] | None:
    """The balanced whole tags from ``-level`` to ``level`` that correlate most with what is wanted; None if none does.

    All of them are looked at, not one by one: of tags with the same sum and the same sum of squares only the best so
    far goes on. It may pay to tag ranks apart that are wanted alike; the first of them then get the larger tags.
    """
    unit = lcm(*(effect.denominator for effect in wanted))
    ahead = len(wanted)
    best: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {(0, 0): (0, ())}
    for worth in (int(effect * unit) for effect in wanted):
        ahead -= 1
        longer: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}
        for (balance, square), (product, tags) in best.items():
            for tag in range(-level, level + 1):
                key = balance + tag, square + tag * tag
                if abs(key[0]) <= level * ahead:  # else it can never be balanced again
                    reached = product + tag * worth
                    if key not in longer or reached > longer[key][0]:
                        longer[key] = reached, (*tags, tag)
        best = longer
    rivals = [(Fraction(of * of, square), -square, tags) for (_, square), (of, tags) in best.items() if of > 0]
    if not rivals:
        return None
    alike: dict[Fraction, list[int]] = {}
    for effect, tag in zip(wanted, max(rivals)[2], strict=True):
        insort(alike.setdefault(effect, []), tag)
    return [Fraction(alike[effect].pop()) for effect in wanted]
