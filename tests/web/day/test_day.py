"""A whole gaming day: every figure of every report is what the journal says, and what lies in the trays."""

import csv
import json
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from punto.catalogue.values import write_money
from tests.cli.running import punto
from tests.web.day.felt import Felt
from tests.web.day.journal import Journal, read_journal
from tests.web.day.played_day import PlayedDay
from tests.web.day.recomputed import Recomputed
from tests.web.day.staff import House, house
from tests.web.day.staffed_day import DAY, NEVER_COUNTED, SHIFT_US, START_US
from tests.web.page_tree import Element, read_page

pytestmark = pytest.mark.slow

SHIFTS = (0, 1, 2, 3)
"""0: the whole day."""
PARTS = ("figures", "bets", "players", "dealers", "voids", "findings", "counts", "slips")

Line = dict[str, Any]


class Played(NamedTuple):
    day: PlayedDay
    house: House
    journal: Journal
    path: Path
    reports: dict[int, Line]
    """By shift."""
    midway: list[tuple[Line, Recomputed]]
    """What was reported in the middle of the second shift, and recomputed then; the day and the shift."""
    pit: Element
    """The page of the pit then."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    path = tmp_path_factory.mktemp("day") / "floor.db"
    with house(path, START_US) as served:
        midway: list[tuple[Line, Recomputed]] = []
        pit: list[Element] = []

        def look() -> None:
            journal, now_us = read_journal(path), served.clock.us
            pit.append(read_page(served.by("aude"), "/pit"))
            midway.extend((report(served, shift), Recomputed(journal, *period(shift), now_us)) for shift in (0, 2))

        day = PlayedDay(served, look)
        day.play()
        reports = {shift: report(served, shift) for shift in SHIFTS}
        yield Played(day, served, read_journal(path), path, reports, midway, *pit)


def report(house: House, shift: int, table: str = "") -> Line:
    answer = house.by("aude").get("/api/reports/day", params={"day": DAY, "shift": shift, "table": table})
    assert answer.status_code == 200, answer.text
    found: Line = answer.json()["report"]
    return found


def period(shift: int) -> tuple[int, int]:
    if not shift:
        return START_US, START_US + 3 * SHIFT_US
    return START_US + (shift - 1) * SHIFT_US, START_US + shift * SHIFT_US


def recomputed(played: Played, shift: int, table: str = "") -> Recomputed:
    return Recomputed(played.journal, *period(shift), played.house.clock.us, table)


def ordered(lines: list[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: [str(line[name]) for name in sorted(line)])


def by_name(lines: list[Line], *names: str) -> dict[tuple[Any, ...], Line]:
    found = {tuple(line[name] for name in names): line for line in lines}
    assert len(found) == len(lines)
    return found


def figures(report: Line, scope: str) -> list[Line]:
    return [line for line in report["figures"] if line["scope"] == scope]


def caused_minor(felt: Felt, shift: int, cause: str) -> int:
    """What was done on purpose, in one shift or on the whole day."""
    return sum(minor for (when, kind), minor in felt.caused.items() if kind == cause and shift in (0, when))


def require_same(found: Line, again: Recomputed) -> None:
    """Compare every part of a report, line by line and figure by figure."""
    names = ("scope", "table", "game")
    shown, figures = by_name(found["figures"], *names), by_name(again.figures(), *names)
    assert shown.keys() == figures.keys()
    for key, line in shown.items():
        for name, value in line.items():
            assert value == figures[key][name], (key, name)
    players = by_name(again.players(), "who", "table")
    for key, line in by_name(found["players"], "who", "table").items():
        assert line == players.pop(key), key
    assert not players
    for part, lines in (
        ("dealers", again.dealer_lines()),
        ("voids", again.found(again.voids)),
        ("findings", again.found(again.findings)),
        ("rulings", again.rulings()),
        ("alone", again.alone()),
        ("counts", again.counts()),
        ("missing", again.missing()),
        ("slips", again.slips()),
    ):
        assert ordered(found[part]) == ordered(lines), part


@pytest.mark.parametrize("shift", SHIFTS)
def test_every_figure_is_what_the_journal_says(played: Played, shift: int) -> None:
    require_same(played.reports[shift], recomputed(played, shift))


@pytest.mark.parametrize(("shift", "table"), [(0, "T05"), (2, "T08"), (1, "T10"), (2, "T10"), (3, "T16")])
def test_so_is_every_figure_of_one_table(played: Played, shift: int, table: str) -> None:
    require_same(report(played.house, shift, table), recomputed(played, shift, table))


def test_so_is_every_figure_while_the_tables_are_open(played: Played) -> None:
    for found, again in played.midway:
        require_same(found, again)


def test_the_day_had_some_of_everything(played: Played) -> None:
    """Otherwise the rest would show little."""
    kinds = {row.kind for rows in played.journal.values() for row in rows}
    assert kinds >= {
        *("insurance_taken", "insurance_missed", "uninsured_bet_returned", "round_voided", "settlement_reversed"),
        *("card_corrected", "bet_corrected", "payment_corrected", "ruled", "option_chosen", "round_cancelled"),
        *("player_identified", "player_left", "slip_voided", "counts_differed", "late_bet_refused", "shoe_taken_off"),
        *("table_titled", "duty_started", "tray_counted", "bets_confirmed"),
    }
    (floor,) = figures(played.reports[0], "floor")
    assert floor["rounds"] >= 200
    for name in ("commission_minor", "rounding_minor", "drop_minor", "vouchers_minor", "fills_minor", "credits_minor"):
        assert floor[name], name
    assert {line["game"] for line in figures(played.reports[0], "game")} == {felt.game for felt in played.day.felts}
    assert len(figures(played.reports[0], "table")) == len(played.day.felts)


def test_trays_hold_what_the_record_and_the_closers_say(played: Played) -> None:
    tables = by_name(figures(played.reports[0], "table"), "table")
    closers = {
        line["table"]: line["counted_minor"] for line in played.reports[3]["counts"] if line["purpose"] == "closer"
    }
    assert closers == played.day.closers
    for number, felt in enumerate(played.day.felts):
        assert tables[felt.name,]["closer_minor"] == felt.tray.minor, felt.name
        assert (felt.name in closers) == (number != NEVER_COUNTED)


@pytest.mark.parametrize("shift", SHIFTS)
def test_count_and_rounds_differ_by_what_was_done_on_purpose(played: Played, shift: int) -> None:
    for felt in played.day.felts:
        line = by_name(figures(played.reports[shift], "table"), "table")[felt.name,]
        came = line["opener_minor"] + line["fills_minor"]
        went = line["closer_minor"] + line["credits_minor"] + line["drop_minor"] + line["vouchers_minor"]
        assert line["win_by_count_minor"] == went - came
        caused = {cause: caused_minor(felt, shift, cause) for cause in ("rulings", "mispaid", "unexplained")}
        between = caused_minor(felt, shift, "opener")  # in the middle of a day nobody can explain it either
        caused["unexplained"] += 0 if shift else between
        assert {cause: line[f"{cause}_minor"] for cause in caused} == caused, felt.name
        assert line["opener_difference_minor"] == (between if shift else 0)
        explained = sum(caused.values()) + line["settled_again_minor"]
        assert line["win_by_count_minor"] - line["win_minor"] == line["difference_minor"] == explained
        assert line["unaccounted_minor"] == 0
    again = {line["table"]: line["settled_again_minor"] for line in figures(played.reports[shift], "table")}
    assert {table for table, minor in again.items() if minor} == ({"T10"} if shift in (1, 2) else set())


@pytest.mark.parametrize("shift", SHIFTS)
def test_sums_by_player_table_game_and_floor_agree(played: Played, shift: int) -> None:
    found = played.reports[shift]
    (floor,) = figures(found, "floor")
    added = [name for name in floor if name.endswith("_minor") and name != "theoretical_minor"]
    added += ["rounds", "voids", "bets", "insurance_offered", "insurance_taken", "insurance_missed"]
    for scope in ("table", "game"):
        for name in added:
            assert sum(line[name] for line in figures(found, scope)) == floor[name], (scope, name)
    players = found["players"]
    for name in ("turnover_minor", "drop_minor", "vouchers_minor"):
        assert sum(line[name] for line in players) == floor[name], name
    again = floor["settled_again_minor"]  # a round belongs to the shift in which it ended, also for its players
    assert sum(line["win_minor"] for line in players) == again - floor["table_win_minor"]
    assert sum(line["rounds"] for line in found["dealers"]) == floor["rounds"]
    for line in found["figures"]:
        for name in ("bets", "turnover_minor", "win_minor"):
            assert sum(bet[name] for bet in line["bets_by_kind"]) == line[name]


def test_the_day_is_the_sum_of_its_shifts(played: Played) -> None:
    """Also for every table; what one shift leaves in the tray is what the next one starts with."""
    for day in figures(played.reports[0], "table"):
        parts = [by_name(figures(played.reports[shift], "table"), "table")[day["table"],] for shift in SHIFTS[1:]]
        for name in ("rounds", "turnover_minor", "win_minor", "drop_minor", "vouchers_minor", "commission_minor"):
            assert sum(part[name] for part in parts) == day[name], (day["table"], name)
        for name in ("fills_minor", "credits_minor", "win_by_count_minor", "rulings_minor", "mispaid_minor"):
            found = sum(part[name] for part in parts)
            between = sum(part["opener_difference_minor"] for part in parts[1:])
            assert found == day[name] - (between if name == "win_by_count_minor" else 0), (day["table"], name)


def test_players_who_move_have_bought_once(played: Played) -> None:
    """The drop of the floor is the cash that came, whatever tables the chips went to."""
    by_id = {line["who"]: line for line in played.reports[0]["players"] if not line["table"]}
    for number in range(0, len(played.day.felts), 2):
        line = by_id[played.day.players[number]]
        cashed = 0 if (number + 1) % 4 == 1 else (500_00, 750_00, 1_200_00)[(number + 1) % 3]
        assert line["drop_minor"] == 5_000_00 - cashed
        assert line["changed_minor"] == (2_000_00 if played.day.felts[number + 1].screen else 0)


@pytest.mark.parametrize("shift", SHIFTS)
def test_csv_says_the_same(played: Played, shift: int) -> None:
    found = played.reports[shift]
    for part in PARTS:
        rows = csv_rows(played.house, shift, part)
        if part == "bets":
            whose = ("scope", "table", "currency", "play_money")
            lines = [
                {name: line[name] for name in whose} | bet for line in found["figures"] for bet in line["bets_by_kind"]
            ]
        else:
            lines = [{name: line[name] for name in line if name != "bets_by_kind"} for line in found[part]]
        assert len(rows) == len(lines)
        for row, line in zip(rows, lines, strict=True):
            assert {name: same_kind(row.pop(csv_name(name)), name, value) for name, value in line.items()} == line
            assert not row


def csv_rows(house: House, shift: int, part: str) -> list[dict[str, str]]:
    answer = house.by("aude").get("/api/reports/day.csv", params={"day": DAY, "shift": shift, "part": part})
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(StringIO(answer.text, newline="")))


def csv_name(name: str) -> str:
    return name.removesuffix("_minor").removesuffix("_us")


def same_kind(text: str, name: str, value: Any) -> Any:
    """What a cell says, as the value that it should be."""
    if value is None:
        return None if text == "" else text
    if isinstance(value, bool):
        return {"yes": True, "": False}[text]
    if isinstance(value, list):
        return text.split()
    if name.endswith("_minor"):
        return int(Decimal(text) * 100)
    if name.endswith("_us"):
        return int(datetime.fromisoformat(text).timestamp() * 1_000_000)
    return type(value)(text)


def test_the_command_line_says_the_same(played: Played) -> None:
    printed = punto("report", "--db", str(played.path), "--day", DAY, "--shift", "2", "--json")
    assert printed.returncode == 0, printed.stderr
    found = json.loads(printed.stdout)
    for part, lines in played.reports[2].items():
        assert part == "made_us" or found[part] == lines, part


def test_win_drop_and_hold_are_the_same_wherever_they_stand(played: Played) -> None:
    """After rulings, corrections and settlements that were made again: tile, report, command line and export."""
    (then, _), *_ = played.midway
    tiles = {tile.one("h3").words: figures_of(tile) for tile in played.pit.all("article", "p-table")}
    compared = 0
    for line in figures(then, "table"):
        shown = tiles["The Orchid" if line["table"] == "T01" else line["table"]]
        assert shown["Win"] == write_money(line["table_win_minor"]), line["table"]
        assert shown["Drop"] == write_money(line["drop_minor"]), line["table"]
        compared += line["table_win_minor"] != line["win_minor"]
    assert compared, "a ruling or a wrong payment before the middle of the day"
    day = {line["table"]: line for line in figures(played.reports[0], "table")}
    printed = punto("report", "--db", str(played.path), "--day", DAY, "--json")
    assert {line["table"]: line for line in figures(json.loads(printed.stdout), "table")} == day
    exported = played.path.with_name("tables.csv")
    options = ("--what", "tables", "--day", DAY, "--out", str(exported))
    assert punto("export", "--db", str(played.path), *options).returncode == 0
    rows = {row["table"]: row for row in csv.DictReader(StringIO(exported.read_text("utf-8-sig"), newline=""))}
    assert rows.keys() == day.keys()
    for name, line in day.items():
        row = {column: int(Decimal(rows[name][column]) * 100) for column in ("actual_win", "bought", "cashed")}
        assert (row["actual_win"], row["bought"] - row["cashed"]) == (line["table_win_minor"], line["drop_minor"]), name
        assert line["hold"] == round(line["win_by_count_minor"] / (line["drop_minor"] + line["vouchers_minor"]), 6)


def figures_of(tile: Element) -> dict[str, str]:
    return {each.one("dt").words: each.one("dd").words for each in tile.one("dl", "p-figures").all("div")}


def test_the_record_is_sound(played: Played) -> None:
    verified = punto("verify", "--db", str(played.path))
    assert verified.returncode == 0, verified.stdout
