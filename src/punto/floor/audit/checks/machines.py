"""Checks the rounds of sealed continuous machines: each was dealt from its own order, which was sealed before it."""

from collections.abc import Callable, Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from punto.floor.audit.faults import FaultCode, FaultFound, fault_found
from punto.floor.audit.house_record import HouseRecord
from punto.floor.journal.entry import Entry
from punto.floor.journal.house_events import seal_id
from punto.floor.shoes.card_lookup import drawn_from, in_play
from punto.floor.shoes.machine_orders import (
    DrawnCards,
    OrderStart,
    block_of,
    is_whole,
    machines_of,
    orders_to_reveal,
    proves,
    start_of,
)
from punto.rules.coup.cards import Card, Face
from punto.table.records.events import Event, OrderRevealed
from punto.table.records.state import Shoe, Table

StoredOrders = Callable[[str, int], str | None]
"""The cards of an order as they are stored, by machine and number; None if they cannot be read."""


class _Machine(Struct):
    """A machine as far as its stream was read."""

    shoe: Shoe
    revealed: int = 0
    announced: list[int] = field(default_factory=list)
    """The orders that the command being read reveals."""
    starts: dict[int, OrderStart] = field(default_factory=dict)
    """Of the orders that are not revealed."""
    rounds: dict[int, int] = field(default_factory=dict)
    """The round that was dealt from each of them."""
    shown: dict[int, tuple[Face, Entry]] = field(default_factory=dict)
    """By position, the cards of those orders that were shown."""
    drawn: DrawnCards = field(default_factory=DrawnCards)
    nonces: set[str] = field(default_factory=set)


