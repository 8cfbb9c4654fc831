"""Missed offers of insurance: which ones count, on which points, what a late offer allows and what ends it."""

import pytest
from msgspec.structs import replace

from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.table import evolve, next_step
from punto.table.records import commands, reports
from punto.table.records.events import CardSqueezed, InsuranceClosed, InsuranceMissed, InsuranceOffered
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.refusals import TableCode
from tests.marks import INSURED, reading
from tests.table.irregularities.test_misdeals import cards, excess
from tests.table.numbers import cited, having
from tests.table.tables import (
    ALL_AUTOMATIONS,
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    MANAGER,
    SUPERVISOR,
    Evening,
    dealing,
    ready,
)

BANKER, PLAYER = Side.BANKER, Side.PLAYER
OFFER = commands.OpenInsurance(*DEALER)
LATE = reports.OfferLateInsurance(*MANAGER)
MIXED = reports.ReportDealingError(*SUPERVISOR, "all mixed up", reconstructable=False)
TIME = reports.CallTime(*SUPERVISOR)
BACK = reports.ReturnUninsuredBets(*MANAGER, "ann", 1, BANKER, "the player had asked the dealer")
BANKER_ON_SIX = "2s 2h 3d 4d"
"""Player 5, Banker 6: 5 to 2 in the Plus games; then on a six Player has 1, and it is 10 to 1."""

LATELY = having("late_insurance", "insurance_cap")
EXPOSED = having("excess", "insurance", "insurance_neglected", among=INSURED)


def _capped(evening: Evening, most_minor: int, who: str = "ann", cap_of: str = "late_insurance") -> None:
    """Exactly this much more can be insured, by the clause on a late offer or another one."""
    cap = cited(evening.rules, cap_of)
    evening.refuse(evening.insuring(who, most_minor + 1), Code.INSURANCE_ABOVE_CAP, *cap)
    if most_minor:
        evening.do(evening.insuring(who, most_minor))


# ---- the cap of a late offer


def _late_on_the_third_card(rules: Rulebook, in_time: int) -> Evening:
    """Ann insured this much on four cards, at 5 to 2; the next offer, at 10 to 1, was missed and is made late."""
    evening = dealing(rules, face_down=True, observing=True, least=1_00, differential_minor=1000_00).deal(BANKER_ON_SIX)
    evening.do(OFFER)
    evening.do(evening.insuring("ann", in_time))
    evening.deal_unseen(1).turn("6c").deal_unseen(1)
    evening.do(LATE)
    return evening


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", LATELY)
@pytest.mark.parametrize(("in_time", "late"), [(1, 9_99), (20_00, 5_00), (39_00, 25)])
def test_the_late_cap_counts_all_insurance_of_the_round(rules: Rulebook, in_time: int, late: int) -> None:
    evening = _late_on_the_third_card(rules, in_time)
    _capped(evening, late)  # together they win at most 100.00


@reading("insurance_not_offered")
@pytest.mark.parametrize("rules", LATELY)
@pytest.mark.parametrize(("in_time", "room"), [(39_96, True), (39_97, False), (100_00, False)])
def test_a_late_offer_that_nobody_has_room_for_is_not_made(rules: Rulebook, in_time: int, *, room: bool) -> None:
    evening = dealing(rules, face_down=True, observing=True, least=1_00, differential_minor=1000_00).deal(BANKER_ON_SIX)
    evening.do(OFFER)
    evening.do(evening.insuring("ann", in_time))
    evening.deal_unseen(1).turn("6c").deal_unseen(1)
    if room:
        evening.do(LATE)
        _capped(evening, 1)
    else:
        evening.refuse(LATE, TableCode.NO_INSURANCE_DUE, *cited(rules, "uninsured_bet"))


@reading("insurance_not_offered", "cap_on_the_stake_of_an_offer")
@pytest.mark.parametrize("rules", LATELY)
def test_after_a_late_stake_all_insurance_of_the_round_wins_at_most_the_bet(rules: Rulebook) -> None:
    bets = (("ann", "banker", 100_00), ("dan", "banker", 100_00))
    changes = {"face_down": True, "observing": True, "forgone_for_the_round": False}
    evening = dealing(rules, *bets, **changes, least=1_00, differential_minor=1000_00)
    evening.deal(BANKER_ON_SIX).deal_unseen(1)
    evening.do(LATE)  # Player's third card does not show: 5 to 2
    evening.do(evening.insuring("ann", 20_00))
    evening.turn("6c")
    evening.do(OFFER)  # 10 to 1
    _capped(evening, 5_00)
    _capped(evening, 100_00, "dan", "insurance_cap")  # an ordinary offer has its ordinary cap


