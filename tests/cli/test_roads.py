"""``punto roads``: the roads as text and as JSON."""

import fcntl
import json
import os
import re
import struct
import subprocess
import sys
import termios

import pytest
from click.testing import CliRunner
from hypothesis import given, settings

from punto.board.results import Mark
from punto.board.roads import Derived, roads
from punto.board.statistics import statistics
from punto.cli import main
from punto.rules.coup.table_of_play import Side
from tests.board.shoes import SHOES, written
from tests.cli.rounds import Line
from tests.cli.running import ENVIRONMENT, punto, punto_here
from tests.lanes import examples

KEYS = {
    *("results", "bead_plate", "big_road", "big_eye_boy", "small_road", "cockroach_pig"),
    *("ask", "ties_waiting", "counts"),
}


def _run(*arguments: str, stdin: str | None = None) -> str:
    done = CliRunner().invoke(main, ["roads", *arguments], input=stdin)
    assert done.exit_code == 0, done.output
    return done.stdout


def _json(*arguments: str) -> Line:
    read: Line = json.loads(_run(*arguments, "--json"))
    return read


def _grid(page: str, name: str) -> list[list[str]]:
    """The rows of squares under a heading."""
    lines = page.splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith(name))
    return [line.split() for line in lines[at + 1 : at + 7]]


def test_the_grids_are_drawn_square_by_square() -> None:
    page = _run("T", "BBT", "PPPPbp", "B", "PPPPPPPP")
    assert _grid(page, "Bead Plate") == [
        ["T", "P", "P"],
        ["B", "Pbp", "P"],
        ["B", "B", "P"],
        ["T", "P", "P"],
        ["P", "P", "P"],
        ["P", "P", "."],
    ]
    assert _grid(page, "Big Road") == [
        ["B/", "P", "B", "P", ".", "."],
        ["B/", "P", ".", "P", ".", "."],
        [".", "P", ".", "P", ".", "."],
        [".", "Pbp", ".", "P", ".", "."],
        [".", ".", ".", "P", ".", "."],
        [".", ".", ".", "P", "P", "P"],
    ]
    # columns of 2 4 1 8
    assert _grid(page, "Big Eye Boy")[:2] == [["r", "b", "r", "b", "r"], [".", ".", ".", "b", "r"]]
    assert _grid(page, "Small Road")[:2] == [["b", "r", "b", "r"], [".", "r", ".", "r"]]
    assert _grid(page, "Cockroach Pig")[:3] == [["r", "b", "r"], [".", ".", "r"], [".", ".", "r"]]


def test_the_ask_road_and_the_counts_are_on_the_page() -> None:
    rows = [re.split(r"\s{2,}", line.strip()) for line in _run("B PPPP TTp Bb").splitlines()]
    # columns of 1 4 1
    assert ["Big Eye Boy 大眼仔路", "red", "blue"] in rows
    assert ["Small Road 小路", "blue", "red"] in rows
    assert ["Cockroach Pig 曱甴路", "-", "-"] in rows
    assert ["庄 Banker", "2", "1"] in rows
    assert ["闲 Player", "4", "4"] in rows
    assert ["和 Tie", "2", "2"] in rows
    assert ["Banker Pair", "1"] in rows
    assert ["Player Pair", "1"] in rows
    assert ["rounds", "8"] in rows


def test_ties_alone_wait_on_the_big_road() -> None:
    assert _grid(_run("TTT"), "Big Road")[:2] == [["/3"], ["."]]
    assert _grid(_run("T"), "Big Road")[:2] == [["/"], ["."]]


@pytest.mark.parametrize("arguments", [("",), ()])
def test_no_results_are_no_reason_to_fail(arguments: tuple[str, ...]) -> None:
    assert _run(*arguments, stdin="").count("nothing yet") == 5
    told = json.loads(_run(*arguments, "--json", stdin=""))
    assert told.keys() == KEYS
    assert told["counts"]["rounds"] == 0


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_results_may_be_arguments_or_on_standard_input(options: tuple[str, ...]) -> None:
    together = _run("B PPp Tbp", *options)
    assert _run("B", "P", "Pp", "Tpb", *options) == together
    assert _run(*options, stdin="B\nP Pp\r\n\nTbp\n") == together
    assert punto("roads", *options, stdin=b"\xef\xbb\xbfBPPpTbp").stdout.decode() == together


