"""Entries of the house's record in words, and what a change replaced."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from msgspec import UNSET, Struct, UnsetType, to_builtins
from msgspec.structs import asdict

from punto.catalogue.sentence import knows
from punto.catalogue.values import Money
from punto.floor.alarms.alarm import Alarm
from punto.floor.journal import audit_events, house_events, pit_events
from punto.floor.journal.entry import tag_name, without_version
from punto.floor.journal.event_base import HouseEvent
from punto.floor.reports.house_lines import HouseLine
from punto.floor.running.stop_store import StopScope
from punto.table.records.events import SettingsChanged, TableOpened
from punto.web.messages.record import ChangedValue
from punto.web.words.alarm_words import alarm_words
from punto.web.words.translator import Translator

_MINOR = "_minor"
SECRETS = frozenset({"session", "password", "key", "fingerprint", "commitment", "nonce", "content", "but"})
"""Fields with hashes of what is secret, or with what a shoe was sealed by: readers of the record do not need them."""
_SHOWN_OF_SECRET = 8
_NOTHING = "\N{EN DASH}"
_PROGRAM = ("release", "build", "laws", "packages", "settings")
"""Of a start, what runs; the rest is where and by whom."""


def _of_scope(scope: StopScope, event: audit_events.GamingStopped) -> bool:
    return event.scope == scope


_VARIANTS: tuple[tuple[type[HouseEvent], str, Callable[[Any], bool]], ...] = (
    (house_events.FloorStarted, "by", lambda event: event.user != ""),
    (house_events.FloorRestored, "alone", lambda event: event.alone != ""),
    (house_events.TableRecovered, "void", lambda event: event.voided),
    (house_events.PasswordChanged, "one_time", lambda event: event.one_time),
    (house_events.TerminalEnrolled, "pit", lambda event: not event.table),
    (house_events.SessionUnlocked, "pin", lambda event: event.pin),
    (house_events.DutyStarted, "relief", lambda event: event.relieves != ""),
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
        field.removesuffix(_MINOR): Money(value) if field.endswith(_MINOR) and isinstance(value, int) else value
        for field, value in asdict(event).items()
    }
    if isinstance(table := values.get("table"), str):
        values["table"] = words.titles.get(table, table)
    match event:
        case pit_events.AlarmRaised():
            alarm = Alarm(**asdict(event))
            values["words"] = alarm_words(alarm, words.t, {} if words.names is UNSET else words.names, (), words.titles)
        case house_events.ProposalMade() | house_events.ProposalApproved() | house_events.ProposalDeclined():
            values["what"] = _given(event.what, words.t)
        case house_events.AuthorityRefused() | house_events.LateAttempt() | audit_events.PlayedWhileStopped():
            values["what"] = _given(event.command, words.t)
    return values


def _given(tag: str, t: Translator) -> str:
    """A command by its title, an act of the house by its name."""
    name = without_version(tag)
    return t(f"command.{name}") if knows(f"command.{name}") else name


def _variant(event: HouseEvent | SettingsChanged) -> str:
    """The name of its sentence: of several, the one for its fields."""
    name = tag_name(type(event))
    variant = next((word for kind, word, holds in _VARIANTS if isinstance(event, kind) and holds(event)), "")
    return f"{name}_{variant}" if variant else name


# ---- what was changed


def changes_of(line: HouseLine, t: Translator) -> tuple[ChangedValue, ...]:
    """The values that an entry changed, with those before; empty for an entry that changes none."""
    if line.before is None:
        return ()
    before, after = dict(_flat(_content(line.before))), dict(_flat(_content(line.event)))
    if isinstance(line.before, house_events.AccountCreated):  # the first position of an account
        before = {name: value for name, value in before.items() if name in after}
    return tuple(
        ChangedValue(
            name=_label(name, t),
            before=_write(name, before.get(name), t),
            after=_write(name, after.get(name), t),
        )
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    )


def _content(event: Struct) -> dict[str, Any]:
    content: dict[str, Any] = to_builtins(event.settings if isinstance(event, SettingsChanged | TableOpened) else event)
    if isinstance(event, house_events.FloorStarted):
        content = {name: content[name] for name in _PROGRAM if content[name]}
    return {name: value for name, value in content.items() if name not in ("event", *SECRETS)}


def _flat(values: Mapping[str, Any], start: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{start}{name}.")
        else:
            yield f"{start}{name}", value


def _label(name: str, t: Translator) -> str:
    threshold = name.removeprefix("alarms.")
    return t(f"threshold.{threshold}") if threshold != name and knows(f"threshold.{threshold}") else name


def _write(name: str, value: object, t: Translator) -> str:
    if value is None or value in ("", [], ()):
        return _NOTHING
    if isinstance(value, bool):
        return t("record.yes") if value else t("record.no")
    if name.endswith(_MINOR) and isinstance(value, int):
        return t.write(Money(value))
    if isinstance(value, list | tuple):
        return ", ".join(
            _write(name, each, t) if not isinstance(each, list | tuple) else " ".join(map(str, each)) for each in value
        )
    return str(value)


def shorten_secrets(event: dict[str, Any]) -> dict[str, Any]:
    """An event for readers: of hashes and seals only how they start."""
    return {
        name: f"{value[:_SHOWN_OF_SECRET]}…" if name in SECRETS and isinstance(value, str) and value else value
        for name, value in event.items()
    }
