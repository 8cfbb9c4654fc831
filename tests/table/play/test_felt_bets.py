"""Bets at a felt table: every bet that lies there is on record, and flagged where other tables refuse it."""

from typing import Any

import pytest

from punto import book
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.table import legal
from punto.table.records import commands
from punto.table.records.events import (
    BetFlag,
    BetFlagged,
    BetPlaced,
    BetRejected,
    Event,
    Limit,
    LimitFlagged,
    PlayerSat,
    PlayerStood,
)
from punto.table.records.ledger import BROUGHT, MAX_AMOUNT_MINOR
from punto.table.records.positions import Position
from punto.table.records.settings import BetLimits
from punto.table.refusals import TableCode
from tests.marks import books
from tests.table.numbers import cited, having
from tests.table.tables import CHIPS_MINOR, DEALER, Evening, betting


def _lying(who: str, box: int, bet: str = "banker", stake_minor: int = 100_00) -> commands.PlaceBet:
    return commands.PlaceBet(*DEALER, who, box, bet, stake_minor)


def _kinds(events: tuple[Event, ...]) -> list[type[Event]]:
    return [type(event) for event in events]


@pytest.mark.parametrize("rules", having("seated", "standing", where="standing"))
def test_whoever_bets_at_a_box_is_at_it(rules: Rulebook) -> None:
    evening = betting(rules, observing=True)
    assert evening.do(_lying("box 4", 4))[0] == PlayerSat("box 4", 4)
    assert evening.table.seats[4] == "box 4"
    for who in ("behind box 4", "behind box 4/2", "P000123", "ben"):
        came, placed = evening.do(_lying(who, 4))
        assert came == PlayerStood(who, 4)
        assert isinstance(placed, BetPlaced)
        assert not placed.seated
        assert 4 in evening.table.behind[who]
        assert _kinds(evening.do(_lying(who, 4))) == [BetPlaced], "they are there already"
    assert evening.table.people >= {"box 4", "behind box 4", "behind box 4/2", "P000123"}
    assert evening.happened(BetPlaced)[0].seated


@pytest.mark.parametrize("rules", books())
def test_an_error_about_the_person_is_refused(rules: Rulebook) -> None:
    evening = betting(rules, observing=True)
    there = evening.refuse(_lying("box 1", 1), TableCode.BOX_TAKEN, *cited(rules, "seated"))
    assert "'ann' sits at box 1" in there.message
    evening.refuse(_lying("nobody", 1), TableCode.UNKNOWN_PERSON)
    form = evening.refuse(_lying("Box 4", 4), TableCode.UNKNOWN_PERSON)
    assert form.variant == "form"
    evening.refuse(_lying("box 99", 1), Code.UNKNOWN_BOX, *cited(rules, "boxes"))
    evening.refuse(_lying("P000123", 99), Code.UNKNOWN_BOX, *cited(rules, "boxes"))
    if cited(rules, "standing"):
        evening.refuse(_lying("box 5", 4), TableCode.WRONG_PLACE)
        evening.refuse(_lying("behind box 5", 4), TableCode.WRONG_PLACE)


def test_where_anyone_bets_in_any_box_only_those_named_by_it_take_a_place() -> None:
    evening = betting(book("commission"), observing=True)
    for who, box, comes in (
        ("box 5", 4, []),
        ("box 4", 4, [PlayerSat]),
        ("behind box 4", 4, [PlayerStood]),
        ("P000123", 1, []),
    ):
        assert _kinds(evening.do(_lying(who, box))) == [*comes, BetPlaced]
        assert who in evening.table.people
    evening.play("9s 2d Kh 3c")
    assert "P000123" not in evening.table.people, "they lost, and have no place"


@pytest.mark.parametrize("rules", having("standing"))
def test_a_standing_bet_without_a_seated_one_is_flagged(rules: Rulebook) -> None:
    evening = betting(rules, observing=True)
    clauses = cited(rules, "standing")
    flag = BetFlagged("P000123", 1, "banker", BetFlag.NO_SEATED_BET, clauses)
    assert evening.do(_lying("P000123", 1))[-1] == flag
    assert evening.do(_lying("P000123", 1))[-1] == flag
    assert _kinds(evening.do(_lying("ann", 1))) == [BetPlaced]
    assert _kinds(evening.do(_lying("P000123", 1))) == [BetPlaced]
    betting(rules).refuse(
        commands.PlaceBet("dan", Position.PLAYER, "dan", 1, "banker", 1), TableCode.NO_SEATED_BET, *clauses
    )


@pytest.mark.parametrize("rules", books())
def test_what_a_player_does_on_a_screen_is_no_fact_of_the_felt(rules: Rulebook) -> None:
    """A player cannot bet chips that nobody has seen."""
    evening = betting(rules, observing=True)
    evening.refuse(evening.placing("ann", "banker", CHIPS_MINOR + 1), TableCode.NOT_ENOUGH_CHIPS)
    evening.refuse(commands.PlaceBet("P000123", Position.PLAYER, "P000123", 1, "banker", 1), TableCode.UNKNOWN_PERSON)
    if cited(rules, "standing"):
        evening.refuse(evening.placing("dan", "banker", 1), TableCode.NO_SEATED_BET, *cited(rules, "standing"))
        evening.refuse(evening.placing("ben", "banker", 1, 1), TableCode.NOT_AT_BOX, *cited(rules, "standing"))
    evening.bet("ann", "banker", CHIPS_MINOR)
    assert BROUGHT not in evening.table.balances


