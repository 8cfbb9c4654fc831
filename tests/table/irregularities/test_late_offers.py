"""The late offer: made on the missed line, while nobody has seen the next card."""

import pytest

from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.events import InsuranceClosed, InsuranceMissed, InsuranceOffered
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.marks import reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    MANAGER,
    SHIFT,
    SUPERVISOR,
    Evening,
    dealing,
)

BANKER, PLAYER = Side.BANKER, Side.PLAYER
LATE = reports.OfferLateInsurance(*MANAGER)
WON = f"{BANKER_ON_FIVE} 7c 2h"
"""Player 9, Banker 7: insurance on Banker at four cards would have won."""
LOST = f"{BANKER_ON_FIVE} 4c 3h"
"""Player 6, Banker 8."""
TIED = f"{BANKER_ON_FIVE} 6c 3h"
"""8 to 8."""


def back(who: str = "ann", side: Side = BANKER, box: int = 1) -> reports.ReturnUninsuredBets:
    return reports.ReturnUninsuredBets(*MANAGER, who, box, side, "the player had asked the dealer")


def _missed(rules: Rulebook, dealt: str, *bets: tuple[str, str, int]) -> Evening:
    evening = dealing(rules, *bets, observing=True).deal(dealt)
    assert evening.happened(InsuranceMissed)
    return evening


LATELY = having("late_insurance", "insurance_neglected")


def _unseen(rules: Rulebook, *bets: tuple[str, str, int], **changes: bool) -> Evening:
    """The offer on Banker's 5 was missed; the next card is drawn, and nobody has seen it."""
    evening = dealing(rules, *bets, face_down=True, observing=True, **changes).deal(BANKER_ON_FIVE).deal_unseen(1)
    assert evening.happened(InsuranceMissed)
    return evening


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", LATELY)
def test_the_late_offer_is_made_on_the_missed_line_while_nobody_has_seen_the_next_card(rules: Rulebook) -> None:
    evening = _unseen(rules)
    (offered,) = evening.do(LATE)
    assert isinstance(offered, InsuranceOffered)
    assert (offered.stage, offered.side, offered.odds, offered.makes_good) == ("four", BANKER, "3/2", ("four",))
    assert offered.clauses[1:] == cited(rules, "late_insurance")
    assert evening.table.round is not None
    assert evening.table.round.insurance.missed == ()
    evening.refuse(LATE, TableCode.INSURANCE_NOT_MISSED, *cited(rules, "late_insurance"))


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", LATELY)
def test_on_a_card_that_was_seen_the_offer_is_an_ordinary_one_and_the_missed_one_stays_missed(rules: Rulebook) -> None:
    bet = ("ann", "banker", 100_00)
    evening = dealing(rules, bet, observing=True, least=1_00, differential_minor=500_00).deal("2s 2h 3d 4d 6c")
    refusal = evening.refuse(LATE, TableCode.NO_INSURANCE_DUE, *cited(rules, "late_insurance"))
    assert "Banker insurance at 10 to 1. Offer that one as usual." in refusal.message
    assert "`" not in refusal.message
    (offered,) = evening.do(commands.OpenInsurance(*DEALER))
    assert isinstance(offered, InsuranceOffered)
    assert (offered.stage, offered.odds, offered.makes_good) == ("third", "10", ())
    refusal = evening.refuse(LATE, TableCode.NO_INSURANCE_DUE, *cited(rules, "late_insurance"))
    assert refusal.message == "Banker insurance at 10 to 1 is already on offer."
    evening.refuse(evening.insuring("ann", 100_01), Code.INSURANCE_ABOVE_CAP, *cited(rules, "insurance_cap"))
    evening.do(evening.insuring("ann", 100_00))
    evening.deal("4h").settle()  # Banker 0, Player wins 1 to 0
    evening.do(back())
    assert evening.chips["ann"] == CHIPS_MINOR + 1000_00


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", LATELY)
def test_its_winnings_are_at_most_the_original_bet(rules: Rulebook) -> None:
    evening = _unseen(rules)
    evening.do(LATE)
    cap = cited(rules, "late_insurance")
    refusal = evening.refuse(evening.insuring("ann", 66_67), Code.INSURANCE_ABOVE_CAP, *cap)
    assert "at most 66.66 more" in refusal.message
    assert "after a late offer" in refusal.message
    evening.do(evening.insuring("ann", 66_66))
    evening.turn("7c")
    evening.refuse(evening.insuring("ann", 1), TableCode.INSURANCE_NOT_OPEN, *cited(rules, "insurance"))


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", LATELY)
def test_it_is_not_made_to_players_who_have_left_or_forgone(rules: Rulebook) -> None:
    evening = _unseen(rules)
    evening.do(commands.Leave("ann", Position.PLAYER, "ann"))
    evening.refuse(LATE, TableCode.NO_INSURANCE_DUE, *cited(rules, "uninsured_bet"))


@reading("insurance_not_offered", "forgoing_insurance")
@pytest.mark.parametrize("rules", LATELY)
def test_passing_on_a_late_offer_forgoes_insurance(rules: Rulebook) -> None:
    evening = _unseen(rules)
    evening.do(LATE)
    evening.turn("7c")
    assert evening.happened(InsuranceClosed) == [InsuranceClosed(("ann",), cited(rules, "forgone"))]


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", LATELY)
def test_a_line_for_the_other_side_makes_up_for_nothing(rules: Rulebook) -> None:
    evening = _missed(rules, f"{BANKER_ON_FIVE} 5c", ("ann", "banker", 100_00), ("ben", "player", 50_00))
    evening.refuse(LATE, TableCode.NO_INSURANCE_DUE, *cited(rules, "late_insurance"))  # Player leads 7 to 5 now
    evening.do(commands.OpenInsurance(*DEALER))  # ben's, in time
    evening.do(evening.insuring("ben", 1))
    evening.refuse(evening.insuring("ann", 1), Code.NO_ORIGINAL_BET, *cited(rules, "insured_bet"))
    evening.deal("Kh").settle()  # Player wins 7 to 5: hers would have won
    evening.do(back())
    assert evening.chips["ann"] == CHIPS_MINOR


@reading("insurance_not_offered", "established")
@pytest.mark.parametrize("rules", LATELY)
def test_once_the_original_bets_are_decided_it_is_too_late(rules: Rulebook) -> None:
    evening = _missed(rules, f"{BANKER_ON_FIVE} 8c")  # Banker stands on 5 against an 8 and wins
    evening.refuse(LATE, TableCode.BETS_DECIDED, *cited(rules, "uninsured_bet"))


@pytest.mark.parametrize("rules", LATELY)
def test_once_made_up_for_it_leaves_no_claim(rules: Rulebook) -> None:
    evening = _unseen(rules)
    evening.do(LATE)
    evening.turn("7c").deal_unseen(1).turn("2h").settle()  # Player wins 9 to 7
    evening.refuse(back(), TableCode.INSURANCE_NOT_MISSED, *cited(rules, "uninsured_bet"))


@pytest.mark.parametrize("rules", LATELY)
def test_the_late_offer_takes_a_pit_manager_or_above(rules: Rulebook) -> None:
    for by in (MANAGER, SHIFT):
        _unseen(rules).do(reports.OfferLateInsurance(*by))
    for by in (DEALER, SUPERVISOR):
        refused = reports.OfferLateInsurance(*by)
        _unseen(rules).refuse(refused, TableCode.NOT_AUTHORISED, *cited(rules, "late_insurance"))
