"""Placing, raising and withdrawing bets, the close, who may bet where, and who may bet for whom."""

from decimal import Decimal
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from punto import book
from punto.catalogue.sentence import say
from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide, legal
from punto.table.records import commands
from punto.table.records.commands import BuyIn, Leave, PlaceBet, Sit, StandBehind, WithdrawBet
from punto.table.records.corrections import CorrectBet, CorrectInsurance
from punto.table.records.events import BetPlaced, BettingClosed, BettingOpened, BetWithdrawn, RoundSettled, SettledBet
from punto.table.records.kinds import Late
from punto.table.records.ledger import FELT, chips, transfer
from punto.table.records.positions import Position
from punto.table.records.reports import ReportLateBet
from punto.table.records.settings import BetLimits
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from punto.table.vocabulary import AnyCommand
from tests.marks import BOOKS, books, reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    HOUSE,
    MANAGER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    ready,
)

RULES = book("commission-insurance")
PLAYER = Position.PLAYER


# ---- placing, raising, withdrawing


@pytest.mark.parametrize("rules", having("bets_open"))
def test_bets_are_placed_from_the_call_for_bets_on(rules: Rulebook) -> None:
    evening = ready(rules)
    placing = evening.placing("ann", "banker", 100_00)
    for early in (placing, evening.withdrawing("ann", "banker", 1), commands.CloseBetting(*DEALER)):
        evening.refuse(early, TableCode.BETTING_NOT_OPEN, *cited(rules, "bets_open"))
    assert evening.do(commands.OpenBetting(*DEALER)) == (BettingOpened(1, False, cited(rules, "bets_open")),)  # noqa: FBT003
    assert evening.do(placing) == (
        BetPlaced("ann", 1, "banker", 100_00, True, "ann", postings=transfer(chips("ann"), FELT, 100_00)),  # noqa: FBT003
    )
    assert "Settle" in evening.refuse(commands.OpenBetting(*DEALER), TableCode.ROUND_OPEN).message


@pytest.mark.parametrize("rules", having("round"))
def test_a_round_lasts_from_the_call_for_bets_until_all_are_settled(rules: Rulebook) -> None:
    evening = ready(rules)
    assert (evening.table.phase, evening.table.round) == (Phase.READY, None)
    evening.open_betting()
    evening.bet("ann", "player", 10_00)
    evening.close_betting().deal(NATURAL)
    assert evening.table.phase is Phase.DEALING
    evening.refuse(commands.OpenBetting(*DEALER), TableCode.ROUND_OPEN)
    evening.settle()
    assert evening.table.round is not None
    assert (evening.table.phase, evening.table.round.number, evening.table.round.settled) == (Phase.READY, 1, True)
    evening.open_betting()
    assert (evening.table.round.number, evening.stakes) == (2, {})


@pytest.mark.parametrize("rules", having("player"))
def test_players_of_a_round_are_those_who_bet_in_it(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "player", 10_00)
    evening.bet("dan", "tie", 10_00)
    evening.bet("cat", "banker", 10_00)
    evening.do(evening.withdrawing("cat", "banker", 10_00))
    evening.play(NATURAL)
    assert {one.who for one in evening.happened(RoundSettled)[0].results} == {"ann", "dan"}


def test_a_bet_is_raised_and_taken_back_in_part_or_whole() -> None:
    evening = betting(RULES)
    evening.bet("ann", "banker", 100_00)
    raised = evening.bet("ann", "banker", 50_00)[0]
    assert isinstance(raised, BetPlaced)
    assert raised.stake_minor == 150_00
    assert evening.do(evening.withdrawing("ann", "banker", 30_00)) == (
        BetWithdrawn("ann", 1, "banker", 120_00, "ann", (), postings=transfer(FELT, chips("ann"), 30_00)),
    )
    assert (evening.stakes, evening.chips["ann"]) == ({("ann", 1, "banker"): 120_00}, CHIPS_MINOR - 120_00)
    assert "120." in evening.refuse(evening.withdrawing("ann", "banker", 120_01), TableCode.NO_SUCH_BET).message
    for amount in (0, -5):
        evening.refuse(evening.withdrawing("ann", "banker", amount), TableCode.AMOUNT_NOT_POSITIVE)
        evening.refuse(evening.placing("ann", "banker", amount), TableCode.AMOUNT_NOT_POSITIVE)
    evening.do(evening.withdrawing("ann", "banker", 120_00))
    assert (evening.stakes, evening.chips["ann"]) == ({}, CHIPS_MINOR)
    evening.refuse(evening.withdrawing("ann", "banker", 1), TableCode.NO_SUCH_BET)


