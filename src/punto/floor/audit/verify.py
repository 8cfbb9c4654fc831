"""``punto verify``: the chain, the heads, the postings, the replay, the shoes; every fault with its place.

It may run while the floor does: the heads are taken at one moment, and what is appended later is not looked at.
"""

import time
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from punto.floor.audit.check_accounts import beside_the_streams
from punto.floor.audit.faults import Fault, Faulty, Wrong, faulty
from punto.floor.audit.hash_chain import Link, Told, walk
from punto.floor.audit.house_record import HouseRecord, checked_order
from punto.floor.audit.kept_heads import KeptHead, KeptHeads
from punto.floor.audit.rejudge import Readings, Retrial
from punto.floor.database.base import Database, Row, Transaction
from punto.floor.journal import streams
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head, Snapshot
from punto.floor.people.floor_rules import FLOOR_RULES_KEY
from punto.floor.running.table_setup import TableSetup, setup_hash
from punto.floor.shoes.card_lookup import in_play
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import Card
from punto.table.records.state import Phase


class Verified(Struct):
    """What was found."""

    streams: int
    entries: int
    commands: int
    judged_again: int
    """Fewer than the commands where the shelf no longer has the law that they were decided under."""
    shoes: int
    seeded: int
    """Of these, from a seed: for training alone."""
    faults: list[Fault]
    heads: KeptHeads

    @property
    def sound(self) -> bool:
        """Nothing is wrong."""
        return not self.faults


def verify(database: Database, kept: KeptHeads | None = None, told: Told = lambda _: None) -> Verified:
    """Read the whole journal again and say what is wrong with it."""
    try:
        return _Verification(database, kept, told).run()
    except Faulty as found:  # what the streams stand on cannot be read
        nothing = KeptHeads("heads.1", 0, {})
        return Verified(*(0,) * 6, faults=[found.fault], heads=nothing)


def count_entries(database: Database) -> int:
    """How many entries there are to read."""
    return int(database.reading(lambda transaction: transaction.rows("SELECT count(*) FROM entries")).result()[0][0])


