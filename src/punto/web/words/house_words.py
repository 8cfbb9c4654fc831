"""Entries of the house's record in words."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from punto.catalogue.sentence import knows
from punto.catalogue.values import Money
from punto.floor.alarms.alarm import Alarm
from punto.floor.journal import audit_events, house_events, pit_events
from punto.floor.journal.entry import tag_name, without_version
from punto.floor.journal.event_base import HouseEvent
from punto.floor.running.stop_store import StopScope
from punto.table.records.events import SettingsChanged
from punto.web.words.alarm_words import alarm_words
from punto.web.words.translator import Translator, person_name

MINOR = "_minor"
SECRETS = frozenset({"session", "password", "key", "fingerprint", "commitment", "nonce", "content", "but"})
"""Fields with hashes of what is secret, or with what a shoe was sealed by: readers of the record do not need them."""
_SHOWN_OF_SECRET = 8


def _of_scope(scope: StopScope, event: audit_events.GamingStopped) -> bool:
    return event.scope == scope


_VARIANTS: tuple[tuple[type[HouseEvent], str, Callable[[Any], bool]], ...] = (
    (house_events.FloorStarted, "by", lambda event: event.user != ""),
    (house_events.FloorRestored, "alone", lambda event: event.alone != ""),
    (house_events.TableRecovered, "void", lambda event: event.voided),
    (house_events.PasswordChanged, "one_time", lambda event: event.one_time),
    (house_events.TerminalEnrolled, "pit", lambda event: not event.table),
    (house_events.PinLocked, "everywhere", lambda event: not event.terminal),
    (house_events.SessionUnlocked, "pin", lambda event: event.pin),
    (house_events.SignedIn, "relief", lambda event: event.relieves != ""),
    (house_events.DutyStarted, "relief", lambda event: event.relieves != ""),
    (house_events.AuthorityRefused, "at_times", lambda event: event.table != "" and event.times > 1),
    (house_events.AuthorityRefused, "at", lambda event: event.table != ""),
    (house_events.AuthorityRefused, "times", lambda event: event.times > 1),
    (pit_events.ShoeStepTaken, "unfit", lambda event: event.problem != ""),
    (pit_events.AlarmAcknowledged, "note", lambda event: event.note != ""),
    (pit_events.TableTitled, "name", lambda event: not event.title),
    *((audit_events.GamingStopped, scope.value, partial(_of_scope, scope)) for scope in StopScope),
    (audit_events.FiguresSeen, "many", lambda event: not event.of),
    (audit_events.FiguresSeen, "at", lambda event: event.table != ""),
    (audit_events.ProgramChecked, "same", lambda event: event.same),
    (audit_events.VerifyEnded, "faults", lambda event: event.faults > 0),
    (audit_events.VerifyEnded, "without", lambda event: not event.sound),
)
VARIANTS = tuple(f"{tag_name(kind)}_{word}" for kind, word, _ in _VARIANTS)
"""Other sentences for events whose fields make a difference."""


class HouseNames(Struct, frozen=True):
    """The language of sentences about the house, and the names in them."""

    t: Translator
    names: Mapping[str, str] | UnsetType
    """Of registered players, by id."""
    titles: Mapping[str, str]
    """Of tables, by name."""


def house_words(event: HouseEvent | SettingsChanged, words: HouseNames) -> str:
    t, name = words.t, _variant(event)
    return t(f"house_event.{name}", **_values(event, words))


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


def _variant(event: HouseEvent | SettingsChanged) -> str:
    """The name of its sentence: of several, the one for its fields."""
    name = tag_name(type(event))
    variant = next((word for kind, word, holds in _VARIANTS if isinstance(event, kind) and holds(event)), "")
    return f"{name}_{variant}" if variant else name


def shorten_secrets(event: dict[str, Any]) -> dict[str, Any]:
    """An event for readers: of hashes and seals only how they start."""
    return {
        name: f"{value[:_SHOWN_OF_SECRET]}…" if name in SECRETS and isinstance(value, str) and value else value
        for name, value in event.items()
    }
