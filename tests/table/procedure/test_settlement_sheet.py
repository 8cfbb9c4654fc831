"""The settlement sheet: takes before pays, in the order of the hands, with the chips."""

from punto import book
from punto.rules.bets.pay_lines import Result
from punto.table.procedure.chip_set import USUAL_CHIPS, ChipSet
from punto.table.procedure.settlement_sheet import Move, SheetLine, settlement_sheet
from punto.table.records import commands, reports
from punto.table.records.events import RoundSettled, SettledBet
from punto.table.records.kinds import Effect
from punto.table.records.ledger import tray_minor as tray_minor_of
from punto.table.records.settings import BoxEnd, Settings
from punto.table.records.state import as_played
from tests.table.corrections.slips import felt
from tests.table.tables import BANKER_ON_FIVE, DEALER, NATURAL, SHIFT, Evening

RULES = book("commission-insurance")
BANKER_WINS = "Ks 4d 6h 3c"
"""7 to 6, on four cards."""


def sheet(evening: Evening, chip_set: ChipSet = USUAL_CHIPS) -> tuple[SheetLine, ...]:
    at = as_played(evening.table).settings
    assert at is not None
    return settlement_sheet(RULES, at, evening.happened(RoundSettled)[-1].results, chip_set)


def order(lines: tuple[SheetLine, ...]) -> list[tuple[str, int, str]]:
    return [(line.move.value, line.box, line.bet) for line in lines]


def chips_of(line: SheetLine) -> dict[int, int]:
    return {each.chip.value_minor: each.count for each in line.chips}


def _bets(evening: Evening) -> Evening:
    for who, bet, stake_minor in (
        ("cat", "player", 100_00),
        ("ben", "banker", 50_00),
        ("ann", "tie", 5_00),
        ("ann", "player", 100_00),
        ("ben", "tie", 5_00),
        ("cat", "banker", 20_00),
        ("dan", "player", 30_00),
    ):
        evening.bet(who, bet, stake_minor)
    return evening


TAKES_UPWARDS = [("take", 1, "tie"), ("take", 2, "banker"), ("take", 2, "tie"), ("take", 3, "banker")]
PAYS_DOWNWARDS = [("pay", 3, "player"), ("pay", 1, "player"), ("pay", 1, "player")]


def test_takes_come_first_from_the_dealers_right_and_pays_the_other_way() -> None:
    lines = sheet(_bets(felt(RULES)).play(NATURAL))
    assert order(lines) == TAKES_UPWARDS + PAYS_DOWNWARDS
    assert [line.who for line in lines if line.move is Move.PAY] == ["cat", "ann", "dan"]


def test_a_house_can_start_at_the_other_end() -> None:
    lines = sheet(_bets(felt(RULES, takes_from=BoxEnd.LAST)).play(NATURAL))
    assert order(lines) == [
        ("take", 3, "banker"),
        ("take", 2, "banker"),
        ("take", 2, "tie"),
        ("take", 1, "tie"),
        ("pay", 1, "player"),
        ("pay", 1, "player"),
        ("pay", 3, "player"),
    ]


def test_banker_is_shown_both_ways_and_in_chips() -> None:
    evening = felt(RULES)
    evening.bet("ann", "banker", 775_00)
    (line,) = sheet(evening.play(BANKER_WINS))
    assert (line.stake_minor, line.odds) == (775_00, "1")
    assert (line.winnings_minor, line.commission_minor, line.moved_minor) == (775_00, 38_75, 736_25)
    assert (chips_of(line), line.left_minor) == ({500_00: 1, 100_00: 2, 25_00: 1, 5_00: 2, 1_00: 1}, 25)


def test_what_is_handed_over_is_rounded_to_the_smallest_chip() -> None:
    evening = felt(RULES, smallest_chip_minor=5_00)
    evening.bet("ann", "banker", 775_00)
    (line,) = sheet(evening.play(BANKER_WINS))
    assert (line.winnings_minor, line.commission_minor, line.rounded_minor) == (775_00, 38_75, 3_75)
    assert (line.moved_minor, line.left_minor) == (740_00, 0)


def test_a_lost_bet_is_taken_as_it_lies_and_its_part_in_chips() -> None:
    evening = felt(RULES, differential_minor=300_00)
    evening.bet("ann", "banker", 1_000_00)
    evening.bet("ben", "banker", 50_00)
    lines = sheet(evening.play(NATURAL))
    assert [(line.moved_minor, chips_of(line)) for line in lines] == [(300_00, {100_00: 3}), (50_00, {})]


