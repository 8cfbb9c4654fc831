"""The sealed orders of a continuous shuffler: one for each round, a block of them under one root.

An order has the whole set, and the copies of a card are numbered. A round draws from its own order and passes over the
cards that are out: if two copies of a card are, those numbered 1 and 2, whichever they really are. What is left is in a
uniform order. It would not be if the first two copies met were passed over: with A, A and B in the set and one A out,
B would then come first in two of three orders instead of one of two.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Iterable

from msgspec import Struct

from punto.floor.journal.house_events import seal_id
from punto.floor.shoes.card_lookup import in_play
from punto.floor.shoes.merkle import leaf_hash, path_of, root_from, root_of
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.shoes.shuffle import SeededNumbers, shuffle
from punto.rules.coup.cards import Card, Face
from punto.table.play.opening import find_shoe
from punto.table.records.events import OrderRevealed
from punto.table.records.state import Phase, Shoe, Table

ORDERS_A_BLOCK = 64


class SealedOrder(Struct, frozen=True):
    nonce: str
    cards: str

    @property
    def leaf(self) -> bytes:
        """SHA-256 over a zero byte, the nonce, a newline and the cards."""
        return leaf_hash(f"{self.nonce}\n{self.cards}".encode())


class SealedBlock(Struct, frozen=True):
    """The next orders of a machine. Only the runtime may read it."""

    shoe: str
    kind: ShoeKind
    decks: int
    block: int
    """Counted from 0."""
    orders: tuple[SealedOrder, ...]

    def __repr__(self) -> str:
        """Leave out the orders: they must not get into logs or tracebacks."""
        return f"SealedBlock({self.id!r}, {self.kind.value}, {len(self.orders)} orders)"

    @property
    def id(self) -> str:
        return seal_id(self.shoe, self.block)

    @property
    def commitment(self) -> str:
        return root_of([order.leaf for order in self.orders]).hex()

    def order(self, number: int) -> SealedOrder:
        return self.orders[number % ORDERS_A_BLOCK]

    def path(self, number: int) -> tuple[str, ...]:
        leaves = [order.leaf for order in self.orders]
        return tuple(beside.hex() for beside in path_of(leaves, number % ORDERS_A_BLOCK))

    @property
    def text(self) -> str:
        return "\n".join(line for order in self.orders for line in (order.nonce, order.cards))


def block_of(order: int) -> int:
    return order // ORDERS_A_BLOCK


def ends_block(shoe: Shoe | None) -> bool:
    """A machine deals from the last order of a block, so the next one is sealed."""
    is_machine = shoe is not None and shoe.continuous is not None and shoe.rounds > 0
    return is_machine and shoe is not None and shoe.rounds % ORDERS_A_BLOCK == 0


# ---- shuffling


def virtual_block(shoe: str, decks: int, block: int) -> SealedBlock:
    """Orders shuffled with the operating system's random numbers."""
    orders = (SealedOrder(secrets.token_hex(32), _shuffled(decks, secrets.randbelow)) for _ in range(ORDERS_A_BLOCK))
    return SealedBlock(shoe, ShoeKind.VIRTUAL, decks, block, tuple(orders))


def seeded_block(shoe: str, decks: int, block: int, seed: str) -> SealedBlock:
    """The same orders for the same seed and name. For tests and training only."""
    numbers = SeededNumbers(f"{seed}\n{shoe}\n{block}".encode())
    orders = [(_shuffled(decks, numbers.below), numbers.hex()) for _ in range(ORDERS_A_BLOCK)]
    sealed = tuple(SealedOrder(nonce, cards) for cards, nonce in orders)
    return SealedBlock(shoe, ShoeKind.SEEDED, decks, block, sealed)


def _shuffled(decks: int, below: Callable[[int], int]) -> str:
    return " ".join(shuffle([f"{card}{copy}" for card in Card for copy in range(1, decks + 1)], below))


def read_block(shoe: str, kind: str, decks: int, block: int, text: str) -> SealedBlock | None:
    """A block as :attr:`SealedBlock.text` writes it; None if an order of it is not a whole set."""
    lines = text.split("\n")
    if len(lines) != 2 * ORDERS_A_BLOCK or not all(is_whole(cards, decks) for cards in lines[1::2]):
        return None
    orders = tuple(SealedOrder(nonce, cards) for nonce, cards in zip(lines[::2], lines[1::2], strict=True))
    return SealedBlock(shoe, ShoeKind(kind), decks, block, orders)


