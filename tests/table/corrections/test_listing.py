"""Corrections among the legal commands: each kind once, for those who may give it now."""

from collections import Counter

import pytest

from punto import book
from punto.rules.rulebook import Rulebook
from punto.table import legal
from punto.table.records import commands, corrections, reports
from punto.table.records.commands import Command
from punto.table.records.kinds import Choice
from punto.table.records.positions import Position
from tests.marks import BOOKS
from tests.table.corrections.slips import felt
from tests.table.tables import BANKER_ON_FIVE, DEALER, MANAGER, NATURAL, SUPERVISOR, Evening, betting

BET, CARD, INSURANCE = corrections.CorrectBet, corrections.CorrectCard, corrections.CorrectInsurance
PAYMENT, REOPEN, CANCEL = corrections.CorrectPayment, corrections.ReopenBetting, corrections.CancelRound


def _listed(evening: Evening, actor: tuple[str, Position]) -> set[type[Command]]:
    found = Counter(type(move.command) for move in legal(evening.rules, evening.table, *actor))
    kinds = {kind for kind in found if kind.__module__ == corrections.__name__}
    assert all(found[kind] == 1 for kind in kinds)
    return kinds


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_bets_payments_and_rounds(rules: Rulebook) -> None:
    evening = felt(rules)
    assert _listed(evening, DEALER) == {CANCEL}
    evening.bet("ann", "banker", 100_00)
    assert _listed(evening, DEALER) == set()
    evening.close_betting()
    assert _listed(evening, DEALER) == {BET, REOPEN}
    evening.deal("9s")
    assert _listed(evening, DEALER) == {CARD}
    assert _listed(evening, SUPERVISOR) == {BET, CARD}
    evening.deal("2d Kh 3c").settle()
    assert _listed(evening, DEALER) == set()
    assert _listed(evening, SUPERVISOR) == {BET, PAYMENT}
    assert _listed(evening, MANAGER) == {BET, CARD, PAYMENT}
    assert _listed(evening.open_betting(), SUPERVISOR) == {CANCEL}


def test_insurance_and_choices() -> None:
    evening = felt(book("commission-insurance"))
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal(BANKER_ON_FIVE)
    assert _listed(evening, DEALER) == {CARD, INSURANCE}
    evening.do(commands.OpenInsurance(*DEALER))
    assert _listed(evening, DEALER) == {INSURANCE}
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell"))
    evening.do(reports.ChooseOption(*DEALER, "ann", Choice.CONTINUE))
    assert _listed(evening, DEALER) == {INSURANCE, corrections.CorrectOption}
    assert _listed(evening, ("ann", Position.PLAYER)) == {corrections.CorrectOption}


def test_a_bet_that_nobody_typed_can_be_entered_at_a_table_without_bets() -> None:
    assert _listed(felt(book("commission-insurance")).close_betting(), DEALER) == {BET, REOPEN, CANCEL}


def test_at_a_screen_table_only_empty_rounds_are_cancelled() -> None:
    evening = betting(book("commission-insurance"))
    assert _listed(evening, DEALER) == {CANCEL}
    evening.bet("ann", "banker", 100_00)
    assert _listed(evening.play(NATURAL), SUPERVISOR) == set()
