"""An event as one player may read it on the page of a round: with nothing about other people.

Elsewhere a table shows bets of others without their names. A round that is looked at later shows none of them.
"""

from collections.abc import Mapping
from typing import Any

from punto.floor.journal.entry import tag
from punto.table.records.events import (
    BetsConfirmed,
    Event,
    LimitFlagged,
    PaymentsMarked,
    PayoutsVerified,
    ThirdCardInsuranceWaived,
)
from punto.table.records.findings import PayoutsNotVerified, Ruled, ShoeInspected
from punto.table.records.kinds import Effect
from punto.table.records.ledger import player_of
from punto.web.views.visibility import NAME_FIELDS, STAFF_EVENTS, STAFF_FIELDS

EventFields = Mapping[str, Any]
"""An event with its tag, as plain values."""

_WHO = "who"
_STAFF_KINDS: tuple[type[Event], ...] = (*STAFF_EVENTS, ShoeInspected)
_FOR_STAFF = frozenset(map(tag, _STAFF_KINDS))
_FOR_ALL = frozenset({tag(ThirdCardInsuranceWaived)})
"""They name a player and concern the whole table."""
_ABOUT_BETS = {
    tag(BetsConfirmed): "bets",
    tag(PaymentsMarked): "lines",
    tag(PayoutsVerified): "payouts",
    tag(PayoutsNotVerified): "payouts",
}
"""They concern the players whose bets these fields list."""
_SAID_OF_ONESELF = (_WHO, "player_id", "changed_minor")
_ABOUT_A_BOX = tag(LimitFlagged)
_RULED = tag(Ruled)


def concerns(kind: type[Event], event: EventFields, name: str) -> bool:
    """Whether somebody may know of an event: it is about the table, or about them. Empty: somebody without a stake."""
    tagged = tag(kind)
    if tagged in _FOR_STAFF:
        return False
    if tagged in _FOR_ALL:
        return True
    if tagged == _ABOUT_A_BOX or event.get(_WHO):
        return _is_about(event, name)
    if tagged in _ABOUT_BETS:
        return any(each[_WHO] == name for each in event[_ABOUT_BETS[tagged]])
    if tagged == _RULED and event["effect"] in (Effect.RETURN, Effect.ADJUST):
        return any(each[_WHO] == name for each in event["bets"]) or bool(own_postings(event, name))
    return True


def _is_about(event: EventFields, name: str) -> bool:
    return bool(name) and name in (event.get(_WHO), event.get("player_id"))


def own_postings(event: EventFields, name: str) -> list[Any]:
    """The postings of an event to somebody's chips."""
    return [posting for posting in event.get("postings", ()) if name and player_of(posting[0]) == name]


def own_words(event: EventFields, name: str) -> dict[str, Any]:
    """What the sentences of an event need that concerns somebody."""
    own = {field: event[field] for field in _SAID_OF_ONESELF if event.get(field)} if _is_about(event, name) else {}
    return own_fields(event, name) | own | {"postings": own_postings(event, name), "reason": ""}


def own_fields(event: EventFields, name: str) -> dict[str, Any]:
    """The event without what is for staff, and without other people."""
    return {
        field: _own(field, value, name)
        for field, value in event.items()
        if field not in STAFF_FIELDS and not (field == _WHO and value != name)
    }


def _own(field: str, value: Any, name: str) -> Any:
    if isinstance(value, dict):
        if field in NAME_FIELDS:
            return {who: each for who, each in value.items() if who == name}
        return own_fields(value, name)
    if isinstance(value, list | tuple):
        if field in NAME_FIELDS:
            return [who for who in value if who == name]
        return [_own("", each, name) for each in value if not (isinstance(each, dict) and each.get(_WHO, name) != name)]
    return value
