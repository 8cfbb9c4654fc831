"""Late offers of insurance whose cards, order or stakes turn out to be others."""

from typing import Any

import pytest

from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Card, Face
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records import commands, corrections, reports
from punto.table.records.events import InsuranceClosed, InsuranceFlagged, InsuranceMissed, InsuranceOffered
from punto.table.records.positions import Position
from punto.table.records.state import RoundInsurance
from punto.table.refusals import TableCode
from tests.marks import INSURED, books, reading
from tests.table.corrections.slips import OFFER, correct_stake
from tests.table.numbers import cited
from tests.table.tables import CHIPS_MINOR, DEALER, MANAGER, SUPERVISOR, Evening, opened, ready

FOUR, THIRD = Stage
LATE = reports.OfferLateInsurance(*MANAGER)
TIME = reports.CallTime(*SUPERVISOR)
SHOWN = "2s 2h 3d 4d"
"""Player 5, Banker 6: insurance on Banker at 5 to 2 in the Plus games."""
PLUS = books(Topic.LATE_INSURANCE)


def _down(rules: Rulebook, shown: str = SHOWN, players: tuple[str, ...] = ("ann", "ben"), **changes: Any) -> Evening:
    """A felt table with these cards turned; the players have 100.00 on Banker, cat has 50.00 on Player."""
    evening = ready(rules, observing=True, face_down=True, **changes).open_betting()
    for who in players:
        evening.bet(who, "banker", 100_00)
    evening.bet("cat" if "cat" not in players else "eve", "player", 50_00)
    return evening.close_betting().deal_unseen(4).turn(shown)


def _late(rules: Rulebook) -> Evening:
    """The offer on four cards is made late, over an unseen card. Ann has taken it, ben has not answered."""
    evening = _down(rules).deal_unseen(1)
    evening.do(LATE)
    evening.do(evening.insuring("ann", 10_00))
    return evening


def _insurance(evening: Evening) -> RoundInsurance:
    assert evening.table.round is not None
    return evening.table.round.insurance


def _missed(evening: Evening) -> dict[Stage, set[str]]:
    return {missed.stage: set(missed.players) for missed in _insurance(evening).missed}


def _cover(evening: Evening, who: str) -> dict[Stage, int]:
    return {taken.stage: taken.stake_minor for taken in _insurance(evening).cover if taken.who == who}


def _correct(evening: Evening, draw: int, card: str) -> None:
    evening.do(corrections.CorrectCard(*SUPERVISOR, "s1", draw, Face(card)))


def _back(who: str, box: int) -> reports.ReturnUninsuredBets:
    return reports.ReturnUninsuredBets(*MANAGER, who, box, Side.BANKER, "had asked")


# ---- the cap


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", PLUS)
def test_a_late_offer_keeps_its_cap_after_the_next_offer(rules: Rulebook) -> None:
    """Ann was asked in time, on a card that was corrected; ben was asked late."""
    evening = _down(rules, "As 2h 3d 4d")
    evening.do(OFFER)
    evening.do(evening.insuring("ann", 10_00))
    _correct(evening, 0, "2s")
    evening.deal_unseen(1)
    assert _missed(evening) == {FOUR: {"ben"}}
    evening.do(LATE)
    evening.do(evening.insuring("ben", 1_00))
    evening.turn("6c").do(OFFER)
    evening.do(correct_stake(FOUR, "ben", 90_00))
    assert _cover(evening, "ben") == {FOUR: 40_00}  # wins 100.00 at 5 to 2
    flagged = evening.happened(InsuranceFlagged)[-1]
    assert (flagged.amount_minor, flagged.clauses) == (50_00, cited(rules, "late_insurance"))
    evening.do(correct_stake(FOUR, "ann", 0))
    assert _missed(evening) == {FOUR: {"ann"}}  # nobody asked her on the right points
    evening.do(correct_stake(FOUR, "ann", 90_00))
    assert _cover(evening, "ann") == {FOUR: 90_00}
    assert _missed(evening) == {}


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", PLUS)
def test_and_after_the_same_offer_is_made_late_to_others(rules: Rulebook) -> None:
    evening = _down(rules, players=("ann", "ben", "cat"))
    evening.do(OFFER)
    evening.do(evening.insuring("cat", 10_00))
    evening.deal_unseen(1).turn("6c").do(OFFER)
    evening.do(evening.insuring("cat", 1_00))
    evening.deal_unseen(1)
    for who in ("ann", "ben"):  # they had not passed on four cards
        evening.do(correct_stake(FOUR, who, 10_00))
    evening.do(LATE)
    evening.do(evening.insuring("ann", 1_00))
    _correct(evening, 4, "7c")  # Player 2, Banker 6: at 4 to 1
    assert _missed(evening) == {THIRD: {"ben"}}
    evening.do(LATE)
    for stake in (0, 90_00):
        evening.do(correct_stake(THIRD, "ann", stake))
    assert _cover(evening, "ann") == {FOUR: 10_00, THIRD: 18_75}  # they win 25.00 and 75.00


