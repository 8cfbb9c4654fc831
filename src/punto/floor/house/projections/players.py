"""The table ``players``: names, card numbers and notes, to which the house's stream has no more than a commitment."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from secrets import token_hex
from typing import Any

import msgspec
from msgspec import Struct

from punto.floor.house.projection import Operation, Projection, Put, Stored, Update, Values
from punto.floor.journal.entry import Entry
from punto.floor.journal.fault_codes import FaultCode
from punto.floor.journal.house_events import HouseEvent, PlayerChanged, PlayerErased, PlayerRecorded, PlayerRegistered
from punto.floor.names.names import fold
from punto.table.records.identity import player_id, player_number

_NOTHING = {"name": None, "folded": None, "card": None, "notes": "", "nonce": ""}


class Player(Struct, frozen=True):
    id: str
    name: str
    card: str | None
    """Number of the player's card. Letters are capitals."""
    notes: str | None
    """None for readers who may not see notes."""
    registered_us: int


class PlayersTable(Projection):
    table = "players"
    thing = "player"
    fault = FaultCode.PLAYER_DIFFERS
    key = ("number",)
    committed = ("commitment", "erased")
    stored = ("name", "folded", "card", "notes", "registered_us", "nonce")
    kinds = (PlayerRegistered, PlayerRecorded, PlayerChanged, PlayerErased)

    def apply(self, event: HouseEvent, entry: Entry) -> Iterable[Operation]:
        match event:
            case PlayerRegistered():
                row = {"number": player_number(event.player), "commitment": event.commitment, "erased": 0}
                yield Put({**row, **_NOTHING, "registered_us": entry.at_us}, counted="number")
            case PlayerRecorded() | PlayerChanged():
                yield self._change(event.player, {"commitment": event.commitment})
            case PlayerErased():
                yield self._change(event.player, {"commitment": "", "erased": 1, **_NOTHING})

    @staticmethod
    def _change(player: str, values: dict[str, object]) -> Update:
        return Update({"number": player_number(player), "erased": 0}, values)

    def compared(self, row: dict[str, Any]) -> Values:
        """Whoever was erased has no more than a number and a time."""
        gone = all(row[column] == value for column, value in _NOTHING.items())
        player = Player(player_id(row["number"]), row["name"], row["card"], row["notes"], row["registered_us"])
        known = isinstance(row["name"], str) and row["folded"] == fold(row["name"])
        commitment = player_commitment(row["nonce"], player) if known else "" if gone else "not a name of this register"
        return {**row, "commitment": commitment, "erased": int(gone)}


def commit_to(player: Player, event: Callable[[str], HouseEvent]) -> Stored:
    """The event with a commitment to a player, and what is stored of them, with a new nonce."""
    nonce, number = token_hex(32), player_number(player.id)
    register = {"name": player.name, "folded": fold(player.name), "card": player.card, "notes": player.notes}
    assert number is not None  # noqa: S101 - of the register
    columns = {**register, "registered_us": player.registered_us, "nonce": nonce}
    return Stored(event(player_commitment(nonce, player)), columns)


def player_commitment(nonce: str, player: Player) -> str:
    """SHA-256 over the nonce and the player as JSON. Without the nonce, which is erased, no name can be tried."""
    return sha256(msgspec.json.encode((nonce, player))).hexdigest()
