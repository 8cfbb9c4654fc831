"""At a real shoe a restart voids nothing. The table says how long the server was away, and after 5 s it asks."""

import logging
from typing import Any

import pytest
from msgspec.structs import replace

from punto.floor.audit.verify import verify
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.entry import command_of, read_event
from punto.floor.journal.house_events import TableRecovered, read_house_event
from punto.floor.running.floor import Floor
from punto.floor.running.supervisor import CLAIM_TABLES_S, Keeper
from punto.floor.shoes.scan_store import ScanResult
from punto.library import book
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import handle
from punto.table.play.restarting import ASKS_AFTER_US
from punto.table.records.findings import RestartRecorded
from punto.table.records.settings import Automation
from punto.table.records.state import Phase, Restart, Table
from punto.table.refusals import TableCode
from tests.floor.clocks import ManualClock
from tests.floor.phases import Moment, moments, play_on, table_at
from tests.floor.playing import DEALER, SUPERVISOR, At, automatic_table, manual_table, running, sealed_table
from tests.floor.reading import NATURAL, Read
from tests.floor.running.test_floor import all_entries
from tests.marks import BOOKS, reading
from tests.table.numbers import cited
from tests.waiting import run, until

RULES = "commission-insurance"
ASKS_AFTER_S = ASKS_AFTER_US / 1_000_000
CASES = [(rules, moment) for rules in BOOKS for moment in moments(rules.id)]


async def _recovered(floor: Floor) -> None:
    """Take the tables over, once."""
    keeper = Keeper(floor)
    await keeper.run_once()
    await keeper.run_once()
    await keeper.stop()


async def _taken_over(floor: Floor) -> list[TableRecovered]:
    house = [read_house_event(entry.event) for entry in await all_entries(floor, "house")]
    return [event for event in house if isinstance(event, TableRecovered)]


async def _last_event(floor: Floor) -> object:
    return read_event((await all_entries(floor, "t1/1"))[-1].event)


async def _processes(floor: Floor) -> dict[str, int]:
    def work(transaction: Transaction) -> dict[str, int]:
        return dict(transaction.rows("SELECT process, alive_us FROM processes"))

    return await floor.database.read(work)


def as_if_never_away(rules: Rulebook, table: Table, given: list[dict[str, Any]]) -> Table:
    for fields in given:
        table, decision = handle(rules, table, command_of(fields))
        assert not isinstance(decision, Refusal), decision
    return table


@reading("interruptions")
@pytest.mark.parametrize("asks", [True, False], ids=["5 s", "less"])
@pytest.mark.parametrize(("rules", "moment"), CASES, ids=lambda case: case if isinstance(case, str) else case.id)
def test_the_table_comes_back_as_it_was(rules: Rulebook, moment: Moment, asks: bool, tmp_path: Any) -> None:  # noqa: FBT001 - a parameter
    async def evening() -> None:
        clock, url = ManualClock(), str(tmp_path / "floor.db")
        async with running(url, clock) as floor:
            await table_at(floor, moment, rules.id)
            before, entries = floor.table("t1").state, await all_entries(floor, "t1/1")
        from_us = clock.now_us()
        clock.passes(ASKS_AFTER_S if asks else ASKS_AFTER_S - 0.001)
        away = Restart(from_us, clock.now_us())
        async with running(url, clock) as floor:
            await _recovered(floor)
            is_open, written = moment is not Moment.READY, (await all_entries(floor, "t1/1"))[len(entries) :]
            clauses = cited(rules, "interruption") if asks else ()
            recorded = RestartRecorded(away.from_us, away.to_us, asks, clauses)
            assert [read_event(entry.event) for entry in written] == [recorded] * is_open
            after = floor.table("t1").state
            assert after == replace(before, restart=away if asks and is_open else None)
            (taken,) = await _taken_over(floor)
            at_end = (taken.stream, taken.version, taken.round_open, taken.hash, taken.from_us, taken.to_us)
            assert at_end == ("t1/1", len(entries), is_open, entries[-1].hash, away.from_us, away.to_us)
            assert (taken.shoes, taken.voided, taken.returned_minor) == ("manual", False, {})
            at = At(floor, "t1", "later")
            if after.restart is not None:
                await at.do(DEALER, "resume_round")
            assert floor.table("t1").state == before
            given = await play_on(at)
            assert floor.table("t1").state == as_if_never_away(rules, before, given)
            assert verify(floor.database).faults == []

    run(evening())


