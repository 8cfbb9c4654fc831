"""Servers for the tests of the client."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.served import HALL, Server, a_hall, by_hand, by_itself, prepared


class Served:
    """A server, and a supervisor's token."""

    def __init__(self, db: Path, token: str, *flags: str) -> None:
        self.db, self.token = db, token
        self.server = Server(db, *flags)

    @property
    def url(self) -> str:
        return self.server.url


@pytest.fixture
def quiet(tmp_path: Path) -> Iterator[Served]:
    """A table that waits for commands."""
    db = tmp_path / "floor.db"
    served = Served(db, prepared(db, by_hand))
    yield served
    served.server.kill()


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[Served]:
    """A table that runs by itself."""
    db = tmp_path / "floor.db"
    served = Served(db, prepared(db, by_itself))
    yield served
    served.server.kill()


@pytest.fixture(scope="session")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Several such tables, for tests that do not stop the server."""
    db = tmp_path_factory.mktemp("hall") / "floor.db"
    served = Served(db, prepared(db, a_hall), "--commands-per-s", "1000", "--asks-per-s", "1000")
    yield served
    served.server.kill()


@pytest.fixture(scope="session")
def tables() -> Iterator[str]:
    """The names of the tables in the hall. Each is used by one test."""
    return iter([f"salon {number}" for number in range(1, HALL + 1)])


@pytest.fixture
def salon(tables: Iterator[str]) -> str:
    return next(tables)
