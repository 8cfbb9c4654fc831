"""What lies in the tray: by hand for every kind of move, and after fills, credits and counts."""

import pytest

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.money import Rounding
from punto.table.records import commands as c
from punto.table.records.chips import (
    ChipPile,
    CountPurpose,
    CountTray,
    ReceiveSlip,
    RequestSlip,
    SendSlip,
    Slip,
    SlipKind,
    SlipReceived,
    SlipRequested,
    SlipSent,
    SlipVoided,
    TrayCounted,
    VoidSlip,
)
from punto.table.records.corrections import CorrectCard, CorrectPayment
from punto.table.records.events import TableOpened
from punto.table.records.kinds import BuyInKind, CashOutKind
from punto.table.records.ledger import CAGE, FLOAT, MISPAID, UNEXPLAINED, VOUCHERS, owed_minor, tray_minor
from punto.table.refusals import TableCode
from tests.table.tables import DEALER, FLOAT_MINOR, MANAGER, SUPERVISOR, Evening, opened, ready, settings

RULES = book("commission")
PILES = (ChipPile(1_000_00, 5), ChipPile(25_00, 10))
PILES_MINOR = 5_250_00
BANKER_WINS = "2s 9d Kh Kc"


def tray(evening: Evening) -> int:
    return tray_minor(evening.table.balances)


def felt(**changes: object) -> Evening:
    """A felt table without people."""
    evening = opened(RULES, observing=True, **changes)
    evening.do(c.LoadShoe(*SUPERVISOR, "s1", 8))
    return evening


def bet(evening: Evening, stake_minor: int, on: str = "banker") -> None:
    evening.do(c.PlaceBet(*DEALER, "box 1", 1, on, stake_minor))


# ---- slips


def test_a_fill_reaches_the_tray_when_it_is_received() -> None:
    evening = ready(RULES)
    before = tray(evening)
    assert evening.do(RequestSlip(*DEALER, SlipKind.FILL, PILES)) == (SlipRequested(1, SlipKind.FILL, PILES),)
    assert evening.table.slips == {1: Slip(1, SlipKind.FILL, PILES)}
    assert evening.do(SendSlip(*SUPERVISOR, 1)) == (SlipSent(1, SlipKind.FILL, PILES_MINOR),)
    assert tray(evening) == before
    (received,) = evening.do(ReceiveSlip(*SUPERVISOR, 1))
    assert isinstance(received, SlipReceived)
    assert tray(evening) == before + PILES_MINOR
    assert evening.table.balances[CAGE] == -PILES_MINOR
    assert not evening.table.slips


def test_a_credit_leaves_the_tray_when_it_is_sent() -> None:
    evening = ready(RULES)
    before = tray(evening)
    evening.do(RequestSlip(*DEALER, SlipKind.CREDIT, PILES))
    assert tray(evening) == before
    evening.do(SendSlip(*SUPERVISOR, 1))
    assert tray(evening) == before - PILES_MINOR
    evening.do(ReceiveSlip(*SUPERVISOR, 1))
    assert (tray(evening), evening.table.balances[CAGE]) == (before - PILES_MINOR, PILES_MINOR)


@pytest.mark.parametrize("sent", [False, True])
def test_a_fill_that_does_not_come_is_void(*, sent: bool) -> None:
    evening = ready(RULES)
    before = evening.table.balances
    evening.do(RequestSlip(*DEALER, SlipKind.FILL, PILES))
    if sent:
        evening.do(SendSlip(*SUPERVISOR, 1))
    assert evening.do(VoidSlip(*SUPERVISOR, 1, "asked for twice")) == (
        SlipVoided(1, SlipKind.FILL, PILES_MINOR, "asked for twice"),
    )
    assert (evening.table.balances, evening.table.slips) == (before, {})


def test_slips_are_numbered_without_a_gap_over_all_openings() -> None:
    evening = ready(RULES)
    for number in (1, 2):
        evening.do(RequestSlip(*DEALER, SlipKind.FILL, PILES))
        evening.do(VoidSlip(*SUPERVISOR, number, "wrong table"))
    (*_, closed) = evening.do(c.CloseTable(*SUPERVISOR))
    carried = {"carried": closed.balances, "last_slip": closed.last_slip}  # type: ignore[attr-defined]
    (again,) = evening.do(c.OpenTable(*SUPERVISOR, settings(RULES), **carried))
    assert isinstance(again, TableOpened)
    assert again.last_slip == 2
    assert evening.do(RequestSlip(*DEALER, SlipKind.CREDIT, PILES))[0].slip == 3  # type: ignore[attr-defined]
    evening.refuse(c.CloseTable(*SUPERVISOR), TableCode.SLIP_OPEN)


def test_chips_move_while_cards_are_dealt_and_the_last_card_can_still_be_corrected() -> None:
    evening = ready(RULES).open_betting().close_betting().deal("2s 9d")
    last = evening.table.last_entered
    evening.do(RequestSlip(*DEALER, SlipKind.FILL, PILES))
    evening.do(SendSlip(*SUPERVISOR, 1))
    evening.do(ReceiveSlip(*SUPERVISOR, 1))
    evening.do(CountTray(*SUPERVISOR, CountPurpose.CHECK, PILES))
    assert evening.table.last_entered == last is not None


# ---- counts


@pytest.mark.parametrize("missing_minor", [0, 1_00, -1_00])
def test_after_a_count_the_tray_is_what_was_counted(missing_minor: int) -> None:
    evening = ready(RULES)
    expected = tray(evening)
    piles = (ChipPile(expected - missing_minor, 1),)
    (counted,) = evening.do(CountTray(*SUPERVISOR, CountPurpose.CHECK, piles))
    assert isinstance(counted, TrayCounted)
    assert (counted.expected_minor, counted.counted_minor) == (expected, expected - missing_minor)
    assert counted.difference_minor == -missing_minor
    assert tray(evening) == expected - missing_minor
    assert evening.table.balances.get(UNEXPLAINED, 0) == missing_minor


