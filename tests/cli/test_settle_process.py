"""``punto settle`` as a process: streams, exit status, memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.rounds import NATURAL, NINES, ONE_NIL, Line, answer, bet, insured, round_of, written
from tests.cli.running import ENVIRONMENT, punto
from tests.marks import BOOKS
from tests.waiting import DEADLINE_S

pytestmark = pytest.mark.slow

GOOD = [round_of(rules.id, cards, bets=[bet(who=cards)]) for rules in BOOKS for cards in (NATURAL, NINES, ONE_NIL)]
BAD: list[Line | bytes] = [
    b"five of spades",
    b'{"game": "commission", "cards": ["5s"',
    b"\xff\xfe\x00",
    b'{"game": "\xff"}',
    b"[]",
    b"[" * 100_000,
    b'{"game":' * 100_000,
    round_of("punto-banco"),
    round_of("commission", "5s Kd"),
    round_of("commission", bets=[bet(stake="0")]),
]


def _read(out: bytes) -> list[Line]:
    assert not out or out.endswith(b"\n")
    return [json.loads(line) for line in out.splitlines()]


def test_standard_input_is_settled_line_by_line() -> None:
    done = punto("settle", stdin=written(*GOOD))
    assert (done.returncode, done.stderr) == (0, b"")
    assert _read(done.stdout) == [answer(line) for line in GOOD]


def test_a_file_is_settled_like_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    path.write_bytes(written(*GOOD))
    from_file = punto("settle", str(path))
    dash = punto("settle", "-", stdin=path.read_bytes())
    assert (from_file.returncode, from_file.stderr) == (0, b"")
    assert from_file.stdout == dash.stdout
    assert _read(from_file.stdout) == [answer(line) for line in GOOD]


def test_bad_lines_are_answered_in_their_place_and_the_rest_go_on() -> None:
    mixed: list[Line | bytes] = []
    for at, good in enumerate(GOOD):
        mixed += [BAD[at % len(BAD)], good]
    done = punto("settle", stdin=written(*mixed))
    assert (done.returncode, done.stderr) == (1, b"")
    answers = _read(done.stdout)
    assert answers == [answer(line) for line in mixed]
    assert ["error" in line for line in answers] == [True, False] * len(GOOD)


@pytest.mark.parametrize("place", [0, 1, 2], ids=["first", "middle", "last"])
def test_one_bad_line_anywhere_sets_the_exit_status(place: int) -> None:
    lines: list[Line | bytes] = [GOOD[0], GOOD[1]]
    lines.insert(place, b"{}")
    done = punto("settle", stdin=written(*lines))
    assert done.returncode == 1
    assert ["error" in line for line in _read(done.stdout)] == [at == place for at in range(3)]


def test_blank_lines_are_passed_over() -> None:
    good = written(GOOD[0])
    done = punto("settle", stdin=b"\n" + good + b" \t \n\r\n" + good + b"\n\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert _read(done.stdout) == [answer(GOOD[0])] * 2


@pytest.mark.parametrize("stdin", [b"", b"\n", b"\n  \n"])
def test_nothing_to_settle_is_no_error(stdin: bytes) -> None:
    done = punto("settle", stdin=stdin)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_lines_may_end_as_they_do_on_windows_and_the_last_need_not_end() -> None:
    one, two = written(GOOD[0]).strip(), written(GOOD[1]).strip()
    done = punto("settle", stdin=one + b"\r\n" + two)
    assert (done.returncode, done.stderr) == (0, b"")
    assert _read(done.stdout) == [answer(GOOD[0]), answer(GOOD[1])]


def test_names_come_out_as_utf_8() -> None:
    done = punto("settle", stdin=written(round_of("commission", bets=[bet(who="陳大文 🐯")])))
    assert "陳大文 🐯".encode() in done.stdout


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "no-such-file.jsonl"
    done = punto("settle", str(missing))
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"no-such-file.jsonl" in done.stderr
    assert b"No such file" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    done = punto("settle", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"directory" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_reader_who_goes_away_sees_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "rounds.jsonl"
    path.write_bytes(written(*GOOD) * 400)  # far more than a pipe's buffer
    command = [sys.executable, "-m", "punto", "settle", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT) as settling:
        assert settling.stdout is not None
        assert settling.stderr is not None
        assert json.loads(settling.stdout.readline()) == answer(GOOD[0])
        settling.stdout.close()
        assert settling.stderr.read() == b""


def test_a_reader_who_was_never_there_sees_no_traceback() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "punto", "settle"]
    lines = written(GOOD[0])  # little enough to be written only at the end
    done = subprocess.run(
        command, input=lines, stdout=writer, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=DEADLINE_S, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


_PEAK = """
import resource, subprocess, sys
rounds, settled = sys.argv[1:]
with open(settled, "wb") as out:
    subprocess.run([sys.executable, "-m", "punto", "settle", rounds], stdout=out)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""A process's peak includes its parent's memory at the fork, so a small parent starts it."""


def _peak(path: Path, lines: int) -> int:
    with path.open("wb") as file:
        for at in range(lines // 8):
            name = f"player {at}"
            plain = [bet(on, f"{5 + at % 400}", name) for on in ("player", "banker", "tie")]
            file.write(
                written(
                    round_of("commission", NINES, bets=plain),
                    round_of("tiger-buffalo", ONE_NIL, bets=plain, limits={"min": "20", "differential": "50"}),
                    round_of(
                        "commission-insurance",
                        ONE_NIL,
                        bets=[bet("banker", "100", name)],
                        insurance=[insured("banker", "four", "1", name), insured("banker", "third", "1", name)],
                    ),
                    round_of(f"book {at}"),
                    round_of("super-six-plus", layout=f"layout {at}"),
                    round_of("commission", bets=[bet(stake=f"amount {at}")]),
                    round_of("commission", bets=[bet(box=100 + at)]),
                    b"not valid JSON",
                )
            )
    settled = path.with_suffix(".out")
    command = [sys.executable, "-c", _PEAK, str(path), str(settled)]
    done = subprocess.run(command, capture_output=True, env=ENVIRONMENT, timeout=DEADLINE_S, check=True)
    out = settled.read_bytes()
    assert (out.count(b"\n"), out.count(b'{"error":')) == (lines, lines * 5 // 8)
    return int(done.stdout)


@pytest.mark.skipif(os.name != "posix", reason="measures memory by getrusage")
def test_memory_does_not_grow_with_the_lines(tmp_path: Path) -> None:
    few, many = _peak(tmp_path / "few.jsonl", 2_000), _peak(tmp_path / "many.jsonl", 40_000)
    assert many < 1.25 * few
