"""What is foreseen of a command: who chooses, in which orders cards can have come, what everybody ends with."""

from itertools import permutations

import pytest

from punto import book
from punto.rules.coup.cards import Face, read_cards
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.table import decide
from punto.table.consequences import MAX_LISTED, Balance, Chooser, Consequences, MovedMoney, consequences
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.findings import Hands
from punto.table.records.kinds import Choice, Effect
from punto.table.records.positions import STAFF, Position, at_least
from punto.table.refusals import TableCode
from punto.table.situation import Then
from tests.model.slow_orders import lawful
from tests.table.open_rounds import BETS, Reach, bets_placed, dealt, insurance_taken, irregularity_raised, options_open
from tests.table.open_rounds import order_lost as two_at_once
from tests.table.tables import CHIPS_MINOR, DEALER, MANAGER, NATURAL, SHIFT, SUPERVISOR, Evening, dealing

RULES = book("commission-insurance")
ANN, BEN, CAT = (CHIPS_MINOR - stake_minor for _, _, stake_minor in BETS)
"""What each has beside the bets."""


def foreseen(evening: Evening, command: Command) -> Consequences:
    found = consequences(evening.rules, evening.table, command)
    assert isinstance(found, Consequences), found
    return found


# ---- orders of cards in doubt


@pytest.mark.parametrize("cards", ["2d 9s 3c Kh", "As 2s Ad 3d 4c 2h", "2h 2c 3d Kh 4s 6d", "9s 2d Kh 3c"])
@pytest.mark.parametrize("doubted", [2, 3, 4])
def test_every_possible_order_is_listed_with_what_everybody_ends_with(cards: str, doubted: int) -> None:
    """Compared with a round whose cards come in that order from the start."""
    faces, places = cards.split(), tuple(range(1, doubted + 1))
    evening = dealing(RULES, *BETS).deal(cards)
    report = reports.ReportDealingError(*SUPERVISOR, "swept together", reconstructable=False, in_doubt=places)
    after = foreseen(evening, report)
    expected = {}
    for order in permutations(places):
        drawn = [faces[place - 1] for place in order] + faces[doubted:]
        if lawful(RULES, [Face(face) for face in drawn]):
            expected[order] = dealing(RULES, *BETS).deal(" ".join(drawn))
    if not after.orders:
        ends = {tuple(settled_if_finished(each).items()) for each in expected.values()}
        assert len(ends) == 1, "the same in any order"
        return
    assert {each.order for each in after.orders} == set(expected)
    assert after.more_orders == 0
    for each in after.orders:
        assert each.cards == tuple(Face(faces[place - 1]) for place in each.order)
        if each.finished is None:
            assert settled_if_finished(expected[each.order]) == {}
        else:
            endings = {ending.who: ending.balance_minor for ending in each.finished.endings}
            assert endings == settled_if_finished(expected[each.order])


def settled_if_finished(evening: Evening) -> dict[str, int]:
    """What each bettor ends with; empty if the coup needs more cards."""
    if isinstance(decide(RULES, evening.table, commands.Settle(*MANAGER)), Refusal):
        return {}
    evening.settle()
    return {who: evening.table.chips_minor(who) for who, _, _ in BETS}


def test_only_some_of_many_orders_are_worked_out() -> None:
    evening = dealing(RULES, *BETS, observing=True).deal("2d 9s 3c 4h 5s")
    report = reports.ReportDealingError(*SUPERVISOR, "swept together", reconstructable=False)
    after = foreseen(evening, report)
    assert len(after.orders) == MAX_LISTED
    assert after.more_orders > 0
    assert after.then is Then.CHOOSE
    assert after.should_be is None


def test_a_ruled_order_says_what_the_hands_should_be() -> None:
    evening = two_at_once(RULES)
    after = foreseen(evening, reports.RuleCardOrder(*SUPERVISOR, (2, 1)))
    assert after.should_be == Hands(read_cards("6h"), read_cards("5h"))
    assert [each.who for each in after.choosing] == ["ann", "ben", "cat"]
    assert after.then is Then.CHOOSE


# ---- choices and money


def test_what_each_would_take_back_includes_insurance() -> None:
    evening = insurance_taken(RULES)
    after = foreseen(evening, reports.ReportDealingError(*SUPERVISOR, "it fell"))
    assert after.choosing == (Chooser("ann", 110_00), Chooser("ben", 50_00), Chooser("cat", 5_00))
    assert not after.money
    assert not after.balances
    assert set(after.positions) == at_least(Position.PIT_SUPERVISOR)
    assert after.then_positions == (Position.PLAYER, *STAFF[:3])


def test_players_who_have_left_play_on() -> None:
    evening = dealt(2)(RULES)
    evening.do(commands.Leave("ben", Position.PLAYER, "ben"))
    after = foreseen(evening, reports.ReportDealingError(*SUPERVISOR, "it fell"))
    assert after.away == ("ben",)
    assert [each.who for each in after.choosing] == ["ann", "cat"]


def test_a_choice_moves_the_bets_of_one_player() -> None:
    evening = options_open(RULES)
    after = foreseen(evening, reports.ChooseOption(*DEALER, "ann", Choice.RETURN))
    assert after.money == (MovedMoney("ann", 1, "banker", 100_00),)
    assert after.balances == (Balance("ann", ANN, CHIPS_MINOR),)
    assert [each.who for each in after.choosing] == ["ben", "cat"]
    assert after.then is Then.CHOOSE


