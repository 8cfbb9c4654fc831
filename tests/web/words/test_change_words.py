"""Every value that the house's record shows before and after has a label and words, in both languages."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, get_args, get_type_hints

import pytest
from msgspec import Struct, to_builtins

from punto.catalogue.sentence import Language
from punto.floor.chips.floor_chips import chips_on_record
from punto.floor.house.positions import OFF
from punto.floor.journal.entry import Entry, EntryContext
from punto.floor.journal.house_events import (
    AccountCreated,
    ChipSetChanged,
    FloorRulesChanged,
    FloorStarted,
    PositionAssigned,
    ReadingAdopted,
)
from punto.floor.journal.pit_events import FloorSettingsChanged, TableTitled
from punto.floor.reports.house_lines import REPLACING, HouseLine
from punto.floor.settings.floor_settings import FloorSettings, as_event
from punto.library import book_ids, readings
from punto.table.procedure.chip_set import USUAL_CHIPS, ChipColour
from punto.table.records.events import SettingsChanged
from punto.table.records.positions import Position
from punto.table.records.settings import ContinuousShuffler, Settings
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.settings import COUNT, show_threshold
from punto.web.words.change_words import LABELS, changes_of, content_of, flat, label_of, value_words
from punto.web.words.house_words import HouseNames

SAMPLES: dict[type[Struct], Struct] = {
    SettingsChanged: SettingsChanged(Settings(layout="A", boxes=7)),
    FloorSettingsChanged: as_event(FloorSettings()),
    FloorRulesChanged: FloorRulesChanged(visitors=True, buy_in_minor=0, buy_ins=1, tables=("felt 1",)),
    ChipSetChanged: chips_on_record(USUAL_CHIPS),
    PositionAssigned: PositionAssigned("dora", Position.DEALER),
    ReadingAdopted: ReadingAdopted("cut_card", "cut_card", 20, "as posted"),
    FloorStarted: FloorStarted("0.10.0", "b", dict.fromkeys(book_ids(), "l"), "p", "s"),
    TableTitled: TableTitled("felt 1", "High limit"),
}
POSITIONS = {"house", "position"}
"""A dealer is a "dealer" in English."""
SUBJECTS = {"name", "table"}
"""Of whom or what a value changes; it never changes itself."""
IDENTIFIER = re.compile("[a-z]_[a-z]|_minor|[a-z]\\.[a-z]")
HAN = re.compile("[\u4e00-\u9fff]")


def names_of(language: Language) -> HouseNames:
    return HouseNames(TRANSLATORS[language], {}, {"felt 1": "High limit"})


def line(before: Any, event: Any) -> HouseLine:
    entry = Entry("house", 2, 0, "sid", "shift_manager", "", 0, "", "", "", "{}", "")
    return HouseLine(2, entry, EntryContext(), event, before)


def changed(before: Any, event: Any, language: Language = "en") -> list[tuple[str, str, str]]:
    return [(one.words, one.before, one.after) for one in changes_of(line(before, event), names_of(language))]


AT_A_SHUFFLER = SettingsChanged(Settings(layout="A", boxes=7, continuous=ContinuousShuffler()))


def fields_of(kind: type[Struct]) -> Iterator[str]:
    samples = [SAMPLES[kind], *([AT_A_SHUFFLER] if kind is SettingsChanged else [])]
    names = dict.fromkeys(name for sample in samples for name, _ in flat(content_of(sample)))
    yield from (name for name in names if name not in SUBJECTS)


def test_there_is_a_sample_of_every_event_that_replaces_another() -> None:
    assert {*SAMPLES} == {*LABELS} == {*REPLACING, SettingsChanged}


@pytest.mark.parametrize("language", TRANSLATORS)
@pytest.mark.parametrize("kind", SAMPLES)
def test_every_value_that_can_change_has_a_label(kind: type[Struct], language: Language) -> None:
    labels = {name: label_of(kind, name, TRANSLATORS[language]) for name in fields_of(kind)}
    assert labels
    assert {name: label for name, label in labels.items() if name == label or IDENTIFIER.search(label)} == {}
    if language == "zh":
        assert [name for name, label in labels.items() if not HAN.search(label)] == []
    assert len({*labels.values()}) == len(labels), "no two alike"
    assert LABELS[kind].keys() <= {*labels}, "none left over"


def _settings() -> Iterator[tuple[str, object]]:
    """The values of each setting of a table of which there are only a few."""
    for name, hint in get_type_hints(Settings).items():
        kind = next(iter(get_args(hint)), None) if get_args(hint) else hint
        if hint is bool:
            yield from ((name, value) for value in (True, False))
        elif isinstance(kind, type) and issubclass(kind, StrEnum):
            several = hint is not kind
            yield from ((name, [each.value] if several else each.value) for each in kind)


OTHER_VALUES: list[tuple[str, object]] = [
    *(("position", position) for position in (*Position, OFF)),
    *(("chips", [[5_00, colour.value]]) for colour in ChipColour),
    *((each.setting.name, value) for each in readings() if each.setting for value in each.setting.values),
    *((name, value) for name, value in flat(content_of(SAMPLES[FloorRulesChanged])) if isinstance(value, bool)),
    *((f"alarms.{name}", 0) for name in to_builtins(FloorSettings().alarms)),
]


@pytest.mark.parametrize("language", TRANSLATORS)
def test_values_of_which_there_are_a_few_have_words(language: Language) -> None:
    values = [*_settings(), *OTHER_VALUES]
    assert {"house", "rounding", "chip_rounding", "takes_from", "automations", "burn", "private"} <= {*dict(values)}
    for name, value in values:
        words = value_words(name, value, names_of(language))
        assert name in POSITIONS or words != str(value), (name, value, words)
        assert not IDENTIFIER.search(words), (name, value, words)
        assert language == "en" or HAN.search(words), (name, value, words)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("main.min_minor", 25_00, "25"),
        ("main.min_minor", None, "\N{EN DASH}"),
        ("alarms.round_s", 1, "1 second"),
        ("alarms.dealer_on_min", 60, "60 minutes"),
        ("alarms.tray_low_percent", 40, "40%"),
        ("alarms.big_bet_minor", 50_000_00, "50,000"),
        ("alarms.late_bets", 3, "3"),
        ("alarms.late_bets", 0, "the alarm is off"),
        ("shifts", ["08:00", "20:00"], "08:00, 20:00"),
        ("tables", ["felt 1", "Orchid"], "High limit, Orchid"),
        ("chips", [[5_00, "red"], [25_00, "green"]], "5 red, 25 green"),
        ("automations", ["deal", "next_round"], "Deal a card, Start the next round"),
        ("cut_card", 14, "14 cards from the end"),
        ("house", "pit_manager", "pit manager"),
        ("squeeze_granted", True, "granted at once"),
        ("private", True, "yes"),
        ("of_a_later_release", "as_it_is", "as_it_is"),
    ],
)
def test_how_values_are_written(name: str, value: object, words: str) -> None:
    assert value_words(name, value, names_of("en")) == words
    assert value_words(name, tuple(value) if isinstance(value, list) else value, names_of("en")) == words


def test_thresholds_have_the_units_of_the_page_of_settings() -> None:
    units = {name: show_threshold(name, 3).unit for name in to_builtins(FloorSettings().alarms)}
    written = {name: value_words(f"alarms.{name}", 3_00, names_of("en")) for name in units}
    assert {name for name, words in written.items() if words == "300"} == {
        name for name, unit in units.items() if unit == COUNT
    }


def test_only_what_changed_is_shown() -> None:
    before = SettingsChanged(Settings(layout="A", boxes=7))
    after = SettingsChanged(Settings(layout="A", boxes=7, burn=False))
    assert changed(before, before) == []
    assert changed(before, after) == [("Burn cards", "cards are burned", "no cards are burned")]
    assert changed(before, after, "zh")[0][1] != "cards are burned"


def test_the_first_position_of_an_account_replaces_the_one_it_was_created_with() -> None:
    created = AccountCreated("dora", Position.DEALER, "person", "secret")
    moved = PositionAssigned("dora", Position.PIT_SUPERVISOR)
    assert changed(created, moved) == [("Position", "dealer", "pit supervisor")]


def test_a_reading_shows_its_value_in_words_and_its_reason_only_in_the_sentence() -> None:
    before = ReadingAdopted("burn_cards", "burn", value=True, reason="usual")
    after = ReadingAdopted("burn_cards", "burn", value=False, reason="no time")
    assert changed(before, after) == [("Value", "cards are burned", "no cards are burned")]


def test_the_value_of_a_reading_that_this_release_does_not_have_is_written_as_it_is() -> None:
    before = ReadingAdopted("gone", "gone_setting", value="old_way", reason="usual")
    after = ReadingAdopted("gone", "gone_setting", value=True, reason="usual")
    assert changed(before, after) == [("Value", "old_way", "yes")]
