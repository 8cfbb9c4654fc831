"""The settlement sheet as the console shows it."""

from punto.library import book
from punto.table.decision import this_round
from punto.table.procedure.chip_set import USUAL_CHIPS
from punto.table.procedure.moment import moments_of
from punto.table.records import commands, reports
from punto.table.records.kinds import Effect
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.base.templates import render
from punto.web.pages.dealer.contexts import ConsolePaper
from punto.web.pages.dealer.sheet import ShownLine, ShownSheet, show_sheet
from tests.table.corrections.slips import felt
from tests.table.tables import DEALER, NATURAL, SHIFT, Evening
from tests.web.page_tree import read_html
from tests.web.pages.dealer.at_console import command_in, scene_of
from tests.web.pages.dealer.test_boxes import view_of

RULES = book("commission-insurance")
TIE = "9s 9d Kh Kc"


def sheet_of(evening: Evening) -> ShownSheet:
    now = this_round(evening.table)
    return show_sheet(RULES, evening.table, now, USUAL_CHIPS, view_of(evening), TRANSLATORS["en"])


def owing() -> Evening:
    """Ann owes 195, and betting is open."""
    evening = felt(RULES)
    evening.bet("ann", "player", 195_00)
    evening.play(NATURAL)
    evening.do(commands.Leave(*DEALER, "ann"))
    evening.do(reports.Rule(*SHIFT, "smoke", Effect.VOID))
    return evening.open_betting()


def test_the_line_in_hand_is_the_one_that_space_marks_also_where_a_debt_is_taken_from_a_stake() -> None:
    """Ann owes more than she wins: a part of her stake is taken before Ben is paid, and nothing is left to pay her."""
    evening = owing()
    evening.do(commands.PlaceBet(*DEALER, "ann", 1, "player", 120_00))
    evening.do(commands.PlaceBet(*DEALER, "ben", 3, "player", 50_00))
    evening.play(NATURAL)
    assert done_by_space(evening) == [("ann", True, 75_00), ("ben", False, 50_00)]
    (take,), pays = sheet_of(evening).takes, sheet_of(evening).pays
    assert take.done
    assert [(line.who, line.done) for line in pays] == [("ben", True), ("ann", True)]


def test_a_bet_that_pushes_has_a_line_if_something_is_kept_back_from_it() -> None:
    evening = owing()
    evening.do(commands.PlaceBet(*DEALER, "ann", 1, "player", 120_00))
    evening.play(TIE)
    assert [line.keep for line in sheet_of(evening).takes] == ["keep back 120 of the stake, owed from before"]
    assert done_by_space(evening) == [("ann", True, 120_00)]


def done_by_space(evening: Evening) -> list[tuple[str, bool, int]]:
    """Each line in hand, until all are done: who, whether it is taken, and how much."""
    in_hand: list[ShownLine] = []
    while (line := sheet_of(evening).current) is not None:
        in_hand.append(line)
        space = moments_of(scene_of(evening))[0].space
        assert space is not None
        (body,) = space.action.give
        assert body["lines"][0]["who"] == line.who
        evening.do(command_in(body))
    return [(line.who, line.takes, line.handed_minor) for line in in_hand]


def test_by_paper_what_is_kept_back_is_not_handed_over() -> None:
    evening = owing()
    evening.do(commands.PlaceBet(*DEALER, "ann", 1, "player", 300_00))
    evening.play(NATURAL)
    paper = read_html(render(ConsolePaper(round=2, boxes=(), sheet=sheet_of(evening)), "en"))
    assert paper.one("caption").words == "Takes and pays of round 2"
    assert paper.one("td", "num").words == "105 300 due: keep back 195, owed from before"
