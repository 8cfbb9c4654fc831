"""The best count for a bet: a tag for each rank, summed as cards leave a full shoe, that tracks the bet's expectation.

To first order, each card that leaves changes a bet's expectation by its effect of removal, so the effects themselves
are the best tags. People count in small integers; the best of those are the tags that correlate most with the effects.
Only balanced counts are considered: their tags sum to zero over a deck, as the effects do. Such a count, divided by
the number of unseen cards, estimates the expectation at any depth of the shoe. All balanced tags are considered, even
those that give a ten and a picture different tags: a house wants to know the most that a counter can gain.
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
"""The largest tag of a count, which counters call its level."""


class Tags(Struct, frozen=True):
    """A tag for each rank, in the order of ``RANKS``. A positive count is good for the bettor."""

    tags: tuple[Fraction, ...]
    correlation: float
    """Correlation with the effects of removal."""
    effect: Fraction
    """Change of the bettor's expectation per unit of count: a least-squares fit to the effects."""


class Count(Struct, frozen=True):
    """The best counts for one bet or one insurance cell."""

    effects: Effects
    best: Tags | None
    """The effects, scaled to a largest tag of 1. None if no card has an effect: then no count helps."""
    levels: dict[int, Tags]
    """For each level the best integer tags up to it, if any correlate with the effects."""


def best_count(effects: Effects) -> Count:
    """The best counts for these effects, which must be those of a full shoe: equally many cards of every rank."""
    if len(effects.by_rank) != len(RANKS):
        raise ValueError("a count needs the effects of a full shoe, with cards of every rank")
    by_rank = [effects.by_rank[rank] for rank in RANKS]
    largest = max(map(abs, by_rank))
    if not largest:
        return Count(effects, None, {})
    levels = {level: whole_tags(by_rank, level) for level in LEVELS}
    return Count(
        effects,
        _tags([effect / largest for effect in by_rank], by_rank),
        {level: _tags(tags, by_rank) for level, tags in levels.items() if tags is not None},
    )


def _tags(tags: Sequence[Fraction], effects: Sequence[Fraction]) -> Tags:
    product = sum((tag * effect for tag, effect in zip(tags, effects, strict=True)), Fraction())
    return Tags(tuple(tags), correlation(tags, effects), product / sum(tag * tag for tag in tags))


def turns_at(tags: Tags, edge: Fraction, cards: int) -> float:
    """The count per unseen deck of 52 from which the bet favours the bettor, in a shoe of ``cards`` cards.

    In a shoe of N cards, each card that leaves changes the mean over the U unseen cards by (N - 1) / U times its
    effect.
    """
    return float(edge * 52 / ((cards - 1) * tags.effect))


def correlation(left: Sequence[Fraction], right: Sequence[Fraction]) -> float:
    """The correlation of two lists of numbers, neither of them constant."""
    left_mean, right_mean = sum(left, Fraction()) / len(left), sum(right, Fraction()) / len(right)
    deviations = [(x - left_mean, y - right_mean) for x, y in zip(left, right, strict=True)]
    product = sum((x * y for x, y in deviations), Fraction())
    squares = sum((x * x for x, _ in deviations), Fraction()) * sum((y * y for _, y in deviations), Fraction())
    return copysign(sqrt(product * product / squares), product)


def whole_tags(effects: Sequence[Fraction], level: int) -> list[Fraction] | None:
    """The balanced integer tags from ``-level`` to ``level`` that correlate most with the effects, or None.

    A dynamic program covers all of them: among tags with the same sum and the same sum of squares only the best so far
    is extended. The best tags may differ between ranks of equal effect; the first of those then get the larger tags.
    """
    unit = lcm(*(effect.denominator for effect in effects))
    ranks_left = len(effects)
    best: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {(0, 0): (0, ())}
    for scaled_effect in (int(effect * unit) for effect in effects):
        ranks_left -= 1
        longer: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}
        for (balance, square), (product, tags) in best.items():
            for tag in range(-level, level + 1):
                key = balance + tag, square + tag * tag
                if abs(key[0]) <= level * ranks_left:  # else the remaining tags cannot balance it
                    reached = product + tag * scaled_effect
                    if key not in longer or reached > longer[key][0]:
                        longer[key] = reached, (*tags, tag)
        best = longer
    candidates = [
        (Fraction(product * product, square), -square, tags)
        for (_, square), (product, tags) in best.items()
        if product > 0
    ]
    if not candidates:
        return None
    tags_by_effect: dict[Fraction, list[int]] = {}
    for effect, tag in zip(effects, max(candidates)[2], strict=True):
        insort(tags_by_effect.setdefault(effect, []), tag)
    return [Fraction(tags_by_effect[effect].pop()) for effect in effects]
