"""Exports: CSV and Parquet agree, a period has what ended in it, and amounts are exact."""

import csv
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from punto.cli import export
from punto.floor.clock import DAY_US
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.reports.export import What, export_rows
from punto.floor.reports.file_formats import ColumnKind, Format, write_export
from punto.floor.reports.moments import read_period
from punto.floor.settings.gaming_day import GamingDay, Period
from punto.floor.shoes.shoe_kind import ShoeKind
from tests.floor.nights import DORA, MAX, SUE, Night, night, opened, troubled
from tests.floor.reports.test_player_report import flat

WHATS = list(What)
USUAL = GamingDay()
MORNING_US = 1_794_873_600_000_000
"""8 in the morning in Singapore, on 17 November 2026."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A floor where everything went wrong once."""
    path = str(tmp_path_factory.mktemp("export") / "floor.db")
    troubled(path)
    return path


def _write(url: str, folder: Path, what: What, form: Format, period: Period = Period()) -> Path:  # noqa: B008 - frozen
    path = folder / f"{what}.{form}"
    with opened(url) as database:
        columns, rows = export_rows(database, what, period, flat)
        written = write_export(path, columns, rows, form)
    assert written == len(_csv(path) if form is Format.CSV else pq.read_table(path).to_pylist())
    return path


def _csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _told(value: Any, kind: ColumnKind) -> str:
    if value is None:
        return ""
    return value.isoformat(timespec="microseconds") if kind is ColumnKind.MOMENT else str(value)


@pytest.mark.parametrize("what", WHATS)
def test_csv_and_parquet_say_the_same(url: str, tmp_path: Path, what: What) -> None:
    rows = _csv(_write(url, tmp_path, what, Format.CSV))
    table = pq.read_table(_write(url, tmp_path, what, Format.PARQUET))
    with opened(url) as database:
        kinds = dict(export_rows(database, what, Period(), flat)[0])
    assert table.column_names == list(kinds)
    told = [{name: _told(value, kinds[name]) for name, value in row.items()} for row in table.to_pylist()]
    assert rows == told
    assert rows


def test_the_bets_of_a_round_add_up_to_the_round(url: str, tmp_path: Path) -> None:
    rounds = _csv(_write(url, tmp_path, What.ROUNDS, Format.CSV))
    bets = _csv(_write(url, tmp_path, What.BETS, Format.CSV))
    assert len(rounds) == 10
    for row in rounds:
        mine = [bet for bet in bets if (bet["stream"], bet["round"]) == (row["stream"], row["round"])]
        assert len(mine) == int(row["bets"])
        for total, name in (
            ("staked", "stake"),
            ("returned", "returned"),
            ("commission", "commission"),
            ("win", "win"),
        ):
            assert sum((Decimal(bet[name]) for bet in mine), Decimal()) == Decimal(row[total])


def test_the_bets_and_rulings_of_the_players_add_up_to_their_lines(url: str, tmp_path: Path) -> None:
    bets = _csv(_write(url, tmp_path, What.BETS, Format.CSV))
    for line in _csv(_write(url, tmp_path, What.PLAYERS, Format.CSV)):
        mine = [bet for bet in bets if bet["who"] == line["player"]]
        won = sum((Decimal(bet["win"]) for bet in mine), Decimal()) - Decimal(line["adjusted"])
        assert won == Decimal(line["actual_win"])
        assert sum((Decimal(bet["played"]) for bet in mine), Decimal()) == Decimal(line["turnover"])


def test_the_theoretical_win_is_rounded_only_when_it_is_written(url: str, tmp_path: Path) -> None:
    for line in _csv(_write(url, tmp_path, What.PLAYERS, Format.CSV)):
        exact = Fraction(line["turnover"]) / 100
        assert abs(Fraction(line["theoretical_win"]) - exact) <= Fraction(1, 200)


