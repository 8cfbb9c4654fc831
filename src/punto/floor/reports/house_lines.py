"""The house's record for readers: entries of its stream by group, person, table and time, with what a change replaced.

Changes of a table's settings are in the table's own stream. They are listed among those of the house.
"""

from collections.abc import Mapping
from heapq import nlargest

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from punto.floor.chips.floor_chips import chips_on_record
from punto.floor.database.base import Row, Transaction
from punto.floor.journal import house_events as _house
from punto.floor.journal import pit_events as _pit
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, EntryContext, context_of, event_of, text_start, unreadable
from punto.floor.journal.event_base import HouseEvent, RecordGroup
from punto.floor.journal.house_events import HOUSE, HOUSE_KINDS, read_house_event
from punto.floor.people.floor_rules import FloorRules
from punto.floor.settings.floor_settings import FloorSettings, as_event
from punto.floor.settings.gaming_day import Period
from punto.library import readings
from punto.table.procedure.chip_set import USUAL_CHIPS
from punto.table.records.events import SettingsChanged, TableOpened

LAST_KEY = 2**62
"""Greater than any version and any key of a row."""


REPLACING = tuple(kind for kind in HOUSE_KINDS if kind.replaces is not None)
_REPLACED: tuple[type[HouseEvent], ...] = (*REPLACING, _house.AccountCreated)
_ROWS_BACK = 50
"""Events read at once when looking for what others replaced."""

RecordedEvent = HouseEvent | SettingsChanged


class HouseLine(Struct, frozen=True):
    """An entry, and the event that its own replaced, if it changed a value."""

    key: int
    """Of the row: entries of all streams are in the order in which they were written."""
    entry: Entry
    context: EntryContext
    event: RecordedEvent
    before: RecordedEvent | TableOpened | None = None

    @property
    def group(self) -> RecordGroup:
        return RecordGroup.SETTINGS if isinstance(self.event, SettingsChanged) else self.event.group


class RecordFilter(Struct, frozen=True):
    """Empty fields do not matter."""

    group: RecordGroup | None = None
    person: str = ""
    """Who acted, or whom it is about."""
    table: str = ""
    period: Period = Period()
    before: int = LAST_KEY
    """The key of a row; only earlier ones."""


def find_lines(transaction: Transaction, wanted: RecordFilter, most: int) -> list[HouseLine]:
    """At most ``most`` entries, the newest first; each with the entry before that it changes."""
    rows = _rows_of_house(transaction, wanted, most)
    if wanted.group in (None, RecordGroup.SETTINGS):
        rows += _rows_of_settings(transaction, wanted, most)
    found = [(int(row[0]), Entry(*row[1:])) for row in nlargest(most, rows, key=lambda row: int(row[0]))]
    events = {key: _event(entry) for key, entry in found}
    replaced = _replaced(transaction, {entry.version: events[key] for key, entry in found if entry.stream == HOUSE})
    return [
        HouseLine(key, entry, context_of(entry), events[key], _before(transaction, entry, events[key], replaced))
        for key, entry in found
    ]


_SELECT = (
    "SELECT e.id, s.name, e.version, e.at_us, e.actor, e.position, e.command_id, e.part, e.law, e.command, e.event,"
    " e.context, e.hash FROM entries AS e JOIN streams AS s ON s.id = e.stream WHERE "
)
_CHANGE = text_start(SettingsChanged)
_IS_CHANGE = f"substr(e.event, 1, {len(_CHANGE)}) = '{_CHANGE}'"
"""With its values in the statement, like the condition of the index `settings_changes`."""


def _rows_of_house(transaction: Transaction, wanted: RecordFilter, most: int) -> list[Row]:
    head = streams.find(transaction, HOUSE)
    if head is None:
        return []
    where, values = _conditions(wanted)
    if wanted.group is not None:
        starts = [text_start(kind) for kind in HOUSE_KINDS if kind.group is wanted.group]
        where.append("(" + " OR ".join("substr(e.event, 1, ?) = ?" for _ in starts) + ")")
        values += [value for start in starts for value in (len(start), start)]
    sql = f"{_SELECT} e.stream = ? AND {' AND '.join(where)} ORDER BY e.version DESC LIMIT ?"
    return list(transaction.rows(sql, (head.key, *values, most)))


def _rows_of_settings(transaction: Transaction, wanted: RecordFilter, most: int) -> list[Row]:
    where, values = _conditions(wanted)
    sql = f"{_SELECT} {_IS_CHANGE} AND {' AND '.join(where)}"
    return list(transaction.rows(f"{sql} ORDER BY e.id DESC LIMIT ?", (*values, most)))


