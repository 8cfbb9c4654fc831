"""An interruption voids the round unless an outcome is established."""

from itertools import product

import pytest

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.records import commands, reports
from punto.table.records.events import InsuranceClosed, InsuranceOffered, RoundSettled
from punto.table.records.findings import IrregularityReported, RoundVoided
from punto.table.records.kinds import Irregularity
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.marks import BOOKS, INSURED, clause, reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    HOUSE,
    MANAGER,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    ready,
)

STOPPED = reports.ReportInterruption(*SUPERVISOR, "no light")
LATER = having("interruption", "goes_on", "interruption_voids", "void_returns")
SIX = f"{BANKER_ON_FIVE} 4c 2h".split()


def _voids(evening: Evening) -> bool:
    """Report an interruption, check the clauses cited, and return whether the round is void."""
    rules = evening.rules
    reported, *follows = evening.do(STOPPED)
    assert isinstance(reported, IrregularityReported)
    assert (reported.kind, reported.reason) == (Irregularity.INTERRUPTION, "no light")
    if evening.table.phase is Phase.READY:
        (void,) = follows
        assert isinstance(void, RoundVoided)
        clauses = cited(rules, "interruption_voids") + cited(rules, "void_returns")
        assert (void.ground, void.clauses, void.reason) == (Irregularity.INTERRUPTION, clauses, "no light")
        assert reported.clauses == cited(rules, "interruption")
        assert reported.established == ()
        assert evening.table.shoe is not None
        assert set(evening.chips.values()) == {CHIPS_MINOR}
        return True
    assert reported.clauses == cited(rules, "interruption") + cited(rules, "goes_on")
    return False


@reading("interruptions")
@pytest.mark.parametrize("rules", having("interruption", "interruption_voids", "void_returns"))
def test_before_the_close_it_voids(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 100_00)
    assert _voids(evening)


@reading("interruptions")
@pytest.mark.parametrize("rules", having("interruption", "interruption_voids", "void_returns"))
@pytest.mark.parametrize("dealt", range(3))
def test_with_fewer_than_three_cards_it_voids(rules: Rulebook, dealt: int) -> None:
    assert _voids(dealing(rules).deal(" ".join(SIX[:dealt])))
    assert _voids(dealing(rules, face_down=True).deal_unseen(dealt))


@reading("interruptions", "left_over_cards")
@pytest.mark.parametrize("rules", LATER)
def test_exposed_cards_left_over_from_before_count_once_betting_is_closed(rules: Rulebook) -> None:
    for cards, closed in product(((Card("9s"), Card("2d"), Card("9h"), Card("3c")), (None,) * 4), (False, True)):
        evening = ready(rules)
        evening.do(reports.ReportExcessCard(*SUPERVISOR, cards))
        evening.open_betting()
        evening.bet("ann", "banker", 100_00)
        if closed:
            evening.close_betting()
        assert _voids(evening) is not (closed and None not in cards)
        assert len(evening.table.carried) == 4


@reading("interruptions", "established")
@pytest.mark.parametrize("rules", LATER)
def test_with_three_cards_it_goes_by_what_they_establish(rules: Rulebook) -> None:
    evening = dealing(rules).deal("2s 9d 3h")  # an unpaired 5: Player may draw or not
    assert _voids(evening) is (rules.id == "da-hu-ying-xiong")
    evening = dealing(rules).deal("2s 9d 2h")  # a pair
    assert not _voids(evening)
    evening = dealing(rules).deal("6s 9d Kh")  # an unpaired 6 that stands: Banker cannot beat it with 6
    assert not _voids(evening)


@reading("interruptions")
@clause("da-hu-ying-xiong", "5.4.1", "5.4.2")
@pytest.mark.parametrize(("third", "void"), [("6c", False), ("5c", True), ("4c", True), ("8c", False)])
def test_where_no_pair_can_be_lost_on_three_cards(third: str, *, void: bool) -> None:
    rules = book("da-hu-ying-xiong")
    evening = dealing(rules).deal(f"Ks 9d {third}")
    assert _voids(evening) is void


@reading("interruptions")
@pytest.mark.parametrize("rules", having("interruption", "goes_on"))
@pytest.mark.parametrize("dealt", range(4, 7))
def test_with_four_cards_or_more_it_goes_on(rules: Rulebook, dealt: int) -> None:
    evening = dealing(rules).deal(" ".join(SIX[:dealt]))
    assert not _voids(evening)
    evening.deal(" ".join(SIX[dealt:])).settle()
    assert evening.happened(RoundSettled)[0].banker == 7


