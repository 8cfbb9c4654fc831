"""Chips for cash, for a voucher, or for other chips of the house."""

import pytest

from punto.rules.rulebook import Rulebook
from punto.table.records import commands
from punto.table.records.corrections import CorrectPayment
from punto.table.records.events import ChipsBought
from punto.table.records.kinds import BuyInKind
from punto.table.records.ledger import BROUGHT, FLOAT, VOUCHERS, Posting, chips
from tests.marks import BOOKS
from tests.table.corrections.slips import felt
from tests.table.tables import CHIPS_MINOR, DEALER, NATURAL, SUPERVISOR, Evening, ready, settings

NEW = "box 5"


def _buy(who: str, amount_minor: int, kind: BuyInKind) -> commands.BuyIn:
    return commands.BuyIn(*DEALER, who, amount_minor, kind)


def _bought(evening: Evening) -> ChipsBought:
    return evening.happened(ChipsBought)[-1]


@pytest.mark.parametrize("observing", [False, True])
@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_cash_and_vouchers_come_from_different_accounts(rules: Rulebook, observing: bool) -> None:  # noqa: FBT001
    evening = ready(rules, observing=observing)
    float_minor = evening.table.balances[FLOAT]
    evening.do(_buy(NEW, 300_00, BuyInKind.VOUCHER))
    assert _bought(evening).postings == (Posting(VOUCHERS, -300_00), Posting(chips(NEW), 300_00))
    assert evening.table.balances[FLOAT] == float_minor
    evening.do(commands.BuyIn(*DEALER, NEW, 200_00))
    assert _bought(evening).postings == (Posting(FLOAT, -200_00), Posting(chips(NEW), 200_00))
    assert evening.table.chips_minor(NEW) == 500_00


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_at_a_felt_table_a_colour_change_brings_only_what_is_not_on_record(rules: Rulebook) -> None:
    evening = ready(rules, observing=True)
    evening.do(_buy("ann", 300_00, BuyInKind.CHIPS))
    assert (_bought(evening).changed_minor, _bought(evening).postings) == (300_00, ())
    evening.do(_buy("ann", CHIPS_MINOR + 50_00, BuyInKind.CHIPS))
    assert evening.table.chips_minor("ann") == CHIPS_MINOR + 50_00
    evening.do(_buy(NEW, 70_00, BuyInKind.CHIPS))
    assert _bought(evening).postings == (Posting(BROUGHT, -70_00), Posting(chips(NEW), 70_00))
    assert evening.table.balances[BROUGHT] == -120_00


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_chips_that_are_changed_never_cover_a_debt(rules: Rulebook) -> None:
    evening = felt(rules)
    evening.bet("ann", "player", CHIPS_MINOR)
    evening.play(NATURAL)
    evening.do(commands.CashOut(*DEALER, "ann", 2 * CHIPS_MINOR))
    evening.do(CorrectPayment(*SUPERVISOR, "ann", 1, "player", CHIPS_MINOR, "seen on film"))
    assert evening.table.chips_minor("ann") == -CHIPS_MINOR
    evening.do(_buy("ann", 300_00, BuyInKind.CHIPS))
    assert (_bought(evening).changed_minor, _bought(evening).postings) == (300_00, ())
    assert evening.table.chips_minor("ann") == -CHIPS_MINOR


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_at_a_screen_chips_come_from_elsewhere(rules: Rulebook) -> None:
    evening = ready(rules)
    evening.do(_buy("ann", 300_00, BuyInKind.CHIPS))
    assert evening.table.chips_minor("ann") == CHIPS_MINOR + 300_00
    assert evening.table.balances[BROUGHT] == -300_00


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_vouchers_are_carried_to_the_next_opening(rules: Rulebook) -> None:
    evening = ready(rules)
    evening.do(_buy("ann", 300_00, BuyInKind.VOUCHER))
    left = dict(evening.table.balances)
    evening.do(commands.CloseTable(*SUPERVISOR))
    evening.do(commands.OpenTable(*SUPERVISOR, settings(rules), 0, left))
    assert evening.table.balances[VOUCHERS] == -300_00
