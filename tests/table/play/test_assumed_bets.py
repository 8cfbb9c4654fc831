"""Bets that are entered as the same as in the round before, until somebody confirms that they lie there."""

import pytest

from punto.library import book
from punto.rules.refusals import Refusal
from punto.table import decide
from punto.table.records import commands
from punto.table.records.corrections import CorrectBet
from punto.table.records.positions import Position
from tests.table.tables import DEALER, Evening, betting

RULES = book("commission-insurance")


def assumed(evening: Evening) -> dict[tuple[int, str], bool]:
    assert evening.table.round is not None
    return {(placed.box, placed.bet): placed.assumed for placed in evening.table.round.bets.values()}


def placing(box: int, stake_minor: int = 100_00, *, as_assumed: bool = True) -> commands.PlaceBet:
    return commands.PlaceBet(*DEALER, f"box {box}", box, "banker", stake_minor, assumed=as_assumed)


@pytest.fixture
def evening() -> Evening:
    """Boxes 4 and 5 have assumed bets."""
    made = betting(RULES, observing=True)
    made.do(placing(4))
    made.do(placing(5))
    return made


def test_an_assumed_bet_is_confirmed_by_box_or_with_all_others(evening: Evening) -> None:
    assert assumed(evening) == {(4, "banker"): True, (5, "banker"): True}
    evening.do(commands.ConfirmBets(*DEALER, 5))
    assert assumed(evening) == {(4, "banker"): True, (5, "banker"): False}
    evening.close_betting()
    evening.do(commands.ConfirmBets(*DEALER))
    assert assumed(evening) == {(4, "banker"): False, (5, "banker"): False}
    assert isinstance(decide(RULES, evening.table, commands.ConfirmBets(*DEALER)), Refusal)


def test_a_bet_that_somebody_changes_by_hand_is_confirmed(evening: Evening) -> None:
    evening.do(placing(4, as_assumed=False))
    evening.do(commands.WithdrawBet(*DEALER, "box 5", 5, "banker", 50_00))
    assert assumed(evening) == {(4, "banker"): False, (5, "banker"): False}


def test_a_bet_placed_by_hand_does_not_become_assumed(evening: Evening) -> None:
    evening.do(placing(6, as_assumed=False))
    evening.do(placing(6))
    assert not assumed(evening)[6, "banker"]


def test_a_corrected_bet_is_confirmed(evening: Evening) -> None:
    evening.close_betting()
    evening.do(CorrectBet(*DEALER, "box 4", 4, "banker", 80_00))
    assert assumed(evening) == {(4, "banker"): False, (5, "banker"): True}


def test_players_do_not_assume() -> None:
    evening = betting(RULES, observing=True)
    evening.do(commands.PlaceBet("ann", Position.PLAYER, "ann", 1, "banker", 100_00, assumed=True))
    assert assumed(evening) == {(1, "banker"): False}
