"""Keeps tables in memory up to date with what other processes append."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial

from punto.floor.database.base import Database
from punto.floor.errors import FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.stream_name import StreamName
from punto.floor.running.live_table import LiveTable


class Follower:
    """Lets tables catch up, each as soon as its lock is free."""

    def __init__(self, tables: Mapping[str, LiveTable]) -> None:
        self._tables = tables
        self._tasks: set[asyncio.Task[None]] = set()

    def listen(self, database: Database) -> None:
        """Follow other processes, in the current event loop."""
        loop = asyncio.get_running_loop()
        database.listen(lambda message: _call(loop, partial(self._on_message, message)))

    def _on_message(self, message: str) -> None:
        """Catch up with an entry of another process; let all tables catch up if the message is empty."""
        if not message:
            for each in self._tables.values():
                self.follow(each)
            return
        end = streams.read_message(message)
        live = None if end is None else self._tables.get(end[0].table)
        if end is not None and live is not None and not live.has_entry(*end):
            self.follow(live, end)

    def follow(self, live: LiveTable, end: tuple[StreamName, int] | None = None) -> None:
        """Let a table catch up, unless it already has the entry ``end``."""
        task = asyncio.create_task(self._catch_up(live, end))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @staticmethod
    async def _catch_up(live: LiveTable, end: tuple[StreamName, int] | None) -> None:
        async with live.lock:
            if end is not None and live.has_entry(*end):
                return
            try:
                await live.catch_up()
            except FloorRefused:
                live.stale = True  # the next command catches up first, and is refused if that fails


def _call(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    """Call from another thread, unless the loop is closed."""
    try:
        loop.call_soon_threadsafe(callback)
    except RuntimeError:
        if not loop.is_closed():
            raise
