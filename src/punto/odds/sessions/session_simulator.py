"""Simulate many playing sessions. Needs the extra ``odds``.

Each session starts with its own fresh shoe and continues with the next one when that ends, or with a machine that has
all its cards in it and takes them back. The player places the same bets every round. With a bankroll, the session ends
once it no longer covers the bets and the most that a round's insurance can cost. The player then counts as ruined,
whatever is left.
"""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from fractions import Fraction
from threading import Event
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.sentence import phrase
from punto.catalogue.values import Money
from punto.odds.compiling import compiled
from punto.odds.procedure import LARGEST_BURN, LARGEST_ROUND, Procedure
from punto.odds.sessions.wagers import Gains
from punto.odds.simulation.estimates import Estimate, MeanEstimate, mean_of, share
from punto.odds.simulation.machine import Machine, deal_stretches, fill, machines
from punto.odds.simulation.shuffle import draw_places, rounds_at, shuffle_one
from punto.odds.simulation.simulation_kernel import Felt, Job, felt
from punto.odds.simulation.simulator import MAX_WORKERS, Progress, job_of, require_number
from punto.rules.refusals import Code, Refused
from punto.rules.rulebook import Rulebook

MAX_SESSIONS: Final = 10_000_000
MAX_SESSION_ROUNDS: Final = 100_000
QUANTILES: Final = (1, 5, 25, 50, 75, 95, 99)
"""In percent: this share of sessions end at the value or below."""
BANDS: Final = (5, 25, 50, 75, 95)
_MARKS: Final = 40
_BINS: Final = 50
# One chunk takes some hundredths of a second. Between chunks the simulation can be stopped.
_CHUNK_SESSIONS: Final = 2048
_CHUNK_ROUNDS: Final = 1 << 20
MAX_PATHS: Final = 100_000
"""Only the first sessions, up to this number, keep their course round by round. The others keep only their result."""

Amounts = npt.NDArray[np.int64]


class Bin(Struct, frozen=True):
    """Number of sessions that ended at ``from_minor`` or above, and below ``to_minor``."""

    from_minor: int
    to_minor: int
    sessions: int


class Path(Struct, frozen=True):
    """Quantiles of the amount won or lost after this many rounds."""

    rounds: int
    quantiles_minor: dict[int, int]


class SimulatedSessions(Struct, frozen=True):
    """The results of many sessions."""

    decks: int
    seed: int
    sessions: int
    """Sessions played: fewer than requested if the simulation was stopped."""
    rounds: int
    """Rounds in a session if the bankroll lasts."""
    bankroll_minor: int | None
    mean_minor: MeanEstimate
    """Average result. Without an interval if all sessions ended alike, or there is only one."""
    std_minor: float | None
    """Sample standard deviation; None for a single session."""
    quantiles_minor: dict[int, int]
    least_minor: int
    most_minor: int
    ahead: Estimate
    even: Estimate
    behind: Estimate
    ruin: Estimate | None
    """None without a bankroll."""
    histogram: tuple[Bin, ...]
    """Bins of equal width, except for the first and the last, which include all outliers."""
    paths: tuple[Path, ...]
    """From the first ``MAX_PATHS`` sessions; the last path, at the end of the session, from all."""
    complete: bool = True
    """False if the simulation was stopped early."""


def simulate_sessions(  # noqa: PLR0913 - all of them are options
    book: Rulebook,
    gain: Gains,
    *,
    rounds: int,
    sessions: int,
    bankroll_minor: int | None = None,
    decks: int | None = None,
    seed: int = 1,
    procedure: Procedure | None = None,
    workers: int = 1,
    progress: Progress | None = None,
    stop: Event | None = None,
) -> SimulatedSessions:
    """Play sessions. The same seed gives the same sessions for any number of workers.

    ``progress`` is called with the number of sessions played and the most rounds they can have had. Setting ``stop``
    ends the simulation with the sessions so far, which are always the first ones without gaps.
    """
    require_number(phrase("phrase.count_of_rounds"), rounds, 1, MAX_SESSION_ROUNDS)
    require_number(phrase("phrase.count_of_sessions"), sessions, 1, MAX_SESSIONS)
    require_number(phrase("phrase.count_of_workers"), workers, 1, MAX_WORKERS)
    need = gain.stake_minor + gain.most_insurance_minor
    if bankroll_minor is not None and bankroll_minor < need:
        raise Refused(Code.OUT_OF_RANGE, variant="bankroll", least=Money(need))
    largest = max(map(abs, gain.runs_minor)) + max(map(abs, gain.pairs_minor))
    if largest * rounds >= 2**62:
        raise Refused(Code.AMOUNT_TOO_LARGE, variant="session")
    job = job_of(book, decks, seed, procedure or Procedure())
    marks = np.unique(np.linspace(0, rounds, min(rounds, _MARKS) + 1).astype(np.int64))
    lowest = -(2**62) if bankroll_minor is None else need - bankroll_minor
    runner = _SessionRunner(job, gain, marks, lowest, sessions)
    played = 0
    for played in runner.run(workers):
        if progress is not None:
            progress(played, played * rounds)
        if stop is not None and stop.is_set():
            break
    results = _summarise(job, marks, runner, played, bankroll_minor)
    return results if played == sessions else replace(results, complete=False)


