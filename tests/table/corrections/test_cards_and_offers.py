"""Offers of insurance after a card is corrected: those of cards that the coup no longer has, or that nobody drew."""

import pytest

from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Face
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records import corrections, reports
from punto.table.records.events import InsuranceFlagged, InsuranceMissed, InsuranceTaken
from punto.table.records.findings import InsuranceRejudged
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.marks import INSURED, books, reading
from tests.table.corrections.slips import OFFER, correct_bet, correct_stake, felt
from tests.table.tables import CHIPS_MINOR, DEALER, MANAGER, SUPERVISOR, Evening, ready

FOUR, THIRD = Stage
TWO_OFFERS = "2s 2h 3d 4d 6c"
"""Insurance on Banker is offered on four cards, and again on Player's third card."""
STRAY = "6h"
"""Decides nothing, so a dealer can take it back."""


def _offered(rules: Rulebook) -> Evening:
    """The offer on four cards is open; ann and ben have a bet that it insures."""
    evening = felt(rules)
    evening.bet("ann", "banker", 100_00)
    evening.bet("ben", "banker", 100_00)
    evening.close_betting().deal("2s 2h 3d 4d").do(OFFER)
    return evening


def _correct(evening: Evening, draw: int, card: str | None, by: tuple[str, Position] = DEALER) -> None:
    face = None if card is None else Face(card)
    evening.do(corrections.CorrectCard(*by, "s1", draw, face))


def _insure(evening: Evening, who: str, stake_minor: int) -> InsuranceTaken:
    (taken,) = evening.do(evening.insuring(who, stake_minor))
    assert isinstance(taken, InsuranceTaken)
    return taken


@reading("card_entered_wrongly")
@pytest.mark.parametrize("rules", INSURED)
@pytest.mark.parametrize("settled", [False, True])
def test_a_natural_takes_no_insurance_on_a_third_card(rules: Rulebook, *, settled: bool) -> None:
    """Banker had 9 on four cards. The insurance was taken after a card that the coup did not want."""
    evening = _offered(rules)
    _insure(evening, "ann", 5_00)
    evening.deal("6c").do(OFFER)
    _insure(evening, "ann", 2_00)
    if settled:
        evening.deal("Kc").settle()
    by = MANAGER if settled else SUPERVISOR
    _correct(evening, 3, "7d", by)
    if not settled:
        evening.settle()
    assert evening.table.round is not None
    assert evening.table.round.insurance.cover == ()
    assert [result.stage for result in evening.table.round.results] == [None, None]


@pytest.mark.parametrize("rules", INSURED)
def test_an_offer_goes_on_if_the_card_that_ended_it_was_never_drawn(rules: Rulebook) -> None:
    """A digit of a box was typed as a card. ben, who has not answered yet, has forgone nothing by it."""
    evening = _offered(rules)
    _insure(evening, "ann", 5_00)
    evening.deal(STRAY)
    _correct(evening, 4, None)
    assert _insure(evening, "ben", 5_00).stage is FOUR
    evening.deal("6c").do(OFFER)
    assert _insure(evening, "ben", 1_00).stage is THIRD
    assert not evening.happened(InsuranceMissed)


@pytest.mark.parametrize("rules", INSURED)
def test_and_who_passes_on_it_then_has_forgone_insurance(rules: Rulebook) -> None:
    evening = _offered(rules)
    _insure(evening, "ann", 5_00)
    evening.deal(STRAY)
    _correct(evening, 4, None)
    evening.deal("6c")
    assert evening.table.round is not None
    assert evening.table.round.insurance.forgone == {"ben"}


@pytest.mark.parametrize("rules", INSURED)
def test_an_offer_is_due_if_the_card_that_came_before_it_was_never_drawn(rules: Rulebook) -> None:
    evening = felt(rules)
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal(f"2s 2h 3d 4d {STRAY}")
    assert evening.happened(InsuranceMissed)
    _correct(evening, 4, None)
    assert evening.table.round is not None
    assert evening.table.round.insurance.missed == ()
    evening.do(OFFER)


@pytest.mark.parametrize("rules", INSURED)
def test_insurance_on_a_card_that_was_never_drawn_goes_back(rules: Rulebook) -> None:
    evening = _offered(rules)
    _insure(evening, "ann", 5_00)
    evening.deal("6c").do(OFFER)
    _insure(evening, "ann", 2_00)
    _correct(evening, 4, None, SUPERVISOR)
    assert evening.table.chips_minor("ann") == CHIPS_MINOR - 100_00 - 5_00
    evening.deal(STRAY)


@pytest.mark.parametrize("rules", INSURED)
@pytest.mark.parametrize("stake_minor", [None, 10_00])
def test_where_no_insurance_is_offered_none_is_corrected(rules: Rulebook, stake_minor: int | None) -> None:
    evening = ready(rules, observing=True, private=True, no_insurance=True).open_betting()
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal(TWO_OFFERS)
    who, box, offered = ("", 0, True) if stake_minor is None else ("ann", 1, None)
    command = corrections.CorrectInsurance(*SUPERVISOR, FOUR, who, box, stake_minor, offered)
    evening.refuse(command, TableCode.NO_INSURANCE_DUE, *rules.topics[Topic.NO_INSURANCE])


@pytest.mark.parametrize("rules", books(Topic.LATE_INSURANCE))
def test_what_a_late_offer_does_not_allow_goes_back_by_its_clause(rules: Rulebook) -> None:
    evening = ready(rules, observing=True, face_down=True).open_betting()
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal_unseen(4).turn("2s 2h 3d 4d").deal_unseen(1)
    evening.do(reports.OfferLateInsurance(*MANAGER))
    _insure(evening, "ann", 40_00)
    evening.do(correct_bet("ann", "banker", 50_00))
    (rejudged,) = evening.happened(InsuranceRejudged)
    evening.do(correct_stake(FOUR, "ann", 60_00))
    (flagged,) = evening.happened(InsuranceFlagged)
    for event in (rejudged, flagged):
        assert {*rules.topics[Topic.LATE_INSURANCE]} <= {*event.clauses}
        assert not {*rules.topics[Topic.INSURANCE_CAP]} & {*event.clauses}
