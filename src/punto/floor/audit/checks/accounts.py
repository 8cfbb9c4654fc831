"""Compares accounts, floor rules, chip set, settings and adopted readings in the database with the house's stream."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import asdict

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.house_record import HouseRecord
from punto.floor.audit.people_record import AccountOnRecord
from punto.floor.audit.stored import Stored
from punto.floor.database.base import Row
from punto.floor.people.accounts.passwords import fingerprint
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.names.names import fold
from punto.floor.settings.floor_settings import FloorSettings, settings_on_record
from punto.table.procedure.chip_set import ChipSet


def check_accounts(record: HouseRecord, database: Stored) -> Iterator[tuple[FaultCode, str]]:
    """Find differences between accounts, rules, chips and readings in the database and those in the house's stream."""
    stored = {name: row for name, *row in database.accounts}
    for name, account in record.people.accounts.items():
        words = _differs(name, account, stored[name], database) if name in stored else "it is missing"
        if words:
            yield FaultCode.ACCOUNT_DIFFERS, f"the account {name!r}: {words}"
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
    if _decode(database.settings, FloorSettings) != (settings_on_record(record.settings) if record.settings else None):
        yield FaultCode.SETTINGS_DIFFER, "the settings of the floor differ from the last change in the house's stream"
    if _decode(database.adopted, dict[str, int]) != (record.adopted or None):
        yield FaultCode.READINGS_DIFFER, "the readings in force differ from those adopted in the house's stream"


def _differs(name: str, account: AccountOnRecord, row: Sequence[Any], database: Stored) -> str:
    """How an account differs from what the house recorded; empty if it does not."""
    folded, position, kind, password, to_change, until_us = row
    differences = {
        f"it has the position {position!r} but was assigned {account.position!r}": position != account.position,
        "its lookup name was changed": folded != fold(name),
        f"it was not created as a {kind!r}": kind != account.kind,
        "its password is not the one that was set": fingerprint(str(password)) != account.password,
        "whether the password must be changed is not as recorded": bool(to_change) is not account.to_change,
        "the one-time password expires at another time": until_us != account.one_time_until_us,
        "its PIN is not the one that was set": database.pins.get(folded, "") != account.pin,
        "its TOTP is not the one that was set up": database.totp.get(folded, "") != account.totp,
    }
    return next((words for words, differs in differences.items() if differs), "")


def _decode(rows: Sequence[Row], kind: Any) -> object:
    try:
        return msgspec.json.decode(rows[0][0], type=kind) if rows else None
    except (msgspec.MsgspecError, TypeError):
        return "not readable"
