"""Every benchmark runs through, in a short form: how fast it was does not matter here."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[1] / "bench"
SHORT: dict[str, dict[str, Any]] = {
    "console": {"ROUNDS": 2},
    "edges": {"TABLES": 20, "TURNS": 1},
    "floor": {"SECONDS": 0.2, "TURNS": 1, "TABLES": 20, "LENGTHS": (1_000, 2_000), "CLIENTS": (1, 2)},
    "odds": {"SOLVED": 3, "TURNS": 2},
    "pages": {"STARTS": 2, "WATCHED_S": 3.0},
    "pit": {"TABLES": 5, "WATCHED_S": 3.0},
    "search": {"--rounds": 2_000},
    "settle": {"ROUNDS": 1_000, "TURNS": 2},
    "simulate": {"SHOES": 64, "TURNS": 2},
    "stopping": {"CLIENTS": 2, "TURNS": 1},
    "table": {"ROUNDS": 20},
    "verify": {"--entries": 2_000},
    "web": {"--seconds": 0.5, "--long": 2},
}  # fmt: skip
"""What makes each of them short: constants, and options."""
RUN = "import sys; sys.path.insert(0, {bench!r}); import {name} as it; vars(it).update({constants!r}); it.main()"


def test_every_benchmark_has_a_short_form() -> None:
    assert SHORT.keys() == {path.stem for path in BENCH.glob("[!_]*.py")}


@pytest.mark.nightly
@pytest.mark.parametrize("name", SHORT)
def test_it_runs_through(name: str, tmp_path: Path) -> None:
    constants = {key: value for key, value in SHORT[name].items() if key.isupper()}
    options = [str(part) for pair in SHORT[name].items() if pair[0].startswith("-") for part in pair]
    run = RUN.format(bench=str(BENCH), name=name, constants=constants)
    told = subprocess.run(
        [sys.executable, "-c", run, *options], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr[-3_000:]
    assert told.stdout
