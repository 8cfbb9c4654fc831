"""A table's sealed shoes: the commitment published before the first card, the order revealed after the last.

The orders of a continuous shuffler are revealed round by round.
"""

from punto.floor.database.base import Database, Transaction
from punto.floor.house.projections.seals import find_seal, last_seals
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, event_of, tag, tag_of
from punto.floor.journal.house_events import ShoeRevealed, ShoeSealed, seal_id
from punto.floor.journal.streams import Head
from punto.floor.shoes.machine_orders import ORDERS_A_BLOCK, block_of
from punto.table.records.events import OrderRevealed
from punto.web.messages import RevealedOrderView, SealedShoeView
from punto.web.views.cursors import cursor_of

MAX_SHOES = 10
MAX_ORDERS = 20
_REVEALED = tag(OrderRevealed)


async def last_shoes(database: Database, table: str, limit: int = MAX_SHOES) -> list[SealedShoeView]:
    """The last sealed shoes of a table, newest first."""
    seals = await database.read(lambda transaction: last_seals(transaction, table, limit), long=True)
    return [_shoe(sealed, revealed) for sealed, revealed in seals]


def _shoe(sealed: ShoeSealed, revealed: ShoeRevealed | None) -> SealedShoeView:
    return SealedShoeView(
        shoe=sealed.shoe,
        decks=sealed.decks,
        kind=sealed.kind,
        commitment=sealed.commitment,
        nonce=revealed.nonce if revealed else None,
        cards=revealed.cards if revealed else None,
        orders=sealed.orders,
        block=sealed.block,
    )


async def last_orders(database: Database, head: Head, limit: int = MAX_SHOES) -> list[RevealedOrderView]:
    """The last orders that a table's stream reveals, newest first."""
    return await database.read(
        lambda transaction: revealed_orders(transaction, head, head.version + 1, limit), long=True
    )


def revealed_orders(transaction: Transaction, head: Head, before: int, limit: int) -> list[RevealedOrderView]:
    """The last orders that a stream reveals before a version, newest first."""
    found: list[RevealedOrderView] = []
    for entry in streams.read_back(transaction, head, before):
        event = event_of(entry) if tag_of(entry) == _REVEALED else None
        if isinstance(event, OrderRevealed):
            found.append(_order(transaction, entry, event))
        if len(found) == limit:
            break
    return found


def _order(transaction: Transaction, entry: Entry, event: OrderRevealed) -> RevealedOrderView:
    sealed = find_seal(transaction, seal_id(event.shoe, block_of(event.order)))
    return RevealedOrderView(
        cursor=cursor_of(entry),
        shoe=event.shoe,
        order=event.order,
        block=block_of(event.order),
        place=event.order % ORDERS_A_BLOCK,
        round=event.round,
        first_draw=event.first_draw,
        nonce=event.nonce,
        cards=event.cards,
        out=event.out,
        path=event.path,
        commitment=sealed.commitment if sealed is not None else "",
    )
