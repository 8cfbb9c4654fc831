"""What the table notices itself: it names the report to make, and nothing continues before that."""

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.coup.cards import Card, write_cards
from punto.rules.rulebook import Rulebook
from punto.table import next_step
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.findings import IrregularityDismissed, IrregularityRaised, RoundVoided
from punto.table.records.kinds import Effect, Irregularity
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.marks import INSURED, reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    ALL_AUTOMATIONS,
    BANKER_ON_FIVE,
    DEALER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    dealing,
    drawn_to,
    opened,
    ready,
)

NINTH = commands.DealCard(*DEALER, Card("9s"))


def _all_nines_seen(rules: Rulebook, *, face_down: bool = False) -> Evening:
    """Betting is closed, and every nine of spades of the shoe has been seen."""
    evening = opened(rules, face_down=face_down, automations=ALL_AUTOMATIONS)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 4))
    evening.open_betting().close_betting().deal("9s 9s 9s 9s").settle()
    return evening.open_betting().close_betting()


def _too_many(rules: Rulebook) -> tuple[Irregularity, str, str]:
    """What the book calls a card that can no longer be in the shoe: its kind, its report, its rule."""
    if cited(rules, "card_count"):
        return Irregularity.CARD_COUNT, "report_card_count", "card_count"
    return Irregularity.FOREIGN_CARD, "report_foreign_card", "foreign_card"


def _unwanted(rules: Rulebook) -> tuple[Irregularity, str, str]:
    """What the book calls a card that the Table of Play does not need."""
    if cited(rules, "excess"):
        return Irregularity.EXCESS_CARD, "report_excess_card", "excess"
    return Irregularity.WRONG_NUMBER, "report_wrong_number", "wrong_number"


@pytest.mark.parametrize("rules", having("foreign_card", "card_count"))
def test_a_card_that_cannot_be_in_the_shoe_any_more_is_raised(rules: Rulebook) -> None:
    kind, report, rule = _too_many(rules)
    evening = _all_nines_seen(rules)
    (raised,) = evening.do(NINTH)
    assert raised == IrregularityRaised(kind, report, cited(rules, rule), Card("9s"), 1)
    assert evening.table.round is not None
    assert evening.table.round.cards == ()  # it has not been dealt
    refusal = evening.refuse(NINTH, TableCode.IRREGULARITY_OPEN, *cited(rules, rule))
    assert report in refusal.message
    assert "dismiss_irregularity" in refusal.message
    assert next_step(rules, evening.table) is None


@pytest.mark.parametrize("rules", having("foreign_card", "card_count"))
def test_a_turned_card_is_raised_too(rules: Rulebook) -> None:
    kind, report, rule = _too_many(rules)
    evening = _all_nines_seen(rules, face_down=True).deal_unseen(4)
    (raised,) = evening.do(commands.TurnCard(*DEALER, 3, Card("9s")))
    assert raised == IrregularityRaised(kind, report, cited(rules, rule), Card("9s"), 3)
    assert next_step(rules, evening.table) is None


@pytest.mark.parametrize("rules", having("wrong_number", "excess"))
@pytest.mark.parametrize("cards", [NATURAL, "6s 7d Kh Kc", f"{BANKER_ON_FIVE} 9c", f"{BANKER_ON_FIVE} 4c 2h"])
def test_a_draw_that_nobody_wants_is_raised(rules: Rulebook, cards: str) -> None:
    kind, report, rule = _unwanted(rules)
    evening = dealing(rules).deal(cards)
    (raised,) = evening.do(commands.DealCard(*DEALER, Card("5h")))
    assert raised == IrregularityRaised(kind, report, cited(rules, rule), Card("5h"), len(cards.split()) + 1)
    refusal = evening.refuse(commands.Settle(*DEALER), TableCode.IRREGULARITY_OPEN, *cited(rules, rule))
    assert report in refusal.message


@pytest.mark.parametrize("rules", having("wrong_number", "excess"))
def test_an_unseen_card_is_raised_too(rules: Rulebook) -> None:
    evening = dealing(rules, face_down=True).deal(NATURAL)
    (raised,) = evening.do(commands.DealCard(*DEALER))
    assert isinstance(raised, IrregularityRaised)
    assert raised.card is None


def _raised(rules: Rulebook) -> list[tuple[Evening, Command]]:
    """Each kind of problem that is raised, with the report that it names."""
    count = _all_nines_seen(rules)
    count.do(NINTH)
    draw = dealing(rules).deal(NATURAL)
    draw.do(commands.DealCard(*DEALER, Card("5h")))
    if rules.id == "commission":
        too_many: Command = reports.ReportForeignCard(*SUPERVISOR)
        unwanted: Command = reports.ReportWrongNumber(*SUPERVISOR, (Card("5h"),), reconstructable=True)
    else:
        too_many = reports.ReportCardCount(*SUPERVISOR)
        unwanted = reports.ReportExcessCard(*SUPERVISOR, (Card("5h"),))
    return [(count, too_many), (draw, unwanted)]


