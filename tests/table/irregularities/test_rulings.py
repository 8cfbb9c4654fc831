"""Rulings with each effect, refused late bets, errors found in a later round."""

import pytest

from punto import book
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.events import RoundSettled
from punto.table.records.findings import IrregularityReported, LateBetRefused, RoundVoided, Ruled
from punto.table.records.kinds import Effect, Irregularity, Late
from punto.table.records.ledger import FELT
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.marks import BOOKS, INSURED, clause, reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    FLOAT_MINOR,
    MANAGER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    in_phase,
    ready,
)

ALL = [*having("ruling"), pytest.param(book("commission"), id="commission")]
WHY = "a lamp fell on the layout"


def rules_on(effect: Effect, *bets: reports.RuledBet, **amounts: int) -> reports.Rule:
    return reports.Rule(*SHIFT, WHY, effect, bets, amounts)


def _ruled(evening: Evening) -> Ruled:
    (ruled,) = evening.happened(Ruled)
    assert (ruled.reason, ruled.ruled_by, ruled.position) == (WHY, "sid", Position.SHIFT_MANAGER)
    assert ruled.clauses == cited(evening.rules, "ruling")  # none in the older book, which has no clause on it
    return ruled


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize("phase", [Phase.BETTING, Phase.DEALING])
def test_to_go_on_changes_nothing(rules: Rulebook, phase: Phase) -> None:
    evening = in_phase(rules, phase)
    before = evening.table
    evening.do(rules_on(Effect.CONTINUE))
    assert (_ruled(evening).effect, _ruled(evening).postings) == (Effect.CONTINUE, ())
    assert evening.table == before


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize("phase", [Phase.BETTING, Phase.DEALING])
def test_to_void_returns_everything(rules: Rulebook, phase: Phase) -> None:
    evening = in_phase(rules, phase)
    evening.do(rules_on(Effect.VOID))
    assert _ruled(evening).effect is Effect.VOID
    (void,) = evening.happened(RoundVoided)
    assert (void.ground, void.reason) == (Irregularity.RULING, WHY)
    assert void.clauses == cited(rules, "ruling") + cited(rules, "void_returns")
    assert set(evening.chips.values()) == {CHIPS_MINOR}
    assert evening.table.shoe is not None
    evening.open_betting()


@pytest.mark.parametrize("rules", ALL)
def test_to_return_takes_these_bets_off_the_felt_and_leaves_the_others(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00), ("ann", "tie", 5_00), ("dan", "banker", 30_00))
    bet = reports.RuledBet("ann", 1, "banker")
    evening.do(rules_on(Effect.RETURN, bet, bet))  # named twice, returned once
    assert _ruled(evening).bets == (bet, bet)
    assert evening.stakes == {("ann", 1, "tie"): 5_00, ("dan", 1, "banker"): 30_00}
    assert (evening.chips["ann"], evening.table.balances[FELT]) == (CHIPS_MINOR - 5_00, 35_00)
    evening.deal(NATURAL).settle()
    assert evening.chips["ann"] == CHIPS_MINOR - 5_00


@pytest.mark.parametrize("rules", having("ruling", among=INSURED))
def test_insurance_can_be_returned_by_its_name(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00)).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    for _ in range(2):
        evening.do(evening.insuring("ann", 10_00))
    evening.do(rules_on(Effect.RETURN, reports.RuledBet("ann", 1, "banker_insurance")))
    assert evening.chips["ann"] == CHIPS_MINOR - 100_00
    assert evening.table.round is not None
    assert evening.table.round.insurance.cover == ()
    assert evening.stakes == {("ann", 1, "banker"): 100_00}


