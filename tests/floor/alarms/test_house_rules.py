"""Restarts, wrong PINs, scanners, and dealers who are on for too long."""

import pytest

from punto.floor.alarms.house_rules import (
    MINUTE_US,
    HouseEntry,
    ReadCard,
    dealer_alarms,
    pin_alarms,
    restart_alarms,
    scan_alarms,
    shoe_alarms,
    verify_alarms,
)
from punto.floor.errors import FloorCode
from punto.floor.house.alarm import AlarmKind
from punto.floor.house.projections.duty import DutyLine
from punto.floor.journal.audit_events import VerifyEnded
from punto.floor.journal.house_events import LockedOut, PinLocked, TableRecovered
from punto.floor.journal.pit_events import ShoeStepTaken
from punto.floor.shoes.scan_store import ScanResult
from tests.floor.alarms.facts import NOW_US, kinds, only

ON = only(dealer_on_min=60).alarms


def recovered(stream: str, *, round_open: bool = True, voided: bool = False) -> TableRecovered:
    return TableRecovered(stream, 9, round_open, round=3, voided=voided)


def test_tables_that_are_taken_over_together_ring_once() -> None:
    first_us = NOW_US - NOW_US % MINUTE_US
    entries = [
        HouseEntry(1, first_us, recovered("t2/1")),
        HouseEntry(2, first_us + 1, recovered("t1/4", voided=True)),
        HouseEntry(3, first_us + 2, recovered("t3/1", round_open=False)),
    ]
    (together,) = restart_alarms(entries)
    assert (together.kind, together.table, together.values) == (
        AlarmKind.RESTART,
        "",
        {"tables": ("t1", "t2"), "voided": 1},
    )
    (alone,) = restart_alarms(entries[:1])
    assert (alone.table, alone.opening, alone.round) == ("t2", 1, 3)
    assert alone.once == together.once
    (later,) = restart_alarms(entries[1:])  # the others were read only after it had rung
    assert (later.once == together.once, later.values["tables"]) == (False, ("t1",))
    assert len(list(restart_alarms([*entries, HouseEntry(4, first_us + MINUTE_US, recovered("t1/4"))]))) == 2
    assert list(restart_alarms(entries[2:])) == []


def test_a_pin_that_is_locked_rings_each_time_and_a_password_does_not() -> None:
    entries = [HouseEntry(at, NOW_US, PinLocked("sue", "desk", 0)) for at in (1, 2)]
    due = list(pin_alarms([*entries, HouseEntry(3, NOW_US, LockedOut("sue", 0))]))
    assert [(each.kind, each.subject, each.values) for each in due] == [
        (AlarmKind.WRONG_PINS, "sue", {"terminal": "desk"})
    ] * 2
    assert len({each.once for each in due}) == 2


def test_a_shoe_that_is_not_fit_for_use_rings_and_any_other_step_does_not() -> None:
    steps = (("loaded", "locked"), ("loaded", ""), ("locked", ""))
    entries = [
        HouseEntry(version, NOW_US, ShoeStepTaken("one", step, "t1", problem))
        for version, (step, problem) in enumerate(steps, 1)
    ]
    (due,) = shoe_alarms([*entries, HouseEntry(9, NOW_US, LockedOut("sue", 0))])
    assert (due.kind, due.table, due.subject, due.values) == (
        AlarmKind.UNFIT_SHOE,
        "t1",
        "one",
        {"problem": "locked"},
    )


def test_a_verification_rings_if_it_found_faults() -> None:
    ends = ((False, 2, "t1/1 entry 7: entry_altered"), (True, 0, ""), (False, 0, ""))
    entries = [
        HouseEntry(version, NOW_US, VerifyEnded("a", "done", sound, 100, faults, first))
        for version, (sound, faults, first) in enumerate(ends, 1)
    ]
    (due,) = verify_alarms([*entries, HouseEntry(9, NOW_US, LockedOut("sue", 0))])
    assert (due.kind, due.subject, due.values) == (AlarmKind.NOT_SOUND, ends[0][2], {"faults": 2})


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (FloorCode.CARD_DIFFERS, AlarmKind.SCANNER_MISREAD),
        (FloorCode.NOT_THE_SEALED_CARD, AlarmKind.SCANNER_MISREAD),
        (FloorCode.CARD_GAP, AlarmKind.SCANNER_GAP),
        (FloorCode.WRONG_SHOE, AlarmKind.SCANNER_GAP),
        *((result, None) for result in ScanResult),
        ("table_closed", None),
    ],
)
def test_a_read_that_does_not_fit(outcome: str, kind: AlarmKind | None) -> None:
    reads = [ReadCard("t1/2", NOW_US, "s1", 7, outcome)] * 2
    due = list(scan_alarms(reads))
    assert kinds(due) == ([kind] * 2 if kind else [])
    assert len({each.once for each in due}) == (kind is not None)


def line(name: str, from_min: int, to_min: int = 0, table: str = "t1", position: str = "dealer") -> DutyLine:
    """Somebody's duty; minutes count back from now, 0 for those who still are."""
    return DutyLine(name, table, position, "", NOW_US - from_min * MINUTE_US, to_min and NOW_US - to_min * MINUTE_US)


@pytest.mark.parametrize(("minutes", "times"), [(59, 0), (60, 1), (61, 1), (119, 1), (120, 2)])
def test_a_dealer_is_on_for_an_hour(minutes: int, times: int) -> None:
    due = list(dealer_alarms([line("dora", minutes)], {"t1"}, NOW_US, ON))
    assert [(each.subject, each.values) for each in due] == [("dora", {"minutes": 60 * times})] * bool(times)


def test_being_sent_to_another_table_is_no_break() -> None:
    duty = [
        line("Dora", 70, 40, "t2"),
        line("dora", 40, 20, "t3"),
        line("dora", 20),
        line("dan", 70, 41),
        line("dan", 40),
    ]
    due = list(dealer_alarms(duty, {"t1"}, NOW_US, ON))
    assert [(each.subject, each.table) for each in due] == [("dora", "t1")]


def test_only_dealers_at_open_tables_and_only_if_it_is_switched_on() -> None:
    duty = [line("sue", 90, position="pit_supervisor"), line("dan", 90, table="t2"), line("dora", 90)]
    assert [each.subject for each in dealer_alarms(duty, {"t1"}, NOW_US, ON)] == ["dora"]
    assert list(dealer_alarms(duty, {"t1"}, NOW_US, only().alarms)) == []
