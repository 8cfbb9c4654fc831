"""Compares the register of players with the house's stream, which has their ids."""

from collections.abc import Iterator, Sequence

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.house_record import HouseRecord
from punto.floor.database.base import Row
from punto.floor.people.names.names import fold
from punto.floor.people.players import Player, player_commitment
from punto.table.records.identity import player_id

SELECT_PLAYERS = "SELECT number, name, folded, card, notes, registered_us, nonce FROM players ORDER BY number"


def check_players(record: HouseRecord, players: Sequence[Row] | None) -> Iterator[tuple[FaultCode, str]]:
    """Find players without a registration, registrations without a player, and erasures that were undone.

    None if the register, or the table `seals` or `sessions`, cannot be read.
    """
    if players is None:
        yield (
            FaultCode.PLAYER_DIFFERS,
            "the register was not compared: a column of `sessions`, `seals` or `players` is not valid UTF-8",
        )
        return
    stored = {player_id(number): row for number, *row in players}
    for player, expected in record.people.players.items():
        if player not in stored:
            yield FaultCode.PLAYER_DIFFERS, f"the player {player!r} is missing from the register"
            continue
        name, folded, card, notes, registered_us, nonce = stored[player]
        if expected.erased:
            if (name, folded, card, notes, nonce) != (None, None, None, "", ""):
                words = f"the player {player!r} was erased, but the register has data about them"
                yield FaultCode.PLAYER_DIFFERS, words
        elif not isinstance(name, str):
            yield FaultCode.PLAYER_DIFFERS, f"the house's stream has no erasure of the player {player!r}"
        elif folded != fold(name):
            yield FaultCode.PLAYER_DIFFERS, f"the lookup name of the player {player!r} was changed"
        elif player_commitment(nonce, Player(player, name, card, notes, registered_us)) != expected.commitment:
            yield FaultCode.PLAYER_DIFFERS, f"the player {player!r} is not registered like this in the house's stream"
    for player in stored.keys() - record.people.players.keys():
        yield FaultCode.PLAYER_DIFFERS, f"the house's stream has no registration of the player {player!r}"
