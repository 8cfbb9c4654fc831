"""Cards from a scanner or an electronic shoe. Each counts once, in order, however often it is sent.

A card becomes the command that the table needs next, and both are written in one transaction: an acknowledged card is
on the disk. A card that is out too early is a fact: it is raised, or the offer that was due before it is missed. Every
read is kept, also of a card that the table refuses. A read that contradicts an earlier one stops its bridge.
"""

from functools import partial
from typing import NoReturn

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.database.base import Duplicate, Transaction
from punto.floor.errors import FloorCode, FloorRefused, VersionConflict, too_busy
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor, command_record
from punto.floor.journal.command_ids import SCAN_ID, is_scan_id
from punto.floor.journal.entry import Entry, event_of, text_start
from punto.floor.journal.streams import Head
from punto.floor.running.appender import ExtraWork
from punto.floor.running.bridges import keep_or_stop, require_not_stopped
from punto.floor.running.commands import MAX_DECISION_TRIES
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.floor.shoes.card_lookup import refuse_named_cards
from punto.floor.shoes.scan_store import (
    Scan,
    ScanRead,
    ScanResult,
    StoredScan,
    find_scan,
    keep_read,
    store_scan,
)
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import may_be
from punto.rules.refusals import Refusal
from punto.rules.topics import Topic
from punto.table import decide
from punto.table.decision import Decision, open_settings
from punto.table.play.opening import burn_due
from punto.table.records.commands import BurnCards, Command, DealCard
from punto.table.records.events import CardDealt, CardsBurned
from punto.table.records.findings import IrregularityRaised
from punto.table.records.positions import DEALER_UP
from punto.table.records.state import CarriedCard, Phase, RaisedIrregularity, Shoe, Table, cards_on_table
from punto.table.refusals import TableCode, refuse

COMMAND_NAME = "scan_card"
"""Name of a scan in recorded refusals."""
_REFUSED_READS = frozenset(
    {FloorCode.NOT_THE_SEALED_CARD, FloorCode.WRONG_SHOE, FloorCode.CARD_GAP, FloorCode.CARD_DIFFERS}
)
"""Refusals by the floor that are about the card, not about the database."""


class ScanAnswer(Struct, frozen=True):
    outcome: ScanResult
    next: int | None
    """The next expected draw; None if another shoe is at the table."""
    head: Head
    """The head of the table's stream."""
    entries: tuple[Entry, ...] = ()


async def take(floor: Floor, by: Actor, table: str, scan: Scan, bridge: str = "") -> ScanAnswer | Refusal:
    """Take a scanned card. When this returns, it is on the disk. A refusal of the table is returned, not raised.

    ``bridge`` is the key of the token that sent it. Refused while it is stopped.
    """
    live = await floor.find_table(table)
    await floor.house_log.require(by, DEALER_UP, COMMAND_NAME, live.setup.name)
    await floor.database.read(lambda transaction: require_not_stopped(transaction, bridge))
    try:
        answer = await _take(floor, live, by, scan)
    except FloorRefused as refused:
        if refused.code in _REFUSED_READS:
            await keep_or_stop(floor.house_log, by, bridge, ScanRead(live.stream, by.name, scan, refused.code))
        raise
    outcome = answer.code if isinstance(answer, Refusal) else answer.outcome
    if outcome not in (ScanResult.TAKEN, ScanResult.BURNED):  # these are kept with the card
        await keep_or_stop(floor.house_log, by, bridge, ScanRead(live.stream, by.name, scan, outcome))
    return answer


async def _take(floor: Floor, live: LiveTable, by: Actor, scan: Scan) -> ScanAnswer | Refusal:
    if live.setup.shoes is not ShoeKind.MANUAL:
        refuse_named_cards({"card": scan.card})
    for _ in range(MAX_DECISION_TRIES):
        answer = await _Scanning(floor, live, by, scan).take()
        if answer is not None:
            return answer
    raise too_busy(live.setup.name)


