"""The differential limit: what plays in a box whose excess nobody noticed before the close."""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.stakes import MAIN_BETS, AnyStake, Limits, box_of
from punto.rules.table_of_play import Side
from punto.rules.topics import Topic

Played = dict[int, tuple[int, tuple[Clause, ...]]]
"""By the index of a stake: how much of it plays, and by which clauses."""


def played(book: Rulebook, stakes: Sequence[AnyStake], limits: Limits) -> Played:
    """What plays of the Original Bets that nobody kept within the limits; the others are left out."""
    plays: Played = {}
    least = limits.min_minor or 0
    boxes: defaultdict[int | str, dict[Side, list[int]]] = defaultdict(lambda: {side: [] for side in Side})
    for index, stake in enumerate(stakes):
        if stake.bet not in MAIN_BETS:
            continue
        boxes[box_of(stake)][Side(stake.bet)].append(index)
        if stake.stake_minor < least:
            plays[index] = stake.stake_minor, book.topics[Topic.BELOW_MINIMUM_PLAYS]
    if limits.differential_minor is None:
        return plays

    for sides in boxes.values():
        totals = {side: sum(stakes[at].stake_minor for at in bets) for side, bets in sides.items()}
        lighter, heavier = sorted(totals, key=totals.__getitem__)
        target = totals[lighter] + limits.differential_minor
        if totals[heavier] <= target:
            continue
        shares = pro_rata([stakes[at] for at in sides[heavier]], target, least)
        for at, share in zip(sides[heavier], shares, strict=True):
            whole = stakes[at].stake_minor < least
            plays[at] = share, book.topics[Topic.NOT_PRO_RATED if whole else Topic.PRO_RATA]
    return plays


def pro_rata(heavier: Sequence[AnyStake], target_minor: int, minimum_minor: int) -> list[int]:
    """How much of each bet plays so that together they play ``target_minor``.

    Nobody plays less than his floor, the smaller of stake and minimum; what that leaves over is shared by
    the rest in proportion. If the floors alone exceed the target, all play their floors. Whole smallest
    units go by largest remainder, seated first, then the earlier bet.
    """
    floors = [min(bet.stake_minor, minimum_minor) for bet in heavier]
    if sum(floors) >= target_minor:
        return floors

    sharing = set(range(len(heavier)))
    while True:
        left = target_minor - sum(floor for at, floor in enumerate(floors) if at not in sharing)
        scale = Fraction(left, sum(heavier[at].stake_minor for at in sharing))
        below = {at for at in sharing if heavier[at].stake_minor * scale < floors[at]}
        if not below:
            break
        sharing -= below  # they play their floors, so the rest have less to share: look again

    plays = list(floors)
    rests = {}
    for at in sharing:
        exact = heavier[at].stake_minor * scale
        plays[at] = exact.numerator // exact.denominator
        rests[at] = exact - plays[at]
    by_remainder = sorted(sharing, key=lambda at: (-rests[at], not heavier[at].seated, at))
    for at in by_remainder[: target_minor - sum(plays)]:
        plays[at] += 1
    return plays
