"""Who forgoes insurance, insurance called to the dealer, and a card drawn although nothing was offered."""

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.table.records import reports
from punto.table.records.commands import (
    CallInsurance,
    CloseInsurance,
    Command,
    DealCard,
    Leave,
    OpenInsurance,
    TakeInsurance,
)
from punto.table.records.events import (
    InsuranceClosed,
    InsuranceMissed,
    InsuranceOffered,
    InsuranceTaken,
    RoundSettled,
)
from punto.table.records.kinds import Effect
from punto.table.records.ledger import FELT, chips, transfer
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.marks import INSURED, reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    SHIFT,
    SUPERVISOR,
    Evening,
    dealing,
)

RULES = book("commission-insurance")
PLUS = [rules for rules in INSURED if rules is not RULES]
BANKER_ON_SIX = "2s 2h 3d 4d"
"""Player 5, Banker 6; on a six Player has 1, and Banker draws and is insured again."""
BANKER = Side.BANKER
FIVE = {"commission-insurance": "2", "da-hu-ying-xiong": "3/2", "tiger-buffalo": "3/2"}
"""The odds on Banker's five on four cards."""


def _offered(rules: Rulebook, *bets: tuple[str, str, int], cards: str = BANKER_ON_FIVE) -> Evening:
    evening = dealing(rules, *bets).deal(cards)
    evening.do(OpenInsurance(*DEALER))
    return evening


def _draw(evening: Evening, card: str) -> None:
    evening.do(DealCard(*DEALER, Card(card)))


# ---- forgoing


def _two_offers(rules: Rulebook, **changes: bool) -> Evening:
    """Dan took the first offer, ann did not; the second offer is open."""
    evening = dealing(rules, ("ann", "banker", 100_00), ("dan", "banker", 100_00), **changes)
    evening.deal(BANKER_ON_SIX)
    evening.do(OpenInsurance(*DEALER))
    evening.do(evening.insuring("dan", 1_00))
    _draw(evening, "6c")
    evening.do(OpenInsurance(*DEALER))
    return evening


@pytest.mark.parametrize("rules", having(where="forgone"))
@reading("forgoing_insurance")
def test_with_the_other_setting_it_forgoes_only_that_offer(rules: Rulebook) -> None:
    evening = _two_offers(rules, forgone_for_the_round=False)
    evening.do(evening.insuring("ann", 1_00))
    evening.do(evening.insuring("dan", 1_00))


@pytest.mark.parametrize("rules", having("forgone"))
@reading("forgoing_insurance")
def test_not_taking_an_offer_forgoes_insurance_for_the_round(rules: Rulebook) -> None:
    evening = _two_offers(rules)
    assert evening.happened(InsuranceClosed) == [InsuranceClosed(("ann",), cited(rules, "forgone"))]
    forgone = evening.refuse(evening.insuring("ann", 1_00), TableCode.INSURANCE_FORGONE, *cited(rules, "forgone"))
    assert "ann" in forgone.message
    evening.do(evening.insuring("dan", 1_00))
    # nothing carries over to the next round
    _draw(evening, "Kc")
    evening.settle().open_betting()
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal(BANKER_ON_FIVE)
    evening.do(OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 1_00))


@pytest.mark.parametrize("rules", having("forgone"))
@reading("forgoing_insurance")
@pytest.mark.parametrize("takes", [False, True])
def test_a_stake_at_the_first_offer_does_not_count_at_the_second(rules: Rulebook, *, takes: bool) -> None:
    evening = _two_offers(rules)
    if takes:
        evening.do(evening.insuring("dan", 1_00))
    _draw(evening, "Kc")
    forgone = InsuranceClosed() if takes else InsuranceClosed(("dan",), cited(rules, "forgone"))
    assert evening.happened(InsuranceClosed)[1:] == [forgone]


@pytest.mark.parametrize("rules", having("forgone"))
@reading("forgoing_insurance")
def test_nobody_forgoes_what_they_could_not_take(rules: Rulebook) -> None:
    bets = (("ann", "banker", 100_00), ("ben", "player", 100_00))
    evening = dealing(rules, *bets).deal(BANKER_ON_FIVE)
    evening.do(OpenInsurance(*DEALER))
    evening.deal("4c")  # Player 6 and Banker draws: now Player is insured
    assert evening.happened(InsuranceClosed) == [InsuranceClosed(("ann",), cited(rules, "forgone"))]
    evening.do(OpenInsurance(*DEALER))
    evening.do(evening.insuring("ben", 1_00))


