"""Values are cached for one version, shared by all callers, and limited in number."""

import asyncio
from collections.abc import Iterator
from itertools import count

import pytest

from punto.floor.version_cache import SharedReads, VersionCache


def test_a_value_is_made_once_a_version() -> None:
    cache: VersionCache[str, int] = VersionCache()
    numbers = count()
    assert [cache.get(1, key, lambda: next(numbers)) for key in ("a", "b", "a")] == [0, 1, 0]
    assert [cache.get(2, key, lambda: next(numbers)) for key in ("a", "a", "b")] == [2, 2, 3]
    assert cache.get(1, "a", lambda: next(numbers)) == 4, "an older version is another version"


def test_none_is_a_value() -> None:
    cache: VersionCache[str, None] = VersionCache()
    made: list[str] = []
    for _ in range(2):
        assert cache.get(1, "a", lambda: made.append("a")) is None
    assert made == ["a"]


def test_beyond_the_limit_the_oldest_is_forgotten() -> None:
    cache: VersionCache[int, int] = VersionCache(max_entries=2)
    numbers = count()
    assert [cache.get("v", key, lambda: next(numbers)) for key in (1, 2, 3, 2, 3, 1)] == [0, 1, 2, 1, 2, 3]


def test_whoever_asks_during_a_read_gets_that_one() -> None:
    async def whole() -> None:
        reads, going = list[int](), asyncio.Event()
        shared: SharedReads[None, int] = SharedReads()

        async def read() -> int:
            reads.append(1)
            await going.wait()
            return 7

        readers = [asyncio.create_task(shared.get(1, None, read)) for _ in range(5)]
        await asyncio.sleep(0)
        readers[0].cancel()  # the first to ask goes away, and leaves the others theirs
        await asyncio.sleep(0)
        going.set()
        assert await asyncio.gather(*readers[1:]) == [7] * 4
        assert await shared.get(1, None, read) == 7
        assert len(reads) == 1
        assert readers[0].cancelled()

    asyncio.run(whole())


def test_a_read_that_failed_is_tried_again() -> None:
    async def whole() -> None:
        shared: SharedReads[None, int] = SharedReads()
        answers: Iterator[int | OSError] = iter((OSError("no line"), 3))

        async def read() -> int:
            await asyncio.sleep(0)
            answer = next(answers)
            if isinstance(answer, OSError):
                raise answer
            return answer

        failed = await asyncio.gather(*(shared.get(1, None, read) for _ in range(3)), return_exceptions=True)
        assert [str(each) for each in failed] == ["no line"] * 3
        assert await shared.get(1, None, read) == 3
        with pytest.raises(StopIteration):
            next(answers)

    asyncio.run(whole())
