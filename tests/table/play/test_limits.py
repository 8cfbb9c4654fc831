"""The limits of a box: an enforcing table refuses and rejects, an observing one flags and reduces."""

from functools import partial

import pytest
from msgspec.structs import replace

from punto import book
from punto.catalogue.values import Money
from punto.rules.rulebook import Rulebook
from punto.table.play.limits import differential_minor, exceeded_limits
from punto.table.records.commands import AdviseMinimum, RejectExcess
from punto.table.records.corrections import CorrectBet, ReopenBetting
from punto.table.records.events import (
    BetPlaced,
    BetRejected,
    BettingClosed,
    BetWithdrawn,
    Limit,
    LimitFlagged,
    MinimumAdvised,
    PlayedBet,
    ProRata,
    RoundSettled,
)
from punto.table.records.ledger import FELT, chips, transfer
from punto.table.records.settings import BetLimits
from punto.table.refusals import TableCode
from tests.marks import reading
from tests.table.numbers import cited, having
from tests.table.tables import CHIPS_MINOR, DEALER, NATURAL, SUPERVISOR, Evening, betting

RULES = book("commission-insurance")


def _enforcing(rules: Rulebook, least: int = 50_00, differential: int = 200_00) -> Evening:
    return betting(rules, least=least, most=5_000_00, differential_minor=differential)


def _observing(rules: Rulebook, least: int = 50_00, differential: int = 200_00) -> Evening:
    return betting(rules, least=least, most=5_000_00, differential_minor=differential, observing=True)


def _back(rules: Rulebook, who: str, bet: str, left: int, back: int) -> BetRejected:
    postings = transfer(FELT, chips(who), back)
    return BetRejected(who, 1, bet, left, cited(rules, "differential"), postings=postings)


# ---- enforcing


@pytest.mark.parametrize("rules", having("differential"))
@reading("excess_rejected_standing_first")
def test_a_bet_beyond_the_differential_of_its_box_is_refused(rules: Rulebook) -> None:
    evening = _enforcing(rules)
    clauses = cited(rules, "differential")
    refusal = evening.refuse(evening.placing("ann", "banker", 200_01), TableCode.DIFFERENTIAL_EXCEEDED, *clauses)
    assert "200 more" in refusal.message
    evening.bet("ann", "banker", 150_00)
    evening.refuse(evening.placing("dan", "banker", 50_01), TableCode.DIFFERENTIAL_EXCEEDED, *clauses)
    evening.bet("dan", "banker", 50_00)
    evening.refuse(evening.placing("eve", "banker", 50_00), TableCode.DIFFERENTIAL_EXCEEDED, *clauses)
    # a bet on the other side makes room, up to the limit beyond it
    evening.bet("eve", "player", 100_00)
    evening.bet("dan", "banker", 100_00)
    evening.refuse(evening.placing("eve", "player", 400_01), TableCode.DIFFERENTIAL_EXCEEDED, *clauses)
    evening.bet("eve", "player", 400_00)
    # and every box has its own
    evening.bet("ben", "banker", 200_00)


def test_side_bets_have_no_differential() -> None:
    evening = _enforcing(RULES)
    assert len(evening.bet("ann", "tie", 5_000_00)) == 1