def test_insurance_is_with_its_side_and_a_returned_bet_has_no_line() -> None:
    evening = felt(RULES)
    evening.bet("ann", "banker", 100_00)
    evening.bet("ann", "tie", 5_00)
    evening.close_betting().deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_00))
    evening.deal("7c 2h").settle()  # Player 9, Banker 7
    lines = sheet(evening)
    assert order(lines) == [("take", 1, "banker"), ("take", 1, "tie"), ("pay", 1, "banker_insurance")]
    assert lines[-1].stage is not None
    evening.open_betting()
    evening.bet("ann", "player", 100_00)
    evening.bet("ann", "tie", 5_00)
    assert order(sheet(evening.play("9s 9d Kh Kc"))) == [("pay", 1, "tie")]


def test_what_is_paid_and_taken_is_what_the_round_moved() -> None:
    evening = _bets(felt(RULES)).play(NATURAL)
    moved = sum(line.moved_minor if line.move is Move.PAY else -line.moved_minor for line in sheet(evening))
    results = evening.happened(RoundSettled)[-1].results
    assert moved == sum(result.returned_minor - result.stake_minor for result in results)


# ---- debts


def _owing(owed_minor: int) -> Evening:
    """Ann won this and took it away; then the round was voided."""
    evening = felt(RULES)
    evening.bet("ann", "player", owed_minor)
    evening.play(NATURAL)
    evening.do(commands.Leave(*DEALER, "ann"))
    evening.do(reports.Rule(*SHIFT, "smoke", Effect.VOID))
    assert evening.table.chips_minor("ann") == -owed_minor
    return evening.open_betting()


def owing_sheet(evening: Evening) -> tuple[SheetLine, ...]:
    now = evening.table.round
    at = as_played(evening.table).settings
    assert now is not None
    assert at is not None
    return settlement_sheet(RULES, at, now.results, USUAL_CHIPS, now.owed)


def test_a_debt_is_kept_back_from_the_next_winnings() -> None:
    evening = _owing(195_00)
    tray_minor = tray(evening)
    evening.do(commands.PlaceBet(*DEALER, "ann", 1, "player", 300_00))
    (line,) = owing_sheet(evening.play(NATURAL))
    assert (line.moved_minor, line.kept_minor, line.handed_minor) == (300_00, 195_00, 105_00)
    assert chips_of(line) == {100_00: 1, 5_00: 1}
    assert tray(evening) == tray_minor - line.handed_minor  # what the dealer did, and what the record expects


def test_what_the_winnings_do_not_cover_is_kept_back_from_stakes() -> None:
    evening = _owing(195_00)
    tray_minor = tray(evening)
    evening.do(commands.PlaceBet(*DEALER, "ann", 1, "player", 120_00))
    take, pay = owing_sheet(evening.play(NATURAL))
    assert (pay.move, pay.moved_minor, pay.kept_minor, pay.handed_minor, pay.chips) == (Move.PAY, 120_00, 120_00, 0, ())
    assert (take.move, take.bet, take.moved_minor, take.kept_minor) == (Move.TAKE, "player", 75_00, 75_00)
    assert tray(evening) == tray_minor + take.handed_minor - pay.handed_minor


def test_a_debt_is_kept_back_from_what_goes_back_of_a_bet_that_played_in_part() -> None:
    played = SettledBet("ann", 1, "player", 100_00, Result.LOSE, 40_00, ())
    for owed_minor, moved_minor, chips in ((25_00, 85_00, {25_00: 3, 5_00: 2}), (500_00, 100_00, {})):
        (line,) = settlement_sheet(RULES, Settings(layout="A", boxes=7), [played], USUAL_CHIPS, {"ann": owed_minor})
        assert (line.move, line.moved_minor, line.kept_minor) == (Move.TAKE, moved_minor, moved_minor - 60_00)
        assert chips_of(line) == chips


def test_a_debt_stays_if_nothing_comes_back() -> None:
    evening = _owing(195_00)
    evening.do(commands.PlaceBet(*DEALER, "ann", 1, "banker", 120_00))
    (line,) = owing_sheet(evening.play(NATURAL))
    assert (line.move, line.moved_minor, line.kept_minor) == (Move.TAKE, 120_00, 0)
    assert evening.table.chips_minor("ann") == -195_00


def test_chips_bought_since_do_not_change_what_was_kept_back() -> None:
    evening = _owing(195_00)
    evening.do(commands.PlaceBet(*DEALER, "ann", 1, "player", 300_00))
    evening.play(NATURAL)
    evening.do(commands.BuyIn(*DEALER, "ann", 1000_00))
    assert [line.kept_minor for line in owing_sheet(evening)] == [195_00]


def test_who_owes_nothing_is_paid_in_full() -> None:
    evening = felt(RULES)
    evening.do(commands.PlaceBet(*DEALER, "ann", 1, "player", 300_00))
    (line,) = owing_sheet(evening.play(NATURAL))
    assert (line.kept_minor, line.handed_minor) == (0, 300_00)


def tray(evening: Evening) -> int:
    return tray_minor_of(evening.table.balances)