class _SessionRunner:
    """Plays the sessions in threads. Holds the result of each, and the course of the first ``MAX_PATHS``."""

    def __init__(self, job: Job, gain: Gains, marks: Amounts, lowest_minor: int, sessions: int) -> None:
        self._job, self._gain, self._marks, self._lowest = job, gain, marks, lowest_minor
        self.results = np.zeros(sessions, np.int64)
        self.ruined = np.zeros(sessions, np.bool_)
        self.tracks = np.zeros((min(sessions, MAX_PATHS), len(marks)), np.int64)

    def run(self, workers: int) -> Iterator[int]:
        """Play all sessions in chunks. After each chunk, yield the number of sessions played so far."""
        size = max(min(_CHUNK_ROUNDS // int(self._marks[-1]), _CHUNK_SESSIONS), 1)
        firsts = iter(range(0, len(self.results), size))
        pending: deque[Future[int]] = deque()
        with ThreadPoolExecutor(workers) as pool:
            try:
                while True:
                    while len(pending) < 2 * workers and (first := next(firsts, None)) is not None:
                        pending.append(pool.submit(self._play, first, min(first + size, len(self.results))))
                    if not pending:
                        return
                    yield pending.popleft().result()
            finally:
                for chunk in pending:
                    chunk.cancel()

    def _play(self, first: int, last: int) -> int:
        tracks = np.zeros((last - first, len(self._marks)), np.int64)
        _play_chunk(self._job, self._gain, self._marks, self._lowest, first, tracks, self.ruined[first:last])
        self.results[first:last] = tracks[:, -1]
        target = self.tracks[first:last]  # empty beyond MAX_PATHS
        target[:] = tracks[: len(target)]
        return last


def _play_chunk(
    job: Job,
    gain: Gains,
    marks: Amounts,
    lowest_minor: int,
    first: int,
    tracks: Amounts,
    ruined: npt.NDArray[np.bool_],
) -> None:
    table = felt(job)
    if job.back_after is None:
        machine = machines(0, table.fresh, 1)
    else:  # no more rounds in a stretch than a session has
        table = table._replace(shoe_rounds=min(table.shoe_rounds, int(marks[-1])))
        machine = machines(1, table.fresh, job.back_after, table.shoe_rounds)
    gains = np.add.outer(np.array(gain.pairs_minor, np.int64), np.array(gain.runs_minor, np.int64)).reshape(-1)
    min_rounds = min((table.stop - LARGEST_BURN) // LARGEST_ROUND, table.shoe_rounds)  # in a shoe
    shoes = int(marks[-1]) // max(min_rounds, 1) + 1
    seed = np.uint64(job.seed)
    play(tracks, ruined, marks, gains, lowest_minor, table, machine, job.rounds_after, seed, first, shoes)


@compiled
def play(  # noqa: PLR0913, PLR0917 - a kernel takes arrays and numbers
    tracks: Amounts,
    ruined: npt.NDArray[np.bool_],
    marks: Amounts,
    gains: Amounts,
    lowest: int,
    table: Felt,
    machine: Machine,
    after: int,
    seed: np.uint64,
    first: int,
    shoes: int,
) -> None:
    """Play one session per row of ``tracks``, and write the amount won at each mark.

    With a machine, ``rounds`` are the next ones in order. With a shoe they are those that would start at each place.
    """
    fresh, used, starts, (bounds, least), stop, shoe_rounds = table
    size = len(fresh)
    words = np.zeros(len(least), np.uint32)
    places, cards = np.zeros((1, len(bounds)), np.uint16), np.zeros((1, size), np.uint8)
    continuous = len(machine.cards) > 0
    hands, stretch = np.zeros(size, np.uint16), np.zeros((1, shoe_rounds if continuous else size), np.uint16)
    rounds, shuffled, nobody = stretch[0], cards[0], np.zeros((0, 0), np.uint8)
    for session in range(len(tracks)):
        shoe = np.uint64(first + session) * np.uint64(shoes)
        won, left, in_shoe, at, mark = 0, -1, 0, np.uint64(size), 1
        for dealt in range(marks[-1]):
            if at >= np.uint64(stop):
                left -= 1
            if left < 0 or in_shoe == shoe_rounds:
                if continuous:
                    if dealt == 0:
                        fill(machine, fresh)
                    deal_stretches(stretch, nobody, machine, used, seed, shoe)
                    at = np.uint64(0)
                else:
                    draw_places(places, 0, words, bounds, least, seed, shoe)
                    shuffle_one(cards, places, 0, fresh)
                    rounds_at(rounds, hands, shuffled)
                    at = np.uint64(starts[shuffled[0]])
                shoe += np.uint64(1)
                left, in_shoe = after, 0
            in_shoe += 1
            here = rounds[at]
            at += np.uint64(1) if continuous else np.uint64(used[here])
            won += gains[here]
            if dealt + 1 == marks[mark]:
                tracks[session, mark] = won
                mark += 1
            if won < lowest:
                ruined[session] = True
                break
        for later in range(mark, len(marks)):
            tracks[session, later] = won


def _summarise(
    job: Job, marks: Amounts, runner: _SessionRunner, number: int, bankroll_minor: int | None
) -> SimulatedSessions:
    """Summarise the first ``number`` sessions."""
    results = np.sort(runner.results[:number])
    ruined, tracks = runner.ruined[:number], runner.tracks[:number]
    ahead, behind = int((results > 0).sum()), int((results < 0).sum())
    std = float(results.std(ddof=1)) if number > 1 else None
    paths = [Path(int(at), _quantiles(np.sort(tracks[:, mark]), BANDS)) for mark, at in enumerate(marks[:-1])]

    def chance(sessions: int) -> Estimate:
        return share(Fraction(sessions, number), number)

    return SimulatedSessions(
        job.decks,
        job.seed,
        number,
        int(marks[-1]),
        bankroll_minor,
        mean_of(float(results.mean(dtype=np.longdouble)), std, number),
        std,
        _quantiles(results, QUANTILES),
        int(results[0]),
        int(results[-1]),
        chance(ahead),
        chance(number - ahead - behind),
        chance(behind),
        None if bankroll_minor is None else chance(int(ruined.sum())),
        _histogram(results),
        (*paths, Path(int(marks[-1]), _quantiles(results, BANDS))),
    )


def _quantiles(ordered: Amounts, percents: tuple[int, ...]) -> dict[int, int]:
    """Quantiles by percent. Each is an amount that occurred, never an interpolated one."""
    return {percent: int(ordered[-(-percent * len(ordered) // 100) - 1]) for percent in percents}


def _histogram(ordered: Amounts) -> tuple[Bin, ...]:
    """Bins of a round width. The lowest and highest thousandth of sessions go into the first and last bin."""
    beyond = len(ordered) // 1000
    low, high = int(ordered[beyond]), int(ordered[-1 - beyond])
    width = round_width((high - low) // _BINS + 1)
    first, last = low // width, high // width
    places = np.clip(ordered // width, first, last) - first
    counts = np.bincount(places, minlength=last - first + 1)
    bins = [Bin((first + at) * width, (first + at + 1) * width, int(count)) for at, count in enumerate(counts)]
    bins[0] = Bin(min(bins[0].from_minor, int(ordered[0])), bins[0].to_minor, bins[0].sessions)
    bins[-1] = Bin(bins[-1].from_minor, max(bins[-1].to_minor, int(ordered[-1]) + 1), bins[-1].sessions)
    return tuple(bins)


def round_width(least: int) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50 ... that is at least ``least``.

    >>> [round_width(width) for width in (1, 3, 5, 6, 41)]
    [1, 5, 5, 10, 50]
    """
    power = 1
    while power * 10 <= least:
        power *= 10
    return next(power * step for step in (1, 2, 5, 10) if power * step >= least)
