"""What each viewer may see. Everything the server sends passes through here.

Balances of other players and notes of the staff reach only those who may see them. Nobody gets the order of a shoe.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from punto.floor.house.projections.duty import OnDuty
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import Entry, context_of, tag, tag_name, tag_of, unreadable
from punto.floor.journal.token_bounds import TokenWork
from punto.floor.people.floor_rules import FloorRules
from punto.table.records.chips import SlipReceived, SlipRequested, SlipSent, SlipVoided, TrayCounted
from punto.table.records.events import Event, TableOpened
from punto.table.records.ledger import player_of
from punto.table.records.pit_calls import CallAnswered, PitCalled
from punto.table.records.positions import STAFF, SUPERVISOR_UP, Position
from punto.table.records.settings import Settings
from punto.web.messages import EventView
from punto.web.views.cursors import cursor_of


class Sight(StrEnum):
    PUBLIC = "public"
    """Anybody: the table without names."""
    OWN = "own"
    """Registered players at the table of their code: the table without names, and what is their own."""
    PLAYER = "player"
    """Visitors at play-money tables: the table with names."""
    STAFF = "staff"
    """Dealers: everything except the order of a shoe, what is for the pit, and what they count blind."""
    AUDIT = "audit"
    """Auditors, and the house itself: also what lies in the tray and what should. They never count it."""
    PIT = "pit"
    """Pit supervisors and above: as dealers, and what known cards are worth to a bettor."""

    @property
    def named(self) -> bool:
        """Whether it shows who the players are."""
        return self not in (Sight.PUBLIC, Sight.OWN)

    @property
    def whole(self) -> bool:
        """Whether it shows balances, notes and who acted."""
        return self in (Sight.STAFF, Sight.AUDIT, Sight.PIT)

    @property
    def counts(self) -> bool:
        """Whether it is of those who count a tray, and so must not know what should lie there."""
        return self in (Sight.STAFF, Sight.PIT)


def sees_all(by: Actor | None) -> bool:
    """Whether somebody sees what is for staff. Administrators manage accounts and see as much as the public."""
    return by is not None and by.position in (*STAFF, Position.AUDITOR, Position.HOUSE)


def counts_trays(by: Actor | None) -> bool:
    """Whether somebody may have to count a tray, and so must not read what should lie there."""
    return by is not None and by.position in STAFF


def sight_at(by: Actor | None, table: str, rules: FloorRules) -> Sight:
    """What somebody sees of a table. Visitors who may play there see names; elsewhere the people are customers."""
    if by is not None and by.bounds is not None and not by.bounds.allow(TokenWork.READ, table):
        return Sight.PUBLIC
    if by is not None and by.position in SUPERVISOR_UP:
        return Sight.PIT
    if sees_all(by):
        return Sight.STAFF if by is not None and by.position in STAFF else Sight.AUDIT
    if by is None or not rules.may_play(by, table):
        return Sight.PUBLIC
    return Sight.OWN if by.table else Sight.PLAYER


def record_sight(by: Actor | None, table: str, rules: FloorRules, on_duty: OnDuty) -> Sight:
    """What somebody sees of a table's events and rounds. Dealers see as much as the public where they are not on duty.

    They see the felt of another table as a screen shows it, and not what was recorded there.
    """
    sight = sight_at(by, table, rules)
    return sight if by is None or not sight.whole or on_duty.lets_act(by, table) else Sight.PUBLIC


TRAY_SETTINGS = frozenset({"tray_par_minor"})
"""Settings that say what should lie in a tray, for those who never count one."""
STAFF_AMOUNTS = (
    "buy_in_supervised_minor",
    "cash_out_supervised_minor",
    "payout_supervised_minor",
    "tray_par_minor",
)
"""Settings for staff: anyone who knows a threshold can stay just below it."""
STAFF_FIELDS = frozenset(
    {
        "postings",
        "balances",
        "placed_by",
        "withdrawn_by",
        "chosen_by",
        "found_by",
        "ruled_by",
        "recorded_by",
        "inspected_by",
        "corrected_by",
        "reopened_by",
        "called_by",
        "answered_by",
        "reason",
        "player_id",
        "changed_minor",
        "no_insurance_asked_by",
        *STAFF_AMOUNTS,
        "last_slip",
        "piles",
    }
)
"""Fields of events that only staff and auditors see: which employee acted, their notes, balances and chips, who
somebody was identified as, who asked for a table without insurance, the amounts that need a supervisor, and which chips
a slip or a count has."""
NAME_FIELDS = frozenset({"who", "players", "away", "forgone", "passed", "silent"})
"""Fields of events that name players."""
STAFF_EVENTS: tuple[type[Event], ...] = (
    PitCalled,
    CallAnswered,
    SlipRequested,
    SlipSent,
    SlipReceived,
    SlipVoided,
    TrayCounted,
)
"""Events that only staff and auditors see at all."""
_OPENED = tag_name(TableOpened)
_FOR_STAFF = frozenset(map(tag, STAFF_EVENTS))
MAX_CACHED_EVENTS = 4_096


def cut_settings(settings: Settings | None, sight: Sight) -> Settings | None:
    if settings is not None and sight.counts:
        return replace(settings, tray_par_minor=None)
    if settings is None or sight.whole:
        return settings
    return replace(settings, **dict.fromkeys(STAFF_AMOUNTS))


def cut_balances(balances: Mapping[str, int], sight: Sight) -> dict[str, int]:
    """For those who count the tray, only the chips of players: the house's accounts say what should lie there."""
    shown = balances.items()
    return dict(sorted((name, minor) for name, minor in shown if not sight.counts or player_of(name) is not None))