@pytest.mark.parametrize("rules", having("differential"))
@reading("excess_rejected_standing_first")
def test_the_newest_bets_of_standing_players_give_way_to_the_seated_one(rules: Rulebook) -> None:
    evening = _enforcing(rules, least=10_00)
    evening.bet("ann", "banker", 20_00)
    evening.bet("dan", "banker", 100_00)
    evening.bet("eve", "banker", 80_00)
    placed, *rejected = evening.bet("ann", "banker", 30_00)
    assert isinstance(placed, BetPlaced)
    assert rejected == [_back(rules, "eve", "banker", 50_00, 30_00)]
    evening.bet("eve", "player", 10_00)
    evening.bet("dan", "banker", 10_00)  # what was added is the newest, the rest keeps its age
    _, *rejected = evening.bet("ann", "banker", 40_00)
    assert rejected == [_back(rules, "dan", "banker", 100_00, 10_00), _back(rules, "eve", "banker", 20_00, 30_00)]
    _, *rejected = evening.bet("ann", "banker", 80_00)
    assert rejected == [_back(rules, "eve", "banker", 0, 20_00), _back(rules, "dan", "banker", 40_00, 60_00)]
    assert evening.stakes == {
        ("ann", 1, "banker"): 170_00,
        ("dan", 1, "banker"): 40_00,
        ("eve", 1, "player"): 10_00,
    }
    assert evening.chips["eve"] == CHIPS_MINOR - 10_00
    # never more than the limit, although everybody behind ann gave way
    clauses = cited(rules, "differential")
    evening.refuse(evening.placing("ann", "banker", 40_01), TableCode.DIFFERENTIAL_EXCEEDED, *clauses)
    evening.bet("ann", "banker", 40_00)
    assert ("dan", 1, "banker") not in evening.stakes
    assert evening.chips["dan"] == CHIPS_MINOR


@pytest.mark.parametrize("rules", having("differential"))
@pytest.mark.parametrize("observing", [False, True])
@reading("excess_rejected_standing_first")
def test_the_newest_chips_go_back_first_whoever_was_first_there(rules: Rulebook, observing: bool) -> None:  # noqa: FBT001 - a case
    evening = (_observing if observing else _enforcing)(rules, least=10_00)
    evening.bet("ann", "banker", 20_00)
    evening.bet("dan", "banker", 30_00)
    evening.bet("eve", "banker", 40_00)
    evening.bet("dan", "banker", 50_00)
    evening.bet("eve", "banker", 60_00)
    evening.do(evening.withdrawing("eve", "banker", 70_00))  # the newest chips: 60.00, and 10.00 of the 40.00
    _, *rejected = evening.bet("ann", "banker", 130_00)  # 260.00 in all, 60.00 too much
    if observing:
        rejected = list(evening.do(RejectExcess(*DEALER, 1)))
    assert rejected == [_back(rules, "dan", "banker", 30_00, 50_00), _back(rules, "eve", "banker", 20_00, 10_00)]


@pytest.mark.parametrize("rules", having("limits"))
def test_the_newest_chips_above_a_maximum_go_back_first(rules: Rulebook) -> None:
    evening = betting(rules, least=5_00, most=150_00, side=BetLimits(5_00, 30_00), observing=True)
    for who, stake in (("ann", 10_00), ("dan", 10_00), ("eve", 10_00), ("dan", 10_00), ("ann", 5_00)):
        evening.bet(who, "tie", stake)
    rejected = evening.do(RejectExcess(*DEALER, 1, "tie"))  # 15.00 too much
    left = {event.who: event.stake_minor for event in rejected if isinstance(event, BetRejected)}
    assert left == {"dan": 10_00, "eve": 5_00}


@pytest.mark.parametrize("rules", having("differential"))
def test_chips_of_the_seated_player_never_give_way_to_those_of_a_standing_one(rules: Rulebook) -> None:
    """At the felt an older standing bet goes back before the seated player's newest; on screens it gives way."""
    felt = _observing(rules)
    felt.bet("ann", "banker", 50_00)
    felt.bet("dan", "banker", 100_00)
    felt.bet("ann", "banker", 100_00)
    assert felt.do(RejectExcess(*DEALER, 1)) == (_back(rules, "dan", "banker", 50_00, 50_00),)
    screens = _enforcing(rules)
    screens.bet("ann", "banker", 50_00)
    screens.bet("dan", "banker", 100_00)
    assert screens.bet("ann", "banker", 100_00)[1:] == (_back(rules, "dan", "banker", 50_00, 50_00),)
    clauses = cited(rules, "differential")
    refusal = screens.refuse(screens.placing("dan", "banker", 1), TableCode.DIFFERENTIAL_EXCEEDED, *clauses)
    assert refusal.values["room"] == Money(0)