@reading("interruptions")
@pytest.mark.parametrize("rules", LATER)
@pytest.mark.parametrize("turned", range(5))
def test_cards_that_nobody_has_seen_establish_nothing(rules: Rulebook, turned: int) -> None:
    evening = dealing(rules, face_down=True).deal_unseen(4)
    for place, card in list(enumerate(("9s", "2d", "9h", "3c"), 1))[:turned]:
        evening.do(commands.TurnCard(*DEALER, place, Card(card)))
    assert _voids(evening) is (turned < 3)  # with three cards Player has a pair


@reading("interruptions", "established")
@pytest.mark.parametrize("rules", LATER)
@pytest.mark.parametrize("report", [True, False], ids=["order lost", "order known"])
def test_four_cards_whose_order_is_lost_establish_nothing(rules: Rulebook, *, report: bool) -> None:
    evening = dealing(rules).deal("9s 2d Kh 3c")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "swept together", reconstructable=not report))
    assert _voids(evening) is report


@pytest.mark.parametrize("rules", having(where="interruption"))
@reading("established")
def test_if_only_staked_bets_count_four_cards_are_not_enough(rules: Rulebook) -> None:
    open_bets = dealing(rules, ("ann", "banker", 100_00), established_by_staked_bets=True).deal(BANKER_ON_FIVE)
    assert _voids(open_bets)
    certain = dealing(rules, ("ann", "banker", 100_00), established_by_staked_bets=True).deal("9s 2d Kh 3c")
    assert not _voids(certain)
    assert certain.happened(IrregularityReported)[0].established == ("banker",)


@pytest.mark.parametrize("rules", having("interruption", "goes_on"))
def test_the_bets_that_establish_it_are_named(rules: Rulebook) -> None:
    evening = dealing(rules).deal("2s 9d 2h")
    assert not _voids(evening)
    named = {
        "da-hu-ying-xiong": ("tiger_pair",),
        "tiger-buffalo": ("player_pair", "small_buffalo"),
    }.get(rules.id, ("player_pair",))
    assert evening.happened(IrregularityReported)[0].established == named


@reading("interruptions")
@pytest.mark.parametrize("rules", having("interruption", "goes_on", among=INSURED))
def test_an_open_offer_of_insurance_opens_again(rules: Rulebook) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_00))
    assert not _voids(evening)
    first, again = evening.happened(InsuranceOffered)
    assert first == again
    evening.do(evening.insuring("ann", 10_00))
    evening.deal("4c")
    assert len(evening.happened(InsuranceClosed)) == 1
    assert evening.table.round is not None
    assert [cover.stake_minor for cover in evening.table.round.insurance.cover] == [10_00, 10_00]


@pytest.mark.parametrize("rules", having("interruption", among=INSURED))
@pytest.mark.parametrize("card", [None, "4c"], ids=["before the next card", "after it"])
def test_an_offer_opens_again_only_until_the_next_card(rules: Rulebook, card: str | None) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(commands.CloseInsurance(*DEALER))
    if card is not None:
        evening.deal(card)
    assert not _voids(evening)
    assert len(evening.happened(InsuranceOffered)) == (2 if card is None else 1)
    if card is None:
        evening.do(evening.insuring("ann", 1))
    else:
        evening.refuse(evening.insuring("ann", 1), TableCode.INSURANCE_FORGONE, *rules.topics[Topic.INSURANCE_FORGONE])


@reading("forgoing_insurance", "interruptions")
@pytest.mark.parametrize("rules", having("interruption", "forgone", among=INSURED))
@pytest.mark.parametrize("interrupted", [True, False])
def test_passing_on_an_interrupted_offer_forgoes_nothing(rules: Rulebook, *, interrupted: bool) -> None:
    evening = dealing(rules, differential_minor=500_00).deal("2s 2h 3d 4d")
    evening.do(commands.OpenInsurance(*DEALER))
    if interrupted:
        assert not _voids(evening)
    evening.deal("6c")
    assert evening.table.round is not None
    assert evening.table.round.insurance.forgone == (set() if interrupted else {"ann"})


@reading("interruptions", "who_the_house_is")
@pytest.mark.parametrize("rules", having("interruption"))
def test_the_machine_that_comes_back_reports_it_by_itself(rules: Rulebook) -> None:
    for by in (HOUSE, SUPERVISOR, MANAGER, SHIFT):
        evening = betting(rules)
        evening.do(reports.ReportInterruption(*by))
        assert evening.happened(RoundVoided)
    evening = betting(rules)
    evening.refuse(reports.ReportInterruption(*DEALER), TableCode.NOT_AUTHORISED, *cited(rules, "interruption"))


@reading("interruptions", "commission_version_three")
@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_between_rounds_there_is_nothing_to_interrupt(rules: Rulebook) -> None:
    evening = dealing(rules).deal("9s 2d Kh 3c").settle()
    code = TableCode.NO_ROUND if cited(rules, "interruption") else TableCode.NOT_IN_BOOK
    evening.refuse(STOPPED, code, *cited(rules, "interruption"))
