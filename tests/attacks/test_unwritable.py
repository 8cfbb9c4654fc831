"""A floor that cannot write says so where people and programs look."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from punto.floor.errors import FloorRefused
from punto.floor.runtime.notes import try_to_write
from punto.table.records.positions import Position
from tests.floor.alarms.test_clock_watch import watch_of
from tests.floor.playing import running
from tests.waiting import run, until
from tests.web.serving import Server, server
from tests.web.wire import problem


def _gauge(served: Server) -> float:
    text = served.client().get("/metrics").text
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith("punto_cannot_write "))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Another program does not let anybody write."""
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.close()


def test_a_floor_that_cannot_write_says_so(tmp_path: Path) -> None:
    path = tmp_path / "floor.db"
    with server(str(path)) as served:
        sue = served.by(Position.PIT_SUPERVISOR)
        assert served.client().get("/readyz").status_code == 200
        assert _gauge(served) == 0
        assert "cannot write" not in sue.get("/pit").text
        with _locked(path):
            with pytest.raises(FloorRefused):  # as the server itself tries every few seconds
                served.floor.database.writing(try_to_write).result()
            answer = served.client().get("/readyz")
            problem(answer, 503, "cannot_write")
            assert str(path) not in answer.text
            assert _gauge(served) == 1
            assert "cannot write" in sue.get("/audit").text + sue.get("/pit").text
            assert "cannot write" not in served.client().get("/").text
        served.floor.database.writing(try_to_write).result()
        assert served.client().get("/readyz").status_code == 200


def test_a_floor_on_which_nothing_happens_notices_it_too(tmp_path: Path) -> None:
    path = tmp_path / "floor.db"

    async def whole() -> None:
        async with running(str(path)) as floor:
            watching = asyncio.create_task(watch_of(floor).run())
            with _locked(path):
                await until(lambda: floor.database.write_fault is not None)
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    run(whole())