@pytest.mark.parametrize("rules", having("wrong_number", "excess", "foreign_card", "card_count"))
def test_the_report_that_it_names_sees_to_it(rules: Rulebook) -> None:
    (count, too_many), (draw, unwanted) = _raised(rules)
    count.do(too_many)
    assert [event.ground for event in count.happened(RoundVoided)] == [_too_many(rules)[0]]
    draw.do(unwanted)
    draw.settle()
    assert [carried.card for carried in draw.table.carried] == [Card("5h")]


@pytest.mark.parametrize("rules", having("wrong_number", where="house"))
def test_a_false_alarm_is_dismissed_with_a_reason(rules: Rulebook) -> None:
    for evening, _ in _raised(rules):
        assert evening.table.round is not None
        before = evening.table.round.irregularities.raised
        assert before is not None
        dismissing = reports.DismissIrregularity(*SUPERVISOR, "a smudge, it is the 8 of spades")
        assert evening.do(dismissing) == (IrregularityDismissed(before.kind, dismissing.reason),)
        assert evening.table.round.irregularities.raised is None
        assert evening.table.phase is Phase.DEALING
        evening.refuse(dismissing, TableCode.NOTHING_RAISED)
    evening.settle()


@pytest.mark.parametrize("rules", having("ruling", where="house"))
def test_a_ruling_to_go_on_resolves_it_too(rules: Rulebook) -> None:
    for evening, _ in _raised(rules):
        evening.do(reports.Rule(*SHIFT, "the camera shows another card", Effect.CONTINUE))
        assert evening.table.round is not None
        assert evening.table.round.irregularities.raised is None


@pytest.mark.parametrize("rules", having("card_count", among=INSURED))
def test_while_something_is_raised_nobody_insures(rules: Rulebook) -> None:
    evening = ready(rules)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s2", 4))
    evening.open_betting().close_betting().deal("9s 9s 9s 9s").settle()
    evening.open_betting()
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 1))
    evening.do(NINTH)
    evening.refuse(evening.insuring("ann", 1), TableCode.IRREGULARITY_OPEN, *cited(rules, "card_count"))
    evening.do(reports.DismissIrregularity(*SUPERVISOR, "misread"))
    evening.do(evening.insuring("ann", 1))


@reading("left_over_cards")
def test_an_unseen_card_carried_over_is_checked_too() -> None:
    rules = book("super-six-plus")
    evening = _all_nines_seen(rules)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (None,)))
    assert isinstance(evening.do(NINTH)[0], IrregularityRaised)
    assert len(evening.table.carried) == 1


# ---- a card that cannot be there, in a report


@pytest.mark.parametrize("rules", having("foreign_card", "card_count", "shoe_run_out"))
def test_a_card_from_an_empty_shoe_is_raised_and_a_missing_card_voids(rules: Rulebook) -> None:
    kind, report, rule = _too_many(rules)
    for card in (Card("Ks"), None):
        evening = drawn_to(rules, 0, cut_card=0)
        table = evening.table
        assert table.round is not None
        assert table.shoe is not None
        assert (table.shoe.left, rules.coup(write_cards(table.round.cards)).finished) == (0, False)
        place = len(table.round.cards) + 1
        if card is None:
            evening.do(reports.ReportShoeRunOut(*SUPERVISOR))
            assert [void.ground for void in evening.happened(RoundVoided)] == [Irregularity.SHOE_RUN_OUT]
        else:
            assert evening.do(commands.DealCard(*DEALER, card)) == (
                IrregularityRaised(kind, report, cited(rules, rule), card, place),
            )
            evening.refuse(commands.DealCard(*DEALER), TableCode.IRREGULARITY_OPEN, *cited(rules, rule))


def _reports_of_a_ninth(rules: Rulebook) -> list[tuple[Evening, Command]]:
    """Reports with a card that can no longer be in the shoe."""
    nine = Card("9s")
    wrong = reports.ReportWrongNumber(*SUPERVISOR, (None, nine), reconstructable=True)
    ways = [(_all_nines_seen(rules).deal("2s 3d"), wrong)]
    if rules.id == "commission":
        return [*ways]
    return [
        *ways,
        (_all_nines_seen(rules).deal("2s 3d"), reports.ReportExcessCard(*SUPERVISOR, (nine,))),
        (_all_nines_seen(rules).deal("2s 3d"), reports.ReportSimultaneousCards(*DEALER, (None, nine))),
        (_all_nines_seen(rules, face_down=True).deal_unseen(3), reports.ReportFaceUpCard(*DEALER, 3, nine)),
    ]


