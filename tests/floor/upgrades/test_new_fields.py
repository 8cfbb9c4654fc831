"""Old journals still verify and go on when records gain fields with defaults, or a default changes."""

import ast
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from punto import book_ids
from punto.floor.upkeep.migration import migrate
from tests.floor.upgrades.old_floors import unpack
from tests.floor.upgrades.this_release import written_floor
from tests.lanes import examples
from tests.waiting import DEADLINE_S

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src"
FILES = tuple(
    SOURCE / "punto" / name
    for name in (
        *("table/records/events.py", "table/records/findings.py", "table/records/settings.py"),
        *("table/records/commands.py", "table/records/reports.py", "table/records/state.py"),
        *("floor/journal/house_events.py", "floor/people/floor_rules.py", "floor/running/table_setup.py"),
    )
)
FIELDS = ("int = 7", "str = 'new'", "bool = True", "tuple[str, ...] = ()", "int | None = None", "dict[str, int] = {}")


class Record(NamedTuple):
    """A class of records that can gain fields."""

    file: Path
    name: str
    last_line: int


def records() -> Iterator[Record]:
    """Every class of records but those that others inherit from."""
    for file in FILES:
        classes = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.ClassDef)]
        bases = {base.id for node in classes for base in node.bases if isinstance(base, ast.Name)}
        for node in classes:
            is_enum = any(isinstance(base, ast.Name) and base.id == "StrEnum" for base in node.bases)
            if node.bases and not is_enum and node.name not in bases | {"Event", "Command"}:
                assert node.end_lineno is not None
                yield Record(file, node.name, node.end_lineno)


ALL_RECORDS = tuple(records())
MIRRORS = {"FloorRules": "FloorRulesChanged"}
"""Records that have the same fields as another one, and gain the same."""
RECORDS = tuple(record for record in ALL_RECORDS if record.name not in MIRRORS.values())
NESTED = {"SettledBet", "PlayedBet", "Settings", "BetLimits", "Hands", "RuledBet"}


def test_the_records_that_matter_are_among_those_that_gain_fields() -> None:
    names = {record.name for record in RECORDS}
    assert names >= {"TableOpened", "RoundSettled", "IrregularityReported", "PlaceBet", "ShoeSealed", "Table", "Pace"}
    assert names >= NESTED
    assert not names & {"Event", "MoneyEvent", "Command", "Report", "HouseEvent"}


def copy_with(folder: Path, additions: dict[Record, list[str]]) -> Path:
    """A copy of the source in which records have further fields."""
    source = folder / "src"
    shutil.copytree(SOURCE, source)
    mirrored = {MIRRORS[record.name]: fields for record, fields in additions.items() if record.name in MIRRORS}
    additions = additions | {record: mirrored[record.name] for record in ALL_RECORDS if record.name in mirrored}
    for record, fields in sorted(additions.items(), key=lambda item: -item[0].last_line):  # from the end of each file
        file = source / record.file.relative_to(SOURCE)
        lines = file.read_text().splitlines(keepends=True)
        lines[record.last_line : record.last_line] = [
            f"    added_{number}: {field}\n" for number, field in enumerate(fields)
        ]
        file.write_text("".join(lines))
    return source


def run_floor(source: Path, folder: Path) -> dict[str, Any]:
    """Run the worker with that source; return the settings of the tables."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.floor.upgrades.new_fields_worker", str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(source), str(ROOT)))},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def put_floor(folder: Path, game: str, *, old: bool) -> None:
    """A floor of release 0.3.0, migrated, or one of this release."""
    folder.mkdir()
    if old:
        unpack("0.3.0", game, folder)
        migrate(str(folder / "floor.db"))
        return

    async def write() -> None:
        async with written_floor(str(folder / "floor.db"), game) as written:
            (folder / "manifest.json").write_bytes(msgspec.json.encode(written))

    asyncio.run(write())


ADDITIONS = st.dictionaries(
    st.sampled_from(RECORDS), st.lists(st.sampled_from(FIELDS), min_size=1, max_size=2), min_size=5, max_size=40
)


@settings(max_examples=examples(3), phases=(Phase.generate,))  # an example takes too long to make smaller
@given(additions=ADDITIONS, game=st.sampled_from(book_ids()))
def test_records_gain_fields(additions: dict[Record, list[str]], game: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = copy_with(Path(folder), additions)
        for old in (True, False):
            floor = Path(folder) / ("old" if old else "new")
            put_floor(floor, game, old=old)
            run_floor(source, floor)


def test_every_record_gains_a_field(tmp_path: Path) -> None:
    source = copy_with(tmp_path, {record: [FIELDS[at % len(FIELDS)]] for at, record in enumerate(RECORDS)})
    for old in (True, False):
        floor = tmp_path / ("old" if old else "new")
        put_floor(floor, "tiger-buffalo", old=old)
        run_floor(source, floor)


@pytest.mark.parametrize("old", [True, False])
def test_open_tables_keep_their_settings_when_a_default_changes(old: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """The openings left the setting out. Repeated, they still answer the same. Since 0.3.0 the default has changed."""
    source = copy_with(tmp_path, {})
    file = source / "punto" / "table" / "records" / "settings.py"
    default = "forgone_for_the_round: bool = True"
    assert default in file.read_text()
    if not old:
        file.write_text(file.read_text().replace(default, "forgone_for_the_round: bool = False"))
    put_floor(tmp_path / "floor", "commission-insurance", old=old)
    kept = {table["forgone_for_the_round"] for table in run_floor(source, tmp_path / "floor").values() if table}
    assert kept == {not old}