@pytest.mark.parametrize("rules", having("differential"))
def test_what_a_correction_adds_lies_with_the_newest_chips_of_the_bet(rules: Rulebook) -> None:
    """Betting that is opened again rejects by the same age as before."""
    evening = _observing(rules, least=10_00)
    evening.bet("ann", "banker", 20_00)
    evening.bet("dan", "banker", 50_00)
    evening.bet("eve", "banker", 60_00)
    evening.bet("dan", "banker", 20_00)
    evening.close_betting()
    correct = partial(CorrectBet, *SUPERVISOR, "dan", 1, "banker", reason="counted again")
    evening.do(correct(stake_minor=60_00))  # 50.00, and 10.00 of the raise
    evening.do(correct(stake_minor=160_00))  # 110.00 with the raise
    evening.do(ReopenBetting(*SUPERVISOR, "closed too early"))
    assert evening.do(RejectExcess(*DEALER, 1)) == (_back(rules, "dan", "banker", 120_00, 40_00),)
    evening.bet("ann", "banker", 80_00)
    assert evening.do(RejectExcess(*DEALER, 1)) == (
        _back(rules, "dan", "banker", 50_00, 70_00),
        _back(rules, "eve", "banker", 50_00, 10_00),
    )


@pytest.mark.parametrize("rules", having("differential"))
@pytest.mark.parametrize(("raise_by", "left"), [(50_00, 50_00), (50_01, 0)])
@reading("excess_rejected_standing_first")
def test_a_remainder_under_the_minimum_is_rejected_whole(rules: Rulebook, raise_by: int, left: int) -> None:
    evening = _enforcing(rules)
    evening.bet("ann", "banker", 100_00)
    evening.bet("dan", "banker", 100_00)
    assert evening.bet("ann", "banker", raise_by)[1:] == (_back(rules, "dan", "banker", left, 100_00 - left),)


@pytest.mark.parametrize("rules", having("differential"))
@reading("excess_rejected_standing_first")
def test_a_withdrawal_on_the_lighter_side_rejects_what_is_now_in_excess(rules: Rulebook) -> None:
    evening = _enforcing(rules)
    evening.bet("ann", "player", 200_00)
    evening.bet("ann", "banker", 200_00)
    evening.bet("ann", "player", 100_00)
    evening.bet("dan", "banker", 150_00)
    evening.bet("eve", "banker", 150_00)
    events = evening.do(evening.withdrawing("ann", "player", 250_00))
    assert isinstance(events[0], BetWithdrawn)
    # 50 + 200 may lie on Banker: eve's 150 go, dan's go to 50
    assert events[1:] == (_back(rules, "eve", "banker", 0, 150_00), _back(rules, "dan", "banker", 50_00, 100_00))
    evening.bet("ann", "banker", 50_00)
    assert evening.stakes == {("ann", 1, "player"): 50_00, ("ann", 1, "banker"): 250_00}
    # nobody behind the box has a bet left: the seated player's bet is reduced
    events = evening.do(evening.withdrawing("ann", "player", 50_00))
    assert events[1:] == (_back(rules, "ann", "banker", 200_00, 50_00),)


def test_a_withdrawal_on_the_heavier_side_rejects_nothing() -> None:
    evening = _enforcing(RULES)
    evening.bet("ann", "banker", 200_00)
    assert len(evening.do(evening.withdrawing("ann", "banker", 150_00))) == 1


