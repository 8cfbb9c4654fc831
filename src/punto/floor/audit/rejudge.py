"""Replays a table's stream and decides every command again."""

from collections.abc import Callable, Iterator

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.values import write_count
from punto.floor.audit.checks.authority import Authority
from punto.floor.audit.checks.incidents import IncidentWatch
from punto.floor.audit.checks.machines import MachineWatch
from punto.floor.audit.checks.takeovers import TakeoverWatch
from punto.floor.audit.checks.trays import tray_fault
from punto.floor.audit.faults import FaultCode, FaultFound, fault_found
from punto.floor.audit.hash_chain import Link
from punto.floor.journal.entry import NO_ROUND, Entry, read_command, read_event, write
from punto.floor.journal.house_events import seal_id
from punto.floor.journal.replay import FORM
from punto.floor.journal.streams import Snapshot
from punto.floor.shoes import card_lookup
from punto.floor.shoes.machine_orders import block_of, ends_block, machine_in
from punto.library import book, book_ids
from punto.rules.coup.cards import Card, Face
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide, evolve
from punto.table.records.commands import Command, OpenTable
from punto.table.records.events import BettingOpened, Event, OrderRevealed, ShoeLoaded, TableClosed, TableOpened
from punto.table.records.findings import CardCorrected, ShoeExchanged, ShoeReplaced
from punto.table.records.ledger import BANK, FLOAT, LedgerImbalance
from punto.table.records.positions import SUPERVISOR_UP
from punto.table.records.state import Phase, Table
from punto.table.revision import REVISION

Orders = Callable[[str], "tuple[Card, ...] | None"]
"""Returns the order of a sealed shoe; None if it was not sealed, empty if it cannot be read without its key."""
Readings = dict[tuple[str, int], str]
"""Cards that a scanner read, by shoe and draw. Draws count from 1."""


class Loaded(Struct):
    version: int
    first_card: int = 0
    """Key of the row that first showed a card of the shoe; 0 if none did."""
    last_card: int = 0
    """Key of the row that last showed one."""


class Watches(Struct, frozen=True):
    """What else looks at each command while it is decided again."""

    takeovers: TakeoverWatch
    machines: MachineWatch
    authority: Authority


