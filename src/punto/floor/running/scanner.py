"""Cards as a scanner or an electronic shoe reads them: in order, each once, however often it is sent.

A card that is taken becomes the command that the table wants now, and is kept with it in one transaction: what is
acknowledged is on the disk, what is refused has left nothing behind, and there is no state in between.
"""

from enum import StrEnum
from functools import partial
from typing import NoReturn

import msgspec
from msgspec import Struct

from punto.floor.database.base import Duplicate, Row, Transaction
from punto.floor.errors import FloorCode, FloorRefused, VersionConflict, too_busy
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor
from punto.floor.journal.command_ids import SCAN_ID
from punto.floor.journal.entry import Entry, event_of, tag
from punto.floor.journal.streams import Head
from punto.floor.running.commands import MAX_DECISION_TRIES
from punto.floor.running.floor import Floor
from punto.floor.running.live_table import LiveTable
from punto.floor.shoes.card_lookup import refuse_named_cards
from punto.floor.shoes.scan_store import Kept, Scan, find_scan, keep_scan
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.refusals import Refusal
from punto.rules.topics import Topic
from punto.table import decide
from punto.table.decision import Decision, open_settings
from punto.table.play.opening import burn_due
from punto.table.records.commands import BurnCards, Command, DealCard
from punto.table.records.events import CardDealt, CardsBurned, Event
from punto.table.records.findings import IrregularityRaised
from punto.table.records.positions import DEALER_UP
from punto.table.records.state import Carried, Phase, Raised, Shoe, Table, cards_on_table
from punto.table.refusals import TableCode, refuse

WHAT = "scan_card"
"""The name of a scan in the record of refusals."""


class ScanResult(StrEnum):
    """What became of a card that was read."""

    TAKEN = "taken"
    """It is dealt, or known where it lies face down, or it is the card that says how many are burned."""
    BURNED = "burned"
    """One of those that are burned unseen."""
    KNOWN = "known"
    """The table had it already."""
    RAISED = "raised"
    """The table has seen that something is wrong with it: it is not taken yet, and the pit has to see to it."""


class Scanned(Struct, frozen=True):
    """The answer to a scan."""

    outcome: ScanResult
    next: int | None
    """The draw that is expected now; None where another shoe is on the table."""
    head: Head
    """Where the table stands."""
    entries: tuple[Entry, ...] = ()


async def take(floor: Floor, by: Actor, table: str, scan: Scan) -> Scanned | Refusal:
    """A card that was read; when this returns, it is on the disk. A table's own refusal is returned."""
    live = await floor.find_table(table)
    await floor.house_log.require(by, DEALER_UP, WHAT, live.setup.name)
    if live.setup.shoes is not ShoeKind.MANUAL:
        refuse_named_cards({"card": scan.card})
    for _ in range(MAX_DECISION_TRIES):
        answer = await _Scanning(floor, live, by, scan).take()
        if answer is not None:
            return answer
    raise too_busy(live.setup.name)


