"""A card that is out while betting is open."""

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.rulebook import Rulebook
from punto.table import legal, next_step
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.events import BetFlag, BetFlagged
from punto.table.records.findings import (
    CardsDrawnOutOfTurn,
    IrregularityDismissed,
    IrregularityRaised,
    IrregularityReported,
    OptionsGiven,
    RoundVoided,
)
from punto.table.records.kinds import CardUse, Irregularity
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.marks import BOOKS
from tests.table.numbers import cited, having
from tests.table.tables import ALL_AUTOMATIONS, DEALER, SUPERVISOR, Evening, betting, dealing, opened

CARD = Card("5h")
OUT = commands.DealCard(*DEALER, CARD, before_close=True)


def _raised(rules: Rulebook, card: Card | None, place: int = 1) -> IrregularityRaised:
    """What the book calls a card too many."""
    if cited(rules, "excess"):
        return IrregularityRaised(Irregularity.EXCESS_CARD, "report_excess_card", cited(rules, "excess"), card, place)
    return IrregularityRaised(
        Irregularity.WRONG_NUMBER, "report_wrong_number", cited(rules, "wrong_number"), card, place
    )


def _report(rules: Rulebook, card: Card | None) -> Command:
    if cited(rules, "excess"):
        return reports.ReportExcessCard(*SUPERVISOR, (card,))
    return reports.ReportWrongNumber(*SUPERVISOR, (card,), reconstructable=True)


def _all_seen(rules: Rulebook) -> Evening:
    """Betting is open, and every nine of spades of the shoe has been seen."""
    evening = opened(rules)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 4))
    evening.open_betting().close_betting().deal("9s 9s 9s 9s").settle()
    return evening.open_betting()


@pytest.mark.parametrize("rules", [*having("excess"), *having("wrong_number", among=[book("commission")])])
def test_a_card_before_the_close_is_raised_and_the_round_waits(rules: Rulebook) -> None:
    evening = betting(rules, automations=ALL_AUTOMATIONS)
    assert evening.do(OUT) == (_raised(rules, CARD),)
    assert evening.table.phase is Phase.BETTING
    assert evening.table.shoe is not None
    assert evening.table.shoe.drawn == 0  # a supervisor decides whether it was drawn
    assert next_step(rules, evening.table) is None
    clauses = _raised(rules, CARD).clauses
    evening.refuse(OUT, TableCode.IRREGULARITY_OPEN, *clauses)
    evening.refuse(commands.CloseBetting(*DEALER), TableCode.IRREGULARITY_OPEN, *clauses)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_reported_it_is_dealt_first_after_the_close(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 100_00)
    evening.do(OUT)
    report, drawn = evening.do(_report(rules, CARD))
    assert isinstance(report, IrregularityReported)
    assert report.clauses == _raised(rules, CARD).clauses
    assert drawn == CardsDrawnOutOfTurn("s1", (CARD,), CardUse.THIS_ROUND)
    assert not evening.happened(OptionsGiven)  # bets can still be withdrawn
    evening.close_betting()
    evening.do(commands.DealCard(*DEALER))
    assert evening.table.round is not None
    assert evening.table.round.cards == (CARD,)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_dismissed_it_was_never_drawn(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.do(OUT)
    dismissed = evening.do(reports.DismissIrregularity(*SUPERVISOR, "misread"))
    assert dismissed == (IrregularityDismissed(_raised(rules, CARD).kind, "misread"),)
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal("9s 2d Kh 3c").settle()
    assert evening.table.shoe is not None
    assert evening.table.shoe.drawn == 4


@pytest.mark.parametrize("rules", having("excess_options", where="wrong_number"))
def test_nobody_bets_beside_a_raised_card_that_lies_face_up(rules: Rulebook) -> None:
    evening, felt = betting(rules), betting(rules, observing=True)
    evening.bet("ann", "banker", 100_00)
    for one in (evening, felt):
        one.do(OUT)
    clauses = cited(rules, "excess_options")
    evening.refuse(evening.placing("ben", "tie", 1_00), TableCode.CARD_EXPOSED, *clauses)
    evening.do(evening.withdrawing("ann", "banker", 100_00))
    flag = BetFlagged("ann", 1, "banker", BetFlag.CARD_EXPOSED, clauses)
    assert felt.bet("ann", "banker", 100_00)[1:] == (flag,)
    for one in (evening, felt):
        one.do(reports.DismissIrregularity(*SUPERVISOR, "misread"))
        assert len(one.bet("ben", "banker", 100_00)) == 1


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_where_cards_lie_face_down_nothing_names_it(rules: Rulebook) -> None:
    evening = betting(rules, face_down=True)
    assert evening.do(replace(OUT, card=None)) == (_raised(rules, None),)
    evening.bet("ann", "banker", 100_00)
    evening.do(_report(rules, None))
    evening.bet("ben", "banker", 100_00)
    assert [carried.card for carried in evening.table.carried] == [None]


@pytest.mark.parametrize("rules", having("card_count", "foreign_card", where="foreign_card"))
def test_one_copy_too_many_is_raised_as_such_and_voids_the_round(rules: Rulebook) -> None:
    evening = _all_seen(rules)
    (raised,) = evening.do(replace(OUT, card=Card("9s")))
    assert isinstance(raised, IrregularityRaised)
    counted = bool(cited(rules, "card_count"))
    assert raised.kind is (Irregularity.CARD_COUNT if counted else Irregularity.FOREIGN_CARD)
    evening.do((reports.ReportCardCount if counted else reports.ReportForeignCard)(*SUPERVISOR))
    assert evening.happened(RoundVoided)
    assert evening.table.shoe is None


def test_a_card_beyond_the_last_one_of_the_shoe() -> None:
    for face_down in (False, True):
        rules = BOOKS[1]
        evening = dealing(rules, face_down=face_down).deal("9s 2d Kh 3c")
        assert evening.table.shoe is not None
        evening.do(reports.ReportExcessCard(*SUPERVISOR, (None,) * evening.table.shoe.left))
        evening.settle().open_betting()
        evening.refuse(replace(OUT, card=None), TableCode.SHOE_EMPTY, *cited(rules, "shoe_run_out"))
        (raised,) = evening.do(OUT)
        assert isinstance(raised, IrregularityRaised)
        assert raised.kind is Irregularity.CARD_COUNT


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_it_is_a_fact_and_no_move_to_choose(rules: Rulebook) -> None:
    evening = betting(rules)
    listed = [move.command for move in legal(rules, evening.table, *DEALER)]
    assert not [command for command in listed if isinstance(command, commands.DealCard)]
