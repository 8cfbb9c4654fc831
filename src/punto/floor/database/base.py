"""One writer thread that commits for many, and two that read, whatever the database."""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

from punto.catalogue.sentence import Phrase
from punto.floor.errors import FloorCode, FloorRefused

T = TypeVar("T")
Row = tuple[Any, ...]

MAX_BATCH = 256
"""How many pieces of work share one commit at the most."""
MAX_TRANSACTION_TRIES = 20
"""How often work is begun again where the database itself asks for that."""


class Transaction(Protocol):
    """What a piece of work may do. ``?`` stands for a value."""

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Run one statement; the rows it gives."""

    def change(self, sql: str, values: Sequence[object] = ()) -> int:
        """Run one statement; how many rows it has changed."""

    def many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one statement for each row of values; :class:`Duplicate` where one must be and is not unique."""

    def follow(self, stream: int, before: "StreamEnd", columns: Sequence[str], rows: Sequence[Row]) -> bool:
        """Append entries to a stream that still ends there, and move its end; False where it does not end there.

        The first of their columns is the version, the last the hash. :class:`Duplicate` where a command id was there
        before.
        """

    def tell(self, name: str) -> None:
        """Tell every process that listens, once this is committed."""


StreamEnd = tuple[int, str]
"""Where a stream ends: version and hash."""


class Duplicate(Exception):
    """A row that must be unique is there already."""


Work = Callable[[Transaction], T]
"""A piece of work. It may be run again from the start, so it keeps nothing but what it returns."""


class _Writing(asyncio.Future[Any]):
    """A write on its way to the disk: it cannot be cancelled."""

    def cancel(self, msg: Any | None = None) -> bool:  # noqa: ARG002 - asyncio's signature
        """Refuse: the waiting task is cancelled when the write is done."""
        return False