def test_nobody_bets_more_than_their_chips() -> None:
    evening = betting(RULES)
    evening.refuse(evening.placing("ann", "banker", CHIPS_MINOR + 1), TableCode.NOT_ENOUGH_CHIPS)
    evening.bet("ann", "banker", CHIPS_MINOR)
    assert "has 0 in" in evening.refuse(evening.placing("ann", "tie", 1), TableCode.NOT_ENOUGH_CHIPS).message


@pytest.mark.parametrize("rules", having("bets_offered"))
def test_only_bets_of_the_layout_are_accepted(rules: Rulebook) -> None:
    evening = betting(rules)
    for bet in next(iter(rules.layouts.values())).menu:
        evening.bet("ann", bet, 10_00)
    unknown = evening.refuse(
        evening.placing("ann", "red", 10_00), Code.BET_NOT_ON_LAYOUT, *cited(rules, "bets_offered")
    )
    assert "'red'" in unknown.message


def test_a_bet_of_another_layout_is_refused_with_the_layout() -> None:
    evening = betting(book("tiger-buffalo"))  # layout A: no Wu Dalang
    refusal = evening.refuse(evening.placing("ann", "wu_dalang", 10_00), Code.BET_NOT_ON_LAYOUT, "3.7", "4.1.7")
    assert "layout A" in refusal.message


# ---- the close


@pytest.mark.parametrize("rules", having("bets_closed", "late_withdrawal"))
def test_after_the_close_nothing_is_placed_raised_or_withdrawn(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 100_00)
    assert evening.do(commands.CloseBetting(*DEALER)) == (BettingClosed(cited(rules, "bets_closed"), ()),)
    for cards in ("", NATURAL):
        evening.deal(cards)
        for late in (evening.placing("ann", "banker", 1), evening.placing("ben", "tie", 10_00)):
            evening.refuse(late, TableCode.BETTING_NOT_OPEN, *cited(rules, "bets_closed"))
        for amount in (1, 100_00):
            pulled = evening.withdrawing("ann", "banker", amount)
            evening.refuse(pulled, TableCode.BETTING_NOT_OPEN, *cited(rules, "late_withdrawal"))
        evening.refuse(commands.CloseBetting(*DEALER), TableCode.BETTING_NOT_OPEN, *cited(rules, "bets_closed"))
    # a bet that somebody tried to pull is still lost
    evening.settle()
    assert evening.chips["ann"] == CHIPS_MINOR - 100_00


@pytest.mark.parametrize("rules", having("chips_position"))
def test_settled_is_what_lies_on_the_layout_at_the_close_even_if_placed_in_error(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "tie", 100_00)  # ann meant Player
    evening.do(PlaceBet(*DEALER, "ben", 2, "banker", 50_00))  # and the dealer misheard
    evening.close_betting()
    evening.refuse(evening.withdrawing("ann", "tie", 100_00), TableCode.BETTING_NOT_OPEN, *_late(rules))
    evening.deal(NATURAL).settle()
    results = {(one.who, one.bet): (one.stake_minor, one.returned_minor) for one in _results(evening)}
    assert results == {("ann", "tie"): (100_00, 0), ("ben", "banker"): (50_00, 0)}


def _results(evening: Evening) -> tuple[SettledBet, ...]:
    return evening.happened(RoundSettled)[0].results


def _late(rules: Rulebook) -> tuple[str, ...]:
    return cited(rules, "late_withdrawal")


# ---- minimum and maximum


