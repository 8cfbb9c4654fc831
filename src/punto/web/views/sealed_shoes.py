"""A table's sealed shoes: the commitment published before the first card, the order revealed after the last."""

from punto.floor.database.base import Database
from punto.floor.journal.house_events import ShoeRevealed, ShoeSealed
from punto.floor.journal.seal_index import last_seals
from punto.web.messages import SealedShoeView

MAX_SHOES = 10


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
    )
