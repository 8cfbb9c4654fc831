"""A server for a test, and clients for every position."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from punto.table.records.positions import Position
from tests.floor.goldens import play_golden
from tests.floor.playing import betting_table
from tests.golden.recordings import DECIDED
from tests.web.serving import Server, server


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Server]:
    """A server on an empty floor, for one test."""
    with server(str(tmp_path / "floor.db")) as running:
        yield running


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server shared by the tests of a file. At its table t1 ann and ben sit, and betting is open."""
    with server(str(tmp_path_factory.mktemp("standing") / "floor.db")) as running:
        running.run(betting_table(running.floor))
        yield running


@pytest.fixture(scope="session", params=DECIDED)
def golden_db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The database of a golden session."""
    db = str(tmp_path_factory.mktemp("golden") / "floor.db")
    play_golden(db, request.param)
    return db


@pytest.fixture
def by(served: Server) -> Callable[[Position], httpx2.Client]:
    """Clients by position."""
    return served.by


@pytest.fixture
def anonymous(served: Server) -> httpx2.Client:
    return served.client()


@pytest.fixture
def visitor(served: Server) -> httpx2.Client:
    """A visitor, vera."""
    return served.by(Position.PLAYER)


@pytest.fixture
def dealer(served: Server) -> httpx2.Client:
    """The dealer, dora."""
    return served.by(Position.DEALER)


@pytest.fixture
def pit_supervisor(served: Server) -> httpx2.Client:
    """The pit supervisor, sue."""
    return served.by(Position.PIT_SUPERVISOR)


@pytest.fixture
def pit_manager(served: Server) -> httpx2.Client:
    """The pit manager, max."""
    return served.by(Position.PIT_MANAGER)


@pytest.fixture
def shift_manager(served: Server) -> httpx2.Client:
    """The shift manager, sid."""
    return served.by(Position.SHIFT_MANAGER)


@pytest.fixture
def auditor(served: Server) -> httpx2.Client:
    """The auditor, aude."""
    return served.by(Position.AUDITOR)


@pytest.fixture
def administrator(served: Server) -> httpx2.Client:
    """The administrator, adam."""
    return served.by(Position.ADMINISTRATOR)


@pytest.fixture
def machine(served: Server) -> httpx2.Client:
    """A machine that deals."""
    return served.client(served.machine())
