"""The accounts and the floor's rules, held against what the house has on record of them."""

from collections.abc import Iterator, Sequence

import msgspec

from punto.floor.audit.faults import Wrong
from punto.floor.audit.house_record import HouseRecord
from punto.floor.database.base import Row
from punto.floor.journal.house_events import DEFAULT_BOXES
from punto.floor.people.names import fold


def beside_the_streams(
    record: HouseRecord, accounts: Sequence[Row], rules: Sequence[Row]
) -> Iterator[tuple[Wrong, str]]:
    """What the tables beside the streams say otherwise than the house's own stream."""
    found = {name: (folded, position) for name, folded, position in accounts}
    for name, position in record.held.items():
        if name not in found:
            yield Wrong.ACCOUNT_DIFFERS, f"the account {name!r} is gone"
        elif found[name] != (fold(name), position):
            words = f"the account {name!r} has the position {found[name][1]!r}, and was assigned {position!r}"
            yield Wrong.ACCOUNT_DIFFERS, words if found[name][1] != position else f"{name!r} is found by another name"
    for name in found.keys() - record.held.keys():
        yield Wrong.ACCOUNT_DIFFERS, f"the house has not created the account {name!r}"
    if _rules(rules) != record.rules:
        yield Wrong.FLOOR_RULES_DIFFER, "the rules for visitors are not those that were last decided on"


def _rules(rows: Sequence[Row]) -> object:
    try:
        # an older release wrote no boxes, neither here nor on record
        return {"boxes": DEFAULT_BOXES, **msgspec.json.decode(rows[0][0])} if rows else None
    except (msgspec.MsgspecError, TypeError):
        return "no rules"