@pytest.mark.parametrize("rules", having("differential"))
def test_an_enforcing_table_has_nothing_left_to_reject_or_advise(rules: Rulebook) -> None:
    evening = _enforcing(rules)
    evening.bet("ann", "banker", 200_00)
    evening.refuse(RejectExcess(*DEALER, 1), TableCode.NO_EXCESS, *cited(rules, "differential"))
    advising = AdviseMinimum(*DEALER, "ann", 1, "banker")
    evening.refuse(advising, TableCode.NOT_BELOW_MINIMUM, *cited(rules, "below_minimum"))


# ---- observing


@pytest.mark.parametrize("rules", having("differential", "limits", "below_minimum"))
def test_an_observing_table_records_what_lies_there_and_flags_it_once(rules: Rulebook) -> None:
    evening = betting(
        rules, least=50_00, most=500_00, side=BetLimits(5_00, 20_00), differential_minor=200_00, observing=True
    )
    below, above, differential = (cited(rules, one) for one in ("below_minimum", "limits", "differential"))
    assert evening.bet("ann", "banker", 49_99)[1:] == (LimitFlagged(1, "banker", Limit.MINIMUM, "ann", below),)
    assert evening.bet("ann", "banker", 150_01)[1:] == ()
    assert evening.bet("dan", "banker", 50_01)[1:] == (
        LimitFlagged(1, "banker", Limit.DIFFERENTIAL, None, differential),
    )
    assert evening.bet("dan", "banker", 1)[1:] == ()  # once is enough
    assert evening.bet("ann", "banker", 300_00)[1:] == (LimitFlagged(1, "banker", Limit.MAXIMUM, None, above),)
    assert evening.bet("ann", "tie", 4_99)[1:] == (LimitFlagged(1, "tie", Limit.MINIMUM, "ann", below),)
    assert evening.bet("ben", "tie", 20_01)[1:] == (LimitFlagged(2, "tie", Limit.MAXIMUM, None, above),)
    assert evening.stakes["ann", 1, "banker"] == 500_00
    assert evening.stakes["dan", 1, "banker"] == 50_02


@pytest.mark.parametrize("rules", having("differential"))
@reading("excess_rejected_standing_first")
def test_a_withdrawal_is_flagged_that_leaves_an_excess(rules: Rulebook) -> None:
    evening = _observing(rules)
    evening.bet("ann", "player", 100_00)
    evening.bet("ann", "banker", 300_00)
    events = evening.do(evening.withdrawing("ann", "player", 60_00))
    assert events[1:] == (
        LimitFlagged(1, "player", Limit.MINIMUM, "ann", cited(rules, "below_minimum")),
        LimitFlagged(1, "banker", Limit.DIFFERENTIAL, None, cited(rules, "differential")),
    )


@pytest.mark.parametrize("rules", having("differential"))
def test_a_corrected_bet_that_is_wrong_again_is_flagged_again(rules: Rulebook) -> None:
    evening = _observing(rules)
    flag = LimitFlagged(1, "banker", Limit.DIFFERENTIAL, None, cited(rules, "differential"))
    assert evening.bet("ann", "banker", 250_00)[1:] == (flag,)
    assert evening.bet("dan", "player", 50_00)[1:] == ()
    assert evening.bet("ann", "banker", 1)[1:] == (flag,)


@pytest.mark.parametrize("rules", having("differential"))
@reading("excess_rejected_standing_first")
def test_what_the_dealer_notices_before_the_close_is_rejected(rules: Rulebook) -> None:
    evening = _observing(rules)
    clauses = cited(rules, "differential")
    evening.bet("ann", "banker", 250_00)
    evening.bet("dan", "banker", 60_00)
    evening.bet("eve", "banker", 100_00)
    assert evening.do(RejectExcess(*DEALER, 1)) == (
        _back(rules, "eve", "banker", 0, 100_00),
        _back(rules, "dan", "banker", 0, 60_00),
        _back(rules, "ann", "banker", 200_00, 50_00),
    )
    assert "within" in evening.refuse(RejectExcess(*DEALER, 1), TableCode.NO_EXCESS, *clauses).message
    # placed again, it is flagged again
    assert evening.bet("eve", "banker", 100_00)[1:] == (LimitFlagged(1, "banker", Limit.DIFFERENTIAL, None, clauses),)
    evening.close_betting()
    evening.refuse(RejectExcess(*SUPERVISOR, 1), TableCode.BETTING_NOT_OPEN, *clauses)


