"""The test lanes are as documented, and no test depends on how fast the machine is."""

import ast
import os
import re
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests import memory_files
from tests.lanes import NOT_QUICK, PROFILES
from tests.waiting import DEADLINE_S

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "tests").rglob("*.py"))
MIN_DEADLINE_S = 60
CLOCKS = {"monotonic", "perf_counter", "time", "time_ns", "monotonic_ns", "perf_counter_ns"}
MAY_READ_A_CLOCK = {
    "tests/waiting.py",  # the only deadline
    "tests/web/http/test_lines.py",  # as above, between the bytes of a slow sender
    "tests/floor/server_process.py",  # as above, without a condition to wait for
    "tests/floor/demo/test_house_players.py",  # a clock that runs faster
    "tests/floor/crashes/torture.py",  # where its seed comes from
}
WAITING = {"communicate", "join", "recv", "result", "settimeout", "timeout", "wait", "wait_for"}
"""Methods and functions whose numeric argument is a time-out; a large one of ``recv`` is a length."""


HTTP = {"get", "post", "put", "patch", "delete", "head", "options", "request", "stream", "Client", "AsyncClient"}
"""Calls of httpx2 with a default time-out of 5 seconds."""


def recipe(target: str) -> str:
    """What ``make`` runs for a target."""
    match = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert match
    return match[1]


def markers() -> dict[str, str]:
    """Every marker of the project with its explanation."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lines = project["tool"]["pytest"]["ini_options"]["markers"]
    return {re.split(r"[(:]", line)[0]: line for line in lines}


def test_each_lane_leaves_out_what_its_markers_say() -> None:
    assert f"--hypothesis-profile quick -m 'not ({' or '.join((*NOT_QUICK, 'nightly'))})'" in recipe("quick")
    assert "-m 'not nightly'" in recipe("suite")
    assert "suite check\n" in recipe("test")
    assert "--hypothesis-profile nightly" in recipe("nightly")
    assert " -m '" not in recipe("nightly")
    assert "make test\n" in (ROOT / ".ci/run").read_text()


def test_every_marker_says_where_it_runs_and_is_in_use() -> None:
    assert set(markers()) == {"clause", "reading", *NOT_QUICK, "nightly"}
    assert all("not in `make quick`" in markers()[name] for name in NOT_QUICK)
    assert "in `make nightly` alone" in markers()["nightly"]
    page, text = (ROOT / "CONTRIBUTING.md").read_text(), "\n".join(path.read_text() for path in SOURCES)
    for name in (*NOT_QUICK, "nightly"):
        assert f"`{name}`" in page
        assert f"pytest.mark.{name}" in text or f'add_marker("{name}")' in text, name


def test_the_tests_of_the_browser_are_marked_by_where_they_are(request: pytest.FixtureRequest) -> None:
    for item in request.session.items:
        assert (item.get_closest_marker("browser") is not None) == ("browser" in item.path.parts), item.nodeid


def test_every_lane_has_a_profile_without_a_deadline() -> None:
    for lane, count in PROFILES.items():
        profile = settings.get_profile(lane)
        assert (profile.max_examples, profile.deadline) == (count, None)


@pytest.mark.parametrize(
    ("named", "min_free_bytes", "folder"), [("", 0, "memory"), ("named", 0, "named"), ("", 2**62, "disk")]
)
def test_files_are_in_memory_if_it_has_room_and_no_folder_is_named(
    named: str, min_free_bytes: int, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "memory").mkdir()
    monkeypatch.setattr(memory_files, "MEMORY", tmp_path / "memory")
    monkeypatch.setattr(memory_files, "MIN_FREE_BYTES", min_free_bytes)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / (named or "disk")))
    monkeypatch.setenv("TMPDIR", str(tmp_path / named))
    if not named:
        monkeypatch.delenv("TMPDIR")
    memory_files.keep_files_in_memory()
    assert tempfile.tempdir == str(tmp_path / folder)
    assert os.environ.get("TMPDIR") == (None if folder == "disk" else tempfile.tempdir)


def test_the_tests_of_the_night_run_on_a_disk() -> None:
    assert "TMPDIR=$(or $(TMPDIR),/tmp) " in recipe("nightly")


# ---- no test depends on how fast the machine is


def faults(path: Path) -> Iterator[str]:
    """Places where a test reads a clock, or allows less time than a busy machine may need."""
    name = path.relative_to(ROOT).as_posix()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "time":
            if node.attr in CLOCKS and name not in MAY_READ_A_CLOCK:
                yield f"{name}:{node.lineno}: reads a clock: bench/ measures, tests wait with tests/waiting.py"
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            given = [word.value for word in node.keywords if word.arg in {"timeout", "open_timeout", "deadline"}]
            of_httpx = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") == "httpx2"
            if of_httpx and called in HTTP and not given:
                yield f"{name}:{node.lineno}: httpx2.{called} without a timeout: use DEADLINE_S of tests/waiting.py"
            if called in WAITING and not (called == "recv" and len(node.args) > 1):  # a length, with flags
                given += node.args
            for value in given:
                number = value.value if isinstance(value, ast.Constant) else None
                if isinstance(number, int | float) and number is not True and 0 < number < MIN_DEADLINE_S:
                    yield f"{name}:{node.lineno}: {called}({number}) is too little: use DEADLINE_S of tests/waiting.py"


def test_no_test_depends_on_how_fast_the_machine_is() -> None:
    assert DEADLINE_S >= MIN_DEADLINE_S
    assert [fault for path in SOURCES for fault in faults(path)] == []


@pytest.mark.parametrize(
    "line",
    [
        "import time; assert time.monotonic() - begun < 4",
        "subprocess.run(command, timeout=30)",
        "asyncio.wait_for(coming, 5)",
        "line.settimeout(0.5)",
        "thread.join(20)",
        "websocket.recv(5)",
        "httpx2.get(url)",
        "httpx2.Client(base_url=url)",
        "httpx2.post(url, timeout=5)",
    ],
)
def test_what_would_depend_on_it_is_found(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_lanes.ROOT", tmp_path)
    planted = tmp_path / "test_planted.py"
    planted.write_text(line)
    assert len(list(faults(planted))) == 1
