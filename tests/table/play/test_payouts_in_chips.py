"""What is handed over is a multiple of the smallest chip, and the difference is booked as rounding."""

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side
from punto.rules.money import Rounding
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.play.odd_bets import OddPayout, odd_payouts
from punto.table.records import commands, reports
from punto.table.records.corrections import CorrectCard, CorrectPayment
from punto.table.records.events import RoundSettled, SettledBet
from punto.table.records.kinds import Effect
from punto.table.records.ledger import COMMISSION, FLOAT, ROUNDING
from punto.table.refusals import TableCode
from tests.marks import BOOKS
from tests.table.corrections.slips import felt
from tests.table.tables import (
    BANKER_ON_FIVE,
    DEALER,
    FLOAT_MINOR,
    MANAGER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    settings,
)

COMMISSION_BOOKS = [rules for rules in BOOKS if rules.topics[Topic.COMMISSION]]
DIFFERENTIAL_BOOKS = [rules for rules in BOOKS if rules.has(Topic.DIFFERENTIAL)]
UNINSURED_BOOKS = [rules for rules in DIFFERENTIAL_BOOKS if rules.has(Topic.UNINSURED_BET)]
BANKER_WINS = "Ks 4d 6h 3c"
"""7 to 6, on four cards."""
UNINSURED_WON = f"{BANKER_ON_FIVE} 7c 2h"
"""Player 9, Banker 7: insurance on Banker at four cards would have won."""
CHIP_MINOR = 5_00


def _results(evening: Evening) -> dict[str, SettledBet]:
    return {result.who: result for result in evening.happened(RoundSettled)[-1].results}


@pytest.mark.parametrize(
    ("chip_rounding", "handed_minor"),
    [(Rounding.UP, 740_00), (Rounding.DOWN, 735_00), (Rounding.HALF_UP, 735_00)],
)
@pytest.mark.parametrize("rules", COMMISSION_BOOKS, ids=lambda rules: rules.id)
def test_banker_is_paid_in_whole_chips(rules: Rulebook, chip_rounding: Rounding, handed_minor: int) -> None:
    evening = felt(rules, smallest_chip_minor=CHIP_MINOR, chip_rounding=chip_rounding)
    evening.bet("ann", "banker", 775_00)
    evening.play(BANKER_WINS)
    result, rounded_minor = _results(evening)["ann"], handed_minor - 736_25
    assert (result.returned_minor, result.rounded_minor) == (775_00 + handed_minor, rounded_minor)
    assert result.commission_minor == 38_75
    held = evening.table.balances
    assert (held[COMMISSION], held[ROUNDING]) == (38_75, -rounded_minor)
    assert held[FLOAT] == evening_float(rules) - 775_00


def evening_float(rules: Rulebook) -> int:
    """The float before the round: people have bought in."""
    return felt(rules).table.balances[FLOAT]


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_what_chips_can_pay_is_not_rounded(rules: Rulebook) -> None:
    evening = felt(rules, smallest_chip_minor=CHIP_MINOR)
    evening.bet("ann", "player", 1_00)
    evening.bet("ben", "banker", 3_33)
    evening.bet("cat", "player", 20_00)
    evening.play(NATURAL)
    results = _results(evening)
    assert (results["ann"].returned_minor, results["ann"].rounded_minor) == (6_00, 4_00)
    assert (results["ben"].returned_minor, results["ben"].rounded_minor) == (0, 0)
    assert (results["cat"].returned_minor, results["cat"].rounded_minor) == (40_00, 0)


@pytest.mark.parametrize(
    ("chip_rounding", "back_minor"), [(Rounding.UP, 670_00), (Rounding.DOWN, 665_00), (Rounding.HALF_UP, 665_00)]
)
@pytest.mark.parametrize("rules", DIFFERENTIAL_BOOKS, ids=lambda rules: rules.id)
def test_what_did_not_play_of_a_lost_bet_goes_back_in_whole_chips(
    rules: Rulebook, chip_rounding: Rounding, back_minor: int
) -> None:
    chips = {"smallest_chip_minor": CHIP_MINOR, "chip_rounding": chip_rounding}
    evening = felt(rules, differential_minor=333_33, **chips)
    evening.bet("ann", "banker", 1_000_00)
    evening.play(NATURAL)
    result = _results(evening)["ann"]
    assert (result.played_minor, result.returned_minor, result.rounded_minor) == (
        333_33,
        back_minor,
        back_minor - 666_67,
    )
    assert evening.table.balances[ROUNDING] == 666_67 - back_minor


@pytest.mark.parametrize("rules", DIFFERENTIAL_BOOKS, ids=lambda rules: rules.id)
def test_no_more_than_the_stake_goes_back_of_a_lost_bet(rules: Rulebook) -> None:
    evening = felt(rules, differential_minor=1_00, smallest_chip_minor=CHIP_MINOR)
    evening.bet("ann", "banker", 7_00)
    evening.play(NATURAL)
    result = _results(evening)["ann"]
    assert (result.returned_minor, result.rounded_minor) == (7_00, 1_00)


@pytest.mark.parametrize("rules", COMMISSION_BOOKS, ids=lambda rules: rules.id)
def test_a_ruling_that_returns_a_paid_bet_takes_the_rounding_back(rules: Rulebook) -> None:
    evening = felt(rules, smallest_chip_minor=CHIP_MINOR)
    evening.bet("ann", "banker", 775_00)
    before = evening.table.balances
    evening.play(BANKER_WINS)
    evening.do(reports.Rule(*SHIFT, "seen", Effect.RETURN, (reports.RuledBet("ann", 1, "banker"),)))
    held = evening.table.balances
    assert (held.get(ROUNDING), held.get(COMMISSION), held[FLOAT]) == (None, None, before[FLOAT])


