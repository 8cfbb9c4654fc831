"""Pairs the counts of a tray that two people signed with the first of the two, to which the house's stream commits."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from punto.floor.audit.faults import FaultCode, require
from punto.floor.audit.hash_chain import Link
from punto.floor.database.base import Row
from punto.floor.house.projections.counts import count_commitment, open_count
from punto.floor.journal.command_ids import COUNT_ID
from punto.floor.journal.entry import NO_ROUND, read_event
from punto.floor.journal.house_events import HouseEvent
from punto.floor.journal.pit_events import CountsAgreed, CountsDiffered, FirstCountMade
from punto.floor.names.names import fold
from punto.floor.secret_key import SecretKey
from punto.table.records.chips import TrayCounted


class _First(Struct, frozen=True):
    event: FirstCountMade
    by: str


class _Agreed(Struct, frozen=True):
    event: CountsAgreed
    first: _First
    by: str
    """Who counted second."""


class CountRecord:
    """What the house's stream says about counts of trays."""

    def __init__(self) -> None:
        self.waiting: dict[str, _First] = {}
        """By table."""
        self.agreed: dict[str, _Agreed] = {}
        """By the id of the command."""
        self.handlers: Mapping[type[HouseEvent], Callable[[Link, Any], None]] = {
            FirstCountMade: self._made,
            CountsAgreed: self._agreed,
            CountsDiffered: self._differed,
        }

    def _made(self, link: Link, event: FirstCountMade) -> None:
        self.waiting[event.table] = _First(event, link.entry.actor)

    def _agreed(self, link: Link, event: CountsAgreed) -> None:
        first = self._end(link, event.table, event.count)
        self.agreed[event.command_id] = _Agreed(event, first, link.entry.actor)

    def _differed(self, link: Link, event: CountsDiffered) -> None:
        if not event.count:
            return  # of an earlier release
        first = self._end(link, event.table, event.count)
        opened = (event.nonce, first.event.stream, event.count, event.purpose, event.first_piles, event.tray_minor)
        words = f"the first count of the tray of {event.table!r} was another one"
        require(link, count_commitment(*opened) == first.event.commitment, FaultCode.COUNTS_DIFFER, words)
        require(link, fold(first.by) == fold(event.first_by), FaultCode.COUNTS_DIFFER, words)

    def _end(self, link: Link, table: str, count: str) -> _First:
        first = self.waiting.pop(table, None)
        fits = first is not None and first.event.count == count and fold(first.by) != fold(link.entry.actor)
        words = f"no first count of the tray of {table!r} by somebody else was waiting"
        require(link, fits, FaultCode.COUNTS_DIFFER, words)
        assert first is not None  # noqa: S101 - it fits
        return first


def count_fault(record: CountRecord, link: Link) -> str:
    """What is wrong with a count that two people signed; empty if nothing is, or if it is none."""
    entry, context = link.entry, link.context
    if not entry.command_id.startswith(COUNT_ID) or context.round == NO_ROUND:
        return ""  # earlier releases did not put the first count on record
    try:
        event = read_event(entry.event)
    except msgspec.MsgspecError:
        return ""  # reported by whoever replays it
    if not isinstance(event, TrayCounted):
        return ""
    agreed = record.agreed.get(entry.command_id)
    if agreed is None:
        return "nobody counted the tray before, or not the same"
    first, opened = agreed.first.event, agreed.event
    commitment = count_commitment(
        opened.nonce, first.stream, first.count, event.purpose, event.piles, opened.tray_minor
    )
    if first.stream != entry.stream or commitment != first.commitment:
        return "the first count of the tray was another one"
    signed = {fold(entry.actor), fold(context.proposed_by)}
    return "" if signed == {fold(agreed.first.by), fold(agreed.by)} else "others counted the tray than those who signed"


def check_counts(record: CountRecord, rows: Sequence[Row], key: SecretKey | None) -> Iterator[tuple[FaultCode, str]]:
    """Compare the first counts that wait. One that is missing is made again."""
    for row in rows:
        table, stream, count, by = row[:4]
        first = record.waiting.get(str(table))
        if first is None or (first.event.stream, first.event.count, first.by) != (stream, count, by):
            yield FaultCode.COUNTS_DIFFER, f"nobody made this first count of the tray of {table!r}"
            continue
        opened = open_count(row, key) if key is not None else None
        if opened is not None and opened.commitment != first.event.commitment:
            yield FaultCode.COUNTS_DIFFER, f"the first count of the tray of {table!r} is not the one that was made"
        elif opened is None and key is not None:
            yield FaultCode.COUNTS_DIFFER, f"the first count of the tray of {table!r} was altered"
