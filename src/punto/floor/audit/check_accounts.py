"""Compares accounts and floor rules in the database with the house's stream."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import asdict

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.house_record import HouseRecord
from punto.floor.database.base import Row
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.names import fold


def check_accounts(
    record: HouseRecord, accounts: Sequence[Row], rules: Sequence[Row]
) -> Iterator[tuple[FaultCode, str]]:
    """Find differences between the accounts and rules in the database and those in the house's stream."""
    stored = {name: (folded, position) for name, folded, position in accounts}
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
    if _decode_rules(rules) != (FloorRules(**asdict(record.rules)) if record.rules else None):
        yield FaultCode.FLOOR_RULES_DIFFER, "the rules for visitors differ from the last change in the house's stream"


def _decode_rules(rows: Sequence[Row]) -> object:
    try:
        return msgspec.json.decode(rows[0][0], type=FloorRules) if rows else None
    except (msgspec.MsgspecError, TypeError):
        return "not readable"
