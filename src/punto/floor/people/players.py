"""The house's register of players. The journal has only their ids, so names, card numbers and notes can be erased."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from punto.floor.database.base import Row, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import HouseEvent, PlayerChanged, PlayerErased, PlayerRegistered
from punto.floor.journal.house_log import HouseLog
from punto.floor.people.names import fold
from punto.table.records.identity import is_plain_name, player_id, player_number
from punto.table.records.ledger import chips, player_of
from punto.table.records.names import MAX_NAME_LENGTH, is_name
from punto.table.records.positions import DEALER_UP, SHIFT_MANAGER_UP, SUPERVISOR_UP, Position
from punto.table.refusals import TableCode

MAX_NOTES_LENGTH = 2_000
MAX_CARD_LENGTH = 32
DEFAULT_FOUND = 50
MAX_FOUND = 500

# administrators keep the register too: the command line acts as one
MAY_READ = DEALER_UP | {Position.AUDITOR, Position.ADMINISTRATOR}
MAY_CHANGE = SUPERVISOR_UP | {Position.ADMINISTRATOR}
MAY_ERASE = SHIFT_MANAGER_UP | {Position.ADMINISTRATOR}

NAMES_LIKE_IDS_KEY = "names_like_ids"
"""Name of the row in the table ``meta`` with the numbers that :func:`reserve_names_like_ids` found."""

_CARD = re.compile(rf"[0-9A-Z-]{{1,{MAX_CARD_LENGTH}}}", re.ASCII)
_FIELDS = ("name", "card", "notes")
_COLUMNS = "number, name, card, notes, registered_us"


class Player(Struct, frozen=True):
    id: str
    name: str
    card: str | None
    """Number of the player's card. Letters are capitals."""
    notes: str
    registered_us: int


class Players:
    """Changes are in the house's stream, with the id of the player and nothing else about them."""

    def __init__(self, log: HouseLog) -> None:
        self._log = log

    async def register(self, by: Actor, name: str, card: str | None = None, notes: str = "") -> Player:
        """Add a player under the next number. Two players may have the same name, but not the same card."""
        await self._log.require(by, MAY_CHANGE, "register_player")
        _check_name(name)
        card = None if card is None else _card_number(card)
        _check_notes(notes)
        now_us = self._log.clock.now_us()

        def change(transaction: Transaction) -> tuple[Player, list[HouseEvent]]:
            _require_free(transaction, card)
            number, skipped = _next_number(transaction)
            rows = [
                *((each, None, None, None, "", now_us) for each in skipped),
                (number, name, fold(name), card, notes, now_us),
            ]
            sql = "INSERT INTO players (number, name, folded, card, notes, registered_us) VALUES (?, ?, ?, ?, ?, ?)"
            transaction.many(sql, rows)
            player = Player(player_id(number), name, card, notes, now_us)
            gone = [event(player_id(each)) for each in skipped for event in (PlayerRegistered, PlayerErased)]
            return player, [*gone, PlayerRegistered(player.id)]

        return await self._log.change(by, change)

    async def find(self, by: Actor, player: str) -> Player:
        """The player with this id. Refused if there is none, or if they were erased."""
        await self._log.require(by, MAY_READ, "find_player")
        return await self._log.database.read(lambda transaction: _require_player(transaction, player))

    async def search(self, by: Actor, text: str = "", limit: int = DEFAULT_FOUND) -> list[Player]:
        """Players with this id, this card number or this text in their name, by id. Without a text: all."""
        await self._log.require(by, MAY_READ, "search_players")
        limit = max(1, min(limit, MAX_FOUND))
        return await self._log.database.read(lambda transaction: _search(transaction, text.strip(), limit))

    async def change(
        self,
        by: Actor,
        player: str,
        *,
        name: str | UnsetType = UNSET,
        card: str | UnsetType | None = UNSET,
        notes: str | UnsetType = UNSET,
    ) -> Player:
        """Change what is given and leave the rest. None takes the card away."""
        await self._log.require(by, MAY_CHANGE, "change_player")
        if name is not UNSET:
            _check_name(name)
        if isinstance(card, str):
            card = _card_number(card)
        if notes is not UNSET:
            _check_notes(notes)

        def change(transaction: Transaction) -> tuple[Player, list[HouseEvent]]:
            before = _require_player(transaction, player)
            after = Player(
                before.id,
                before.name if name is UNSET else name,
                before.card if card is UNSET else card,
                before.notes if notes is UNSET else notes,
                before.registered_us,
            )
            fields = tuple(
                field for field in ("name", "card", "notes") if getattr(before, field) != getattr(after, field)
            )
            if "card" in fields:
                _require_free(transaction, after.card)
            sql = "UPDATE players SET name = ?, folded = ?, card = ?, notes = ? WHERE number = ?"
            row = (after.name, fold(after.name), after.card, after.notes, player_number(player))
            transaction.change(sql, row)
            return after, [PlayerChanged(after.id, fields)] if fields else []

        return await self._log.change(by, change)

    async def erase(self, by: Actor, player: str) -> None:
        """Erase name, card number and notes. The id stays and is never given again."""
        await self._log.require(by, MAY_ERASE, "erase_player")

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            erased = _require_player(transaction, player)
            sql = "UPDATE players SET name = NULL, folded = NULL, card = NULL, notes = '' WHERE number = ?"
            transaction.change(sql, (player_number(player),))
            return None, [PlayerErased(erased.id)]

        await self._log.change(by, change)


