"""Odd terminals, full disks, closed streams and odd input end in a message, never in a traceback."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from punto.cli import main
from punto.cli._shared.terminal import print_json
from tests.cli.rounds import NATURAL, NINES, ONE_NIL, Line, answer, bet, insured, round_of, written
from tests.cli.running import ENVIRONMENT, punto, punto_here

pytestmark = pytest.mark.slow


def test_the_example_in_the_help_stands_as_written() -> None:
    page = punto("settle", "--help").stdout.decode()
    assert "\\b" not in page
    assert '\n  {"game": "commission", "cards": ["5s", "Kd", "3h", "7c"],\n' in page


def test_the_help_says_what_it_does_not_know_of_a_table() -> None:
    page = " ".join(punto("settle", "--help").stdout.decode().split())
    for words in ("forgone insurance", "offers no insurance", "late offer", 'Ask "punto referee"'):
        assert words in page


@pytest.mark.parametrize("card", ["5's", "'", '"', "5s\n", "` - at `$.cards[0]"])
def test_a_card_with_odd_characters_is_no_card(card: str) -> None:
    assert answer(round_of("commission") | {"cards": [card]})["error"]["code"] == "not_a_card"


@pytest.mark.parametrize("word", ["unknown field", "missing required field", "Object contains unknown field `x`"])
def test_a_wrong_word_is_not_taken_for_a_wrong_key(word: str) -> None:
    line = round_of("commission-insurance", NINES, insurance=[insured(word, "third")])
    assert answer(line)["error"]["code"] == "wrong_type"


def test_a_wrong_side_or_stage_or_key_says_what_was_expected() -> None:
    def says(line: Line) -> str:
        return str(answer(line)["error"]["message"])

    wrong_side = says(round_of("commission-insurance", NINES, insurance=[insured("tie", "third")]))
    assert wrong_side == "'tie' is not a valid side at `$.insurance[0].side`. Use one of these: player, banker."
    assert "four, third" in says(round_of("commission-insurance", NINES, insurance=[insured("player", "fifth")]))
    assert "layout" in says(round_of("commission", lay_out="A"))
    assert len(says(round_of("commission") | {"x" * 5000: 1})) < 300


def test_a_terminal_without_chinese_is_no_reason_to_fail() -> None:
    command = [sys.executable, "-m", "punto", "coup", "commission", NATURAL]
    environment = ENVIRONMENT | {"PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"? Player" in done.stdout


@pytest.mark.parametrize("command", [["settle"], ["coup", "commission", NATURAL]])
def test_a_full_disk_is_said_in_words(command: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "punto", *command],
            input=written(round_of("commission")),
            stdout=full,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, b"Error: No space left on device\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_closed_stream_is_said_in_words(closed: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$0" -m punto settle {closed}', sys.executable],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=ENVIRONMENT,
        check=False,
    )
    assert done.returncode != 0
    assert done.stderr == b"Error: punto needs an open standard input and output\n"


def test_fractional_odds_are_said_as_people_say_them() -> None:
    line = round_of("da-hu-ying-xiong", "4s Kd Ah 5c 4d 9s", bets=[bet("banker")])
    line["insurance"] = [insured("banker", "four", "500")]
    refused = answer(line | {"cards": ["4s", "Kd", "Kh", "5c", "Kd", "9s"]})["error"]
    assert refused["code"] == "insurance_above_cap"
    assert "at 3 to 2 with at most 100," in refused["message"]


def test_readings_as_json() -> None:
    rows = json.loads(CliRunner().invoke(main, ["rules", "--readings", "--json"]).stdout)
    assert {"id", "subject", "text", "topics"} <= rows[0].keys()


def test_readings_of_an_unknown_book_are_refused() -> None:
    done = punto_here("rules", "--readings", "nosuch")
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.parametrize(
    "arguments", [("rules", ""), ("rules", "commission", ""), ("coup", "commission", "--layout", "")]
)
def test_an_empty_word_is_not_taken_for_none(arguments: tuple[str, ...]) -> None:
    assert punto_here(*arguments).returncode == 2


def test_a_reading_of_one_bet_is_shown_only_where_the_bet_is() -> None:
    assert b"wu_dalang_wins_the_round" not in punto_here("rules", "commission", "3.3").stdout
    for clause in ("1.29", "4.1.7"):
        assert b"wu_dalang_wins_the_round" in punto_here("rules", "tiger-buffalo", clause).stdout


def test_a_reading_of_one_book_is_shown_only_there() -> None:
    assert b"commission_version_three" in punto_here("rules", "commission", "3.8").stdout
    assert b"commission_version_three" not in punto_here("rules", "tiger-buffalo", "3.17").stdout


@pytest.mark.parametrize("cards", ["", "Ks 2d Kh", NATURAL, ONE_NIL])
def test_no_blanks_at_the_end_of_a_line(cards: str) -> None:
    page = punto_here("coup", "commission-insurance", cards).stdout.decode()
    assert [line for line in page.splitlines() if line != line.rstrip()] == []


def test_a_byte_order_mark_is_passed_over() -> None:
    assert punto("settle", stdin=b"\xef\xbb\xbf" + written(round_of("commission"))).returncode == 0


def test_a_box_with_thousands_of_digits_is_no_box() -> None:
    line = written(round_of("da-hu-ying-xiong")).replace(b'"who"', b'"box": ' + b"9" * 4000 + b', "who"')
    assert punto("settle", stdin=line).stdout.startswith(b'{"error":{"code":"')


def test_json_has_nothing_that_a_terminal_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"name": "庄 \x1b[2J \x9b31m \u202e \U000e0001"}
    print_json(value)
    page = capsys.readouterr().out
    assert json.loads(page) == value
    assert "庄" in page
    assert page.replace("\n", "").isprintable()
