"""The rules that ring for what is not on a table: restarts, wrong PINs, scanners, and how long dealers are on."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from punto.floor.alarms.alarm_facts import once_text
from punto.floor.errors import FloorCode
from punto.floor.house.alarm import AlarmKind, DueAlarm, Fact
from punto.floor.house.projections.duty import DutyLine
from punto.floor.journal.audit_events import GeneratorFailed, PlayedWhileStopped, ProgramChecked, VerifyEnded
from punto.floor.journal.house_events import BridgeReleased, HouseEvent, PinLocked, TableRecovered
from punto.floor.journal.pit_events import CountsDiffered, ShoeStepTaken
from punto.floor.journal.stream_name import StreamName
from punto.floor.names.names import fold
from punto.floor.settings.thresholds import Thresholds
from punto.floor.shoes.scan_store import ScanResult
from punto.table.records.positions import Position

MINUTE_US = 60_000_000
_UNFIT: dict[str, AlarmKind] = {
    FloorCode.CARD_DIFFERS: AlarmKind.SCANNER_MISREAD,
    FloorCode.NOT_THE_SEALED_CARD: AlarmKind.SCANNER_MISREAD,
    FloorCode.CARD_GAP: AlarmKind.SCANNER_GAP,
    FloorCode.WRONG_SHOE: AlarmKind.SCANNER_GAP,
}
"""By the outcome of a read."""
FIT: frozenset[str] = frozenset({ScanResult.TAKEN, ScanResult.BURNED})


class Relief(StrEnum):
    """What puts an end to something that is not on a table."""

    FIT_READ = "fit_read"
    """A scanner's card fitted."""
    BRIDGE_RELEASED = "bridge_released"
    COUNTED = "counted"
    """A count of the tray stands."""
    SOUND = "sound"
    """A verification found no fault."""
    SAME_PROGRAM = "same_program"


class HouseEntry(Struct, frozen=True):
    version: int
    at_us: int
    event: HouseEvent


class ReadCard(Struct, frozen=True):
    """A card that a scanner posted, without the card: it may lie face down."""

    stream: str
    at_us: int
    shoe: str
    draw: int
    outcome: str


def restart_alarms(entries: Iterable[HouseEntry]) -> Iterator[DueAlarm]:
    """One alarm for all tables that were taken over with a round open within a minute.

    Those of the same minute that are only read later, after that alarm rang, get one of their own.
    """
    by_minute: dict[int, list[TableRecovered]] = {}
    first: dict[int, int] = {}
    for entry in entries:
        if isinstance(entry.event, TableRecovered) and entry.event.round_open:
            minute = entry.at_us // MINUTE_US
            first.setdefault(minute, entry.version)
            by_minute.setdefault(minute, []).append(entry.event)
    for minute, recovered in by_minute.items():
        names = [StreamName.parse(each.stream) for each in recovered]
        alone = names[0] if len(names) == 1 else None
        yield DueAlarm(
            AlarmKind.RESTART,
            once_text(AlarmKind.RESTART, first[minute]),
            alone.table if alone is not None else "",
            alone.opening if alone is not None else 0,
            recovered[0].round if alone is not None else 0,
            values={
                "tables": tuple(sorted({name.table for name in names})),
                "voided": sum(each.voided for each in recovered),
            },
        )


def pin_alarms(entries: Iterable[HouseEntry]) -> Iterator[DueAlarm]:
    for entry in entries:
        if isinstance(entry.event, PinLocked):
            once = once_text(AlarmKind.WRONG_PINS, entry.version)
            yield DueAlarm(
                AlarmKind.WRONG_PINS, once, subject=entry.event.name, values={"terminal": entry.event.terminal}
            )


def shoe_alarms(entries: Iterable[HouseEntry]) -> Iterator[DueAlarm]:
    """Shoes on a table that the register does not clear for use."""
    for entry in entries:
        event = entry.event
        if isinstance(event, ShoeStepTaken) and event.problem:
            once = once_text(AlarmKind.UNFIT_SHOE, entry.version)
            values: dict[str, Fact] = {"problem": event.problem}
            yield DueAlarm(AlarmKind.UNFIT_SHOE, once, event.table, subject=event.shoe, values=values)