@pytest.mark.parametrize("rules", having("limits", "below_minimum", "balance"))
@reading("minimum_a_bet_maximum_a_box")
def test_the_minimum_is_a_bets_and_the_maximum_a_boxs(rules: Rulebook) -> None:
    evening = betting(rules, least=50_00, most=300_00, side=BetLimits(5_00, 20_00))
    below, above = cited(rules, "below_minimum"), cited(rules, "limits")
    assert "is 50;" in evening.refuse(evening.placing("ann", "banker", 49_99), TableCode.BELOW_MINIMUM, *below).message
    evening.refuse(evening.placing("ann", "tie", 4_99), TableCode.BELOW_MINIMUM, *below)
    evening.refuse(evening.placing("ann", "banker", 300_01), TableCode.ABOVE_MAXIMUM, *above)
    evening.refuse(evening.placing("ann", "tie", 20_01), TableCode.ABOVE_MAXIMUM, *above)
    evening.bet("ann", "banker", 100_00)
    # others may use the rest of the box, and ann cannot prevent it
    evening.refuse(evening.placing("dan", "banker", 49_99), TableCode.BELOW_MINIMUM, *below)
    detail = evening.refuse(evening.placing("dan", "banker", 200_01), TableCode.ABOVE_MAXIMUM, *above).message
    assert "200 more" in detail
    evening.bet("dan", "banker", 120_00)
    evening.refuse(evening.placing("eve", "banker", 80_01), TableCode.ABOVE_MAXIMUM, *above)
    evening.bet("eve", "banker", 80_00)
    full = evening.refuse(evening.placing("ann", "banker", 1), TableCode.ABOVE_MAXIMUM, *above)
    assert full.message == "Box 1 is full on Banker: it holds at most 300."
    # every bet of the box has its own maximum, and so has every box
    evening.bet("ann", "player", 300_00)
    evening.bet("ben", "banker", 300_00)
    evening.bet("ann", "tie", 20_00)


def test_once_at_the_minimum_a_bet_is_raised_by_any_amount() -> None:
    evening = betting(RULES, least=50_00)
    evening.bet("ann", "banker", 50_00)
    evening.bet("ann", "banker", 1)
    assert evening.stakes == {("ann", 1, "banker"): 50_01}


@pytest.mark.parametrize("rules", having("below_minimum"))
def test_the_rest_of_a_bet_is_zero_or_at_least_the_minimum(rules: Rulebook) -> None:
    evening = betting(rules, least=50_00)
    evening.bet("ann", "banker", 100_00)
    part = evening.withdrawing("ann", "banker", 50_01)
    assert "at least 50," in evening.refuse(part, TableCode.BELOW_MINIMUM, *cited(rules, "below_minimum")).message
    evening.do(evening.withdrawing("ann", "banker", 50_00))
    evening.do(evening.withdrawing("ann", "banker", 50_00))
    assert evening.stakes == {}


def test_limits_in_commission_are_the_houses_and_cite_nothing() -> None:
    evening = betting(book("commission"), least=50_00, most=100_00)
    evening.refuse(evening.placing("ann", "banker", 49_99), TableCode.BELOW_MINIMUM)
    evening.refuse(evening.placing("ann", "banker", 100_01), TableCode.ABOVE_MAXIMUM)
    evening.bet("ann", "banker", 100_00)
    evening.refuse(evening.placing("dan", "banker", 50_00), TableCode.ABOVE_MAXIMUM)


# ---- seated and standing


@pytest.mark.parametrize("rules", having("standing", "seated"))
@reading("standing_needs_a_seated_bet")
def test_a_standing_player_needs_a_seated_bet_and_keeps_their_own_when_it_goes(rules: Rulebook) -> None:
    evening = betting(rules)
    clauses = cited(rules, "standing")
    evening.bet("ben", "banker", 10_00)  # at another box
    early = evening.refuse(evening.placing("dan", "banker", 10_00), TableCode.NO_SEATED_BET, *clauses)
    assert "box 1" in early.message
    evening.bet("ann", "tie", 10_00)  # any bet makes ann a seated player
    placed = evening.bet("dan", "banker", 10_00)[0]
    assert isinstance(placed, BetPlaced)
    assert not placed.seated
    evening.do(evening.withdrawing("ann", "tie", 10_00))
    assert ("dan", 1, "banker") in evening.stakes
    evening.refuse(evening.placing("eve", "banker", 10_00), TableCode.NO_SEATED_BET, *clauses)
    evening.play(NATURAL)
    assert evening.chips["dan"] == CHIPS_MINOR - 10_00


@pytest.mark.parametrize("rules", having("standing"))
def test_nobody_bets_at_a_box_where_they_are_not(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 10_00)
    away = evening.placing("ben", "banker", 10_00, 1)
    assert "box 1" in evening.refuse(away, TableCode.NOT_AT_BOX, *cited(rules, "standing")).message
    evening.do(StandBehind("ben", PLAYER, "ben", 1))
    evening.do(away)


