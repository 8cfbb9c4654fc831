"""Servers to attack, the same as for the tests of the web."""

from tests.web.conftest import served, standing

__all__ = ["served", "standing"]
