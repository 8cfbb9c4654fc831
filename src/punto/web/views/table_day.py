"""What has happened at a table since the gaming day began, kept up to date entry by entry for the pit."""

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from functools import partial

from msgspec import Struct

from punto.floor.chips.day_ledger import DayLedger
from punto.floor.clock import HOUR_US, SECOND_US
from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, event_of, text_start
from punto.floor.journal.stream_name import StreamName
from punto.floor.running.live_table import LiveTable
from punto.table.records.events import (
    BettingOpened,
    InsuranceMissed,
)

LEAST_US = 300 * SECOND_US
"""Rounds an hour are known after so long."""
_MISSED, _OPENED = text_start(InsuranceMissed), text_start(BettingOpened)
_POSTINGS = '"postings":['


class DayFigures(Struct, frozen=True):
    rounds: int = 0
    missed: int = 0
    """Insurance offers that were due and not made."""
    drop_minor: int = 0
    """Cash taken for chips, less cash paid for them."""
    win_minor: int = 0
    """As :attr:`~punto.floor.chips.day_ledger.DayLedger.win_minor`."""


class DayFold:
    """Adds up the entries of a table, in their order."""

    def __init__(self) -> None:
        self._rounds = self._missed = 0
        self._ledger = DayLedger()
        self._opened_us: deque[int] = deque()
        """When rounds of the last hour were opened."""

    @property
    def figures(self) -> DayFigures:
        return DayFigures(self._rounds, self._missed, self._ledger.drop_minor, self._ledger.win_minor)

    def feed(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            text = entry.event
            if text.startswith(_OPENED):
                self._rounds += 1
                self._opened_us.append(entry.at_us)
                self._forget(entry.at_us)
            elif text.startswith(_MISSED):
                self._missed += 1
            elif _POSTINGS in text:
                self._ledger.post(event_of(entry))

    def rounds_an_hour(self, now_us: int) -> int | None:
        """From the rounds of the last hour, or since the first if that was later; None if that is too short a time."""
        self._forget(now_us)
        if not self._opened_us:
            return None
        since_us = now_us - self._opened_us[0]
        return round(len(self._opened_us) * HOUR_US / since_us) if since_us >= LEAST_US else None

    def _forget(self, now_us: int) -> None:
        while self._opened_us and self._opened_us[0] <= now_us - HOUR_US:
            self._opened_us.popleft()


class TableDay:
    """The fold of one table. What happened before the first look is read once, the rest as it comes."""

    def __init__(self, live: LiveTable) -> None:
        self._live = live
        self._lock = asyncio.Lock()
        self._since_us = -1
        self._at = (0, 0)
        """The opening and version that the fold has reached."""
        self._fold = DayFold()

    async def since(self, since_us: int) -> DayFold:
        """The fold of all entries since this moment, as the table is when this returns."""
        async with self._lock:
            if since_us != self._since_us:
                await self._begin(since_us)
            while self._at < self._end:
                opening, version = self._at
                entries = await self._live.after(opening, version)
                self._fold.feed(entries)
                self._at = (opening, entries[-1].version) if entries else (opening + 1, 0)
        return self._fold

    @property
    def _end(self) -> tuple[int, int]:
        live = self._live
        return live.openings, live.head.version if live.head else 0

    async def _begin(self, since_us: int) -> None:
        end, fold = self._end, DayFold()
        names = [self._live.stream_of(opening) for opening in range(1, end[0] + 1)]
        for opening in await self._live.database.read(partial(_entries_since, names=names, end=end, since_us=since_us)):
            fold.feed(opening)
        self._since_us, self._fold, self._at = since_us, fold, end


def _entries_since(
    transaction: Transaction, names: Sequence[StreamName], end: tuple[int, int], since_us: int
) -> list[list[Entry]]:
    """The entries of each opening that has any since this moment, up to the end of the last one."""
    found: list[list[Entry]] = []
    for name in reversed(names):
        head = streams.find(transaction, name)
        before = end[1] + 1 if name.opening == end[0] else None
        entries: list[Entry] = []
        complete = True
        for entry in streams.read_back(transaction, head, before) if head else ():
            if entry.at_us < since_us:
                complete = False
                break
            entries.append(entry)
        found.append(entries[::-1])
        if not complete:
            break
    return found[::-1]