def test_cards_and_settlement_wait_and_bets_do_not(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            await table_at(floor, Moment.BETTING, RULES)
        clock.passes(60)
        async with running(database_url, clock) as floor:
            await _recovered(floor)
            at = At(floor, "t1", "later")
            assert (await at.bet("ann", 50_00, bet="banker")).refusal is None
            await at.do(DEALER, "close_betting")
            waits = await at.ask(DEALER, "deal_card", card="2s")
            assert waits.refusal is not None
            assert (waits.refusal.code, waits.refusal.values) == (TableCode.RESTART_UNANSWERED, {"seconds": 60})
            await at.do(SUPERVISOR, "report_interruption", reason="the lights were out too")
            state = floor.table("t1").state
            assert (state.phase, state.restart) == (Phase.READY, None)

    run(evening())


def test_a_scanned_card_waits_and_is_taken_when_it_is_read_again(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            read = Read(await manual_table(floor, face_down=True))
            await read.closed()
            await read.taken(1, *NATURAL[:2])
        clock.passes(60)
        async with running(database_url, clock) as floor:
            await _recovered(floor)
            read = Read(At(floor, "t1", "later"))
            waits = await read.ask(3, NATURAL[2])
            assert isinstance(waits, Refusal)
            assert waits.code is TableCode.RESTART_UNANSWERED
            await read.at.do(DEALER, "resume_round")
            assert (await read.do(2, NATURAL[1])).outcome is ScanResult.KNOWN
            await read.taken(3, *NATURAL[2:])
            for place in range(1, 5):
                await read.at.do(DEALER, "turn_card", place=place)
            await read.at.do(DEALER, "settle")
            assert verify(floor.database).faults == []

    run(evening())


def test_an_automatic_dealer_waits_for_the_answer(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            await table_at(floor, Moment.SIX, RULES, automations=(Automation.SETTLE,))
        clock.passes(60)
        async with running(database_url, clock) as floor:
            keeper = Keeper(floor)
            await keeper.run_once()
            live = floor.table("t1")
            assert (live.state.phase, live.state.restart is None) == (Phase.DEALING, False)
            await At(floor, "t1", "later").do(DEALER, "resume_round")
            await until(lambda: live.state.phase is Phase.READY)
            await keeper.stop()

    run(evening())


def test_a_virtual_shoe_has_no_times_and_its_round_is_judged(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            await (await sealed_table(floor, rules=RULES)).do(DEALER, "open_betting")
        async with running(database_url) as floor:
            await _recovered(floor)
            (taken,) = await _taken_over(floor)
            assert (taken.from_us, taken.to_us, floor.table("t1").state.phase) == (0, 0, Phase.READY)
            assert await _processes(floor) == {}

    run(evening())


# ---- since when the server was away


def test_a_process_says_once_a_second_that_it_is_alive(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            await table_at(floor, Moment.TWO, RULES)
            keeper = Keeper(floor)
            await keeper.run_once()
            assert await _processes(floor) == {}
            for _ in range(3):
                clock.passes(CLAIM_TABLES_S)
                await keeper.record_alive()
                assert await _processes(floor) == {floor.process: clock.now_us()}
            alive_us = clock.now_us()
            await keeper.stop()
        clock.passes(60)
        async with running(database_url, clock) as floor:
            await _recovered(floor)
            assert await _last_event(floor) == RestartRecorded(
                alive_us, clock.now_us(), asks=True, clauses=cited(book(RULES), "interruption")
            )
            assert await _processes(floor) == {floor.process: clock.now_us()}  # the stopped one is forgotten

    run(evening())


def test_a_clean_stop_says_so_too(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            await table_at(floor, Moment.TWO, RULES)
            clock.passes(30)
            await floor.flush()
            assert await _processes(floor) == {floor.process: clock.now_us()}

    run(evening())


def test_what_was_written_last_shows_that_there_was_a_process(database_url: str) -> None:
    """A process of an earlier release is not on record; one that stops is alive until its last entry at least."""

    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            at = await table_at(floor, Moment.TWO, RULES)
            await floor.flush()
            clock.passes(0.5)
            await at.do(DEALER, "buy_in", who="ann", amount_minor=1_00)
            last_us = clock.now_us()
        clock.passes(1)
        async with running(database_url, clock) as floor:
            await _recovered(floor)
            assert await _last_event(floor) == RestartRecorded(last_us, clock.now_us(), asks=False)

    run(evening())


def test_a_clock_that_was_set_back_gives_no_negative_time(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            await table_at(floor, Moment.TWO, RULES)
        clock.day_us -= 3_600_000_000
        async with running(database_url, clock) as floor:
            await _recovered(floor)
            assert await _last_event(floor) == RestartRecorded(clock.now_us(), clock.now_us(), asks=False)
            assert verify(floor.database).faults == []

    run(evening())


def test_nothing_is_written_without_an_open_table_with_a_real_shoe(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            await automatic_table(floor, automations=())
            keeper = Keeper(floor)
            await keeper.run_once()
            await keeper.record_alive()
            assert await _processes(floor) == {}
            at = await manual_table(floor, "t2")
            await at.do(SUPERVISOR, "close_table")
            await keeper.run_once()
            await keeper.record_alive()
            assert await _processes(floor) == {}
            await keeper.stop()

    run(evening())


def test_a_time_that_cannot_be_written_is_logged_once_and_stops_no_table(
    database_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            await table_at(floor, Moment.TWO, RULES)
            keeper = Keeper(floor)
            await keeper.run_once()

            async def full(_: object) -> None:
                raise FloorRefused(FloorCode.DATABASE_LOST, variant="closed")

            with monkeypatch.context() as patched, caplog.at_level(logging.WARNING):
                patched.setattr(floor.database, "write", full)
                await keeper.record_alive()
                await keeper.record_alive()
            assert len(caplog.records) == 1
            assert "cannot record that this process is alive" in caplog.text
            await keeper.record_alive()
            assert floor.process in await _processes(floor)
            assert floor.table("t1").held
            await keeper.stop()

    run(evening())


def test_a_second_restart_before_the_answer_asks_about_the_whole_time(database_url: str) -> None:
    async def evening() -> None:
        clock = ManualClock()
        async with running(database_url, clock) as floor:
            await table_at(floor, Moment.TWO, RULES)
            from_us = clock.now_us()
        for _ in range(2):
            clock.passes(10)
            async with running(database_url, clock) as floor:
                await _recovered(floor)
                assert floor.table("t1").state.restart == Restart(from_us, clock.now_us())

    run(evening())
