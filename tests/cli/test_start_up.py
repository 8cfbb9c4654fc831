"""Start-up time: compiled code and the packages of extras are imported only where they are needed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import ENVIRONMENT
from tests.waiting import DEADLINE_S

pytestmark = pytest.mark.slow

_WITHOUT = """
import sys
for name in ("numba", "numpy"):
    sys.modules[name] = None
from punto.cli import main
main(sys.argv[1:])
"""


def _run_without_the_extra(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", _WITHOUT, *arguments]
    return subprocess.run(command, capture_output=True, env=ENVIRONMENT, timeout=DEADLINE_S, check=False)


def test_without_the_extra_it_says_how_to_install_it() -> None:
    done = _run_without_the_extra("count", "commission", "tie")
    assert done.returncode == 2
    assert b"pip install 'punto[odds]'" in done.stderr
    assert b"Traceback" not in done.stderr
    refused = json.loads(_run_without_the_extra("count", "commission", "tie", "--json").stdout)
    assert refused["error"]["code"] == "extra_missing"


@pytest.mark.parametrize(
    "arguments",
    [
        ("count", "commission", "tie", "--shoes", "0"),
        ("odds", "commission-insurance"),
        ("odds", "tiger-buffalo", "--removal", "--json"),
        ("odds", "commission", "--compare", "games"),
        ("rules", "commission"),
    ],
)
def test_a_single_answer_needs_no_extra(arguments: tuple[str, ...]) -> None:
    done = _run_without_the_extra(*arguments)
    assert (done.returncode, done.stderr) == (0, b"")


_IMPORTS = """
import atexit, sys
from punto.cli import main
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
main(sys.argv[1:])
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ("odds", "commission-insurance"),
        ("odds", "tiger-buffalo", "--removal"),
        ("odds", "commission", "--compare", "games", "--json"),
        ("count", "commission", "tie", "--shoes", "0"),
        ("rules", "commission"),
        ("settle",),
    ],
)
def test_a_single_answer_never_pays_for_a_compiler(arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTS, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=ENVIRONMENT,
        timeout=DEADLINE_S,
        check=True,
    )
    imported = set(done.stderr.decode().split())
    assert "punto.cli.main" in imported
    assert not imported & {"numpy", "numba", "llvmlite", "distributed", "rich"}


@pytest.mark.nightly
def test_kernels_are_kept_for_the_next_process(tmp_path: Path) -> None:
    """The second process uses the kernels that the first one compiled."""
    code = """
import sys
from punto import book
from punto.odds import full_shoe, solve_many
from punto.odds.exact.batch import count_many
solve_many(book("commission"), [full_shoe(book("commission"))])
print(sum(count_many.stats.cache_hits.values()), sum(count_many.stats.cache_misses.values()))
"""
    environment = ENVIRONMENT | {"NUMBA_CACHE_DIR": str(tmp_path)}
    said = [
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout.split()
        for _ in range(2)
    ]
    assert said == [[b"0", b"1"], [b"1", b"0"]]
