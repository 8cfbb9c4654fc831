"""Simulate whole shoes, for every bet and insurance cell of a game in one pass. Needs the extra ``odds``.

A shoe depends only on the seed and its number, and a simulation deals the shoes from number 0 on. So the results depend
only on the seed and the amount dealt, not on the workers, the executor, or how the shoes were divided among them. A
machine that takes cards back deals stretches of rounds instead of shoes, in the same way.
"""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event
from time import perf_counter
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from punto.catalogue.sentence import Phrase, phrase
from punto.odds.distribution import Distribution
from punto.odds.procedure import Procedure
from punto.odds.simulation.card_bets import stepped_bets
from punto.odds.simulation.random_streams import MAX_SEED
from punto.odds.simulation.shuffle import RUNS, card_codes
from punto.odds.simulation.simulation_kernel import Counts, Dealt, Job, deal
from punto.rules.coup.cards import RANKS, SUITS
from punto.rules.coup.space import PAIRS
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook

CHUNK_SHOES: Final = 1 << 14
"""Shoes per task: about a hundredth of a second's work."""
MAX_CHUNK_SHOES: Final = 1 << 22
"""With more shoes, a count could overflow 32 bits."""
MAX_DEALT: Final = 10**15
"""Rounds or shoes: more than a hundred cores can deal in a day."""
MAX_WORKERS: Final = 1024

Progress = Callable[[int, int], None]
"""Called with the rounds and the shoes dealt so far."""


class Amount(Struct, frozen=True):
    """How much to deal: a number of rounds, or a number of complete shoes."""

    rounds: int | None = None
    shoes: int | None = None

    def require(self) -> None:
        """Refuse unless exactly one of the two is given, in its range."""
        if (self.rounds is None) == (self.shoes is None):
            raise Refused(Code.OUT_OF_RANGE, variant="rounds_or_shoes")
        require_number(phrase("phrase.count_of_rounds_or_shoes"), self.rounds or self.shoes or 0, 1, MAX_DEALT)


class Simulated(Struct, frozen=True):
    """The result of a simulation."""

    decks: int
    seed: int
    rounds: int
    shoes: int
    """Shoes started. With a number of rounds, the last shoe is incomplete. 0 for a machine, which has none."""
    seconds: float
    """Time spent dealing, without set-up and compilation."""
    complete: bool
    """False if the simulation was stopped early."""
    distribution: Distribution


def require_number(what: Phrase, number: int, least: int, most: int) -> int:
    """Refuse a number that is out of its range."""
    if not least <= number <= most:
        raise Refused(Code.OUT_OF_RANGE, variant="number", what=what, least=least, most=most, number=number)
    return number


def job_of(book: Rulebook, decks: int | None, seed: int, procedure: Procedure) -> Job:
    """Describe the work for the workers. Refused if the book or the shoe does not allow it."""
    decks = book.require_decks(decks)
    procedure.require_for(book, decks * len(RANKS) * len(SUITS))
    require_number(phrase("phrase.seed"), seed, 0, MAX_SEED)
    return Job(
        seed,
        decks,
        card_codes(book.table_of_play),
        bytes(end.cards for end in book.space.ends),
        procedure.burn,
        procedure.cut_card,
        procedure.rounds_after,
        procedure.shoe_rounds,
        procedure.back_after,
        stepped_bets(book),
    )


def warm_up(job: Job) -> None:
    """Compile the kernels, or load them from the cache. Called in every worker before the time is measured."""
    deal(job, 0, 1)


def simulate(  # noqa: PLR0913 - all of them are options
    book: Rulebook,
    amount: Amount,
    *,
    decks: int | None = None,
    seed: int = 1,
    procedure: Procedure | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    chunk_shoes: int = CHUNK_SHOES,
    progress: Progress | None = None,
    stop: Event | None = None,
) -> Simulated:
    """Deal and count, in ``workers`` threads or on an executor. Setting ``stop`` ends it with the results so far.

    With an executor, ``workers`` is the number of chunks it can deal at once, and its processes should call
    :func:`warm_up` first. The executor is not shut down.
    """
    amount.require()
    require_number(phrase("phrase.count_of_workers"), workers, 1, MAX_WORKERS)
    require_number(phrase("phrase.count_of_shoes_in_a_chunk"), chunk_shoes, 1, MAX_CHUNK_SHOES)
    job = job_of(book, decks, seed, procedure or Procedure())
    if job.back_after is not None and amount.shoes is not None:
        raise Refused(Code.OPTIONS_CONTRADICT, variant="continuous_shoes")
    rounds, shoes = 0, 0
    kinds = np.zeros((len(PAIRS), RUNS), np.int64)
    lines = np.zeros(sum(bet.finals for bet in job.card_bets), np.int64)
    with ExitStack() as stack:
        if executor is None:
            warm_up(job)
            pool: Executor = stack.enter_context(ThreadPoolExecutor(workers))
        else:
            pool = executor
            pool.submit(warm_up, job).result()
        started = perf_counter()
        for dealt in _chunks(pool, job, amount, 2 * workers, chunk_shoes):
            rounds += dealt.rounds
            shoes += 0 if job.back_after is not None else dealt.shoes
            kinds += dealt.kinds
            lines += dealt.lines
            if progress is not None:
                progress(rounds, shoes)
            if stop is not None and stop.is_set():
                break
        seconds = perf_counter() - started
    complete = rounds == amount.rounds or shoes == amount.shoes
    return Simulated(job.decks, seed, rounds, shoes, seconds, complete, distribution_of(book, kinds, lines))


def distribution_of(
    book: Rulebook, kinds: Counts | npt.NDArray[np.int64], lines: npt.NDArray[np.int64] | None = None
) -> Distribution:
    """Turn counts by pair pattern and run, and by line of the bets on single cards, into a distribution."""
    by_line, of_bets = ([] if lines is None else lines.tolist()), dict[str, tuple[int, ...]]()
    for rule in book.bets.values():
        if rule.automaton is not None and by_line:
            cells = len(rule.of_cells)
            of_bets[rule.id], by_line = tuple(by_line[:cells]), by_line[cells:]
    return Distribution.of_runs(book.space, kinds.sum(axis=0).tolist(), kinds.sum(axis=1).tolist(), of_bets)


def _chunks(pool: Executor, job: Job, amount: Amount, ahead: int, chunk_shoes: int) -> Iterator[Dealt]:
    """Yield the chunks in the order of their shoes, with up to ``ahead`` chunks in progress.

    With a number of rounds, a shoe is started only if all of its rounds are certainly needed, whatever the chunks in
    progress will contain. The last few shoes are dealt at the end as one chunk, limited by rounds.
    """
    pending: deque[tuple[Future[Dealt], int]] = deque()
    first, left = 0, amount.rounds if amount.rounds is not None else amount.shoes or 0
    try:
        while left:
            while len(pending) < ahead:
                certain = left if amount.rounds is None else left // job.most_rounds
                certain -= sum(shoes for _, shoes in pending)
                if certain <= 0 or (certain < chunk_shoes and pending and amount.rounds is not None):
                    break
                shoes = min(chunk_shoes, -(-certain // (ahead - len(pending))))
                pending.append((pool.submit(deal, job, first, shoes), shoes))
                first += shoes
            if not pending:  # fewer rounds left than a shoe may have
                yield pool.submit(deal, job, first, left, left).result()
                return
            dealt = pending.popleft()[0].result()
            left -= dealt.shoes if amount.rounds is None else dealt.rounds
            yield dealt
    finally:
        for future, _ in pending:
            future.cancel()
