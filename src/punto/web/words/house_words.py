"""Entries of the house's record in words."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct, UnsetType, to_builtins
from msgspec.structs import asdict

from punto.catalogue.sentence import knows
from punto.catalogue.values import Money
from punto.floor.house.alarm import Alarm
from punto.floor.journal import audit_events, house_events, pit_events
from punto.floor.journal.entry import tag_name, without_version
from punto.floor.journal.event_base import HouseEvent
from punto.floor.journal.house_events import HOUSE_KINDS
from punto.table.records.events import SettingsChanged
from punto.web.words.alarm_words import alarm_words
from punto.web.words.translator import Translator, person_name

MINOR = "_minor"
_SHOWN_OF_SECRET = 8


VARIANTS = tuple(f"{tag_name(kind)}_{word}" for kind in HOUSE_KINDS for word, _ in kind.variants)
"""Other sentences for events whose fields make a difference."""


class HouseNames(Struct, frozen=True):
    """The language of sentences about the house, and the names in them."""

    t: Translator
    names: Mapping[str, str] | UnsetType
    """Of registered players, by id."""
    titles: Mapping[str, str]
    """Of tables, by name."""


def house_words(event: HouseEvent | SettingsChanged, words: HouseNames) -> str:
    variant = "" if isinstance(event, SettingsChanged) else event.variant
    name = f"{tag_name(type(event))}_{variant}" if variant else tag_name(type(event))
    return words.t(f"house_event.{name}", **_values(event, words))


def _values(event: HouseEvent | SettingsChanged, words: HouseNames) -> dict[str, object]:
    if isinstance(event, SettingsChanged):
        return {}
    values: dict[str, object] = {
        field.removesuffix(MINOR): Money(value) if field.endswith(MINOR) and isinstance(value, int) else value
        for field, value in asdict(event).items()
    }
    if isinstance(table := values.get("table"), str):
        values["table"] = words.titles.get(table, table)
    match event:
        case pit_events.AlarmRaised():
            alarm = Alarm(**asdict(event))
            values["words"] = alarm_words(alarm, words.t, {} if words.names is UNSET else words.names, (), words.titles)
        case audit_events.FiguresSeen():
            values["of"] = person_name(event.of, words.t, {})
        case house_events.ProposalMade() | house_events.ProposalApproved() | house_events.ProposalDeclined():
            values["what"] = act_words(event.what, words.t)
        case house_events.AuthorityRefused() | house_events.LateAttempt() | audit_events.PlayedWhileStopped():
            values["what"] = act_words(event.command, words.t)
    return values


def act_words(name: str, t: Translator) -> str:
    """What somebody wanted to do, by its name on record: a tag of a command or act, an act of the house, a request."""
    method, _, path = name.partition(" ")
    if path.startswith("/"):
        to_page = method == "GET" and not path.startswith("/api/")
        return t("record.open_page", path=path) if to_page else t("record.request", method=method, path=path)
    act = without_version(name)
    if act == "change_floor_rules":
        return t("act.change_floor_rules")
    by_house = knows(f"house_act.{act}")
    if knows(f"command.{act}") and (act != name or not by_house):
        return t(f"command.{act}")
    return t(f"house_act.{act}") if by_house else t("record.unknown_act", name=name)


def shown_fields(event: HouseEvent | SettingsChanged) -> dict[str, Any]:
    """An event for readers: of hashes and seals only how they start."""
    secret = () if isinstance(event, SettingsChanged) else event.secret
    fields: dict[str, Any] = to_builtins(event)
    return {
        name: f"{value[:_SHOWN_OF_SECRET]}…" if name in secret and isinstance(value, str) and value else value
        for name, value in fields.items()
    }
