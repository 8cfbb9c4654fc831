"""Values that hold as long as something does not change: the one kind of cache in the web."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
MAX_ENTRIES = 512


class VersionCache(Generic[Key, Value]):
    """Values made from one version of a table or of the floor, by key.

    Asked for another version it forgets all it has, so nothing is ever older than what it is asked for. Beyond
    ``max_entries`` it forgets the oldest.
    """

    def __init__(self, max_entries: int = MAX_ENTRIES) -> None:
        self._max_entries = max_entries
        self._version: Hashable = None
        self._values: dict[Key, Value] = {}

    def get(self, version: Hashable, key: Key, make: Callable[[], Value]) -> Value:
        """The value of this version, made where it is not known yet."""
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
        """Make this value anew the next time, unless it is another one by now."""
        if self._values.get(key) is value:
            del self._values[key]


class SharedReads(Generic[Key, Value]):
    """The same for values that have to be waited for: whoever asks while one is being read gets that one.

    A reader that is cancelled leaves the others theirs; a read that fails is tried again by the next who asks.
    """

    def __init__(self, max_entries: int = MAX_ENTRIES) -> None:
        self._reads: VersionCache[Key, asyncio.Future[Value]] = VersionCache(max_entries)

    async def get(self, version: Hashable, key: Key, read: Callable[[], Awaitable[Value]]) -> Value:
        """The value of this version, read where it is not known yet."""
        reading = self._reads.get(version, key, lambda: asyncio.ensure_future(read()))
        if not reading.done():
            await asyncio.wait((reading,))
        if reading.cancelled() or reading.exception() is not None:
            self._reads.forget(key, reading)
        return reading.result()