@pytest.mark.parametrize("rules", books())
def test_the_largest_amount_is_one_that_no_table_exceeds(rules: Rulebook) -> None:
    evening = betting(rules, observing=True)
    evening.refuse(_lying("ann", 1, "banker", MAX_AMOUNT_MINOR + 1), Code.AMOUNT_TOO_LARGE)
    evening.refuse(_lying("ann", 1, "banker", 0), TableCode.AMOUNT_NOT_POSITIVE)
    evening.do(_lying("ann", 1, "banker", MAX_AMOUNT_MINOR))


@pytest.mark.parametrize("rules", books())
def test_a_bet_that_the_layout_does_not_have_is_refused(rules: Rulebook) -> None:
    evening = betting(rules, observing=True)
    evening.refuse(_lying("ann", 1, "nonesuch"), Code.BET_NOT_ON_LAYOUT, *cited(rules, "bets_offered"))


@pytest.mark.parametrize("rules", books())
def test_the_list_has_everybody_at_a_box_and_whoever_may_sit_at_a_free_one(rules: Rulebook) -> None:
    evening = betting(rules, observing=True)
    listed = {
        (move.command.who, move.command.box): move.most
        for move in legal(rules, evening.table, *DEALER)
        if isinstance(move.command, commands.PlaceBet)
    }
    assert set(listed.values()) == {MAX_AMOUNT_MINOR}
    assert {("ann", 1), ("dan", 1), ("box 4", 4), ("box 5", 5)} <= listed.keys()
    assert ("box 1", 1) not in listed
    assert (("ben", 1) in listed) == (not cited(rules, "standing"))


# ---- above the maximum

LIMITS: dict[str, Any] = {"least": 50_00, "most": 300_00, "side": BetLimits(5_00, 20_00), "differential_minor": 250_00}


def _above(rules: Rulebook) -> Evening:
    """Banker in box 1: ann 150, dan 120, eve 90; the maximum is 300, with 200 on Player."""
    evening = betting(rules, observing=True, **LIMITS)
    evening.do(_lying("ann", 1, "player", 200_00))
    evening.do(_lying("ann", 1, "banker", 150_00))
    evening.do(_lying("dan", 1, "banker", 120_00))
    evening.do(_lying("eve", 1, "banker", 90_00))
    return evening


@pytest.mark.parametrize("rules", having("limits"))
def test_what_is_above_a_maximum_is_rejected_the_newest_standing_bet_first(rules: Rulebook) -> None:
    evening = _above(rules)
    flagged = LimitFlagged(1, "banker", Limit.MAXIMUM, None, cited(rules, "limits"))
    assert evening.happened(LimitFlagged) == [flagged]
    rejected = evening.do(commands.RejectExcess(*DEALER, 1, "banker"))
    assert [(event.who, event.stake_minor, event.clauses) for event in rejected if isinstance(event, BetRejected)] == [
        ("eve", 0, cited(rules, "limits"))  # 30 would be left, which is below the minimum
    ]
    refusal = evening.refuse(commands.RejectExcess(*DEALER, 1, "banker"), TableCode.NO_EXCESS, *cited(rules, "limits"))
    assert refusal.variant == "maximum"


@pytest.mark.parametrize("rules", having("limits"))
def test_a_side_bet_has_a_maximum_of_its_own(rules: Rulebook) -> None:
    evening = betting(rules, observing=True, **LIMITS)
    evening.do(_lying("ann", 1, "tie", 15_00))
    evening.do(_lying("dan", 1, "tie", 11_00))
    evening.do(commands.RejectExcess(*DEALER, 1, "tie"))
    assert evening.stakes == {("ann", 1, "tie"): 15_00, ("dan", 1, "tie"): 5_00}
    assert evening.table.chips_minor("dan") == CHIPS_MINOR - 5_00


@pytest.mark.parametrize("rules", having("limits", "differential"))
def test_a_rejection_that_puts_the_other_side_above_the_differential_limit_is_flagged(rules: Rulebook) -> None:
    changes = {**LIMITS, "differential_minor": 50_00}
    evening = betting(rules, observing=True, **changes)
    evening.do(_lying("ann", 1, "player", 345_00))
    evening.do(_lying("ann", 1, "banker", 290_00))
    evening.do(_lying("dan", 1, "banker", 55_00))
    rejected, flag = evening.do(commands.RejectExcess(*DEALER, 1, "banker"))
    assert isinstance(rejected, BetRejected)
    assert flag == LimitFlagged(1, "player", Limit.DIFFERENTIAL, None, cited(rules, "differential"))


@pytest.mark.parametrize("rules", having("limits"))
def test_nothing_is_rejected_after_the_close_or_for_a_bet_that_is_not_there(rules: Rulebook) -> None:
    evening = _above(rules)
    evening.refuse(commands.RejectExcess(*DEALER, 2, "banker"), TableCode.NO_EXCESS, *cited(rules, "limits"))
    evening.refuse(commands.RejectExcess(*DEALER, 1, "nonesuch"), Code.BET_NOT_ON_LAYOUT, *cited(rules, "bets_offered"))
    evening.refuse(commands.RejectExcess(*DEALER, 1), TableCode.NO_EXCESS, *cited(rules, "differential"))
    listed = [m.command for m in legal(rules, evening.table, *DEALER) if isinstance(m.command, commands.RejectExcess)]
    assert listed == [commands.RejectExcess(*DEALER, 1, "banker")]
    evening.close_betting()
    evening.refuse(
        commands.RejectExcess(*DEALER, 1, "banker"), TableCode.BETTING_NOT_OPEN, *cited(rules, "differential")
    )