class Retrial:
    """Decides one opening of a table again, from its first entry."""

    def __init__(
        self,
        stream: str,
        left: TableClosed | None,
        orders: Orders,
        scans: Readings | None,
        watches: Watches,
        *,
        seeded: bool = False,
    ) -> None:
        self.stream = stream
        self.state = Table()
        self.closing: TableClosed | None = None
        self.commands = 0
        self.judged = 0
        """Commands decided again: those that this revision decided under a law this release still has."""
        self.earlier_revision = 0
        """Commands that another revision decided."""
        self.loaded: dict[str, Loaded] = {}
        self._left = left
        """The closing of the previous opening; None if unknown."""
        self._orders = orders
        self._scans = scans
        """None if the table's shoes are sealed."""
        self._seeded = seeded
        self._takeovers, self._machines, self._authority = watches.takeovers, watches.machines, watches.authority
        self._last_us = 0
        """Of the last command."""
        self.incidents = IncidentWatch()
        self.undrawn: set[tuple[str, int]] = set()
        """Shoe and draw, counted from 1, of cards that turned out not to have been drawn."""
        self._rules: Rulebook | None = None
        self._other_cards: dict[tuple[str, int], FaultFound] = {}
        """By shoe and draw, entries of a card that is not the one scanned. It may turn out not to have been drawn."""

    def read(self, links: Iterator[Link], snapshot: Snapshot | None) -> None:
        """Read all entries; raise at the first that is not possible."""
        for group in _commands(self.stream, links):
            self._replay(group)
            if snapshot is not None and snapshot.version == group[-1].entry.version:
                self._compare(snapshot)
                snapshot = None
        if snapshot is not None and snapshot.form == FORM:
            words = f"the snapshot was taken at entry {snapshot.version}, which is not the last of a command"
            raise fault_found(self.stream, snapshot.version, FaultCode.SNAPSHOT_DIFFERS, words)
        for fault in self._other_cards.values():
            raise fault
        if self._scans is None:
            self._machines.finish()

    def _replay(self, group: list[Link]) -> None:
        first, before = group[0].entry, self.state
        if before.phase is Phase.CLOSED and first.version != 1:
            raise self._fault(first, FaultCode.DOES_NOT_REPLAY, "the entry comes after the table closed")
        number = before.round.number if before.round else 0
        if group[0].context.round not in (NO_ROUND, number):
            words = f"the entry names round {group[0].context.round}, but round {number} was the last that was called"
            raise self._fault(first, FaultCode.ROUND_DIFFERS, words)
        command, events = self._decode(first, group)
        self._require_law(first, events[0])
        self._require_carried(first, command, events[0])
        self.commands += 1
        if group[0].context.revision != REVISION:
            self.earlier_revision += 1
        elif self._rules is not None and _has_law_of(self._rules, first):
            self.judged += 1
            self._decide_again(self._rules, command, group, events)
        self._takeovers.see_command(first.command_id, first.version - 1, events)
        for link, event in zip(group, events, strict=True):
            self._machines.check_table(event, link.entry)
            self._apply(link, event)
            self._takeovers.see(link.entry.version, self.state)
            self._see_machines(link.entry, event)
        if self._scans is None:
            self._machines.end_command(group[-1].entry, self.state)
        self.incidents.see(group, before, self.state, events)
        self._authority.of_command(group, self._last_us, command, events)
        self._last_us = first.at_us

    def _decode(self, first: Entry, group: list[Link]) -> tuple[Command, list[Event]]:
        entry = first
        try:
            command: Command = read_command(first.command or "")
            events = []
            for link in group:
                entry = link.entry
                events.append(read_event(entry.event))
        except msgspec.MsgspecError as error:
            words = f"this is not a command or event of a table: {error}"
            raise self._fault(entry, FaultCode.DOES_NOT_REPLAY, words) from error
        if (command.by, command.position) != (first.actor, first.position):
            raise self._fault(first, FaultCode.DOES_NOT_REPLAY, "the command names a different actor than the entry")
        return command, events

    def _require_law(self, first: Entry, event: Event) -> None:
        """Every entry must name the law the table was opened under."""
        if first.version == 1:
            if not isinstance(event, TableOpened) or event.law_hash != first.law:
                raise self._fault(first, FaultCode.LAW_DIFFERS, "the opening and its entry name different laws")
            self._rules = book(event.book) if event.book in book_ids() else None
        elif self.state.law_hash != first.law:
            raise self._fault(
                first, FaultCode.LAW_DIFFERS, "the entry names a different law than the table was opened under"
            )

    def _require_carried(self, first: Entry, command: Command, event: Event) -> None:
        """A table opens with the balances of its last closing plus its float, and the shoes that were taken off.

        This is checked for every law.
        """
        if isinstance(command, OpenTable) and (command.carried or command.taken_off or command.last_slip):
            words = "the command names carried balances, shoes or slips: these must come from the last closing"
            raise self._fault(first, FaultCode.JUDGED_OTHERWISE, words)
        if not isinstance(event, TableOpened) or not isinstance(command, OpenTable) or self._left is None:
            return
        if event.taken_off != self._left.taken_off:
            words = "the table was opened with different shoes taken off than its last closing left"
            raise self._fault(first, FaultCode.JUDGED_OTHERWISE, words)
        if event.last_slip != self._left.last_slip:
            words = "the table was opened with another number of slips than its last closing left"
            raise self._fault(first, FaultCode.JUDGED_OTHERWISE, words)
        opened = {posting.account: posting.amount_minor for posting in event.postings if posting.account != BANK}
        if self._seeded and opened.keys() <= {FLOAT}:  # as releases before 0.9.0 did not, it carries nothing over
            self._left = replace(self._left, balances={})
        held = {account: amount for account, amount in self._left.balances.items() if account != BANK}
        held[FLOAT] = held.get(FLOAT, 0) + command.float_minor
        if opened != {account: amount for account, amount in held.items() if amount}:
            words = "the table was opened with different balances than its last closing left"
            raise self._fault(first, FaultCode.JUDGED_OTHERWISE, words)

    def _decide_again(self, rules: Rulebook, command: Command, group: list[Link], events: list[Event]) -> None:
        """Compare records, not texts: a field that the journal lacks has its default."""
        first = group[0].entry
        if isinstance(command, OpenTable):
            if self._left is None:
                return  # the fault is in another stream
            left = self._left
            command = replace(command, carried=left.balances, taken_off=left.taken_off, last_slip=left.last_slip)
        try:
            decision = decide(rules, self.state, command)
        except Exception as error:  # a forged command may raise anything
            raise self._fault(first, FaultCode.JUDGED_OTHERWISE, f"the command cannot be decided: {error!r}") from error
        if isinstance(decision, Refusal):
            words = f"decided again, the command is refused: {decision.message}"
            raise self._fault(first, FaultCode.JUDGED_OTHERWISE, words)
        decided = [each for each in zip(group, events, strict=True) if not isinstance(each[1], OrderRevealed)]
        for (link, event), again in zip(decided, decision, strict=False):
            if again != event and read_event(write(again)) != event:
                words = f"decided again, this would be {write(again)[:200]}"
                raise self._fault(link.entry, FaultCode.JUDGED_OTHERWISE, words)
        if len(decision) != len(decided):
            words = f"decided again, the command has {write_count(len(decision), 'event')}, not {len(decided)}"
            raise self._fault(first, FaultCode.JUDGED_OTHERWISE, words)

    def _apply(self, link: Link, event: Event) -> None:
        entry = link.entry
        self._check_shoes(link, event)
        if words := tray_fault(self.state, event):
            raise self._fault(entry, FaultCode.JUDGED_OTHERWISE, words)
        if isinstance(event, TableClosed):
            self.closing = event
            if event.balances != self.state.balances:
                raise self._fault(
                    entry, FaultCode.CLOSING_DIFFERS, "the table was closed with different balances than it had"
                )
            if event.taken_off and event.taken_off != self.state.taken_off:  # releases before 0.8.0 name none
                words = "the table was closed with different shoes taken off than it had"
                raise self._fault(entry, FaultCode.CLOSING_DIFFERS, words)
            if event.last_slip != self.state.last_slip or self.state.slips:
                words = "the table was closed with a slip open, or with another number of slips than it had"
                raise self._fault(entry, FaultCode.CLOSING_DIFFERS, words)
        try:
            self.state = evolve(self.state, event)
        except LedgerImbalance as error:
            raise self._fault(entry, FaultCode.POSTINGS_UNBALANCED, str(error)) from error
        except Exception as error:  # a forged event may raise anything
            raise self._fault(entry, FaultCode.DOES_NOT_REPLAY, f"the event cannot be replayed: {error!r}") from error

    def _check_shoes(self, link: Link, event: Event) -> None:
        if self._scans is None:
            self._machines.see_draw(event, link.entry)
            if isinstance(event, ShoeLoaded | ShoeReplaced | ShoeExchanged):
                self.loaded[event.shoe] = Loaded(link.entry.version)
        try:
            cards = card_lookup.cards_shown(self.state, event)
        except IndexError as error:
            raise self._fault(
                link.entry, FaultCode.DOES_NOT_REPLAY, "the event shows a card where there is none"
            ) from error
        if isinstance(event, CardCorrected) and event.card is None:
            self._other_cards.pop((event.shoe, event.draw), None)
            self.undrawn.add((event.shoe, event.draw + 1))
        for shoe, draw, card in cards:
            if self._scans is not None:
                self._check_scan(link.entry, (shoe, draw), card)
                continue
            name, machine = shoe, machine_in(self.state, shoe)
            order = self._orders(shoe) if machine is None else ()
            if machine is not None:
                self._machines.see_card(shoe, draw, card, link.entry)
                name = seal_id(shoe, block_of(machine.order))
            if order is None:
                raise self._fault(
                    link.entry, FaultCode.SHOE_NOT_SEALED, f"{card} came from a shoe that was never sealed"
                )
            if order and (draw >= len(order) or order[draw] != card):
                words = f"{card} is not card {draw + 1} of the shoe {shoe!r}"
                raise self._fault(link.entry, FaultCode.CARD_DIFFERS, words)
            if name in self.loaded:
                self.loaded[name].first_card = self.loaded[name].first_card or link.key
                self.loaded[name].last_card = link.key

    def _see_machines(self, entry: Entry, event: Event) -> None:
        if self._scans is not None:
            return
        self._machines.see(event, entry, self.state)
        if isinstance(event, BettingOpened) and self.state.shoe is not None and ends_block(self.state.shoe):
            machine = self.state.shoe
            self.loaded[seal_id(machine.id, block_of(machine.order) + 1)] = Loaded(entry.version)

    def _check_scan(self, entry: Entry, place: tuple[str, int], card: Face) -> None:
        """Only a pit supervisor or above may record a card that differs from the scan."""
        scanned = (self._scans or {}).get((place[0], place[1] + 1))
        if scanned is None or card in (scanned, scanned[:1]) or entry.position in SUPERVISOR_UP:
            return
        words = f"{card} is not the card that the scanner read"
        self._other_cards[place] = self._fault(entry, FaultCode.CARD_DIFFERS, words)

    def _compare(self, snapshot: Snapshot) -> None:
        if snapshot.form != FORM:
            return  # a snapshot in another form is never used
        try:
            same = msgspec.msgpack.decode(snapshot.state, type=Table) == self.state
        except msgspec.MsgspecError:
            return  # nor is one that cannot be decoded
        if not same:
            words = "the snapshot differs from the state that the entries give"
            raise fault_found(self.stream, snapshot.version, FaultCode.SNAPSHOT_DIFFERS, words)

    @staticmethod
    def _fault(entry: Entry, code: FaultCode, words: str) -> FaultFound:
        return fault_found(entry.stream, entry.version, code, words)


def _commands(stream: str, links: Iterator[Link]) -> Iterator[list[Link]]:
    """Group the entries by command."""
    group: list[Link] = []
    for link in links:
        entry = link.entry
        if entry.part == 0:
            if group:
                yield group
            group = [link]
            continue
        if not group or entry.part != len(group) or _command_columns(entry) != _command_columns(group[0].entry):
            words = "the entry does not belong to the command before it"
            raise fault_found(stream, entry.version, FaultCode.NOT_AN_ENTRY, words)
        group.append(link)
    if group:
        yield group


def _command_columns(entry: Entry) -> tuple[int, str, str, str, str, str]:
    return entry.at_us, entry.actor, entry.position, entry.command_id, entry.law, entry.context


def _has_law_of(rules: Rulebook, first: Entry) -> bool:
    """Whether a command can be decided again. An opening under an earlier hash cannot: its event would have today's."""
    return first.law == rules.law_hash if first.version == 1 else rules.is_law(first.law)
