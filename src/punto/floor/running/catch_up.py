"""Tables in memory that follow what other processes append."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial

from punto.floor.database.base import Database
from punto.floor.errors import FloorRefused
from punto.floor.running.live_table import LiveTable


class Follower:
    """Lets the tables of a process catch up, each as soon as nobody is at it."""

    def __init__(self, tables: Mapping[str, LiveTable]) -> None:
        self._tables = tables
        self._following: set[asyncio.Task[None]] = set()

    def listen(self, database: Database) -> None:
        """From now on, in the event loop that runs now."""
        loop = asyncio.get_running_loop()
        database.listen(lambda told: _call(loop, partial(self._heard, told)))

    def _heard(self, told: str) -> None:
        """Catch up with an entry that another process has told of; with every table where that may have been missed."""
        version, _, stream = told.partition(" ")
        live = self._tables.get(stream.rpartition("/")[0])
        if not told:
            behind = list(self._tables.values())
        else:
            behind = [] if live is None or live.knows(stream, int(version)) else [live]
        for one in behind:
            self.behind(one, stream, int(version or 0))

    def behind(self, live: LiveTable, stream: str = "", version: int = 0) -> None:
        """Somebody has appended to this table; this entry, where it is known which."""
        task = asyncio.create_task(self._follow(live, stream, version))
        self._following.add(task)
        task.add_done_callback(self._following.discard)

    @staticmethod
    async def _follow(live: LiveTable, stream: str, version: int) -> None:
        async with live.lock:
            if stream and live.knows(stream, version):
                return
            try:
                await live.catch_up()
            except FloorRefused:
                live.stale = True  # whoever gives the next command catches up first, and is told if that fails


def _call(loop: asyncio.AbstractEventLoop, heard: Callable[[], None]) -> None:
    """From another thread; after the loop has ended nobody is interested."""
    try:
        loop.call_soon_threadsafe(heard)
    except RuntimeError:
        if not loop.is_closed():
            raise
