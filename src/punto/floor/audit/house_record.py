"""What the house's stream says about streams, tables, shoes, scans, counts, jobs and readings.

What it says about people and about what is in tables of its own, projections say: see :mod:`punto.floor.house.replica`.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from punto.floor.audit.checks.authority import Authority
from punto.floor.audit.checks.counts import CountRecord
from punto.floor.audit.checks.takeovers import Takeover
from punto.floor.audit.faults import FaultCode, fault_found, require
from punto.floor.audit.hash_chain import Link, walk
from punto.floor.database.base import Database
from punto.floor.database.schema import FIRST_RECORDED, FIRST_SIGNED
from punto.floor.house.replica import Impossible, Replica
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.audit_events import DaySignedOff, ExportMade, VerifyEnded
from punto.floor.journal.house_events import (
    HOUSE,
    CardScanned,
    FloorMigrated,
    FloorRestored,
    FloorStarted,
    HouseEvent,
    LateAttempt,
    ReadingAdopted,
    ShoeNotAsSealed,
    ShoeRevealed,
    ShoeSealed,
    ShoeUnreadable,
    StreamClosed,
    StreamOpened,
    TableCreated,
    TableRecovered,
    read_house_event,
    seal_id,
)
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head, ReadProgress
from punto.floor.shoes.sealed import checked_order
from punto.rules.coup.cards import Card

ScanPlace = tuple[str, str, int]
"""Stream, shoe and draw of a scan. Draws count from 1."""


class Sealed(Struct, frozen=True):
    event: ShoeSealed
    version: int
    """Of the entry that sealed it."""
    key: int
    """Of the row of that entry."""
    order: tuple[Card, ...] | None = None
    """None until it is revealed."""
    revealed: int = 0
    """Version of the entry that revealed it."""
    known_from: int = 0
    """Key of the row of the first restore after it was sealed: its order may be known since. 0 if there was none."""
    unreadable: bool = False
    """It is over, and was never revealed: its key was lost with a restore."""
    altered: bool = False
    """It, or a later block of the machine, is on record as not as it was sealed."""


class ScansOnRecord:
    def __init__(self) -> None:
        self.committed: dict[ScanPlace, str] = {}
        """To the last commitment."""
        self.senders: dict[ScanPlace, str] = {}
        """Who sent the last scan; not of those that a migration recorded."""
        self.closed_before: set[str] = set()
        """Streams that were closed before releases committed to scans."""


class SignedSince(Struct, frozen=True):
    """Versions of entries of the house."""

    signed_from: int = 0
    """Since it everything is signed; 0 if nothing shows that anything is."""
    unsigned_from: int = 0
    """A restore or a migration after that: nothing is signed until the next start. 0 if there was none."""

    def interrupted(self, version: int) -> "SignedSince":
        return self if self.unsigned_from else SignedSince(self.signed_from, version)


class HouseRecord:
    """Built by reading the house's stream; raises where an entry contradicts an earlier one."""

    def __init__(self) -> None:
        self.created: dict[str, TableCreated] = {}
        self.opened: dict[str, int] = {}
        """Stream to the version of the house entry that opened it."""
        self.laws: dict[str, str] = {}
        """Stream to the hash of the law it was opened under, where the house recorded it."""
        self.pins: dict[str, dict[int, str]] = {}
        """Stream to the versions and hashes that takeovers, restores and sign-offs recorded."""
        self._least: dict[str, list[tuple[int, int]]] = {}
        """Stream to the versions after which the given revision, or a higher one, must have decided."""
        self.closed: dict[str, StreamClosed] = {}
        self.closed_at: dict[str, int] = {}
        self.shoes: dict[str, Sealed] = {}
        """Blocks of a machine by their ``seal_id``."""
        self.takeovers: dict[str, list[Takeover]] = {}
        """By stream."""
        self.scans = ScansOnRecord()
        self.counts = CountRecord()
        self.authority = Authority()
        self.replica = Replica()
        """The tables of the database that follow from the stream."""
        self.jobs: dict[str, tuple[str, HouseEvent]] = {}
        """How each verification and export ended, and who is on record with it."""
        self.revisions: list[tuple[int, int]] = []
        """Key of the row and revision of the engine, for each start of a process with a higher one than before."""
        self.signed = SignedSince()
        self.adopted: dict[str, int] = {}
        """Reading to the version of the entry that last adopted it."""

    def read(self, database: Database, head: Head, progress: ReadProgress, check: Callable[[Link], None]) -> None:
        """Read the whole stream; raise at the first entry that is not possible."""
        for link in walk(database, head, progress):
            check(link)
            version = link.entry.version
            if link.entry.law or link.entry.command:
                raise fault_found(
                    HOUSE, version, FaultCode.NOT_AN_ENTRY, "an entry of the house's stream has a law or a command"
                )
            try:
                event = read_house_event(link.entry.event)
            except msgspec.MsgspecError as error:
                words = f"this is not an event of the house: {error}"
                raise fault_found(HOUSE, version, FaultCode.DOES_NOT_REPLAY, words) from error
            try:
                self.replica.apply(event, link.entry)
            except Impossible as impossible:
                raise fault_found(HOUSE, version, impossible.code, str(impossible)) from impossible
            self.authority.see(link, event)
            self._apply(link, event)

    def _apply(self, link: Link, event: HouseEvent) -> None:
        handlers: dict[type[HouseEvent], Callable[[Link, Any], None]] = {
            FloorStarted: self._started,
            FloorRestored: self._restored,
            TableCreated: self._created,
            StreamOpened: self._opened,
            StreamClosed: self._closed,
            TableRecovered: self._recovered,
            LateAttempt: self._late_attempt,
            ShoeSealed: self._sealed,
            ShoeRevealed: self._revealed,
            ShoeUnreadable: self._unreadable,
            ShoeNotAsSealed: self._not_as_sealed,
            FloorMigrated: self._migrated,
            CardScanned: self._scanned,
            DaySignedOff: self._signed_off,
            VerifyEnded: self._job_ended,
            ExportMade: self._job_ended,
            ReadingAdopted: self._adopted,
        }
        kind = type(event)
        handler = handlers.get(kind) or self.counts.handlers.get(kind)
        if handler is not None:
            handler(link, event)

    def _migrated(self, link: Link, event: FloorMigrated) -> None:
        """To schema 6: scans of closed streams stay without a commitment; all others are recorded again after this."""
        if event.schema > FIRST_SIGNED or (event.schema == FIRST_SIGNED and not self.signed.signed_from):
            self.signed = self.signed.interrupted(link.entry.version)
        if event.schema != FIRST_RECORDED:
            return
        self.scans = ScansOnRecord()
        self.scans.closed_before = set(self.closed)

    def _signed_off(self, link: Link, event: DaySignedOff) -> None:
        self._pin(link, event.heads)

    def _pin(self, link: Link, heads: Mapping[str, tuple[int, str]]) -> None:
        for stream, (version, hash_) in heads.items():
            require(link, stream in self.opened, FaultCode.STREAM_UNKNOWN, f"{stream!r} was never opened")
            self.pins.setdefault(stream, {})[version] = hash_

    def _job_ended(self, link: Link, event: VerifyEnded | ExportMade) -> None:
        self.jobs[event.job] = link.entry.actor, event

    def _scanned(self, link: Link, event: CardScanned) -> None:
        words = f"{event.stream!r} was not open"
        require(link, event.stream in self.opened, FaultCode.STREAM_UNKNOWN, words)
        place = (event.stream, event.shoe, event.draw)
        self.scans.committed[place] = event.commitment
        if link.entry.actor != THE_HOUSE.name:
            self.scans.senders[place] = link.entry.actor

    def _started(self, link: Link, event: FloorStarted) -> None:
        if event.public_key:
            self.signed = SignedSince(link.entry.version)
        revision = link.context.revision
        if not self.revisions or self.revisions[-1][1] < revision:
            self.revisions.append((link.key, revision))

    def _restored(self, link: Link, event: FloorRestored) -> None:
        self.signed = self.signed.interrupted(link.entry.version)
        self._pin(link, event.heads)
        for shoe, sealed in self.shoes.items():
            if not sealed.known_from:
                self.shoes[shoe] = replace(sealed, known_from=link.key)

    def revision_at(self, link: Link) -> int:
        """The revision of the engine that decided an entry: the highest that had been started, 0 if none had.

        The keys of rows are not hashed, so openings and takeovers, which are, give the least it can be.
        """
        started = max((revision for start, revision in self.revisions if start < link.key), default=0)
        least = (revision for after, revision in self._least.get(link.entry.stream, ()) if after < link.entry.version)
        return max(started, *least, 0)

    def _created(self, link: Link, event: TableCreated) -> None:
        require(
            link,
            event.table not in self.created,
            FaultCode.TABLE_DIFFERS,
            f"the table {event.table!r} was already created",
        )
        self.created[event.table] = event

    def _adopted(self, link: Link, event: ReadingAdopted) -> None:
        self.adopted[event.reading] = link.entry.version

    def _opened(self, link: Link, event: StreamOpened) -> None:
        name = StreamName.find(event.stream)
        new = event.table in self.created and event.stream not in self.opened
        same_table = name is not None and name.table == event.table
        next_opening = name is not None and (name.opening == 1 or str(name.at(name.opening - 1)) in self.closed)
        words = f"{event.stream!r} cannot have been opened at this point"
        require(link, new and same_table and next_opening, FaultCode.STREAM_UNKNOWN, words)
        self.opened[event.stream] = link.entry.version
        self._least[event.stream] = [(0, link.context.revision)]
        if event.law:
            self.laws[event.stream] = event.law

    def _recovered(self, link: Link, event: TableRecovered) -> None:
        require(link, event.stream in self.opened, FaultCode.STREAM_UNKNOWN, f"{event.stream!r} was never opened")
        words = f"{event.stream!r} was taken over before its process stopped"
        require(link, event.from_us <= event.to_us <= link.entry.at_us, FaultCode.DOES_NOT_REPLAY, words)
        self._least[event.stream].append((event.version, link.context.revision))
        takeover = Takeover(link.entry.version, link.context.revision, event)
        self.takeovers.setdefault(event.stream, []).append(takeover)
        if event.hash:
            self.pins.setdefault(event.stream, {})[event.version] = event.hash

    def _late_attempt(self, link: Link, event: LateAttempt) -> None:
        name = StreamName.find(event.stream)
        known = event.stream in self.opened and name is not None and name.table == event.table
        require(link, known, FaultCode.STREAM_UNKNOWN, f"{event.stream!r} was not open at {event.table!r}")

    def _closed(self, link: Link, event: StreamClosed) -> None:
        is_open = event.stream in self.opened and event.stream not in self.closed
        require(link, is_open, FaultCode.CLOSING_DIFFERS, f"{event.stream!r} was not open")
        self.closed[event.stream] = event
        self.closed_at[event.stream] = link.entry.version

    def _sealed(self, link: Link, event: ShoeSealed) -> None:
        follows = not event.block or seal_id(event.shoe, event.block - 1) in self.shoes
        new = event.table in self.created and event.id not in self.shoes and follows
        words = f"the shoe {event.shoe!r} cannot have been sealed at this point"
        require(link, new and event.stream in self.opened, FaultCode.SHOE_NOT_SEALED, words)
        self.shoes[event.id] = Sealed(event, link.entry.version, link.key)

    def _revealed(self, link: Link, event: ShoeRevealed) -> None:
        sealed = self.shoes.get(event.shoe)
        if sealed is None or sealed.order is not None or sealed.event.orders:
            words = f"the shoe {event.shoe!r} was never sealed, or was already revealed"
            raise fault_found(HOUSE, link.entry.version, FaultCode.SHOE_NOT_SEALED, words)
        order = checked_order(sealed.event, event.nonce, event.cards)
        if order is None:
            words = f"the revealed order of the shoe {event.shoe!r} does not match its commitment"
            raise fault_found(HOUSE, link.entry.version, FaultCode.COMMITMENT_DIFFERS, words)
        self.shoes[event.shoe] = msgspec.structs.replace(sealed, order=order, revealed=link.entry.version)

    def _not_as_sealed(self, _: Link, event: ShoeNotAsSealed) -> None:
        if (sealed := self.shoes.get(event.shoe)) is not None:
            self.shoes[event.shoe] = replace(sealed, altered=True)

    def _unreadable(self, link: Link, event: ShoeUnreadable) -> None:
        sealed = self.shoes.get(event.shoe)
        if sealed is None or sealed.order is not None or not sealed.known_from:
            words = f"the floor was not restored since the shoe {event.shoe!r} was sealed"
            raise fault_found(HOUSE, link.entry.version, FaultCode.SHOE_NOT_REVEALED, words)
        self.shoes[event.shoe] = msgspec.structs.replace(sealed, unreadable=True)
