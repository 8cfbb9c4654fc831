"""Waits until a page may have changed."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from punto.floor.errors import FloorRefused
from punto.floor.running.live_table import LiveTable

Changed = Callable[[], Awaitable[object]]
"""Waits for a change. Made before a page is drawn and called after, so changes in between are not missed."""
_Check = Callable[[], Awaitable[bool]]
"""Checks whether anything has changed that tables do not signal."""


class FloorChanged:
    """One signal for all viewers of the whole floor, so its cost does not grow with their number.

    Each table is followed once, from the first time someone waits until the event loop ends.
    """

    def __init__(self, tables: Mapping[str, LiveTable], check: _Check, every_s: Callable[[], float]) -> None:
        self.times = 0
        """Number of changes so far. While it stays the same, so does the floor."""
        self._tables, self._check, self._every_s = tables, check, every_s
        self._changed = asyncio.Event()
        self._followed: dict[str, asyncio.Task[None]] = {}
        self._checking: asyncio.Task[None] | None = None

    def changed(self) -> Changed:
        """Returns a function that waits until a table changes, a table is added or a check finds a change."""
        self._follow_all()
        if self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(self._check_regularly())
        return self._changed.wait

    def _follow_all(self) -> None:
        new = [(name, live) for name, live in self._tables.items() if name not in self._followed]
        for name, live in new:
            # the event is taken now, because the task starts later
            self._followed[name] = asyncio.create_task(self._follow(live, live.changed))
        if new:
            self._signal()

    async def _follow(self, live: LiveTable, changed: asyncio.Event) -> None:
        while True:
            await changed.wait()
            changed = live.changed
            self._signal()

    async def _check_regularly(self) -> None:
        while True:
            await asyncio.sleep(self._every_s())
            try:
                changed = await self._check()
            except FloorRefused:  # the database does not answer: check again later
                continue
            self._follow_all()
            if changed:
                self._signal()

    def _signal(self) -> None:
        self.times += 1
        self._changed.set()
        self._changed = asyncio.Event()
