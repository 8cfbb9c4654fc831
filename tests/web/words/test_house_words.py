"""Sentences of the house's record that depend on the fields of an event, and values as they are written."""

from punto.floor.journal.audit_events import FiguresSeen
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.words.house_words import HouseNames, _write, house_words

T = TRANSLATORS["en"]


def test_a_look_at_a_round_names_its_table() -> None:
    words = HouseNames(T, {}, {"felt 1": "High limit"})
    assert house_words(FiguresSeen("round", "1-2", "felt 1"), words) == "Looked at a round: 1-2 at table High limit."
    assert house_words(FiguresSeen("report", "2026-11-17", ""), words) == "Looked at the report of a day: 2026-11-17."


def test_several_values_are_written_one_after_the_other() -> None:
    assert _write("tables", ("Orchid", "felt"), T) == _write("tables", ["Orchid", "felt"], T) == "Orchid, felt"
