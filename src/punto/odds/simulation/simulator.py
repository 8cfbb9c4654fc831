"""Simulation: whole shoes, every bet and every insurance cell of a game in one pass. Needs the extra ``odds``.

A shoe is a function of the seed and its number alone, and a simulation deals the shoes from number 0 on. So what comes
out depends on the seed and on how much is dealt, and on nothing else: not on the workers, not on the executor, not on
how the shoes were shared out among them.
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
from punto.odds.simulation.random_streams import MAX_SEED
from punto.odds.simulation.shuffle import RUNS, card_codes
from punto.odds.simulation.simulation_kernel import Counts, Dealt, Job, deal
from punto.rules.coup.cards import RANKS, SUITS
from punto.rules.coup.space import PAIRS
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook

CHUNK_SHOES: Final = 1 << 14
"""How many shoes are handed to a worker at a time: about a hundredth of a second's work."""
MAX_CHUNK_SHOES: Final = 1 << 22
"""So that no count of a chunk outgrows 32 bits."""
MAX_DEALT: Final = 10**15
"""Rounds or shoes: more than a hundred cores deal in a day."""
MAX_WORKERS: Final = 1024

Progress = Callable[[int, int], None]
"""Told how many rounds and how many shoes have been dealt so far."""


class Amount(Struct, frozen=True):
    """How much is dealt: so many rounds, or so many shoes to their end."""

    rounds: int | None = None
    shoes: int | None = None

    def require(self) -> None:
        """Refuse what is neither, or both, or nothing."""
        if (self.rounds is None) == (self.shoes is None):
            raise Refused(Code.OUT_OF_RANGE, variant="rounds_or_shoes")
        require_number(phrase("phrase.count_of_rounds_or_shoes"), self.rounds or self.shoes or 0, 1, MAX_DEALT)


class Simulated(Struct, frozen=True):
    """What was dealt."""

    decks: int
    seed: int
    rounds: int
    shoes: int
    """Begun: where rounds were asked for, the last one was not dealt to its end."""
    seconds: float
    """Spent dealing; setting up and compiling are left out."""
    complete: bool
    """False where it was stopped before everything asked for was dealt."""
    distribution: Distribution


def require_number(what: Phrase, number: int, least: int, most: int) -> int:
    """Refuse a number that is out of its range."""
    if not least <= number <= most:
        raise Refused(Code.OUT_OF_RANGE, variant="number", what=what, least=least, most=most, number=number)
    return number


def job_of(book: Rulebook, decks: int | None, seed: int, procedure: Procedure) -> Job:
    """All that a worker has to know, refused where the book or the shoe does not allow it."""
    decks = book.require_decks(decks)
    procedure.require_for(decks * len(RANKS) * len(SUITS))
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
    )


def warm_up(job: Job) -> None:
    """Compile, or load what was compiled, and set the tables up. In every worker, before the clock runs."""
    deal(job, 0, 1)


def simulate(  # noqa: PLR0913 - what is dealt, how, and by whom
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
    """Deal, in so many threads or by any executor, and tally. Once ``stop`` is set it ends with what it has.

    An executor is used as it comes and left open; ``workers`` then says how many chunks it can deal at once, and
    :func:`warm_up` is what its processes should begin with.
    """
    amount.require()
    require_number(phrase("phrase.count_of_workers"), workers, 1, MAX_WORKERS)
    require_number(phrase("phrase.count_of_shoes_in_a_chunk"), chunk_shoes, 1, MAX_CHUNK_SHOES)
    job = job_of(book, decks, seed, procedure or Procedure())
    rounds, shoes = 0, 0
    kinds = np.zeros((len(PAIRS), RUNS), np.int64)
    with ExitStack() as stack:
        if executor is None:
            warm_up(job)
            pool: Executor = stack.enter_context(ThreadPoolExecutor(workers))
        else:
            pool = executor
            pool.submit(warm_up, job).result()
        begun = perf_counter()
        for dealt in _chunks(pool, job, amount, 2 * workers, chunk_shoes):
            rounds, shoes = rounds + dealt.rounds, shoes + dealt.shoes
            kinds += dealt.kinds
            if progress is not None:
                progress(rounds, shoes)
            if stop is not None and stop.is_set():
                break
        seconds = perf_counter() - begun
    complete = rounds == amount.rounds or shoes == amount.shoes
    return Simulated(job.decks, seed, rounds, shoes, seconds, complete, distribution_of(book, kinds))


def distribution_of(book: Rulebook, kinds: Counts | npt.NDArray[np.int64]) -> Distribution:
    """What was dealt, by what bets and insurance ask about."""
    return Distribution.of_runs(book.space, kinds.sum(axis=0).tolist(), kinds.sum(axis=1).tolist())


def _chunks(pool: Executor, job: Job, amount: Amount, ahead: int, chunk_shoes: int) -> Iterator[Dealt]:
    """The chunks in the order of their shoes, some ahead of what has been taken.

    Where rounds are asked for, no shoe is begun of which it is not certain that all of it is wanted, whatever is
    still being dealt; only the very last ones are dealt by themselves, and not to their end.
    """
    flying: deque[tuple[Future[Dealt], int]] = deque()
    most = job.decks * len(RANKS) * len(SUITS) // 4  # a shoe has no more rounds than that
    first, left = 0, amount.rounds if amount.rounds is not None else amount.shoes or 0
    try:
        while left:
            while len(flying) < ahead:
                certain = left if amount.rounds is None else left // most
                certain -= sum(shoes for _, shoes in flying)
                if certain <= 0 or (certain < chunk_shoes and flying and amount.rounds is not None):
                    break
                shoes = min(chunk_shoes, -(-certain // (ahead - len(flying))))
                flying.append((pool.submit(deal, job, first, shoes), shoes))
                first += shoes
            if not flying:  # less than a shoe may hold
                yield pool.submit(deal, job, first, left, left).result()
                return
            dealt = flying.popleft()[0].result()
            left -= dealt.shoes if amount.rounds is None else dealt.rounds
            yield dealt
    finally:
        for future, _ in flying:
            future.cancel()
