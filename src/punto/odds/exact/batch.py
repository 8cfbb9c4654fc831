"""Exact odds of many compositions at once, compiled. Needs the extra ``odds``."""

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from numba.extending import register_jitable
from numpy.typing import NDArray

from punto.odds.compiling import compiled
from punto.odds.distribution import Distribution
from punto.odds.exact import exact_kernel
from punto.odds.exact.solver import distribution, pair_counts, written_play
from punto.odds.procedure import LARGEST_ROUND
from punto.odds.shoe import Composition
from punto.rules.bets.pay_lines import BetRule
from punto.rules.coup.cards import RANKS
from punto.rules.coup.space import PAIRS
from punto.rules.coup.table_of_play import POINTS
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

for _function in exact_kernel.CALLED:
    register_jitable(_function)
count_many: Callable[..., None] = compiled(exact_kernel.count_many)


class Batch(Struct, frozen=True, eq=False):
    """The distributions of many compositions, as arrays with one row for each."""

    totals: Integers
    pairs: Integers
    counts: Integers
    """400 ends, 300 fours and 300 thirds side by side."""

    def __len__(self) -> int:
        return len(self.totals)

    def __getitem__(self, at: int) -> Distribution:
        return distribution(int(self.totals[at]), self.pairs[at].tolist(), self.counts[at].tolist())

    def edges(self, rule: BetRule) -> Floats:
        """The house edge of one bet on each composition, as floats."""
        counts = self.pairs if rule.over_pairs else self.counts[:, : exact_kernel.FOUR]
        returned = returned_by(rule)
        returned = returned[: len(PAIRS)] if rule.over_pairs else returned[:: len(PAIRS)]
        paying = np.flatnonzero(returned)
        weighted: Floats = counts[:, paying] @ returned[paying]
        return 1.0 - weighted / self.totals


def returned_by(rule: BetRule) -> Floats:
    """Amount returned for one unit staked, by outcome."""
    return np.array([verdict.numerator / verdict.denominator for verdict in rule.verdicts])


def solve_many(book: Rulebook, compositions: Sequence[Composition] | Integers) -> Batch:
    """``solve`` for many compositions. An array has one row for each, with 13 columns for the ranks."""
    ranks = _ranks(compositions)
    _require_countable(book, ranks)
    values = np.zeros((len(ranks), len(POINTS)), dtype=np.int64)
    for at, rank in enumerate(RANKS):
        values[:, book.table_of_play.values[rank]] += ranks[:, at]
    play = np.array(written_play(book.table_of_play), dtype=np.int64)
    counts = np.zeros((len(ranks), exact_kernel.COUNTS), dtype=np.int64)
    count_many(values, play, np.zeros(exact_kernel.WORK, dtype=np.int64), counts)
    cards = ranks.sum(axis=1)
    totals = np.ones(len(ranks), dtype=np.int64)
    for drawn in range(LARGEST_ROUND):
        totals *= cards - drawn
    pairs = np.stack(pair_counts(list(ranks.T)), axis=1)
    return Batch(totals, pairs, counts)


def _ranks(compositions: Sequence[Composition] | Integers) -> Integers:
    if isinstance(compositions, np.ndarray):
        if compositions.ndim != 2 or compositions.shape[1] != len(RANKS) or compositions.dtype.kind not in "iu":
            raise Refused(Code.WRONG_TYPE, variant="compositions", count=len(RANKS), ranks=RANKS)
        return compositions.astype(np.int64)
    return np.array([each.ranks for each in compositions], dtype=np.int64).reshape(-1, len(RANKS))


def _require_countable(book: Rulebook, ranks: Integers) -> None:
    """Refuse negative counts, shoes too small for a round, and shoes whose counts would overflow 64 bits."""
    if (ranks < 0).any():
        raise Refused(Code.WRONG_TYPE, variant="negative_rank")
    cards = ranks.sum(axis=1)
    if (cards < LARGEST_ROUND).any():
        raise Refused(
            Code.TOO_FEW_CARDS,
            variant="some_shoe",
            topic=Topic.SHOE_RUN_OUT,
            clauses=book.topics[Topic.SHOE_RUN_OUT],
            most=LARGEST_ROUND,
            cards=int(cards.min()),
        )
    if (cards > exact_kernel.MAX_CARDS).any():
        raise Refused(Code.TOO_MANY_CARDS, cards=int(cards.max()), most=exact_kernel.MAX_CARDS)
