"""The rows of the table ``meta`` with what applies to the whole floor: four settings that replace one value each."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from punto.floor.database.base import Transaction
from punto.floor.database.schema import FIRST_RECORDED
from punto.floor.house.projection import NOT_SAID, Operation, Projection, Put, Values
from punto.floor.journal.entry import Entry, tag, write
from punto.floor.journal.fault_codes import FaultCode
from punto.floor.journal.house_events import (
    ChipSetChanged,
    FloorMigrated,
    FloorRulesChanged,
    HouseEvent,
    ReadingAdopted,
)
from punto.floor.journal.pit_events import FloorSettingsChanged

FLOOR_SETTINGS_KEY = "floor_settings"
FLOOR_RULES_KEY = "floor_rules"
CHIP_SET_KEY = "chip_set"
ADOPTED_KEY = "adopted_readings"
"""By reading, the version of the house's entry that last adopted it."""
NAMES_LIKE_IDS_KEY = "names_like_ids"
"""The numbers that no player gets: see :func:`punto.floor.people.players.reserve_names_like_ids`."""

_FAULTS = {
    FLOOR_SETTINGS_KEY: FaultCode.SETTINGS_DIFFER,
    FLOOR_RULES_KEY: FaultCode.FLOOR_RULES_DIFFER,
    CHIP_SET_KEY: FaultCode.CHIP_SET_DIFFERS,
    ADOPTED_KEY: FaultCode.READINGS_DIFFER,
    NAMES_LIKE_IDS_KEY: FaultCode.PLAYER_DIFFERS,
}


class SettingsTable(Projection):
    table = "meta"
    thing = "value of"
    fault = FaultCode.SETTINGS_DIFFER
    key = ("name",)
    committed = ("recorded",)
    stored = ("value",)
    kinds = (FloorSettingsChanged, FloorRulesChanged, ChipSetChanged, ReadingAdopted, FloorMigrated)

    def apply(self, event: HouseEvent, entry: Entry) -> Iterable[Operation]:  # noqa: ARG002
        match event:
            case FloorSettingsChanged():
                yield self._put(FLOOR_SETTINGS_KEY, write(event))
            case FloorRulesChanged():
                yield self._put(FLOOR_RULES_KEY, write(event))
            case ChipSetChanged():
                yield self._put(CHIP_SET_KEY, write(event))
            case ReadingAdopted():  # the house's record has the readings one by one
                yield self._put(ADOPTED_KEY, NOT_SAID)
            case FloorMigrated() if event.schema == FIRST_RECORDED and event.reserved:
                yield Put({"name": NAMES_LIKE_IDS_KEY, "value": event.reserved, "recorded": event.reserved}, anew=True)

    @staticmethod
    def _put(name: str, recorded: object) -> Put:
        return Put({"name": name, "recorded": recorded}, anew=True)

    def fault_of(self, key: tuple[Any, ...]) -> FaultCode:
        return _FAULTS.get(key[0], self.fault)

    def compared(self, row: dict[str, Any]) -> Values | None:
        name, value = row["name"], row["value"]
        match name:
            case "floor_settings":
                return {"name": name, "recorded": _again(_flat(value), FloorSettingsChanged)}
            case "floor_rules":
                return {"name": name, "recorded": _again(_fields(value), FloorRulesChanged)}
            case "chip_set":
                chips = [(chip["value_minor"], chip["colour"]) for chip in _fields(value)["chips"]]
                return {"name": name, "recorded": _again({"chips": chips}, ChipSetChanged)}
            case "adopted_readings":
                return {"name": name, "recorded": NOT_SAID}
            case "names_like_ids":
                return {"name": name, "recorded": value}
        return None


def find_setting(transaction: Transaction, name: str) -> str:
    """As it is stored; empty if it was never changed."""
    rows = transaction.rows("SELECT value FROM meta WHERE name = ?", (name,))
    return str(rows[0][0]) if rows else ""


def _fields(value: str) -> dict[str, Any]:
    return msgspec.json.decode(value, type=dict[str, Any])


def _flat(value: str) -> dict[str, Any]:
    fields = _fields(value)
    return {**fields.pop("gaming_day"), **fields}


def _again(fields: Mapping[str, Any], kind: type[HouseEvent]) -> str:
    """The event that recorded these values. What an earlier release left out is as it was then."""
    return write(msgspec.convert({**fields, "event": tag(kind)}, kind))