class _Scanning:
    """One try to take a scan at the current state of the table."""

    def __init__(self, floor: Floor, live: LiveTable, by: Actor, scan: Scan) -> None:
        self._floor, self._live, self._by, self._scan = floor, live, by, scan

    async def take(self) -> ScanAnswer | Refusal | None:
        """The answer; None if the table has changed in the meantime."""
        live, scan = self._live, self._scan
        async with live.lock:
            if live.stale or live.database.shared:
                await live.catch_up()
        at, state, stream = live.head, live.state, live.stream
        stored = await live.database.read(lambda tx: find_scan(tx, stream, scan.shoe, scan.draw))
        if live.head != at:
            return None
        if at is not None and stored is not None:
            return await self._known(at, state, stored)
        if at is None or state.phase is Phase.CLOSED:
            return refuse(live.rules, TableCode.TABLE_CLOSED)
        if (on_table := _find_on_table(state, scan)) is not None:
            return await self._on_table(at, state, on_table)
        return await self._not_on_table(at, state)

    async def _known(self, at: Head, state: Table, stored: StoredScan) -> ScanAnswer:
        """It was scanned before. The first scan counts."""
        if stored.card != self._scan.card:
            self._differs()
        answer = await self._floor.answer_to(scan_id(at.stream, stored.version - 1)) if stored.version else None
        return self._answer(ScanResult.KNOWN, at, state, answer.entries if answer else ())

    async def _on_table(self, at: Head, state: Table, on_table: CarriedCard) -> ScanAnswer | None:
        """It was dealt by hand. If it is face down, the scan makes it known."""
        if on_table.card is None:
            return await self._store(ScanResult.TAKEN, at, state)
        if not may_be(on_table.card, self._scan.card):
            self._differs()
        return self._answer(ScanResult.KNOWN, at, state)

    async def _not_on_table(self, at: Head, state: Table) -> ScanAnswer | Refusal | None:
        scan, shoe = self._scan, state.shoe
        if shoe is None:
            return refuse(self._live.rules, TableCode.NO_SHOE)
        if shoe.id != scan.shoe:
            raise FloorRefused(FloorCode.WRONG_SHOE, present=shoe.id, shoe=scan.shoe[:40])
        if scan.draw > shoe.drawn + 1:
            raise FloorRefused(FloorCode.CARD_GAP, next=shoe.drawn + 1, shoe=shoe.id, draw=scan.draw)
        if scan.draw == shoe.drawn + 1:
            return await self._draw(at, state, shoe)
        if shoe.burned_card is not None and 1 < scan.draw <= shoe.burned:
            return await self._store(ScanResult.BURNED, at, state)
        if shoe.burned_card is not None and scan.draw == 1 and not may_be(shoe.burned_card, scan.card):
            self._differs()
        return self._answer(ScanResult.KNOWN, at, state)  # entered by hand, in an earlier round

    async def _draw(self, at: Head, state: Table, shoe: Shoe) -> ScanAnswer | Refusal | None:
        """Draw the next card of the shoe, as the table needs it."""
        live, scan = self._live, self._scan
        if state.round is not None and state.round.irregularities.raised is not None:
            raised_by = await live.database.read(lambda tx: _raised_by(tx, at))
            answer = await self._floor.answer_to(raised_by) if is_scan_id(raised_by) else None
            if answer is not None:
                return self._raised(at, state, state.round.irregularities.raised, answer.entries)
        command = self._command(state, shoe)
        decision = decide(live.rules, state, command)
        if isinstance(decision, Refusal) and decision.code is TableCode.INSURANCE_DUE:  # the card is out all the same
            command = replace(command, not_offered=True)
            decision = decide(live.rules, state, command)
        if _deals_another(decision):
            return refuse(live.rules, TableCode.NOT_THE_NEXT_CARD, Topic.RECONSTRUCTION, variant="face_down")
        drawn = not isinstance(decision, Refusal) and any(
            isinstance(event, CardDealt | CardsBurned) for event in decision
        )
        outcome = ScanResult.TAKEN if drawn else ScanResult.RAISED
        kept, record = self._kept(outcome), command_record(self._by, self._floor.clock)

        def extra(transaction: Transaction) -> None:
            kept(transaction)
            if drawn:  # a raised card is not drawn yet: the supervisor decides
                store_scan(transaction, live.stream, scan, record, at.version + 1)

        answer = await self._floor.give(live, scan_id(at.stream, at.version), command, at, extra)
        if answer.refusal is not None:
            return answer.refusal
        if not answer.entries:
            return None
        end = answer.entries[-1]
        head = Head(end.stream, at.key, end.version, end.hash)
        return ScanAnswer(outcome, shoe.drawn + 1 + _drawn_by(answer.entries), head, answer.entries)

    def _raised(self, at: Head, state: Table, raised: RaisedIrregularity, entries: tuple[Entry, ...]) -> ScanAnswer:
        """The same answer until the irregularity is resolved."""
        if raised.card not in (None, self._scan.card):
            self._differs()
        return self._answer(ScanResult.RAISED, at, state, entries)

    def _command(self, state: Table, shoe: Shoe) -> Command:
        """The command for the card. A face-down card is dealt without its value, unless the shoe is empty."""
        by, card = self._by, self._scan.card
        if burn_due(state):
            return BurnCards(by.name, by.position, card)
        shown = None if open_settings(state).face_down and shoe.left else card
        return DealCard(by.name, by.position, shown, before_close=state.phase is Phase.BETTING)

    def _kept(self, outcome: ScanResult) -> ExtraWork:
        read = ScanRead(self._live.stream, self._by.name, self._scan, outcome)
        return partial(keep_read, read=read, at_us=self._floor.clock.now_us())

    async def _store(self, outcome: ScanResult, at: Head, state: Table) -> ScanAnswer | None:
        """Store the scan without an event: the card is not visible yet."""
        live, stream, kept = self._live, self._live.stream, self._kept(outcome)
        record = command_record(self._by, self._floor.clock)

        def work(transaction: Transaction) -> None:
            streams.require_end(transaction, at)
            store_scan(transaction, stream, self._scan, record)
            kept(transaction)

        async with live.lock:  # wait for a command that may name the card
            if live.head != at:
                return None
            try:
                await live.database.write(work)
            except (Duplicate, VersionConflict):  # another process stored it first
                return None
        live.signal()  # the automatic dealer can turn the card now
        return self._answer(outcome, at, state)

    def _answer(self, outcome: ScanResult, at: Head, state: Table, entries: tuple[Entry, ...] = ()) -> ScanAnswer:
        shoe = state.shoe
        expected = shoe.drawn + 1 if shoe is not None and shoe.id == self._scan.shoe else None
        return ScanAnswer(outcome, expected, at, entries)

    def _differs(self) -> NoReturn:
        raise FloorRefused(FloorCode.CARD_DIFFERS, draw=self._scan.draw)


