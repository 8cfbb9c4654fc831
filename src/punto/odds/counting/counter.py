"""Simulate a card counter: what they gain with one bet at a given cut card. Needs the extra ``odds``.

Before each round the counter knows every card shown so far: the first card of the shoe, which tells how many are
burned, and all cards of earlier rounds, but not the burned cards. The expectation of the next round is computed exactly
from the unseen cards, so the only chance in the result is the order of the shoes, not the outcome of the bets. The
counter stakes one unit where a gain is predicted, and sits out otherwise.
"""

from collections.abc import Callable
from threading import Event
from typing import Final, NamedTuple

import numpy as np

from punto.odds.counting.advantage import Advantage, Counted
from punto.odds.counting.count_tags import Count, Tags
from punto.odds.exact.batch import Floats, Integers, returned_by, solve_many
from punto.odds.figures import require_bet
from punto.odds.procedure import Procedure
from punto.odds.simulation.shuffle import CardBytes, rounds_at, shuffled_shoe
from punto.odds.simulation.simulation_kernel import Job, felt
from punto.odds.simulation.simulator import job_of
from punto.rules.coup.cards import RANKS
from punto.rules.coup.space import PAIRS
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook

DEFAULT: Final = Procedure()
_BATCH_SHOES: Final = 16  # solved at once: a few megabytes of counts


class ShoeRounds(NamedTuple):
    """The rounds of one shoe."""

    places: Integers
    """The position in the shoe at which each round starts."""
    unseen: Integers
    """Unseen cards before each round, by round and rank."""
    kinds: Integers
    """For each round its run, plus 10,000 times its pair pattern."""


def count_shoes(  # noqa: PLR0913 - all of them are options
    book: Rulebook,
    bet: str,
    count: Count,
    *,
    decks: int | None = None,
    cut_card: int = DEFAULT.cut_card,
    shoes: int = 1000,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
    stop: Event | None = None,
) -> Counted:
    """Deal shoes and follow a counter of one bet. ``simulate`` deals the same shoes for the same seed.

    ``progress`` is called with the shoes and rounds dealt so far. Setting ``stop`` ends the run with those.
    """
    rule = require_bet(book, bet)
    if shoes < 1:
        raise Refused(Code.OUT_OF_RANGE, variant="shoes_from_1", shoes=shoes)
    job = job_of(book, decks, seed, Procedure(cut_card=cut_card))
    fresh = felt(job).fresh
    ends = np.array([end.index for end in book.space.ends])
    won_by_kind = np.concatenate([returned_by(rule)[ends * len(PAIRS) + pairs] - 1 for pairs in range(len(PAIRS))])
    counts = [count.best, *count.levels.values()] if count.best else []
    sums = [_Sums() for _ in range(1 + len(counts))]
    for first in range(0, shoes, _BATCH_SHOES):
        order = [shuffled_shoe(fresh, seed, shoe) for shoe in range(first, min(first + _BATCH_SHOES, shoes))]
        dealt = [deal_shoe(job, each) for each in order]
        unseen = np.concatenate([each.unseen for each in dealt])
        exact = -solve_many(book, unseen).edges(rule)
        won = won_by_kind[np.concatenate([each.kinds for each in dealt])]
        estimates = [exact, *(_estimate(tags, unseen, float(-count.effects.edge), len(fresh)) for tags in counts)]
        bounds = np.cumsum([0, *(len(each.kinds) for each in dealt)])
        for each, estimate in zip(sums, estimates, strict=True):
            each.add(estimate, exact, won, bounds)
        if progress is not None:
            progress(len(sums[0].gains), sums[0].rounds)
        if stop is not None and stop.is_set():
            break
    advantages = [each.advantage() for each in sums]
    best = advantages[1] if counts else None
    return Counted(
        len(sums[0].gains), sums[0].rounds, advantages[0], best, dict(zip(count.levels, advantages[2:], strict=True))
    )


def _estimate(tags: Tags, unseen: Integers, start: float, cards: int) -> Floats:
    """The expectation of each round as predicted by the count.

    See the expectation as the mean of a contribution per unseen card. Of N cards, removing one changes that mean by
    the card's effect, so its contribution is (N - 1) times the effect below the mean.
    """
    effects = np.array([float(tag * tags.effect) for tag in tags.tags])
    gone = cards // len(RANKS) - unseen
    estimate: Floats = start + (cards - 1) * (gone @ effects) / unseen.sum(axis=1)
    return estimate


def deal_shoe(job: Job, cards: CardBytes) -> ShoeRounds:
    """The rounds of one shoe, as the simulator deals them, and the cards unseen before each."""
    table = felt(job)
    kinds, hands = np.zeros(len(cards), np.uint16), np.zeros(len(cards), np.uint16)
    rounds_at(kinds, hands, cards)
    used = table.used[kinds].tolist()
    start, after = int(table.starts[cards[0]]), job.rounds_after
    at, places = start, []
    while at < table.stop or after:
        after -= at >= table.stop
        places.append(at)
        at += used[at]
    drawn = np.zeros((len(cards) + 1, len(RANKS)), np.int64)
    drawn[np.arange(1, len(cards) + 1), cards >> 4] = 1
    drawn = drawn.cumsum(axis=0)
    unseen = drawn[-1] - drawn[1] - (drawn[places] - drawn[start])
    return ShoeRounds(np.array(places), unseen, kinds[places].astype(np.int64))


class _Sums:
    """Sums over all rounds, for one way to predict them."""

    def __init__(self) -> None:
        self.rounds = 0
        self.bets = 0
        self.gains: list[float] = []
        self.won: list[float] = []
        self.moments = np.zeros(5)

    def add(self, estimate: Floats, exact: Floats, won: Floats, bounds: Integers) -> None:
        """Add the rounds of several shoes, which start at ``bounds``."""
        bets = estimate > 0
        self.rounds += len(bets)
        self.bets += int(bets.sum())
        self.gains += np.add.reduceat(np.where(bets, exact, 0.0), bounds[:-1]).tolist()
        self.won += np.add.reduceat(np.where(bets, won, 0.0), bounds[:-1]).tolist()
        self.moments += [estimate.sum(), exact.sum(), estimate @ estimate, exact @ exact, estimate @ exact]

    def advantage(self) -> Advantage:
        shoes = len(self.gains)
        error = float(np.std(self.gains, ddof=1) / np.sqrt(shoes)) if shoes > 1 else None
        return Advantage(
            bets=self.bets,
            frequency=self.bets / self.rounds,
            gain_per_bet=sum(self.gains) / self.bets if self.bets else 0.0,
            gain_per_shoe=sum(self.gains) / shoes,
            gain_per_shoe_error=error,
            won_per_shoe=sum(self.won) / shoes,
            correlation=self._correlation(),
        )

    def _correlation(self) -> float | None:
        x, y, xx, yy, xy = self.moments / self.rounds
        spread, other = xx - x * x, yy - y * y
        if min(spread, other) <= 1e-18:  # constant except for rounding
            return None
        return float((xy - x * y) / np.sqrt(spread * other))
