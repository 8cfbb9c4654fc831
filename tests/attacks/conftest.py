"""Servers to attack and databases, the same as for the tests of the web and of the floor."""

import shutil
from pathlib import Path

import pytest

from tests.attacks.tampered import set_up
from tests.floor.conftest import _databases, database_url, own_postgres, postgres_server, postgres_url
from tests.web.conftest import served, standing

__all__ = ["_databases", "database_url", "own_postgres", "postgres_server", "postgres_url", "served", "standing"]


@pytest.fixture(scope="session")
def whole_floor(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A file with everything in it, and the key of a session that was revoked."""
    path = tmp_path_factory.mktemp("floor") / "floor.db"
    return path, set_up(str(path))


@pytest.fixture
def whole_url(whole_floor: tuple[Path, str], tmp_path: Path) -> str:
    """A copy that the test may change."""
    return str(shutil.copyfile(whole_floor[0], tmp_path / "floor.db"))
