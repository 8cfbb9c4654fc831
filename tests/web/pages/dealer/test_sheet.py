"""The settlement sheet as the console shows it."""

from punto.floor.chips.chip_set import USUAL_CHIPS
from punto.library import book
from punto.table.decision import this_round
from punto.table.records import commands, reports
from punto.table.records.kinds import Effect
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.dealer.moment import moments_of
from punto.web.pages.dealer.sheet import ShownLine, ShownSheet, show_sheet
from tests.table.corrections.slips import felt
from tests.table.tables import DEALER, NATURAL, SHIFT, Evening
from tests.web.pages.dealer.at_console import command_in, scene_of
from tests.web.pages.dealer.test_boxes import view_of

RULES = book("commission-insurance")


def sheet_of(evening: Evening) -> ShownSheet:
    now = this_round(evening.table)
    return show_sheet(RULES, evening.table, now, USUAL_CHIPS, view_of(evening), TRANSLATORS["en"])


def test_the_line_in_hand_is_the_one_that_space_marks_also_where_a_debt_is_taken_from_a_stake() -> None:
    """Ann owes more than she wins, so a part of her stake is taken; Ben is paid before her."""
    evening = felt(RULES)
    evening.bet("ann", "player", 195_00)
    evening.play(NATURAL)
    evening.do(commands.Leave(*DEALER, "ann"))
    evening.do(reports.Rule(*SHIFT, "smoke", Effect.VOID))
    evening.open_betting()
    evening.do(commands.PlaceBet(*DEALER, "ann", 1, "player", 120_00))
    evening.do(commands.PlaceBet(*DEALER, "ben", 3, "player", 50_00))
    evening.play(NATURAL)
    in_hand: list[ShownLine] = []
    while (line := sheet_of(evening).current) is not None:
        in_hand.append(line)
        (from_stake,) = sheet_of(evening).takes
        assert (from_stake.handed_minor, from_stake.current, from_stake.done) == (75_00, False, False)
        space = moments_of(scene_of(evening))[0].space
        assert space is not None
        (body,) = space.action.give
        assert body["lines"][0]["amount_minor"] == line.moved_minor
        evening.do(command_in(body))
    assert [(line.who, line.takes, line.handed_minor) for line in in_hand] == [
        ("ben", False, 50_00),
        ("ann", False, 0),
    ]