# ---- a card that was another


@reading("card_entered_wrongly", "insurance_not_offered")
@pytest.mark.parametrize("rules", PLUS)
def test_a_card_corrected_during_a_late_offer_leaves_it_missed_by_those_who_had_not_taken_it(rules: Rulebook) -> None:
    evening = _late(rules)
    _correct(evening, 0, "As")  # Player 4
    assert evening.happened(InsuranceClosed) == [InsuranceClosed(cut_short=True)]
    missed = evening.happened(InsuranceMissed)[-1]
    assert (missed.stage, missed.player, missed.banker, missed.players) == (FOUR, 4, 6, ("ben",))
    assert not missed.cut_short
    assert not _insurance(evening).forgone
    (offered,) = evening.do(LATE)
    assert isinstance(offered, InsuranceOffered)
    assert offered.players == ("ben",)
    evening.do(evening.insuring("ben", 1_00))
    evening.refuse(evening.insuring("ann", 1_00), TableCode.INSURANCE_NOT_OPEN, *cited(rules, "late_insurance"))
    evening.turn("2c").settle()
    assert not _missed(evening)


@reading("card_entered_wrongly", "insurance_not_offered")
@pytest.mark.parametrize("rules", PLUS)
def test_or_their_bet_goes_back_at_the_settlement(rules: Rulebook) -> None:
    evening = _late(rules)
    _correct(evening, 0, "As")
    evening.turn("4c").settle()  # Player wins 8 to 6
    evening.refuse(_back("ann", 1), TableCode.INSURANCE_NOT_MISSED, *cited(rules, "uninsured_bet"))
    evening.do(_back("ben", 2))
    assert evening.table.chips_minor("ben") == CHIPS_MINOR


@pytest.mark.parametrize("rules", PLUS)
def test_if_the_points_stay_the_offer_stands(rules: Rulebook) -> None:
    evening = _late(rules)
    _correct(evening, 0, "2d")
    assert not evening.happened(InsuranceClosed)
    evening.do(evening.insuring("ben", 1_00))


@pytest.mark.parametrize("rules", PLUS)
def test_if_the_right_cards_give_no_offer_nothing_was_missed(rules: Rulebook) -> None:
    evening = _late(rules)
    _correct(evening, 3, "3c")  # 5 to 5
    assert (_missed(evening), _insurance(evening).cover) == ({}, ())
    assert evening.table.chips_minor("ann") == CHIPS_MINOR - 100_00


@pytest.mark.parametrize("rules", PLUS)
def test_where_only_cards_are_recorded_anybody_may_have_missed_it(rules: Rulebook) -> None:
    evening = opened(rules, cards_only=True, face_down=True)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 8))
    evening.open_betting().close_betting().deal_unseen(4).turn(SHOWN).deal_unseen(1)
    evening.do(LATE)
    for card in ("As", "2s"):  # also if it was missed before
        _correct(evening, 0, card)
        assert _missed(evening) == {FOUR: set()}
    evening.do(LATE)
    assert _missed(evening) == {}


# ---- an order that is lost