def test_a_stranger_and_a_box_that_is_not_there() -> None:
    evening = betting(RULES)
    evening.refuse(evening.placing("zoe", "banker", 10_00), TableCode.UNKNOWN_PERSON)
    evening.refuse(evening.placing("ann", "banker", 10_00, 13), Code.UNKNOWN_BOX, *cited(RULES, "boxes"))


@pytest.mark.parametrize("box", [1, 2, 3, 9])
def test_in_commission_anyone_bets_in_any_box(box: int) -> None:
    evening = betting(book("commission"))
    evening.do(BuyIn(*DEALER, "zoe", 100_00))  # has neither sat down nor stood behind a box
    for who in ("zoe", "ann", "dan"):
        evening.bet(who, "banker", 10_00, box)
    assert {who for who, at, _ in evening.stakes if at == box} == {"zoe", "ann", "dan"}
    evening.play(NATURAL)
    assert evening.chips["zoe"] == 90_00


def test_in_commission_all_boxes_are_listed_and_elsewhere_a_players_own() -> None:
    for rules in BOOKS:
        evening = betting(rules)
        moves = legal(rules, evening.table, "ann", PLAYER)
        boxes = {move.command.box for move in moves if isinstance(move.command, PlaceBet)}
        assert evening.table.settings is not None
        everywhere = set(range(1, evening.table.settings.boxes + 1))
        assert boxes == (everywhere if rules.id == "commission" else {1})


# ---- for a player, at their request


@pytest.mark.parametrize("rules", having("staff_bets", "pit_employee"))
@pytest.mark.parametrize("staff", [DEALER, SUPERVISOR, MANAGER], ids=["dealer", "supervisor", "manager"])
def test_pit_employees_bet_for_a_player_and_both_names_are_kept(rules: Rulebook, staff: tuple[str, Position]) -> None:
    evening = betting(rules)
    placed = evening.do(PlaceBet(*staff, "ann", 1, "banker", 100_00))[0]
    assert isinstance(placed, BetPlaced)
    assert (placed.who, placed.placed_by) == ("ann", staff[0])
    assert placed.clauses == cited(rules, "staff_bets")
    assert evening.table.round is not None
    assert evening.table.round.bets["ann", 1, "banker"].placed_by == staff[0]
    assert evening.chips["ann"] == CHIPS_MINOR - 100_00
    back = transfer(FELT, chips("ann"), 40_00)
    assert evening.do(WithdrawBet(*staff, "ann", 1, "banker", 40_00)) == (
        BetWithdrawn("ann", 1, "banker", 60_00, staff[0], cited(rules, "staff_bets"), postings=back),
    )
    (own,) = evening.bet("ann", "banker", 10_00)
    assert isinstance(own, BetPlaced)
    assert (own.placed_by, own.clauses) == ("ann", ())
    assert evening.table.round.bets["ann", 1, "banker"].placed_by == "ann"
    assert evening.stakes == {("ann", 1, "banker"): 70_00}


@pytest.mark.parametrize("rules", having("staff_bets", "pit_employee"))
def test_a_shift_manager_and_the_machine_bet_for_nobody(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 100_00)
    for staff in (SHIFT, HOUSE):
        for command in (
            PlaceBet(*staff, "ann", 1, "banker", 100_00),
            WithdrawBet(*staff, "ann", 1, "banker", 100_00),
        ):
            detail = evening.refuse(command, TableCode.NOT_AUTHORISED, *cited(rules, "staff_bets")).message
            assert "not allowed as " + say(f"position.{staff[1]}") in detail


def test_in_commission_nobody_bets_for_another() -> None:
    evening = betting(book("commission"))
    evening.bet("ann", "banker", 100_00)
    for staff in (DEALER, SUPERVISOR, MANAGER):
        evening.refuse(PlaceBet(*staff, "ann", 1, "banker", 100_00), TableCode.NOT_IN_BOOK)
        evening.refuse(WithdrawBet(*staff, "ann", 1, "banker", 100_00), TableCode.NOT_IN_BOOK)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_players_act_for_themselves_alone(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 100_00)
    others = (
        PlaceBet("ben", PLAYER, "ann", 1, "banker", 100_00),
        WithdrawBet("ben", PLAYER, "ann", 1, "banker", 100_00),
        Leave("ben", PLAYER, "ann"),
    )
    for command, clauses in zip(others, (cited(rules, "bets_offered"),) * 2 + ((),), strict=True):
        assert "'ben' cannot act for 'ann'" in evening.refuse(command, TableCode.NOT_YOUR_OWN, *clauses).message