@pytest.mark.parametrize("rules", having("below_minimum", "below_minimum_plays"))
def test_a_player_below_the_minimum_is_advised_and_may_raise_or_withdraw(rules: Rulebook) -> None:
    evening = _observing(rules)
    clauses = cited(rules, "below_minimum")
    for who in ("ann", "ben", "cat"):
        evening.bet(who, "banker", 10_00)
        advising = AdviseMinimum(*DEALER, who, {"ann": 1, "ben": 2, "cat": 3}[who], "banker")
        assert evening.do(advising) == (MinimumAdvised(who, advising.box, "banker", clauses),)
    evening.bet("ann", "banker", 40_00)
    evening.do(evening.withdrawing("ben", "banker", 10_00))
    raised = AdviseMinimum(*DEALER, "ann", 1, "banker")
    evening.refuse(raised, TableCode.NOT_BELOW_MINIMUM, *clauses)
    evening.refuse(AdviseMinimum(*DEALER, "ben", 2, "banker"), TableCode.NO_SUCH_BET)
    evening.close_betting()
    evening.refuse(AdviseMinimum(*DEALER, "cat", 3, "banker"), TableCode.BETTING_NOT_OPEN, *clauses)
    # cat's bet plays as it is
    evening.deal("2s 9d Kh Kc").settle()
    results = {one.who: one for one in evening.happened(RoundSettled)[0].results}
    assert set(results) == {"ann", "cat"}
    assert (results["cat"].stake_minor, results["cat"].played_minor) == (10_00, None)
    assert results["cat"].returned_minor > 10_00
    assert set(cited(rules, "below_minimum_plays")) <= set(results["cat"].clauses)
    assert not set(cited(rules, "below_minimum_plays")) & set(results["ann"].clauses)


@pytest.mark.parametrize("rules", having("pro_rata"))
def test_an_excess_that_nobody_noticed_plays_pro_rata(rules: Rulebook) -> None:
    evening = _observing(rules)
    evening.bet("ann", "player", 300_00)
    evening.bet("dan", "player", 100_00)
    evening.bet("eve", "banker", 100_00)
    evening.play(NATURAL)  # Player wins
    results = {one.who: one for one in evening.happened(RoundSettled)[0].results}
    # 300 may play: three quarters of each, and the rest is returned
    assert {who: one.played_minor for who, one in results.items()} == {"ann": 225_00, "dan": 75_00, "eve": None}
    assert results["ann"].returned_minor == 300_00 + 225_00
    assert results["dan"].returned_minor == 100_00 + 75_00
    assert set(cited(rules, "pro_rata")) <= set(results["ann"].clauses)
    assert evening.chips["eve"] == CHIPS_MINOR - 100_00
    assert FELT not in evening.table.balances


@pytest.mark.parametrize("rules", having("pro_rata"))
def test_pro_rata_never_goes_below_the_minimum(rules: Rulebook) -> None:
    evening = _observing(rules, least=100_00, differential=250_00)
    evening.bet("ann", "player", 400_00)
    evening.bet("dan", "player", 100_00)
    evening.play("2s 9d Kh Kc")  # Player loses
    results = {one.who: one for one in evening.happened(RoundSettled)[0].results}
    assert results["ann"].played_minor == 150_00
    assert results["dan"].played_minor is None
    assert (evening.chips["ann"], evening.chips["dan"]) == (CHIPS_MINOR - 150_00, CHIPS_MINOR - 100_00)