class _Verification:
    def __init__(self, database: Database, kept: KeptHeads | None, told: Told) -> None:
        self._database = database
        self._kept: Mapping[str, KeptHead] = kept.streams if kept else {}
        self._told = told
        self._at_us = time.time_ns() // 1_000
        self._heads, self._tables, self._shoes, self._accounts, self._rules, self._scans = _at_one_moment(database)
        self._record = HouseRecord()
        self._orders: dict[str, tuple[Card, ...] | None] = {}
        self._retrials: dict[str, Retrial] = {}
        self._faults: list[Fault] = []
        self._sick: set[str] = set()
        """Streams with a fault: nothing that follows from them is another one."""

    def run(self) -> Verified:
        self._read_house()
        for stream, head in self._heads.items():
            if stream != HOUSE:
                self._read_table(stream, head)
        self._look_for_strays()
        if HOUSE not in self._sick:
            self._compare_streams()
            self._compare_shoes()
            self._compare_tables()
            for code, words in beside_the_streams(self._record, self._accounts, self._rules):
                self._add(HOUSE, None, code, words)
        self._compare_kept()
        heads = {name: KeptHead(head.version, head.hash) for name, head in self._heads.items()}
        retrials = self._retrials.values()
        return Verified(
            len(self._heads),
            sum(head.version for head in self._heads.values()),
            sum(retrial.commands for retrial in retrials),
            sum(retrial.judged for retrial in retrials),
            len(self._record.shoes),
            sum(sealed.event.kind == ShoeKind.SEEDED for sealed in self._record.shoes.values()),
            self._faults,
            KeptHeads("heads.1", self._at_us, heads),
        )

    # ---- stream by stream

    def _add(self, stream: str, version: int | None, code: Wrong, message: str) -> None:
        self._faults.append(Fault(stream, version, code, message))
        self._sick.add(stream)

    def _read_house(self) -> None:
        head = self._heads.get(HOUSE)
        if head is None:
            if self._heads:
                self._add(HOUSE, None, Wrong.STREAM_LOST, "the house's own stream is gone")
            return
        try:
            self._record.read(self._database, head, self._told, self._see)
        except Faulty as found:
            self._faults.append(found.fault)
            self._sick.add(HOUSE)

    def _read_table(self, stream: str, head: Head) -> None:
        name = StreamName.find(stream)
        created = self._record.created.get(name.table) if name else None
        before = self._retrials.get(str(name.at(name.opening - 1))) if name else None
        carried = {} if name and name.opening == 1 else before.closing if before else None
        manual = HOUSE in self._sick or (created is not None and created.shoes == ShoeKind.MANUAL)
        retrial = self._retrials[stream] = Retrial(
            stream, carried, self._order, self._scans.get(stream, {}) if manual else None
        )
        links = walk(self._database, head, self._told)
        taken = self._snapshot(head)
        try:
            retrial.read((self._seen(link) for link in links), None if isinstance(taken, Faulty) else taken)
            if isinstance(taken, Faulty):
                raise taken
        except Faulty as found:
            self._faults.append(found.fault)
            self._sick.add(stream)

    def _snapshot(self, head: Head) -> Snapshot | Faulty | None:
        """The stream's, but for one that was taken of entries which came after the heads were."""
        try:
            taken, now = self._database.reading(
                lambda tx: (streams.snapshot(tx, head), streams.find(tx, head.stream))
            ).result()
        except ValueError as error:  # also text that is not in UTF-8
            return faulty(head.stream, None, Wrong.SNAPSHOT_DIFFERS, f"what stands there is no snapshot: {error}")
        later = taken is not None and now is not None and head.version < taken.version <= now.version
        return None if later else taken

    def _seen(self, link: Link) -> Link:
        self._see(link)
        return link

    def _see(self, link: Link) -> None:
        """Hold an entry against the head that was kept elsewhere."""
        entry = link.entry
        kept = self._kept.get(entry.stream)
        if kept is not None and kept.version == entry.version and kept.hash != entry.hash:
            words = "the head that was kept elsewhere is another entry"
            raise Faulty(Fault(entry.stream, entry.version, Wrong.HEAD_NOT_IN_STREAM, words))

    def _order(self, shoe: str) -> tuple[Card, ...] | None:
        """The order of a shoe: as revealed, or while it is in play as sealed."""
        if shoe not in self._orders:
            sealed = self._record.shoes.get(shoe)
            row = self._shoes.get(shoe)
            order = sealed.order if sealed else None
            if sealed is not None and order is None and row is not None:
                order = checked_order(sealed.event, row[1], row[2])
            self._orders[shoe] = order
        return self._orders[shoe]

    def _look_for_strays(self) -> None:
        for stream, version in self._database.reading(_strays).result():
            words = "an entry of no stream" if stream is None else "an entry beyond the head of its stream"
            self._add(stream or "entries", version, Wrong.ENTRY_BEYOND_HEAD, words)
        for stream, version, command in self._database.reading(_doubled).result():
            self._add(stream, version, Wrong.COMMAND_DOUBLED, f"the command id {command!r} was accepted before")

    # ---- what the house says against what there is

    def _compare_streams(self) -> None:
        record = self._record
        for stream in self._heads:
            if stream != HOUSE and stream not in record.opened:
                self._add(stream, None, Wrong.STREAM_UNKNOWN, "the house has no opening of this stream on record")
        for stream, version in record.opened.items():
            head, closed = self._heads.get(stream), record.closed.get(stream)
            if head is None:
                words = f"the stream {stream!r} is gone, which the house has opened"
                self._add(HOUSE, version, Wrong.STREAM_LOST, words)
                continue
            if stream in self._sick:
                continue
            over = self._retrials[stream].state.phase is Phase.CLOSED
            if closed is None and over:
                self._add(stream, head.version, Wrong.CLOSING_DIFFERS, "the house has no closing of it on record")
            elif closed is not None and not (over and (closed.version, closed.hash) == (head.version, head.hash)):
                words = f"house entry {record.closed_at[stream]} has seen it end with entry {closed.version}"
                self._add(stream, head.version, Wrong.CLOSING_DIFFERS, words)

    def _compare_shoes(self) -> None:
        playing = {shoe for retrial in self._retrials.values() for shoe in in_play(retrial.state)}
        for shoe, sealed in self._record.shoes.items():
            event, row = sealed.event, self._shoes.get(shoe)
            if event.stream in self._sick or event.stream not in self._retrials:
                continue
            loaded = self._retrials[event.stream].loaded.get(shoe)
            if loaded is None or loaded.version != event.version:
                self._add(HOUSE, sealed.version, Wrong.SHOE_LOST, f"the shoe {shoe!r} never came to its table")
            elif loaded.first_card and loaded.first_card < sealed.key:
                words = f"a card of the shoe {shoe!r} was shown before the commitment"
                self._add(HOUSE, sealed.version, Wrong.SHOE_NOT_SEALED, words)
            if row is None:
                self._add(HOUSE, sealed.version, Wrong.SHOE_LOST, f"the sealed order of the shoe {shoe!r} is gone")
            elif row[0] != event.kind or checked_order(event, row[1], row[2]) is None:
                words = f"the sealed order of the shoe {shoe!r} is not what was committed to"
                self._add(HOUSE, sealed.version, Wrong.COMMITMENT_DIFFERS, words)
            if shoe in playing and sealed.order is not None:
                self._add(HOUSE, sealed.version, Wrong.SHOE_REVEALED_EARLY, f"the shoe {shoe!r} is still in play")
            if shoe not in playing and sealed.order is None:
                self._add(HOUSE, sealed.version, Wrong.SHOE_NOT_REVEALED, f"the shoe {shoe!r} is over")
        for stream, retrial in self._retrials.items():
            for shoe, loaded in retrial.loaded.items():
                known = self._record.shoes.get(shoe)
                if known is None or known.event.stream != stream:
                    words = f"the shoe {shoe!r} was never sealed"
                    self._add(stream, loaded.version, Wrong.SHOE_NOT_SEALED, words)
        for shoe in self._shoes.keys() - self._record.shoes.keys():
            self._add(HOUSE, None, Wrong.SHOE_NOT_SEALED, f"the house has no sealing of the shoe {shoe!r} on record")

    def _compare_tables(self) -> None:
        created = self._record.created
        for table in self._tables.keys() - created.keys():
            self._add(HOUSE, None, Wrong.TABLE_DIFFERS, f"the house has not created the table {table!r}")
        for table, event in created.items():
            try:
                setup = msgspec.json.decode(self._tables.get(table, ""), type=TableSetup)
            except msgspec.MsgspecError as error:
                self._add(HOUSE, None, Wrong.TABLE_DIFFERS, f"the table {table!r} is gone, or is none: {error}")
                continue
            same = (setup.name, setup.book, setup.shoes, setup.decks) == (table, event.book, event.shoes, event.decks)
            if not same or (event.setup and event.setup != setup_hash(self._tables[table])):
                self._add(HOUSE, None, Wrong.TABLE_DIFFERS, f"the table {table!r} is not set up as it was created")

    def _compare_kept(self) -> None:
        for stream, kept in self._kept.items():
            head = self._heads.get(stream)
            if head is None:
                words = f"the stream is gone, which had {kept.version} entries when its head was kept"
                self._add(stream, None, Wrong.STREAM_LOST, words)
            elif head.version < kept.version:
                words = f"the stream had {kept.version} entries when its head was kept: its tail was cut off"
                self._add(stream, head.version + 1, Wrong.TAIL_CUT, words)


