"""Caches for values that stay valid until a version changes. The server uses no other kind of cache."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from punto.floor.clock import Clock

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
MAX_ENTRIES = 512


class Refreshes:
    """A version that changes every ``every_s()`` seconds, for what other processes may have changed."""

    def __init__(self, clock: Clock, every_s: Callable[[], float]) -> None:
        self._clock, self._every_s = clock, every_s
        self._count = 0
        self._refreshed_s = float("-inf")

    def version(self) -> int:
        now_s = self._clock.steady_s()
        if now_s - self._refreshed_s >= self._every_s():
            self._count, self._refreshed_s = self._count + 1, now_s
        return self._count

    def refresh(self) -> None:
        """Change the version on the next call of ``version``."""
        self._refreshed_s = float("-inf")


class VersionCache(Generic[Key, Value]):
    """Values made from one version of a table or of the floor, by key.

    Asking for another version drops all values, so a value is never older than the version asked for. When there are
    ``max_entries``, the oldest is dropped.
    """

    def __init__(self, max_entries: int = MAX_ENTRIES) -> None:
        self._max_entries = max_entries
        self._version: Hashable = None
        self._values: dict[Key, Value] = {}

    def get(self, version: Hashable, key: Key, make: Callable[[], Value]) -> Value:
        """The value for this version; ``make`` is called if it is not cached."""
        if version != self._version:
            self._version, self._values = version, {}
        elif key in self._values:
            return self._values[key]
        value = make()
        if len(self._values) >= self._max_entries:
            del self._values[next(iter(self._values))]
        self._values[key] = value
        return value

    def forget(self, key: Key, value: Value) -> None:
        """Drop this value, unless another one has replaced it."""
        if self._values.get(key) is value:
            del self._values[key]


class SharedReads(Generic[Key, Value]):
    """A version cache for values that are awaited: callers that ask during a read share its result.

    Cancelling one caller does not cancel the read for the others. A failed read is tried again on the next call.
    """

    def __init__(self, max_entries: int = MAX_ENTRIES) -> None:
        self._reads: VersionCache[Key, asyncio.Future[Value]] = VersionCache(max_entries)

    async def get(self, version: Hashable, key: Key, read: Callable[[], Awaitable[Value]]) -> Value:
        """The value for this version; ``read`` is called if it is not cached."""
        reading = self._reads.get(version, key, lambda: asyncio.ensure_future(read()))
        if not reading.done():
            await asyncio.wait((reading,))
        if reading.cancelled() or reading.exception() is not None:
            self._reads.forget(key, reading)
        return reading.result()
