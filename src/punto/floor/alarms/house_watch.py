"""Follows the house's stream, the reads of scanners, and who is on duty."""

from msgspec import Struct

from punto.floor.alarms.house_rules import HouseEntry, ReadCard
from punto.floor.clock import DAY_US
from punto.floor.database.base import Database, Transaction
from punto.floor.house.projections.duty import DutyLine, find_duty
from punto.floor.journal import streams
from punto.floor.journal.audit_events import GeneratorFailed, PlayedWhileStopped, ProgramChecked, VerifyEnded
from punto.floor.journal.entry import Entry, text_start
from punto.floor.journal.house_events import (
    HOUSE,
    BridgeReleased,
    HouseEvent,
    LateAttempt,
    PinLocked,
    TableRecovered,
    read_house_event,
)
from punto.floor.journal.pit_events import CountsDiffered, ShoeStepTaken
from punto.floor.journal.streams import ENTRIES_A_PAGE

WATCHED_FOR: tuple[type[HouseEvent], ...] = (
    BridgeReleased,
    CountsDiffered,
    GeneratorFailed,
    LateAttempt,
    PinLocked,
    PlayedWhileStopped,
    ProgramChecked,
    ShoeStepTaken,
    TableRecovered,
    VerifyEnded,
)
STARTS = tuple(map(text_start, WATCHED_FOR))
MAX_ENTRIES_BACK = 20_000
READS_BACK = 200
MAX_LINES_A_DAY = 5_000


class HouseNews(Struct, frozen=True):
    entries: list[HouseEntry]
    reads: list[ReadCard]
    duty: list[DutyLine]
    """Of the last day."""


class HouseWatch:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._version: int | None = None
        """Of the last entry read; None before the first time."""
        self._read: int | None = None
        """The key of the last read of a scanner, likewise."""

    async def read(self, now_us: int, since_us: int) -> HouseNews:
        """Everything since the last time; the first time, since ``since_us``."""
        version, read = self._version, self._read

        def work(transaction: Transaction) -> tuple[HouseNews, int, int]:
            entries, end = _entries(transaction, version, since_us)
            reads, last = _reads(transaction, read, since_us)
            return (
                HouseNews(entries, reads, find_duty(transaction, now_us - DAY_US, now_us, MAX_LINES_A_DAY)),
                end,
                last,
            )

        news, self._version, self._read = await self._database.read(work)
        return news


def _entries(transaction: Transaction, after: int | None, since_us: int) -> tuple[list[HouseEntry], int]:
    head = streams.head(transaction, HOUSE)
    if after is None:
        found = list[Entry]()
        for entry in streams.read_back(transaction, head):
            if entry.at_us < since_us or head.version - entry.version > MAX_ENTRIES_BACK:
                break
            found.append(entry)
        return [_entry(each) for each in reversed(found) if each.event.startswith(STARTS)], head.version
    entries = streams.read(transaction, head, after, ENTRIES_A_PAGE) if after < head.version else []
    return [_entry(each) for each in entries if each.event.startswith(STARTS)], entries[
        -1
    ].version if entries else after


def _entry(entry: Entry) -> HouseEntry:
    return HouseEntry(entry.version, entry.at_us, read_house_event(entry.event))


def _reads(transaction: Transaction, after: int | None, since_us: int) -> tuple[list[ReadCard], int]:
    ((last,),) = transaction.rows("SELECT max(id) FROM scan_reads")
    if after is None:
        after = max((last or 0) - READS_BACK, 0)
    if (last or 0) <= after:
        return [], after
    rows = transaction.rows(
        "SELECT stream, at_us, shoe, draw, outcome, id FROM scan_reads WHERE id > ? AND at_us >= ? ORDER BY id LIMIT ?",
        (after, since_us, ENTRIES_A_PAGE),
    )
    return [ReadCard(*row[:-1]) for row in rows], rows[-1][-1] if rows else last
