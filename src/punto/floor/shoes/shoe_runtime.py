"""The sealed shoes of a running floor: shuffled, dealt from and revealed. Nothing else may read their orders."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import HouseLog
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.house_events import HouseEvent, ShoeNotAsSealed, ShoeRevealed, ShoeUnreadable, seal_id
from punto.floor.journal.streams import Head
from punto.floor.secret_key import SecretKey
from punto.floor.shoes import card_lookup
from punto.floor.shoes.generator_check import Generator
from punto.floor.shoes.known_orders import known_orders
from punto.floor.shoes.machine_orders import (
    SealedBlock,
    block_of,
    draw_list,
    ends_block,
    machine_in,
    machines_of,
    orders_to_reveal,
    passed_over,
    seeded_block,
    start_of,
    virtual_block,
    write_revealed,
)
from punto.floor.shoes.machine_record import DealtOrder, dealt_orders
from punto.floor.shoes.sealed import SealedOrders, SealedShoe, seal, seeded_shoe, unseal, virtual_shoe
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import Card, write_cards
from punto.table.records.commands import CashOut, Command, Leave, LoadShoe, OpenBetting
from punto.table.records.events import BettingOpened, Event, OrderRevealed, ShoeLoaded
from punto.table.records.findings import ShoeExchanged, ShoeReplaced
from punto.table.records.positions import SUPERVISOR_UP
from punto.table.records.reports import ExchangeShoe, ReplaceShoe
from punto.table.records.state import Shoe, Table

LOADING = (LoadShoe, ReplaceShoe, ExchangeShoe)
"""Commands that put a newly shuffled shoe on a table."""
LOADED = (ShoeLoaded, ShoeReplaced, ShoeExchanged)
_LOG = logging.getLogger(__name__)


def _altered(shoe: str) -> FloorRefused:
    return FloorRefused(FloorCode.SHOE_NOT_AS_SEALED, shoe=shoe)


@contextmanager
def _suppress_altered() -> Iterator[None]:
    """Go on where a shoe is not as it was sealed: that is on record already."""
    try:
        yield
    except FloorRefused as refused:
        if refused.code is not FloorCode.SHOE_NOT_AS_SEALED:
            raise


class SealedShoes:
    """The sealed shoes of a floor. For the runtime only."""

    def __init__(self, house_log: HouseLog, key: SecretKey, generator: Generator) -> None:
        self._house_log, self._database = house_log, house_log.database
        self._generator = generator
        self._key = key
        self._cache: dict[str, SealedOrders] = {}
        self._dealing: dict[str, tuple[int, tuple[Card, ...]]] = {}
        """By machine, the order that it deals from and the cards that can be drawn from it."""
        self._altered: set[str] = set()
        """Shoes whose stored order does not match their commitment."""
        self._unreadable: set[str] = set()
        """Shoes from before a restore whose key the floor does not have any more. They are ended at the next start."""

    async def find(self, name: str) -> SealedShoe | None:
        """A sealed shoe; None if it is a real one, a machine, or cannot be read since the floor was restored.

        Refused if its order is not the one that was sealed.
        """
        found = await self._find(name)
        return found if isinstance(found, SealedShoe) else None

    async def _find(self, shoe: str, block: int = 0) -> SealedOrders | None:
        name = seal_id(shoe, block)
        if shoe in self._altered:
            raise _altered(shoe)
        if name in self._unreadable:
            return None
        if name not in self._cache:
            sealed, published = await self._database.read(lambda transaction: unseal(transaction, self._key, name))
            if published is None:
                return None
            if sealed is None:
                if await self._database.read(lambda transaction: known_orders(transaction, [name])):
                    self._unreadable.add(name)
                    return None
                await self._report(shoe, published.table)
                raise _altered(shoe)
            self._cache[name] = sealed
        return self._cache[name]

    async def _report(self, name: str, table: str) -> None:
        self._altered.add(name)
        _LOG.error("the stored order of the shoe %r does not match its commitment; its table is stopped", name)
        await self._house_log.write(THE_HOUSE, ShoeNotAsSealed(name, table))

    # ---- the cards

    async def card_at(self, head: Head | None, state: Table, place: card_lookup.ShoePlace) -> Card | None:
        """A card of a sealed shoe; None if the shoe is a real one, or has no card there. ``head`` is the table's."""
        name, draw = place
        machine = machine_in(state, name)
        if machine is None:
            shoe = await self.find(name)
            cards, at = shoe.cards if shoe is not None else (), draw
        elif draw >= machine.first_draw:
            cards, at = await self._cards_to_draw(head, machine), draw - machine.first_draw
        else:  # it was drawn too early in an earlier round
            dealt = await self._dealt_orders(head, machine)
            order = next((each for each in reversed(dealt) if each.start.first_draw <= draw), None)
            cards, at = (order.cards, draw - order.start.first_draw) if order is not None else ((), 0)
        return cards[at] if at < len(cards) else None

    async def _cards_to_draw(self, head: Head | None, machine: Shoe) -> tuple[Card, ...]:
        """What can be drawn from the order that a machine deals from; empty if it is a real one."""
        known = self._dealing.get(machine.id)
        if known is None or known[0] != machine.order:
            block, passed = await self._block(machine.id, block_of(machine.order)), passed_over(machine)
            if block is None:
                return ()
            if passed is not None:
                cards = draw_list(block.order(machine.order).cards, passed)
            else:  # nobody has seen a card that is out: follow the machine from its first round
                cards = (await self._dealt_orders(head, machine))[-1].cards
            known = self._dealing[machine.id] = (machine.order, cards)
        return known[1]

    async def _block(self, machine: str, block: int) -> SealedBlock | None:
        found = await self._find(machine, block)
        return found if isinstance(found, SealedBlock) else None

    async def _dealt_orders(self, head: Head | None, machine: Shoe) -> list[DealtOrder]:
        """All orders of a machine so far, from the journal."""
        blocks = [await self._block(machine.id, number) for number in range(block_of(machine.order) + 1)]
        if head is None or None in blocks:
            return []
        orders = [order.cards for block in blocks if block is not None for order in block.orders]
        return await self._database.read(lambda transaction: dealt_orders(transaction, head, machine.id, orders))

    async def squeezed(self, head: Head | None, state: Table) -> dict[int, Card]:
        """By place, the cards that a player has squeezed and nobody has turned. For that player alone."""
        now = state.round
        if now is None:
            return {}
        cards: dict[int, Card] = {}
        for place in sorted(now.squeezed):
            if now.cards[place - 1] is None:
                with _suppress_altered():
                    card = await self.card_at(head, state, (now.shoes[place - 1], now.draws[place - 1]))
                    if card is not None:
                        cards[place] = card
        return cards

    # ---- shoes that are not as they were sealed

    async def check_in_play(self, state: Table) -> None:
        """Check every shoe of a table, and record those that are not as they were sealed."""
        for name in sorted(card_lookup.in_play(state)):
            machine = machine_in(state, name)
            with _suppress_altered():
                await self._find(name, 0 if machine is None else block_of(machine.order))

    def altered(self, state: Table) -> str | None:
        """A shoe in play that is not as it was sealed. The table is stopped."""
        return min(card_lookup.in_play(state) & self._altered, default=None)

    def require_as_sealed(self, state: Table, command: Command) -> None:
        """At a stopped table, refuse everything but what leads out of it.

        Players may leave. Pit supervisors and above may end the round and take the shoe away, not start another round.
        """
        name = self.altered(state)
        if name is None or isinstance(command, Leave | CashOut):
            return
        if command.position not in SUPERVISOR_UP or isinstance(command, OpenBetting):
            raise _altered(name)

    # ---- sealing and revealing

    def seal(self, transaction: Transaction, shoe: SealedOrders) -> None:
        """Store a newly shuffled shoe, or a block of orders."""
        seal(transaction, self._key, shoe)

    def require_generator(self, kind: ShoeKind, command: Command) -> None:
        """Refuse a new round and a new shoe at a virtual table if the generator has failed. A round in play ends."""
        if kind is ShoeKind.VIRTUAL and isinstance(command, (OpenBetting, *LOADING)):
            self._generator.require_sound()

    async def shuffle_for(
        self, kind: ShoeKind, seed: str, events: Sequence[Event], after: Table
    ) -> SealedOrders | None:
        """A newly shuffled shoe or block, if the events need one. Refused if the generator fails its test.

        A machine that deals from the last order of a block gets the next block, a round before it is needed.
        """
        loaded = next((event for event in events if isinstance(event, LOADED)), None)
        called = any(isinstance(event, BettingOpened) for event in events) and ends_block(after.shoe)
        if loaded is None and not called:
            return None
        if kind is not ShoeKind.SEEDED:
            await self._generator.check()
            self._generator.require_sound()
        if loaded is not None and loaded.continuous is None:
            shoe = (loaded.shoe, loaded.decks)
            return seeded_shoe(*shoe, seed) if kind is ShoeKind.SEEDED else virtual_shoe(*shoe)
        if loaded is not None:
            block = (loaded.shoe, loaded.decks, 0)
        else:
            assert after.shoe is not None  # noqa: S101 - it deals from the last order of a block
            block = (after.shoe.id, after.shoe.decks, block_of(after.shoe.order) + 1)
        return seeded_block(*block, seed) if kind is ShoeKind.SEEDED else virtual_block(*block)

    async def reveal(self, table: str, before: Table, after: Table) -> list[HouseEvent]:
        """Events that reveal the shoes that are in play before but not after.

        A shoe that is not as it was sealed is on record as that, and cannot be revealed. The orders of a machine are
        revealed round by round.
        """
        events = list[HouseEvent]()
        for name in sorted(card_lookup.in_play(before) - card_lookup.in_play(after)):
            with _suppress_altered():
                shoe = await self.find(name)
                if shoe is not None:
                    events.append(ShoeRevealed(shoe.id, shoe.nonce, write_cards(shoe.cards)))
                elif name in self._unreadable:
                    events.append(ShoeUnreadable(name, table))
        return events

    async def reveal_orders(self, head: Head | None, states: Sequence[Table]) -> tuple[OrderRevealed, ...]:
        """The orders of machines that are over after a command.

        ``states`` are the table before it and after each event.
        """
        machines = {name: shoe for state in states for name, shoe in machines_of(state).items()}
        number = states[0].round.number if states[0].round is not None else 0
        revealed: list[OrderRevealed] = []
        for machine in machines.values():
            orders = orders_to_reveal(machine, states[-1])
            if orders:
                with _suppress_altered():
                    revealed += await self._reveal_orders(head, machine, orders, number)
        return tuple(revealed)

    async def _reveal_orders(self, head: Head | None, machine: Shoe, orders: range, number: int) -> list[OrderRevealed]:
        """Mostly one: that of round ``number``."""
        passed = passed_over(machine)
        if passed is not None and orders == range(machine.order, machine.order + 1):
            dealt = {machine.order: (start_of(machine), passed)}
        else:
            dealt = {
                order: (each.start, each.passed)
                for order, each in enumerate(await self._dealt_orders(head, machine))
                if order in orders
            }
        revealed = []
        for order, (start, out) in dealt.items():
            block = await self._block(machine.id, block_of(order))
            if block is not None:
                played = number - machine.order + order if machine.rounds else 0
                revealed.append(write_revealed(block, order, played, start, out))
        return revealed

    def forget(self, events: Sequence[HouseEvent], before: Table, after: Table) -> None:
        """Drop revealed shoes, used blocks, and everything of machines that have left the table from memory."""
        for event in events:
            if isinstance(event, ShoeRevealed):
                self._cache.pop(event.shoe, None)
        in_play = card_lookup.in_play(after)
        for name, machine in (machines_of(before) | machines_of(after)).items():
            left = name not in in_play
            for block in range(block_of(machine.order) + 2 * left):  # the next block may be sealed already
                self._cache.pop(seal_id(name, block), None)
            if left:
                self._dealing.pop(name, None)

    # ---- commands

    async def with_card(self, head: Head | None, state: Table, body: dict[str, Any]) -> dict[str, Any]:
        """Complete a command with the card from the shoe."""
        if not card_lookup.shows_card(body):
            return body
        place = card_lookup.place_for_command(state, body)
        card = await self.card_at(head, state, place) if place else None
        return card_lookup.without_card(body) if card is None else {**body, "card": card}

    async def check(self, head: Head | None, state: Table, event: Event) -> None:
        """Refuse an event with a card that differs from the shoe, and a draw from an order that is revealed.

        ``state`` is the table before the event.
        """
        drawn_from = card_lookup.drawn_from(event)
        machine = machine_in(state, drawn_from) if drawn_from else None
        if machine is not None and machine.order < machine.revealed:
            raise FloorRefused(FloorCode.CARD_NOT_DRAWN, variant="between_rounds")
        for name, draw, card in card_lookup.cards_shown(state, event):
            if await self.card_at(head, state, (name, draw)) != card:
                raise FloorRefused(FloorCode.NOT_THE_SEALED_CARD, variant="other_card", card=card)
