"""A table's stream judged again: every event replayed, every command put to the book once more."""

from collections.abc import Callable, Iterator, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from punto.floor.audit.faults import Faulty, Wrong, faulty
from punto.floor.audit.hash_chain import Link
from punto.floor.journal.entry import Entry, read_command, read_event, write
from punto.floor.journal.replay import FORM
from punto.floor.journal.streams import Snapshot
from punto.floor.shoes import card_lookup
from punto.library import book, book_ids
from punto.rules.coup.cards import Card
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide, evolve
from punto.table.records.commands import Command, OpenTable
from punto.table.records.events import Event, ShoeLoaded, TableClosed, TableOpened
from punto.table.records.findings import ShoeReplaced
from punto.table.records.ledger import BANK, FLOAT, LedgerImbalance
from punto.table.records.positions import SUPERVISOR_UP
from punto.table.records.state import Phase, Table

Orders = Callable[[str], "tuple[Card, ...] | None"]
"""The order of a sealed shoe by its name; None for one that was not sealed."""
Readings = dict[tuple[str, int], str]
"""What a scanner has read of real shoes: by shoe and draw, from 1 on."""


class Loaded(Struct):
    """A shoe that came to a table, and with which entry."""

    version: int
    first_card: int = 0
    """The key of the entry that has shown a card of it for the first time."""