def test_an_enforcing_table_never_scales() -> None:
    evening = _enforcing(RULES)
    evening.bet("ann", "banker", 200_00)
    evening.play(NATURAL)
    (result,) = evening.happened(RoundSettled)[0].results
    assert result.played_minor is None


def test_commission_neither_rejects_nor_advises() -> None:
    evening = betting(book("commission"))
    evening.bet("ann", "banker", 100_00)
    evening.refuse(RejectExcess(*DEALER, 1), TableCode.NOT_IN_BOOK)
    evening.refuse(AdviseMinimum(*DEALER, "ann", 1, "banker"), TableCode.NOT_IN_BOOK)


def test_an_observing_table_of_commission_flags_and_never_scales() -> None:
    limits = BetLimits(5_00, 50_00)
    evening = betting(book("commission"), least=50_00, most=500_00, side=limits, observing=True)
    assert evening.bet("ann", "banker", 49_99)[1:] == (LimitFlagged(1, "banker", Limit.MINIMUM, "ann", ()),)
    assert evening.bet("ben", "banker", 500_01)[1:] == (LimitFlagged(2, "banker", Limit.MAXIMUM, None, ()),)
    assert evening.bet("cat", "tie", 4_99)[1:] == (LimitFlagged(3, "tie", Limit.MINIMUM, "cat", ()),)
    assert evening.bet("ann", "player", 50_00)[1:] == ()
    assert _closed(evening).played == ()
    evening.deal(NATURAL).settle()
    assert evening.chips == {
        "ann": CHIPS_MINOR - 49_99 + 50_00,
        "ben": CHIPS_MINOR - 500_01,
        "cat": CHIPS_MINOR - 4_99,
        "dan": CHIPS_MINOR,
        "eve": CHIPS_MINOR,
    }


# ---- each player's own minimum


@pytest.mark.parametrize("rules", having("below_minimum"))
def test_each_player_below_the_minimum_is_flagged_separately(rules: Rulebook) -> None:
    evening = _observing(rules)
    clauses = cited(rules, "below_minimum")

    def flag(who: str) -> tuple[LimitFlagged, ...]:
        return (LimitFlagged(1, "banker", Limit.MINIMUM, who, clauses),)

    assert evening.bet("ann", "banker", 49_99)[1:] == flag("ann")
    assert evening.bet("dan", "banker", 49_99)[1:] == flag("dan")  # although the box already has one
    assert evening.bet("eve", "banker", 50_00)[1:] == ()
    assert evening.bet("ann", "banker", 1)[1:] == ()
    assert evening.bet("dan", "banker", 1)[1:] == ()
    assert evening.do(evening.withdrawing("ann", "banker", 1))[1:] == flag("ann")
    assert evening.table.settings is not None
    assert evening.table.round is not None
    assert list(exceeded_limits(evening.rules, evening.table.settings, evening.table.round.bets, 1)) == [
        ("banker", Limit.MINIMUM, "ann")
    ]
    assert list(exceeded_limits(evening.rules, evening.table.settings, evening.table.round.bets, 2)) == []


# ---- the differential where no maximum is stated


@pytest.mark.parametrize("rules", having("differential", where="limits_displayed"))
@reading("limits_displayed")
def test_without_a_maximum_only_the_differential_limits_a_side_of_a_box(rules: Rulebook) -> None:
    evening = betting(rules, least=50_00, differential_minor=1_000_00)
    over = cited(rules, "differential")
    evening.bet("ann", "player", 1_000_00)
    evening.bet("ann", "banker", 1_500_00)  # a differential of 500.00
    evening.refuse(evening.placing("ann", "banker", 500_01), TableCode.DIFFERENTIAL_EXCEEDED, *over)
    evening.bet("dan", "banker", 500_00)
    evening.refuse(evening.placing("eve", "banker", 50_00), TableCode.DIFFERENTIAL_EXCEEDED, *over)
    # the seated player comes first
    evening.refuse(evening.placing("ann", "banker", 500_01), TableCode.DIFFERENTIAL_EXCEEDED, *over)
    assert evening.bet("ann", "banker", 50_00)[1:] == (_back(rules, "dan", "banker", 450_00, 50_00),)
    evening.bet("ann", "tie", 5_000_00)  # side bets do not count
    evening.bet("ben", "banker", 1_000_00)


