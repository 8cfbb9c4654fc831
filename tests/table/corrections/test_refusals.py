"""Provokes every refusal of the corrections."""

import pytest

from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Card, Face
from punto.rules.rulebook import Rulebook
from punto.table.records import commands as c
from punto.table.records import corrections
from punto.table.records.corrections import CorrectCard
from punto.table.records.kinds import Choice
from punto.table.refusals import TableCode
from tests.table.corrections.slips import correct_bet, correct_stake, felt
from tests.table.tables import BANKER_ON_FIVE, DEALER, NATURAL, SHIFT, SUPERVISOR, Evening, betting, dealing
from tests.table.test_refusals import ANN, C3, CI, DH, S6, TB, Case, dealt, played, provoke

T = TableCode


def _closed(rules: Rulebook) -> Evening:
    evening = felt(rules)
    evening.bet("ann", "banker", 100_00)
    return evening.close_betting()


def _dealt(rules: Rulebook) -> Evening:
    return _closed(rules).deal(BANKER_ON_FIVE)


def _next(rules: Rulebook) -> Evening:
    return _closed(rules).deal(NATURAL).settle().open_betting()


def _settled(rules: Rulebook) -> Evening:
    return _closed(rules).deal(NATURAL).settle()


PAID = corrections.CorrectPayment(*SUPERVISOR, "ann", 1, "banker", 0, "seen on film")
OPTION = corrections.CorrectOption(*ANN, "ann", Choice.RETURN)

CASES = [
    Case(T.FELT_TABLES_ONLY, C3, dealing, correct_bet("ann", "banker", 1_00), "real chips"),
    Case(T.FELT_TABLES_ONLY, CI, dealing, correct_stake(Stage.FOUR, "ann", 1_00), "real chips"),
    Case(T.FELT_TABLES_ONLY, S6, dealing, corrections.ReopenBetting(*DEALER), "real chips"),
    Case(T.FELT_TABLES_ONLY, DH, dealing, PAID, "real chips"),
    Case(T.NOTHING_TO_CORRECT, S6, _closed, correct_bet("ann", "banker", 100_00), "is 100 on record", "5.13"),
    Case(T.NOTHING_TO_CORRECT, C3, _closed, correct_bet("ann", "banker", 100_00), "is 100 on record"),
    Case(T.NOTHING_TO_CORRECT, TB, _settled, PAID, "0 was due"),
    Case(T.NOT_AUTHORISED, TB, _dealt, correct_bet("ann", "banker", 1_00, DEALER), "A card of the round", "5.14"),
    Case(T.NOT_AUTHORISED, TB, _dealt, PAID.__class__(*DEALER, "ann", 1, "banker", 5, "seen"), "dealer"),
    Case(T.NO_OPTIONS, DH, _dealt, OPTION, "'ann'", "5.12"),
    Case(T.NOT_IN_BOOK, C3, _dealt, OPTION, "choices for players"),
    Case(T.NOT_IN_BOOK, S6, _dealt, correct_stake(Stage.FOUR, "ann", 1_00), "insurance"),
    Case(T.CARD_OUT, CI, _dealt, corrections.ReopenBetting(*DEALER), "already out", "3.8 5.6"),
    Case(
        T.CARD_OUT, C3, lambda rules: betting(rules).close_betting().deal("9s"), corrections.CancelRound(*DEALER), "out"
    ),
    Case(T.ROUND_HAS_BETS, C3, dealing, corrections.CancelRound(*DEALER), "has bets"),
    Case(T.TOO_LATE, C3, _next, correct_bet("ann", "banker", 1_00), "a shift manager can rule"),
    Case(T.TOO_LATE, TB, _next, correct_bet("ann", "banker", 1_00), "`report_later_error`", "5.11"),
    Case(T.TOO_LATE, S6, _next, PAID, "`report_later_error`", "5.11"),
    Case(T.NO_ROUND, CI, _dealt, PAID, "not settled yet"),
    Case(T.SUIT_NEEDED, CI, dealing, c.DealCard(*DEALER, Face("A")), "such as As"),
    Case(T.NO_SUCH_CARD, CI, dealt("2s 3h"), CorrectCard(*SUPERVISOR, "s1", 2, Card("2s")), "draw 2", "5.15"),
    Case(T.NO_SUCH_CARD, CI, dealt("2s 3h"), CorrectCard(*SUPERVISOR, "s2", 1, Card("2s")), "'s2'", "5.15"),
    Case(T.NOTHING_TO_CORRECT, CI, dealt("2s 3h"), CorrectCard(*SUPERVISOR, "s1", 1, Card("3h")), "3h", "5.15"),
    Case(T.NOTHING_TO_CORRECT, CI, dealt("2s 3h"), CorrectCard(*SUPERVISOR, "s1", 0, None), "last card", "5.15"),
    Case(T.NOTHING_TO_CORRECT, CI, played, CorrectCard(*SHIFT, "s1", 3, None), "settlement", "5.15"),
    Case(T.NOT_AUTHORISED, CI, dealt("2s 3h"), CorrectCard(*DEALER, "s1", 0, Card("4s")), "last entry", "5.15"),
    Case(T.NOT_AUTHORISED, CI, played, CorrectCard(*SUPERVISOR, "s1", 0, Card("4s")), "pit manager", "5.15"),
    Case(T.NOT_AUTHORISED, CI, dealt(NATURAL), CorrectCard(*DEALER, "s1", 3, Card("7c")), "the result", "5.15"),
    Case(T.REASON_NEEDED, CI, dealt("2s 3h"), CorrectCard(*SUPERVISOR, "s1", 1, Card("4h"), "x" * 401), "0 to 400"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{case.book}")
def test_refused(case: Case) -> None:
    provoke(case)
