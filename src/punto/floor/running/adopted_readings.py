"""The readings that the house has adopted. They give table settings other defaults than ours."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import HouseLog
from punto.floor.house.projection import Stored
from punto.floor.house.projections.settings import ADOPTED_KEY, find_setting
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import unreadable
from punto.floor.journal.house_events import HOUSE, ReadingAdopted, read_house_event
from punto.floor.journal.streams import Head
from punto.library import book, book_ids, readings
from punto.rules.interpretations import Reading, ReadingSetting, SettingValue
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import check_reason
from punto.table.records.positions import SHIFT_MANAGER_UP, in_order
from punto.table.records.settings import Settings
from punto.table.refusals import TableCode


class Adoption(Struct, frozen=True):
    """The value in force of a reading's setting, and its entry in the house's stream."""

    setting: str
    value: SettingValue
    reason: str
    by: str
    position: str
    at_us: int


async def read_adoptions(database: Database) -> dict[str, Adoption]:
    """By reading. A reading that the house never adopted is in force as we read it."""
    return await database.read(find_adoptions)


def lost_adoptions(adoptions: Mapping[str, Adoption]) -> dict[str, Adoption]:
    """Those of readings that this release does not have. No table gets their values."""
    known = {each.id for each in readings()}
    return {each: adoption for each, adoption in adoptions.items() if each not in known}


async def adopt_reading(log: HouseLog, by: Actor, reading_id: str, value: SettingValue, reason: str) -> None:
    """Make a value the default of a reading's setting for tables opened from now on.

    If the house has already adopted this value, nothing is written.
    """
    reading, rulings = await asyncio.to_thread(_find_reading, reading_id)
    law = book(next(iter(rulings)))
    cited: dict[str, Any] = {"clauses": rulings[law.id], "book": law.id}
    if by.position not in SHIFT_MANAGER_UP:
        positions = in_order(SHIFT_MANAGER_UP)
        refused = FloorRefused(TableCode.NOT_AUTHORISED, positions=positions, position=by.position, **cited)
        await log.refuse(by, "adopt_reading", refused)
    if reading is None:
        raise FloorRefused(FloorCode.UNKNOWN_READING, reading=reading_id[:40], **cited)
    if reading.setting is None:
        raise FloorRefused(FloorCode.BAD_READING, variant="fixed", reading=reading.id, **cited)
    _check_value(reading.setting, value, cited)
    if (refusal := check_reason(law, reason, needed=True)) is not None:
        raise FloorRefused(refusal.code, variant=refusal.variant, **cited | refusal.values)
    adopted = ReadingAdopted(reading.id, reading.setting.name, value, reason, rulings)

    def change(transaction: Transaction) -> tuple[None, list[Stored]]:
        before = find_adoptions(transaction).get(reading.id)
        if before is not None and before.value == value:
            return None, []
        end = streams.find(transaction, HOUSE)
        versions = {**_versions(transaction), reading.id: (end.version if end else 0) + 1}
        return None, [Stored(adopted, {"value": msgspec.json.encode(versions).decode()})]

    await log.change(by, change)


def _find_reading(reading_id: str) -> tuple[Reading | None, dict[str, tuple[Clause, ...]]]:
    """The reading, if there is one, and by book the clauses that leave it to the house. Slow on the first call.

    They are those of the books that the reading is about. If it is about no book with such a clause, they are those of
    all books.
    """
    reading = next((each for each in readings() if each.id == reading_id), None)
    books = [book(game) for game in book_ids()]
    about = [rules for rules in books if reading is not None and reading.clauses(rules)]
    return reading, _rulings(about) or _rulings(books)


def _rulings(books: Iterable[Rulebook]) -> dict[str, tuple[Clause, ...]]:
    return {rules.id: cited for rules in books if (cited := rules.topics[Topic.RULING])}


def _check_value(setting: ReadingSetting, value: SettingValue, cited: dict[str, Any]) -> None:
    if setting.takes(value):
        return
    given = msgspec.json.encode(value).decode()[:40]
    if setting.values:
        values = tuple(msgspec.json.encode(each).decode() for each in setting.values)
        raise FloorRefused(
            FloorCode.BAD_READING, variant="values", setting=setting.name, values=values, given=given, **cited
        )
    raise FloorRefused(
        FloorCode.BAD_READING,
        variant="number",
        setting=setting.name,
        least=setting.least,
        most=setting.most,
        given=given,
        **cited,
    )


# ---- settings that a command leaves out


async def adopted_settings(database: Database, rules: Rulebook) -> dict[str, SettingValue]:
    """The settings for which the house has adopted a value, of readings that are about this book."""
    adoptions = await read_adoptions(database)
    return {
        reading.setting.name: adoptions[reading.id].value
        for reading in await asyncio.to_thread(readings)
        if reading.setting is not None and reading.id in adoptions and reading.clauses(rules)
    }


_KEPT = "tray_par_minor"
"""Those who change the settings may have to count the tray, so they are not told it and cannot send it back."""


async def fill_opening(
    database: Database, rules: Rulebook, last: Settings | None, body: Mapping[str, Any]
) -> dict[str, Any]:
    """The body of ``open_table``: settings that it leaves out get the values adopted, and the last par of the tray."""
    par = {} if last is None else {_KEPT: last.tray_par_minor}
    return _filled(body, {**await adopted_settings(database, rules), **par})


async def fill_change(present: Settings, body: Mapping[str, Any]) -> dict[str, Any]:
    """The body of ``change_settings``: settings of readings and a par that it leaves out stay as at the table."""
    values, known = msgspec.to_builtins(present), await asyncio.to_thread(readings)
    names = [reading.setting.name for reading in known if reading.setting is not None]
    return _filled(body, {name: values[name] for name in (*names, _KEPT)})


def _filled(body: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    given = body.get("settings")
    return {**body, "settings": {**values, **given}} if isinstance(given, Mapping) else dict(body)


# ---- database jobs


def find_adoptions(transaction: Transaction) -> dict[str, Adoption]:
    versions = _versions(transaction)
    if not versions:
        return {}
    end = streams.head(transaction, HOUSE)
    return {reading: _read_adoption(transaction, end, reading, version) for reading, version in versions.items()}


def _versions(transaction: Transaction) -> dict[str, int]:
    stored = find_setting(transaction, ADOPTED_KEY)
    return msgspec.json.decode(stored, type=dict[str, int]) if stored else {}


def _read_adoption(transaction: Transaction, end: Head, reading: str, version: int) -> Adoption:
    for entry in streams.read(transaction, end, version - 1, 1):
        event = read_house_event(entry.event)
        if entry.version == version and isinstance(event, ReadingAdopted) and event.reading == reading:
            return Adoption(event.setting, event.value, event.reason, entry.actor, entry.position, entry.at_us)
    raise unreadable(HOUSE, version)
