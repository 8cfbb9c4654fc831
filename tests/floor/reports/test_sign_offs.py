"""Gaming days are signed off by name once they are over, and what is recorded about them later shows."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import pytest
from msgspec.structs import replace

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.verify import verify
from punto.floor.database import open_database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.audit_events import DaySignedOff
from punto.floor.journal.entry import EntryContext
from punto.floor.journal.event_base import ExceptionKind
from punto.floor.journal.house_events import HOUSE, read_house_event
from punto.floor.reports.days.shift_report import Reports
from punto.floor.reports.days.sign_offs import MAX_SIGN_OFF_NOTE, MAY_SIGN_OFF, AuditedDay, AuditedDays
from punto.floor.running.table_setup import TableSetup
from punto.floor.settings.gaming_day import DayPart, GamingDay
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.audit.forging import entries, is_a, retold, rewrite, tamper
from tests.floor.audit_day import AUDE, DAY, AuditedNight
from tests.floor.nights import DORA, SID, SUE, opened

PERIOD = GamingDay().period(DAY)


class Desk:
    """A floor and those who sign its days off."""

    def __init__(self, floor: AuditedNight) -> None:
        self.floor = floor
        self._reports = Reports(floor.floor.house_log)
        self._days = AuditedDays(floor.floor.house_log, self._reports)

    async def sign(self, by: Actor = AUDE, note: str = "") -> None:
        await self._days.sign(by, GamingDay(), DAY, note)

    async def refused(self, by: Actor = AUDE, note: str = "") -> str:
        with pytest.raises(FloorRefused) as refused:
            await self.sign(by, note)
        return str(refused.value.code)

    async def look(self, shift: int = 0) -> AuditedDay:
        report = await self._reports.of(AUDE, GamingDay().period(DAY, shift))
        return await self._days.find(AUDE, DayPart(DAY, shift), report)

    async def since(self) -> list[tuple[int | None, tuple[ExceptionKind, ...]]]:
        """Round and kinds of what was recorded about the day after it was signed off."""
        found = (await self.look()).exceptions
        return [(each.round, each.kinds) for each in found if ExceptionKind.SIGNED_DAY in each.kinds]


def at_the_desk(url: str, act: Callable[[Desk], Awaitable[None]]) -> None:
    """After a day that is over."""

    async def run() -> None:
        database = open_database(url)
        try:
            floor = await AuditedNight.start(database)
            await floor.play_day()
            desk = Desk(floor)
            assert await desk.refused() == FloorCode.DAY_NOT_OVER
            await floor.next_day()
            await act(desk)
        finally:
            database.close()

    asyncio.run(run())


def faults(url: str) -> list[FaultCode]:
    with opened(url) as database:
        return [fault.code for fault in verify(database).faults]


def test_a_day_is_signed_off_once_by_each_person_and_changes_show(database_url: str) -> None:
    async def act(desk: Desk) -> None:
        floor, before = desk.floor, await desk.look()
        assert before.sign_offs == []
        assert ExceptionKind.COUNT_MISSING in {kind for each in before.exceptions for kind in each.kinds}
        for position in set(Position) - MAY_SIGN_OFF:
            assert await desk.refused(Actor("somebody", position)) == TableCode.NOT_AUTHORISED
        for note in (" ", "two\nlines", "x" * (MAX_SIGN_OFF_NOTE + 1)):
            assert await desk.refused(note=note) == TableCode.REASON_NEEDED
        await floor.do(SUE, "felt", "report_later_error.1", round=2, reason="known before the sign-off")
        await desk.sign(note="<b>all seen</b>")
        assert await desk.refused() == FloorCode.DAY_SIGNED_OFF
        await desk.sign(SID)
        signed = await desk.look()
        assert [(each.name, each.position, each.exceptions) for each in signed.sign_offs] == [
            ("aude", "auditor", len(before.exceptions)),
            ("sid", "shift_manager", len(before.exceptions)),
        ]
        assert await desk.since() == []
        # about the day: the last round of it, entries from paper, an error found later
        paid = {"who": "ben", "box": 2, "bet": "player", "paid_minor": 150_00, "reason": "seen on film"}
        await floor.do(SUE, "felt", "correct_payment.1", recovered_minor=10_00, **paid)
        happened = EntryContext(happened_at_us=(PERIOD.until_us or 0) - 1)
        await floor.given(DORA, "buy_in", happened, who="ann", amount_minor=100_00)
        await floor.do(SUE, "felt", "count_tray.1", purpose="check", piles=[])
        await floor.plain()
        await floor.do(SUE, "felt", "correct_payment.1", recovered_minor=10_00, **paid)
        await floor.do(SUE, "felt", "report_later_error.1", round=3, reason="the dealer remembers")
        await floor.floor.create_table(SUE, TableSetup("paper", "commission", ShoeKind.MANUAL))
        settings = {"layout": next(iter(book("commission").layouts)), "boxes": 3}
        await floor.given(SUE, "open_table", happened, "paper", settings=settings, float_minor=1_00)
        await floor.given(DORA, "buy_in", EntryContext(), "paper", who="ann", amount_minor=1_00)
        assert await desk.since() == [
            (7, (ExceptionKind.CORRECTION, ExceptionKind.SIGNED_DAY)),
            (7, (ExceptionKind.ENTERED_LATER, ExceptionKind.SIGNED_DAY)),
            (3, (ExceptionKind.SIGNED_DAY,)),
            (0, (ExceptionKind.ENTERED_LATER, ExceptionKind.SIGNED_DAY)),
        ]
        assert all(ExceptionKind.SIGNED_DAY not in each.kinds for each in (await desk.look(3)).exceptions)
        await desk.sign(Actor("cass", Position.CASINO_MANAGER))
        assert (await desk.look()).sign_offs[-1].exceptions == len(before.exceptions) + 4

    at_the_desk(database_url, act)
    assert faults(database_url) == []
    events = [
        read_house_event(entry.event) for entry in entries(database_url, HOUSE) if is_a(entry, "day_signed_off.1")
    ]
    signed = [event for event in events if isinstance(event, DaySignedOff)]
    assert [(event.day, event.since_us, event.until_us) for event in signed] == [
        (DAY.isoformat(), PERIOD.since_us, PERIOD.until_us)
    ] * 3
    assert signed[0].heads["felt/1"] == signed[1].heads["felt/1"] != signed[2].heads["felt/1"]


def test_what_a_clock_that_is_behind_records_after_the_sign_off_is_listed_once(database_url: str) -> None:
    async def act(desk: Desk) -> None:
        await desk.sign()
        before = (await desk.look()).exceptions
        desk.floor.clock.passes(-25 * 3_600)
        paid = {"who": "ben", "box": 2, "bet": "player", "paid_minor": 150_00, "reason": "seen on film"}
        await desk.floor.do(SUE, "felt", "correct_payment.1", recovered_minor=10_00, **paid)
        desk.floor.clock.passes(25 * 3_600)
        assert await desk.since() == [(7, (ExceptionKind.CORRECTION, ExceptionKind.SIGNED_DAY))]
        assert len((await desk.look()).exceptions) == len(before) + 1

    at_the_desk(database_url, act)


def test_verify_finds_what_was_done_to_a_signed_day(tmp_path_factory: pytest.TempPathFactory) -> None:
    def made() -> str:
        url = str(tmp_path_factory.mktemp("signed") / "floor.db")

        async def act(desk: Desk) -> None:
            await desk.sign()

        at_the_desk(url, act)
        assert faults(url) == []
        return url

    url = made()
    for sql in (
        "UPDATE day_sign_offs SET name = 'sid'",
        "UPDATE day_sign_offs SET exceptions = 0, name = 'aude'",
        "DELETE FROM day_sign_offs",
    ):
        tamper(url, (sql, ()))
        assert {*faults(url)} == {FaultCode.SIGN_OFFS_DIFFER}, sql
    url = made()
    rewrite(url, "felt/1", lambda told: [*told[:-1], replace(told[-1], at_us=told[-1].at_us + 1)])
    assert faults(url) == [FaultCode.HEAD_NOT_IN_STREAM]
    url = made()
    rewrite(url, "felt/1", lambda told: told[:-7])
    assert FaultCode.TAIL_CUT in faults(url)
    url = made()
    rewrite(url, HOUSE, lambda told: [*told, replace(told[-1], command_id="once more")])
    assert faults(url) == [FaultCode.SIGN_OFFS_DIFFER]
    url = made()
    (signed,) = (entry for entry in entries(url, HOUSE) if is_a(entry, "day_signed_off.1"))
    early = retold(signed, at_us=msgspec.json.decode(signed.event)["until_us"] - 1)
    tamper(url, ("UPDATE day_sign_offs SET at_us = ?", (msgspec.json.decode(early.event)["at_us"],)))
    rewrite(url, HOUSE, lambda told: [early if entry == signed else entry for entry in told])
    assert faults(url) == [FaultCode.SIGN_OFFS_DIFFER]
