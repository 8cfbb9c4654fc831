"""``punto verify``: checks the whole journal and lists every fault with its place.

It may run while the floor runs: all heads are read at one moment, and entries appended later are ignored.
"""

import time
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from punto.catalogue.values import write_count
from punto.floor.audit.checks.counts import check_counts, count_fault
from punto.floor.audit.checks.incidents import check_incidents, check_numbers
from punto.floor.audit.checks.jobs import check_jobs
from punto.floor.audit.checks.machines import MachineWatch
from punto.floor.audit.checks.readings import check_readings
from punto.floor.audit.checks.rounds import RoundsCheck, check_marks, check_stray_rounds
from punto.floor.audit.checks.shoes import ShoeOrders, check_sealed
from punto.floor.audit.checks.signatures import check_signatures
from punto.floor.audit.checks.takeovers import TakeoverWatch
from punto.floor.audit.faults import Fault, FaultCode, FaultFound, fault_found
from punto.floor.audit.hash_chain import Link, walk
from punto.floor.audit.house_record import HouseRecord, SignedSince
from punto.floor.audit.kept_heads import KeptHead, KeptHeads
from punto.floor.audit.rejudge import Retrial, Watches
from punto.floor.audit.stored import doubled_commands, read_stored, stray_entries
from punto.floor.database.base import Database
from punto.floor.errors import FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.replay import NOTHING_LEFT
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head, ReadProgress, Snapshot
from punto.floor.running.table_setup import TableSetup, setup_hash
from punto.floor.secret_key import SecretKey, find_key
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.state import Phase
from punto.table.revision import REVISION


class BackwardsTime(Struct, frozen=True):
    """An entry that has an earlier time than the one before it in its stream. The chain shows which came first."""

    stream: str
    version: int
    by_us: int


class Verified(Struct):
    streams: int
    entries: int
    commands: int
    judged_again: int
    """Commands decided again; the others were decided by another revision or under a law this release lacks."""
    earlier_revision: int
    """Commands that another revision of the engine decided."""
    shoes: int
    seeded: int
    """Shoes made from a seed, which are for training only."""
    faults: list[Fault]
    heads: KeptHeads
    unchecked_shoes: int = 0
    """Shoes whose order cannot be read without the key that encrypted it. Their cards were not checked."""
    backwards: list[BackwardsTime] = []
    """Not faults: a clock may be set back, and processes that write at the same moment wait for one another."""
    signatures_checked: bool = False
    """False without the floor's key and without heads that name its public key."""
    signed_afterwards: int = 0
    """Entries of earlier releases or of a restored backup, which were signed by their heads when the floor started."""
    unsigned: int = 0
    """Entries that the next start of the floor will sign so: it was migrated or restored and has not started since."""

    @property
    def sound(self) -> bool:
        return not self.faults


def verify(
    database: Database,
    kept_heads: KeptHeads | Sequence[KeptHeads] | None = None,
    progress: ReadProgress = lambda _: None,
    key_file: str = "",
    public_key: str = "",
) -> Verified:
    """Read the whole journal and list its faults.

    ``kept_heads`` are those saved outside the database; ``key_file`` is as for
    :func:`~punto.floor.secret_key.find_key`. ``public_key`` checks the signatures; the default is that of the key or,
    without it, of the heads.
    """
    kept = [kept_heads] if isinstance(kept_heads, KeptHeads) else kept_heads or ()
    faults = [Fault("database", None, FaultCode.SCHEMA_DIFFERS, words) for words in database.differences()]
    try:
        verified = _Verification(database, kept, progress, find_key(database, key_file), public_key).run()
    except FaultFound as error:  # the tables outside the streams cannot be read
        verified = _not_read(error.fault)
    except FloorRefused:
        if not faults:
            raise
        verified = _not_read()  # because the schema differs
    verified.faults[:0] = faults
    return verified


def _not_read(*faults: Fault) -> Verified:
    return Verified(*(0,) * 7, faults=[*faults], heads=KeptHeads("heads.1", 0, {}))


def count_entries(database: Database) -> int:
    return int(database.reading(lambda transaction: transaction.rows("SELECT count(*) FROM entries")).result()[0][0])