def test_a_void_round_returns_bets_and_insurance() -> None:
    evening = insurance_taken(RULES)
    after = foreseen(evening, reports.ReportForeignCard(*SUPERVISOR))
    assert after.void
    assert after.established is None
    assert MovedMoney("ann", 1, "banker_insurance", 10_00) in after.money
    assert sum(each.amount_minor for each in after.money) == 165_00
    assert {each.after_minor for each in after.balances} == {CHIPS_MINOR}
    assert after.then is Then.LOAD_SHOE


def test_a_void_after_the_settlement_takes_winnings_back() -> None:
    evening = dealing(RULES, *BETS).deal(NATURAL).settle()
    after = foreseen(evening, reports.ReportWrongNumber(*SUPERVISOR, reason="a seventh card in the rack"))
    money = {(each.who, each.bet): each.amount_minor for each in after.money}
    assert money == {("ann", "banker"): 100_00, ("ben", "player"): -50_00, ("cat", "tie"): 5_00}
    assert Balance("ben", BEN + 100_00, CHIPS_MINOR) in after.balances


def test_a_ruling_names_the_bets_it_returns_and_the_amounts_it_pays() -> None:
    evening = dealing(RULES, *BETS).deal(NATURAL).settle()
    bets = (reports.RuledBet("ann", 1, "banker"),)
    after = foreseen(evening, reports.Rule(*SHIFT, "a bird", Effect.RETURN, bets))
    assert after.money == (MovedMoney("ann", 1, "banker", 100_00),)
    after = foreseen(evening, reports.Rule(*SHIFT, "a bird", Effect.ADJUST, amounts={"ben": -7}))
    assert after.money == (MovedMoney("ben", 0, "", -7),)
    assert after.balances == (Balance("ben", BEN + 100_00, BEN + 99_93),)


# ---- what is certain, and how it ends


def test_an_established_outcome_leaves_nobody_a_choice() -> None:
    evening = irregularity_raised(RULES)
    after = foreseen(evening, reports.ReportExcessCard(*SUPERVISOR, read_cards("5h")))
    assert after.established is True
    assert {"player", "banker", "tie"} <= set(after.established_by)
    assert after.choosing == ()
    assert after.then is Then.SETTLE
    assert after.finished is not None
    assert {each.who: each.balance_minor for each in after.finished.endings} == {
        "ann": ANN,
        "ben": CHIPS_MINOR + 50_00,
        "cat": CAT,
    }


@pytest.mark.parametrize(
    ("reach", "command", "established", "then"),
    [
        (dealt(1), reports.ReportExcessCard(*SUPERVISOR, read_cards("5h")), False, Then.CHOOSE),
        (bets_placed, reports.ReportInterruption(*SUPERVISOR), False, Then.BET),
        (bets_placed, reports.ReportExcessCard(*SUPERVISOR, read_cards("5h")), None, Then.BET),
        (dealt(6), reports.ReportInterruption(*SUPERVISOR), True, Then.SETTLE),
        (dealt(2), reports.ReportNotShuffled(*SUPERVISOR), None, Then.LOAD_SHOE),
        (dealt(4), reports.ReportWrongNumber(*SUPERVISOR, reason="swept"), None, Then.BET),
        (dealt(2), reports.ReportSimultaneousCards(*DEALER, read_cards("5h 6h")), False, Then.RULE_ORDER),
        (irregularity_raised, reports.DismissIrregularity(*SUPERVISOR, "misread"), None, Then.SETTLE),
    ],
)
def test_whether_something_is_certain_and_what_comes_next(
    reach: Reach, command: Command, *, established: bool | None, then: Then
) -> None:
    found = foreseen(reach(RULES), command)
    assert (found.established, found.then) == (established, then)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (reports.CallTime(*SUPERVISOR), TableCode.NO_OPTIONS),
        (commands.DealCard(*DEALER, Face("5h")), TableCode.NO_PREVIEW),
        (reports.ReportFaceUpCard(*DEALER, 1, Face("5h")), TableCode.NOT_FACE_DOWN),
    ],
)
def test_a_refusal_is_the_answer_to_what_cannot_be_given(command: Command, code: TableCode) -> None:
    found = consequences(RULES, dealt(2)(RULES).table, command)
    assert isinstance(found, Refusal)
    assert found.code is code


def test_hands_as_dealt_and_as_they_should_be() -> None:
    evening = dealing(RULES, *BETS).deal(NATURAL)
    crossed = tuple(Side.BANKER if place % 2 == 0 else Side.PLAYER for place in range(4))
    after = foreseen(evening, reports.ReportWrongSide(*SUPERVISOR, crossed))
    assert after.as_dealt == Hands(read_cards("2d 3c"), read_cards("9s Kh"))
    assert after.should_be == Hands(read_cards("9s Kh"), read_cards("2d 3c"))


def test_a_book_without_a_rule_refuses_with_the_reason() -> None:
    rules = book("commission")
    found = consequences(rules, dealt(2)(rules).table, reports.ReportDealingError(*SUPERVISOR, "it fell"))
    assert isinstance(found, Refusal)
    assert found.code is TableCode.NOT_IN_BOOK