@reading("order_by_ruling", "insurance_not_offered")
@pytest.mark.parametrize("rules", PLUS)
def test_a_lost_order_under_a_late_offer_leaves_it_missed_by_the_others(rules: Rulebook) -> None:
    evening = _late(rules)
    evening.do(reports.ReportSimultaneousCards(*DEALER, (None,), 2))
    assert evening.happened(InsuranceClosed) == [InsuranceClosed(cut_short=True)]
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (4, 5, 6)))
    assert _missed(evening) == {FOUR: {"ben"}}
    evening.do(TIME)
    evening.do(LATE)
    evening.do(evening.insuring("ben", 1_00))


@reading("order_by_ruling", "offer_cut_short")
@pytest.mark.parametrize("rules", PLUS)
def test_a_late_offer_goes_on_over_cards_in_doubt_that_nobody_has_seen(rules: Rulebook) -> None:
    evening = _late(rules)
    evening.do(reports.ReportSimultaneousCards(*DEALER, (None,), 1))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (6, 5)))
    evening.do(TIME)
    assert not evening.happened(InsuranceClosed)
    evening.do(evening.insuring("ben", 1_00))
    evening.turn("6c")
    assert _missed(evening) == {}


@reading("order_by_ruling", "offer_cut_short")
@pytest.mark.parametrize("rules", PLUS)
def test_and_ends_if_one_of_them_is_seen(rules: Rulebook) -> None:
    evening = _late(rules)
    evening.do(reports.ReportSimultaneousCards(*DEALER, (Card("9c"),), 1))
    assert evening.happened(InsuranceClosed) == [InsuranceClosed(cut_short=True)]
    assert _missed(evening) == {FOUR: {"ben"}}


# ---- a card that waits


@reading("offer_cut_short")
@pytest.mark.parametrize("rules", INSURED)
def test_a_waiting_card_that_stays_face_down_cuts_no_offer_short(rules: Rulebook) -> None:
    evening = _down(rules)
    evening.do(OFFER)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (None,)))
    waits = commands.DealCard(*DEALER, not_offered=True)
    refusal = evening.refuse(waits, TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    assert "Nobody has seen the card that waits" in refusal.message
    evening.do(evening.insuring("ann", 1_00))
    evening.do(commands.DealCard(*DEALER))  # everybody has answered
    assert _insurance(evening).forgone == {"ben"}


@reading("offer_cut_short")
@pytest.mark.parametrize("rules", INSURED)
def test_one_that_is_dealt_face_up_does(rules: Rulebook) -> None:
    evening = ready(rules, observing=True).open_betting()
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal(SHOWN).do(OFFER)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (None,)))
    evening.do(commands.DealCard(*DEALER, Face("6c"), not_offered=True))
    assert _missed(evening) == {FOUR: {"ann"}}


# ---- stakes that went back and play again


@pytest.mark.parametrize("rules", INSURED)
def test_stakes_that_play_again_are_paid_with_the_chips_that_are_left(rules: Rulebook) -> None:
    """Chips beyond those on record are brought; nobody owes them."""
    evening = ready(rules, observing=True)
    evening.do(commands.StandBehind("ann", Position.PLAYER, "ann", 2))
    evening.open_betting()
    evening.bet("ben", "tie", 10_00)
    evening.bet("ann", "banker", 9_000_00)
    evening.bet("ann", "banker", 990_00, 2)
    evening.close_betting().deal(SHOWN).do(OFFER)
    evening.do(evening.insuring("ann", 4_00))
    evening.deal("6c").do(OFFER)
    evening.do(evening.insuring("ann", 5_00))
    evening.do(evening.insuring("ann", 1_00, 2))
    assert evening.table.chips_minor("ann") == 0
    evening.do(correct_stake(FOUR, "ann", 0))  # so she had passed, and 10.00 go back
    assert evening.table.chips_minor("ann") == 10_00
    evening.do(correct_stake(FOUR, "ann", 5_00))
    assert evening.table.chips_minor("ann") == 0
    assert [taken.stake_minor for taken in _insurance(evening).cover] == [5_00, 5_00, 1_00]
    assert evening.table.round is not None
    assert evening.table.round.brought == {"ann": 1_00}