class _Job:
    """Work, and how to tell whoever waits for it."""

    __slots__ = ("loop", "waiting", "work")

    def __init__(self, work: Work[Any], waiting: Any, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self.work = work
        self.waiting = waiting
        self.loop = loop
        """The event loop of whoever waits; None for a waiting thread."""

    def begin(self) -> bool:
        """Whether to begin: cancelled work is not begun, and work that is begun cannot be cancelled."""
        if self.loop is None:
            begun: bool = self.waiting.set_running_or_notify_cancel()
            return begun
        return not self.waiting.cancelled()

    def tell(self, answer: object, trouble: Exception | None) -> None:
        """What came of it; a waiter of an event loop may have gone meanwhile."""
        if self.loop is not None and self.waiting.done():
            return
        if trouble is None:
            self.waiting.set_result(answer)
        else:
            self.waiting.set_exception(trouble)


_Queue = SimpleQueue[list[_Job] | None]

_Told = tuple[_Job, object, Exception | None]
"""Work and what it has returned, or what was in its way."""


def _tell(told: Sequence[_Told]) -> None:
    """Tell each waiter on its own thread or loop, and wake each event loop once."""
    loops: dict[asyncio.AbstractEventLoop, list[_Told]] = {}
    for one in told:
        if one[0].loop is None:
            _tell_each([one])
        else:
            loops.setdefault(one[0].loop, []).append(one)
    for loop, theirs in loops.items():
        try:
            loop.call_soon_threadsafe(_tell_each, theirs)
        except RuntimeError:  # the loop is closed: nobody waits there any more
            continue


def _tell_each(told: Sequence[_Told]) -> None:
    for job, answer, trouble in told:
        job.tell(answer, trouble)


READERS = 2
"""One for what is asked again and again, and one for what takes long."""


class Database(ABC):
    """A database with a writer and readers of its own."""

    shared: bool
    """Other processes may write to it."""
    _opened = False
    """Somebody may have asked something of it."""

    def __init__(self) -> None:
        self._opened = True
        self._closed = False
        self._writing: _Queue = SimpleQueue()
        self._reading: list[_Queue] = [SimpleQueue() for _ in range(READERS)]
        self._gathered: dict[tuple[asyncio.AbstractEventLoop, int], list[_Job]] = {}
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
        """Do the work; when this is done, it is on the disk. A task cancelled meanwhile waits for that first."""
        return self._put_from_loop(self._writing, work, _Writing(loop=asyncio.get_running_loop()))

    def read(self, work: Work[T], *, long: bool = False) -> "asyncio.Future[T]":
        """Do work that only reads, and sees the database as it is at one moment.

        ``long`` reads have a reader of their own, so that the short ones, such as who acts, never wait for them.
        """
        return self._put_from_loop(self._reading[long], work, asyncio.get_running_loop().create_future())

    def writing(self, work: Work[T]) -> "Future[T]":
        """The same for callers without an event loop."""
        return self._put(self._writing, work)

    def reading(self, work: Work[T]) -> "Future[T]":
        """The same for callers without an event loop."""
        return self._put(self._reading[0], work)

    def _put(self, queue: "_Queue", work: Work[T]) -> "Future[T]":
        if self._closed:
            raise _closed()
        future: Future[T] = Future()
        queue.put([_Job(work, future)])
        return future

    def _put_from_loop(self, queue: "_Queue", work: Work[T], future: "asyncio.Future[T]") -> "asyncio.Future[T]":
        """What an event loop asks for in one turn goes to the thread at once: fewer wake-ups, and fewer commits."""
        if self._closed:
            raise _closed()
        loop = future.get_loop()
        key = (loop, id(queue))
        gathered = self._gathered.get(key)
        if gathered is None:
            gathered = self._gathered[key] = []
            loop.call_soon(self._hand_over, queue, key)
        gathered.append(_Job(work, future, loop))
        return future

    def _hand_over(self, queue: "_Queue", key: tuple[asyncio.AbstractEventLoop, int]) -> None:
        jobs = self._gathered.pop(key)
        if self._closed:
            _tell([(job, None, _closed()) for job in jobs])
        else:
            queue.put(jobs)

    def close(self) -> None:
        """Finish what is under way and let go of the database."""
        if self._closed:
            return
        self._closed = True
        for queue in (self._writing, *self._reading):
            queue.put(None)
        for thread in self._threads:
            thread.join()
        self._disconnect()
        for queue in (self._writing, *self._reading):
            while not queue.empty():  # who came too late
                _tell([(job, None, _closed()) for job in queue.get() or () if job.begin()])

    # ---- the threads

    def _write_forever(self) -> None:
        while (jobs := self._writing.get()) is not None:
            last = False
            while not last and not self._writing.empty():
                more = self._writing.get()
                last = more is None
                jobs = jobs + (more or [])
            for first in range(0, len(jobs), MAX_BATCH):
                self._commit_together([job for job in jobs[first : first + MAX_BATCH] if job.begin()])
            if last:
                break

    def _commit_together(self, jobs: list[_Job]) -> None:
        """One commit for all. Work that is in the way is set aside, the rest is begun again, and then it by itself."""
        alone: list[_Job] = []
        while jobs:
            answers: list[Any] = []
            try:
                self._transact([job.work for job in jobs], answers)
            except Exception as trouble:  # noqa: BLE001 - handed on to whoever waits
                if len(jobs) == 1 or len(answers) == len(jobs) or _lost(trouble):
                    # of all of them, or of the commit itself: who asks again with the same id will know
                    _tell([(job, None, trouble) for job in jobs])
                    break
                alone.append(jobs.pop(len(answers)))
            else:
                _tell([(job, answer, None) for job, answer in zip(jobs, answers, strict=True)])
                break
        for job in alone:
            self._commit_together([job])

    def _transact(self, works: Sequence[Work[Any]], answers: list[Any]) -> None:
        """Do all the work in one transaction and commit it to the disk, or none of it."""
        for tries in range(1, MAX_TRANSACTION_TRIES + 1):
            answers.clear()
            try:
                transaction = self._begin()
                for work in works:  # how far it went says whose work is in the way
                    answers.append(work(transaction))  # noqa: PERF401
                self._commit()
            except Exception as trouble:
                if self._undone(trouble) and tries < MAX_TRANSACTION_TRIES:
                    continue
                refused = self.refusal(trouble)
                if refused is trouble:
                    raise
                raise refused from trouble
            return

    def _undone(self, trouble: Exception) -> bool:
        """Undo; trouble while undoing is turned into a refusal too."""
        try:
            return self._undo(trouble)
        except Exception as worse:  # noqa: BLE001 - in our words, or as it is
            raise self.refusal(worse) from trouble

    def _read_forever(self, reader: int) -> None:
        while (jobs := self._reading[reader].get()) is not None:
            _tell([self._read(job, reader) for job in jobs if job.begin()])

    def _read(self, job: _Job, reader: int) -> "_Told":
        try:
            return (job, self._look(job.work, reader), None)
        except Exception as trouble:  # noqa: BLE001 - handed on to whoever waits
            return (job, None, self.refusal(trouble))

    # ---- what each database does in its own way

    @abstractmethod
    def _begin(self) -> Transaction:
        """Begin a transaction of the writer."""

    @abstractmethod
    def _commit(self) -> None:
        """Commit it to the disk."""

    @abstractmethod
    def _undo(self, trouble: Exception) -> bool:
        """Nothing of the transaction has happened; whether the database asks to begin again, and that is safe."""

    @abstractmethod
    def _look(self, work: Work[T], reader: int = 0) -> T:
        """Do work that only reads, by one of the readers."""

    @abstractmethod
    def refusal(self, trouble: Exception) -> Exception:
        """A trouble of the database in our words; any other as it is."""

    def _unanswered(self, trouble: Phrase) -> FloorRefused:
        """It does not answer: what to do about that, once there is something that may have been written."""
        return FloorRefused(FloorCode.DATABASE_LOST, variant="ask_again" if self._opened else "look", trouble=trouble)

    @abstractmethod
    def _disconnect(self) -> None:
        """Close every connection."""

    @abstractmethod
    def enter(self) -> bool:
        """Be a floor that runs on this database; False where there may be no further one."""

    @abstractmethod
    def claim(self, names: Sequence[str]) -> set[str]:
        """Of these, what this process and no other runs; until it ends, however it ends."""

    @abstractmethod
    def listen(self, heard: Callable[[str], None]) -> None:
        """Call back, from another thread, with each message of any process; an empty one: some may have been missed."""

    @abstractmethod
    def copy_to(self, path: str) -> None:
        """A consistent copy of the whole database, while it is in use."""


def _lost(trouble: Exception) -> bool:
    return isinstance(trouble, FloorRefused) and trouble.code is FloorCode.DATABASE_LOST


def _closed() -> FloorRefused:
    return FloorRefused(FloorCode.DATABASE_LOST, variant="closed")