# ---- database jobs


def reserve_names_like_ids(transaction: Transaction) -> None:
    """Never give numbers whose ids are names of people with chips in the journal of an earlier release.

    Names like ``P000123`` were allowed then. A player who got that id would get the chips too.
    """
    numbers: set[int] = set()
    for (event,) in transaction.rows("SELECT event FROM entries WHERE event LIKE ?", (f'%"{chips("P")}%',)):
        try:
            players = players_in(msgspec.json.decode(event))
        except msgspec.MsgspecError:
            continue  # the audit reports it
        numbers.update(number for player in players if (number := player_number(player)) is not None)
    if numbers:
        row = (NAMES_LIKE_IDS_KEY, msgspec.json.encode(sorted(numbers)).decode())
        transaction.many("INSERT INTO meta (name, value) VALUES (?, ?)", [row])


def _next_number(transaction: Transaction) -> tuple[int, list[int]]:
    """The next number to give, and reserved ones before it. Those count as erased players."""
    reserved = transaction.rows("SELECT value FROM meta WHERE name = ?", (NAMES_LIKE_IDS_KEY,))
    taken = msgspec.json.decode(reserved[0][0], type=set[int]) if reserved else set()
    number: int = transaction.rows("SELECT coalesce(max(number), 0) + 1 FROM players")[0][0]
    skipped = []
    while number in taken:
        skipped.append(number)
        number += 1
    return number, skipped


def registered(transaction: Transaction, number: int) -> bool:
    """Whether there is a player with this number who was not erased."""
    return bool(transaction.rows("SELECT 1 FROM players WHERE number = ? AND name IS NOT NULL", (number,)))


def names_of(transaction: Transaction, players: Iterable[str]) -> dict[str, str]:
    """The names of these ids; unknown and erased ones are left out."""
    numbers = [number for player in players if (number := player_number(player)) is not None]
    if not numbers:
        return {}
    marks = ", ".join("?" * len(numbers))
    sql = f"SELECT number, name FROM players WHERE number IN ({marks}) AND name IS NOT NULL"  # noqa: S608 - only marks
    return {player_id(number): name for number, name in transaction.rows(sql, numbers)}


def erased_of(transaction: Transaction, players: Iterable[str]) -> set[str]:
    """Which of these ids were erased."""
    numbers = [number for player in players if (number := player_number(player)) is not None]
    if not numbers:
        return set()
    marks = ", ".join("?" * len(numbers))
    sql = f"SELECT number FROM players WHERE number IN ({marks}) AND name IS NULL"  # noqa: S608 - only marks
    return {player_id(number) for (number,) in transaction.rows(sql, numbers)}


def players_in(record: object) -> frozenset[str]:
    """The ids of all players that a record mentions, also as owners of chips."""
    people = (player_of(text) or text for text in _texts(msgspec.to_builtins(record)))
    return frozenset(who for who in people if player_number(who) is not None)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(key)
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _require_player(transaction: Transaction, player: str) -> Player:
    number = player_number(player)
    rows = [] if number is None else transaction.rows(f"SELECT {_COLUMNS} FROM players WHERE number = ?", (number,))  # noqa: S608 - our own names
    if not rows:
        raise FloorRefused(FloorCode.UNKNOWN_PLAYER, player=player[:40])
    if rows[0][1] is None:
        raise FloorRefused(FloorCode.UNKNOWN_PLAYER, variant="erased", player=player)
    return _player(rows[0])


def _search(transaction: Transaction, text: str, limit: int) -> list[Player]:
    if not text.isprintable():  # no name has such characters, and PostgreSQL takes no NUL
        return []
    part = fold(text).replace("!", "!!").replace("%", "!%").replace("_", "!_")
    sql = (
        f"SELECT {_COLUMNS} FROM players WHERE name IS NOT NULL"  # noqa: S608 - our own names
        " AND (folded LIKE ? ESCAPE '!' OR number = ? OR card = ?) ORDER BY number LIMIT ?"
    )
    values = (f"%{part}%", player_number(text.upper()) or 0, text.upper(), limit)
    return [_player(row) for row in transaction.rows(sql, values)]


def _player(row: Row) -> Player:
    number, name, card, notes, registered_us = row
    return Player(player_id(number), name, card, notes, registered_us)


def _require_free(transaction: Transaction, card: str | None) -> None:
    if card is not None and (rows := transaction.rows("SELECT number FROM players WHERE card = ?", (card,))):
        raise FloorRefused(FloorCode.CARD_TAKEN, player=player_id(rows[0][0]))


def _check_name(name: str) -> None:
    """Unlike other names, a customer's may be mixed, or like the house's: it is on their passport, not chosen."""
    if not is_name(name) or not fold(name):
        raise FloorRefused(TableCode.BAD_NAME, most=MAX_NAME_LENGTH)
    if not is_plain_name(name):
        raise FloorRefused(TableCode.BAD_NAME, variant="identity", name=name)


def _card_number(text: str) -> str:
    if not _CARD.fullmatch(text.upper()):
        raise FloorRefused(FloorCode.BAD_CARD_NUMBER, most=MAX_CARD_LENGTH)
    return text.upper()


def _check_notes(notes: str) -> None:
    if len(notes) > MAX_NOTES_LENGTH or not notes.replace("\n", "").isprintable():
        raise FloorRefused(FloorCode.BAD_NOTES, most=MAX_NOTES_LENGTH)