@pytest.mark.parametrize("rules", having("forgone"))
@reading("forgoing_insurance")
def test_nothing_is_due_when_all_have_forgone(rules: Rulebook) -> None:
    evening = dealing(rules).deal(BANKER_ON_SIX)
    evening.do(OpenInsurance(*DEALER))
    _draw(evening, "6c")
    evening.refuse(OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "forgone"))
    evening.refuse(evening.insuring("ann", 1_00), TableCode.INSURANCE_FORGONE, *cited(rules, "forgone"))
    _draw(evening, "Kc")


@pytest.mark.parametrize("rules", having("forgone", "walks_away"))
@reading("forgoing_insurance")
def test_a_player_who_walks_away_keeps_their_insurance_and_forgoes_further_offers(rules: Rulebook) -> None:
    evening = _offered(rules, ("ann", "banker", 100_00), ("ben", "banker", 100_00), cards=BANKER_ON_SIX)
    evening.do(evening.insuring("ann", 20_00))
    evening.do(evening.insuring("ben", 1_00))
    evening.do(Leave("ann", Position.PLAYER, "ann"))
    evening.refuse(evening.insuring("ann", 1_00), TableCode.AWAY, *cited(rules, "walks_away"))
    evening.refuse(TakeInsurance(*DEALER, "ann", 1, 1_00), TableCode.AWAY, *cited(rules, "walks_away"))
    _draw(evening, "6c")
    evening.do(OpenInsurance(*DEALER))  # for ben
    evening.refuse(evening.insuring("ann", 1_00), TableCode.AWAY, *cited(rules, "walks_away"))
    _draw(evening, "5h")  # Banker 6 + 5 = 1: a tie at 1, which returns all
    evening.settle()
    results = {(one.who, one.bet): one.returned_minor for one in evening.happened(RoundSettled)[0].results}
    assert results["ann", "banker_insurance"] == 20_00
    assert evening.chips["ann"] == CHIPS_MINOR


@pytest.mark.parametrize("rules", having("forgone"))
@pytest.mark.parametrize("took", [False, True])
@reading("forgoing_insurance")
def test_a_stake_that_a_ruling_returned_keeps_the_right_to_the_next_offer(rules: Rulebook, *, took: bool) -> None:
    evening = _offered(rules, ("ann", "banker", 100_00), ("ben", "banker", 100_00), cards=BANKER_ON_SIX)
    evening.do(evening.insuring("ben", 1_00))
    if took:
        evening.do(evening.insuring("ann", 1_00))
        insurance = reports.RuledBet("ann", 1, "banker_insurance")
        evening.do(reports.Rule(*SHIFT, "the chips were another player's", Effect.RETURN, (insurance,)))
    _draw(evening, "6c")
    evening.do(OpenInsurance(*DEALER))  # for ben at least
    if took:
        evening.do(evening.insuring("ann", 1_00))
    else:
        evening.refuse(evening.insuring("ann", 1_00), TableCode.INSURANCE_FORGONE, *cited(rules, "forgone"))


