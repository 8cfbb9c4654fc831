"""Tables in memory that follow what other processes append."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial

from punto.floor.database.base import Database
from punto.floor.errors import FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.stream_name import StreamName
from punto.floor.running.live_table import LiveTable


class Follower:
    """Lets the tables of a process catch up, each as soon as nobody is at it."""

    def __init__(self, tables: Mapping[str, LiveTable]) -> None:
        self._tables = tables
        self._following: set[asyncio.Task[None]] = set()

    def listen(self, database: Database) -> None:
        """From now on, in the event loop that runs now."""
        loop = asyncio.get_running_loop()
        database.listen(lambda message: _call(loop, partial(self._heard, message)))

    def _heard(self, message: str) -> None:
        """Catch up with an entry that another process has told of; without a message, any may have been missed."""
        if not message:
            for live in self._tables.values():
                self.behind(live)
            return
        end = streams.read_message(message)
        found = None if end is None else self._tables.get(end[0].table)
        if end is not None and found is not None and not found.knows(*end):
            self.behind(found, end)

    def behind(self, live: LiveTable, end: tuple[StreamName, int] | None = None) -> None:
        """Somebody has appended to this table; up to this stream and version, where it is known."""
        task = asyncio.create_task(self._follow(live, end))
        self._following.add(task)
        task.add_done_callback(self._following.discard)

    @staticmethod
    async def _follow(live: LiveTable, end: tuple[StreamName, int] | None) -> None:
        async with live.lock:
            if end is not None and live.knows(*end):
                return
            try:
                await live.catch_up()
            except FloorRefused:
                live.stale = True  # the next command catches up first, and is refused if that fails


def _call(loop: asyncio.AbstractEventLoop, heard: Callable[[], None]) -> None:
    """From another thread; after the loop has ended nobody is interested."""
    try:
        loop.call_soon_threadsafe(heard)
    except RuntimeError:
        if not loop.is_closed():
            raise
