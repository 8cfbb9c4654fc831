"""The threads of every kind of database: one writer that commits for all callers, and two readers."""

import asyncio
import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

from msgspec.structs import astuple

from punto.catalogue.sentence import Phrase
from punto.floor.database.signatures import INSERT_LINKS, Appended, SignedLink, Signer
from punto.floor.errors import FloorCode, FloorRefused

T = TypeVar("T")
Row = tuple[Any, ...]

_LOG = logging.getLogger(__name__)
MAX_BATCH = 256
"""Most jobs that share one commit."""
MAX_TRANSACTION_TRIES = 20
"""Tries of one transaction when the database asks to retry, as after a deadlock."""


SIGNED_KEY = "signed_with"
"""In the table `meta` of a journal that is signed: the public key."""


class Transaction(Protocol):
    """What a job may do. ``?`` marks a value in SQL."""

    appended: dict[int, Appended]
    """By the key of a stream, what was appended so far."""

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Run one statement and return its rows."""

    def change(self, sql: str, values: Sequence[object] = ()) -> int:
        """Run one statement and return how many rows it changed."""

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one statement for each row of values. Raises :class:`Duplicate` if a row is not unique."""

    def follow(self, stream: int, before: "StreamEnd", columns: Sequence[str], rows: Sequence[Row]) -> bool:
        """Append entries to a stream; return False if the stream no longer ends at ``before``.

        The first column is the version, the last the hash. Raises :class:`Duplicate` if a command id already exists.
        """

    def tell(self, name: str) -> None:
        """Notify every listening process after the commit."""


StreamEnd = tuple[int, str]
"""Version and hash of the last entry of a stream."""


def note_appended(appended: dict[int, Appended], stream: int, rows: Sequence["Row"]) -> None:
    """Rows as for :meth:`Transaction.follow`."""
    first = appended[stream].first if stream in appended else rows[0][0]
    appended[stream] = Appended(first, rows[-1][0], rows[-1][-1])


class Duplicate(Exception):
    """A row that must be unique already exists."""


Work = Callable[[Transaction], T]
"""A job. It may run more than once, so it must not have effects outside the transaction."""


class _Writing(asyncio.Future[Any]):
    """A write on its way to the disk. It cannot be cancelled."""

    def cancel(self, msg: Any | None = None) -> bool:  # noqa: ARG002 - asyncio's signature
        """Refuse. The waiting task is cancelled after the write is done."""
        return False