@pytest.mark.parametrize("rules", having("dealer"))
def test_the_dealer_runs_the_round(rules: Rulebook) -> None:
    evening = dealing(rules).deal(NATURAL)
    for command, clauses in (
        (commands.CloseBetting("ann", PLAYER), cited(rules, "bets_closed")),
        (commands.DealCard("ann", PLAYER), cited(rules, "first_four")),
        (commands.Settle("ann", PLAYER), ()),
    ):
        assert "dealer" in evening.refuse(command, TableCode.NOT_AUTHORISED, *clauses).message
    evening.settle()
    assert evening.happened(RoundSettled)


# ---- amounts


def _money(amount: Any) -> tuple[tuple[Evening, commands.Command], ...]:
    """Every command with an amount, at a table where a valid amount would be accepted."""
    bets = betting(RULES)
    bets.bet("ann", "banker", 100_00)
    insured = dealing(RULES).deal(BANKER_ON_FIVE)
    insured.do(commands.OpenInsurance(*DEALER))
    return (
        (bets, commands.BuyIn(*DEALER, "ann", amount)),
        (bets, commands.CashOut(*DEALER, "ann", amount)),
        (bets, bets.placing("ann", "banker", amount)),
        (bets, bets.withdrawing("ann", "banker", amount)),
        (insured, insured.insuring("ann", amount)),
        (insured, commands.CallInsurance(*DEALER, "ann", 1, amount)),
        (insured, ReportLateBet(*DEALER, "ann", 1, "banker", Late.INCREASED, amount)),
    )


def test_these_are_all_the_commands_with_an_amount() -> None:
    fields = {"amount_minor", "stake_minor"}
    kinds = {kind for kind in get_args(AnyCommand) if fields & set(kind.__struct_fields__)}
    totals = {CorrectBet, CorrectInsurance}  # 0 is a total too
    assert {type(command) for _, command in _money(1)} == kinds - totals


@pytest.mark.parametrize(
    ("amount", "code"),
    [
        (1.0, Code.NOT_AN_AMOUNT),
        (0.5, Code.NOT_AN_AMOUNT),
        (float("nan"), Code.NOT_AN_AMOUNT),
        (float("inf"), Code.NOT_AN_AMOUNT),
        (True, Code.NOT_AN_AMOUNT),
        (False, Code.NOT_AN_AMOUNT),
        ("1", Code.NOT_AN_AMOUNT),
        (None, Code.NOT_AN_AMOUNT),
        (Decimal(1), Code.NOT_AN_AMOUNT),
        (0, TableCode.AMOUNT_NOT_POSITIVE),
        (-1, TableCode.AMOUNT_NOT_POSITIVE),
        (-(10**14) - 1, TableCode.AMOUNT_NOT_POSITIVE),
        (1, None),
    ],
    ids=repr,
)
def test_an_amount_is_a_whole_number_above_zero(amount: object, code: TableCode | None) -> None:
    for evening, command in _money(amount):
        if amount is None and isinstance(command, commands.CallInsurance):
            continue  # the largest stake allowed
        if code is None:
            evening.do(command)
        else:
            evening.refuse(command, code)


@pytest.mark.parametrize(("amount", "buy_in"), [(10**14, None), (10**14 + 1, Code.AMOUNT_TOO_LARGE)])
def test_the_largest_buy_in_and_more_than_the_player_has(amount: int, buy_in: TableCode | None) -> None:
    codes = (
        buy_in,
        TableCode.NOT_ENOUGH_CHIPS,
        TableCode.NOT_ENOUGH_CHIPS,
        TableCode.NO_SUCH_BET,
        Code.INSURANCE_ABOVE_CAP,
        Code.INSURANCE_ABOVE_CAP,
        buy_in,  # a refused late bet is not larger than anyone's chips
    )
    for (evening, command), code in zip(_money(amount), codes, strict=True):
        decision = decide(RULES, evening.table, command)
        assert (decision.code if isinstance(decision, Refusal) else None) is code, command


# ---- age and seat of a bet