def test_json_by_hand() -> None:
    assert _json("T B Pbp P T") == {
        "results": ["T", "B", "Pbp", "P", "T"],
        "bead_plate": [
            {"column": 0, "row": row, "winner": winner, "banker_pair": pair, "player_pair": pair}
            for row, (winner, pair) in enumerate(
                [("tie", False), ("banker", False), ("player", True), ("player", False), ("tie", False)]
            )
        ],
        "big_road": [
            {"column": 0, "row": 0, "winner": "banker", "banker_pair": False, "player_pair": False, "ties": 1},
            {"column": 1, "row": 0, "winner": "player", "banker_pair": True, "player_pair": True, "ties": 0},
            {"column": 1, "row": 1, "winner": "player", "banker_pair": False, "player_pair": False, "ties": 1},
        ],
        "big_eye_boy": [{"column": 0, "row": 0, "colour": "blue"}],
        "small_road": [],
        "cockroach_pig": [],
        "ask": {
            "banker": {"big_eye_boy": "blue", "small_road": None, "cockroach_pig": None},
            "player": {"big_eye_boy": "red", "small_road": None, "cockroach_pig": None},
        },
        "ties_waiting": 0,
        "counts": {
            "rounds": 5,
            "banker": 1,
            "player": 2,
            "tie": 2,
            "banker_pair": 1,
            "player_pair": 1,
            "longest": {"banker": 1, "player": 2, "tie": 1},
        },
    }


@settings(max_examples=examples(50))
@given(SHOES)
def test_json_agrees_with_the_library(shoe: list[Mark]) -> None:
    told, shown, counted = _json(written(shoe)), roads(shoe), statistics(shoe)
    assert told.keys() == KEYS
    assert told["results"] == [str(mark) for mark in shoe]
    beads = [(*bead.place, bead.mark.winner, bead.mark.banker_pair, bead.mark.player_pair) for bead in shown.bead_plate]
    assert [tuple(bead.values()) for bead in told["bead_plate"]] == beads
    assert [(cell["column"], cell["row"], cell["winner"], cell["ties"]) for cell in told["big_road"]] == [
        (*cell.place, cell.mark.winner, cell.ties) for cell in shown.big_road.cells
    ]
    assert told["ties_waiting"] == shown.big_road.ties_waiting
    for road in Derived:
        assert [tuple(cell.values()) for cell in told[road]] == [
            (*cell.place, cell.colour) for cell in shown.derived[road]
        ]
        assert all(told["ask"][side][road] == shown.ask[side][road] for side in Side)
    counts = told["counts"]
    longest = counts.pop("longest")
    assert counts == {name: getattr(counted, name) for name in counts}
    assert longest == {name: getattr(counted, f"longest_{name}") for name in ("banker", "player", "tie")}


@pytest.mark.parametrize(
    ("arguments", "stdin", "says"),
    [
        (("B", "X"), b"", "'X', word 2 of the results, is not a result. Write B (Banker), P (Player) or T (Tie)"),
        (("BPTbb",), b"", "'BPTbb', word 1"),
        ((), b"B P\nb\n", "'b', word 3"),
        ((), b"B \xff\xfe", "'\ufffd\ufffd', word 2"),
    ],
)
def test_a_refusal_in_words_and_as_json(arguments: tuple[str, ...], stdin: bytes, says: str) -> None:
    words = punto_here("roads", *arguments, stdin=stdin)
    assert (words.returncode, words.stdout) == (2, b"")
    message = words.stderr.decode()
    assert message.startswith("Refused (wrong_type): ")
    assert message.count("\n") == 1
    assert says in message
    as_json = punto_here("roads", *arguments, "--json", stdin=stdin)
    assert (as_json.returncode, as_json.stderr) == (2, b"")
    error = json.loads(as_json.stdout)["error"]
    assert error.keys() == {"code", "message", "clauses"}
    assert (error["code"], error["clauses"]) == ("wrong_type", [])
    assert says in error["message"]


def test_a_pipe_gets_plain_text_whole_and_without_blanks_at_the_end() -> None:
    page = punto("roads", "BP" * 60).stdout.decode()
    assert "\x1b" not in page
    assert len(_grid(page, "Big Road")[0]) == 120
    assert [line for line in page.splitlines() if line != line.rstrip()] == []


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")
def test_a_terminal_gets_colours_and_the_columns_there_is_room_for() -> None:
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 41, 0, 0))
    command = [sys.executable, "-m", "punto", "roads", "BP" * 30]
    environment = {name: value for name, value in ENVIRONMENT.items() if name not in {"COLUMNS", "LINES"}}
    environment["TERM"] = "xterm-256color"
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        while part := _read_terminal(ours):
            shown += part
    os.close(ours)
    assert process.returncode == 0
    page = shown.decode().replace("\r\n", "\n")
    assert "\x1b[31mB\x1b[0m \x1b[34mP\x1b[0m" in page  # red, then blue
    plain = re.sub(r"\x1b\[[0-9;]*m", "", page)
    assert "Big Road 大路, the last 19 of 60 columns" in plain
    assert _grid(plain, "Big Road")[0] == [*"PBPBPBPBPBPBPBPBPBP"]
    assert len(_grid(plain, "Bead Plate")[0]) == 10


def _read_terminal(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux reports a closed terminal this way
        return b""
