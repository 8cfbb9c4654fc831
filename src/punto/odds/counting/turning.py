"""How often each bet turns: the share of rounds in which its exact edge is below zero, by the place of the cut card.

The shoes, the burn and what a counter has seen are those of :mod:`punto.odds.counting.counter`. The edge before each
round is exact, so only the order of the shoes is left to chance. One deal serves all cut cards: with a cut card further
from the end, a shoe has the same rounds but fewer of them. Needs the extra ``odds``.
"""

from collections.abc import Callable, Sequence
from threading import Event

import numpy as np

from punto.odds.counting.advantage import Turned, TurnedByCut, Turning
from punto.odds.counting.counter import deal_shoe
from punto.odds.exact.batch import Floats, Integers, solve_many
from punto.odds.procedure import Procedure
from punto.odds.simulation.shuffle import shuffled_shoe
from punto.odds.simulation.simulation_kernel import felt
from punto.odds.simulation.simulator import job_of
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook

_BATCH_SHOES = 16


def turning(
    book: Rulebook,
    cut_cards: Sequence[int],
    *,
    decks: int | None = None,
    shoes: int = 1000,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
    stop: Event | None = None,
) -> Turning:
    """Deal shoes and judge every bet before every round.

    ``progress`` is called with the shoes and rounds dealt so far. Setting ``stop`` ends the run with those.
    """
    if shoes < 1:
        raise Refused(Code.OUT_OF_RANGE, variant="shoes_from_1", shoes=shoes)
    cuts = sorted(set(cut_cards))
    job, *_ = [job_of(book, decks, seed, Procedure(cut_card=cut)) for cut in cuts]
    fresh = felt(job).fresh
    sums = {cut: _Sums() for cut in cuts}
    for first in range(0, shoes, _BATCH_SHOES):
        numbers = range(first, min(first + _BATCH_SHOES, shoes))
        dealt = [deal_shoe(job, shuffled_shoe(fresh, seed, number)) for number in numbers]
        batch = solve_many(book, np.concatenate([each.unseen for each in dealt]))
        gains = -np.stack([batch.edges(rule) for rule in book.bets.values()], axis=1)
        gains = np.concatenate([gains, gains.max(axis=1, keepdims=True)], axis=1)
        bounds = np.cumsum([0, *(len(each.places) for each in dealt)])
        for cut, each in sums.items():
            last = len(fresh) - cut
            rounds = [int((shoe.places < last).sum()) + job.rounds_after for shoe in dealt]
            for start, count in zip(bounds, rounds, strict=False):
                each.add(gains[start : start + count])
        if progress is not None:
            progress(len(sums[cuts[0]].rounds), sum(sums[cuts[0]].rounds))
        if stop is not None and stop.is_set():
            break
    return Turning(len(sums[cuts[0]].rounds), seed, tuple(each.result(cut, [*book.bets]) for cut, each in sums.items()))


class _Sums:
    """Sums over the rounds of each shoe, for one cut card. The last column is the best of all bets."""

    def __init__(self) -> None:
        self.rounds: list[int] = []
        self._turned: list[Integers] = []
        self._gains: list[Floats] = []

    def add(self, gains: Floats) -> None:
        """Add a shoe: the gain of each bet in each of its rounds."""
        self.rounds.append(len(gains))
        self._turned.append((gains > 0).sum(axis=0))
        self._gains.append(np.where(gains > 0, gains, 0.0).sum(axis=0))

    def result(self, cut_card: int, bets: Sequence[str]) -> TurnedByCut:
        turned, gains = np.array(self._turned), np.array(self._gains).sum(axis=0)
        *by_bet, best = (self._turned_of(turned[:, at], float(gains[at])) for at in range(len(bets) + 1))
        return TurnedByCut(cut_card, sum(self.rounds), best, dict(zip(bets, by_bet, strict=True)))

    def _turned_of(self, turned: Integers, gain: float) -> Turned:
        """The error is that of a ratio of two sums over shoes."""
        rounds, times = np.array(self.rounds), int(turned.sum())
        share, shoes = times / rounds.sum(), len(rounds)
        off = turned - share * rounds
        error = float(np.sqrt((off @ off) / (shoes * (shoes - 1))) / rounds.mean()) if shoes > 1 else None
        return Turned(float(share), error, gain / times if times else 0.0)