class _Verification:
    def __init__(
        self,
        database: Database,
        kept_heads: Sequence[KeptHeads],
        progress: ReadProgress,
        key: SecretKey | None,
        public_key: str,
    ) -> None:
        self._database = database
        self._kept_heads: dict[str, list[KeptHead]] = {}
        for kept in kept_heads:
            for stream, head in kept.streams.items():
                self._kept_heads.setdefault(stream, []).append(head)
        self._progress = progress
        self._at_us = time.time_ns() // 1_000
        self._record = HouseRecord()
        self._stored = read_stored(database, self._record.replica)
        self._heads = self._stored.heads
        self._key = key
        self._orders = ShoeOrders(self._record, self._stored, key)
        self._retrials: dict[str, Retrial] = {}
        self._faults: list[Fault] = []
        self._backwards: list[BackwardsTime] = []
        of_heads = (kept.public_key for kept in kept_heads if kept.public_key)
        self._public_key = public_key or (key.public_key if key else next(of_heads, ""))
        self._signed_afterwards = self._unsigned = 0
        self._time_us: dict[str, int] = {}
        """By stream, of the last entry read."""
        self._faulty_streams: set[str] = set()
        """Streams with a fault. What follows from that fault is not reported again."""

    def run(self) -> Verified:
        self._read_house()
        for stream, head in self._heads.items():
            if stream != HOUSE:
                self._read_table(stream, head)
        self._look_for_strays()
        self._compare_reads()
        if HOUSE not in self._faulty_streams:
            self._compare_streams()
            self._compare_shoes()
            self._compare_tables()
            record, stored = self._record, self._stored
            self._compare_scans()
            for code, words in (
                *record.replica.differences(),
                *check_counts(record.counts, stored.counts, self._key),
                *check_jobs(record.jobs, stored.jobs),
                *check_readings(record.adopted, stored.adopted),
            ):
                self._add(HOUSE, None, code, words)
        self._faults += self._record.authority.all_faults(whole=not self._faulty_streams)
        self._faults += check_stray_rounds(self._database)
        if not any(fault.code is FaultCode.ROUNDS_DIFFER for fault in self._faults):
            self._faults += check_marks(self._database)
        self._compare_incidents()
        self._compare_kept_heads()
        self._compare_signatures()
        heads = {name: KeptHead(head.version, head.hash) for name, head in self._heads.items()}
        retrials = self._retrials.values()
        return Verified(
            len(self._heads),
            sum(head.version for head in self._heads.values()),
            sum(retrial.commands for retrial in retrials),
            sum(retrial.judged for retrial in retrials),
            sum(retrial.earlier_revision for retrial in retrials),
            len(self._record.shoes),
            sum(sealed.event.kind == ShoeKind.SEEDED for sealed in self._record.shoes.values()),
            self._faults,
            KeptHeads("heads.1", self._at_us, heads, self._public_key),
            self._orders.unchecked,
            self._backwards,
            bool(self._public_key),
            self._signed_afterwards,
            self._unsigned,
        )

    # ---- stream by stream

    def _add(self, stream: str, version: int | None, code: FaultCode, message: str) -> None:
        self._faults.append(Fault(stream, version, code, message))
        self._faulty_streams.add(stream)

    def _read_house(self) -> None:
        head = self._heads.get(HOUSE)
        if head is None:
            if self._heads:
                self._add(HOUSE, None, FaultCode.STREAM_LOST, "the house's stream is missing")
            return
        try:
            self._record.read(self._database, head, self._progress, self._check_link)
        except FaultFound as error:
            self._faults.append(error.fault)
            self._faulty_streams.add(HOUSE)

    def _read_table(self, stream: str, head: Head) -> None:
        name, record = StreamName.find(stream), self._record
        created = self._record.created.get(name.table) if name else None
        before = self._retrials.get(str(name.at(name.opening - 1))) if name else None
        left = NOTHING_LEFT if name and name.opening == 1 else before.closing if before else None
        manual = created is not None and created.shoes == ShoeKind.MANUAL
        without_seals = manual or HOUSE in self._faulty_streams
        takeovers = TakeoverWatch(stream, self._record.takeovers.get(stream, []), created.shoes if created else "")
        retrial = self._retrials[stream] = Retrial(
            stream,
            left,
            self._orders.find,
            self._stored.scans.get(stream, {}) if without_seals else None,
            Watches(takeovers, MachineWatch(self._record, self._orders.of_machine, manual=manual), record.authority),
            seeded=created is not None and created.shoes == ShoeKind.SEEDED,
        )
        links = walk(self._database, head, self._progress)
        rounds = RoundsCheck(self._database, head) if name else None
        links = rounds.watch(links) if rounds else links
        snapshot = self._snapshot(head)
        try:
            retrial.read(self._checked(links), None if isinstance(snapshot, FaultFound) else snapshot)
            if isinstance(snapshot, FaultFound):
                raise snapshot
        except FaultFound as error:
            self._faults.append(error.fault)
            self._faulty_streams.add(stream)
            return
        if HOUSE not in self._faulty_streams:
            self._faults += takeovers.faults()
        if rounds is not None and (fault := rounds.fault()) is not None:
            self._faults.append(fault)  # a cache: the stream itself is not faulty

    def _compare_reads(self) -> None:
        """Compare each scan with the read it came from. Faults never name a card: it may lie face down."""
        for stream, reads in self._stored.reads.items():
            scans = self._stored.scans.get(stream, {})
            differing = [place for place, card in reads.items() if scans.get(place, card) != card]
            if differing and stream not in self._faulty_streams:
                shoe, draw = differing[0]
                words = f"draw {draw} of the shoe {shoe!r} is not stored as the scanner read it"
                self._add(stream, None, FaultCode.CARD_DIFFERS, words)

    def _compare_scans(self) -> None:
        """Compare each scan with its commitment. Faults never name a card: it may lie face down."""
        committed, stored = self._record.scans.committed, self._stored.commitments
        for (stream, shoe, draw), sender in self._record.scans.senders.items():
            if self._stored.readers.get((stream, shoe, draw), sender) != sender and stream not in self._faulty_streams:
                words = f"draw {draw} of the shoe {shoe!r} was not sent by whom the table `scan_reads` names"
                self._add(stream, None, FaultCode.CARD_DIFFERS, words)
        old = self._record.scans.closed_before
        for place in sorted(committed.keys() | stored.keys(), key=repr):  # a forged draw may be no number
            stream, shoe, draw = place
            if stream in old or stream in self._faulty_streams or committed.get(place) == stored.get(place):
                continue
            retrial = self._retrials.get(stream)
            if place in stored:
                words = f"draw {draw} of the shoe {shoe!r} is not the card that a scanner read"
            elif retrial is None or (shoe, draw) not in retrial.undrawn:
                words = f"draw {draw} of the shoe {shoe!r} was read by a scanner, but the card is missing"
            else:
                continue
            self._add(stream, None, FaultCode.CARD_DIFFERS, words)

    def _snapshot(self, head: Head) -> Snapshot | FaultFound | None:
        """The stream's snapshot; None for one taken after this verification read the heads."""
        try:
            snapshot, now = self._database.reading(
                lambda tx: (streams.snapshot(tx, head), streams.find(tx, head.stream))
            ).result()
        except ValueError as error:  # includes text that is not valid UTF-8
            return fault_found(head.stream, None, FaultCode.SNAPSHOT_DIFFERS, f"the snapshot cannot be read: {error}")
        later = snapshot is not None and now is not None and head.version < snapshot.version <= now.version
        return None if later else snapshot

    def _checked(self, links: Iterator[Link]) -> Iterator[Link]:
        for link in links:
            self._check_link(link)
            if HOUSE not in self._faulty_streams:
                self._check_pins(link)
                self._check_revision(link)
                if words := count_fault(self._record.counts, link):
                    raise fault_found(link.entry.stream, link.entry.version, FaultCode.COUNTS_DIFFER, words)
            yield link

    def _check_link(self, link: Link) -> None:
        """Note the time, and compare with the heads saved outside the database."""
        entry = link.entry
        by_us = self._time_us.get(entry.stream, entry.at_us) - entry.at_us
        if by_us > 0:
            self._backwards.append(BackwardsTime(entry.stream, entry.version, by_us))
        self._time_us[entry.stream] = entry.at_us
        kept_heads = self._kept_heads.get(entry.stream, ())
        if any(kept.version == entry.version and kept.hash != entry.hash for kept in kept_heads):
            words = "the head saved outside the database belongs to a different entry"
            raise fault_found(entry.stream, entry.version, FaultCode.HEAD_NOT_IN_STREAM, words)

    def _check_pins(self, link: Link) -> None:
        """Compare with the law and the hashes that the house's stream recorded for the stream."""
        entry, record = link.entry, self._record
        if entry.version == 1 and record.laws.get(entry.stream, entry.law) != entry.law:
            words = "the house's stream says that the table was opened under another law"
            raise fault_found(entry.stream, entry.version, FaultCode.LAW_DIFFERS, words)
        if record.pins.get(entry.stream, {}).get(entry.version, entry.hash) != entry.hash:
            words = "the house's stream recorded another entry here"
            raise fault_found(entry.stream, entry.version, FaultCode.HEAD_NOT_IN_STREAM, words)

    def _check_revision(self, link: Link) -> None:
        """Otherwise a forged entry could name another revision to escape being judged again."""
        entry, running = link.entry, self._record.revision_at(link)
        if running > REVISION:
            words = f"revision {running} of the engine decided the entry: verify it with the release that has it"
            raise fault_found(entry.stream, entry.version, FaultCode.REVISION_DIFFERS, words)
        if link.context.revision != running:
            words = f"the entry names revision {link.context.revision} of the engine, but {running} was running"
            raise fault_found(entry.stream, entry.version, FaultCode.REVISION_DIFFERS, words)

    def _look_for_strays(self) -> None:
        for stream, version in self._database.reading(stray_entries).result():
            words = "an entry without a stream" if stream is None else "an entry beyond the head of its stream"
            self._add(stream or "entries", version, FaultCode.ENTRY_BEYOND_HEAD, words)
        for stream, version, command in self._database.reading(doubled_commands).result():
            self._add(stream, version, FaultCode.COMMAND_DOUBLED, f"the command id {command!r} was already accepted")

    # ---- compare the house's stream with the rest of the database

    def _compare_streams(self) -> None:
        record = self._record
        for stream in self._heads:
            if stream != HOUSE and stream not in record.opened:
                self._add(stream, None, FaultCode.STREAM_UNKNOWN, "the house's stream has no opening of this stream")
        for stream, version in record.opened.items():
            head, closed = self._heads.get(stream), record.closed.get(stream)
            if head is None:
                words = f"the stream {stream!r} is missing, but the house opened it"
                self._add(HOUSE, version, FaultCode.STREAM_LOST, words)
                continue
            if stream in self._faulty_streams:
                continue
            pinned = max(record.pins.get(stream, ()), default=0)
            if pinned > head.version:
                words = f"the house's stream has entry {pinned} of it on record: the last ones were removed"
                self._add(stream, head.version + 1, FaultCode.TAIL_CUT, words)
                continue
            over = self._retrials[stream].state.phase is Phase.CLOSED
            if closed is None and over:
                self._add(
                    stream, head.version, FaultCode.CLOSING_DIFFERS, "the house's stream has no closing of this stream"
                )
            elif closed is not None and not (over and (closed.version, closed.hash) == (head.version, head.hash)):
                words = f"house entry {record.closed_at[stream]} says that it ended with entry {closed.version}"
                self._add(stream, head.version, FaultCode.CLOSING_DIFFERS, words)

    def _compare_shoes(self) -> None:
        sound = {name: each for name, each in self._retrials.items() if name not in self._faulty_streams}
        for version, code, words in [*check_sealed(self._record, self._stored, sound, self._orders)]:
            self._add(HOUSE, version, code, words)
        for stream, retrial in self._retrials.items():
            for shoe, loaded in retrial.loaded.items():
                sealed_shoe = self._record.shoes.get(shoe)
                if sealed_shoe is None or sealed_shoe.event.stream != stream:
                    words = f"the shoe {shoe!r} was never sealed"
                    self._add(stream, loaded.version, FaultCode.SHOE_NOT_SEALED, words)
        for shoe in self._stored.shoes.keys() - self._record.shoes.keys():
            self._add(HOUSE, None, FaultCode.SHOE_NOT_SEALED, f"the house's stream has no sealing of the shoe {shoe!r}")

    def _compare_tables(self) -> None:
        created = self._record.created
        for table, event in created.items():
            try:
                setup = msgspec.json.decode(self._stored.tables.get(table, ""), type=TableSetup)
            except msgspec.MsgspecError as error:
                self._add(
                    HOUSE,
                    None,
                    FaultCode.TABLE_DIFFERS,
                    f"the setup of the table {table!r} is missing or cannot be read: {error}",
                )
                continue
            same = (setup.name, setup.book, setup.shoes, setup.decks) == (table, event.book, event.shoes, event.decks)
            if not same or (event.setup and event.setup != setup_hash(self._stored.tables[table])):
                self._add(
                    HOUSE,
                    None,
                    FaultCode.TABLE_DIFFERS,
                    f"the setup of the table {table!r} is not the one it was created with",
                )

    def _compare_incidents(self) -> None:
        sound = {name: each.incidents for name, each in self._retrials.items() if name not in self._faulty_streams}
        if sound.keys() == self._retrials.keys():
            self._faults += check_numbers([*sound.values()])
        if self._stored.incidents is not None:  # else that is reported already
            self._faults += check_incidents(self._heads, sound, self._stored.incidents)

    def _compare_kept_heads(self) -> None:
        for stream, kept_heads in self._kept_heads.items():
            kept = max(kept_heads, key=lambda kept: kept.version)
            head, had = self._heads.get(stream), write_count(kept.version, "entry", "entries")
            if head is None:
                words = f"the stream is missing; it had {had} when its head was saved"
                self._add(stream, None, FaultCode.STREAM_LOST, words)
            elif head.version < kept.version:
                words = f"the stream had {had} when its head was saved: the last ones were removed"
                self._add(stream, head.version + 1, FaultCode.TAIL_CUT, words)

    def _compare_signatures(self) -> None:
        """Last, and only where nothing else was found: what was forged badly is named by what is wrong with it."""
        if not self._public_key:
            return
        since = self._record.signed if HOUSE not in self._faulty_streams else SignedSince(1)
        checked = check_signatures(self._database, self._heads, self._public_key, since)
        self._signed_afterwards, self._unsigned = checked.adopted, checked.unsigned
        for stream, version, code, words in checked.faults:
            if stream not in self._faulty_streams:
                self._add(stream, version, code, words)
