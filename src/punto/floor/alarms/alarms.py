"""The alarms of a floor: ringing them, reading them, and acknowledging them by name."""

from collections.abc import Sequence

from msgspec.structs import replace

from punto.floor.clock import SECOND_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.alarm import MAX_NOTE_LENGTH, Alarm, DueAlarm
from punto.floor.house.house_log import HouseLog
from punto.floor.house.projections import alarms as alarms_table
from punto.floor.house.projections.alarms import AlarmFilter
from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.journal.house_events import HouseEvent
from punto.floor.journal.pit_events import AlarmAcknowledged
from punto.table.records.positions import SUPERVISOR_UP, Position
from punto.table.refusals import TableCode

ALARM_READERS = frozenset({*SUPERVISOR_UP, Position.AUDITOR})


class Alarms:
    """Every change is written to the house's stream."""

    def __init__(self, log: HouseLog) -> None:
        self._log = log
        self.changes = 0
        """How many changes this process has made, for those who keep a list."""

    async def all_open(self) -> list[Alarm]:
        """All that are open, the most severe first and of these the newest. For the server itself."""
        return await self._log.database.read(alarms_table.find_open)

    async def open(self, by: Actor, table: str = "") -> list[Alarm]:
        """Those of a table, or of the whole floor, that nobody has acknowledged, the most severe first."""
        await self._log.require(by, ALARM_READERS, "read_alarms", table)
        return [alarm for alarm in await self.all_open() if table in ("", alarm.table)]

    async def list(self, by: Actor, wanted: AlarmFilter, limit: int) -> Sequence[Alarm]:
        """The alarms that fit, the newest first."""
        await self._log.require(by, ALARM_READERS, "read_alarms", wanted.table)
        return await self._log.database.read(lambda transaction: alarms_table.find_alarms(transaction, wanted, limit))

    async def acknowledge(self, by: Actor, number: int, note: str = "") -> Alarm:
        """Acknowledge an alarm. The first person stays on record, and the others get the same answer."""
        await self._log.require(by, SUPERVISOR_UP, "acknowledge_alarm")
        if note and not (note.strip() and note.isprintable() and len(note) <= MAX_NOTE_LENGTH):
            raise FloorRefused(TableCode.REASON_NEEDED, least=1, most=MAX_NOTE_LENGTH)
        at_us = self._log.clock.now_us()

        def change(transaction: Transaction) -> tuple[Alarm, list[HouseEvent]]:
            alarm = alarms_table.find_alarm(transaction, number)
            if alarm is None:
                raise FloorRefused(FloorCode.UNKNOWN_ALARM, number=number)
            if not alarm.open:
                return alarm, []
            dealt = replace(alarm, acknowledged_by=by.name, acknowledged_us=at_us, note=note)
            return dealt, [AlarmAcknowledged(number, note, at_us)]

        alarm = await self._log.change(by, change)
        self.changes += 1
        return alarm

    # ---- for the watcher

    async def ring(self, due: Sequence[DueAlarm]) -> None:
        """Ring what has not rung yet."""
        if not due or not await self._log.database.read(lambda transaction: alarms_table.not_rung(transaction, due)):
            return
        at_us = self._log.clock.now_us()

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            return None, alarms_table.ring(transaction, due, at_us)

        await self._log.change(THE_HOUSE, change)
        self.changes += 1

    async def end(self, numbers: Sequence[int]) -> None:
        """End alarms whose cause has ended."""
        if not numbers:
            return
        at_us = self._log.clock.now_us()

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            return None, alarms_table.end(transaction, numbers, at_us)

        await self._log.change(THE_HOUSE, change)
        self.changes += 1

    async def escalate(self, after_s: int) -> None:
        """Make more severe what nobody has acknowledged for this long; nothing if that is 0."""
        at_us = self._log.clock.now_us()
        before_us = at_us - after_s * SECOND_US
        if not after_s or not await self._log.database.read(
            lambda transaction: alarms_table.has_to_escalate(transaction, before_us)
        ):
            return

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            return None, alarms_table.escalate(transaction, before_us, at_us)

        await self._log.change(THE_HOUSE, change)
        self.changes += 1
