"""The house's register of players. The journal has only their ids, so names, card numbers and notes can be erased."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from punto.floor.database.base import Row, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import HouseLog
from punto.floor.house.projection import Stored
from punto.floor.house.projections.player_codes import end_code
from punto.floor.house.projections.players import Player, commit_to
from punto.floor.house.projections.settings import NAMES_LIKE_IDS_KEY
from punto.floor.journal.actor import Actor
from punto.floor.journal.house_events import HouseEvent, PlayerChanged, PlayerErased, PlayerRegistered
from punto.floor.names.names import fold, looks_like_identity
from punto.floor.runtime.notes import note_once
from punto.table.records.identity import exact_form, player_id, player_number
from punto.table.records.ledger import chips, player_of
from punto.table.records.names import is_name
from punto.table.records.positions import DEALER_UP, SHIFT_MANAGER_UP, SUPERVISOR_UP, Position
from punto.table.refusals import TableCode

MAX_PLAYER_NAME_LENGTH = 100
"""As in passports. The journal never has these names."""
MAX_NOTES_LENGTH = 2_000
MAX_CARD_LENGTH = 32
DEFAULT_FOUND = 50
MAX_FOUND = 500
EVENTS_A_PAGE = 1_000

# administrators keep the register too: the command line acts as one
MAY_READ = DEALER_UP | {Position.AUDITOR, Position.ADMINISTRATOR}
MAY_READ_NOTES = SUPERVISOR_UP | {Position.AUDITOR, Position.ADMINISTRATOR}
MAY_CHANGE = SUPERVISOR_UP | {Position.ADMINISTRATOR}
MAY_ERASE = SHIFT_MANAGER_UP | {Position.ADMINISTRATOR}


_CARD = re.compile(rf"[0-9A-Z-]{{1,{MAX_CARD_LENGTH}}}", re.ASCII)
_COLUMNS = "number, name, card, notes, registered_us"


class Players:
    """Changes are in the house's stream, with the id of the player and nothing else about them."""

    def __init__(self, log: HouseLog) -> None:
        self._log = log

    async def register(self, by: Actor, name: str, card: str | None = None, notes: str = "") -> Player:
        """Add a player under the next number. Two players may have the same name, but not the same card."""
        await self._log.require(by, MAY_CHANGE, "register_player")
        _check_name(name)
        card = None if card is None else _card_number(card)
        notes = _clean_notes(notes)
        now_us = self._log.clock.now_us()

        def change(transaction: Transaction) -> tuple[Player, Sequence[HouseEvent | Stored]]:
            _require_free(transaction, card)
            number, skipped = _next_number(transaction)
            player = Player(player_id(number), name, card, notes, now_us)
            gone = [event(player_id(each)) for each in skipped for event in (PlayerRegistered, PlayerErased)]
            return player, [*gone, commit_to(player, lambda commitment: PlayerRegistered(player.id, commitment))]

        return await self._log.change(by, change)

    async def find(self, by: Actor, player: str) -> Player:
        """The player with this id. Refused if there is none, or if they were erased."""
        await self._log.require(by, MAY_READ, "find_player")
        found = await self._log.database.read(lambda transaction: require_player(transaction, player))
        return _visible(by, found)

    async def search(self, by: Actor, text: str = "", limit: int = DEFAULT_FOUND, after: str = "") -> list[Player]:
        """Players with this id, this card number or this text in their name, by id. Without a text: all.

        ``after`` is the last id of the page before.
        """
        await self._log.require(by, MAY_READ, "search_players")
        limit = max(1, min(limit, MAX_FOUND))
        number = _typed_number(after) if after else 0
        if number is None:
            raise FloorRefused(TableCode.NOT_A_PLAYER_ID, text=after[:40])
        found = await self._log.database.read(lambda transaction: _search(transaction, text.strip(), limit, number))
        return [_visible(by, player) for player in found]

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
            notes = _clean_notes(notes)

        def change(transaction: Transaction) -> tuple[Player, Sequence[HouseEvent | Stored]]:
            before = require_player(transaction, player)
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
            changed = commit_to(after, lambda commitment: PlayerChanged(after.id, fields, commitment))
            return after, [changed] if fields else []

        return await self._log.change(by, change)

    async def erase(self, by: Actor, player: str) -> None:
        """Erase name, card number and notes, and sign the player out. The id stays and is never given again."""
        await self._log.require(by, MAY_ERASE, "erase_player")

        def change(transaction: Transaction) -> tuple[None, list[HouseEvent]]:
            erased = require_player(transaction, player)
            return None, [*end_code(transaction, erased.id), PlayerErased(erased.id)]

        await self._log.change(by, change)


# ---- database jobs