class _Job:
    """Work, and the future of its caller."""

    __slots__ = ("loop", "waiting", "work")

    def __init__(self, work: Work[Any], waiting: Any, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self.work = work
        self.waiting = waiting
        self.loop = loop
        """The caller's event loop; None if the caller is a thread."""

    def start(self) -> bool:
        """Return False if the job was cancelled. A started job can no longer be cancelled."""
        if self.loop is None:
            started: bool = self.waiting.set_running_or_notify_cancel()
            return started
        return not self.waiting.cancelled()

    def finish(self, answer: object, error: Exception | None) -> None:
        """Resolve the caller's future, unless the caller has given up in the meantime."""
        if self.loop is not None and self.waiting.done():
            return
        if error is None:
            self.waiting.set_result(answer)
        else:
            self.waiting.set_exception(error)


_Queue = SimpleQueue[list[_Job] | None]

_Outcome = tuple[_Job, object, Exception | None]
"""A job with its return value or its error."""


def _deliver(outcomes: Sequence[_Outcome]) -> None:
    """Finish each job on its caller's thread or loop, and wake each event loop once."""
    loops: dict[asyncio.AbstractEventLoop, list[_Outcome]] = {}
    for outcome in outcomes:
        if outcome[0].loop is None:
            _finish_each([outcome])
        else:
            loops.setdefault(outcome[0].loop, []).append(outcome)
    for loop, loop_outcomes in loops.items():
        try:
            loop.call_soon_threadsafe(_finish_each, loop_outcomes)
        except RuntimeError:  # the loop is closed: nobody waits there any more
            continue


def _finish_each(outcomes: Sequence[_Outcome]) -> None:
    for job, answer, error in outcomes:
        job.finish(answer, error)


READERS = 2
"""One for short reads and one for long ones."""


class Database(ABC):
    """A database with its writer thread and its reader threads."""

    shared: bool
    """Whether other processes may write to it."""
    clock_sql: str = ""
    """Its own clock in SQL, as Unix time in microseconds; empty if it has none but that of this machine."""
    key_file: Path | None = None
    """Where the floor's secret key is unless a setting names another file; None if a setting must name it."""
    signer: Signer | None = None
    """Signs what each commit appends. Without one nothing can be appended to a journal that is signed."""
    write_fault: Exception | None = None
    """Why the last transaction could not be written; None if it was."""
    _opened = False
    """Whether callers may have sent work already."""

    def __init__(self) -> None:
        self._opened = True
        self._closed = False
        self._writing: _Queue = SimpleQueue()
        self._reading: list[_Queue] = [SimpleQueue() for _ in range(READERS)]
        self._batches: dict[tuple[asyncio.AbstractEventLoop, int], list[_Job]] = {}
        self._threads = [
            threading.Thread(target=self._write_forever, name="punto-writer", daemon=True),
            *(
                threading.Thread(target=self._read_forever, args=(reader,), name=f"punto-reader-{reader}", daemon=True)
                for reader in range(READERS)
            ),
        ]
        for thread in self._threads:
            thread.start()

    # ---- what callers use

    def write(self, work: Work[T]) -> "asyncio.Future[T]":
        """Do the work; the future resolves when it is on the disk. Cancelling the caller does not cancel the write."""
        return self._put_from_loop(self._writing, work, _Writing(loop=asyncio.get_running_loop()))

    def read(self, work: Work[T], *, long: bool = False) -> "asyncio.Future[T]":
        """Do work that only reads. It sees the database as of one moment.

        ``long`` reads have their own reader, so short ones, such as looking up a session, never wait for them.
        """
        return self._put_from_loop(self._reading[long], work, asyncio.get_running_loop().create_future())

    def writing(self, work: Work[T]) -> "Future[T]":
        """Like :meth:`write`, for callers without an event loop."""
        return self._put(self._writing, work)

    def reading(self, work: Work[T]) -> "Future[T]":
        """Like :meth:`read`, for callers without an event loop."""
        return self._put(self._reading[0], work)

    def _put(self, queue: "_Queue", work: Work[T]) -> "Future[T]":
        if self._closed:
            raise _closed()
        future: Future[T] = Future()
        queue.put([_Job(work, future)])
        return future

    def _put_from_loop(self, queue: "_Queue", work: Work[T], future: "asyncio.Future[T]") -> "asyncio.Future[T]":
        """Hand over all jobs of one turn of the loop together: fewer wake-ups and fewer commits."""
        if self._closed:
            raise _closed()
        loop = future.get_loop()
        key = (loop, id(queue))
        batch = self._batches.get(key)
        if batch is None:
            batch = self._batches[key] = []
            loop.call_soon(self._hand_over, queue, key)
        batch.append(_Job(work, future, loop))
        return future

    def _hand_over(self, queue: "_Queue", key: tuple[asyncio.AbstractEventLoop, int]) -> None:
        jobs = self._batches.pop(key)
        if self._closed:
            _deliver([(job, None, _closed()) for job in jobs])
        else:
            queue.put(jobs)

    def close(self) -> None:
        """Finish the work in progress and close all connections."""
        if self._closed:
            return
        self._closed = True
        for queue in (self._writing, *self._reading):
            queue.put(None)
        for thread in self._threads:
            thread.join()
        self._disconnect()
        for queue in (self._writing, *self._reading):
            while not queue.empty():  # jobs that came too late
                _deliver([(job, None, _closed()) for job in queue.get() or () if job.start()])

    # ---- the threads

    def _write_forever(self) -> None:
        while (jobs := self._writing.get()) is not None:
            last = False
            while not last and not self._writing.empty():
                more = self._writing.get()
                last = more is None
                jobs = jobs + (more or [])
            for first in range(0, len(jobs), MAX_BATCH):
                self._commit_together([job for job in jobs[first : first + MAX_BATCH] if job.start()])
            if last:
                break

    def _commit_together(self, jobs: list[_Job]) -> None:
        """Commit all jobs together. A job that raises is set aside: the others run again, then that one alone."""
        alone: list[_Job] = []
        while jobs:
            answers: list[Any] = []
            try:
                self._transact([job.work for job in jobs], answers)
            except Exception as error:  # noqa: BLE001 - passed on to the caller
                if len(jobs) == 1 or len(answers) == len(jobs) or _lost(error):
                    # the error concerns all jobs or the commit itself: callers can retry with the same command id
                    _deliver([(job, None, error) for job in jobs])
                    break
                alone.append(jobs.pop(len(answers)))
            else:
                _deliver([(job, answer, None) for job, answer in zip(jobs, answers, strict=True)])
                break
        for job in alone:
            self._commit_together([job])

    def _transact(self, works: Sequence[Work[Any]], answers: list[Any]) -> None:
        """Do all the work in one transaction and commit it to the disk, or do none of it."""
        for tries in range(1, MAX_TRANSACTION_TRIES + 1):
            answers.clear()
            committing = False
            try:
                transaction = self._begin()
                for work in works:  # the number of answers tells which job raised
                    answers.append(work(transaction))  # noqa: PERF401
                links = self._sign(transaction)
                committing = True
                self._commit()
            except Exception as error:
                if committing and self.signer is not None:
                    self.signer.start_over()
                if self._undone(error) and tries < MAX_TRANSACTION_TRIES:
                    continue
                refused = self.refusal(error)
                if refused is error:
                    raise
                if not (isinstance(refused, FloorRefused) and refused.code is FloorCode.BAD_COMMAND):  # of one value
                    if self.write_fault is None:
                        _LOG.error("the database cannot be written: %s", refused)
                    self.write_fault = refused
                raise refused from error
            self.write_fault = None
            if self.signer is not None:
                self.signer.committed(links)
            return

    def _sign(self, transaction: Transaction) -> list[SignedLink]:
        """Sign what the transaction appended. Refused without a key if the journal is signed."""
        if not transaction.appended:
            return []
        if self.signer is None:
            if transaction.rows("SELECT 1 FROM meta WHERE name = ?", (SIGNED_KEY,)):
                raise FloorRefused(FloorCode.BAD_KEY, variant="unsigned")
            return []
        links = self.signer.links(transaction.appended)
        transaction.many(INSERT_LINKS, map(astuple, links))
        return links

    def _undone(self, error: Exception) -> bool:
        """Undo the transaction. An error while undoing becomes a refusal too."""
        try:
            return self._undo(error)
        except Exception as worse:  # noqa: BLE001 - becomes a refusal, or is raised as it is
            raise self.refusal(worse) from error

    def _read_forever(self, reader: int) -> None:
        while (jobs := self._reading[reader].get()) is not None:
            _deliver([self._read(job, reader) for job in jobs if job.start()])

    def _read(self, job: _Job, reader: int) -> "_Outcome":
        try:
            return (job, self._look(job.work, reader), None)
        except Exception as error:  # noqa: BLE001 - passed on to the caller
            return (job, None, self.refusal(error))

    # ---- what each database does in its own way

    @abstractmethod
    def _begin(self) -> Transaction:
        """Start a transaction of the writer."""

    @abstractmethod
    def _commit(self) -> None: ...

    @abstractmethod
    def _undo(self, error: Exception) -> bool:
        """Roll back. Return True if the database asks to retry and that is safe."""

    @abstractmethod
    def _look(self, work: Work[T], reader: int = 0) -> T: ...

    @abstractmethod
    def refusal(self, error: Exception) -> Exception:
        """An error of the database as a refusal; any other error unchanged."""

    def _unanswered(self, reason: Phrase) -> FloorRefused:
        """The database does not answer. The advice differs once something may have been written."""
        return FloorRefused(FloorCode.DATABASE_LOST, variant="ask_again" if self._opened else "look", reason=reason)

    @abstractmethod
    def _disconnect(self) -> None: ...

    @abstractmethod
    def enter(self) -> bool:
        """Register as a floor that runs on this database; return False if it is in use and cannot be shared."""

    @abstractmethod
    def claim(self, names: Sequence[str]) -> set[str]:
        """Claim these names; return those this process holds. Claims end with the process, even if it is killed."""

    @abstractmethod
    def listen(self, on_message: Callable[[str], None]) -> None:
        """Call back from another thread with each message; with "" if messages may have been missed."""

    @abstractmethod
    def differences(self) -> list[str]:
        """How the schema differs from the one that this release creates, sorted."""

    @abstractmethod
    def copy_to(self, path: str) -> None:
        """Write a consistent copy of the whole database while it is in use. It is marked as a backup."""


def _lost(error: Exception) -> bool:
    return isinstance(error, FloorRefused) and error.code is FloorCode.DATABASE_LOST


def _closed() -> FloorRefused:
    return FloorRefused(FloorCode.DATABASE_LOST, variant="closed")
