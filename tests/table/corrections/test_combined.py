"""Corrections that meet something else: insurance, a lost order, squeezes, or a player who has left."""

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide, legal
from punto.table.records import commands, corrections, reports
from punto.table.records.commands import Command
from punto.table.records.events import PlayerLeft, RoundSettled
from punto.table.records.kinds import Choice, Effect
from punto.table.records.ledger import BROUGHT, MISPAID
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.marks import INSURED
from tests.table.corrections.slips import correct_bet, felt
from tests.table.tables import DEALER, MANAGER, NATURAL, SHIFT, SUPERVISOR, Evening, dealing

RULES = book("commission-insurance")


@pytest.mark.parametrize("rules", INSURED, ids=lambda rules: rules.id)
def test_insurance_after_a_third_card_that_was_never_dealt_goes_back(rules: Rulebook) -> None:
    """Player had a natural, so there was no third card, and no offer on it."""
    evening = dealing(rules, ("ann", "player", 100_00), observing=True).deal("As 3d Ah Kd 5s")
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_00))
    evening.deal("Kc").settle()
    evening.do(corrections.CorrectCard(*MANAGER, "s1", 2, Face("8h")))
    assert evening.table.round is not None
    assert evening.table.round.insurance.cover == ()
    assert evening.table.round.insurance.offered == ()
    assert [result.bet for result in evening.happened(RoundSettled)[-1].results] == ["player"]


@pytest.mark.parametrize("stake_minor", [None, 10_00])
def test_at_a_table_without_insurance_none_is_corrected(stake_minor: int | None) -> None:
    evening = dealing(RULES, ("ann", "banker", 100_00), observing=True, private=True, no_insurance=True)
    evening.deal("2s 4d Ks 2h 5s")
    who, box = ("", 0) if stake_minor is None else ("ann", 1)
    command = corrections.CorrectInsurance(*SUPERVISOR, Stage.FOUR, who, box, stake_minor, offered=True)
    refusal = decide(RULES, evening.table, command)
    assert isinstance(refusal, Refusal)
    assert refusal.code is TableCode.NO_INSURANCE_DUE


def _order_lost(evening: Evening) -> tuple[int, ...]:
    assert evening.table.round is not None
    return evening.table.round.irregularities.order_lost


def test_a_card_in_doubt_that_was_never_drawn_leaves_the_order() -> None:
    evening = dealing(RULES, ("ann", "banker", 100_00), observing=True).deal("2s")
    evening.do(reports.ReportSimultaneousCards(*SUPERVISOR, (Face("3s"), Face("4s"), Face("5s"))))
    evening.do(corrections.CorrectCard(*SUPERVISOR, "s1", 3, None))
    assert _order_lost(evening) == (2, 3)
    evening.do(corrections.CorrectCard(*SUPERVISOR, "s1", 2, None))
    assert _order_lost(evening) == ()
    evening.deal("3s 7s 5s").settle()


def test_the_bet_of_somebody_whom_nobody_knows_is_among_the_legal_commands() -> None:
    rules = book("commission")
    evening = felt(rules)
    for who in sorted(evening.table.people):
        evening.do(commands.Leave(*DEALER, who))
    evening.close_betting()
    assert not evening.table.people
    listed = {type(move.command) for move in legal(rules, evening.table, *DEALER)}
    assert corrections.CorrectBet in listed


def test_a_hand_that_somebody_else_squeezes_by_now_stays_theirs() -> None:
    evening = dealing(RULES, ("ann", "player", 200_00), ("ben", "player", 100_00), face_down=True, squeeze_granted=True)
    asking = [commands.RequestSqueeze(who, Position.PLAYER, who, Side.PLAYER) for who in ("ann", "ben")]
    evening.do(asking[0])
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell"))
    evening.do(reports.ChooseOption(*DEALER, "ann", Choice.RETURN))
    evening.do(reports.ChooseOption(*DEALER, "ben", Choice.CONTINUE))
    evening.do(asking[1])
    evening.do(corrections.CorrectOption(*DEALER, "ann", Choice.CONTINUE))
    assert evening.table.round is not None
    assert [squeeze.who for squeeze in evening.table.round.squeezes] == ["ben"]