def all_players(transaction: Transaction) -> list[Player]:
    """All but those who were erased."""
    sql = f"SELECT {_COLUMNS} FROM players WHERE name IS NOT NULL ORDER BY number"  # noqa: S608 - our own names
    return [_player(row) for row in transaction.rows(sql)]


def reserve_names_like_ids(transaction: Transaction) -> None:
    """Never give numbers whose ids are names of people with chips in the journal of an earlier release.

    Names like ``P000123`` were allowed then. A player who got that id would get the chips too.
    """
    numbers: set[int] = set()
    for event in _events_with(transaction, chips("P")):
        try:
            players = players_in(msgspec.json.decode(event))
        except msgspec.MsgspecError:
            continue  # the audit reports it
        numbers.update(number for player in players if (number := player_number(player)) is not None)
    if numbers:
        note_once(transaction, NAMES_LIKE_IDS_KEY, msgspec.json.encode(sorted(numbers)).decode())


def _events_with(transaction: Transaction, text: str) -> Iterator[str]:
    """Events that contain a text, read in pages."""
    sql = "SELECT id, event FROM entries WHERE id > ? AND event LIKE ? ORDER BY id LIMIT ?"
    last = 0
    while rows := transaction.rows(sql, (last, f"%{text}%", EVENTS_A_PAGE)):
        yield from (event for _, event in rows)
        last = rows[-1][0]


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


def was_erased(transaction: Transaction, number: int) -> bool:
    return bool(transaction.rows("SELECT 1 FROM players WHERE number = ? AND name IS NULL", (number,)))


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


def _typed_number(text: str) -> int | None:
    """The number of an id as people type it, such as ``p000123``."""
    return player_number(exact_form(text) or "")


def require_player(transaction: Transaction, player: str) -> Player:
    """The player with this id, as people type it. Refused if there is none, or if they were erased."""
    number = _typed_number(player)
    rows = [] if number is None else transaction.rows(f"SELECT {_COLUMNS} FROM players WHERE number = ?", (number,))  # noqa: S608 - our own names
    if not rows:
        raise FloorRefused(FloorCode.UNKNOWN_PLAYER, player=player[:40])
    if rows[0][1] is None:
        raise FloorRefused(FloorCode.UNKNOWN_PLAYER, variant="erased", player=player_id(rows[0][0]))
    return _player(rows[0])


def _visible(by: Actor, player: Player) -> Player:
    return player if by.position in MAY_READ_NOTES else replace(player, notes=None)


def _search(transaction: Transaction, text: str, limit: int, after: int) -> list[Player]:
    if not text.isprintable():  # no name has such characters, and PostgreSQL takes no NUL
        return []
    part = fold(text).replace("!", "!!").replace("%", "!%").replace("_", "!_")
    sql = (
        f"SELECT {_COLUMNS} FROM players WHERE number > ? AND name IS NOT NULL"  # noqa: S608 - our own names
        " AND (folded LIKE ? ESCAPE '!' OR number = ? OR card = ?) ORDER BY number LIMIT ?"
    )
    values = (after, f"%{part}%", _typed_number(text) or 0, text.upper(), limit)
    return [_player(row) for row in transaction.rows(sql, values)]


def _player(row: Row) -> Player:
    number, name, card, notes, registered_us = row
    return Player(player_id(number), name, card, notes, registered_us)


def _require_free(transaction: Transaction, card: str | None) -> None:
    if card is not None and (rows := transaction.rows("SELECT number FROM players WHERE card = ?", (card,))):
        raise FloorRefused(FloorCode.CARD_TAKEN, player=player_id(rows[0][0]))


def _check_name(name: str) -> None:
    """Unlike other names, a customer's may be mixed, or like the house's: it is on their passport, not chosen."""
    if not is_name(name, MAX_PLAYER_NAME_LENGTH) or not fold(name):
        raise FloorRefused(TableCode.BAD_NAME, most=MAX_PLAYER_NAME_LENGTH)
    if looks_like_identity(name):
        raise FloorRefused(TableCode.BAD_NAME, variant="identity", name=name)


def _card_number(text: str) -> str:
    if not _CARD.fullmatch(text.upper()):
        raise FloorRefused(FloorCode.BAD_CARD_NUMBER, most=MAX_CARD_LENGTH)
    return text.upper()


def _clean_notes(notes: str) -> str:
    """The notes with line ends as ``\\n``."""
    notes = notes.replace("\r\n", "\n")
    if len(notes) > MAX_NOTES_LENGTH or not notes.replace("\n", "").isprintable():
        raise FloorRefused(FloorCode.BAD_NOTES, most=MAX_NOTES_LENGTH)
    return notes
