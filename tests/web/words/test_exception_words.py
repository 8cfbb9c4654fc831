"""Every kind of house entry that is out of the ordinary has its sentence, in both languages."""

import pytest

from punto.catalogue.sentence import Language
from punto.floor.house.projections.stops import StopScope
from punto.floor.journal import audit_events, house_events
from punto.floor.journal.event_base import ExceptionKind, HouseEvent
from punto.floor.journal.house_events import HOUSE_KINDS
from punto.floor.journal.pit_events import CountsDiffered, FloorSettingsChanged, ShoeStepTaken
from punto.floor.reports.days.day_exceptions import DayException
from punto.web.words.event_words import Writer
from punto.web.words.exception_words import exception_reason, exception_words
from punto.web.words.translator import TRANSLATORS

HOSTILE = '<b>"eve"</b>'
EVENTS: tuple[HouseEvent, ...] = (
    house_events.FloorStarted("0.10.0"),
    house_events.FloorRestored(("sid", "cass")),
    house_events.FloorRestored((), alone=HOSTILE),
    house_events.TableRecovered("t1/2", 7, round_open=False),
    house_events.TableRecovered("t1/2", 7, round_open=True, round=3, voided=True),
    CountsDiffered("t1", "closer", HOSTILE, 1_00, 2_00),
    house_events.ShoeNotAsSealed(HOSTILE, "t1"),
    house_events.ShoeUnreadable("one", "t1"),
    ShoeStepTaken(shoe="one", step="loaded", table="t1", problem="not_shuffled"),
    house_events.LockedOut(HOSTILE, 1),
    house_events.PinLocked("eve", "t-1", 1),
    house_events.BridgeStopped("scanner", "0", "t1", "t1/2", "one", 4),
    house_events.BridgeReleased("scanner", "0", "t1"),
    house_events.FloorMigrated(8),
    audit_events.JournalSigned("ab" * 32, 9),
    audit_events.ProgramChecked("1", "2", "3", same=False, changed=("a.py", "b.py")),
    audit_events.GeneratorFailed("monobit"),
    *(audit_events.GamingStopped(1, scope, "commission", "smoke.", 1) for scope in StopScope),
    audit_events.GamingReleased(1, HOSTILE, 1),
    audit_events.PlayedWhileStopped(1, "t1", "t1/2", 3, "open_betting"),
    audit_events.ComplaintMade("t1", "t1/2", 3, HOSTILE),
    house_events.ChipSetChanged(((100, "red"),)),
    house_events.ReadingAdopted("forgone", "forgone_for_the_round", value=False, reason="asked for.", clauses={}),
    house_events.FloorRulesChanged(visitors=True, buy_in_minor=1, buy_ins=1, tables=("t1",), boxes=1),
    FloorSettingsChanged("Asia/Singapore", "06:00", ("06:00",), {"big_bet_minor": 1}, 20, 1),
    audit_events.VerifyEnded("1", "done", sound=False, entries=9, faults=2, first="t1/2 entry 7: entry_altered"),
)


def test_all_kinds_are_here() -> None:
    assert {type(event) for event in EVENTS} == {kind for kind in HOUSE_KINDS if kind.exception}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_entry_of_the_house_in_words(event: HouseEvent, language: Language) -> None:
    found = DayException(kinds=(ExceptionKind.ALONE,), at_us=1, events=(event,))
    (line,) = words = exception_words(found, Writer(TRANSLATORS[language], {}), {})
    assert line.rstrip()[-1] in ".。>d"
    assert exception_reason(found, words) == ""
    for text in (getattr(event, name) for name in ("release", "first", "terminal", "reason") if hasattr(event, name)):
        assert text in line