def test_a_dealer_still_corrects_the_last_card_after_a_player_was_identified() -> None:
    evening = dealing(RULES, ("ann", "banker", 100_00), observing=True).deal("9s")
    evening.do(commands.IdentifyPlayer(*DEALER, "ann", "P000001"))
    evening.do(corrections.CorrectCard(*DEALER, "s1", 0, Face("8s")))


# ---- players who left


def _left(bet: str) -> Evening:
    """Ann had 100.00 on a bet, Player won with a natural, and she left."""
    evening = felt(RULES)
    evening.bet("ann", bet, 100_00)
    evening.close_betting().deal(NATURAL).settle()
    evening.do(commands.Leave(*DEALER, "ann"))
    return evening


def _changes(evening: Evening, command: Command) -> dict[str, int]:
    """How the accounts change that have to do with Ann."""
    before = evening.table.balances
    evening.do(command)
    after = evening.table.balances
    changed = {name: after.get(name, 0) - before.get(name, 0) for name in (BROUGHT, MISPAID, "chips:ann")}
    return {name: minor for name, minor in changed.items() if minor}


TIE = corrections.CorrectCard(*MANAGER, "s1", 1, Face("6d"))


def test_what_somebody_who_left_should_give_back_is_lost_at_once() -> None:
    evening = _left("player")
    assert _changes(evening, TIE) == {MISPAID: -100_00}
    assert "ann" not in evening.table.people
    assert len(evening.happened(PlayerLeft)) == 2


def test_what_the_house_owes_them_is_held() -> None:
    evening = _left("banker")
    assert _changes(evening, TIE) == {"chips:ann": 100_00}
    assert _changes(evening, commands.Leave(*DEALER, "ann")) == {"chips:ann": -100_00, BROUGHT: 100_00}


def test_chips_that_lay_there_left_with_them() -> None:
    """300.00 lay there, not 100.00: she took the stake along, and 200.00 of her winnings were not paid."""
    assert _changes(_left("player"), correct_bet("ann", "player", 300_00)) == {"chips:ann": 200_00}
    assert _changes(_left("banker"), correct_bet("ann", "banker", 300_00)) == {BROUGHT: -200_00}


@pytest.mark.parametrize("paid_minor", [250_00, 150_00])
def test_a_wrong_payment_left_with_them(paid_minor: int) -> None:
    evening, more = _left("player"), paid_minor - 200_00
    command = corrections.CorrectPayment(*SUPERVISOR, "ann", 1, "player", paid_minor, "a chip too many or too few")
    assert _changes(evening, command) == {BROUGHT: more, MISPAID: -more}
    assert evening.table.people.isdisjoint({"ann"})


def test_a_payment_too_high_is_still_lost_after_the_settlement_is_made_again() -> None:
    evening = _left("player")
    paid = corrections.CorrectPayment(*SUPERVISOR, "ann", 1, "player", 250_00, "a chip too many")
    assert _changes(evening, paid) == {BROUGHT: 50_00, MISPAID: -50_00}
    assert _changes(evening, TIE) == {MISPAID: -100_00}


def test_a_wrong_payment_for_a_bet_that_a_ruling_returned_stays() -> None:
    """The bet is no part of the settlement any more, so making that again does not take the payment back."""
    evening = felt(RULES)
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal(NATURAL).settle()
    evening.do(corrections.CorrectPayment(*SUPERVISOR, "ann", 1, "banker", 30_00, "paid to the wrong box"))
    returned = (reports.RuledBet("ann", 1, "banker"),)
    evening.do(reports.Rule(*SHIFT, "the bet was pushed over", Effect.RETURN, returned))
    assert _changes(evening, TIE) == {}
    assert evening.happened(RoundSettled)[-1].differences == ()


def test_after_a_change_of_settings_the_last_round_is_corrected_by_its_own() -> None:
    """100.00 of 300.00 played under the old limit; under the new one all of it would."""
    evening = felt(RULES, differential_minor=100_00)
    evening.bet("ann", "player", 200_00)
    evening.close_betting().deal(NATURAL).settle()
    assert evening.table.settings is not None
    new = replace(evening.table.settings, differential_minor=900_00, observing=False)
    evening.do(commands.ChangeSettings(*SUPERVISOR, new))
    evening.do(correct_bet("ann", "player", 300_00))
    (result,) = evening.happened(RoundSettled)[-1].results
    assert (result.stake_minor, result.played_minor) == (300_00, 100_00)
    assert evening.table.settings == new
