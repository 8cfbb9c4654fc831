"""``punto session``: results in numbers and as a chart."""

import json
import os
import re
import signal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from punto.cli import main
from tests.cli.running import punto
from tests.cli.watched import Watched

pytestmark = pytest.mark.slow

KEYS = [
    "game",
    "decks",
    "bets",
    "insure",
    "rounds",
    "sessions",
    "bankroll",
    "mean",
    "low",
    "high",
    "std",
    "quantiles",
    "least",
    "most",
    "ahead",
    "even",
    "behind",
    "ruin",
    "histogram",
]
SESSION = ("commission-insurance", "--bet", "banker=100", "--bet", "tie=10", "--sessions", "3000")


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["session", *arguments])


def _played(*arguments: str) -> dict[str, Any]:
    done = _run(*arguments, "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_the_json_of_a_session() -> None:
    found = _played(*SESSION, "--insure", "favourable", "--bankroll", "2000", "--rounds", "90", "--decks", "6")
    assert list(found) == KEYS
    assert found["bets"] == {"banker": "100.00", "tie": "10.00"}
    assert (found["insure"], found["bankroll"], found["rounds"], found["decks"]) == ("favourable", "2000.00", 90, 6)
    assert list(found["quantiles"]) == ["1", "5", "25", "50", "75", "95", "99"]
    assert float(found["low"]) < float(found["mean"]) < float(found["high"])
    assert 0 < found["ruin"] < found["behind"] < 1
    assert sum(each["sessions"] for each in found["histogram"]) == found["sessions"] == 3000
    assert float(found["least"]) >= -2000


def test_without_a_bankroll_nobody_is_ruined() -> None:
    found = _played(*SESSION)
    assert (found["ruin"], found["bankroll"], found["insure"]) == (None, None, "never")


def test_the_same_seed_plays_the_same_sessions() -> None:
    assert _played(*SESSION) == _played(*SESSION, "--workers", "1", "--seed", "1")
    assert _played(*SESSION) != _played(*SESSION, "--seed", "2")


def test_a_repeated_bet_is_added_up() -> None:
    assert _played(*SESSION, "--bet", "banker=50")["bets"]["banker"] == "150.00"


def test_a_session_at_a_continuous_shuffler() -> None:
    asked = ("super-six-plus", "--bet", "banker=100", "--sessions", "500", "--continuous")
    found = _played(*asked)
    assert (found["continuous"], found["back_after"]) == (True, 1)
    assert _played(*asked, "--back-after", "3")["mean"] != found["mean"] != _played(*asked[:-1])["mean"]
    page = _run(*asked, "--back-after", "3").stdout
    assert "500 sessions of 80 rounds from a shuffler that takes cards back after 3 rounds, seed 1" in page


def test_for_people() -> None:
    done = punto("session", *SESSION, "--insure", "always", "--bankroll", "1500")  # as a real process, once
    page = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "100.00 on Banker, 10.00 on Tie; insured whenever insurance is offered; bankroll 1500.00" in page
    for words in ("3,000 sessions of 80 rounds", "ahead", "ruined", "average", "50% end at or below", "worst"):
        assert words in page


def test_a_picture_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "out.svg"
    done = _run("tiger-buffalo", "--layout", "C", "--bet", "wu_dalang=5", "--plot", str(path))
    assert (done.exit_code, done.stderr) == (0, "")
    svg = ET.parse(path).getroot()  # noqa: S314 - our own
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    assert "Wu Dalang" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["nowhere/out.svg", "", "/", "pipe", pytest.param("a" * 300, id="long")])
def test_a_picture_that_cannot_be_written_is_refused_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def play(*_: object, **__: object) -> None:
        pytest.fail("it was played")

    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr("punto.odds.sessions.session_simulator.simulate_sessions", play)
    path = tmp_path / name
    done = _run(*SESSION, "--plot", str(path))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("Refused (not_writable): ")
    assert "cannot be written" in done.stderr
    error = json.loads(_run(*SESSION, "--plot", str(path), "--json").stdout)["error"]
    assert (error["code"], error["clauses"]) == ("not_writable", [])
    assert [each.name for each in tmp_path.iterdir()] == ["pipe"]


def test_what_goes_wrong_leaves_the_picture_there_was(tmp_path: Path) -> None:
    path = tmp_path / "out.svg"
    path.write_text("before")
    assert _run(*SESSION, "--decks", "3", "--plot", str(path)).exit_code == 2
    assert path.read_text() == "before"
    assert _run(*SESSION, "--plot", str(path)).exit_code == 0
    assert path.read_text().startswith("<svg")
    assert list(tmp_path.iterdir()) == [path]


