"""Compares the register of players with the house's stream, which has their ids."""

from collections.abc import Iterator, Sequence

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.house_record import HouseRecord
from punto.floor.database.base import Row
from punto.floor.people.names import fold
from punto.table.records.identity import player_id

SELECT_PLAYERS = "SELECT number, name, folded, card, notes FROM players ORDER BY number"


def check_players(record: HouseRecord, players: Sequence[Row] | None) -> Iterator[tuple[FaultCode, str]]:
    """Find players without a registration, registrations without a player, and erasures that were undone.

    None if the register, or the table `seals`, cannot be read.
    """
    if players is None:
        yield FaultCode.PLAYER_DIFFERS, "the register was not compared: a column there or in `seals` is not valid UTF-8"
        return
    stored = {player_id(number): (name, folded, card, notes) for number, name, folded, card, notes in players}
    for player, present in record.players.items():
        if player not in stored:
            yield FaultCode.PLAYER_DIFFERS, f"the player {player!r} is missing from the register"
            continue
        name, folded, card, notes = stored[player]
        if not present and (name, folded, card, notes) != (None, None, None, ""):
            yield FaultCode.PLAYER_DIFFERS, f"the player {player!r} was erased, but the register has data about them"
        elif present and not isinstance(name, str):
            yield FaultCode.PLAYER_DIFFERS, f"the house's stream has no erasure of the player {player!r}"
        elif present and folded != fold(name):
            yield FaultCode.PLAYER_DIFFERS, f"the lookup name of the player {player!r} was changed"
    for player in stored.keys() - record.players.keys():
        yield FaultCode.PLAYER_DIFFERS, f"the house's stream has no registration of the player {player!r}"