@pytest.mark.parametrize("rules", having("ruling", among=INSURED))
def test_a_player_who_left_with_only_insurance_in_play_is_paid(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", CHIPS_MINOR)).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(commands.BuyIn(*DEALER, "ann", 10_00))
    evening.do(evening.insuring("ann", 10_00))
    evening.do(rules_on(Effect.RETURN, reports.RuledBet("ann", 1, "banker")))
    evening.do(commands.Leave("ann", Position.PLAYER, "ann"))
    evening.do(commands.CashOut(*DEALER, "ann", CHIPS_MINOR))
    evening.deal("7c 2h").settle()  # Player wins 9 to 7: the insurance is paid
    held = evening.chips["ann"]
    assert held == {"commission-insurance": 30_00}.get(rules.id, 25_00)
    evening.do(commands.CashOut(*DEALER, "ann", held))
    assert "ann" not in evening.table.people


@pytest.mark.parametrize("rules", ALL)
def test_amounts_are_paid_and_taken_from_the_float(rules: Rulebook) -> None:
    evening = ready(rules)
    evening.do(rules_on(Effect.ADJUST, ann=250, ben=-100, P000009=7))
    assert (evening.chips["ann"], evening.chips["ben"]) == (CHIPS_MINOR + 250, CHIPS_MINOR - 100)
    assert evening.chips["P000009"] == 7  # a person who is paid is one of the people at the table
    assert evening.table.balances["float"] == FLOAT_MINOR - 5 * CHIPS_MINOR - 157
    evening.do(commands.CashOut(*DEALER, "P000009", 7))


@pytest.mark.parametrize("rules", ALL)
def test_amounts_can_be_ruled_at_any_time_the_table_is_open(rules: Rulebook) -> None:
    for phase in (Phase.READY, Phase.BETTING, Phase.DEALING):
        evening = in_phase(rules, phase)
        before = evening.table.round
        evening.do(rules_on(Effect.ADJUST, ann=1))
        assert (evening.table.round, evening.table.phase) == (before, phase)


@pytest.mark.parametrize("rules", ALL)
def test_a_ruling_takes_a_shift_manager(rules: Rulebook) -> None:
    evening = dealing(rules)
    for by in (("ann", Position.PLAYER), DEALER, SUPERVISOR, MANAGER, ("house", Position.HOUSE)):
        refused = reports.Rule(*by, WHY, Effect.CONTINUE)
        evening.refuse(refused, TableCode.NOT_AUTHORISED, *cited(rules, "ruling"))


@reading("commission_version_three")
def test_in_the_older_book_a_ruling_rests_on_no_clause_and_says_so() -> None:
    evening = dealing(book("commission"))
    evening.do(rules_on(Effect.VOID))
    assert _ruled(evening).clauses == ()
    assert evening.happened(RoundVoided)[0].clauses == ()
    assert set(evening.chips.values()) == {CHIPS_MINOR}  # a void returns the bets there as a tie does


# ---- late bets


@pytest.mark.parametrize("rules", having("bets_closed", "late_withdrawal", "chips_position"))
@pytest.mark.parametrize("tried", list(Late))
def test_an_attempt_after_the_close_is_refused_and_changes_nothing(rules: Rulebook, tried: Late) -> None:
    evening = dealing(rules)
    before = evening.table
    who = "ben" if tried is Late.PLACED else "ann"
    report = reports.ReportLateBet(*DEALER, who, 1 if who == "ann" else 2, "banker", tried, 40_00)
    (refused,) = evening.do(report)
    clauses = cited(rules, "late_withdrawal" if tried is Late.WITHDRAWN else "bets_closed")
    assert isinstance(refused, LateBetRefused)
    assert (refused.who, refused.tried, refused.amount_minor, refused.clauses) == (who, tried, 40_00, clauses)
    assert evening.table == before
    evening.deal("2s 9d Kh Kc").settle()
    (settled,) = evening.happened(RoundSettled)[0].results  # exactly what lay there at the close
    assert (settled.who, settled.stake_minor) == ("ann", 100_00)


@reading("commission_version_three")
@clause("commission", "5.3")
def test_in_the_older_book_a_bet_that_is_pulled_still_loses() -> None:
    evening = dealing(book("commission"), ("ann", "player", 100_00))
    evening.do(reports.ReportLateBet(*DEALER, "ann", 1, "player", Late.WITHDRAWN, 100_00))
    evening.deal("2s 9d Kh Kc").settle()
    assert evening.chips["ann"] == CHIPS_MINOR - 100_00


@pytest.mark.parametrize("rules", having("bets_closed"))
def test_a_late_bet_is_one_of_the_layout_in_one_of_its_boxes(rules: Rulebook) -> None:
    evening = dealing(rules)
    elsewhere = reports.ReportLateBet(*DEALER, "ann", 99, "banker", Late.PLACED, 1)
    evening.refuse(elsewhere, Code.UNKNOWN_BOX, *cited(rules, "boxes"))
    other = reports.ReportLateBet(*DEALER, "ann", 1, "x" * 10_000, Late.PLACED, 1)
    assert len(evening.refuse(other, Code.BET_NOT_ON_LAYOUT, *cited(rules, "bets_offered")).message) < 300


# ---- errors found later


@reading("errors_found_later")
@pytest.mark.parametrize("rules", having("later_error"))
def test_an_error_found_in_a_later_round_changes_no_round(rules: Rulebook) -> None:
    evening = dealing(rules).deal("2s 9d Kh Kc").settle()
    evening.open_betting()
    evening.bet("ann", "player", 50_00)
    for closing in (True, False):  # found while bets are open, and again after the close
        before = evening.table
        (reported,) = evening.do(reports.ReportLaterError(*DEALER, 1, "the king was a nine"))
        assert reported == IrregularityReported(
            Irregularity.LATER_ERROR, 1, cited(rules, "later_error"), "the king was a nine"
        )
        assert evening.table == before
        if closing:
            evening.close_betting()
    evening.deal(NATURAL).settle()
    assert evening.happened(RoundSettled)[1].player == 9
    assert not evening.happened(RoundVoided)


@reading("errors_found_later")
@pytest.mark.parametrize("rules", having("later_error", "ruling"))
def test_a_wrong_payment_is_put_right_by_a_ruling(rules: Rulebook) -> None:
    evening = dealing(rules).deal("2s 9d Kh Kc").settle().open_betting()
    won = evening.chips["ann"] - CHIPS_MINOR
    evening.do(reports.ReportLaterError(*DEALER, 1, "the king was a nine"))
    evening.do(rules_on(Effect.ADJUST, ann=-won - 100_00))
    assert evening.chips["ann"] == CHIPS_MINOR - 100_00
    assert len(evening.happened(RoundSettled)) == 1  # nothing was edited


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_reason_is_kept_as_it_was_given(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.do(reports.Rule(*SHIFT, "庄 " + "x" * 398, Effect.CONTINUE))
    assert len(evening.happened(Ruled)[0].reason) == 400
    evening.refuse(reports.Rule(*SHIFT, "x" * 401, Effect.CONTINUE), TableCode.REASON_NEEDED)


def test_a_ruled_bet_is_one_side_of_one_box() -> None:
    evening = dealing(book("tiger-buffalo"), ("ann", "player", 1_00), ("ann", "banker", 2_00))
    evening.do(rules_on(Effect.RETURN, reports.RuledBet("ann", 1, Side.PLAYER.value)))
    assert evening.stakes == {("ann", 1, "banker"): 2_00}