def test_a_raised_bet_keeps_its_age_except_for_what_was_added() -> None:
    evening = betting(RULES)
    for who in ("ann", "dan", "eve"):
        evening.bet(who, "banker", 10_00)
    evening.bet("ann", "banker", 10_00)
    evening.do(evening.withdrawing("dan", "banker", 5_00))
    evening.do(PlaceBet(*DEALER, "dan", 1, "banker", 15_00))
    assert _ages(evening) == {"ann": [(1, 10_00), (4, 10_00)], "dan": [(2, 5_00), (5, 15_00)], "eve": [(3, 10_00)]}
    evening.do(evening.withdrawing("ann", "banker", 12_00))  # the newest chips come off first
    evening.do(evening.withdrawing("dan", "banker", 5_00))
    assert _ages(evening) == {"ann": [(1, 8_00)], "dan": [(2, 5_00), (5, 10_00)], "eve": [(3, 10_00)]}
    evening.do(evening.withdrawing("dan", "banker", 15_00))
    evening.bet("dan", "banker", 10_00)
    assert _ages(evening) == {"ann": [(1, 8_00)], "eve": [(3, 10_00)], "dan": [(6, 10_00)]}


def _ages(evening: Evening) -> dict[str, list[tuple[int, int]]]:
    assert evening.table.round is not None
    bets = evening.table.round.bets.values()
    return {placed.who: [(each.order, each.amount_minor) for each in placed.layers] for placed in bets}


@pytest.mark.parametrize("rules", having("standing", "seated"))
@reading("standing_needs_a_seated_bet")
def test_sitting_down_at_a_box_makes_a_players_bets_there_seated(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.do(StandBehind("dan", PLAYER, "dan", 2))
    for who, box in (("ann", 1), ("ben", 2), ("dan", 1), ("eve", 1), ("dan", 2)):
        evening.bet(who, "banker", 10_00, box)
    evening.do(evening.withdrawing("ann", "banker", 10_00))
    evening.do(Leave("ann", PLAYER, "ann"))
    evening.refuse(evening.placing("eve", "tie", 1_00), TableCode.NO_SEATED_BET, *cited(rules, "standing"))
    assert _seated(evening) == {("ben", 2)}
    evening.do(commands.Sit("dan", PLAYER, "dan", 1))
    assert _seated(evening) == {("ben", 2), ("dan", 1)}  # not eve's bet there, nor dan's own bet elsewhere
    evening.bet("eve", "tie", 1_00)
    evening.do(commands.Sit("cat", PLAYER, "cat", 4))  # a player without a bet there changes none
    assert _seated(evening) == {("ben", 2), ("dan", 1)}


def _seated(evening: Evening) -> set[tuple[str, int]]:
    assert evening.table.round is not None
    return {(placed.who, placed.box) for placed in evening.table.round.bets.values() if placed.seated}


def test_a_round_that_is_over_is_not_touched_by_who_sits_down() -> None:
    evening = betting(RULES)
    evening.bet("ann", "player", 10_00)
    evening.bet("dan", "player", 10_00)
    evening.play(NATURAL)
    evening.do(Leave("ann", PLAYER, "ann"))
    evening.do(commands.Sit("dan", PLAYER, "dan", 1))
    assert _seated(evening) == {("ann", 1)}


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_bets_are_not_called_for_on_an_empty_shoe(rules: Rulebook) -> None:
    evening = ready(rules)
    assert evening.table.shoe is not None
    cards = rules.decks.most * 52
    for left, refused in ((1, False), (0, True)):
        shoe = replace(evening.table.shoe, drawn=cards - left, cut_card_out=True)
        evening.table = replace(evening.table, shoe=shoe)
        calling = commands.OpenBetting(*DEALER)
        if refused:
            evening.refuse(calling, TableCode.SHOE_EMPTY, *cited(rules, "shoe_run_out"))
        else:
            assert not isinstance(decide(rules, evening.table, calling), Refusal)


@pytest.mark.parametrize("rules", books())
@pytest.mark.parametrize("who", ["P000001", "box 5"])
def test_the_dealer_records_the_bets_of_customers_in_every_book(rules: Rulebook, who: str) -> None:
    """They have no screen of their own."""
    evening = betting(rules)
    evening.do(BuyIn(*DEALER, who, 500_00))
    evening.do(Sit(*DEALER, who, 5))
    (placed,) = evening.do(PlaceBet(*DEALER, who, 5, "banker", 100_00))
    assert isinstance(placed, BetPlaced)
    assert (placed.who, placed.placed_by, placed.stake_minor) == (who, DEALER[0], 100_00)
    evening.do(WithdrawBet(*DEALER, who, 5, "banker", 100_00))
