"""Gaming days that somebody has gone through and signed off by name, and what was recorded about them since."""

from collections.abc import Mapping
from datetime import date
from functools import partial

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from punto.floor.clock import DAY_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import HouseLog
from punto.floor.house.positions import MAY_AUDIT
from punto.floor.house.projections.sign_offs import SignOff, find_sign_offs
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor
from punto.floor.journal.audit_events import DaySignedOff
from punto.floor.journal.entry import unreadable
from punto.floor.journal.house_events import HOUSE, HouseEvent, read_house_event
from punto.floor.journal.incident_index import count_open
from punto.floor.journal.round_index import HIGHEST
from punto.floor.journal.streams import Head
from punto.floor.reports.days.day_exceptions import (
    DayException,
    exceptions_after,
    house_exceptions,
    missing_counts,
    table_exceptions,
)
from punto.floor.reports.days.opening_facts import TableOpening, openings_in
from punto.floor.reports.days.shift_report import Reports, ShiftReport
from punto.floor.running.late_entry import MAX_LATE_DAYS
from punto.floor.settings.gaming_day import DayPart, GamingDay, Period
from punto.table.records.positions import SHIFT_MANAGER_UP, Position
from punto.table.refusals import TableCode

MAX_SIGN_OFF_NOTE = 500
MAY_SIGN_OFF = SHIFT_MANAGER_UP | {Position.AUDITOR}
Heads = Mapping[str, tuple[int, str]]
"""Version and hash of the last entry, by stream."""


class AuditedDay(Struct, frozen=True, kw_only=True):
    """A gaming day or a shift with all that is out of the ordinary, oldest first."""

    exceptions: list[DayException]
    heads: dict[str, tuple[int, str]]
    """Of the tables that were open in it, as they were read."""
    sign_offs: list[SignOff]
    """Of the whole day."""


class AuditedDays:
    """For auditors and managers. Days are gone through one at a time, as reports are made."""

    def __init__(self, log: HouseLog, reports: Reports) -> None:
        self._log, self._reports = log, reports

    async def find(self, by: Actor, part: DayPart, report: ShiftReport) -> AuditedDay:
        """A day or one of its shifts. ``report`` is that of the same period, for all tables."""
        await self._log.require(by, MAY_AUDIT, "audit_day")
        return await self._find(part, report)

    async def sign(self, by: Actor, gaming_day: GamingDay, day: date, note: str, *, despite_open: bool = False) -> None:
        """Sign a day off once it is over. Anybody may do so once for each day.

        ``despite_open`` says that they know that incidents of the day are open, if some are.
        """
        await self._log.require(by, MAY_SIGN_OFF, "sign_off_day")
        if note and not (note.strip() and note.isprintable() and len(note) <= MAX_SIGN_OFF_NOTE):
            raise FloorRefused(TableCode.REASON_NEEDED, variant="note", most=MAX_SIGN_OFF_NOTE)
        period = gaming_day.period(day)
        if period.until_us is None or period.until_us > self._log.clock.now_us():
            raise FloorRefused(FloorCode.DAY_NOT_OVER, day=day.isoformat())
        audited = await self._find(DayPart(day), await self._reports.of(by, period))
        event = DaySignedOff(
            day=day.isoformat(),
            since_us=period.since_us or 0,
            until_us=period.until_us,
            exceptions=len(audited.exceptions),
            heads=audited.heads,
            at_us=self._log.clock.now_us(),
            note=note,
        )

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            if any(each.name == by.name for each in find_sign_offs(transaction, day)):
                raise FloorRefused(FloorCode.DAY_SIGNED_OFF, day=day.isoformat())
            if not despite_open and (still := count_open(transaction, event.since_us, event.until_us)):
                raise FloorRefused(FloorCode.DAY_WITH_OPEN_INCIDENTS, day=day.isoformat(), open=still)
            return None, [event]

        await self._log.change(by, change)

    async def _find(self, part: DayPart, report: ShiftReport) -> AuditedDay:
        read, period, found = self._log.database.read, report.period, [*missing_counts(report)]
        heads: dict[str, tuple[int, str]] = {}
        async with self._reports.turns.turn():
            sign_offs = await read(partial(find_sign_offs, day=part.day))
            found += await read(lambda transaction: [*house_exceptions(transaction, period)], long=True)
            signed = None if part.shift or not sign_offs else await read(partial(_signed_heads, sign_off=sign_offs[0]))
            wanted = period if signed is None else Period(period.since_us, _late_us(period))
            for opening in await read(lambda transaction: [*openings_in(transaction, wanted)], long=True):
                audit = partial(_audit, opening=opening, period=period, signed=signed)
                head, of_opening = await read(audit, long=True)
                found += of_opening
                if opening.opened_us < (period.until_us or HIGHEST):
                    heads[head.stream] = (head.version, head.hash)
        found.sort(key=lambda each: each.at_us)
        return AuditedDay(exceptions=found, heads=heads, sign_offs=sign_offs)


def _late_us(period: Period) -> int:
    """Until when something can be entered as having happened in a period."""
    return (period.until_us or 0) + MAX_LATE_DAYS * DAY_US


def _audit(
    transaction: Transaction, opening: TableOpening, period: Period, signed: Heads | None
) -> tuple[Head, list[DayException]]:
    """The head of an opening, and what is out of the ordinary in it; also what came after the period was signed off."""
    opening = replace(opening, head=streams.head(transaction, opening.head.stream))
    head, found = opening.head, table_exceptions(transaction, opening, period)
    if signed is not None:
        after, _ = signed.get(head.stream, (0, ""))
        later = exceptions_after(transaction, opening, period, after, _late_us(period))
        listed = {each.version for each in later}  # by a clock that is behind, some of it is recorded in the period
        found = [each for each in found if each.version not in listed] + later
    return head, found


def _signed_heads(transaction: Transaction, sign_off: SignOff) -> Heads:
    """The heads in the entry of a sign-off."""
    (entry,) = streams.read(transaction, streams.head(transaction, HOUSE), sign_off.version - 1, 1)
    try:
        event = read_house_event(entry.event)
    except msgspec.MsgspecError as error:
        raise unreadable(HOUSE, entry.version) from error
    if not isinstance(event, DaySignedOff):
        raise unreadable(HOUSE, entry.version)
    return event.heads
