"""Insurance at the table: due, offered, taken, increased, closed."""

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.table import evolve, next_step
from punto.table.records import commands
from punto.table.records.commands import (
    CloseInsurance,
    DealCard,
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
from punto.table.records.ledger import FELT, chips, transfer
from punto.table.records.positions import Position
from punto.table.records.reports import OfferLateInsurance
from punto.table.records.settings import Automation
from punto.table.records.state import MissedOffer, TakenInsurance
from punto.table.refusals import TableCode
from tests.marks import INSURED, reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    ALL_AUTOMATIONS,
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    MANAGER,
    SHIFT,
    Evening,
    betting,
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


# ---- due and offered


@pytest.mark.parametrize("rules", having("insurance"))
def test_insurance_that_is_due_comes_before_the_next_card(rules: Rulebook) -> None:
    evening = dealing(rules)
    evening.refuse(OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    evening.deal(BANKER_ON_FIVE)
    evening.refuse(evening.insuring("ann", 1_00), TableCode.INSURANCE_NOT_OPEN, *cited(rules, "insurance"))
    evening.refuse(CloseInsurance(*DEALER), TableCode.INSURANCE_NOT_OPEN, *cited(rules, "insurance"))
    drawing = DealCard(*DEALER, Card("4c"))
    assert "Banker insurance" in evening.refuse(drawing, TableCode.INSURANCE_DUE, *cited(rules, "insurance")).message
    (offer,) = evening.do(OpenInsurance(*DEALER))
    assert isinstance(offer, InsuranceOffered)
    assert (offer.stage, offer.side, offer.odds) == (Stage.FOUR, BANKER, FIVE[rules.id])
    for again in (OpenInsurance(*DEALER), DealCard(*DEALER, Card("4c"), not_offered=True)):
        refusal = evening.refuse(again, TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
        assert "already on offer" in refusal.message
    assert evening.do(drawing)[0] == InsuranceClosed(("ann",), cited(rules, "forgone"))


@pytest.mark.parametrize("rules", having("insurance"))
def test_nothing_is_due_where_nobody_has_a_bet_on_that_side(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), ("ben", "tie", 10_00)).deal(BANKER_ON_FIVE)
    evening.refuse(OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    _draw(evening, "8c")


@pytest.mark.parametrize("rules", having("insurance"))
def test_an_observing_table_lets_a_due_offer_go_by_and_says_so(rules: Rulebook) -> None:
    evening = dealing(rules, observing=True).deal(BANKER_ON_FIVE)
    evening.deal("4c")
    assert evening.happened(InsuranceMissed) == [
        InsuranceMissed(Stage.FOUR, BANKER, FIVE[rules.id], cited(rules, "not_offered"), player=2, banker=5)
    ]
    evening.refuse(OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    assert evening.table.round is not None
    missed = (MissedOffer(Stage.FOUR, BANKER, player=2, banker=5),)
    assert (evening.table.round.insurance.missed, evening.table.round.insurance.offered) == (missed, ())


def test_an_observing_table_may_offer_too() -> None:
    evening = dealing(RULES, observing=True).deal(BANKER_ON_FIVE)
    evening.do(OpenInsurance(*DEALER))
    evening.deal("4c")
    assert evening.happened(InsuranceMissed) == []


@pytest.mark.parametrize("rules", having("no_insurance"))
@reading("no_insurance_at_private_tables")
def test_a_private_table_without_insurance_offers_none_to_anyone(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00), ("dan", "banker", 50_00), private=True, no_insurance=True)
    evening.deal(BANKER_ON_FIVE)
    none_here = cited(rules, "no_insurance")
    evening.refuse(OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *none_here)
    evening.refuse(DealCard(*DEALER, Card("8c"), not_offered=True), TableCode.NO_INSURANCE_DUE, *none_here)
    evening.refuse(evening.insuring("ann", 1_00), TableCode.INSURANCE_NOT_OPEN, *none_here)
    if cited(rules, "late_insurance"):
        evening.refuse(OfferLateInsurance(*MANAGER), TableCode.NO_INSURANCE_DUE, *none_here)
    _draw(evening, "8c")
    evening.settle()
    assert not evening.happened(InsuranceOffered)
    assert not evening.happened(InsuranceMissed)
    # a private table that has insurance offers it
    private = dealing(rules, private=True).deal(BANKER_ON_FIVE)
    private.do(OpenInsurance(*DEALER))


def test_books_without_insurance_have_no_such_commands() -> None:
    for id_ in ("commission", "super-six-plus"):
        evening = dealing(book(id_)).deal(BANKER_ON_FIVE)
        for command in (OpenInsurance(*DEALER), CloseInsurance(*DEALER), evening.insuring("ann", 1_00)):
            evening.refuse(command, TableCode.NOT_IN_BOOK)
        _draw(evening, "8c")


# ---- taken


@pytest.mark.parametrize("rules", having("insurance", "bets_closed"))
@reading("insurance_is_not_withdrawn")
def test_an_offer_is_taken_and_added_to_and_never_withdrawn(rules: Rulebook) -> None:
    evening = _offered(rules, ("ann", "banker", 100_00), ("dan", "banker", 60_00))
    odds, line = FIVE[rules.id], evening.happened(InsuranceOffered)[0].clauses
    assert len(line) == 1
    postings = transfer(chips("ann"), FELT, 10_00)
    assert evening.do(evening.insuring("ann", 10_00)) == (
        InsuranceTaken("ann", 1, BANKER, Stage.FOUR, 2, 5, odds, 10_00, "ann", line, postings=postings),
    )
    assert evening.table.round is not None
    assert evening.table.round.insurance.cover == (
        TakenInsurance("ann", BANKER, Stage.FOUR, 2, 5, 10_00, 1, "ann", odds),
    )
    evening.do(evening.insuring("ann", 5_00))
    evening.do(evening.insuring("dan", 1))  # no minimum
    taken = (evening.chips["ann"], evening.chips["dan"], evening.table.balances[FELT])
    assert taken == (CHIPS_MINOR - 115_00, CHIPS_MINOR - 60_01, 175_01)
    for bet in ("banker", "banker_insurance"):
        late = cited(rules, "late_withdrawal")
        evening.refuse(evening.withdrawing("ann", bet, 5_00), TableCode.BETTING_NOT_OPEN, *late)
    for stake in (0, -1):
        evening.refuse(evening.insuring("ann", stake), TableCode.AMOUNT_NOT_POSITIVE)
    evening.refuse(evening.insuring("ann", -1), TableCode.AMOUNT_NOT_POSITIVE)


@pytest.mark.parametrize("rules", having("insurance"))
@pytest.mark.parametrize("closed", [True, False])
@reading("insurance_is_not_withdrawn")
def test_the_right_ends_with_the_next_card_and_not_when_the_dealer_closes_the_offer(
    rules: Rulebook, *, closed: bool
) -> None:
    evening = _offered(rules)
    if closed:
        assert evening.do(CloseInsurance(*DEALER)) == (InsuranceClosed(until_next_card=True),)
        evening.refuse(CloseInsurance(*DEALER), TableCode.INSURANCE_NOT_OPEN, *cited(rules, "insurance"))
        evening.refuse(OpenInsurance(*DEALER), TableCode.NO_INSURANCE_DUE, *cited(rules, "insurance"))
    evening.do(evening.insuring("ann", 1_00))
    _draw(evening, "3c")  # Player 5, Banker stands on 5: the coup is over
    assert evening.happened(InsuranceClosed)[-1] == InsuranceClosed()
    evening.refuse(evening.insuring("ann", 1_00), TableCode.INSURANCE_NOT_OPEN, *cited(rules, "insurance"))
    evening.refuse(CloseInsurance(*DEALER), TableCode.INSURANCE_NOT_OPEN, *cited(rules, "insurance"))
    evening.settle()


@pytest.mark.parametrize("rules", having(where="insurance"))
def test_a_table_that_goes_by_itself_closes_an_offer_once(rules: Rulebook) -> None:
    evening = dealing(rules, automations=ALL_AUTOMATIONS).deal(BANKER_ON_FIVE)
    steps = []
    for _ in range(3):
        step = next_step(rules, evening.table)
        assert step is not None
        steps.append(step.automation)
        evening.do(step.command(Card("3c")))
    assert steps == [Automation.OPEN_INSURANCE, Automation.CLOSE_INSURANCE, Automation.DEAL]


@pytest.mark.parametrize("rules", having("insurance"))
def test_an_offer_that_an_earlier_release_closed_cannot_be_taken(rules: Rulebook) -> None:
    evening = _offered(rules)
    evening.table = evolve(evening.table, InsuranceClosed())
    evening.refuse(evening.insuring("ann", 1_00), TableCode.INSURANCE_NOT_OPEN, *cited(rules, "insurance"))
    assert not any(isinstance(event, InsuranceClosed) for event in evening.do(DealCard(*DEALER, Card("3c"))))


@pytest.mark.parametrize("rules", having("insured_bet"))
def test_only_who_has_a_bet_on_that_side_of_that_box_insures_it(rules: Rulebook) -> None:
    evening = _offered(rules, ("ann", "banker", 100_00), ("ben", "player", 100_00), ("dan", "tie", 10_00))
    for who, box in (("ben", 2), ("dan", 1), ("cat", 3), ("ann", 2), ("zoe", 1)):
        wanted = TakeInsurance(who, Position.PLAYER, who, box, 1_00)
        detail = evening.refuse(wanted, Code.NO_ORIGINAL_BET, *cited(rules, "insured_bet")).message
        assert who in detail
        assert f"box {box}" in detail


@pytest.mark.parametrize("rules", having("staff_bets", "pit_employee", among=INSURED))
def test_the_pit_insures_for_a_player_and_both_names_are_kept(rules: Rulebook) -> None:
    evening = _offered(rules)
    (taken,) = evening.do(TakeInsurance(*DEALER, "ann", 1, 10_00))
    assert isinstance(taken, InsuranceTaken)
    assert (taken.who, taken.placed_by) == ("ann", "dora")
    assert taken.clauses == (*evening.happened(InsuranceOffered)[0].clauses, *cited(rules, "staff_bets"))
    wanted = TakeInsurance(*SHIFT, "ann", 1, 10_00)
    evening.refuse(wanted, TableCode.NOT_AUTHORISED, *cited(rules, "staff_bets"))


@pytest.mark.parametrize("rules", having("staff_bets", "pit_employee", among=INSURED))
def test_insurance_recorded_at_a_felt_cites_its_line_alone_unless_it_is_on_behalf(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00), observing=True).deal(BANKER_ON_FIVE)
    evening.do(OpenInsurance(*DEALER))
    line = evening.happened(InsuranceOffered)[0].clauses
    for on_behalf, more in ((False, ()), (True, cited(rules, "staff_bets"))):
        (taken,) = evening.do(TakeInsurance(*DEALER, "ann", 1, 1_00, on_behalf=on_behalf))
        assert isinstance(taken, InsuranceTaken)
        assert taken.clauses == (*line, *more)
    wanted = replace(evening.insuring("ann", 1_00), on_behalf=True)
    evening.refuse(wanted, TableCode.NOT_AUTHORISED, *cited(rules, "staff_bets"))


def test_insurance_is_paid_for_in_chips() -> None:
    evening = _offered(RULES, ("ann", "banker", CHIPS_MINOR))
    evening.refuse(evening.insuring("ann", 1), TableCode.NOT_ENOUGH_CHIPS)


# ---- the caps


@pytest.mark.parametrize("rules", having("insurance_cap", among=[RULES]))
def test_the_winnings_of_both_stages_together_are_at_most_the_original_bet(rules: Rulebook) -> None:
    evening = _offered(rules, ("ann", "banker", 1000_00), cards=BANKER_ON_SIX)
    cap = cited(rules, "insurance_cap")
    over = evening.refuse(evening.insuring("ann", 333_34), Code.INSURANCE_ABOVE_CAP, *cap)
    assert "333.33" in over.message
    evening.do(evening.insuring("ann", 200_00))  # at 3 to 1
    evening.refuse(evening.insuring("ann", 133_34), Code.INSURANCE_ABOVE_CAP, *cap)
    _draw(evening, "6c")
    evening.do(OpenInsurance(*DEALER))
    assert evening.happened(InsuranceOffered)[-1].odds == "7"
    evening.refuse(evening.insuring("ann", 57_15), Code.INSURANCE_ABOVE_CAP, *cap)
    evening.do(evening.insuring("ann", 57_14))
    assert "at most 0 more" in evening.refuse(evening.insuring("ann", 1), Code.INSURANCE_ABOVE_CAP, *cap).message


@pytest.mark.parametrize("rules", having("insurance_cap", among=PLUS))
def test_in_the_plus_games_each_offer_takes_the_original_bet(rules: Rulebook) -> None:
    evening = _offered(rules, ("ann", "banker", 1000_00), cards=BANKER_ON_SIX)
    cap = cited(rules, "insurance_cap")
    evening.refuse(evening.insuring("ann", 1000_01), Code.INSURANCE_ABOVE_CAP, *cap)
    evening.do(evening.insuring("ann", 1000_00))
    evening.refuse(evening.insuring("ann", 1), Code.INSURANCE_ABOVE_CAP, *cap)
    _draw(evening, "6c")
    evening.do(OpenInsurance(*DEALER))
    assert evening.happened(InsuranceOffered)[-1].odds == "10"
    evening.refuse(evening.insuring("ann", 1000_01), Code.INSURANCE_ABOVE_CAP, *cap)  # no maximum: no quarter
    evening.do(evening.insuring("ann", 1000_00))


@pytest.mark.parametrize("rules", having("insurance_cap", among=PLUS))
@pytest.mark.parametrize(
    ("maximum", "differential", "most"),
    [
        (None, 3000_00, 750_00),
        (2000_00, 3000_00, 500_00),
        (3000_00, 2000_00, 500_00),
        (2000_00, 2000_00, 500_00),
        (9000_00, 9000_00, 1000_00),
    ],
)
def test_at_ten_to_one_a_quarter_of_the_lower_of_maximum_and_differential(
    rules: Rulebook, maximum: int | None, differential: int, most: int
) -> None:
    bet = ("ann", "banker", 1000_00)
    evening = dealing(rules, bet, least=25_00, most=maximum, differential_minor=differential).deal(BANKER_ON_SIX)
    evening.do(OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 1_00))
    _draw(evening, "6c")
    evening.do(OpenInsurance(*DEALER))
    cap = cited(rules, "insurance_cap")
    evening.refuse(evening.insuring("ann", most + 1), Code.INSURANCE_ABOVE_CAP, *cap)
    evening.do(evening.insuring("ann", most - 1))
    evening.do(evening.insuring("ann", 1))
    evening.refuse(evening.insuring("ann", 1), Code.INSURANCE_ABOVE_CAP, *cap)


def test_the_cap_is_of_one_box_and_one_player() -> None:
    evening = betting(RULES)
    evening.do(commands.Sit("ann", Position.PLAYER, "ann", 4))
    for who, box in (("ann", 1), ("ann", 4), ("dan", 1)):
        evening.bet(who, "banker", 100_00, box)
    evening.close_betting().deal(BANKER_ON_FIVE)
    evening.do(OpenInsurance(*DEALER))
    for who, box in (("ann", 1), ("ann", 4), ("dan", 1)):
        evening.do(evening.insuring(who, 50_00, box))  # at 2 to 1
        cap = cited(RULES, "insurance_cap")
        evening.refuse(evening.insuring(who, 1, box), Code.INSURANCE_ABOVE_CAP, *cap)


# ---- the pay line it was taken on


@pytest.mark.parametrize("rules", having(where="insurance"))
@pytest.mark.parametrize(
    ("cards", "result"),
    [
        ("9s 2d Kh 3c", Result.WIN),  # Player wins a coup in which no insurance was on offer
        ("2s 9d Kh Kc", Result.LOSE),
        ("9s 9d Kh Kc", Result.PUSH),
        ("2s 2h 3d 4d 6c Kc", Result.LOSE),  # other offers, at other odds; Banker wins
        ("2s 2h 3d 4d 6c 4c", Result.WIN),  # the same, Player wins 1 to 0
    ],
)
def test_insurance_is_settled_on_the_line_it_was_taken_on_whatever_becomes_of_the_cards(
    rules: Rulebook, cards: str, result: Result
) -> None:
    evening = _offered(rules, ("ann", "banker", 100_00))
    evening.do(evening.insuring("ann", 10_00))
    evening.do(CloseInsurance(*DEALER))
    assert evening.table.round is not None
    faces = tuple(map(Card, cards.split()))
    now = replace(evening.table.round, cards=faces, shoes=("s1",) * len(faces), draws=tuple(range(len(faces))))
    evening.table = replace(evening.table, round=now)
    evening.settle()
    (cover,) = [one for one in evening.happened(RoundSettled)[0].results if one.stage is not None]
    wins = {"2": 20_00, "3/2": 15_00}[FIVE[rules.id]]
    returned = {Result.WIN: 10_00 + wins, Result.LOSE: 0, Result.PUSH: 10_00}[result]
    assert (cover.bet, cover.stage, cover.result, cover.returned_minor) == (
        "banker_insurance",
        Stage.FOUR,
        result,
        returned,
    )
    if result is Result.WIN:
        assert cover.odds == FIVE[rules.id]
