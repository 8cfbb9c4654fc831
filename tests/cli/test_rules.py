"""``punto rules``: the clauses, our readings, and the tests of each."""

import json
import re
import textwrap
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from punto import book, book_ids
from punto.catalogue.sentence import say
from punto.cli import main
from punto.floor.journal.actor import Actor
from punto.floor.running import adopted_readings
from punto.floor.running.adopted_readings import adopt_reading
from punto.library import ShownBy, readings
from punto.rules.rulebook import ClauseKind, HandledBy, Rulebook
from punto.rules.topics import Topic
from punto.table.records.positions import Position
from tests.cli.rounds import Line
from tests.cli.running import punto, punto_here
from tests.floor.staff_floor import Staffed, run
from tests.marks import BOOKS

ALL = [pytest.param(rules, id=rules.id) for rules in BOOKS]
CLAUSES = {rules.id: len(rules.clauses) for rules in BOOKS}
TOTAL = sum(CLAUSES.values())
KEYS = {"book", "clause", "summary", "kind", "handled_by", "tests"}
OPTIONAL_KEYS = {"command", "offers", "readings"}


def _run(*arguments: str) -> str:
    done = CliRunner().invoke(main, ["rules", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def _json(*arguments: str) -> list[Line]:
    rows: list[Line] = json.loads(_run(*arguments, "--json"))
    return rows


def _cells(line: str) -> list[str]:
    return re.split(r"\s{2,}", line.strip())


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A register with two tests for one clause, and one for a reading."""
    by = ShownBy(
        clauses={
            **{game: {} for game in book_ids()},
            "commission": {"3.6": ["tests/a.py::test_draws", "tests/b.py::test_stands"]},
        },
        readings={"pairs_by_rank": ["tests/c.py::test_pairs"]},
    )
    for module in ("rules", "_shared.readings_page"):
        monkeypatch.setattr(f"punto.cli.{module}.shown_by", lambda: by)


def test_every_clause_of_every_book_is_listed_once() -> None:
    rows = _json()
    assert len(rows) == TOTAL
    assert Counter(row["book"] for row in rows) == CLAUSES
    assert len({(row["book"], row["clause"]) for row in rows}) == TOTAL


def test_json_has_the_keys_of_the_contract() -> None:
    for row in _json():
        assert row.keys() >= KEYS
        assert row.keys() <= KEYS | OPTIONAL_KEYS
        assert row["kind"] in list(ClauseKind)
        assert row["handled_by"] in list(HandledBy)
        assert row["summary"].strip()
        assert all(isinstance(test, str) for test in row["tests"])
        assert ("command" in row) == (row["handled_by"] == "staff")
        assert ("offers" in row) == (row["handled_by"] == "people")


@pytest.mark.parametrize("rules", ALL)
def test_one_book(rules: Rulebook) -> None:
    rows = _json(rules.id)
    assert rows == [row for row in _json() if row["book"] == rules.id]
    assert [row["clause"] for row in rows] == list(rules.clauses)
    page = _run(rules.id)
    assert page.startswith(rules.title)
    assert rules.law_hash in page
    assert f"\nbets {', '.join(rules.bets)}\n" in page
    assert f"{rules.decks.least} to {rules.decks.most} decks" in page
    lines = page.splitlines()
    table = lines[next(at for at, line in enumerate(lines) if line.startswith("clause")) + 1 :]
    assert [line.split()[0] for line in table if not line.startswith(" ")] == list(rules.clauses)
    assert max(map(len, table)) < 160  # long summaries are wrapped


def test_one_clause() -> None:
    (row,) = _json("commission", "3.6")
    assert (row["book"], row["clause"], row["kind"], row["handled_by"]) == ("commission", "3.6", "dealing", "engine")
    page = _run("commission", "3.6")
    assert page.startswith("commission 3.6\n")
    assert textwrap.fill(row["summary"], 100) in page
    assert ["kind", "dealing"] in map(_cells, page.splitlines())
    assert ["handled by", "engine"] in map(_cells, page.splitlines())


def test_the_same_number_is_another_clause_in_another_book() -> None:
    (tie,), (close) = _json("commission", "3.8"), _json("commission-insurance", "3.8")
    assert tie["summary"] != close[0]["summary"]
    assert "tie" in tie["summary"].lower()


def test_the_shelf_counts_the_clauses_of_each_book() -> None:
    head, *lines = _run().splitlines()
    assert _cells(head)[0] == "book"
    assert [_cells(line)[0] for line in lines] == list(book_ids())
    at = head.index("clauses")
    assert {_cells(line)[0]: int(line[at:].split()[0]) for line in lines} == CLAUSES
    for line in lines:
        clauses, *handled = map(int, line[at:].split()[: 1 + len(HandledBy)])
        assert sum(handled) == clauses


@pytest.mark.usefixtures("shown")
def test_a_clause_names_the_tests_that_show_it() -> None:
    (row,) = _json("commission", "3.6")
    assert row["tests"] == ["tests/a.py::test_draws", "tests/b.py::test_stands"]
    assert _json("commission-insurance", "3.6")[0]["tests"] == []
    page = _run("commission", "3.6").splitlines()
    assert page[page.index("Tests") + 1 :] == ["  tests/a.py::test_draws", "  tests/b.py::test_stands"]
    page = _run("commission", "3.5").splitlines()
    assert page[page.index("Tests") + 1 :] == ["  no test yet"]


@pytest.mark.usefixtures("shown")
def test_coverage_lists_every_clause_with_its_tests() -> None:
    lines = _run("--coverage").splitlines()
    rows = [_cells(line) for line in lines]
    assert rows[0] == ["book", "clause", "test or offer"]
    assert len([row for row in rows[1:] if row[0] in CLAUSES]) == TOTAL
    assert ["commission", "3.6", "tested", "tests/a.py::test_draws", "and 1 more"] in rows
    assert ["commission", "3.5", "missing"] in rows
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (tested|left to people|missing)", lines[-1])}
    assert lines[-1].startswith(
        f"9 of {TOTAL} clauses accounted for: 1 tested, 8 left to people, "
    )  # two in each of four books
    assert sum(counts.values()) == TOTAL


@pytest.mark.usefixtures("shown")
def test_coverage_of_one_book_and_of_one_clause() -> None:
    rows = [_cells(line) for line in _run("commission", "--coverage").splitlines()]
    assert {row[0] for row in rows if len(row) >= 3} == {"book", "commission"}
    assert rows[-1][0].startswith(f"1 of {CLAUSES['commission']} clauses accounted for: 1 tested, 0 left to people, ")
    rows = [_cells(line) for line in _run("commission", "3.5", "--coverage").splitlines()]
    assert rows[1] == ["commission", "3.5", "missing"]
    assert rows[-1] == ["0 of 1 clauses accounted for: 0 tested, 0 left to people, 1 missing."]


def test_a_clause_of_people_says_what_punto_offers() -> None:
    row, _ = [row for row in _json("tiger-buffalo") if row["handled_by"] == "people"]
    assert f"what Punto offers: {row['offers']}" in _run("tiger-buffalo", row["clause"])


def test_a_clause_of_the_staff_names_its_command() -> None:
    (row,) = _json("commission-insurance", "3.8")
    assert row["command"] == "close_betting"
    assert "staff: close_betting" in _run("commission-insurance", "3.8")


@pytest.mark.parametrize("rules", ALL)
def test_a_clause_page_shows_its_readings(rules: Rulebook) -> None:
    (pair,) = rules.topics[Topic.PAIRS]
    (row,) = _json(rules.id, pair)
    assert "pairs_by_rank" in row["readings"]
    page = _run(rules.id, pair)
    for reading in readings():
        if reading.id in row["readings"]:
            assert f"How we read it: {reading.title} ({reading.id})\n{textwrap.fill(reading.text, 100)}" in page
        else:
            assert reading.id not in page


def test_readings_are_shown_at_every_clause_they_are_about() -> None:
    for row in _json():
        about = [reading.id for reading in readings() if row["clause"] in reading.clauses(book(row["book"]))]
        assert row.get("readings", []) == about


def test_a_clause_without_a_reading_shows_none() -> None:
    (row,) = _json("commission", "3.6")
    assert "readings" not in row
    assert "How we read it" not in _run("commission", "3.6")


@pytest.mark.usefixtures("shown")
def test_all_readings_are_one_page_of_markdown() -> None:
    page = _run("--readings")
    assert page.startswith("# How we read the books\n")
    assert page.endswith("|\n")
    for reading in readings():
        assert f"\n### {reading.title}\n\n`{reading.id}`\n\n{reading.text}\n" in page
        assert f"\n## {reading.subject.capitalize()}\n" in page
    assert "<details><summary>Tests: 1</summary>tests/c.py::test_pairs</details>" in page
    table = page.partition("## The same rule, by book\n")[2].strip().splitlines()
    assert table[0] == f"| topic | {' | '.join(book_ids())} |"
    assert "| tie | 3.8 | 3.17 | 3.17 | 3.14 | 3.17 |" in table
    assert len(table) == 2 + len(Topic)


def _floor(path: Path) -> str:
    """The database of a floor whose house has adopted two readings."""
    url = str(path / "floor.db")

    async def adopt(house: Staffed) -> None:
        manager = Actor("sid", Position.SHIFT_MANAGER)
        await adopt_reading(house.floor.house_log, manager, "established", value=True, reason="the regulator's wish")
        await adopt_reading(house.floor.house_log, manager, "cut_card", 20, "new shoes")

    run(url, adopt)
    return url


def test_readings_say_what_could_be_read_otherwise_and_what_that_changes() -> None:
    page = _run("--readings")
    rows = {row["id"]: row for row in _json("--readings")}
    assert list(rows) == [reading.id for reading in readings()]
    for reading in readings():
        row = rows[reading.id]
        alternative, effect = reading.alternative_in("en"), reading.effect_in("en")
        assert (row["title"], row["alternative"], row["effect"]) == (reading.title, alternative, effect)
        assert (f"Alternative: {alternative} Effect: {effect}\n" in page) is (alternative is not None)
        assert (row["setting"] or {}).get("name") == (reading.setting.name if reading.setting else None)
        assert "in_force" not in row
    assert "Table setting `established_by_staked_bets`: ours `false`; can be `true` (not by the book).\n" in page
    assert 'Table setting `rounding`: ours `"down"`; can be `"half_up"`, `"up"`.\n' in page
    assert "Table setting `cut_card`: ours `14`; can be 0 to 51.\n" in page
    assert "In force:" not in page
    assert rows["cut_card"]["setting"] == {
        "name": "cut_card",
        "ours": 14,
        "values": [],
        "least": 0,
        "most": 51,
        "not_by_the_book": [],
    }
    assert rows["established"]["setting"]["not_by_the_book"] == [True]


def test_an_adoption_of_a_reading_that_no_longer_exists_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = _floor(tmp_path)
    assert CliRunner().invoke(main, ["rules", "--readings", "--db", url]).stderr == ""
    left = tuple(each for each in readings() if each.id != "cut_card")
    monkeypatch.setattr(adopted_readings, "readings", lambda: left)
    warned = CliRunner().invoke(main, ["rules", "--readings", "--db", url]).stderr
    assert warned == say("readings.lost", reading="cut_card", setting="cut_card", value="20") + "\n"


def test_with_a_floor_they_say_what_is_in_force_there_and_since_when(tmp_path: Path) -> None:
    url = _floor(tmp_path)
    page = _run("--readings", "--db", url)
    assert (
        "In force: `true` (not by the book) since 2023-11-14 22:13 UTC, adopted by sid (shift manager):"
        " the regulator's wish\n"
    ) in page
    assert "In force: `20` since 2023-11-14 22:13 UTC, adopted by sid (shift manager): new shoes\n" in page
    assert "In force: `true`, our reading.\n" in page
    rows = {row["id"]: row for row in _json("--readings", "--db", url)}
    assert rows["pairs_by_rank"]["in_force"] is None
    nobody = {"since_us": None, "by": None, "position": None, "reason": None}
    assert rows["forgoing_insurance"]["in_force"] == {"value": True, **nobody}
    assert rows["cut_card"]["in_force"] == {
        "value": 20,
        "since_us": 1_700_000_000_000_000,
        "by": "sid",
        "position": "shift_manager",
        "reason": "new shoes",
    }
    assert len(_json("commission", "--readings", "--db", url)) < len(rows)


def test_a_floor_is_named_for_readings_only_and_has_to_be_there(tmp_path: Path) -> None:
    url = _floor(tmp_path)
    assert punto_here("rules", "--db", url).returncode == 2
    missing = punto_here("rules", "--readings", "--db", str(tmp_path / "none.db"), "--json")
    assert missing.returncode == 2
    assert json.loads(missing.stdout)["error"]["code"] == "not_a_floor"


def test_the_games_are_one_page_with_every_bet_and_layout() -> None:
    page = _run("--games")
    assert page.startswith("# The games and their bets\n")
    sections = page.split("\n## ")[1:]
    assert [section.splitlines()[0] for section in sections] == [rules.title for rules in BOOKS]
    for rules, section in zip(BOOKS, sections, strict=True):
        assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(rules.bets)
        layouts = section.partition("| layouts | size | boxes |\n|---|---|---|\n")[2].partition("\n\n")[0]
        named = [letter for row in layouts.splitlines() for letter in row.split("|")[1].strip().split(", ")]
        assert sorted(named) == sorted(rules.layouts)
        assert ("Insurance is offered" in section) == (rules.insurance is not None)
    assert (
        "| `tiger_buffalo` | Tiger Buffalo | 虎牛 | Banker wins on 6<br>Player wins on 6 | 6 to 1<br>6 to 1 |" in page
    )
    assert "| Player's third card | Player | 9 | 0 to 6 | 8 to 1 | pays |" in page
    assert page.startswith(_run("commission", "--games"))  # its first section
    assert punto("rules", "--games", "--json").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("punto-banco",), "unknown_book", ("'punto-banco'", "commission, commission-insurance")),
        (("punto-banco", "3.6"), "unknown_book", ("'punto-banco'",)),
        (("commission", "9.9"), "unknown_clause", ("'9.9'", "punto rules commission")),
        (("commission", "3.15"), "unknown_clause", ("'3.15'",)),
        (("commission", ""), "unknown_clause", ("''",)),
        (("commission", "9" * 5000), "unknown_clause", ("'999",)),
    ],
)
def test_an_unknown_book_or_clause_is_refused(arguments: tuple[str, ...], code: str, says: tuple[str, ...]) -> None:
    words = punto_here("rules", *arguments)
    assert (words.returncode, words.stdout) == (2, b"")
    message = words.stderr.decode()
    assert message.startswith(f"Refused ({code}): ")
    assert len(message) < 300
    assert all(part in message for part in says)
    as_json = punto_here("rules", *arguments, "--json")
    assert (as_json.returncode, as_json.stderr) == (2, b"")
    error = json.loads(as_json.stdout)["error"]
    assert (error["code"], error["clauses"]) == (code, [])
    assert error["message"] in message


def test_a_pipe_gets_plain_text() -> None:
    for arguments in ((), ("commission",), ("commission", "1:pair"), ("--coverage",)):
        done = punto("rules", *arguments)
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"\x1b" not in done.stdout
        assert done.stdout.decode() == _run(*arguments)