def is_whole(cards: str, decks: int) -> bool:
    """Whether an order has every copy of every card once."""
    return sorted(cards.split(" ")) == sorted(f"{card}{copy}" for card in Card for copy in range(1, decks + 1))


# ---- dealing


def draw_list(cards: str, passed: Iterable[Face]) -> tuple[Card, ...]:
    """The cards that a round draws, in their order: a whole order without the copies that are out."""
    out = Counter(map(str, passed))
    copies = ((copy[:2], int(copy[2:])) for copy in cards.split(" "))
    return tuple(Card(card) for card, number in copies if number > out[card])


class OrderStart(Struct, frozen=True):
    """What an order starts with: the position of its first card, and of the cards that are out."""

    first_draw: int
    out: tuple[int, ...]


def start_of(shoe: Shoe) -> OrderStart:
    """Of the order that a machine deals from now."""
    resting = (draw for resting in shoe.resting for draw in resting.draws)
    return OrderStart(shoe.first_draw, (*resting, *(card.draw for card in shoe.held)))


def passed_over(shoe: Shoe) -> tuple[Face, ...] | None:
    """The cards that are passed over in the order that a machine deals from; None if nobody has seen one of them."""
    held = [card.card for card in shoe.held]
    if None in held or any(len(resting.seen) < len(resting.draws) for resting in shoe.resting):
        return None
    seen = (face for resting in shoe.resting for face in resting.seen)
    return (*seen, *(face for face in held if face is not None))


class DrawnCards:
    """Which cards a machine has dealt, worked out order by order from the first."""

    def __init__(self) -> None:
        self._faces: dict[int, Card] = {}

    def card(self, draw: int) -> Card | None:
        return self._faces.get(draw)

    def passed(self, start: OrderStart) -> tuple[Card, ...]:
        """The cards that are out at the start of an order, sorted."""
        return tuple(sorted(card for draw in start.out if (card := self._faces.get(draw)) is not None))

    def deal(self, start: OrderStart, cards: str) -> tuple[Card, ...]:
        """The cards that can be drawn from an order."""
        drawn = draw_list(cards, self.passed(start))
        self._faces.update(enumerate(drawn, start.first_draw))  # the next order writes over what was not drawn
        return drawn


def machine_in(table: Table, shoe: str) -> Shoe | None:
    """A continuous machine of that name on the table, or replaced during the round."""
    found = find_shoe(table, shoe)
    return found if found is not None and found.continuous is not None else None


# ---- revealing


def machines_of(table: Table) -> dict[str, Shoe]:
    """The continuous machines of a table, by name."""
    replaced = table.round.irregularities.replaced_shoes if table.round is not None else ()
    shoes = (table.shoe, table.next_shoe, *replaced)
    return {shoe.id: shoe for shoe in shoes if shoe is not None and shoe.continuous is not None}


def orders_to_reveal(shoe: Shoe, after: Table) -> range:
    """Those that are over and not revealed, after a command.

    They wait while a card of the machine that nobody has seen waits to be dealt: its order would tell which one it is.
    """
    if shoe.id not in in_play(after):
        return range(shoe.revealed, shoe.rounds or int(shoe.drawn > 0))
    unseen = any(card.shoe == shoe.id and card.card is None for card in after.carried)
    over = after.phase is Phase.READY and (after.round is None or after.round.over)
    return range(shoe.revealed, shoe.rounds if over and not unseen else shoe.revealed)


def write_revealed(
    block: SealedBlock, order: int, now: int, start: OrderStart, passed: Iterable[Face]
) -> OrderRevealed:
    """What is published of an order when it is over; ``now`` is the round that it was dealt to."""
    sealed = block.order(order)
    written = (sealed.nonce, sealed.cards, " ".join(sorted(map(str, passed))), block.path(order))
    return OrderRevealed(block.shoe, order, now, start.first_draw, *written)


def proves(event: OrderRevealed, commitment: str) -> bool:
    """Whether a revealed order was sealed at its place under this root."""
    try:
        path = [bytes.fromhex(beside) for beside in event.path]
    except ValueError:
        return False
    leaf = SealedOrder(event.nonce, event.cards).leaf
    at = event.order % ORDERS_A_BLOCK
    return len(path) == ORDERS_A_BLOCK.bit_length() - 1 and root_from(leaf, at, path).hex() == commitment