def test_one_session_has_no_interval() -> None:
    found = _played("commission", "--bet", "banker=100", "--sessions", "1")
    assert (found["low"], found["high"], found["std"]) == (None, None, None)
    assert found["mean"] == found["least"] == found["most"]
    page = _run("commission", "--bet", "banker=100", "--sessions", "1").stdout
    assert f"average result {found['mean']}; no interval, because there is only one session" in page


def test_sessions_that_end_alike_have_no_interval() -> None:
    arguments = ("commission", "--bet", "tie=100", "--sessions", "3", "--rounds", "1")
    found = _played(*arguments)
    assert found["least"] == found["most"]
    assert (found["low"], found["high"], found["std"]) == (None, None, "0.00")
    assert "no interval, because all sessions ended alike" in _run(*arguments).stdout


@pytest.mark.parametrize("as_json", [True, False])
def test_ctrl_c_stops_it_with_the_sessions_played_so_far(tmp_path: Path, *, as_json: bool) -> None:
    session = ("commission", "--bet", "banker=100", "--rounds", "3000")
    plot = tmp_path / "out.svg"
    watched = Watched(
        "session", *session, "--sessions", "10000000", "--plot", str(plot), *(["--json"] if as_json else []), columns=80
    )
    watched.read_until("left")
    watched.process.send_signal(signal.SIGINT)
    status, out = watched.end()
    assert status == 130
    assert "Traceback" not in watched.shown
    assert re.search(r"Playing +\[#*-*\] +\d+% +[\d.]+ [Mk] rounds/s, [\d:]+ left", watched.shown)
    assert max(map(len, watched.lines())) < 80
    assert plot.read_text().startswith("<svg")
    if as_json:
        found = json.loads(out)
        assert found.pop("interrupted") is True
        assert 0 < found["sessions"] < 10_000_000
        assert found == _played(*session, "--sessions", str(found["sessions"]))
    else:
        assert b"Stopped before all sessions were played" in out
        assert b"average" in out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("commission",), "stake_not_positive"),
        (("commission", "--bet", "banker"), "not_an_amount"),
        (("commission", "--bet", "banker=ten"), "not_an_amount"),
        (("commission", "--bet", "banker=0.001"), "amount_too_fine"),
        (("commission", "--bet", "banker=0"), "stake_not_positive"),
        (("commission", "--bet", "banker=-5"), "stake_not_positive"),
        (("commission", "--bet", "dragon=5"), "unknown_bet"),
        (("tiger-buffalo", "--bet", "banker=5"), "layout_required"),
        (("tiger-buffalo", "--layout", "A", "--bet", "wu_dalang=5"), "bet_not_on_layout"),
        (("commission", "--bet", "banker=5", "--insure", "always"), "insurance_not_offered"),
        (("commission-insurance", "--bet", "tie=5", "--insure", "always"), "no_original_bet"),
        (("commission", "--bet", "banker=5", "--bankroll", "4.99"), "out_of_range"),
        (("commission", "--bet", "banker=5", "--bankroll", "much"), "not_an_amount"),
        (("commission", "--bet", "banker=5", "--rounds", "0"), "out_of_range"),
        (("commission", "--bet", "banker=5", "--sessions", "0"), "out_of_range"),
        (("commission", "--bet", "banker=5", "--sessions", "10000001"), "out_of_range"),
        (("commission", "--bet", "banker=5", "--decks", "3"), "decks_out_of_range"),
        (("commission", "--bet", "tie=9999999999999", "--rounds", "100000"), "amount_too_large"),
        (("baccarat", "--bet", "banker=5"), "unknown_book"),
        (("commission", "--bet", "banker=5", "--continuous", "--cut-card", "14"), "options_contradict"),
        (("commission", "--bet", "banker=5", "--back-after", "2"), "options_contradict"),
        (("commission", "--bet", "banker=5", "--continuous"), "options_contradict"),
        (("super-six-plus", "--bet", "banker=5", "--continuous", "--back-after", "0"), "out_of_range"),
    ],
)
def test_what_cannot_be_played_is_refused_in_the_one_shape(arguments: tuple[str, ...], code: str) -> None:
    done = _run(*arguments, "--json")
    assert (done.exit_code, done.stderr) == (2, "")
    assert json.loads(done.stdout)["error"]["code"] == code