@pytest.mark.parametrize("rules", having("forgone"))
@reading("forgoing_insurance")
def test_nothing_is_due_when_all_who_could_insure_are_away(rules: Rulebook) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    evening.do(Leave("ann", Position.PLAYER, "ann"))
    evening.refuse(OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    _draw(evening, "8c")


@pytest.mark.parametrize("rules", having("forgone", "insurance", among=[RULES]))
@pytest.mark.parametrize(("stake", "due"), [(1, False), (2, True)])
@reading("forgoing_insurance")
def test_an_offer_that_nobody_has_room_for_is_not_due_and_not_forgone(
    rules: Rulebook, stake: int, *, due: bool
) -> None:
    # at 2 to 1: of 0.01 nothing can be insured, of 0.02 a half
    evening = dealing(rules, ("ann", "banker", stake), least=1, differential_minor=500_00).deal(BANKER_ON_FIVE)
    if due:
        evening.do(OpenInsurance(*DEALER))
    else:
        evening.refuse(OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    closed = [InsuranceClosed(("ann",), cited(rules, "forgone"))] if due else []
    _draw(evening, "4c")
    assert evening.happened(InsuranceClosed) == closed


@pytest.mark.parametrize("rules", having("forgone", "insurance_cap", among=[RULES]))
@reading("forgoing_insurance")
def test_only_players_with_room_under_the_cap_forgo(rules: Rulebook) -> None:
    bets = (("ann", "banker", 1), ("dan", "banker", 2))
    evening = _offered(rules, *bets)
    _draw(evening, "4c")
    assert evening.happened(InsuranceClosed) == [InsuranceClosed(("dan",), cited(rules, "forgone"))]


@pytest.mark.parametrize("rules", having("insurance", among=[RULES]))
def test_an_offer_is_not_due_once_earlier_insurance_has_used_up_the_cap(rules: Rulebook) -> None:
    evening = _offered(rules, ("ann", "banker", 100_00), cards=BANKER_ON_SIX)
    evening.do(evening.insuring("ann", 33_33))  # at 3 to 1; 0.01 is left to win, and 7 to 1 comes next
    _draw(evening, "6c")
    evening.refuse(OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    _draw(evening, "Kc")
    assert evening.happened(InsuranceMissed) == []


@pytest.mark.parametrize("rules", having("forgone", among=INSURED))
@pytest.mark.parametrize(
    "wrong",
    [
        reports.ReportExcessCard(*SUPERVISOR, (Card("6c"),)),
        reports.ReportDealingError(*SUPERVISOR, "all mixed up", reconstructable=False),
    ],
    ids=["a card seen too early", "order lost"],
)
@reading("forgoing_insurance")
def test_nobody_forgoes_an_offer_that_went_wrong(rules: Rulebook, wrong: Command) -> None:
    evening = _offered(rules)
    evening.do(CloseInsurance(*DEALER))
    evening.do(wrong)
    seen = isinstance(wrong, reports.ReportExcessCard)
    assert evening.happened(InsuranceClosed)[1:] == [InsuranceClosed(cut_short=seen)]
    assert evening.table.round is not None
    assert not evening.table.round.insurance.offer_stands
    assert evening.table.round.insurance.forgone == set()


@pytest.mark.parametrize("rules", having("forgone", "goes_on_as_it_is", among=INSURED))
@reading("forgoing_insurance", "order_by_ruling")
def test_players_who_passed_on_an_offer_whose_cards_were_in_doubt_have_forgone_nothing(rules: Rulebook) -> None:
    evening = _offered(rules, cards=BANKER_ON_SIX)
    _draw(evening, "6c")
    assert evening.happened(InsuranceClosed) == [InsuranceClosed(("ann",), cited(rules, "forgone"))]
    evening.do(reports.ReportDealingError(*SUPERVISOR, "all mixed up", reconstructable=False))
    evening.do(reports.CallTime(*SUPERVISOR))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (1, 2, 3, 4, 5)))
    evening.do(OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 1))


@pytest.mark.parametrize("rules", having("forgone", "goes_on_as_it_is", among=INSURED))
@reading("forgoing_insurance", "order_by_ruling")
@pytest.mark.parametrize(("places", "stands"), [((5, 6), True), ((4, 5), False)])
def test_only_doubt_about_dealt_cards_ends_an_offer(rules: Rulebook, places: tuple[int, ...], *, stands: bool) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (None, None)))
    evening.do(OpenInsurance(*DEALER))
    evening.do(reports.ReportDealingError(*SUPERVISOR, "both fell", reconstructable=False, in_doubt=places))
    assert evening.happened(InsuranceClosed) == ([] if stands else [InsuranceClosed()])
    assert evening.table.round is not None
    assert evening.table.round.insurance.offer_stands is stands


@pytest.mark.parametrize("rules", having(where="forgone"))
@reading("forgoing_insurance")
def test_with_the_other_setting_nobody_forgoes_and_nothing_is_cited(rules: Rulebook) -> None:
    evening = dealing(rules, forgone_for_the_round=False).deal(BANKER_ON_FIVE)
    evening.do(OpenInsurance(*DEALER))
    _draw(evening, "4c")
    assert evening.happened(InsuranceClosed) == [InsuranceClosed()]


@pytest.mark.parametrize("game", ["commission", "super-six-plus"])
def test_the_setting_has_no_effect_in_a_book_without_insurance(game: str) -> None:
    for forgone in (True, False):
        dealing(book(game), forgone_for_the_round=forgone).deal(f"{BANKER_ON_FIVE} 4c")


# ---- called


def _calling(who: str, stake_minor: int | None = None) -> CallInsurance:
    return CallInsurance(*DEALER, who, 1, stake_minor)


