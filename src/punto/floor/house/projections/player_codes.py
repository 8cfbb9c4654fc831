"""The table ``player_codes``: with which registered players sign in, one for each until it is used or void."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from punto.floor.database.base import Transaction
from punto.floor.house.fingerprint import fingerprint
from punto.floor.house.projection import Delete, Need, Operation, Projection, Put, Values
from punto.floor.house.projections.sessions import has_player_session
from punto.floor.journal.entry import Entry
from punto.floor.journal.fault_codes import FaultCode
from punto.floor.journal.house_events import FloorRestored, HouseEvent
from punto.floor.journal.pit_events import PlayerCodeIssued, PlayerCodeRevoked, PlayerCodeUsed
from punto.table.records.identity import player_number

SELECT_CODES = "SELECT player, hash, at_table, expires_us FROM player_codes"


class PlayerCodesTable(Projection):
    table = "player_codes"
    thing = "code of the player"
    fault = FaultCode.PLAYER_DIFFERS
    key = ("player",)
    derived = ("at_table", "expires_us")
    committed = ("fingerprint",)
    stored = ("hash",)
    complete = False
    kinds = (PlayerCodeIssued, PlayerCodeUsed, PlayerCodeRevoked, FloorRestored)

    def apply(self, event: HouseEvent, entry: Entry) -> Iterable[Operation]:  # noqa: ARG002
        match event:
            case PlayerCodeIssued():
                yield Need("players", {"number": player_number(event.player), "erased": 0})
                code = {"at_table": event.table, "expires_us": event.expires_us, "fingerprint": event.fingerprint}
                yield Put({"player": event.player, **code}, anew=True)
            case PlayerCodeUsed():
                bounds = {"at_table": event.table, "expires_us": event.expires_us}
                yield Need("player_codes", {"player": event.player, **bounds})
                yield Delete({"player": event.player})
            case PlayerCodeRevoked():
                yield Delete({"player": event.player})
            case FloorRestored():
                yield Delete({})

    def compared(self, row: dict[str, Any]) -> Values:
        return {**row, "fingerprint": fingerprint(str(row["hash"]))}


class StoredCode(Struct, frozen=True):
    player: str
    hash: str
    table: str
    expires_us: int


def find_code(transaction: Transaction, player: str) -> StoredCode | None:
    """The code of a player, expired or not."""
    rows = transaction.rows(f"{SELECT_CODES} WHERE player = ?", (player,))
    return StoredCode(*rows[0]) if rows else None


def end_code(transaction: Transaction, player: str) -> list[HouseEvent]:
    """The end of a player's code and sessions, if there are any."""
    ends = find_code(transaction, player) is not None or has_player_session(transaction, player)
    return [PlayerCodeRevoked(player)] if ends else []
