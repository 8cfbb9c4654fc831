"""Collects which tests show which clause and reading, and the order in which a lane runs the tests."""

from collections import defaultdict
from pathlib import Path

import msgspec
import pytest

from punto import book, book_ids
from punto.library import ShowingTest, readings
from tests.keys import name_key_file
from tests.lanes import NOT_QUICK, load_profiles
from tests.memory_files import keep_files_in_memory

BROWSER = Path(__file__).parent / "browser"

load_profiles()
keep_files_in_memory()
name_key_file()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shown-by", type=Path, help="write which tests show which clause to this file")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse markers that name no clause or reading; add the markers that follow from a test's folder or fixtures."""
    reading_ids = {each.id for each in readings()}
    for item in items:
        for mark in item.iter_markers("clause"):
            game, *ids = mark.args
            if game not in book_ids() or not ids or any(one not in book(game).clauses for one in ids):
                raise pytest.UsageError(f"{item.nodeid}: no such clause: {mark.args}")
        for mark in item.iter_markers("reading"):
            if not mark.args or any(one not in reading_ids for one in mark.args):
                raise pytest.UsageError(f"{item.nodeid}: no such reading: {mark.args}")
        if {"postgres_server", "own_postgres"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("slow")
        if BROWSER in item.path.parents:
            item.add_marker("browser")
    long = {item.path for item in items if any(item.get_closest_marker(name) for name in NOT_QUICK)}
    items.sort(key=lambda item: item.path not in long)  # or one worker is left with them at the end


def pytest_collection_finish(session: pytest.Session) -> None:
    """Write the map of clauses to tests if ``--shown-by`` is given."""
    path: Path | None = session.config.getoption("--shown-by")
    if path is None:
        return
    clauses: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    by_reading: defaultdict[str, set[str]] = defaultdict(set)
    for item in session.items:
        for mark in item.iter_markers("clause"):
            clauses[_name(item)] |= {(mark.args[0], one) for one in mark.args[1:]}
        for mark in item.iter_markers("reading"):
            by_reading[_name(item)] |= set(mark.args)
    shown = [
        ShowingTest(
            test=test,
            clauses={
                game: ids
                for game in book_ids()
                if (ids := [str(one) for one in book(game).clauses if (game, one) in clauses[test]])
            },
            readings=[each.id for each in readings() if each.id in by_reading[test]],
        )
        for test in sorted(clauses.keys() | by_reading.keys())
    ]
    path.write_bytes(msgspec.json.Encoder().encode_lines(shown))


def _name(item: pytest.Item) -> str:
    """A test by its file and function, a case of ``tests/cases`` by its file."""
    function, _, parameters = item.nodeid.partition("[")
    return f"tests/cases/{parameters.partition('::')[0]}" if function.endswith("::test_case") else function
