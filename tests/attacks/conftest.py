"""Servers to attack and databases, the same as for the tests of the web and of the floor."""

from tests.floor.conftest import _databases, database_url, own_postgres, postgres_server, postgres_url
from tests.web.conftest import served, standing

__all__ = ["_databases", "database_url", "own_postgres", "postgres_server", "postgres_url", "served", "standing"]
