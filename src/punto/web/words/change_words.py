"""What an entry of the house's record changed: each value by its label, before and after."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from msgspec import Struct, to_builtins

from punto.catalogue.sentence import Phrase, knows, phrase
from punto.catalogue.values import Money, Rate
from punto.floor.journal import house_events, pit_events
from punto.floor.reports.house_lines import HouseLine
from punto.table.records.events import SettingsChanged, TableOpened
from punto.table.records.settings import Automation
from punto.web.messages.record import ChangedValue
from punto.web.words.house_words import MINOR, HouseNames
from punto.web.words.translator import Translator

_NOTHING = "\N{EN DASH}"
_PROGRAM = ("release", "build", "laws", "packages", "settings")
"""Of a start, what runs; the rest is where and by whom."""

LABELS: dict[type[Struct], dict[str, Phrase]] = {
    SettingsChanged: {
        "layout": phrase("dialog.layout"),
        "boxes": phrase("dialog.boxes"),
        "box_labels": phrase("changed.box_labels"),
        "currency": phrase("changed.currency"),
        "main.min_minor": phrase("dialog.main_min"),
        "main.max_minor": phrase("dialog.main_max"),
        "side.min_minor": phrase("dialog.side_min"),
        "side.max_minor": phrase("dialog.side_max"),
        "differential_minor": phrase("dialog.differential"),
        "face_down": phrase("dialog.face_down"),
        "private": phrase("changed.private"),
        "no_insurance": phrase("changed.no_insurance"),
        "observing": phrase("dialog.mode.observing"),
        "cards_only": phrase("dialog.mode.cards_only"),
        "faces_by_rank": phrase("dialog.by_rank"),
        "rounding": phrase("reading_title.round_down_bet_by_bet"),
        "smallest_chip_minor": phrase("dialog.smallest_chip"),
        "chip_rounding": phrase("changed.chip_rounding"),
        "buy_in_supervised_minor": phrase("dialog.buy_in_supervised"),
        "cash_out_supervised_minor": phrase("dialog.cash_out_supervised"),
        "payout_supervised_minor": phrase("dialog.payout_supervised"),
        "tray_par_minor": phrase("dialog.tray_par"),
        "takes_from": phrase("changed.takes_from"),
        "burn": phrase("reading_title.burn_cards"),
        "cut_card": phrase("reading_title.cut_card"),
        "rounds_after_cut_card": phrase("reading_title.rounds_after_cut_card"),
        "continuous": phrase("changed.continuous"),
        "continuous.back_after_rounds": phrase("changed.continuous_back"),
        "continuous.burn": phrase("changed.continuous_burn"),
        "forgone_for_the_round": phrase("reading_title.forgoing_insurance"),
        "established_by_staked_bets": phrase("reading_title.established"),
        "squeeze_by_hand": phrase("reading_title.who_may_squeeze"),
        "squeeze_granted": phrase("reading_title.squeeze_needs_permission"),
        "house": phrase("reading_title.who_the_house_is"),
        "automations": phrase("changed.automations"),
    },
    pit_events.FloorSettingsChanged: {
        "zone": phrase("floor_settings.zone"),
        "starts": phrase("changed.starts"),
        "shifts": phrase("floor_settings.shifts"),
        "tray_chips": phrase("floor_settings.tray_chips"),
        "large_cash_minor": phrase("floor_settings.large_cash"),
        "ruling_by_two_minor": phrase("floor_settings.ruling_by_two"),
        "complaints": phrase("changed.complaints"),
        "regulator": phrase("changed.regulator"),
    },
    house_events.FloorRulesChanged: {
        "visitors": phrase("changed.visitors"),
        "buy_in_minor": phrase("changed.buy_in"),
        "buy_ins": phrase("changed.buy_ins"),
        "tables": phrase("changed.tables"),
        "boxes": phrase("changed.boxes"),
        "totp_required": phrase("changed.totp_required"),
        "four_eyes": phrase("changed.four_eyes"),
    },
    house_events.FloorStarted: {
        "release": phrase("program.release"),
        "build": phrase("program.build"),
        "packages": phrase("program.packages"),
        "settings": phrase("program.settings_at_start"),
    },
    house_events.ChipSetChanged: {"chips": phrase("changed.chips")},
    house_events.PositionAssigned: {"position": phrase("changed.position")},
    house_events.ReadingAdopted: {"value": phrase("readings.value")},
    pit_events.TableTitled: {"title": phrase("pit.title_of")},
}
"""By the event of a change and the name of the value. Thresholds and laws, which are by name too: `label_of`."""
STEPS: dict[Automation, Phrase] = {
    Automation.OPEN_BETTING: phrase("command.open_betting"),
    Automation.CLOSE_BETTING: phrase("command.close_betting"),
    Automation.BURN: phrase("command.burn_cards"),
    Automation.DEAL: phrase("command.deal_card"),
    Automation.TURN: phrase("command.turn_card"),
    Automation.SQUEEZE: phrase("changed.squeeze_ended"),
    Automation.OPEN_INSURANCE: phrase("command.open_insurance"),
    Automation.CLOSE_INSURANCE: phrase("command.close_insurance"),
    Automation.SETTLE: phrase("command.settle"),
    Automation.NEXT_ROUND: phrase("changed.next_round"),
    Automation.CALL_TIME: phrase("command.call_time"),
}


def changes_of(line: HouseLine, words: HouseNames) -> tuple[ChangedValue, ...]:
    """The values that an entry changed, with those before; empty for an entry that changes none."""
    if line.before is None:
        return ()
    event = line.event
    before, after = dict(flat(content_of(line.before))), dict(flat(content_of(event)))
    if isinstance(line.before, house_events.AccountCreated):  # the first position of an account
        before = {name: value for name, value in before.items() if name in after}
    setting = event.setting if isinstance(event, house_events.ReadingAdopted) else ""
    return tuple(
        ChangedValue(
            name=name,
            words=label_of(type(event), name, words.t),
            before=value_words(setting or name, before.get(name), words),
            after=value_words(setting or name, after.get(name), words),
        )
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    )


def content_of(event: Struct) -> dict[str, Any]:
    """What of an event can be changed by the next of its kind."""
    content: dict[str, Any] = to_builtins(event.settings if isinstance(event, SettingsChanged | TableOpened) else event)
    if isinstance(event, house_events.FloorStarted):
        return {name: content[name] for name in _PROGRAM if content[name]}
    if isinstance(event, house_events.ReadingAdopted):  # its reason is in the sentence
        return {"value": content["value"]}
    return {name: value for name, value in content.items() if name != "event"}


def flat(values: Mapping[str, Any], start: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from flat(value, f"{start}{name}.")
        else:
            yield f"{start}{name}", value


def label_of(kind: type[Struct], name: str, t: Translator) -> str:
    group, _, member = name.partition(".")
    if group == "alarms":
        return t("changed.alarm", threshold=t(f"threshold.{member}"))
    if group == "laws":
        return t("changed.law", book=member)
    return t.write(LABELS[kind][name])


def value_words(name: str, value: object, words: HouseNames) -> str:
    t = words.t
    if value is None or value in ("", [], ()):
        return _NOTHING
    if name in _WRITERS:
        return _WRITERS[name](value, words)
    if name.startswith("alarms."):
        return _threshold(name, value, t)
    if knows(f"reading_value.{name}.{str(value).lower()}"):
        return setting_words(name, value, t)
    if isinstance(value, bool):
        return t("record.yes") if value else t("record.no")
    if name.endswith(MINOR) and isinstance(value, int):
        return t.write(Money(value))
    if isinstance(value, list | tuple):
        return t.write(tuple(value))
    return str(value)


def setting_words(setting: str, value: object, t: Translator) -> str:
    """A value of a setting by which a house reads otherwise."""
    if type(value) is int:
        return str(value)
    if setting == "house":
        return t(f"position.{value}")
    return t(f"reading_value.{setting}.{str(value).lower()}")


def _threshold(name: str, value: object, t: Translator) -> str:
    if not isinstance(value, int) or value == 0:
        return t("program.never_rings")
    match name.rpartition("_")[2]:
        case "minor":
            return t.write(Money(value))
        case "percent":
            return t.write(Rate(Fraction(value, 100)))
        case "s":
            return t("jobs.seconds", seconds=value)
        case "min":
            return t("changed.minutes", minutes=value)
        case "deviations":
            return t("changed.deviations", deviations=value)
    return str(value)


def _position(value: Any, words: HouseNames) -> str:
    return setting_words("house", value, words.t)


def _cut_card(value: Any, words: HouseNames) -> str:
    t = words.t
    return t("changed.from_end", cards=value)


def _chip_rounding(value: Any, words: HouseNames) -> str:
    return setting_words("rounding", value, words.t)


def _takes_from(value: Any, words: HouseNames) -> str:
    t = words.t
    return t(f"box_end.{value}")


def _steps(value: Any, words: HouseNames) -> str:
    return words.t.write(tuple(STEPS[Automation(each)] for each in value))


def _chips(value: Any, words: HouseNames) -> str:
    chips = (phrase("changed.chip", value=Money(worth), colour=colour) for worth, colour in value)
    return words.t.write(tuple(chips))


def _tables(value: Any, words: HouseNames) -> str:
    return words.t.write(tuple(words.titles.get(each, each) for each in value))


_WRITERS: dict[str, Callable[[Any, HouseNames], str]] = {
    "position": _position,
    "house": _position,
    "cut_card": _cut_card,
    "chip_rounding": _chip_rounding,
    "takes_from": _takes_from,
    "automations": _steps,
    "chips": _chips,
    "tables": _tables,
}
"""Of values with words of their own, by name."""