@reading("interruptions", "insurance_not_offered")
@pytest.mark.parametrize("rules", having("late_insurance", "insurance_cap", "interruption", "goes_on"))
@pytest.mark.parametrize("late", [True, False], ids=["late", "in time"])
def test_an_offer_that_opens_again_after_an_interruption_is_as_late_as_it_was(rules: Rulebook, *, late: bool) -> None:
    evening = dealing(rules, face_down=True, observing=True).deal(BANKER_ON_SIX)
    if late:
        evening.deal_unseen(1)
    evening.do(LATE if late else OFFER)
    evening.do(reports.ReportInterruption(*SUPERVISOR))
    _capped(evening, *((40_00, "ann", "late_insurance") if late else (100_00, "ann", "insurance_cap")))


# ---- a squeeze


def _squeezed(rules: Rulebook) -> Evening:
    """Ann squeezes Player's hand; the offer on four cards was missed, and Player's third card is unseen."""
    evening = dealing(rules, face_down=True, observing=True)
    evening.do(commands.RequestSqueeze("ann", Position.PLAYER, "ann", PLAYER))
    evening.do(commands.GrantSqueeze(*SUPERVISOR, PLAYER))
    return evening.deal(BANKER_ON_SIX).deal_unseen(1)


SQUEEZE = commands.SqueezeCard("ann", Position.PLAYER, 5)


@reading("insurance_not_offered", "who_may_squeeze")
@pytest.mark.parametrize("rules", having("late_insurance"))
def test_a_squeeze_ends_a_late_offer(rules: Rulebook) -> None:
    evening = _squeezed(rules)
    evening.do(LATE)
    evening.do(evening.insuring("ann", 1_00))
    assert evening.do(SQUEEZE) == (InsuranceClosed(), CardSqueezed("ann", 5))
    evening.refuse(evening.insuring("ann", 1_00), TableCode.INSURANCE_NOT_OPEN, *cited(rules, "insurance"))
    evening.turn("6c")
    assert len(evening.happened(InsuranceClosed)) == 1
    evening.do(OFFER)  # the next offer, in time


@reading("insurance_not_offered", "who_may_squeeze")
@pytest.mark.parametrize("rules", having("late_insurance", "uninsured_bet"))
def test_over_a_card_that_somebody_has_squeezed_nothing_is_offered_late(rules: Rulebook) -> None:
    evening = _squeezed(rules)
    assert evening.do(SQUEEZE) == (CardSqueezed("ann", 5),)
    evening.refuse(LATE, TableCode.NO_INSURANCE_DUE, *cited(rules, "uninsured_bet"))
    evening.turn("6c")
    evening.refuse(LATE, TableCode.NO_INSURANCE_DUE, *cited(rules, "late_insurance"))  # there is another offer now
    (offered,) = evening.do(OFFER)  # the next offer, in time
    assert isinstance(offered, InsuranceOffered)
    assert (offered.stage, offered.odds, offered.makes_good) == (Stage.THIRD, "10", ())


# ---- an exposed card


