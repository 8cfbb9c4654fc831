"""Refused corrections."""

import pytest

from punto.rules.coup.cards import Card, Face
from punto.table.records import commands as c
from punto.table.records.corrections import CorrectCard
from punto.table.refusals import TableCode as T
from tests.table.tables import DEALER, NATURAL, SHIFT, SUPERVISOR, dealing
from tests.table.test_refusals import CI, Case, dealt, played, provoke

CASES = [
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
