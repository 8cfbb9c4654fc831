"""The pit is called to a table and answers."""

import pytest

from punto import book
from punto.rules.coup.cards import Card
from punto.table.records.commands import CloseTable
from punto.table.records.corrections import CorrectCard
from punto.table.records.pit_calls import AnswerCall, CallAnswered, CallPit, PitCall, PitCalled
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.table.tables import DEALER, MANAGER, SUPERVISOR, dealing, in_phase

RULES = book("commission-insurance")


@pytest.mark.parametrize("phase", [Phase.READY, Phase.BETTING, Phase.DEALING])
def test_the_pit_is_called_and_answers_in_every_phase(phase: Phase) -> None:
    evening = in_phase(RULES, phase)
    number = evening.table.round.number if evening.table.round else 0
    before = evening.table
    assert evening.do(CallPit(*DEALER)) == (PitCalled(1, DEALER[0]),)
    assert evening.table.pit_call == PitCall(1, DEALER[0])
    assert evening.do(AnswerCall(*MANAGER)) == (CallAnswered(1, MANAGER[0]),)
    assert evening.table.pit_call == PitCall(1, DEALER[0], MANAGER[0], number)
    assert (evening.table.phase, evening.table.round) == (before.phase, before.round)
    assert evening.table.balances == before.balances


def test_one_call_is_open_at_a_time() -> None:
    evening = dealing(RULES)
    evening.do(CallPit(*DEALER))
    refusal = evening.refuse(CallPit(*SUPERVISOR), TableCode.PIT_CALLED)
    assert refusal.values == {"by": DEALER[0]}
    evening.do(AnswerCall(*SUPERVISOR))
    evening.refuse(AnswerCall(*SUPERVISOR), TableCode.PIT_NOT_CALLED)
    assert evening.do(CallPit(*SUPERVISOR)) == (PitCalled(2, SUPERVISOR[0]),)


def test_a_dealer_can_still_correct_the_last_card_after_a_call() -> None:
    evening = dealing(RULES).deal("5h")
    evening.do(CallPit(*DEALER))
    evening.do(AnswerCall(*SUPERVISOR))
    evening.do(CorrectCard(*DEALER, "s1", 0, Card("6h")))


def test_a_call_ends_with_the_opening() -> None:
    evening = in_phase(RULES, Phase.READY)
    evening.do(CallPit(*DEALER))
    evening.do(CloseTable(*SUPERVISOR))
    assert evening.table.pit_call is None
