"""People at the table: chips, boxes, places behind them, leaving."""

import pytest

from punto import book
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.table.records.commands import BuyIn, CashOut, Leave, Sit, StandBehind, WithdrawBet
from punto.table.records.events import ChipsBought, ChipsCashed, PlayerLeft, PlayerSat, PlayerStood, RoundSettled
from punto.table.records.ledger import FELT, FLOAT, chips, transfer
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.marks import BOOKS, reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    FLOAT_MINOR,
    NATURAL,
    Evening,
    betting,
    opened,
    ready,
    settings,
)

RULES = book("commission-insurance")
PLAYER = Position.PLAYER


def _leave(evening: Evening, who: str) -> None:
    evening.do(Leave(who, PLAYER, who))


# ---- chips


def test_chips_are_bought_from_the_float_and_cashed_back() -> None:
    evening = opened(RULES)
    assert evening.do(BuyIn(*DEALER, "ann", 300_00)) == (
        ChipsBought("ann", postings=transfer(FLOAT, chips("ann"), 300_00)),
    )
    evening.do(BuyIn(*DEALER, "ann", 200_00))
    assert evening.chips == {"ann": 500_00}
    assert evening.table.balances[FLOAT] == FLOAT_MINOR - 500_00
    assert "500" in evening.refuse(CashOut(*DEALER, "ann", 500_01), TableCode.NOT_ENOUGH_CHIPS).message
    assert evening.do(CashOut(*DEALER, "ann", 120_00)) == (
        ChipsCashed("ann", postings=transfer(chips("ann"), FLOAT, 120_00)),
    )
    assert evening.chips == {"ann": 380_00}
    evening.do(CashOut(*DEALER, "ann", 380_00))
    assert evening.chips == {}
    assert evening.table.balances[FLOAT] == FLOAT_MINOR
    assert "ann" in evening.refuse(CashOut(*DEALER, "ann", 1), TableCode.UNKNOWN_PERSON).message


@pytest.mark.parametrize("name", ["", " ann", "ann ", "an\nn", "a" * 41])
def test_a_name_is_printable_and_not_too_long(name: str) -> None:
    assert "40" in opened(RULES).refuse(BuyIn(*DEALER, name, 1), TableCode.BAD_NAME).message


def test_forty_letters_and_any_script_are_a_name() -> None:
    evening = opened(RULES)
    for name in ("a" * 40, "陳大文", "O'Neill Jr."):
        evening.do(BuyIn(*DEALER, name, 1))
    assert set(evening.chips) == {"a" * 40, "陳大文", "O'Neill Jr."}


@pytest.mark.parametrize("amount", [0, -1])
def test_an_amount_is_above_zero(amount: int) -> None:
    evening = ready(RULES)
    for command in (BuyIn(*DEALER, "ann", amount), CashOut(*DEALER, "ann", amount)):
        evening.refuse(command, TableCode.AMOUNT_NOT_POSITIVE)
    assert "is 0." in evening.refuse(BuyIn(*DEALER, "ann", 0), TableCode.AMOUNT_NOT_POSITIVE).message


def test_a_buy_in_has_a_most() -> None:
    evening = opened(RULES)
    evening.refuse(BuyIn(*DEALER, "ann", 10**14 + 1), Code.AMOUNT_TOO_LARGE)
    evening.do(BuyIn(*DEALER, "ann", 10**14))


def test_chips_on_the_felt_cannot_be_cashed() -> None:
    evening = betting(RULES)
    evening.bet("ann", "player", 4_000_00)
    evening.refuse(CashOut(*DEALER, "ann", 6_000_01), TableCode.NOT_ENOUGH_CHIPS)
    evening.do(CashOut(*DEALER, "ann", 6_000_00))
    evening.play(NATURAL)
    assert evening.chips["ann"] == 8_000_00


def test_chips_belong_to_one_table() -> None:
    here, there = ready(RULES), opened(RULES)
    assert here.chips["ann"] == CHIPS_MINOR
    assert "Buy in" in there.refuse(Sit("ann", PLAYER, "ann", 1), TableCode.UNKNOWN_PERSON).message
    there.refuse(CashOut(*DEALER, "ann", 1), TableCode.UNKNOWN_PERSON)


def test_a_place_without_chips_is_not_told_to_buy_in() -> None:
    evening = opened(RULES)
    for who, words in (("box 4", "Nobody at 'box 4' has chips"), ("Box 4", "Write 'box 4'.")):
        assert words in evening.refuse(CashOut(*DEALER, who, 1), TableCode.UNKNOWN_PERSON).message


