"""Collects which tests show which clause and reading, and the order in which a lane runs the tests."""

import gc
from collections.abc import Generator
from pathlib import Path

import pytest

from punto import book, book_ids
from punto.library import readings
from tests.keys import name_key_file
from tests.lanes import NOT_QUICK, load_profiles
from tests.memory_files import keep_files_in_memory
from tests.showing import COLLECTED, shown_by

ATTACKS = Path(__file__).parent / "attacks"
BROWSER = Path(__file__).parent / "browser"

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
        if ATTACKS in item.path.parents or {"postgres_server", "own_postgres"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("slow")
        if BROWSER in item.path.parents:
            item.add_marker("browser")
    long = {item.path for item in items if any(item.get_closest_marker(name) for name in NOT_QUICK)}
    items.sort(key=lambda item: item.path not in long)  # or one worker is left with them at the end


def pytest_collection_finish(session: pytest.Session) -> None:
    """Write the map of clauses to tests if ``--shown-by`` is given."""
    path: Path | None = session.config.getoption("--shown-by")
    if path is not None:
        path.write_bytes(shown_by(session.items))
