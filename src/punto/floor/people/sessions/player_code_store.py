"""Stores the codes with which registered players sign in: one for each player, until it is used, expires or is void."""

from msgspec import Struct
from msgspec.structs import astuple

from punto.floor.database.base import Transaction
from punto.floor.journal.house_events import HouseEvent
from punto.floor.journal.pit_events import PlayerCodeRevoked
from punto.floor.people.sessions.session_store import end_player_sessions

SELECT_CODES = "SELECT player, hash, at_table, expires_us FROM player_codes"


class StoredCode(Struct, frozen=True):
    player: str
    hash: str
    table: str
    expires_us: int


def find_code(transaction: Transaction, player: str) -> StoredCode | None:
    """The code of a player, expired or not."""
    rows = transaction.rows(f"{SELECT_CODES} WHERE player = ?", (player,))
    return StoredCode(*rows[0]) if rows else None


def keep_code(transaction: Transaction, code: StoredCode) -> None:
    """Store a code in place of the one before."""
    transaction.change("DELETE FROM player_codes WHERE player = ?", (code.player,))
    sql = "INSERT INTO player_codes (player, hash, at_table, expires_us) VALUES (?, ?, ?, ?)"
    transaction.many(sql, [astuple(code)])


def use_code(transaction: Transaction, code: StoredCode) -> bool:
    """Delete a code; return False if it is no longer the player's."""
    sql = "DELETE FROM player_codes WHERE player = ? AND hash = ?"
    return bool(transaction.change(sql, (code.player, code.hash)))


def end_code(transaction: Transaction, player: str) -> list[HouseEvent]:
    """Delete a player's code and sessions. Return an event if there were any."""
    had_code = transaction.change("DELETE FROM player_codes WHERE player = ?", (player,))
    had_session = end_player_sessions(transaction, player)
    return [PlayerCodeRevoked(player)] if had_code or had_session else []
