"""Compares accounts, floor rules, chip set and adopted readings in the database with the house's stream."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import asdict

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.house_record import HouseRecord
from punto.floor.audit.stored import Stored
from punto.floor.chips.chip_set import ChipSet
from punto.floor.database.base import Row
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.names import fold


def check_accounts(record: HouseRecord, database: Stored) -> Iterator[tuple[FaultCode, str]]:
    """Find differences between accounts, rules, chips and readings in the database and those in the house's stream."""
    stored = {name: (folded, position) for name, folded, position in database.accounts}
    for name, position in record.positions.items():
        if name not in stored:
            yield FaultCode.ACCOUNT_DIFFERS, f"the account {name!r} is missing"
        elif stored[name][1] != position:
            words = f"the account {name!r} has the position {stored[name][1]!r} but was assigned {position!r}"
            yield FaultCode.ACCOUNT_DIFFERS, words
        elif stored[name][0] != fold(name):
            yield FaultCode.ACCOUNT_DIFFERS, f"the lookup name of {name!r} was changed"
    for name in stored.keys() - record.positions.keys():
        yield FaultCode.ACCOUNT_DIFFERS, f"the house's stream has no creation of the account {name!r}"
    if _decode(database.rules, FloorRules) != (FloorRules(**asdict(record.rules)) if record.rules else None):
        yield FaultCode.FLOOR_RULES_DIFFER, "the rules for visitors differ from the last change in the house's stream"
    chips = _decode(database.chips, ChipSet)
    listed = (
        tuple((chip.value_minor, str(chip.colour)) for chip in chips.chips) if isinstance(chips, ChipSet) else chips
    )
    if listed != (record.chips.chips if record.chips else None):
        yield FaultCode.CHIP_SET_DIFFERS, "the chip set differs from the last change in the house's stream"
    if _decode(database.adopted, dict[str, int]) != (record.adopted or None):
        yield FaultCode.READINGS_DIFFER, "the readings in force differ from those adopted in the house's stream"


def _decode(rows: Sequence[Row], kind: Any) -> object:
    try:
        return msgspec.json.decode(rows[0][0], type=kind) if rows else None
    except (msgspec.MsgspecError, TypeError):
        return "not readable"
