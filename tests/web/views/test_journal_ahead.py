"""A viewer far behind, while an entry is on the disk and not yet in this process's copy of the table.

The views of a table are those of its copy. If they ran ahead of it, a view would wait for the copy without letting the
event loop bring it up to date.
"""

import asyncio
from collections.abc import Awaitable
from pathlib import Path

import pytest

from punto.floor.database.base import Work
from punto.floor.running.live_table import MAX_TAIL, LiveTable
from punto.web.views.player_names import PlayerNames
from punto.web.views.table_cache import TableCache
from punto.web.views.visibility import Sight
from tests.floor.playing import betting_table, running
from tests.waiting import run


def test_views_and_watchers_wait_for_the_copy_of_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def evening() -> None:
        async with running(str(tmp_path / "floor.db")) as floor:
            at = await betting_table(floor)
            live = floor.table("t1")
            cache = TableCache(floor, live, PlayerNames(floor.database, floor.clock))
            before = (await cache.view(Sight.PUBLIC)).version
            for _ in range(MAX_TAIL + 1):  # more than watchers find in memory
                await at.bet("ann", 1)
            version = _version(live)
            on_disk, told = asyncio.Event(), asyncio.Event()
            write = floor.database.write

            def late(work: Work[object]) -> Awaitable[object]:
                async def whole() -> object:
                    answer = await write(work)
                    on_disk.set()
                    await told.wait()
                    return answer

                return whole()

            monkeypatch.setattr(floor.database, "write", late)
            betting = asyncio.create_task(at.bet("ann", 1))
            await on_disk.wait()
            entries = await live.after(1, before)
            assert [entry.version for entry in entries] == list(range(before + 1, version + 1))
            assert (await cache.view(Sight.PUBLIC)).version == _version(live) == version
            told.set()
            assert (await betting).refusal is None
            assert (await cache.view(Sight.PUBLIC)).version == _version(live) == version + 1
            assert [entry.version for entry in await live.after(1, version)] == [version + 1]

    run(evening())


def _version(live: LiveTable) -> int:
    assert live.head is not None
    return live.head.version
