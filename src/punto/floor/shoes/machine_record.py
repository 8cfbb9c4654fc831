"""What a continuous machine has dealt, followed through the journal from its first round."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import event_of
from punto.floor.journal.streams import Head
from punto.floor.shoes.machine_orders import DrawnCards, OrderStart, machine_in, start_of
from punto.rules.coup.cards import Card
from punto.table import evolve
from punto.table.records.events import Event
from punto.table.records.state import Table


class DealtOrder(Struct, frozen=True):
    start: OrderStart
    passed: tuple[Card, ...]
    """The cards that were out at its start."""
    cards: tuple[Card, ...]
    """The cards that could be drawn from it."""


def dealt_orders(transaction: Transaction, head: Head, machine: str, orders: Sequence[str]) -> list[DealtOrder]:
    """Each order of a machine up to the end of a table's stream. ``orders`` has the cards of all that were sealed."""
    drawn, dealt = DrawnCards(), list[DealtOrder]()
    starts = order_starts(_events(transaction, head), machine)
    for start, cards in zip(starts, orders, strict=False):
        passed = drawn.passed(start)
        dealt.append(DealtOrder(start, passed, drawn.deal(start, cards)))
    return dealt


def _events(transaction: Transaction, head: Head) -> Iterator[Event]:
    at = 0
    while at < head.version and (entries := streams.read(transaction, head, at)):
        yield from (event_of(entry) for entry in entries if entry.version <= head.version)
        at = entries[-1].version


def order_starts(events: Iterable[Event], machine: str) -> list[OrderStart]:
    """With what each order of a machine started."""
    table, starts = Table(), dict[int, OrderStart]()
    for event in events:
        table = evolve(table, event)
        shoe = machine_in(table, machine)
        if shoe is not None:
            starts.setdefault(shoe.order, start_of(shoe))
    return [starts[order] for order in sorted(starts)]