def scan_id(stream: str, version: int) -> str:
    """The id of the command for a scan. It derives from the end of the stream, so two at once do no harm."""
    return f"{SCAN_ID}{stream}:{version}"


def _find_on_table(state: Table, scan: Scan) -> CarriedCard | None:
    """The scanned card, if it is in the round or waiting to be dealt."""
    cards = [*(cards_on_table(state.round) if state.round else ()), *state.carried]
    return next((card for card in cards if (card.shoe, card.draw) == (scan.shoe, scan.draw - 1)), None)


def _deals_another(decision: Decision) -> bool:
    """Whether the table would deal a card that was already drawn."""
    return isinstance(decision, tuple) and any(isinstance(event, CardDealt) and event.carried for event in decision)


def _drawn_by(entries: tuple[Entry, ...]) -> int:
    """How many cards the entries took from the shoe."""
    events = [event_of(entry) for entry in entries]
    burned = sum(1 + event.unseen for event in events if isinstance(event, CardsBurned))
    return burned + sum(isinstance(event, CardDealt) for event in events)


def _raised_by(transaction: Transaction, stream: Head) -> str:
    """The id of the command that raised the last irregularity."""
    sql = "SELECT command_id FROM entries WHERE stream = ? AND event LIKE ? ORDER BY version DESC LIMIT 1"
    return str(transaction.rows(sql, (stream.key, f"{text_start(IrregularityRaised)}%"))[0][0])