def test_an_empty_tray_is_counted() -> None:
    evening = ready(RULES)
    evening.do(CountTray(*SUPERVISOR, CountPurpose.CLOSER, ()))
    assert tray(evening) == 0


# ---- what lies there, by hand


def test_the_float_lies_there_and_cash_buys_from_it() -> None:
    evening = opened(RULES)
    assert tray(evening) == FLOAT_MINOR
    evening.do(c.BuyIn(*DEALER, "ann", 300_00))
    assert tray(evening) == FLOAT_MINOR - 300_00


def test_chips_for_vouchers_leave_the_tray_and_come_back_for_them() -> None:
    evening = opened(RULES)
    evening.do(c.BuyIn(*DEALER, "ann", 300_00, BuyInKind.VOUCHER))
    assert tray(evening) == FLOAT_MINOR - 300_00
    (cashed,) = evening.do(c.CashOut(*DEALER, "ann", 200_00, CashOutKind.VOUCHER))
    assert cashed.kind is CashOutKind.VOUCHER  # type: ignore[attr-defined]
    assert tray(evening) == FLOAT_MINOR - 100_00
    assert (evening.table.balances[FLOAT], evening.table.balances[VOUCHERS]) == (FLOAT_MINOR, -100_00)


def test_more_vouchers_paid_out_than_taken_are_carried_over() -> None:
    evening = felt()
    evening.do(c.CashOut(*DEALER, "box 1", 500_00, CashOutKind.VOUCHER))
    assert evening.table.balances[VOUCHERS] == 500_00
    (*_, closed) = evening.do(c.CloseTable(*SUPERVISOR))
    evening.do(c.OpenTable(*SUPERVISOR, settings(RULES), carried=closed.balances))  # type: ignore[attr-defined]
    assert tray(evening) == FLOAT_MINOR + 500_00


def test_a_colour_change_changes_nothing() -> None:
    evening = felt()
    evening.do(c.BuyIn(*DEALER, "box 1", 300_00, BuyInKind.CHIPS))
    assert tray(evening) == FLOAT_MINOR


def test_commission_stays_in_the_tray() -> None:
    evening = felt().open_betting()
    bet(evening, 100_00)
    assert tray(evening) == FLOAT_MINOR
    evening.close_betting().deal(BANKER_WINS).settle()
    assert tray(evening) == FLOAT_MINOR - 95_00


def test_rounding_leaves_it() -> None:
    evening = felt(smallest_chip_minor=1_00, chip_rounding=Rounding.UP).open_betting()
    bet(evening, 110_00)
    evening.close_betting().deal(BANKER_WINS).settle()  # 104.50 is paid with 105.00
    assert tray(evening) == FLOAT_MINOR - 105_00


def test_so_does_a_wrong_payment() -> None:
    evening = felt().open_betting()
    bet(evening, 100_00)
    evening.close_betting().deal(BANKER_WINS).settle()
    evening.do(CorrectPayment(*SUPERVISOR, "box 1", 1, "banker", 295_00, "paid twice", 40_00))
    assert tray(evening) == FLOAT_MINOR - 95_00 - 100_00 + 40_00
    evening.do(c.Leave(*DEALER, "box 1"))
    assert tray(evening) == FLOAT_MINOR - 95_00 - 100_00 + 40_00


def overpaid() -> Evening:
    """Box 1 was paid 100.00 for a bet that had lost, and has cashed stake and winnings."""
    evening = felt().open_betting()
    bet(evening, 100_00, "player")
    evening.close_betting().deal("9s 8d Kh Kc").settle()
    assert tray(evening) == FLOAT_MINOR - 100_00
    evening.do(c.CashOut(*DEALER, "box 1", 200_00))
    assert tray(evening) == FLOAT_MINOR + 100_00
    return evening


RIGHT_CARD = CorrectCard(*MANAGER, "s1", 0, Card("7s"))
"""Player has 7 and not 9: Banker wins."""


def test_what_a_player_owes_does_not_lie_there() -> None:
    evening = overpaid()
    evening.do(RIGHT_CARD)
    assert owed_minor(evening.table.balances) == 200_00
    assert tray(evening) == FLOAT_MINOR + 100_00
    evening.do(c.Leave(*DEALER, "box 1"))
    assert (owed_minor(evening.table.balances), evening.table.balances[MISPAID]) == (0, -200_00)
    assert tray(evening) == FLOAT_MINOR + 100_00


def test_a_debt_is_paid_with_chips_that_the_player_buys_or_wins() -> None:
    evening = overpaid()
    evening.do(RIGHT_CARD)
    evening.do(c.BuyIn(*DEALER, "box 1", 150_00))  # the chips stay in the tray, the cash goes into the box
    assert (owed_minor(evening.table.balances), tray(evening)) == (50_00, FLOAT_MINOR + 100_00)
    evening.open_betting()
    bet(evening, 100_00, "player")  # with chips from elsewhere
    evening.close_betting().deal("9s 8d Kh Kc").settle()  # 200.00 back, of which 50.00 pay the debt
    assert (owed_minor(evening.table.balances), evening.table.chips_minor("box 1")) == (0, 150_00)
    assert tray(evening) == FLOAT_MINOR + 100_00 - 100_00 + 50_00


def test_who_has_left_before_the_correction_took_the_chips_along() -> None:
    evening = overpaid()
    evening.do(c.Leave(*DEALER, "box 1"))
    evening.do(RIGHT_CARD)
    assert tray(evening) == FLOAT_MINOR + 100_00
