"""The sealed shoes of a table as the house has them: published before the first card, revealed after the last."""

from punto.floor.database.base import Database
from punto.floor.journal.house_events import ShoeRevealed, ShoeSealed
from punto.floor.journal.seal_index import last_seals
from punto.web.messages import ShoeTold

MAX_SHOES = 10


async def last_shoes(database: Database, table: str, most: int = MAX_SHOES) -> list[ShoeTold]:
    """The last sealed shoes of a table, the newest first."""
    found = await database.read(lambda transaction: last_seals(transaction, table, most), long=True)
    return [_told(sealed, revealed) for sealed, revealed in found]


def _told(sealed: ShoeSealed, revealed: ShoeRevealed | None) -> ShoeTold:
    return ShoeTold(
        shoe=sealed.shoe,
        decks=sealed.decks,
        kind=sealed.kind,
        commitment=sealed.commitment,
        nonce=revealed.nonce if revealed else None,
        cards=revealed.cards if revealed else None,
    )
