"""Collects which tests show which clause and reading, and the order in which a lane runs the tests."""

import gc
from collections.abc import Generator
from pathlib import Path

import pytest

from punto import book, book_ids
from punto.library import readings
from punto.rules.rulebook import Rulebook
from tests.keys import name_key_file
from tests.lanes import NOT_QUICK, load_profiles
from tests.memory_files import keep_files_in_memory
from tests.showing import COLLECTED, shown_by

POSTGRES = {"postgres_server", "own_postgres"}
ANY_DATABASE = tuple(f"tests/floor/{room}/" for room in ("people", "shoes", "reports", "alarms", "chips", "settings"))
"""Rooms of the floor whose tests run on PostgreSQL at night: its SQL is shown in the rooms that are not named here."""
AT_NIGHT = {"super-six-plus", "da-hu-ying-xiong"}
"""The two books whose tables are most like another's. Their cases of a long test run at night."""

load_profiles()
keep_files_in_memory()
name_key_file()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shown-by", type=Path, help="write which tests show which clause to this file")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect with the garbage collector off: there are a million objects to look through, and all of them stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse markers that name no clause or reading; add the markers that follow from a test's folder or fixtures."""
    config.stash[COLLECTED] = list(items)
    reading_ids = {each.id for each in readings()}
    for item in items:
        for mark in item.iter_markers("clause"):
            game, *ids = mark.args
            if game not in book_ids() or not ids or any(one not in book(game).clauses for one in ids):
                raise pytest.UsageError(f"{item.nodeid}: no such clause: {mark.args}")
        for mark in item.iter_markers("reading"):
            if not mark.args or any(one not in reading_ids for one in mark.args):
                raise pytest.UsageError(f"{item.nodeid}: no such reading: {mark.args}")
        if item.nodeid.startswith("tests/attacks/") or not POSTGRES.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker("slow")
        if item.nodeid.startswith("tests/browser/"):
            item.add_marker("browser")
        if shows_it_once_more(item):
            item.add_marker("nightly")
    long = {item.path for item in items if any(item.get_closest_marker(name) for name in NOT_QUICK)}
    items.sort(key=lambda item: item.path not in long)  # or one worker is left with them at the end


def shows_it_once_more(item: pytest.Item) -> bool:
    """Whether another case shows the same by day: on SQLite, in another book or, in the browser, in English."""
    case = getattr(item, "callspec", None)
    if case is None or item.get_closest_marker("clause") is not None:
        return False
    if case.params.get("database_url") == "postgres" and item.nodeid.startswith(ANY_DATABASE):
        return True
    in_browser = item.get_closest_marker("browser") is not None
    if not in_browser and item.get_closest_marker("sweep") is None:
        return False
    ids = {getattr(value, "id", value) for value in case.params.values() if isinstance(value, str | Rulebook)}
    return not ids.isdisjoint(AT_NIGHT) or (in_browser and "zh" in ids)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Write the map of clauses to tests if ``--shown-by`` is given."""
    path: Path | None = session.config.getoption("--shown-by")
    if path is not None:
        path.write_bytes(shown_by(session.items))
