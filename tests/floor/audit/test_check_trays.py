"""Slips and counts that cannot have happened so are found by their events alone."""

import pytest
from msgspec.structs import replace

from punto import book
from punto.floor.audit.checks.trays import tray_fault
from punto.table.records.chips import (
    ChipPile,
    CountPurpose,
    CountTray,
    ReceiveSlip,
    RequestSlip,
    SendSlip,
    SlipKind,
    SlipReceived,
    SlipRequested,
    SlipSent,
    SlipVoided,
    TrayCounted,
)
from punto.table.records.events import Event
from tests.table.tables import DEALER, SUPERVISOR, Evening, ready

RULES = book("commission")
PILES = (ChipPile(100_00, 5),)
FILL = SlipKind.FILL


def asked(*, sent: bool) -> Evening:
    evening = ready(RULES)
    evening.do(RequestSlip(*DEALER, FILL, PILES))
    if sent:
        evening.do(SendSlip(*SUPERVISOR, 1))
    return evening


@pytest.mark.parametrize(
    ("sent", "event", "words"),
    [
        (False, SlipRequested(3, FILL, PILES), "the number 3, not 2"),
        (False, SlipRequested(1, FILL, PILES), "the number 1, not 2"),
        (False, SlipSent(2, FILL, 500_00), "not open"),
        (False, SlipSent(1, SlipKind.CREDIT, 500_00), "other chips"),
        (False, SlipSent(1, FILL, 600_00), "other chips"),
        (False, SlipReceived(1, FILL, 500_00), "cannot take this step"),
        (True, SlipSent(1, FILL, 500_00), "cannot take this step"),
        (True, SlipVoided(7, FILL, 500_00, "no"), "not open"),
        (True, SlipVoided(1, FILL, 1_00, "no"), "other chips"),
    ],
)
def test_a_step_of_a_slip_that_cannot_be(*, sent: bool, event: Event, words: str) -> None:
    assert words in tray_fault(asked(sent=sent).table, event)


def test_what_a_table_decides_has_no_fault() -> None:
    evening = asked(sent=True)
    before = evening.table
    (received,) = evening.do(ReceiveSlip(*SUPERVISOR, 1))
    assert tray_fault(before, received) == ""
    before = evening.table
    (counted,) = evening.do(CountTray(*SUPERVISOR, CountPurpose.CHECK, PILES))
    assert isinstance(counted, TrayCounted)
    assert tray_fault(before, counted) == ""
    for wrong in (replace(counted, counted_minor=1), replace(counted, expected_minor=1)):
        assert "count" in tray_fault(before, wrong)
