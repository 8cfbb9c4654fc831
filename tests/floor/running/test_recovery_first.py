"""Nothing is decided at an abandoned table before it is recovered: the interruption is that of the crash."""

import asyncio
import logging
from typing import Any

import pytest

from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.entry import Entry, read_event
from punto.floor.journal.house_events import TableRecovered, read_house_event
from punto.floor.running.floor import Floor
from punto.floor.running.supervisor import Keeper
from punto.table.records.findings import IrregularityReported, RoundVoided
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.floor.playing import DEALER, At, manual_table, running, sealed_table
from tests.floor.running.test_floor import all_entries

RULES = "commission-insurance"


async def _betting(floor: Floor, name: str = "t1") -> At:
    """A table whose open round is void after a crash, because its shoe is virtual."""
    at = await sealed_table(floor, name=name, rules=RULES)
    await at.do(DEALER, "open_betting")
    return at


async def _written(floor: Floor, kind: type) -> list[Entry]:
    return [entry for entry in await all_entries(floor, "t1/1") if isinstance(read_event(entry.event), kind)]


async def _taken_over(floor: Floor) -> list[TableRecovered]:
    house = [read_house_event(entry.event) for entry in await all_entries(floor, "house")]
    return [event for event in house if isinstance(event, TableRecovered)]


def test_a_round_begun_after_a_restart_was_not_interrupted(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            await manual_table(floor, rules=RULES)
        async with running(database_url) as floor:
            at = At(floor, "t1", "later")
            await at.do(DEALER, "open_betting")
            assert (await at.bet("ann", 100_00)).refusal is None
            keeper = Keeper(floor)
            await keeper.run_once()
            assert floor.table("t1").state.phase is Phase.BETTING
            assert await _written(floor, IrregularityReported) == []
            assert [event.round_open for event in await _taken_over(floor)] == [False]
            await keeper.stop()
            assert verify(floor.database).faults == []

    asyncio.run(evening())


def test_a_round_open_at_the_crash_is_decided_as_it_stood_then(database_url: str) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            at = await _betting(floor)
            assert (await at.bet("ann", 100_00)).refusal is None
        async with running(database_url) as floor:
            late = await At(floor, "t1", "later").ask(DEALER, "close_betting")
            assert late.refusal is not None
            assert late.refusal.code is TableCode.BETTING_NOT_OPEN
            keeper = Keeper(floor)
            await keeper.run_once()
            assert floor.table("t1").state.phase is Phase.READY
            assert len(await _written(floor, RoundVoided)) == 1
            assert [event.round_open for event in await _taken_over(floor)] == [True]
            await keeper.stop()
            assert verify(floor.database).faults == []

    asyncio.run(evening())


def test_a_process_that_survives_waits_for_the_recovery_too(postgres_url: str) -> None:
    """It gives no command at the table of a stopped process before its keeper has recovered it."""

    async def evening() -> None:
        async with running(postgres_url) as survivor:
            async with running(postgres_url) as floor:
                await _betting(floor)
                at = At(survivor, "t1", "survivor")
                assert (await at.bet("ann", 100_00)).refusal is None  # while it is running, anybody may
                assert await _taken_over(survivor) == []
            late = await at.ask(DEALER, "close_betting")
            assert late.refusal is not None
            assert len(await _written(survivor, RoundVoided)) == 1
            await at.do(DEALER, "open_betting")
            keeper = Keeper(survivor)
            await keeper.run_once()
            assert survivor.table("t1").state.phase is Phase.BETTING
            assert len(await _taken_over(survivor)) == 1
            await keeper.stop()

    asyncio.run(evening())


def test_a_crash_in_the_middle_of_a_recovery_reports_nothing_twice(database_url: str) -> None:
    """The interruption, its record and the new owner of the table are one transaction."""

    async def evening() -> None:
        async with running(database_url) as floor:
            await _betting(floor)
        async with running(database_url) as floor:
            writing = floor.database.write

            async def lost(_: Any) -> Any:
                raise FloorRefused(FloorCode.DATABASE_LOST, variant="closed")

            floor.database.write = lost  # type: ignore[method-assign, assignment]
            with pytest.raises(FloorRefused):
                await At(floor, "t1", "lost").ask(DEALER, "close_betting")
            floor.database.write = writing  # type: ignore[method-assign]
            assert (await _taken_over(floor), await _written(floor, IrregularityReported)) == ([], [])
            held = await floor.database.read(lambda tx: tx.rows("SELECT held_by FROM tables"))
            assert held != [(floor.process,)]
            assert (await At(floor, "t1", "again").ask(DEALER, "close_betting")).refusal is not None
            held = await floor.database.read(lambda tx: tx.rows("SELECT held_by FROM tables"))
            assert held == [(floor.process,)]
            assert len(await _written(floor, IrregularityReported)) == 1

    asyncio.run(evening())


DAMAGED = FloorRefused(FloorCode.BAD_DATABASE, variant="entry", version=3, stream="t1/1")


def test_one_bad_table_does_not_stop_the_others(
    database_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            await _betting(floor, "t1")
            await _betting(floor, "t2")
        async with running(database_url) as floor:

            async def broken() -> bool:
                raise DAMAGED

            monkeypatch.setattr(floor.table("t1"), "catch_up", broken)
            keeper = Keeper(floor)
            with caplog.at_level(logging.ERROR):
                await keeper.run_once()
                await keeper.run_once()
            assert floor.table("t2").state.phase is Phase.READY
            (record,) = caplog.records
            assert record.getMessage() == f"the table 't1' cannot be run: FloorRefused: {DAMAGED.message}"
            monkeypatch.undo()
            await keeper.run_once()
            assert floor.table("t1").state.phase is Phase.READY
            await keeper.stop()

    asyncio.run(evening())


def test_a_dealer_that_has_died_is_replaced(
    database_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def evening() -> None:
        async with running(database_url) as floor:
            await manual_table(floor)
            keeper = Keeper(floor)

            async def dies(_: object) -> None:
                raise ZeroDivisionError

            with monkeypatch.context() as patched:
                patched.setattr("punto.floor.running.supervisor.Dealer.run", dies)
                await keeper.run_once()
                await asyncio.sleep(0)
            with caplog.at_level(logging.ERROR):
                await keeper.run_once()
            assert "ZeroDivisionError" in caplog.text
            caplog.clear()
            await keeper.run_once()
            assert caplog.text == ""
            await keeper.stop()

    asyncio.run(evening())