@pytest.mark.parametrize("rules", having("forgone", "insurance"))
@reading("forgoing_insurance")
def test_a_call_binds_like_a_stake_and_keeps_the_right_to_the_next_offer(rules: Rulebook) -> None:
    evening = _offered(rules, ("ann", "banker", 100_00), ("dan", "banker", 100_00), cards=BANKER_ON_SIX)
    line = evening.happened(InsuranceOffered)[0].clauses
    (taken,) = evening.do(_calling("ann", 5_00))
    assert isinstance(taken, InsuranceTaken)
    assert (taken.who, taken.placed_by, taken.called, taken.stake_minor) == ("ann", "dora", True, 5_00)
    assert taken.clauses == (*line, *cited(rules, "forgone"))
    assert taken.postings == transfer(chips("ann"), FELT, 5_00)
    _draw(evening, "6c")
    assert evening.happened(InsuranceClosed) == [InsuranceClosed(("dan",), cited(rules, "forgone"))]
    evening.do(OpenInsurance(*DEALER))
    evening.do(_calling("ann", 1_00))
    evening.refuse(_calling("dan", 1_00), TableCode.INSURANCE_FORGONE, *cited(rules, "forgone"))
    _draw(evening, "Kc")
    evening.refuse(_calling("ann", 1_00), TableCode.INSURANCE_NOT_OPEN, *cited(rules, "insurance"))


@pytest.mark.parametrize("rules", having("insurance_cap", among=[RULES]))
def test_a_call_without_a_stake_is_for_the_largest_allowed(rules: Rulebook) -> None:
    evening = _offered(rules, ("ann", "banker", 100_00))
    (taken,) = evening.do(_calling("ann"))
    assert isinstance(taken, InsuranceTaken)
    assert taken.stake_minor == 50_00  # at 2 to 1
    for more in (None, 1):
        evening.refuse(_calling("ann", more), Code.INSURANCE_ABOVE_CAP, *cited(rules, "insurance_cap"))


@pytest.mark.parametrize("rules", having("insurance_cap", among=[RULES]))
@pytest.mark.parametrize("observing", [True, False])
def test_at_a_felt_table_the_chips_can_follow(rules: Rulebook, *, observing: bool) -> None:
    stake = CHIPS_MINOR - 20_00
    evening = dealing(rules, ("ann", "banker", stake), observing=observing, differential_minor=CHIPS_MINOR)
    evening.deal(BANKER_ON_FIVE)
    evening.do(OpenInsurance(*DEALER))
    evening.refuse(evening.insuring("ann", 20_01), TableCode.NOT_ENOUGH_CHIPS)
    if not observing:
        evening.refuse(_calling("ann", 20_01), TableCode.NOT_ENOUGH_CHIPS)
    evening.do(_calling("ann"))
    assert evening.table.chips_minor("ann") == 0
    if observing:
        assert evening.table.balances["brought"] == 20_00 - stake // 2
    else:
        evening.refuse(_calling("ann"), TableCode.NOT_ENOUGH_CHIPS)


# ---- a card drawn although nothing was offered


@pytest.mark.parametrize("rules", having("insurance", "not_offered", among=INSURED))
def test_a_dealer_can_say_that_the_card_is_drawn_and_nothing_was_offered(rules: Rulebook) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    plain = DealCard(*DEALER, Card("4c"))
    assert "not_offered" in evening.refuse(plain, TableCode.INSURANCE_DUE, *cited(rules, "insurance")).message
    drawn = replace(plain, not_offered=True)
    house = replace(drawn, by="house", position=Position.HOUSE)
    evening.refuse(house, TableCode.NOT_AUTHORISED, *cited(rules, "insurance"))
    missed = InsuranceMissed(Stage.FOUR, BANKER, FIVE[rules.id], cited(rules, "not_offered"), player=2, banker=5)
    assert evening.do(drawn)[0] == missed


@pytest.mark.parametrize("rules", having("insurance"))
def test_not_offered_is_refused_where_nothing_was_due(rules: Rulebook) -> None:
    evening = dealing(rules, forgone_for_the_round=False)
    drawn = DealCard(*DEALER, Card("6c"), not_offered=True)
    evening.refuse(drawn, TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    evening.deal(BANKER_ON_SIX)
    evening.do(OpenInsurance(*DEALER))
    evening.refuse(drawn, TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    for id_ in ("commission", "super-six-plus"):
        dealing(book(id_)).refuse(drawn, TableCode.NOT_IN_BOOK)