def _conditions(wanted: RecordFilter) -> tuple[list[str], list[int | str]]:
    where, values = ["e.id < ?"], list[int | str]([wanted.before])
    if wanted.period.since_us is not None:
        where.append("e.at_us >= ?")
        values.append(wanted.period.since_us)
    if wanted.period.until_us is not None:
        where.append("e.at_us < ?")
        values.append(wanted.period.until_us)
    if wanted.person:
        where.append("(e.actor = ? OR e.event LIKE ? ESCAPE '!' OR e.context LIKE ? ESCAPE '!')")
        values += [wanted.person, *[f"%{_pattern(wanted.person)}%"] * 2]
    if wanted.table:
        where.append("(e.event LIKE ? ESCAPE '!' OR e.event LIKE ? ESCAPE '!' OR s.name LIKE ? ESCAPE '!')")
        name = _pattern(wanted.table)
        values += [f"%{name}%", f"%{name[:-1]}/%", f"{name[1:-1]}/%"]
    return where, values


def _pattern(text: str) -> str:
    """As it is written in an event, for LIKE."""
    quoted = msgspec.json.encode(text).decode()
    return quoted.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def _event(entry: Entry) -> RecordedEvent:
    if entry.stream != HOUSE:
        event = event_of(entry)
        if not isinstance(event, SettingsChanged):
            raise unreadable(entry.stream, entry.version)
        return event
    try:
        return read_house_event(entry.event)
    except msgspec.MsgspecError as error:
        raise unreadable(HOUSE, entry.version) from error


def _before(
    transaction: Transaction, entry: Entry, event: RecordedEvent, replaced: Mapping[int, RecordedEvent]
) -> RecordedEvent | TableOpened | None:
    if entry.stream != HOUSE:
        return _settings_before(transaction, entry)
    return replaced.get(entry.version) or _usual(event)


def _usual(event: RecordedEvent) -> RecordedEvent | None:
    """What applied before the first change on record."""
    match event:
        case _pit.FloorSettingsChanged():
            return as_event(FloorSettings())
        case _house.FloorRulesChanged():
            return _house.FloorRulesChanged(**asdict(FloorRules()))
        case _house.ChipSetChanged():
            return chips_on_record(USUAL_CHIPS)
        case _pit.TableTitled():
            return _pit.TableTitled(event.table, "")
        case _house.ReadingAdopted():
            ours = next((each.setting for each in readings() if each.id == event.reading), None)
            return None if ours is None else replace(event, value=ours.ours)
    return None


def _replaced(transaction: Transaction, events: Mapping[int, RecordedEvent]) -> dict[int, RecordedEvent]:
    """What these events of the house replaced, all by version. Reads back once, as far as it has to."""
    changes = {version for version, event in events.items() if isinstance(event, REPLACING)}
    starts = [text_start(kind) for kind in _REPLACED]
    sql = (
        f"{_SELECT} s.name = ? AND e.version <= ? AND ({' OR '.join('substr(e.event, 1, ?) = ?' for _ in starts)})"
        " ORDER BY e.version DESC LIMIT ?"
    )
    kinds = [value for start in starts for value in (len(start), start)]
    replaced, later = dict[int, RecordedEvent](), dict[tuple[type[RecordedEvent], object], int]()
    first, at = min(changes, default=0), max(changes, default=0)
    while (later or first <= at) and (rows := transaction.rows(sql, (HOUSE, at, *kinds, _ROWS_BACK))):
        for entry in (Entry(*row[1:]) for row in rows):
            event = _event(entry)
            subject = _subject(event)
            if (version := later.pop(subject, None)) is not None:
                replaced[version] = event
            if entry.version in changes:
                later[subject] = entry.version
        at = entry.version - 1
    return replaced


def _subject(event: RecordedEvent) -> tuple[type[RecordedEvent], object]:
    """The first position of an account is in another event than the next ones."""
    kind = _house.PositionAssigned if isinstance(event, _house.AccountCreated) else type(event)
    field = getattr(kind, "replaces", None)
    return kind, getattr(event, field) if field else ""


def _settings_before(transaction: Transaction, entry: Entry) -> SettingsChanged | TableOpened | None:
    """The last change before, by its index, or else the opening of the table."""
    sql = f"{_SELECT} {_IS_CHANGE} AND s.name = ? AND e.version < ? ORDER BY e.id DESC LIMIT 1"
    rows = transaction.rows(sql, (entry.stream, entry.version))
    rows = rows or transaction.rows(f"{_SELECT} s.name = ? AND e.version = 1", (entry.stream,))
    event = event_of(Entry(*rows[0][1:])) if rows else None
    return event if isinstance(event, SettingsChanged | TableOpened) else None
