"""``punto simulate``: JSON, text, and stopping it."""

import json
import re
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from punto.cli import main
from punto.cli._shared import progress
from punto.cli._shared.progress import _Pace, interruptible
from tests.cli.running import ENVIRONMENT, punto
from tests.cli.watched import Watched
from tests.marks import BOOKS
from tests.odds.simulation import dask_cluster
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.slow

BET_KEYS = {"edge", "low", "high", "hit", "hit_low", "hit_high"}
CHANCES = ("offered", "win", "push", "lose")
CELL_KEYS = {"stage", "side", "player", "banker", "odds", "offered", "win", "push", "lose", "edge", "low", "high"}
CELL_KEYS |= {f"{each}_{end}" for each in CHANCES for end in ("low", "high")}


def _simulated(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(main, ["simulate", *arguments, "--json"])
    assert (done.exit_code, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("rules", [pytest.param(rules, id=rules.id) for rules in BOOKS])
def test_the_json_is_that_of_the_contract(rules: Any) -> None:
    found = _simulated(rules.id, "--rounds", "200003", "--decks", "6", "--seed", "3")
    assert list(found) == ["game", "decks", "rounds", "shoes", "seconds", "bets", "insurance"]
    assert (found["game"], found["decks"], found["rounds"]) == (rules.id, 6, 200_003)
    assert 0 < found["seconds"] < 30
    assert found["bets"].keys() == rules.bets.keys()
    for bet in found["bets"].values():
        assert bet.keys() == BET_KEYS
        assert bet["low"] < bet["edge"] < bet["high"]
        assert 0 < bet["hit_low"] < bet["hit"] < bet["hit_high"] < 1
    assert bool(found["insurance"]) == (rules.insurance is not None)
    for cell in found["insurance"]:
        assert cell.keys() == CELL_KEYS
        assert cell["win"] + cell["push"] + cell["lose"] == pytest.approx(1)
        assert cell["low"] <= cell["edge"] <= cell["high"]
        for each in CHANCES:
            assert cell[f"{each}_low"] <= cell[each] <= cell[f"{each}_high"]


def test_the_same_seed_gives_the_same_figures_for_any_number_of_workers() -> None:
    asked = ("commission-insurance", "--shoes", "3000", "--seed", "9")
    found = [_simulated(*asked, "--workers", workers) for workers in ("1", "2", "4")]
    for each in found:
        del each["seconds"]
    assert found[0] == found[1] == found[2]
    assert found[0]["shoes"] == 3000
    other = _simulated("commission-insurance", "--shoes", "3000", "--seed", "10")
    assert other["bets"] != found[0]["bets"]


@pytest.mark.parametrize("back_after", [1, 3])
def test_a_continuous_shuffler_deals_rounds_and_no_shoes(back_after: int) -> None:
    found = _simulated("super-six-plus", "--rounds", "3000000", "--continuous", "--back-after", str(back_after))
    assert (found["rounds"], found["shoes"], found["continuous"], found["back_after"]) == (3e6, 0, True, back_after)
    exact = json.loads(CliRunner().invoke(main, ["odds", "super-six-plus", "--json"]).stdout)["bets"]
    for bet, each in found["bets"].items():
        error = (each["high"] - each["low"]) / (2 * 1.96)
        assert abs(each["edge"] - exact[bet]["edge_float"]) < 4 * error
    said = CliRunner().invoke(main, ["simulate", "super-six-plus", "--rounds", "9", "--continuous"]).stdout
    assert "9 rounds from a shuffler that takes cards back after each round, seed 1" in said


def test_for_people_every_figure_stands_beside_its_interval() -> None:
    done = punto("simulate", "commission-insurance", "--rounds", "100000")  # a process without a terminal
    said = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "100,000 rounds of" in said
    assert "seed 1" in said
    assert "million rounds a second" in said
    banker = next(line for line in said.splitlines() if line.strip().startswith("Banker "))
    assert len(re.findall(r"-?\d+\.\d+%", banker)) == 6
    assert "Insurance, where it was offered" in said
    cells = [line for line in said.splitlines() if re.match(r" +four +banker +0-6 ", line)]
    assert re.search(r"0-6 +3 to 1", cells[0])
    assert [len(re.findall(r"-?\d+\.\d+%", line)) for line in cells] == [6, 9]


@pytest.mark.parametrize("rules", [pytest.param(rules, id=rules.id) for rules in BOOKS])
def test_the_page_is_aligned_to_the_right_and_fits(rules: Any) -> None:
    done = CliRunner().invoke(main, ["simulate", rules.id, "--rounds", "2000"])
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 120
    assert [line for line in lines if line != line.rstrip()] == []
    bets = lines[lines.index("Bets") + 1 :]
    rows = bets[: bets.index("") if "" in bets else None]
    ends = [[found.end() for found in re.finditer(r"%(?= |$)", row)] for row in rows[1:]]
    assert len(ends) == len(rules.bets)
    assert all(each == ends[0] for each in ends)


def test_what_favours_the_bettor_is_said_in_words() -> None:
    done = CliRunner().invoke(main, ["simulate", "commission-insurance", "--rounds", "20000000"])
    good = {tuple(line.split()[:3]) for line in done.stdout.splitlines() if line.endswith("favours the bettor")}
    assert ("four", "banker", "0-6") in good
    assert ("four", "player", "7-0") not in good


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("commission",), "out_of_range", "Give --rounds or --shoes"),
        (("commission", "--rounds", "5", "--shoes", "5"), "out_of_range", "Give --rounds or --shoes"),
        (("commission", "--rounds", "0"), "out_of_range", "1 to"),
        (("commission", "--shoes", "-4"), "out_of_range", "1 to"),
        (("commission", "--rounds", "5", "--workers", "0"), "out_of_range", "workers"),
        (("commission", "--rounds", "5", "--seed", "-1"), "out_of_range", "seed"),
        (("commission", "--rounds", "5", "--cut-card", "2"), "out_of_range", "cut card"),
        (("commission", "--rounds", "5", "--decks", "9"), "decks_out_of_range", "4 to 8"),
        (("super-six-plus", "--shoes", "5", "--continuous"), "options_contradict", "no shoes that end"),
        (("commission", "--rounds", "5", "--continuous", "--cut-card", "14"), "options_contradict", "no cut card"),
        (("commission", "--rounds", "5", "--back-after", "1"), "options_contradict", "goes with `--continuous`"),
        (("commission", "--rounds", "5", "--continuous"), "options_contradict", "the book has no shuffler"),
        (("super-six-plus", "--rounds", "5", "--continuous", "--back-after", "70"), "out_of_range", "1 to 69 rounds"),
        (("punto-banco", "--rounds", "5"), "unknown_book", "Use one of these"),
        (("commission", "--rounds", "5", "--cluster", "127.0.0.1:1"), "cluster_unreachable", "127.0.0.1:1"),
        (("commission", "--rounds", "5", "--cluster", "no such/place"), "cluster_unreachable", "no such/place"),
        (("commission", "--rounds", "5", "--cluster", "127.0.0.1"), "cluster_unreachable", "such as"),
        (("commission", "--rounds", "5", "--cluster", "127.0.0.1:99999"), "cluster_unreachable", "such as"),
    ],
)
def test_what_cannot_be_dealt_is_refused_in_the_one_shape(arguments: tuple[str, ...], code: str, said: str) -> None:
    done = CliRunner().invoke(main, ["simulate", *arguments, "--json"])
    assert (done.exit_code, done.stderr) == (2, "")
    error = json.loads(done.stdout)["error"]
    assert error["code"] == code
    assert said in error["message"]


