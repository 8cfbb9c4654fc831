"""Insurance is judged again when a ruled order changes the cards it was offered on."""

import pytest

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.events import InsuranceClosed, InsuranceMissed, RoundSettled
from punto.table.records.findings import CardOrderRuled, InsuranceRejudged
from punto.table.records.ledger import FELT, Posting, chips
from tests.marks import INSURED, reading
from tests.table.numbers import cited, having
from tests.table.tables import CHIPS_MINOR, DEALER, SUPERVISOR, Evening, betting, dealing

RULES = book("commission-insurance")
OFFER = commands.OpenInsurance(*DEALER)
TIME = reports.CallTime(*SUPERVISOR)
BANKER, PLAYER = Side.BANKER, Side.PLAYER
ORDERED = having("insurance", "at_once", "goes_on_as_it_is", among=INSURED)


def _insured(evening: Evening, **stakes: int) -> None:
    evening.do(OFFER)
    for who, stake in stakes.items():
        evening.do(evening.insuring(who, stake))


def _rule(evening: Evening, *order: int) -> InsuranceRejudged | None:
    """Rule the order of these cards, and return the new judgment if there is one."""
    places = tuple(sorted(order))
    evening.do(reports.ReportDealingError(*SUPERVISOR, "mixed up", reconstructable=False, in_doubt=places))
    evening.do(TIME)
    events = evening.do(reports.RuleCardOrder(*SUPERVISOR, order))
    assert isinstance(events[0], CardOrderRuled)
    return next((event for event in events if isinstance(event, InsuranceRejudged)), None)


@reading("order_by_ruling")
@pytest.mark.parametrize("rules", [RULES])
def test_the_newest_stake_above_the_cap_is_returned_first(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00)).deal("As 2s Ad 3d 5h")
    _insured(evening, ann=10_00)
    evening.do(evening.insuring("ann", 15_00))
    evening.do(reports.ReportSimultaneousCards(*DEALER, (Card("6h"),), 1))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (6, 5)))  # 8 against 5: 7 to 1
    (rejudged,) = evening.happened(InsuranceRejudged)
    assert [(each.player, each.odds, each.stake_minor) for each in rejudged.cover] == [(8, "7", 10_00), (8, "7", 4_28)]
    assert rejudged.postings == (Posting(FELT, -10_72), Posting(chips("ann"), 10_72))
    assert rejudged.clauses == (*cited(rules, "display"), *cited(rules, "insurance_cap"))


@reading("order_by_ruling")
@pytest.mark.parametrize("rules", ORDERED)
def test_insurance_on_the_other_side_is_returned(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00), ("ben", "player", 50_00)).deal("5s 6d Kh Ks")
    _insured(evening, ann=10_00)
    rejudged = _rule(evening, 2, 1)  # Player 6 against 5
    assert rejudged is not None
    assert [each.stake_minor for each in rejudged.cover] == [0]
    evening.do(OFFER)  # on Player
    evening.do(evening.insuring("ben", 1_00, 2))
    assert evening.chips["ann"] == CHIPS_MINOR - 100_00


@reading("order_by_ruling", "insurance_not_offered")
@pytest.mark.parametrize("rules", ORDERED)
def test_an_offer_on_the_same_side_was_made(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00), ("dan", "banker", 100_00)).deal("5s 6d Kh Ks")
    _insured(evening, dan=10_00)
    evening.deal("7h")
    assert evening.happened(InsuranceClosed)[0].forgone == ("ann",)
    rejudged = _rule(evening, 5, 2)  # Banker 7 against 5, then Player draws to 1 and Banker stands
    assert rejudged is not None
    assert (rejudged.offered, rejudged.missed, rejudged.forgone) == ((Stage.FOUR,), (), ())
    assert [(each.banker, each.odds, each.stake_minor) for each in rejudged.cover] == [(7, "4", 10_00)]
    assert not evening.happened(InsuranceMissed)
    evening.settle()
    assert [result.odds for result in evening.happened(RoundSettled)[0].results if result.stage] == [None]


@reading("order_by_ruling")
@pytest.mark.parametrize("rules", ORDERED)
def test_an_order_that_changes_nothing_about_insurance_has_no_event(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "tie", 10_00)).deal("5s 6d Kh Ks")
    assert _rule(evening, 2, 1) is None


@reading("forgoing_insurance")
@pytest.mark.parametrize("rules", having("forgone", among=INSURED))
@pytest.mark.parametrize("observing", [True, False])
def test_a_player_without_chips_forgoes_nothing_unless_the_chips_can_follow(
    rules: Rulebook, *, observing: bool
) -> None:
    evening = betting(rules, observing=observing)
    evening.bet("ann", "banker", CHIPS_MINOR)
    evening.close_betting().deal("5s 6d Kh Ks")
    evening.do(OFFER)
    evening.do(commands.DealCard(*DEALER, Card("7h")))
    assert evening.happened(InsuranceClosed)[0].forgone == (("ann",) if observing else ())
