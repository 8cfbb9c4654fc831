"""Servers for the tests of the client."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.served import HALL, Server, a_hall, by_hand, by_itself, prepared


class Served:
    """A server, and the token of somebody who supervises there."""

    def __init__(self, db: Path, token: str, *flags: str) -> None:
        self.db, self.token = db, token
        self.server = Server(db, *flags)

    @property
    def url(self) -> str:
        """Where it is."""
        return self.server.url


@pytest.fixture
def quiet(tmp_path: Path) -> Iterator[Served]:
    """A table at which nothing happens but what a test does."""
    db = tmp_path / "floor.db"
    served = Served(db, prepared(db, by_hand))
    yield served
    served.server.kill()


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[Served]:
    """A table at which something happens all the time."""
    db = tmp_path / "floor.db"
    served = Served(db, prepared(db, by_itself))
    yield served
    served.server.kill()


@pytest.fixture(scope="session")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Several such tables, for tests that leave the server alone."""
    db = tmp_path_factory.mktemp("hall") / "floor.db"
    served = Served(db, prepared(db, a_hall), "--commands-per-s", "1000", "--asks-per-s", "1000")
    yield served
    served.server.kill()


@pytest.fixture(scope="session")
def tables() -> Iterator[str]:
    """The names of the tables in the hall, each once."""
    return iter([f"salon {number}" for number in range(1, HALL + 1)])


@pytest.fixture
def salon(tables: Iterator[str]) -> str:
    """A table in the hall that no other test has touched."""
    return next(tables)