def without_tray(event: dict[str, Any]) -> dict[str, Any]:
    """An event without what should lie in the tray, for those who count it blind.

    A count is in no preview, and when it is an event it stands.
    """
    cut = dict(event)
    if isinstance(settings := cut.get("settings"), dict):
        cut["settings"] = {name: value for name, value in settings.items() if name not in TRAY_SETTINGS}
    if isinstance(balances := cut.get("balances"), dict):
        cut["balances"] = cut_balances(balances, Sight.STAFF)
    if str(cut["event"]).startswith(_OPENED):
        cut["postings"] = []
    return cut


def cut_all(entries: Iterable[Entry], sight: Sight) -> tuple[EventView, ...]:
    """The entries that this viewer may see, without the fields they may not."""
    return tuple(cut(entry, sight) for entry in entries if sight.whole or tag_of(entry) not in _FOR_STAFF)


def cut(entry: Entry, sight: Sight) -> EventView:
    """An entry without the fields this viewer may not see."""
    whole = sight.whole
    try:
        event = _event(entry.event, sight)
    except msgspec.MsgspecError as error:
        raise unreadable(entry.stream, entry.version) from error
    return EventView(
        cursor=cursor_of(entry),
        at_us=entry.at_us,
        position=entry.position,
        event=event,
        by=entry.actor if whole else None,
        command_id=entry.command_id if whole else None,
        happened_at_us=(context_of(entry).happened_at_us or UNSET) if whole else UNSET,
    )


@lru_cache(MAX_CACHED_EVENTS)
def _event(text: str, sight: Sight) -> dict[str, Any]:
    event = msgspec.json.decode(text, type=dict[str, Any])
    if sight.counts:
        return without_tray(event)
    return event if sight.whole else _without(event, sight)


def _without(record: dict[str, Any], sight: Sight) -> dict[str, Any]:
    hidden = STAFF_FIELDS if sight.named else STAFF_FIELDS | NAME_FIELDS
    return {name: _inner(value, sight) for name, value in record.items() if name not in hidden}


def _inner(value: Any, sight: Sight) -> Any:
    if isinstance(value, dict):
        return _without(value, sight)
    if isinstance(value, list):
        return [_inner(one, sight) for one in value]
    return value
