"""Waiting until a page may have changed."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from punto.floor.errors import FloorRefused
from punto.floor.running.live_table import LiveTable

Changed = Callable[[], Awaitable[object]]
"""Made when a page is drawn, and waited for afterwards: nothing that happens in between is missed."""
_Look = Callable[[], Awaitable[bool]]
"""Looks whether something has changed that no table tells of."""


class FloorChanged:
    """One signal for all who look at the whole floor: what it costs does not grow with how many they are.

    Each table is followed once, from the first time somebody waits, until the loop ends.
    """

    def __init__(self, tables: Mapping[str, LiveTable], look: _Look, every_s: Callable[[], float]) -> None:
        self.times = 0
        """How often something has changed: as long as it is the same, so is the floor."""
        self._tables, self._look, self._every_s = tables, look, every_s
        self._changed = asyncio.Event()
        self._followed: dict[str, asyncio.Task[None]] = {}
        self._looking: asyncio.Task[None] | None = None

    def changed(self) -> Changed:
        """From now on: how to wait until a table has moved, or is a new one, or a look has found something."""
        self._follow_all()
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_again())
        return self._changed.wait

    def _follow_all(self) -> None:
        new = [(name, live) for name, live in self._tables.items() if name not in self._followed]
        for name, live in new:
            # its signal is taken here and now: the task begins only later
            self._followed[name] = asyncio.create_task(self._follow(live, live.changed))
        if new:
            self._signal()

    async def _follow(self, live: LiveTable, changed: asyncio.Event) -> None:
        while True:
            await changed.wait()
            changed = live.changed
            self._signal()

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(self._every_s())
            try:
                found = await self._look()
            except FloorRefused:  # the database does not answer: the next time will do
                continue
            self._follow_all()
            if found:
                self._signal()

    def _signal(self) -> None:
        self.times += 1
        self._changed.set()
        self._changed = asyncio.Event()
