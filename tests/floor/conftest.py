"""Databases for the tests of the floor: an SQLite file and a PostgreSQL server that the tests start.

``PUNTO_TEST_POSTGRES`` names another server (``postgresql://...``); the user must be allowed to create databases.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.floor.servers import PostgresServer, drop_database, empty_database, new_database

NAMED = "PUNTO_TEST_POSTGRES"


@pytest.fixture(scope="session")
def own_postgres() -> Iterator[PostgresServer]:
    """A server that a test may kill if it restarts it."""
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres_server(request: pytest.FixtureRequest) -> str:
    """The URL of the server that all tests share."""
    if named := os.environ.get(NAMED):
        return named
    server: PostgresServer = request.getfixturevalue("own_postgres")
    return server.url


@pytest.fixture(scope="session")
def _databases(postgres_server: str) -> Iterator[list[str]]:
    """Databases that no test is using now. Emptying one is faster than creating one."""
    made: list[str] = []
    yield made
    if os.environ.get(NAMED):  # our own server is removed as a whole
        for url in made:
            drop_database(postgres_server, url)


@pytest.fixture
def postgres_url(postgres_server: str, _databases: list[str]) -> Iterator[str]:
    """An empty PostgreSQL database for one test."""
    url = _databases.pop() if _databases else new_database(postgres_server)
    yield url
    empty_database(url)
    _databases.append(url)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database for one test: first an SQLite file, then PostgreSQL."""
    if request.param == "sqlite":
        return str(tmp_path / "floor.db")
    url: str = request.getfixturevalue("postgres_url")
    return url