class MachineWatch:
    """Looks at one stream while it is replayed, and raises at the first fault."""

    def __init__(self, record: HouseRecord, stored: StoredOrders, *, manual: bool) -> None:
        self._seals, self._stored, self._manual = record.shoes, stored, manual
        self._machines: dict[str, _Machine] = {}

    def check_table(self, event: Event, entry: Entry) -> None:
        """Where people enter the cards nothing is sealed, so no order can be revealed."""
        if self._manual and isinstance(event, OrderRevealed):
            words = f"order {event.order} of the shoe {event.shoe!r} was revealed at a table that seals nothing"
            raise self._fault(entry, FaultCode.SHOE_NOT_SEALED, words)

    def see_draw(self, event: Event, entry: Entry) -> None:
        """An event before it is applied. Everybody knows the cards of an order that is revealed."""
        machine = self._machines.get(drawn_from(event))
        if machine is not None and machine.shoe.order < machine.revealed:
            order, name = machine.shoe.order, machine.shoe.id
            words = f"a card was drawn from order {order} of the shoe {name!r}, which had been revealed"
            raise self._fault(entry, FaultCode.SHOE_REVEALED_EARLY, words)

    def see(self, event: Event, entry: Entry, after: Table) -> None:
        """An event, and the table after it."""
        if isinstance(event, OrderRevealed):
            self._reveal(event, entry)
        for name, shoe in machines_of(after).items():
            machine = self._machines.setdefault(name, _Machine(shoe))
            machine.shoe = shoe
            if shoe.order >= machine.revealed:
                machine.starts.setdefault(shoe.order, start_of(shoe))
            if shoe.rounds and after.round is not None:
                machine.rounds.setdefault(shoe.order, after.round.number)

    def see_card(self, name: str, draw: int, card: Face, entry: Entry) -> None:
        """A card of a machine was shown. It is checked when its order is revealed."""
        machine = self._machines[name]
        first = machine.starts.get(machine.revealed)
        if first is not None and draw >= first.first_draw:
            machine.shown[draw] = (card, entry)
        elif machine.drawn.card(draw) != card:
            raise self._other_card(name, draw, card, entry)

    def end_command(self, entry: Entry, after: Table) -> None:
        """A command reveals the orders that are over after it, neither more nor fewer."""
        for name, machine in [*self._machines.items()]:
            before = machine.revealed - len(machine.announced)
            due = orders_to_reveal(replace(machine.shoe, revealed=before), after)
            if len(machine.announced) > len(due):
                words = f"order {machine.revealed - 1} of the shoe {name!r} was revealed while still in play"
                raise self._fault(entry, FaultCode.SHOE_REVEALED_EARLY, words)
            if len(machine.announced) < len(due) and not self._cannot_be_revealed(name, machine.revealed):
                words = f"order {machine.revealed} of the shoe {name!r} is over but was not revealed"
                raise self._fault(entry, FaultCode.SHOE_NOT_REVEALED, words)
            machine.announced = []
            if name not in in_play(after) and machine.shoe.id not in machines_of(after):
                del self._machines[name]

    def _cannot_be_revealed(self, name: str, order: int) -> bool:
        """Its key was lost with a restore, or it is on record as not as it was sealed, and really is not."""
        sealed = self._seals.get(name)
        if sealed is None:
            return False
        return sealed.unreadable or (sealed.altered and self._stored(name, order) is None)

    def finish(self) -> None:
        """At the end of the stream: the cards of the round in play, as far as their order can be read."""
        for name, machine in self._machines.items():
            for order in sorted(machine.starts):
                cards = self._stored(name, order)
                if order < machine.revealed or cards is None:
                    continue
                self._compare(name, machine, order, cards)

    # ---- an order

    def _reveal(self, event: OrderRevealed, entry: Entry) -> None:
        name, machine = event.shoe, self._machines.get(event.shoe)
        sealed = self._seals.get(seal_id(name, block_of(event.order)))
        if machine is None or sealed is None or not sealed.event.orders:
            words = f"order {event.order} is of a shoe that was never sealed: {name!r}"
            raise self._fault(entry, FaultCode.SHOE_NOT_SEALED, words)
        if not (is_whole(event.cards, sealed.event.decks) and proves(event, sealed.event.commitment)):
            words = f"order {event.order} of the shoe {name!r} does not match its commitment"
            raise self._fault(entry, FaultCode.COMMITMENT_DIFFERS, words)
        for words in _differences(machine, event):
            raise self._fault(entry, FaultCode.ORDER_DIFFERS, f"order {event.order} of the shoe {name!r}: {words}")
        self._compare(name, machine, event.order, event.cards)
        machine.nonces.add(event.nonce)
        machine.announced.append(event.order)
        machine.revealed += 1
        del machine.starts[event.order]

    def _compare(self, name: str, machine: _Machine, order: int, cards: str) -> None:
        """The cards that were shown with those that the order gives."""
        start, following = machine.starts[order], machine.starts.get(order + 1)
        machine.drawn.deal(start, cards)
        end = following.first_draw if following is not None else machine.shoe.drawn
        for draw in [draw for draw in machine.shown if draw < end]:
            card, entry = machine.shown.pop(draw)
            if machine.drawn.card(draw) != card:
                raise self._other_card(name, draw, card, entry)

    def _other_card(self, name: str, draw: int, card: Face, entry: Entry) -> FaultFound:
        return self._fault(entry, FaultCode.CARD_DIFFERS, f"{card} is not card {draw + 1} of the shoe {name!r}")

    @staticmethod
    def _fault(entry: Entry, code: FaultCode, words: str) -> FaultFound:
        return fault_found(entry.stream, entry.version, code, words)


def _differences(machine: _Machine, event: OrderRevealed) -> Iterator[str]:
    """What a revealed order says otherwise than the rounds that were played."""
    start = machine.starts.get(event.order)
    if event.order != machine.revealed or start is None:
        yield f"it was revealed out of turn, after order {machine.revealed - 1}"
        return
    if event.nonce in machine.nonces:
        yield "its nonce was used before"
    if event.round != machine.rounds.get(event.order, 0):
        yield f"it was not dealt to round {event.round}"
    if event.first_draw != start.first_draw:
        yield f"its first card was not card {event.first_draw + 1}"
    passed: tuple[Card, ...] = machine.drawn.passed(start)
    if event.out != " ".join(passed):
        yield "other cards were out when it began"