@pytest.mark.parametrize("rules", UNINSURED_BOOKS, ids=lambda rules: rules.id)
def test_an_uninsured_bet_that_is_returned_takes_the_rounding_back(rules: Rulebook) -> None:
    evening = felt(rules, differential_minor=333_33, smallest_chip_minor=CHIP_MINOR)
    evening.bet("ann", "banker", 1_000_00)
    float_minor = evening.table.balances[FLOAT]
    evening.close_betting()
    for card in UNINSURED_WON.split():
        evening.do(commands.DealCard(*DEALER, Face(card)))
    evening.settle()
    assert evening.table.balances[ROUNDING] == -3_33
    evening.do(reports.ReturnUninsuredBets(*MANAGER, "ann", 1, Side.BANKER, "asked for it"))
    held = evening.table.balances
    assert (held.get(ROUNDING), held[FLOAT]) == (None, float_minor)


@pytest.mark.parametrize("rules", COMMISSION_BOOKS, ids=lambda rules: rules.id)
def test_a_corrected_settlement_is_rounded_again(rules: Rulebook) -> None:
    evening = felt(rules, smallest_chip_minor=CHIP_MINOR)
    evening.bet("ann", "banker", 775_00)
    evening.bet("ben", "player", 12_50)
    before = evening.table.balances[FLOAT]
    evening.play(BANKER_WINS)
    evening.do(CorrectCard(*MANAGER, "s1", 2, Face("8h"), "misread"))  # Player has a natural 8
    changed = evening.happened(RoundSettled)[-1].differences
    assert [(each.who, each.amount_minor) for each in changed] == [("ann", -1_515_00), ("ben", 27_50)]
    held = evening.table.balances
    assert (held[ROUNDING], held.get(COMMISSION), held[FLOAT]) == (-2_50, None, before + 775_00 - 12_50)


@pytest.mark.parametrize("rules", COMMISSION_BOOKS, ids=lambda rules: rules.id)
def test_what_is_due_for_a_payment_is_what_chips_can_pay(rules: Rulebook) -> None:
    evening = felt(rules, smallest_chip_minor=CHIP_MINOR)
    evening.bet("ann", "banker", 775_00)
    evening.play(BANKER_WINS)
    right = CorrectPayment(*SUPERVISOR, "ann", 1, "banker", 775_00 + 740_00, "counted")
    evening.refuse(right, TableCode.NOTHING_TO_CORRECT)


@pytest.mark.parametrize("rules", COMMISSION_BOOKS, ids=lambda rules: rules.id)
def test_rounding_is_carried_to_the_next_opening(rules: Rulebook) -> None:
    evening = felt(rules, smallest_chip_minor=CHIP_MINOR)
    evening.bet("ann", "banker", 775_00)
    evening.play(BANKER_WINS)
    for who in sorted(evening.table.people):
        evening.do(commands.Leave(*DEALER, who))
    left = dict(evening.table.balances)
    evening.do(commands.CloseTable(*SUPERVISOR))
    evening.do(commands.OpenTable(*SUPERVISOR, settings(rules), 0, left))
    assert evening.table.balances[ROUNDING] == -3_75
    assert {name: minor for name, minor in evening.table.balances.items() if name != "bank"} == {
        name: minor for name, minor in left.items() if name != "bank"
    }


@pytest.mark.parametrize("smallest_minor", [0, -5, 10**15])
def test_the_smallest_chip_is_worth_something(smallest_minor: int) -> None:
    rules = book("commission")
    evening = Evening(rules)
    opening = commands.OpenTable(*SUPERVISOR, settings(rules, smallest_chip_minor=smallest_minor), FLOAT_MINOR)
    assert evening.refuse(opening, TableCode.BAD_SETTING).variant == "smallest_chip"


def test_nobody_alone_makes_a_small_win_a_large_one() -> None:
    """To open a table takes two people, to change its settings one."""
    rules = book("commission")
    evening = Evening(rules)
    evening.do(commands.OpenTable(*SUPERVISOR, settings(rules, smallest_chip_minor=CHIP_MINOR), FLOAT_MINOR))
    for chip_minor in (1, 2 * CHIP_MINOR, 1_000_000_00):
        change = commands.ChangeSettings(*SUPERVISOR, settings(rules, smallest_chip_minor=chip_minor))
        assert evening.refuse(change, TableCode.BAD_SETTING, *rules.topics[Topic.LAYOUTS]).variant == "fixed"
    evening.do(commands.ChangeSettings(*SUPERVISOR, settings(rules, smallest_chip_minor=CHIP_MINOR, most=50_000_00)))


@pytest.mark.parametrize("rules", COMMISSION_BOOKS, ids=lambda rules: rules.id)
def test_an_odd_bet_is_seen_when_it_is_placed(rules: Rulebook) -> None:
    at = settings(rules, smallest_chip_minor=CHIP_MINOR)
    assert odd_payouts(rules, at, "banker", 775_00) == (OddPayout("1", 736_25, 740_00),)
    assert odd_payouts(rules, at, "banker", 100_00) == ()
    assert odd_payouts(rules, at, "player", 775_00) == ()
    assert odd_payouts(rules, replace(at, smallest_chip_minor=1), "banker", 775_00) == ()