@pytest.mark.parametrize("rules", having(where="differential"))
@reading("differential_box_by_box")
def test_the_differential_of_the_table_is_over_all_boxes(rules: Rulebook) -> None:
    evening = betting(rules, differential_minor=1_000_00)
    assert evening.table.round is not None
    assert differential_minor(evening.table.round.bets) == 0
    for who, bet, stake in (("ann", "banker", 900_00), ("ben", "banker", 800_00), ("ben", "tie", 50_00)):
        evening.bet(who, bet, stake)
    assert differential_minor(evening.table.round.bets) == 1_700_00  # the limit is of each box
    evening.bet("cat", "player", 1_000_00)
    evening.bet("ann", "player", 900_00)
    assert differential_minor(evening.table.round.bets) == -200_00


@pytest.mark.parametrize("rules", having("limits", "differential"))
@pytest.mark.parametrize(
    ("most", "binding"),
    [
        (199_99, TableCode.ABOVE_MAXIMUM),
        (200_00, TableCode.ABOVE_MAXIMUM),  # both bind equally: the maximum's
        (200_01, TableCode.DIFFERENTIAL_EXCEEDED),
    ],
)
def test_a_stated_maximum_is_named_unless_the_differential_leaves_strictly_less(
    rules: Rulebook, most: int, binding: TableCode
) -> None:
    evening = betting(rules, most=most, differential_minor=200_00)
    rule = "limits" if binding is TableCode.ABOVE_MAXIMUM else "differential"
    room = min(most, 200_00)
    evening.refuse(evening.placing("ann", "banker", room + 1), binding, *cited(rules, rule))
    evening.bet("ann", "banker", room)


@pytest.mark.parametrize("rules", having("differential", where="limits"))
def test_an_observing_table_flags_no_maximum_where_none_is_stated(rules: Rulebook) -> None:
    evening = betting(rules, differential_minor=200_00, observing=True)
    differential = LimitFlagged(1, "banker", Limit.DIFFERENTIAL, None, cited(rules, "differential"))
    assert evening.bet("ann", "player", 50_00)[1:] == ()
    assert evening.bet("ann", "banker", 250_00)[1:] == ()
    assert evening.bet("dan", "banker", 1)[1:] == (differential,)
    assert evening.bet("ann", "tie", 5_000_00)[1:] == ()


# ---- at the close


def _closed(evening: Evening) -> BettingClosed:
    evening.close_betting()
    return evening.happened(BettingClosed)[-1]


@pytest.mark.parametrize("rules", having("pro_rata", "bets_closed"))
@reading("pro_rata_with_floors")
def test_what_plays_is_decided_once_at_the_close(rules: Rulebook) -> None:
    evening = _observing(rules)
    for who, bet, stake in (
        ("ann", "player", 300_00),
        ("dan", "player", 100_00),
        ("eve", "banker", 100_00),
        ("ben", "player", 200_00),
    ):
        evening.bet(who, bet, stake)
    why = ProRata(400_00, 100_00, 200_00)
    played = (
        PlayedBet("ann", 1, "player", 225_00, cited(rules, "pro_rata"), why),
        PlayedBet("dan", 1, "player", 75_00, cited(rules, "pro_rata"), why),
    )
    assert _closed(evening) == BettingClosed(cited(rules, "bets_closed"), played)
    assert evening.table.round is not None
    kept = {key[0]: (placed.played_minor, placed.because) for key, placed in evening.table.round.bets.items()}
    assert kept == {
        "ann": (225_00, cited(rules, "pro_rata")),
        "dan": (75_00, cited(rules, "pro_rata")),
        "eve": (None, ()),
        "ben": (None, ()),  # at their own box, at the limit
    }
    assert evening.table.settings is not None
    otherwise = replace(evening.table.settings, differential_minor=1_00, main=BetLimits(400_00), observing=False)
    evening.table = replace(evening.table, settings=otherwise)
    evening.deal(NATURAL).settle()
    results = {one.who: one for one in evening.happened(RoundSettled)[0].results}
    assert {who: one.played_minor for who, one in results.items()} == {
        "ann": 225_00,
        "dan": 75_00,
        "eve": None,
        "ben": None,
    }
    assert {who: one.pro_rata for who, one in results.items()} == {"ann": why, "dan": why, "eve": None, "ben": None}
    assert set(cited(rules, "pro_rata")) <= set(results["dan"].clauses)
    assert not set(cited(rules, "pro_rata")) & set(results["ben"].clauses)
    assert evening.chips["ann"] == CHIPS_MINOR + 225_00