class _Scanning:
    """One try to take a scan, on the table as it stands."""

    def __init__(self, floor: Floor, live: LiveTable, by: Actor, scan: Scan) -> None:
        self._floor, self._live, self._by, self._scan = floor, live, by, scan

    async def take(self) -> Scanned | Refusal | None:
        """The answer; None where the table has moved on meanwhile."""
        live, scan = self._live, self._scan
        async with live.lock:
            if live.stale or live.database.shared:
                await live.catch_up()
        at, state, stream = live.head, live.state, live.stream
        kept = await live.database.read(lambda tx: find_scan(tx, stream, scan.shoe, scan.draw))
        if live.head != at:
            return None
        if at is not None and kept is not None:
            return await self._known(at, state, kept)
        if at is None or state.phase is Phase.CLOSED:
            return refuse(live.rules, TableCode.TABLE_CLOSED)
        if (lies := _lying(state, scan)) is not None:
            return await self._lies(at, state, lies)
        return await self._not_on_the_table(at, state)

    async def _known(self, at: Head, state: Table, kept: Kept) -> Scanned:
        """It was read before: the first reading stands."""
        if kept.card is not self._scan.card:
            self._differs()
        answer = await self._floor.answer_to(scan_id(at.stream, kept.version - 1)) if kept.version else None
        return self._scanned(ScanResult.KNOWN, at, state, answer.entries if answer else ())

    async def _lies(self, at: Head, state: Table, lies: Carried) -> Scanned | None:
        """Somebody else has dealt it; a card that nobody has seen is known from now on."""
        if lies.card is None:
            return await self._keep(ScanResult.TAKEN, at, state)
        if lies.card is not self._scan.card:
            self._differs()
        return self._scanned(ScanResult.KNOWN, at, state)

    async def _not_on_the_table(self, at: Head, state: Table) -> Scanned | Refusal | None:
        scan, shoe = self._scan, state.shoe
        if shoe is None:
            return refuse(self._live.rules, TableCode.NO_SHOE)
        if shoe.id != scan.shoe:
            raise FloorRefused(FloorCode.WRONG_SHOE, present=shoe.id, shoe=scan.shoe[:40])
        if scan.draw > shoe.drawn + 1:
            raise FloorRefused(FloorCode.CARD_GAP, next=shoe.drawn + 1, shoe=shoe.id, draw=scan.draw)
        if scan.draw == shoe.drawn + 1:
            return await self._draw(at, state, shoe)
        burned = await self._live.database.read(lambda tx: _burned(tx, at, scan.shoe))
        if burned is not None and 1 < scan.draw <= 1 + burned.unseen:
            return await self._keep(ScanResult.BURNED, at, state)
        if burned is not None and scan.draw == 1 and burned.card is not scan.card:
            self._differs()
        return self._scanned(ScanResult.KNOWN, at, state)  # by hand, and of a round that is over

    async def _draw(self, at: Head, state: Table, shoe: Shoe) -> Scanned | Refusal | None:
        """The next card of the shoe: the table says what becomes of it."""
        live, scan = self._live, self._scan
        if state.round is not None and state.round.irregularities.raised is not None:
            raised_by = (await live.database.read(lambda tx: _last(tx, at, IrregularityRaised)))[0][0]
            answer = await self._floor.answer_to(raised_by) if raised_by.startswith(SCAN_ID) else None
            if answer is not None:
                return self._raised(at, state, state.round.irregularities.raised, answer.entries)
        command = self._command(state, shoe)
        decision = decide(live.rules, state, command)
        if _deals_another(decision):
            return refuse(live.rules, TableCode.NOT_THE_NEXT_CARD, Topic.RECONSTRUCTION, variant="face_down")
        drawn = not isinstance(decision, Refusal) and any(isinstance(one, CardDealt | CardsBurned) for one in decision)
        # what is raised is not drawn yet: whether it is, the pit says
        also = partial(keep_scan, stream=live.stream, scan=scan, version=at.version + 1) if drawn else None
        answer = await self._floor.give(live, scan_id(at.stream, at.version), command, at, also)
        if answer.refusal is not None:
            return answer.refusal
        if not answer.entries:
            return None
        end = answer.entries[-1]
        head = Head(end.stream, at.key, end.version, end.hash)
        outcome = ScanResult.TAKEN if drawn else ScanResult.RAISED
        return Scanned(outcome, shoe.drawn + 1 + _drawn_by(answer.entries), head, answer.entries)

    def _raised(self, at: Head, state: Table, raised: Raised, entries: tuple[Entry, ...]) -> Scanned:
        """The same again, while the pit has not seen to it."""
        if raised.card not in (None, self._scan.card):
            self._differs()
        return self._scanned(ScanResult.RAISED, at, state, entries)

    def _command(self, state: Table, shoe: Shoe) -> Command:
        """What the table wants: cards that are dealt face down stay unseen, but not one that no shoe can hold."""
        by, card = self._by, self._scan.card
        if burn_due(state):
            return BurnCards(by.name, by.position, card)
        return DealCard(by.name, by.position, None if open_settings(state).face_down and shoe.left else card)

    async def _keep(self, outcome: ScanResult, at: Head, state: Table) -> Scanned | None:
        """Without an event: nobody sees it yet."""
        live, stream = self._live, self._live.stream

        def work(transaction: Transaction) -> None:
            streams.require_end(transaction, at)
            keep_scan(transaction, stream, self._scan)

        async with live.lock:  # a command that is about to name the card is waited for
            if live.head != at:
                return None
            try:
                await live.database.write(work)
            except (Duplicate, VersionConflict):  # somebody else was quicker
                return None
        live.signal()  # a card that lies there can be turned now
        return self._scanned(outcome, at, state)

    def _scanned(self, outcome: ScanResult, at: Head, state: Table, entries: tuple[Entry, ...] = ()) -> Scanned:
        shoe = state.shoe
        expected = shoe.drawn + 1 if shoe is not None and shoe.id == self._scan.shoe else None
        return Scanned(outcome, expected, at, entries)

    def _differs(self) -> NoReturn:
        raise FloorRefused(FloorCode.CARD_DIFFERS, draw=self._scan.draw)


def scan_id(stream: str, version: int) -> str:
    """The id of the command that comes of a scan where the stream ends so: two that race do no harm."""
    return f"{SCAN_ID}{stream}:{version}"


def _lying(state: Table, scan: Scan) -> Carried | None:
    """The card where it lies, in the round or waiting to be dealt."""
    cards = [*(cards_on_table(state.round) if state.round else ()), *state.carried]
    return next((card for card in cards if (card.shoe, card.draw) == (scan.shoe, scan.draw - 1)), None)


def _deals_another(decision: Decision) -> bool:
    """The table would deal a card that is out already."""
    return isinstance(decision, tuple) and any(isinstance(event, CardDealt) and event.carried for event in decision)


def _drawn_by(entries: tuple[Entry, ...]) -> int:
    """How many cards have left the shoe."""
    events = [event_of(entry) for entry in entries]
    burned = sum(1 + event.unseen for event in events if isinstance(event, CardsBurned))
    return burned + sum(isinstance(event, CardDealt) for event in events)


def _last(transaction: Transaction, stream: Head, kind: type[Event]) -> list[Row]:
    """The events of a kind with their command ids, the last one first."""
    sql = "SELECT command_id, event FROM entries WHERE stream = ? AND event LIKE ? ORDER BY version DESC"
    return transaction.rows(sql, (stream.key, f'{{"event":"{tag(kind)}"%'))


def _burned(transaction: Transaction, stream: Head, shoe: str) -> CardsBurned | None:
    """The burn of a shoe, if there was one."""
    burns = (msgspec.json.decode(text, type=CardsBurned) for _, text in _last(transaction, stream, CardsBurned))
    return next((burn for burn in burns if burn.shoe == shoe), None)