@pytest.mark.parametrize("what", [What.ROUNDS, What.BETS, What.RULINGS])
def test_periods_that_follow_each_other_hold_everything_once(url: str, tmp_path: Path, what: What) -> None:
    name = "at" if what is What.RULINGS else "ended"
    rows = _csv(_write(url, tmp_path, what, Format.CSV))
    middle = sorted(row[name] for row in rows)[len(rows) // 2]
    before = _csv(_write(url, tmp_path, what, Format.CSV, read_period(USUAL, None, middle)))
    after = _csv(_write(url, tmp_path, what, Format.CSV, read_period(USUAL, middle, None)))
    assert before
    assert after
    assert before + after == rows
    assert _csv(_write(url, tmp_path, what, Format.CSV, read_period(USUAL, "1999-01-01", "1999-12-31"))) == []


@pytest.mark.parametrize(
    ("since", "until", "period"),
    [
        (None, None, Period()),
        ("2026-11-17", None, Period(MORNING_US)),
        ("2026-11-17", "2026-11-17", Period(MORNING_US, MORNING_US + DAY_US)),
        ("2026-11-17", "2026-11-18", Period(MORNING_US, MORNING_US + 2 * DAY_US)),
        ("2026-11-17T08:00", "2026-11-17T00:00:00.000001Z", Period(MORNING_US, MORNING_US + 1)),
        ("2026-11-17T01:00+01:00", "2026-11-17", Period(MORNING_US, MORNING_US + DAY_US)),
        (None, "2026-11-17 08:00:01", Period(None, MORNING_US + 1_000_000)),
        (None, "9998-12-31", Period(None, 253_370_764_800_000_000)),
    ],
)
def test_a_period_is_read_in_gaming_days_and_the_time_of_the_floor(
    since: str | None, until: str | None, period: Period
) -> None:
    assert read_period(USUAL, since, until) == period


@pytest.mark.parametrize(
    ("day", "shift", "period"),
    [
        ("2026-11-17", 0, Period(MORNING_US, MORNING_US + DAY_US)),
        ("2026-11-17", 1, Period(MORNING_US, MORNING_US + DAY_US // 3)),
        ("2026-11-17", 3, Period(MORNING_US + 2 * DAY_US // 3, MORNING_US + DAY_US)),
    ],
)
def test_a_gaming_day_or_a_shift_is_a_period(day: str, shift: int, period: Period) -> None:
    assert read_period(USUAL, day=day, shift=shift) == period


@pytest.mark.parametrize(
    ("wrong", "variant"),
    [
        ({"since": "yesterday"}, "moment"),
        ({"since": ""}, "moment"),
        ({"until": "2024-13-01"}, "moment"),
        ({"until": "0001-01-01T00:00"}, "moment"),
        ({"since": "9999-12-31"}, "moment"),
        ({"since": "2024-02-01", "until": "2024-01-01"}, "empty"),
        ({"since": "2024-02-01T08:00", "until": "2024-02-01T08:00"}, "empty"),
        ({"day": "today"}, "moment"),
        ({"day": "2026-11-17T08:00"}, "moment"),
        ({"day": "2026-11-17", "since": "2026-11-17"}, "both"),
        ({"day": "2026-11-17", "until": "2026-11-17"}, "both"),
        ({"day": "2026-11-17", "shift": 4}, "shift"),
        ({"shift": 1}, "no_day"),
    ],
)
def test_what_is_no_period_is_refused(wrong: dict[str, Any], variant: str) -> None:
    with pytest.raises(FloorRefused) as refused:
        read_period(USUAL, **wrong)
    assert (refused.value.code, refused.value.refusal.variant) == (FloorCode.BAD_PERIOD, variant)
    assert refused.value.message


def test_the_command_exports_a_gaming_day_and_a_shift(url: str, tmp_path: Path) -> None:
    ended_us = [_moment_us(row["ended"]) for row in _csv(_write(url, tmp_path, What.ROUNDS, Format.CSV))]
    part = USUAL.part_of(ended_us[0])
    of_shift = sum(USUAL.part_of(at) == part for at in ended_us)
    of_day = sum(USUAL.day_of(at) == part.day for at in ended_us)
    assert of_shift

    def rows(*options: str) -> int:
        arguments = ["--db", url, "--what", "rounds", "--out", str(tmp_path / "day.csv"), *options]
        done = CliRunner().invoke(export.command, arguments)
        assert done.exit_code == 0, done.output
        return len(_csv(tmp_path / "day.csv"))

    assert rows("--day", str(part.day)) == of_day
    assert rows("--day", str(part.day), "--shift", str(part.shift)) == of_shift
    assert rows("--from", str(part.day), "--to", str(part.day)) == of_day
    assert rows("--day", "2001-01-01") == 0


def _moment_us(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1_000_000)


def test_an_export_that_cannot_be_written_leaves_nothing(url: str, tmp_path: Path) -> None:
    with opened(url) as database:
        columns, rows = export_rows(database, What.ROUNDS, Period(), flat)
        with pytest.raises(FloorRefused):
            write_export(tmp_path / "no" / "folder.csv", columns, rows, Format.CSV)
    assert list(tmp_path.iterdir()) == []


def test_names_with_commas_quotes_and_signs_come_back_as_they_were(tmp_path: Path) -> None:
    names = ['ann, "the fox"', "1=1+1", "李四", "a;b"]
    write_export(tmp_path / "x.csv", [("who", ColumnKind.TEXT)], [[name] for name in names], Format.CSV)
    assert [row["who"] for row in _csv(tmp_path / "x.csv")] == names


def test_no_name_is_a_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    names = ["=1+1", "+1", "-1", "@x"]
    columns = [("who", ColumnKind.TEXT), ("win", ColumnKind.AMOUNT), ("round", ColumnKind.NUMBER)]
    write_export(tmp_path / "x.csv", columns, [[name, -1_00, -1] for name in names], Format.CSV)
    rows = _csv(tmp_path / "x.csv")
    assert [row["who"] for row in rows] == [f"'{name}" for name in names]
    assert {(row["win"], row["round"]) for row in rows} == {("-1.00", "-1")}
    write_export(tmp_path / "x.parquet", columns, [[name, -1_00, -1] for name in names], Format.PARQUET)
    assert [row["who"] for row in pq.read_table(tmp_path / "x.parquet").to_pylist()] == names


def test_a_round_says_what_kind_of_shoe_it_was_dealt_from(tmp_path: Path) -> None:
    async def play(floor: Night) -> None:
        for kind in ShoeKind:
            await floor.table(kind, shoes=kind, seed="x", burn=False)
        await floor.rounds("virtual", 1)
        await floor.rounds("seeded", 1)

    night(str(tmp_path / "floor.db"), play)
    rows = _csv(_write(str(tmp_path / "floor.db"), tmp_path, What.ROUNDS, Format.CSV))
    assert {(row["table"], row["shoe_kind"]) for row in rows} == {("virtual", "virtual"), ("seeded", "seeded")}


def test_what_a_correction_paid_and_took_adds_up(tmp_path: Path) -> None:
    async def play(floor: Night) -> None:
        await floor.table("t1", shoes=ShoeKind.MANUAL, burn=False, automations=[])
        await floor.do(SUE, "t1", "load_shoe.1", shoe="shoe 1", decks=8)
        await floor.do(DORA, "t1", "open_betting.1")
        await floor.bet("t1", "ann", 1, "banker", 100_00)
        await floor.do(DORA, "t1", "close_betting.1")
        for card in ("2s", "9d", "Kh", "Kc"):
            await floor.do(DORA, "t1", "deal_card.1", card=card)
        await floor.do(DORA, "t1", "settle.1")
        await floor.do(MAX, "t1", "correct_card.1", shoe="shoe 1", draw=2, card="7h")

    night(str(tmp_path / "floor.db"), play)
    rulings = _csv(_write(str(tmp_path / "floor.db"), tmp_path, What.RULINGS, Format.CSV))
    assert [(row["kind"], row["words"], row["paid"]) for row in rulings] == [
        ("settlement reversed", "round 1, again yes", "-195.00"),
        ("card corrected", "shoe shoe 1, draw 2, was Kh, card 7h, place 3, dealt 4", ""),
        ("round settled", "Tie 9 to 9", "100.00"),
    ]