@pytest.mark.parametrize("rules", having("foreign_card", "card_count"))
def test_a_report_of_a_card_that_cannot_be_in_the_shoe_raises_it(rules: Rulebook) -> None:
    kind, report, rule = _too_many(rules)
    for evening, reporting in _reports_of_a_ninth(rules):
        before = evening.table
        assert evening.do(reporting) == (IrregularityRaised(kind, report, cited(rules, rule), Card("9s"), 3),)
        assert (evening.table.carried, evening.table.shoe) == (before.carried, before.shoe)  # nothing has been drawn
        evening.refuse(reporting, TableCode.IRREGULARITY_OPEN, *cited(rules, rule))
        evening.do(reports.DismissIrregularity(*SUPERVISOR, "a smudge, it is the 8 of spades"))
        assert evening.table == replace(before, last_entered=None)


# ---- a report resolves the card that was raised


def _drawn(rules: Rulebook, card: str | None) -> Evening:
    """Betting is closed, a natural, and an excess card."""
    evening = dealing(rules, face_down=card is None).deal(NATURAL)
    evening.do(commands.DealCard(*DEALER, None if card is None else Card(card)))
    return evening


@pytest.mark.parametrize("rules", having("wrong_number", "excess", "at_once"))
@pytest.mark.parametrize(
    ("drawn", "named", "right"),
    [
        ("5h", "5h", True),
        ("5h", "5h 4c", True),
        ("5h", "4c", False),
        ("5h", "4c 5h", False),
        ("5h", "??", False),
        (None, "??", True),
        (None, "?? 5h", True),
        (None, "5h", False),
        (None, "5h ??", False),
    ],
)
def test_the_report_begins_with_the_card_that_was_drawn(
    rules: Rulebook, drawn: str | None, named: str, *, right: bool
) -> None:
    out = tuple(None if word == "??" else Card(word) for word in named.split())
    ways: list[Command] = [reports.ReportWrongNumber(*SUPERVISOR, out, reconstructable=True)]
    if cited(rules, "excess"):
        ways.append(reports.ReportExcessCard(*SUPERVISOR, out))
        if len(out) > 1:
            ways.append(reports.ReportSimultaneousCards(*DEALER, out))
    for report in ways:
        evening = _drawn(rules, drawn)
        if right:
            evening.do(report)
            assert [carried.card for carried in evening.table.carried] == list(out)
            continue
        refusal = evening.refuse(report, TableCode.NOT_THE_NEXT_CARD, *cited(rules, _unwanted(rules)[2]))
        assert (drawn or "unseen") in refusal.message
        assert "dismiss_irregularity" in refusal.message


@pytest.mark.parametrize("rules", having("wrong_number", "excess"))
def test_too_many_cards_are_not_too_few(rules: Rulebook) -> None:
    evening = _drawn(rules, "5h")
    few = reports.ReportWrongNumber(*SUPERVISOR, (), reconstructable=True)
    evening.refuse(few, TableCode.NOT_THE_NEXT_CARD, *cited(rules, _unwanted(rules)[2]))
    evening.do(reports.ReportWrongNumber(*SUPERVISOR, reason="nobody knows which"))
    assert [void.ground for void in evening.happened(RoundVoided)] == [Irregularity.WRONG_NUMBER]


# ---- a refusal names only commands of the book


@pytest.mark.parametrize("rules", having("face_up", where="first_four"))
def test_a_card_face_up_is_to_be_reported_only_where_the_book_has_that(rules: Rulebook) -> None:
    evening = dealing(rules, face_down=True)
    up = commands.DealCard(*DEALER, Card("5h"))
    refusal = evening.refuse(up, TableCode.CARD_FACE_UP, *cited(rules, "face_up"))
    assert ("report_face_up_card" in refusal.message) is bool(cited(rules, "face_up"))


@pytest.mark.parametrize("rules", having("excess"))
def test_a_second_impossible_card_does_not_make_the_first_forgotten(rules: Rulebook) -> None:
    evening = ready(rules)
    evening.do(commands.LoadShoe(*SUPERVISOR, "four decks", 4))
    evening.open_betting().close_betting().deal("9s 9s 9s 9s").settle()
    evening.open_betting().close_betting().deal(NATURAL.replace("9s", "9h"))
    evening.do(commands.DealCard(*DEALER, Card("5h")))
    report = reports.ReportExcessCard(*SUPERVISOR, (Card("5h"), Card("9s")))
    evening.refuse(report, TableCode.CARD_NOT_IN_SHOE, *cited(rules, "decks"))
    assert evening.table.round is not None
    assert evening.table.round.irregularities.raised is not None
    assert evening.table.round.irregularities.raised.card is Card("5h")
