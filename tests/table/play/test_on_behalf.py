"""Staff who bet in a player's place, and staff who record what a player did at a felt table."""

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.rulebook import Rulebook
from punto.table.records.commands import BuyIn, PlaceBet, Sit, WithdrawBet
from punto.table.records.events import BetPlaced, BetWithdrawn
from punto.table.refusals import TableCode
from tests.table.numbers import cited, having
from tests.table.tables import DEALER, betting


@pytest.mark.parametrize("rules", having("staff_bets", "pit_employee"))
@pytest.mark.parametrize("who", ["P000001", "box 5", "zoe"])
@pytest.mark.parametrize("observing", [False, True])
def test_a_bet_recorded_at_a_felt_cites_nothing_unless_it_is_on_behalf(
    rules: Rulebook,
    who: str,
    observing: bool,  # noqa: FBT001
) -> None:
    evening = betting(rules, observing=observing)
    evening.do(BuyIn(*DEALER, who, 500_00))
    evening.do(Sit(*DEALER, who, 5))
    recording = () if observing or who != "zoe" else cited(rules, "staff_bets")  # zoe plays on a screen
    for on_behalf, clauses in ((False, recording), (True, cited(rules, "staff_bets"))):
        (placed,) = evening.do(PlaceBet(*DEALER, who, 5, "banker", 10_00, on_behalf=on_behalf))
        assert isinstance(placed, BetPlaced)
        assert (placed.placed_by, placed.clauses) == (DEALER[0], clauses)
    (withdrawn,) = evening.do(WithdrawBet(*DEALER, who, 5, "banker", 20_00))
    assert isinstance(withdrawn, BetWithdrawn)
    assert withdrawn.clauses == recording


@pytest.mark.parametrize("rules", having("staff_bets"))
def test_a_player_bets_on_nobodys_behalf(rules: Rulebook) -> None:
    evening = betting(rules)
    wanted = replace(evening.placing("ann", "banker", 10_00), on_behalf=True)
    evening.refuse(wanted, TableCode.NOT_AUTHORISED, *cited(rules, "staff_bets"))


def test_in_commission_nothing_is_done_on_behalf_but_a_felt_table_records() -> None:
    evening = betting(book("commission"), observing=True)
    for who, box in (("ann", 1), ("P000001", 4)):
        evening.do(BuyIn(*DEALER, who, 500_00))
        wanted = PlaceBet(*DEALER, who, box, "banker", 10_00)
        evening.refuse(replace(wanted, on_behalf=True), TableCode.NOT_IN_BOOK)
        (placed,) = evening.do(wanted)
        assert isinstance(placed, BetPlaced)
        assert placed.clauses == ()
    evening.refuse(replace(evening.placing("ann", "tie", 10_00), on_behalf=True), TableCode.NOT_AUTHORISED)