# ---- places


@pytest.mark.parametrize("rules", having("seated"))
def test_a_free_box_is_sat_at_and_a_taken_one_is_not(rules: Rulebook) -> None:
    evening = ready(rules)
    assert evening.do(Sit("dan", PLAYER, "dan", 4)) == (PlayerSat("dan", 4),)
    assert evening.table.seats == {1: "ann", 2: "ben", 3: "cat", 4: "dan"}
    taken = evening.refuse(Sit("eve", PLAYER, "eve", 4), TableCode.BOX_TAKEN, *cited(rules, "seated"))
    assert "'dan' sits at box 4" in taken.message
    assert "already" in evening.refuse(Sit("dan", PLAYER, "dan", 4), TableCode.ALREADY_THERE).message


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_boxes_are_those_of_the_table(rules: Rulebook) -> None:
    evening = ready(rules)
    most = settings(rules).boxes
    for box in (0, -1, most + 1):
        for command in (Sit("dan", PLAYER, "dan", box), StandBehind("dan", PLAYER, "dan", box)):
            detail = evening.refuse(command, Code.UNKNOWN_BOX, *cited(rules, "boxes")).message
            assert f"no box {box}" in detail
            assert f"1 to {most}" in detail
    evening.do(Sit("dan", PLAYER, "dan", most))


def test_one_person_may_sit_at_several_boxes_and_stand_behind_several() -> None:
    evening = ready(RULES)
    evening.do(Sit("ann", PLAYER, "ann", 5))
    assert evening.do(StandBehind("dan", PLAYER, "dan", 2)) == (PlayerStood("dan", 2),)
    assert evening.table.behind["dan"] == {1, 2}
    evening.open_betting()
    for box in (1, 5):
        evening.bet("ann", "player", 10_00, box)
    evening.bet("ben", "player", 10_00)
    for box in (1, 2):
        evening.bet("dan", "player", 10_00, box)
    evening.play(NATURAL)
    assert (evening.chips["ann"], evening.chips["dan"]) == (CHIPS_MINOR + 20_00, CHIPS_MINOR + 20_00)


@pytest.mark.parametrize("rules", having("standing"))
def test_nobody_stands_twice_behind_a_box_or_behind_their_own(rules: Rulebook) -> None:
    evening = ready(rules)
    clauses = cited(rules, "standing")
    evening.refuse(StandBehind("dan", PLAYER, "dan", 1), TableCode.ALREADY_THERE, *clauses)
    evening.refuse(StandBehind("ann", PLAYER, "ann", 1), TableCode.ALREADY_THERE, *clauses)


def test_a_player_who_sits_down_no_longer_stands_there() -> None:
    evening = ready(RULES)
    _leave(evening, "ann")
    evening.do(StandBehind("dan", PLAYER, "dan", 2))
    evening.do(Sit("dan", PLAYER, "dan", 1))
    assert (evening.table.seats[1], evening.table.behind["dan"]) == ("dan", frozenset({2}))
    evening.do(StandBehind("eve", PLAYER, "eve", 3))
    evening.do(Sit("eve", PLAYER, "eve", 4))
    assert evening.table.behind["eve"] == {1, 3}


# ---- leaving


def test_leaving_between_rounds_frees_the_box_at_once_and_keeps_the_chips() -> None:
    evening = ready(RULES)
    assert evening.do(Leave("ann", PLAYER, "ann")) == (PlayerLeft("ann", away=False),)
    _leave(evening, "dan")
    assert 1 not in evening.table.seats
    assert "dan" not in evening.table.behind
    assert evening.chips["ann"] == CHIPS_MINOR
    evening.do(Sit("eve", PLAYER, "eve", 1))
    evening.do(CashOut(*DEALER, "ann", CHIPS_MINOR))
    evening.refuse(Sit("ann", PLAYER, "ann", 4), TableCode.UNKNOWN_PERSON)


def test_a_person_who_leaves_without_chips_is_forgotten() -> None:
    evening = ready(RULES)
    evening.do(CashOut(*DEALER, "ann", CHIPS_MINOR))
    assert "ann" in evening.table.people  # ann still sits there
    _leave(evening, "ann")
    assert "ann" not in evening.table.people


def test_leaving_during_a_round_without_stakes_frees_the_box_at_once() -> None:
    evening = betting(RULES)
    evening.bet("ben", "player", 10_00)
    assert evening.do(Leave("ann", PLAYER, "ann")) == (PlayerLeft("ann", away=False),)
    assert 1 not in evening.table.seats