def count_alarms(entries: Iterable[HouseEntry]) -> Iterator[DueAlarm]:
    """Two counts of a tray that differ. Both are in by then, so it can be said what each of them found."""
    for entry in entries:
        event = entry.event
        if isinstance(event, CountsDiffered):
            once = once_text(AlarmKind.COUNTS_DIFFER, entry.version)
            totals: dict[str, Fact] = {"first_minor": event.first_minor, "second_minor": event.second_minor}
            yield DueAlarm(AlarmKind.COUNTS_DIFFER, once, event.table, subject=event.first_by, values=totals)


def reliefs(entries: Iterable[HouseEntry], reads: Iterable[ReadCard]) -> Iterator[tuple[Relief, str, int]]:
    """What puts an end to the cause of an alarm: what, where and when."""
    for entry in entries:
        event = entry.event
        if isinstance(event, BridgeReleased):
            yield Relief.BRIDGE_RELEASED, event.table, entry.at_us
        elif isinstance(event, VerifyEnded) and event.sound:
            yield Relief.SOUND, "", entry.at_us
        elif isinstance(event, ProgramChecked) and event.same:
            yield Relief.SAME_PROGRAM, event.process, entry.at_us
    for read in reads:
        name = StreamName.find(read.stream)
        if name is not None and read.outcome in FIT:
            yield Relief.FIT_READ, name.table, read.at_us


def stop_alarms(entries: Iterable[HouseEntry]) -> Iterator[DueAlarm]:
    """What was played although it is stopped: once in a round for each stop."""
    for entry in entries:
        event = entry.event
        if isinstance(event, PlayedWhileStopped):
            once = once_text(AlarmKind.PLAYED_WHILE_STOPPED, event.stream, event.round, event.number)
            at = (event.table, StreamName.parse(event.stream).opening, event.round, event.who)
            yield DueAlarm(AlarmKind.PLAYED_WHILE_STOPPED, once, *at, {"stop": event.number})


def program_alarms(entries: Iterable[HouseEntry]) -> Iterator[DueAlarm]:
    """Once for each state of the files in which a process finds them."""
    for entry in entries:
        event = entry.event
        if isinstance(event, ProgramChecked) and not event.same:
            once = once_text(AlarmKind.PROGRAM_CHANGED, event.process, event.build, *event.changed)
            yield DueAlarm(AlarmKind.PROGRAM_CHANGED, once, subject=event.process, values={"files": event.changed[:3]})


def generator_alarms(entries: Iterable[HouseEntry]) -> Iterator[DueAlarm]:
    for entry in entries:
        if isinstance(entry.event, GeneratorFailed):
            yield DueAlarm(AlarmKind.GENERATOR_FAILED, once_text(AlarmKind.GENERATOR_FAILED, entry.version))


def verify_alarms(entries: Iterable[HouseEntry]) -> Iterator[DueAlarm]:
    for entry in entries:
        event = entry.event
        if isinstance(event, VerifyEnded) and event.faults:
            once = once_text(AlarmKind.NOT_SOUND, entry.version)
            yield DueAlarm(AlarmKind.NOT_SOUND, once, subject=event.first, values={"faults": event.faults})


def scan_alarms(reads: Iterable[ReadCard]) -> Iterator[DueAlarm]:
    """Reads that do not fit, each draw once."""
    for read in reads:
        kind, name = _UNFIT.get(read.outcome), StreamName.find(read.stream)
        if kind is not None and name is not None:
            once, values = once_text(kind, read.stream, read.shoe, read.draw), {"draw": read.draw}
            yield DueAlarm(kind, once, name.table, name.opening, subject=read.shoe, values={**values})


def dealer_alarms(
    duty: Sequence[DutyLine], open_tables: Collection[str], now_us: int, alarms: Thresholds
) -> Iterator[DueAlarm]:
    """Dealers who have been on since too long, also if they were sent from table to table without a break."""
    if not alarms.dealer_on_min:
        return
    ended = {(fold(line.name), line.to_us): line.from_us for line in duty if line.to_us}
    for line in duty:
        if line.to_us or line.position != Position.DEALER or line.table not in open_tables:
            continue
        since_us = line.from_us
        while since_us > (before_us := ended.get((fold(line.name), since_us), since_us)):
            since_us = before_us
        minutes = (now_us - since_us) // MINUTE_US
        if times := minutes // alarms.dealer_on_min:
            once = once_text(AlarmKind.DEALER_ON, line.name, since_us, times)
            on_min = times * alarms.dealer_on_min
            yield DueAlarm(AlarmKind.DEALER_ON, once, line.table, subject=line.name, values={"minutes": on_min})
