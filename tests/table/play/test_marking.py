"""How far the settlement sheet is taken and paid: on record, line by line."""

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Face
from punto.table.play.payouts import is_marked, left_to_pay, payout_of
from punto.table.records import commands
from punto.table.records.commands import MarkPaid
from punto.table.records.corrections import CorrectCard
from punto.table.records.events import PaymentsMarked, Payout, RoundSettled
from punto.table.records.kinds import Effect
from punto.table.records.positions import Position
from punto.table.records.reports import Rule
from punto.table.refusals import TableCode
from tests.table.corrections.slips import Entries, felt, played
from tests.table.tables import BANKER_ON_FIVE, DEALER, MANAGER, NATURAL, SHIFT, SUPERVISOR, Evening, opened, ready

RULES = book("commission-insurance")
TAKEN = Payout("ben", 2, "banker", -50_00)
PAID = Payout("ann", 1, "player", 100_00)
ALL = MarkPaid(*DEALER)


def one(line: Payout) -> MarkPaid:
    return MarkPaid(*DEALER, (line,))


def felt_with(*bets: tuple[str, str, int]) -> Evening:
    evening = felt(RULES)
    for bet in bets:
        evening.bet(*bet)
    return evening


def settled() -> Evening:
    """Player wins; the tie of Ann's is lost too."""
    return felt_with(("ann", "player", 100_00), ("ben", "banker", 50_00), ("ann", "tie", 5_00)).play(NATURAL)


def left(evening: Evening) -> set[Payout]:
    now = evening.table.round
    assert now is not None
    return set(map(payout_of, left_to_pay(now)))


def test_a_line_is_marked_once_and_the_others_are_left() -> None:
    evening = settled()
    lost = Payout("ann", 1, "tie", -5_00)
    assert left(evening) == {TAKEN, PAID, lost}
    assert evening.do(one(TAKEN)) == (PaymentsMarked(1, (TAKEN,)),)
    assert left(evening) == {PAID, lost}
    assert evening.refuse(one(TAKEN), TableCode.NOTHING_TO_PAY).variant == "line"
    (rest,) = evening.do(ALL)
    assert isinstance(rest, PaymentsMarked)
    assert set(rest.lines) == {PAID, lost}
    assert left(evening) == set()
    for command in (ALL, one(PAID)):
        assert evening.refuse(command, TableCode.NOTHING_TO_PAY).variant == ""


def test_a_line_marked_by_a_slip_is_still_to_be_done() -> None:
    evening = settled()
    evening.do(one(TAKEN))
    evening.do(one(PAID))
    back = MarkPaid(*DEALER, (PAID,), taken_back=True)
    assert evening.do(back) == (PaymentsMarked(1, (PAID,), taken_back=True),)
    assert left(evening) == {PAID, Payout("ann", 1, "tie", -5_00)}
    for command in (back, MarkPaid(*DEALER, (replace(TAKEN, amount_minor=-1),), taken_back=True)):
        assert evening.refuse(command, TableCode.NOTHING_TO_PAY).variant == "not_done"
    evening.do(one(PAID))
    everything = MarkPaid(*DEALER, taken_back=True)
    assert evening.do(everything) == (PaymentsMarked(1, (PAID, TAKEN), taken_back=True),)
    assert len(left(evening)) == 3
    assert evening.refuse(everything, TableCode.NOTHING_TO_PAY).variant == "not_done"


def test_a_line_done_before_a_correction_and_not_after_all_is_on_the_new_sheet_as_a_whole() -> None:
    evening = settled()
    evening.do(one(PAID))
    for draw, card in ((0, "8h"), (1, "9d")):  # Banker wins nine to eight
        evening.do(CorrectCard(*MANAGER, "s1", draw, Face(card), "misread"))
    rest = left(evening)
    evening.do(MarkPaid(*DEALER, (PAID,), taken_back=True))
    now = evening.table.round
    assert now is not None
    assert left(evening) == {each for each in map(payout_of, now.results) if each.amount_minor} > rest
    assert not any(is_marked(now, each) for each in now.differences)


def test_a_line_named_twice_is_marked_once() -> None:
    assert settled().do(MarkPaid(*DEALER, (TAKEN, PAID, TAKEN))) == (PaymentsMarked(1, (TAKEN, PAID)),)