def test_a_refusal_is_said_in_words_too() -> None:
    done = CliRunner().invoke(main, ["simulate", "commission", "--rounds", "5", "--decks", "9"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "Refused (decks_out_of_range): Commission Baccarat is played with 4 to 8 decks, not 9. (clause "
    )


_WITHOUT = """
import sys
sys.modules[sys.argv[1]] = None
from punto.cli import main
main(sys.argv[2:])
"""


@pytest.mark.parametrize(
    ("missing", "arguments", "extra"),
    [
        ("numba", ("simulate", "commission", "--rounds", "5"), "odds"),
        ("numpy", ("session", "commission", "--bet", "tie=1"), "odds"),
        ("distributed", ("simulate", "commission", "--rounds", "5", "--cluster", "127.0.0.1:1"), "cluster"),
    ],
)
def test_where_an_extra_is_missing_it_says_how_to_install_it(
    missing: str, arguments: tuple[str, ...], extra: str
) -> None:
    command = [sys.executable, "-c", _WITHOUT, missing, *arguments]
    done = subprocess.run(command, capture_output=True, env=ENVIRONMENT, timeout=DEADLINE_S, check=False)
    assert done.returncode == 2
    assert f"pip install 'punto[{extra}]'".encode() in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_terminal_sees_how_far_it_is_how_fast_and_how_long_it_takes() -> None:
    watched = Watched("simulate", "commission", "--rounds", "150000000")
    status, out = watched.end()
    assert status == 0
    assert b"150,000,000 rounds" in out
    assert re.search(r"Dealing +\[#*-*\] +\d+% +[\d.]+ [Mk] rounds/s, \d+:\d\d left", watched.shown)
    assert "100%" in watched.shown


@pytest.mark.parametrize("columns", [80, 40])
def test_the_bar_stays_on_its_line(columns: int) -> None:
    watched = Watched("simulate", "commission", "--rounds", "900000000000", columns=columns)
    watched.read_until("rounds/s")
    watched.process.send_signal(signal.SIGINT)
    status, _ = watched.end()
    assert status == 130
    bars = [line for line in watched.lines() if line.startswith("Dealing")]
    assert bars
    assert max(map(len, watched.lines())) < columns
    assert bool(re.search(r"rounds/s, [\d:,]+( days)? left", bars[-1])) == (columns == 80)


def test_the_first_rate_is_no_accident(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks that were ready with the first one took no measurable time: no rate is shown yet."""
    now_s = 100.0
    monkeypatch.setattr(progress, "perf_counter", lambda: now_s)
    bar = click.progressbar(length=10**9, file=StringIO())
    pace = _Pace(bar, 10**9, 40)  # type: ignore[arg-type] # a bar of texts
    for chunk in range(1, 5):
        pace.show(chunk * 10**6, chunk * 10**6)
    assert not bar.current_item
    now_s += 0.25
    pace.show(5 * 10**6, 5 * 10**6)
    assert str(bar.current_item) == "16 M rounds/s, 1:02 left"


@pytest.mark.parametrize("as_json", [True, False])
def test_ctrl_c_stops_it_with_what_it_has(*, as_json: bool) -> None:
    watched = Watched("simulate", "commission", "--rounds", "900000000000", *(["--json"] if as_json else []))
    watched.read_until("left")
    watched.process.send_signal(signal.SIGINT)
    status, out = watched.end()
    assert status == 130
    assert "Traceback" not in watched.shown
    if as_json:
        found = json.loads(out)
        assert found["interrupted"] is True
        assert 0 < found["rounds"] < 900_000_000_000
        whole = _simulated("commission", "--shoes", str(found["shoes"]))
        assert found["bets"] == whole["bets"]  # the first shoes, without gaps
    else:
        assert b"Stopped before all was dealt" in out
        assert b"Banker" in out


def test_ctrl_c_before_there_is_anything_to_show_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, interruptible():
        raise KeyboardInterrupt
    assert ended.value.code == 130
    assert "Stopped. No results to show." in capsys.readouterr().err


@pytest.mark.nightly
def test_a_dask_cluster_deals_the_same_shoes(tmp_path: Path) -> None:
    with dask_cluster.running(tmp_path, workers=2) as address:
        answers = []

        def answered() -> bool:
            done = punto("simulate", "tiger-buffalo", "--shoes", "300000", "--cluster", address, "--json")
            answers.append(json.loads(done.stdout))
            return "error" not in answers[-1] or answers[-1]["error"]["code"] != "cluster_unreachable"

        wait_until(answered, "the first worker")
    found, here = answers[-1], _simulated("tiger-buffalo", "--shoes", "300000")
    del found["seconds"], here["seconds"]
    assert found == here


def test_the_options_have_help() -> None:
    done = CliRunner().invoke(main, ["simulate", "--help"])
    for option in ("--rounds", "--shoes", "--decks", "--seed", "--workers", "--cut-card", "--cluster", "--json"):
        assert option in done.stdout
    for option in ("--continuous", "--back-after"):
        assert option in done.stdout
