"""What is entered later says when it happened: in its entries, in replay, export and history."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from punto.cli import replay
from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.clock import DAY_US, SECOND_US
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import Entry, EntryContext, context_of, write
from punto.floor.reports.export import What, export_rows
from punto.floor.reports.moments import iso_utc
from punto.floor.reports.rounds.replay_round import replay_round
from punto.floor.running.commands import Answer
from punto.floor.running.floor import Floor
from punto.floor.running.late_entry import MAX_LATE_DAYS, read_moment
from punto.floor.settings.gaming_day import Period
from tests.floor.audit.forging import rewrite
from tests.floor.clocks import ManualClock
from tests.floor.nights import opened
from tests.floor.playing import DEALER, SUPERVISOR, manual_table, player, running
from tests.waiting import run


@pytest.mark.parametrize(
    ("text", "at_us"),
    [
        ("2023-11-14T22:13:20Z", 1_700_000_000_000_000),
        ("2023-11-15T06:13:20+08:00", 1_700_000_000_000_000),
        ("2023-11-14T22:13:20.000001Z", 1_700_000_000_000_001),
        ("2023-11-14T22:13:20.5-00:30", 1_700_001_800_500_000),
        ("1969-12-31T23:59:59Z", 1),
    ],
)
def test_a_moment_is_a_date_and_a_time_with_a_zone(text: str, at_us: int) -> None:
    assert read_moment(text) == at_us


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2023-11-14T22:13:20",
        "2023-11-14 22:13:20Z",
        "2023-11-14T22:13Z",
        "2023-11-14",
        "20231114T221320Z",
        "2023-02-30T22:13:20Z",
        "2023-11-14T25:13:20Z",
        "2023-11-14T22:13:20z",
        "2023-11-14T22:13:20.1234567Z",
        "٢٠٢٣-11-14T22:13:20Z",
        "1700000000",
    ],
)
def test_any_other_form_is_refused(text: str) -> None:
    with pytest.raises(FloorRefused) as refused:
        read_moment(text)
    assert (refused.value.code, refused.value.refusal.variant) == (FloorCode.BAD_COMMAND, "happened_at")
    assert "2026-03-01T21:04:05+08:00" in refused.value.message


async def _give(floor: Floor, by: Actor, command_id: str, at_us: int, command: str, **fields: Any) -> Answer:
    body = {"command": f"{command}.1", **fields}
    return await floor.submit(by, "t1", command_id, body, context=EntryContext(happened_at_us=at_us))


async def _refused(floor: Floor, by: Actor, at_us: int, variant: str) -> None:
    before = floor.table("t1").head
    with pytest.raises(FloorRefused) as refused:
        await _give(floor, by, "late", at_us, "stand_behind", who="ann", box=3)
    assert (refused.value.code, refused.value.refusal.variant) == (FloorCode.BAD_COMMAND, variant)
    assert floor.table("t1").head == before


def test_it_is_not_in_the_future_nor_long_ago_nor_before_the_opening(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            await manual_table(floor)
            opened_us = clock.now_us()
            clock.passes(60)
            await _refused(floor, DEALER, clock.now_us() + 1, "happens_later")
            await _refused(floor, DEALER, opened_us - 1, "happened_before_opening")
            await _refused(floor, player("ann"), opened_us, "happened_to_player")
            await _give(floor, DEALER, "first", opened_us, "buy_in", who="ann", amount_minor=1_00)
            await _give(floor, DEALER, "now", clock.now_us(), "buy_in", who="ann", amount_minor=1_00)
            clock.passes(MAX_LATE_DAYS * DAY_US / SECOND_US)
            await _refused(floor, DEALER, clock.now_us() - MAX_LATE_DAYS * DAY_US - 1, "happened_long_ago")
            oldest_us = clock.now_us() - MAX_LATE_DAYS * DAY_US
            await _give(floor, DEALER, "oldest", oldest_us, "buy_in", who="ann", amount_minor=1_00)

    run(evening())


def test_an_opening_that_is_entered_later_moves_the_bound(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            at = await manual_table(floor)
            await at.do(SUPERVISOR, "close_table")
            clock.passes(3_600)
            earlier_us = clock.now_us() - 600 * SECOND_US
            settings = {"layout": "A", "boxes": 7}
            await _give(floor, SUPERVISOR, "open", earlier_us, "open_table", settings=settings)
            await _refused(floor, DEALER, earlier_us - 1, "happened_before_opening")
            await _give(floor, DEALER, "bought", earlier_us, "buy_in", who="ann", amount_minor=1_00)

    run(evening())


def test_a_repetition_answers_the_same_whatever_it_says(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            await manual_table(floor)
            happened_at_us = clock.now_us()
            clock.passes(60)
            first = await _give(floor, DEALER, "one", happened_at_us, "buy_in", who="ann", amount_minor=1_00)
            assert [context_of(entry).happened_at_us for entry in first.entries] == [happened_at_us]
            for at_us in (0, happened_at_us, happened_at_us + 1, 1, clock.now_us() + DAY_US):
                assert await _give(floor, DEALER, "one", at_us, "buy_in", who="ann", amount_minor=1_00) == first

    run(evening())


async def _late_round(floor: Floor, clock: ManualClock) -> int:
    """A round from paper, in which a late bet was refused; return when betting opened."""
    at = await manual_table(floor)
    happened_at_us = clock.now_us()
    clock.passes(60)
    late = {"who": "ann", "box": 1, "bet": "tie", "tried": "placed", "amount_minor": 5_00}
    given: list[tuple[str, dict[str, Any]]] = [
        ("open_betting", {}),
        ("close_betting", {}),
        ("report_late_bet", late),
        *(("deal_card", {"card": card}) for card in ("9s", "2d", "Kh", "3c")),
        ("settle", {}),
    ]
    for number, (command, fields) in enumerate(given):
        answer = await _give(floor, DEALER, f"late {number}", happened_at_us + number, command, **fields)
        assert answer.refusal is None
    await at.do(DEALER, "open_betting")
    return happened_at_us


def test_replay_and_export_show_it(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            happened_at_us = await _late_round(floor, clock)
            steps = replay_round(floor.database, "t1", 1).steps
            assert (steps[0].happened_at, steps[1].happened_at) == (
                iso_utc(happened_at_us),
                iso_utc(happened_at_us + 1),
            )
            assert replay_round(floor.database, "t1", 2).steps[0].happened_at is None
            columns, rows = export_rows(floor.database, What.ROUNDS, Period())
            (row,) = rows
            assert dict(zip([name for name, _ in columns], row, strict=True))["happened_at"] == happened_at_us
            columns, rows = export_rows(floor.database, What.RULINGS, Period())
            (row,) = rows
            assert dict(zip([name for name, _ in columns], row, strict=True))["happened_at"] == happened_at_us + 2
            assert verify(floor.database).faults == []

    run(evening())


def test_the_replay_on_the_terminal_has_a_line_for_it(tmp_path: Path) -> None:
    url, clock = str(tmp_path / "floor.db"), ManualClock()

    async def evening() -> None:
        async with running(url, clock) as floor:
            await _late_round(floor, clock)

    run(evening())
    printed = CliRunner().invoke(replay.command, ["--db", url, "t1", "1"]).output
    assert "happened at 2023-11-14T22:13:20.000001+00:00" in printed
    assert "happened at" not in CliRunner().invoke(replay.command, ["--db", url, "t1", "2"]).output


def test_verify_reports_what_happened_after_it_was_entered(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")

    async def evening() -> None:
        clock = ManualClock()
        async with running(url, clock) as floor:
            await _late_round(floor, clock)

    def forge(written: list[Entry]) -> list[Entry]:
        last = written[-1]
        context = replace(context_of(last), happened_at_us=last.at_us + 1)
        return [*written[:-1], replace(last, context=write(context))]

    run(evening())
    rewrite(url, "t1/1", forge)
    with opened(url) as database:
        (fault,) = verify(database).faults
    assert (fault.stream, fault.code) == ("t1/1", FaultCode.HAPPENED_LATER)