@pytest.mark.parametrize("changed", [{"amount_minor": 100_01}, {"box": 2}, {"stage": Stage.FOUR}, {"who": "cat"}])
def test_a_line_that_the_sheet_does_not_have_is_refused(changed: dict[str, object]) -> None:
    evening = settled()
    evening.refuse(MarkPaid(*DEALER, (TAKEN, replace(PAID, **changed))), TableCode.NOTHING_TO_PAY)
    assert TAKEN in left(evening)


def test_what_lies_untouched_has_no_line() -> None:
    evening = felt_with(("ann", "player", 100_00)).play("9s 9d Kh Kc")
    assert left(evening) == set()
    evening.refuse(ALL, TableCode.NOTHING_TO_PAY)


def test_what_is_kept_back_from_a_stake_has_a_line() -> None:
    """Ann owes what she took away of a round that was voided, and pushes."""
    evening = felt_with(("ann", "player", 100_00)).play(NATURAL)
    evening.do(commands.Leave(*DEALER, "ann"))
    evening.do(Rule(*SHIFT, "smoke", Effect.VOID))
    evening.open_betting()
    evening.do(commands.PlaceBet(*DEALER, "ann", 1, "player", 50_00))
    evening.do(commands.PlaceBet(*DEALER, "ben", 2, "player", 50_00))
    evening.play("9s 9d Kh Kc")
    line = Payout("ann", 1, "player", 0)
    assert left(evening) == {line}
    evening.do(one(line))
    assert left(evening) == set()


def test_it_is_for_the_settled_round_until_the_next_call() -> None:
    evening = felt_with(("ann", "player", 100_00))
    evening.refuse(ALL, TableCode.NOTHING_TO_PAY)
    evening.play(NATURAL)
    evening.do(commands.OpenBetting(*DEALER))
    evening.refuse(ALL, TableCode.NOTHING_TO_PAY)
    opened(RULES).refuse(ALL, TableCode.NOTHING_TO_PAY)
    settled().refuse(MarkPaid("ann", Position.PLAYER), TableCode.NOT_AUTHORISED)
    ready(RULES, cards_only=True).refuse(ALL, TableCode.CARDS_ONLY)


def test_insurance_has_a_line_of_its_own_for_each_stage() -> None:
    four, third = (Stage.FOUR, "ann"), (Stage.THIRD, "ann")
    bets = {("ann", "banker"): 100_00, ("ann", "player"): 50_00}
    entries = Entries(bets, f"{BANKER_ON_FIVE} 4c 7d", insured={four: 10_00, third: 5_00})
    evening = played(RULES, entries)
    lines = {line.stage: line for line in left(evening)}
    assert set(lines) == {None, Stage.FOUR, Stage.THIRD}
    before = left(evening)
    evening.do(one(lines[Stage.FOUR]))
    assert left(evening) == before - {lines[Stage.FOUR]}


def test_a_line_done_before_a_correction_stays_done_and_the_difference_says_the_rest() -> None:
    """Box 2 was taken when the card is corrected, and it is a tie: what goes back is among the differences."""
    evening = settled()
    evening.do(one(TAKEN))
    first = evening.happened(RoundSettled)[-1]
    evening.do(CorrectCard(*MANAGER, "s1", 1, Face("6d"), "misread"))
    again = evening.happened(RoundSettled)[-1]
    assert again.winner != first.winner
    now = evening.table.round
    assert now is not None
    assert {(each.who, each.bet) for each in now.differences if is_marked(now, each)} == {("ben", "banker")}
    assert {(line.who, line.bet) for line in left(evening)} == {("ann", "tie")}


def test_a_person_who_is_named_later_keeps_the_marks() -> None:
    evening = felt(RULES)
    evening.do(commands.PlaceBet(*DEALER, "box 5", 5, "player", 100_00))
    evening.play(NATURAL)
    evening.do(one(Payout("box 5", 5, "player", 100_00)))
    evening.do(commands.IdentifyPlayer(*DEALER, "box 5", "P000123"))
    assert left(evening) == set()


def test_the_next_round_starts_without_marks() -> None:
    evening = settled()
    evening.do(MarkPaid(*SUPERVISOR))
    evening.open_betting()
    evening.bet("ben", "banker", 50_00)
    evening.play(NATURAL)
    assert left(evening) == {TAKEN}