_Kept = tuple[
    dict[str, Head], dict[str, str], dict[str, tuple[str, str, str]], list[Row], list[Row], dict[str, Readings]
]
"""Heads, setups of tables, of each shoe kind, nonce and cards, the accounts, the floor's rules, what was scanned."""


def _at_one_moment(database: Database) -> _Kept:
    try:
        kept = database.reading(_beside).result()
    except UnicodeDecodeError as error:
        raise faulty("database", None, Wrong.NOT_AN_ENTRY, f"a text is not in UTF-8: {error.reason}") from error
    for head in kept[0].values():
        if (type(head.stream), type(head.version), type(head.hash)) != (str, int, str):
            raise faulty("database", None, Wrong.NOT_AN_ENTRY, f"this cannot be the head of a stream: {head}")
    return kept


def _beside(transaction: Transaction) -> _Kept:
    tables = {str(name): str(setup) for name, setup in transaction.rows("SELECT name, setup FROM tables")}
    rows = transaction.rows("SELECT id, kind, nonce, cards FROM shoes")
    shoes = {str(shoe): (str(kind), str(nonce), str(cards)) for shoe, kind, nonce, cards in rows}
    accounts = transaction.rows("SELECT name, folded, position FROM accounts ORDER BY folded")
    rules = transaction.rows("SELECT value FROM meta WHERE name = ?", (FLOOR_RULES_KEY,))
    scans: dict[str, Readings] = {}
    for stream, shoe, draw, card in transaction.rows("SELECT stream, shoe, draw, card FROM scans"):
        scans.setdefault(str(stream), {})[str(shoe), draw] = str(card)
    return streams.heads(transaction), tables, shoes, accounts, rules, scans


def _strays(transaction: Transaction) -> list[Row]:
    """Entries that no head vouches for."""
    return transaction.rows(
        "SELECT s.name, e.version FROM entries AS e LEFT JOIN streams AS s ON s.id = e.stream"
        " WHERE s.id IS NULL OR e.version > s.version OR e.version < 1 ORDER BY e.id LIMIT 10"
    )


def _doubled(transaction: Transaction) -> list[Row]:
    return transaction.rows(
        "SELECT s.name, e.version, e.command_id FROM entries AS e JOIN streams AS s ON s.id = e.stream"
        " WHERE e.part = 0 AND EXISTS (SELECT 1 FROM entries AS f"
        " WHERE f.command_id = e.command_id AND f.part = 0 AND f.id < e.id) ORDER BY e.id LIMIT 10"
    )
