"""Betting while a card of the round is exposed."""

import pytest

from punto.rules.coup.cards import Card
from punto.rules.rulebook import Rulebook
from punto.table import legal
from punto.table.records import reports
from punto.table.records.commands import PlaceBet, WithdrawBet
from punto.table.records.events import BetFlag, BetFlagged
from punto.table.records.findings import OptionsGiven
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.table.numbers import cited, having
from tests.table.tables import NATURAL, SUPERVISOR, betting, dealing

_EXPOSED = reports.ReportExcessCard(*SUPERVISOR, (Card("5h"),))


@pytest.mark.parametrize("rules", having("excess_options"))
def test_nobody_bets_beside_an_exposed_card_of_the_round(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 100_00)
    evening.do(_EXPOSED)
    assert not evening.happened(OptionsGiven)
    clauses = cited(rules, "excess_options")
    for placing in (evening.placing("ann", "banker", 1_00), evening.placing("ben", "tie", 1_00)):
        assert "exposed" in evening.refuse(placing, TableCode.CARD_EXPOSED, *clauses).message
    listed = {type(move.command) for move in legal(rules, evening.table, "ann", Position.PLAYER)}
    assert PlaceBet not in listed
    assert WithdrawBet in listed
    evening.do(evening.withdrawing("ann", "banker", 40_00))
    assert evening.stakes == {("ann", 1, "banker"): 60_00}
    evening.close_betting()
    assert not evening.happened(OptionsGiven)


@pytest.mark.parametrize("rules", having(where="excess_options"))
def test_a_card_that_nobody_has_seen_stops_no_bets(rules: Rulebook) -> None:
    evening = betting(rules)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (None,)))
    evening.bet("ann", "banker", 100_00)


@pytest.mark.parametrize("rules", having("excess"))
def test_a_round_that_starts_with_an_exposed_card_is_bet_on(rules: Rulebook) -> None:
    for observing in (False, True):
        evening = dealing(rules, observing=observing).deal(NATURAL)
        evening.do(_EXPOSED)
        evening.settle().open_betting()
        assert [carried.card for carried in evening.table.carried] == ["5h"]
        assert len(evening.bet("ann", "banker", 100_00)) == 1


@pytest.mark.parametrize("rules", having("excess_options"))
def test_an_observing_table_records_a_bet_beside_an_exposed_card_and_flags_it(rules: Rulebook) -> None:
    evening = betting(rules, observing=True)
    assert len(evening.bet("ann", "banker", 100_00)) == 1
    evening.do(_EXPOSED)
    flag = BetFlagged("ann", 1, "banker", BetFlag.CARD_EXPOSED, cited(rules, "excess_options"))
    assert evening.bet("ann", "banker", 50_00)[1:] == (flag,)
    assert evening.stakes == {("ann", 1, "banker"): 150_00}
    assert len(evening.do(evening.withdrawing("ann", "banker", 50_00))) == 1