class Retrial:
    """One opening of a table, judged again from its first entry on."""

    def __init__(self, stream: str, carried: Mapping[str, int] | None, orders: Orders, scans: Readings | None) -> None:
        self.stream = stream
        self.state = Table()
        self.closing: dict[str, int] | None = None
        """The balances with which the table was closed."""
        self.commands = 0
        self.judged = 0
        """How many of them the shelf still has the law for."""
        self.loaded: dict[str, Loaded] = {}
        self._carried = carried
        """What the opening before it left; None where that is not known."""
        self._orders = orders
        self._scans = scans
        """None where shoes are sealed."""
        self._rules: Rulebook | None = None

    def read(self, links: Iterator[Link], snapshot: Snapshot | None) -> None:
        """All entries; stops with the first that cannot be."""
        for group in _commands(self.stream, links):
            self._judge(group)
            if snapshot is not None and snapshot.version == group[-1].entry.version:
                self._compare(snapshot)
                snapshot = None
        if snapshot is not None and snapshot.form == FORM:
            words = f"the snapshot is of entry {snapshot.version}, which is no command's last one"
            raise faulty(self.stream, snapshot.version, Wrong.SNAPSHOT_DIFFERS, words)

    def _judge(self, group: list[Link]) -> None:
        first = group[0].entry
        if self.state.phase is Phase.CLOSED and first.version != 1:
            raise self._fault(first, Wrong.DOES_NOT_REPLAY, "nothing happens at a table after its closing")
        command, events = self._decoded(first, group)
        self._require_law(first, events[0])
        self._require_carried(first, command, events[0])
        self.commands += 1
        if self._rules is not None and self._rules.law_hash == first.law:
            self.judged += 1
            self._judge_again(self._rules, first, command, group)
        for link, event in zip(group, events, strict=True):
            self._carry_out(link, event)

    def _decoded(self, first: Entry, group: list[Link]) -> tuple[Command, list[Event]]:
        entry = first
        try:
            command: Command = read_command(first.command or "")
            events = []
            for link in group:
                entry = link.entry
                events.append(read_event(entry.event))
        except msgspec.MsgspecError as error:
            words = f"this is no command or event of a table: {error}"
            raise self._fault(entry, Wrong.DOES_NOT_REPLAY, words) from error
        if (command.by, command.position) != (first.actor, first.position):
            raise self._fault(first, Wrong.DOES_NOT_REPLAY, "the command was given by somebody else")
        return command, events

    def _require_law(self, first: Entry, event: Event) -> None:
        """Every entry names the law that the table was opened under."""
        if first.version == 1:
            if not isinstance(event, TableOpened) or event.law_hash != first.law:
                raise self._fault(first, Wrong.LAW_DIFFERS, "the table was not opened under the law of its first entry")
            self._rules = book(event.book) if event.book in book_ids() else None
        elif self.state.law_hash != first.law:
            raise self._fault(first, Wrong.LAW_DIFFERS, "the entry names another law than the table was opened under")

    def _require_carried(self, first: Entry, command: Command, event: Event) -> None:
        """A table opens with what its last closing left and its float, whoever can still judge the rest."""
        if isinstance(command, OpenTable) and command.carried:
            words = "the command itself says what is carried over: the last closing does"
            raise self._fault(first, Wrong.JUDGED_OTHERWISE, words)
        if not isinstance(event, TableOpened) or not isinstance(command, OpenTable) or self._carried is None:
            return
        held = {account: amount for account, amount in self._carried.items() if account != BANK}
        held[FLOAT] = held.get(FLOAT, 0) + command.float_minor
        opened = {posting.account: posting.amount_minor for posting in event.postings if posting.account != BANK}
        if opened != {account: amount for account, amount in held.items() if amount}:
            words = "the table was opened with other balances than its last closing left"
            raise self._fault(first, Wrong.JUDGED_OTHERWISE, words)

    def _judge_again(self, rules: Rulebook, first: Entry, command: Command, group: list[Link]) -> None:
        if isinstance(command, OpenTable):
            if self._carried is None:
                return  # the fault is another stream's
            command = replace(command, carried=dict(self._carried))
        try:
            decision = decide(rules, self.state, command)
        except Exception as error:  # whatever a forged command does, is a finding
            raise self._fault(first, Wrong.JUDGED_OTHERWISE, f"the command cannot be judged: {error!r}") from error
        if isinstance(decision, Refusal):
            words = f"judged again, the command is refused: {decision.message}"
            raise self._fault(first, Wrong.JUDGED_OTHERWISE, words)
        again = [write(event) for event in decision]
        for link, event in zip(group, again, strict=False):
            if link.entry.event != event:
                raise self._fault(link.entry, Wrong.JUDGED_OTHERWISE, f"judged again, this would be {event[:200]}")
        if len(again) != len(group):
            words = f"judged again, the command has {len(again)} events, not {len(group)}"
            raise self._fault(first, Wrong.JUDGED_OTHERWISE, words)

    def _carry_out(self, link: Link, event: Event) -> None:
        entry = link.entry
        self._see_shoes(link, event)
        if isinstance(event, TableClosed):
            self.closing = event.balances
            if event.balances != self.state.balances:
                raise self._fault(entry, Wrong.CLOSING_DIFFERS, "the table was closed with other balances than it had")
        try:
            self.state = evolve(self.state, event)
        except LedgerImbalance as error:
            raise self._fault(entry, Wrong.POSTINGS_UNBALANCED, str(error)) from error
        except Exception as error:  # whatever a forged event does, is a finding
            raise self._fault(entry, Wrong.DOES_NOT_REPLAY, f"the event cannot be replayed: {error!r}") from error

    def _see_shoes(self, link: Link, event: Event) -> None:
        if self._scans is None and isinstance(event, ShoeLoaded | ShoeReplaced):
            self.loaded[event.shoe] = Loaded(link.entry.version)
        try:
            cards = card_lookup.shown(self.state, event)
        except IndexError as error:
            raise self._fault(link.entry, Wrong.DOES_NOT_REPLAY, "a card was shown where none lies") from error
        for shoe, draw, card in cards:
            if self._scans is not None:
                self._see_scan(link.entry, self._scans.get((shoe, draw + 1)), card)
                continue
            order = self._orders(shoe)
            if order is None:
                raise self._fault(link.entry, Wrong.SHOE_NOT_SEALED, f"{card} came from a shoe that was never sealed")
            if draw >= len(order) or order[draw] is not card:
                words = f"{card} is not card {draw + 1} of the shoe {shoe!r}"
                raise self._fault(link.entry, Wrong.CARD_DIFFERS, words)
            if shoe in self.loaded:
                self.loaded[shoe].first_card = self.loaded[shoe].first_card or link.key

    def _see_scan(self, entry: Entry, scanned: str | None, card: Card) -> None:
        """What a scanner has read, nobody but the pit says otherwise."""
        if scanned is not None and scanned != card and entry.position not in SUPERVISOR_UP:
            raise self._fault(entry, Wrong.CARD_DIFFERS, f"{card} is not the card that a scanner has read there")

    def _compare(self, snapshot: Snapshot) -> None:
        if snapshot.form != FORM:
            return  # nobody uses it
        try:
            same = msgspec.msgpack.decode(snapshot.state, type=Table) == self.state
        except msgspec.MsgspecError:
            return  # nor this
        if not same:
            words = "the snapshot is not what the entries up to it come to"
            raise faulty(self.stream, snapshot.version, Wrong.SNAPSHOT_DIFFERS, words)

    @staticmethod
    def _fault(entry: Entry, code: Wrong, words: str) -> Faulty:
        return faulty(entry.stream, entry.version, code, words)


def _commands(stream: str, links: Iterator[Link]) -> Iterator[list[Link]]:
    """The entries of each command together."""
    group: list[Link] = []
    for link in links:
        entry = link.entry
        if entry.part == 0:
            if group:
                yield group
            group = [link]
            continue
        if not group or entry.part != len(group) or _said(entry) != _said(group[0].entry):
            words = "the entry goes on with a command that was not begun"
            raise faulty(stream, entry.version, Wrong.NOT_AN_ENTRY, words)
        group.append(link)
    if group:
        yield group


def _said(entry: Entry) -> tuple[int, str, str, str, str]:
    return entry.at_us, entry.actor, entry.position, entry.command_id, entry.law
