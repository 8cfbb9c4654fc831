"""Compiled kernels are cached for the next process, and recompiled when a source changes."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import punto
from tests.cli.running import ENVIRONMENT

pytestmark = pytest.mark.slow

_ASK = """
import numpy, sys
sys.path.insert(0, sys.argv[1])
from punto.odds.simulation import shuffle
fresh = numpy.arange(52, dtype=numpy.uint8)
print(hash(shuffle.shuffled_shoe(fresh, 1, 0).tobytes()), sum(shuffle.draw_places.stats.cache_hits.values()))
"""


def _ask(package: Path) -> tuple[str, int]:
    """Run a process. Returns its results, and the number of kernels loaded from the cache."""
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", _ASK, str(package.parent)],
        env=environment | {"PYTHONHASHSEED": "0", "XDG_CACHE_HOME": str(package.parent / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    said, hits = done.stdout.split()
    return said, int(hits)


@pytest.fixture(name="package")
def _package(tmp_path: Path) -> Path:
    source = Path(punto.__file__).parent
    shutil.copytree(source, tmp_path / "punto", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "punto"


@pytest.mark.nightly
def test_a_kernel_is_compiled_anew_once_what_it_calls_from_another_file_has_changed(package: Path) -> None:
    before, hits = _ask(package)
    assert hits == 0
    assert _ask(package) == (before, 1)
    streams = package / "odds" / "simulation" / "random_streams.py"
    text = streams.read_text(encoding="utf-8")
    assert "_ROUNDS: Final = 10" in text
    streams.write_text(text.replace("_ROUNDS: Final = 10", "_ROUNDS: Final = 9"), encoding="utf-8")
    after, hits = _ask(package)
    assert (after != before, hits) == (True, 0)
    assert _ask(package) == (after, 1)
    streams.write_text(text, encoding="utf-8")
    assert _ask(package)[0] == before


@pytest.mark.nightly
def test_where_nothing_can_be_written_it_is_compiled_each_time(package: Path) -> None:
    (package / "odds" / "simulation" / "__pycache__").write_text("no folder", encoding="utf-8")
    (package.parent / "cache").write_text("no folder", encoding="utf-8")
    assert _ask(package)[1] == 0
    assert _ask(package)[1] == 0
