"""The differential limit: what plays in a box whose excess nobody noticed before the close."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Protocol

from msgspec import Struct

from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS, AnyStake, Limits, box_of, require_limits
from punto.rules.topics import Topic

Played = dict[int, tuple[int, tuple[Clause, ...]]]
"""By index of the stake: how much of it plays, and the clauses that say so."""


class Weight(Protocol):
    """Scaled pro rata: a stake, or everything a player has on one side of a box."""

    @property
    def stake_minor(self) -> int: ...
    @property
    def seated(self) -> bool: ...


class _Pile(Struct):
    """Everything one player has on one side of one box. The limits treat it as one bet."""

    indexes: list[int]
    stake_minor: int
    seated: bool


def within_limits(book: Rulebook, stakes: Sequence[AnyStake], limits: Limits | None) -> Played:
    """How much plays of the stakes that the limits affect; empty where the table has no limits."""
    if limits is None:
        return {}
    require_limits(book, limits)
    return played(book, stakes, limits)


def played(book: Rulebook, stakes: Sequence[AnyStake], limits: Limits) -> Played:
    """How much plays of the Original Bets beyond the limits; the others are left out."""
    least = limits.min_minor or 0
    plays: Played = {}
    for sides in _boxes(stakes):
        totals = {side: sum(pile.stake_minor for pile in piles) for side, piles in sides.items()}
        lighter, heavier = sorted(totals, key=totals.__getitem__)
        limit = limits.differential_minor
        in_excess = limit is not None and totals[heavier] > totals[lighter] + limit
        for side, piles in sides.items():
            shares = [pile.stake_minor for pile in piles]
            if limit is not None and in_excess and side is heavier:
                shares = pro_rata(piles, totals[lighter] + limit, least)
            for pile, share in zip(piles, shares, strict=True):
                topic = Topic.PRO_RATA
                if pile.stake_minor < least:
                    topic = Topic.NOT_PRO_RATED if in_excess else Topic.BELOW_MINIMUM_PLAYS
                elif not in_excess or side is lighter:
                    continue
                parts = pro_rata([stakes[at] for at in pile.indexes], share, 0)
                plays |= {at: (part, book.topics[topic]) for at, part in zip(pile.indexes, parts, strict=True)}
    return plays


def _boxes(stakes: Sequence[AnyStake]) -> Iterator[dict[Side, list[_Pile]]]:
    """The piles on each side by box, oldest first."""
    boxes: defaultdict[int | str, dict[Side, dict[str, _Pile]]] = defaultdict(lambda: {side: {} for side in Side})
    for index, stake in enumerate(stakes):
        if stake.bet in MAIN_BETS:
            pile = boxes[box_of(stake)][Side(stake.bet)].setdefault(stake.who, _Pile([], 0, seated=False))
            pile.indexes.append(index)
            pile.stake_minor += stake.stake_minor
            pile.seated |= stake.seated
    for sides in boxes.values():
        yield {side: list(piles.values()) for side, piles in sides.items()}


def pro_rata(weights: Sequence[Weight], target_minor: int, minimum_minor: int) -> list[int]:
    """How much of each plays so that together they play ``target_minor``, which is at most all of it.

    Nobody plays less than their floor, the smaller of stake and minimum; what that leaves over is shared by
    the rest in proportion. If the floors alone exceed the target, all play their floors. Whole smallest
    units go by largest remainder, seated first, then the earlier.
    """
    floors = [min(weight.stake_minor, minimum_minor) for weight in weights]
    if sum(floors) >= target_minor:
        return floors

    sharing = set(range(len(weights)))
    while True:
        left = target_minor - sum(floor for at, floor in enumerate(floors) if at not in sharing)
        scale = Fraction(left, sum(weights[at].stake_minor for at in sharing))
        below = {at for at in sharing if weights[at].stake_minor * scale < floors[at]}
        if not below:
            break
        sharing -= below  # these play their floors, so the rest share less: check again

    plays = list(floors)
    rests = {}
    for at in sharing:
        exact = weights[at].stake_minor * scale
        plays[at] = exact.numerator // exact.denominator
        rests[at] = exact - plays[at]
    by_remainder = sorted(sharing, key=lambda at: (-rests[at], not weights[at].seated, at))
    for at in by_remainder[: target_minor - sum(plays)]:
        plays[at] += 1
    return plays
