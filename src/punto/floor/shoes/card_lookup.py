"""What a floor does with its sealed shoes: whose card is next, whether a card is the one, and when they are over."""

from collections.abc import Sequence
from typing import Any

import msgspec

from punto.floor.database.base import Database
from punto.floor.errors import FloorCode, FloorRefused, id_taken
from punto.floor.journal import streams
from punto.floor.journal.house_events import HouseEvent, ShoeRevealed
from punto.floor.running.table_setup import ShoeKind, TableSetup
from punto.floor.shoes import sealed_shoe
from punto.floor.shoes.sealed_shoe import SealedShoe
from punto.rules.coup.cards import write_cards
from punto.table.records.commands import Command, LoadShoe
from punto.table.records.events import Event
from punto.table.records.reports import ReplaceShoe
from punto.table.records.state import Table


class SealedShoes:
    """The sealed shoes of a floor. For the runtime alone."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, SealedShoe] = {}

    async def find(self, name: str) -> SealedShoe | None:
        """A sealed shoe; None for a real one."""
        if name not in self._known:
            found = await self._database.read(lambda transaction: sealed_shoe.unseal(transaction, name))
            if found is None:
                return None
            self._known[name] = found
        return self._known[name]

    @staticmethod
    def loaded(setup: TableSetup, asked: Command) -> SealedShoe | None:
        """The shoe that a command brings to a table, shuffled now."""
        if not isinstance(asked, LoadShoe | ReplaceShoe):
            return None
        if setup.shoes is ShoeKind.SEEDED:
            return sealed_shoe.seeded_shoe(asked.shoe, asked.decks, setup.seed)
        return sealed_shoe.virtual_shoe(asked.shoe, asked.decks)

    async def over(self, before: Table, after: Table) -> list[HouseEvent]:
        """The shoes that are over between two states of a table, with all that was sealed of them."""
        found = [await self.find(name) for name in sorted(sealed_shoe.in_play(before) - sealed_shoe.in_play(after))]
        return [ShoeRevealed(shoe.id, shoe.nonce, write_cards(shoe.cards)) for shoe in found if shoe is not None]

    def forget(self, told: Sequence[HouseEvent]) -> None:
        """Shoes that are over are not needed any more."""
        for event in told:
            if isinstance(event, ShoeRevealed):
                self._known.pop(event.shoe, None)

    async def with_card(self, state: Table, command_id: str, body: dict[str, Any]) -> dict[str, Any]:
        """At a sealed shoe nobody names a card: the shoe does."""
        sealed_shoe.refuse_named_cards(body)
        if not sealed_shoe.shows_card(body):
            return body
        if before := await self._database.read(lambda transaction: streams.accepted(transaction, command_id)):
            told: dict[str, Any] = msgspec.json.decode(before[0].command or "{}")
            if any(told.get(name) != value for name, value in body.items()):
                raise id_taken(command_id)
            return {**body, "card": told.get("card")}
        where = sealed_shoe.asked_for(state, body)
        shoe = await self.find(where[0]) if where else None
        if where is None or shoe is None or where[1] >= len(shoe.cards):
            return sealed_shoe.without_card(body)
        return {**body, "card": shoe.cards[where[1]]}

    async def check(self, state: Table, event: Event) -> None:
        """Nobody, whoever he is, can show a card that is not the one; ``state`` as it was before the event."""
        for name, draw, card in sealed_shoe.shown(state, event):
            shoe = await self.find(name)
            if shoe is None or draw >= len(shoe.cards) or shoe.cards[draw] is not card:
                raise FloorRefused(FloorCode.NOT_THE_SEALED_CARD, variant="other_card", card=card)