@pytest.mark.parametrize("rules", having("settled_for_who_left"))
@pytest.mark.parametrize("leaving", ["betting", "dealing"])
@reading("leaving_during_a_round")
def test_stakes_and_box_of_who_walks_away_stay_until_settlement(rules: Rulebook, leaving: str) -> None:
    evening = betting(rules)
    evening.bet("ann", "player", 100_00)
    evening.bet("dan", "player", 50_00)
    if leaving == "dealing":
        evening.close_betting()
    assert evening.do(Leave("ann", PLAYER, "ann")) == (PlayerLeft("ann", True, cited(rules, "walks_away")),)  # noqa: FBT003
    _leave(evening, "dan")
    assert evening.stakes == {("ann", 1, "player"): 100_00, ("dan", 1, "player"): 50_00}
    assert evening.table.seats[1] == "ann"
    evening.refuse(Sit("eve", PLAYER, "eve", 1), TableCode.BOX_TAKEN, *cited(rules, "seated"))
    away = cited(rules, "walks_away")
    for command in (
        Sit("ann", PLAYER, "ann", 4),
        StandBehind("ann", PLAYER, "ann", 2),
        Leave("ann", PLAYER, "ann"),
    ):
        assert "left this round" in evening.refuse(command, TableCode.AWAY, *away).message
    if leaving == "betting":
        evening.refuse(evening.placing("ann", "player", 1_00), TableCode.AWAY, *away)
        evening.close_betting()
    evening.deal(NATURAL).settle()
    results = {one.who: one.returned_minor for one in evening.happened(RoundSettled)[0].results}
    assert results == {"ann": 200_00, "dan": 100_00}
    # the box is free, and the winnings are kept for the player
    assert (1 in evening.table.seats, "dan" in evening.table.behind) == (False, False)
    assert (evening.chips["ann"], evening.chips["dan"]) == (CHIPS_MINOR + 100_00, CHIPS_MINOR + 50_00)
    assert FELT not in evening.table.balances
    evening.do(CashOut(*DEALER, "ann", CHIPS_MINOR + 100_00))
    evening.do(Sit("eve", PLAYER, "eve", 1))


@pytest.mark.parametrize("rules", having("settled_for_who_left"))
@reading("leaving_during_a_round")
def test_winnings_are_kept_even_for_a_player_who_staked_their_last_chip(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "player", CHIPS_MINOR)
    evening.bet("ben", "banker", CHIPS_MINOR)
    for who in ("ann", "ben"):
        _leave(evening, who)
    evening.play(NATURAL)
    assert evening.chips["ann"] == 2 * CHIPS_MINOR
    assert "ben" not in evening.chips  # a player with nothing left is forgotten
    evening.do(CashOut(*DEALER, "ann", 2 * CHIPS_MINOR))


@pytest.mark.parametrize("rules", having("settled_for_who_left"))
@reading("leaving_during_a_round")
def test_stakes_are_not_withdrawn_by_or_for_who_has_walked_away(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "player", 100_00)
    _leave(evening, "ann")
    away = cited(rules, "walks_away")
    evening.refuse(evening.withdrawing("ann", "player", 100_00), TableCode.AWAY, *away)
    evening.refuse(WithdrawBet(*DEALER, "ann", 1, "player", 100_00), TableCode.AWAY, *away)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
@reading("leaving_during_a_round")
def test_once_the_round_is_settled_who_left_may_sit_down_again(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "player", 100_00)
    _leave(evening, "ann")
    evening.play(NATURAL)
    evening.do(Sit("ann", PLAYER, "ann", 1))
    _leave(evening, "ann")


@reading("leaving_during_a_round")
def test_leaving_in_commission_is_the_same_without_a_clause() -> None:
    evening = betting(book("commission"))
    evening.bet("ann", "player", 100_00)
    assert evening.do(Leave("ann", PLAYER, "ann")) == (PlayerLeft("ann", True, ()),)  # noqa: FBT003
    evening.refuse(Sit("ann", PLAYER, "ann", 4), TableCode.AWAY)
    evening.play(NATURAL)
    assert evening.chips["ann"] == CHIPS_MINOR + 100_00


@pytest.mark.parametrize("rules", having("settled_for_who_left", where="forgone"))
@reading("leaving_during_a_round")
def test_a_player_who_walked_away_can_return_in_the_next_round(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal(BANKER_ON_FIVE)
    _leave(evening, "ann")
    evening.deal("8c").settle().open_betting()  # Player has 0, Banker stands on 5
    evening.do(Sit("ann", PLAYER, "ann", 1))
    evening.bet("ann", "player", 10_00)
