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
from punto.floor.people.passwords import fingerprint


def check_accounts(record: HouseRecord, database: Stored) -> Iterator[tuple[FaultCode, str]]:
    """Find differences between accounts, rules, chips and readings in the database and those in the house's stream."""
    stored = {name: row for name, *row in database.accounts}
    for name, account in record.people.accounts.items():
        if name not in stored:
            yield FaultCode.ACCOUNT_DIFFERS, f"the account {name!r} is missing"
            continue
        folded, position, kind, password, to_change = stored[name]
        if position != account.position:
            words = f"the account {name!r} has the position {position!r} but was assigned {account.position!r}"
            yield FaultCode.ACCOUNT_DIFFERS, words
        elif folded != fold(name):
            yield FaultCode.ACCOUNT_DIFFERS, f"the lookup name of {name!r} was changed"
        elif kind != account.kind:
            yield FaultCode.ACCOUNT_DIFFERS, f"the account {name!r} was not created as a {kind!r}"
        elif fingerprint(password) != account.password:
            yield FaultCode.ACCOUNT_DIFFERS, f"the password of {name!r} is not the one that was set"
        elif bool(to_change) is not account.to_change:
            yield FaultCode.ACCOUNT_DIFFERS, f"whether {name!r} must change the password was changed"
    for name in stored.keys() - record.people.accounts.keys():
        yield FaultCode.ACCOUNT_DIFFERS, f"the house's stream has no creation of the account {name!r}"
    if _decode(database.rules, FloorRules) != (FloorRules(**asdict(record.rules)) if record.rules else None):
        yield FaultCode.FLOOR_RULES_DIFFER, "the rules for visitors differ from the last change in the house's stream"
    if (database.reserved[0][0] if database.reserved else "") != record.reserved:
        yield FaultCode.PLAYER_DIFFERS, "the numbers that no player gets differ from those in the house's stream"
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
