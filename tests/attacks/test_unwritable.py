"""A floor that cannot write says so where people and programs look."""

from pathlib import Path

import pytest

from punto.floor.alarms.clock_watch import try_to_write
from punto.floor.errors import FloorRefused
from punto.table.records.positions import Position
from tests.web.serving import Server, server
from tests.web.wire import problem


def _gauge(served: Server) -> float:
    text = served.client().get("/metrics").text
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith("punto_cannot_write "))


def _writable(served: Server, *, writable: bool) -> None:
    """The database refuses every change, as on a disk that became read-only."""
    pragma = f"PRAGMA query_only = {'OFF' if writable else 'ON'}"
    served.floor.database.writing(lambda transaction: transaction.rows(pragma)).result()


def test_a_floor_that_cannot_write_says_so(tmp_path: Path) -> None:
    path = tmp_path / "floor.db"
    with server(str(path)) as served:
        sue = served.by(Position.PIT_SUPERVISOR)
        assert served.client().get("/readyz").status_code == 200
        assert _gauge(served) == 0
        assert "cannot write" not in sue.get("/pit").text
        _writable(served, writable=False)
        with pytest.raises(FloorRefused):  # as the server itself tries every few seconds
            served.floor.database.writing(try_to_write).result()
        answer = served.client().get("/readyz")
        problem(answer, 503, "cannot_write")
        assert str(path) not in answer.text
        assert "cannot write" in sue.get("/pit").text
        assert "cannot write" not in served.client().get("/").text
        _writable(served, writable=True)
        served.floor.database.writing(try_to_write).result()
        assert served.client().get("/readyz").status_code == 200
        assert _gauge(served) == 0
