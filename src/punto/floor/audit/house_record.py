"""What the house's stream says about streams, tables, shoes, scans, people, rules and readings."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import astuple, replace

from punto.floor.audit.checks.alarms import AlarmRecord
from punto.floor.audit.checks.counts import CountRecord
from punto.floor.audit.checks.stops import StopRecord
from punto.floor.audit.checks.takeovers import Takeover
from punto.floor.audit.faults import FaultCode, fault_found, require
from punto.floor.audit.hash_chain import Link, walk
from punto.floor.audit.people_record import PeopleRecord
from punto.floor.database.base import Database, Row
from punto.floor.database.schema import FIRST_RECORDED, FIRST_SIGNED
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.audit_events import DaySignedOff, ExportMade, FiguresSeen, VerifyEnded
from punto.floor.journal.house_events import (
    HOUSE,
    CardScanned,
    ChipSetChanged,
    DutyEnded,
    DutyStarted,
    FloorMigrated,
    FloorRestored,
    FloorRulesChanged,
    FloorStarted,
    HouseEvent,
    LateAttempt,
    ProposalApproved,
    ProposalDeclined,
    ProposalMade,
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
from punto.floor.journal.pit_events import FloorSettingsChanged, ShoeStepTaken, TableTitled
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head, ReadProgress
from punto.floor.people.approvals.proposal_store import ProposalState
from punto.floor.people.looks import LookRow
from punto.floor.reports.days.sign_offs import sign_off_row
from punto.floor.shoes.sealed import checked_order
from punto.floor.shoes.shoe_register import step_row
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


class ProposalOnRecord(Struct, frozen=True):
    content: str
    """SHA-256 of what was proposed and shown."""
    state: str = ProposalState.OPEN
    decided_by: str = ""
    reason: str = ""
    decided_us: int = 0
    """0 if the record does not say."""


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
        self.people = PeopleRecord()
        self.alarms = AlarmRecord()
        self.stops = StopRecord()
        self.counts = CountRecord()
        self.shoe_steps: list[Row] = []
        """The rows of the table `shoe_steps`."""
        self.sign_offs: dict[tuple[str, str], Row] = {}
        """The rows of the table `day_sign_offs`, by day and name."""
        self.looks: list[Row] = []
        """The rows of the table `looks`."""
        self.jobs: dict[str, tuple[str, HouseEvent]] = {}
        """How each verification and export ended, and who is on record with it."""
        self.revisions: list[tuple[int, int]] = []
        """Key of the row and revision of the engine, for each start of a process with a higher one than before."""
        self.signed = SignedSince()
        self.rules: FloorRulesChanged | None = None
        """The latest rules for visitors."""
        self.reserved = ""
        """Player numbers that are never given, as stored at the last migration."""
        self.chips: ChipSetChanged | None = None
        """The latest chip set."""
        self.settings: FloorSettingsChanged | None = None
        """The latest settings of the floor."""
        self.titles: dict[str, str] = {}
        """Of the tables that have one."""
        self.on_duty: dict[tuple[str, str], DutyStarted] = {}
        """By name and table, those who are on duty."""
        self.proposals: dict[str, ProposalOnRecord] = {}
        self.past_duty: list[tuple[DutyStarted, int]] = []
        """Every duty that has ended, and when."""
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
            FloorRulesChanged: self._changed,
            ChipSetChanged: self._chips_changed,
            FloorSettingsChanged: self._settings_changed,
            TableTitled: self._titled,
            ShoeStepTaken: self._shoe_step,
            DaySignedOff: self._signed_off,
            FiguresSeen: self._figures_seen,
            VerifyEnded: self._job_ended,
            ExportMade: self._job_ended,
            ProposalMade: self._proposed,
            ProposalApproved: self._proposal_decided,
            ProposalDeclined: self._proposal_decided,
            DutyStarted: self._duty_started,
            DutyEnded: self._duty_ended,
            ReadingAdopted: self._adopted,
        }
        kind = type(event)
        others = (self.people.handlers, self.alarms.handlers, self.stops.handlers, self.counts.handlers)
        handler = handlers.get(kind) or next((each[kind] for each in others if kind in each), None)
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
        self.people.migrated()
        self.reserved = event.reserved

    def _shoe_step(self, link: Link, event: ShoeStepTaken) -> None:
        self.shoe_steps.append(step_row(event, link.entry.at_us, link.entry.actor))

    def _signed_off(self, link: Link, event: DaySignedOff) -> None:
        entry, key = link.entry, (event.day, link.entry.actor)
        possible = key not in self.sign_offs and event.until_us <= event.at_us
        words = f"{entry.actor!r} cannot have signed {event.day} off at this point"
        require(link, possible, FaultCode.SIGN_OFFS_DIFFER, words)
        self.sign_offs[key] = sign_off_row(event, entry.actor, entry.position, entry.version)
        self._pin(link, event.heads)

    def _pin(self, link: Link, heads: Mapping[str, tuple[int, str]]) -> None:
        for stream, (version, hash_) in heads.items():
            require(link, stream in self.opened, FaultCode.STREAM_UNKNOWN, f"{stream!r} was never opened")
            self.pins.setdefault(stream, {})[version] = hash_

    def _figures_seen(self, link: Link, event: FiguresSeen) -> None:
        entry = link.entry
        self.looks.append(astuple(LookRow(entry.version, entry.at_us, entry.actor, event.of)))

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
        self.people.restored()
        self.signed = self.signed.interrupted(link.entry.version)
        for proposal, made in self.proposals.items():
            if made.state == ProposalState.OPEN:
                self.proposals[proposal] = replace(made, state=ProposalState.DECLINED, decided_by=THE_HOUSE.name)
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

    def _changed(self, _: Link, event: FloorRulesChanged) -> None:
        self.rules = event

    def _chips_changed(self, _: Link, event: ChipSetChanged) -> None:
        self.chips = event

    def _settings_changed(self, _: Link, event: FloorSettingsChanged) -> None:
        self.settings = event

    def _titled(self, link: Link, event: TableTitled) -> None:
        words = f"there was no table {event.table!r} to give a title"
        require(link, event.table in self.created, FaultCode.TABLE_DIFFERS, words)
        self.titles[event.table] = event.title
        if not event.title:
            del self.titles[event.table]

    def _proposed(self, link: Link, event: ProposalMade) -> None:
        words = f"the proposal {event.proposal!r} was made before"
        require(link, event.proposal not in self.proposals, FaultCode.PROPOSAL_DIFFERS, words)
        self.proposals[event.proposal] = ProposalOnRecord(event.content)

    def _proposal_decided(self, link: Link, event: ProposalApproved | ProposalDeclined) -> None:
        made = self.proposals.get(event.proposal)
        if made is None or made.state != ProposalState.OPEN:
            words = f"the proposal {event.proposal!r} cannot have been decided at this point"
            raise fault_found(HOUSE, link.entry.version, FaultCode.PROPOSAL_DIFFERS, words)
        by, at_us = link.entry.actor, link.entry.at_us
        decided = replace(made, state=ProposalState.APPROVED, decided_by=by, decided_us=at_us)
        if isinstance(event, ProposalDeclined):
            decided = replace(decided, state=ProposalState.DECLINED, reason=event.reason, decided_us=event.at_us)
        self.proposals[event.proposal] = decided

    def _duty_started(self, link: Link, event: DutyStarted) -> None:
        key = (event.name, event.table)
        known = event.name in self.people.accounts and event.table in self.created
        words = f"{event.name!r} cannot have come on duty at {event.table!r} at this point"
        require(link, known and key not in self.on_duty, FaultCode.DUTY_DIFFERS, words)
        self.on_duty[key] = event

    def _duty_ended(self, link: Link, event: DutyEnded) -> None:
        started = self.on_duty.pop((event.name, event.table), None)
        if started is None or started.at_us > event.at_us:
            words = f"{event.name!r} was not on duty at {event.table!r}"
            raise fault_found(HOUSE, link.entry.version, FaultCode.DUTY_DIFFERS, words)
        self.past_duty.append((started, event.at_us))

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