@reading("left_over_cards", "insurance_not_offered")
@pytest.mark.parametrize("rules", EXPOSED)
@pytest.mark.parametrize(
    ("out", "missed"), [("7c", True), ("?? 7c", True), ("??", False), ("?? ??", False), ("?? ?? 7c", False)]
)
def test_an_offer_is_missed_if_a_card_is_exposed_that_may_still_come(
    rules: Rulebook, out: str, *, missed: bool
) -> None:
    evening = ready(rules)
    evening.do(excess(f"?? ?? ?? ?? {out}"))  # between rounds: nobody chooses
    evening.open_betting()
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal(BANKER_ON_FIVE)
    drawing = commands.DealCard(*DEALER, Card("7c"))
    if missed:
        evening.refuse(OFFER, TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
        evening.do(drawing)
    else:
        evening.refuse(drawing, TableCode.INSURANCE_DUE, *cited(rules, "insurance"))
        evening.do(OFFER)
        evening.do(evening.insuring("ann", 1_00))
        evening.do(drawing)
    points = [(one.stage, one.player, one.banker, one.clauses) for one in evening.happened(InsuranceMissed)]
    assert points == ([(Stage.FOUR, 2, 5, cited(rules, "not_offered"))] if missed else [])


@reading("left_over_cards", "insurance_not_offered")
@pytest.mark.parametrize("rules", EXPOSED)
def test_an_offer_is_missed_if_the_card_is_exposed_in_the_round(rules: Rulebook) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    evening.do(excess("?? 7c"))
    assert [one.stage for one in evening.happened(InsuranceMissed)] == [Stage.FOUR]
    evening.refuse(OFFER, TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    if cited(rules, "late_insurance"):
        evening.refuse(LATE, TableCode.NO_INSURANCE_DUE, *cited(rules, "uninsured_bet"))


@pytest.mark.parametrize("rules", having("excess", "insurance_neglected", among=INSURED))
def test_a_table_that_goes_by_itself_deals_on_then(rules: Rulebook) -> None:
    evening = dealing(rules, automations=ALL_AUTOMATIONS).deal(BANKER_ON_FIVE)
    evening.do(excess("?? 7c"))
    step = next_step(rules, evening.table)
    assert step is not None
    assert (step.automation, step.needs_card) == (Automation.DEAL, True)  # nobody has seen the next card
    evening = ready(rules, automations=ALL_AUTOMATIONS)
    evening.do(excess("As 2s Ad 3d ?? 7c"))
    evening.open_betting()
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal(BANKER_ON_FIVE)
    step = next_step(rules, evening.table)
    assert step is not None
    assert step.automation is Automation.DEAL


# ---- a ruled order


@reading("insurance_not_offered", "order_by_ruling")
@pytest.mark.parametrize("rules", having("uninsured_bet", "goes_on_as_it_is", among=INSURED))
def test_an_offer_that_only_the_wrong_cards_gave_was_not_missed(rules: Rulebook) -> None:
    evening = dealing(rules, observing=True).deal(f"{BANKER_ON_FIVE} 7c")
    assert len(evening.happened(InsuranceMissed)) == 1
    evening.do(MIXED)
    evening.do(TIME)
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (1, 2, 4, 3, 5)))  # Player 4 and the 7c, Banker 3: nothing to insure
    assert evening.table.round is not None
    assert (evening.table.round.cards, evening.table.round.insurance.missed) == (cards("As 2s 3d Ad 7c"), ())
    evening.do(OFFER)  # on Banker's 3 against 1
    evening.deal("7h")
    evening.refuse(BACK, TableCode.INSURANCE_NOT_MISSED, *cited(rules, "uninsured_bet"))


@reading("insurance_not_offered", "order_by_ruling")
@pytest.mark.parametrize("rules", having("uninsured_bet", "goes_on_as_it_is", among=INSURED))
def test_an_offer_that_the_ruled_order_gives_and_nobody_made_was_missed(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00), ("ben", "player", 50_00), observing=True)
    evening.deal(f"{BANKER_ON_SIX} 6c")  # the offer on Banker, 6 over 5, was missed
    evening.do(MIXED)
    evening.do(TIME)
    evening.do(reports.RuleCardOrder(*SUPERVISOR, (1, 2, 4, 3, 5)))  # Player stands on 6, Banker draws the 6c on 5
    missed = [(one.stage, one.side, one.player, one.banker) for one in evening.happened(InsuranceMissed)]
    assert missed == [(Stage.FOUR, BANKER, 5, 6), (Stage.FOUR, PLAYER, 6, 5)]
    evening.refuse(BACK, TableCode.INSURANCE_NOT_MISSED, *cited(rules, "uninsured_bet"))


@pytest.mark.parametrize("rules", having("uninsured_bet", among=INSURED))
def test_if_an_old_journal_lacks_the_points_the_cards_give_them(rules: Rulebook) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    now = InsuranceMissed(Stage.FOUR, BANKER, "", cited(rules, "not_offered"))
    evening.table = evolve(evening.table, now)
    evening.deal("7c 2h")  # Player wins 9 to 7
    evening.refuse(replace(BACK, side=PLAYER), TableCode.INSURANCE_NOT_MISSED, *cited(rules, "uninsured_bet"))
    evening.do(BACK)
    assert evening.chips["ann"] == CHIPS_MINOR