@pytest.mark.parametrize("rules", having("not_pro_rated", "below_minimum_plays"))
@reading("pro_rata_with_floors")
def test_a_bet_under_the_minimum_plays_whole_by_its_clause(rules: Rulebook) -> None:
    evening = _observing(rules)
    evening.bet("ann", "banker", 400_00)
    evening.bet("dan", "banker", 10_00)  # in a box in excess
    evening.bet("ben", "banker", 49_99)  # in a box that is not
    evening.bet("cat", "banker", 50_00)
    closed = {one.who: (one.box, one.played_minor, one.clauses) for one in _closed(evening).played}
    assert closed == {
        "ann": (1, 190_00, cited(rules, "pro_rata")),
        "dan": (1, 10_00, cited(rules, "not_pro_rated")),
        "ben": (2, 49_99, cited(rules, "below_minimum_plays")),
    }
    evening.deal("2s 9d Kh Kc").settle()  # Banker wins
    clauses = {one.who: set(one.clauses) for one in evening.happened(RoundSettled)[0].results}
    assert set(cited(rules, "not_pro_rated")) <= clauses["dan"]
    assert set(cited(rules, "below_minimum_plays")) <= clauses["ben"]
    assert not set(cited(rules, "below_minimum_plays")) & (clauses["cat"] | clauses["dan"])


@pytest.mark.parametrize("rules", having("below_minimum_plays"))
@pytest.mark.parametrize(("stake", "under"), [(4_99, True), (5_00, False)])
def test_a_side_bet_under_the_side_minimum_plays_by_the_clause_too(
    rules: Rulebook,
    stake: int,
    under: bool,  # noqa: FBT001
) -> None:
    evening = betting(rules, least=50_00, side=BetLimits(5_00), observing=True)
    evening.bet("ann", "tie", stake)
    clauses = cited(rules, "below_minimum_plays")
    played = (PlayedBet("ann", 1, "tie", stake, clauses),) if under else ()
    assert _closed(evening).played == played
    evening.deal("9s 9d Kh Kc").settle()
    (result,) = evening.happened(RoundSettled)[0].results
    assert (set(clauses) <= set(result.clauses)) is under
    assert (result.stake_minor, result.returned_minor) == (stake, 9 * stake)


@pytest.mark.parametrize("rules", having("bets_closed"))
def test_an_enforcing_table_finds_nothing_at_the_close(rules: Rulebook) -> None:
    evening = betting(rules, least=50_00, most=200_00, side=BetLimits(5_00))
    evening.bet("ann", "banker", 200_00)
    evening.bet("ann", "tie", 5_00)
    # even if it no longer fits: it was within the limits when placed
    assert evening.table.settings is not None
    evening.table = replace(evening.table, settings=replace(evening.table.settings, side=BetLimits(6_00)))
    assert _closed(evening) == BettingClosed(cited(rules, "bets_closed"), ())
