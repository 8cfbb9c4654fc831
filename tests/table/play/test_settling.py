"""Settlement at the table, to the cent: results, postings, an empty felt."""

import pytest

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import Card
from punto.rules.coup.space import Winner
from punto.rules.money import Rounding
from punto.rules.rulebook import Rulebook
from punto.table.records import commands
from punto.table.records.events import RoundSettled
from punto.table.records.ledger import COMMISSION, FELT, FLOAT, LedgerImbalance, Posting, chips, post
from punto.table.refusals import TableCode
from tests.marks import BOOKS, INSURED, clause
from tests.table.numbers import cited, having
from tests.table.tables import BANKER_ON_FIVE, CHIPS_MINOR, DEALER, NATURAL, Evening, dealing

BANKER_NINE = "2s 9d Kh Kc"
"""Banker wins 9 to 2."""


def _settled(evening: Evening) -> RoundSettled:
    return evening.happened(RoundSettled)[-1]


def _posted(event: RoundSettled) -> dict[str, int]:
    assert len({posting.account for posting in event.postings}) == len(event.postings)
    return {posting.account: posting.amount_minor for posting in event.postings}


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(book("commission"), marks=clause("commission", "4.1.1")),
        pytest.param(book("commission-insurance"), marks=clause("commission-insurance", "4.1.1")),
        pytest.param(book("super-six-plus"), marks=clause("super-six-plus", "4.1.1")),
        pytest.param(book("tiger-buffalo"), marks=clause("tiger-buffalo", "4.1.1")),
    ],
    ids=lambda rules: rules.id,
)
def test_commission_is_an_account_of_its_own(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "banker", 33_33), ("ben", "banker", 100_00)).deal(BANKER_NINE).settle()
    event = _settled(evening)
    # 0.95 of 33.33 is 31.6635: 31.66 are paid and 1.67 kept
    assert _posted(event) == {
        FELT: -133_33,
        chips("ann"): 64_99,
        chips("ben"): 195_00,
        COMMISSION: 1_67 + 5_00,
        FLOAT: -133_33,
    }
    assert [one.commission_minor for one in event.results] == [1_67, 5_00]
    assert evening.table.balances[COMMISSION] == 6_67


def test_da_hu_ying_xiong_takes_no_commission() -> None:
    evening = dealing(book("da-hu-ying-xiong"), ("ann", "banker", 33_33)).deal(BANKER_NINE).settle()
    assert _posted(_settled(evening)) == {FELT: -33_33, chips("ann"): 66_66, FLOAT: -33_33}
    assert COMMISSION not in evening.table.balances


@pytest.mark.parametrize(
    ("rounding", "returned", "kept"),
    [(Rounding.DOWN, 64_99, 1_67), (Rounding.HALF_UP, 64_99, 1_67), (Rounding.UP, 65_00, 1_66)],
)
def test_the_tables_rounding_is_used(rounding: Rounding, returned: int, kept: int) -> None:
    rules = book("commission")
    evening = dealing(rules, ("ann", "banker", 33_33), rounding=rounding).deal(BANKER_NINE).settle()
    (result,) = _settled(evening).results
    assert (result.returned_minor, result.commission_minor) == (returned, kept)


@pytest.mark.parametrize("rules", having("house"))
def test_everybody_plays_against_the_house(rules: Rulebook) -> None:
    bets = (("ann", "player", 100_00), ("ben", "banker", 60_00), ("dan", "player", 40_00), ("cat", "tie", 10_00))
    evening = dealing(rules, *bets)
    before = dict(evening.table.balances)
    assert before[FELT] == 210_00
    evening.deal(NATURAL).settle()  # Player wins
    event = _settled(evening)
    assert (event.winner, event.player, event.banker) == (Winner.PLAYER, 9, 5)
    assert _posted(event) == {FELT: -210_00, chips("ann"): 200_00, chips("dan"): 80_00, FLOAT: -70_00}
    assert evening.table.balances[FLOAT] == before[FLOAT] - 70_00
    assert FELT not in evening.table.balances
    assert evening.chips == {
        "ann": CHIPS_MINOR + 100_00,
        "ben": CHIPS_MINOR - 60_00,
        "cat": CHIPS_MINOR - 10_00,
        "dan": CHIPS_MINOR + 40_00,
        "eve": CHIPS_MINOR,
    }


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_tie_returns_the_original_bets_and_pays_the_tie(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), ("ben", "banker", 60_00), ("cat", "tie", 10_00))
    evening.deal("9s 9d Kh Kc").settle()
    results = {one.who: one for one in _settled(evening).results}
    assert {who: one.result for who, one in results.items()} == {
        "ann": Result.PUSH,
        "ben": Result.PUSH,
        "cat": Result.WIN,
    }
    assert (results["ann"].returned_minor, results["ben"].returned_minor) == (100_00, 60_00)
    assert results["cat"].returned_minor == 90_00
    assert COMMISSION not in evening.table.balances
    assert all(one.clauses for one in results.values())


@pytest.mark.parametrize("rules", INSURED, ids=lambda rules: rules.id)
@pytest.mark.parametrize(
    ("third", "result"),
    [
        ("4c 2h", Result.LOSE),  # Player 6, Banker 7
        ("4c Kc", Result.WIN),  # 6 to 5
        ("4c Ac", Result.PUSH),  # 6 to 6
    ],
)
def test_insurance_is_settled_beside_the_bet(rules: Rulebook, third: str, result: Result) -> None:
    evening = dealing(rules, ("ann", "banker", 100_00)).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_01))
    evening.deal(third).settle()
    bet, cover = _settled(evening).results
    assert (cover.bet, cover.stage, cover.stake_minor, cover.result) == (
        "banker_insurance",
        Stage.FOUR,
        10_01,
        result,
    )
    wins = {"commission-insurance": 20_02}.get(rules.id, 15_01)  # at 2 to 1, at 3 to 2 rounded down
    assert cover.returned_minor == {Result.WIN: 10_01 + wins, Result.LOSE: 0, Result.PUSH: 10_01}[result]
    assert cover.commission_minor is None
    kept = bet.commission_minor or 0
    assert evening.chips["ann"] == CHIPS_MINOR - 110_01 + bet.returned_minor + cover.returned_minor
    assert _posted(_settled(evening)).get(COMMISSION, 0) == kept
    assert FELT not in evening.table.balances


def test_a_round_without_bets_moves_nothing() -> None:
    evening = dealing(book("commission"), ("ann", "tie", 1_00)).deal(NATURAL).settle().open_betting()
    before = dict(evening.table.balances)
    evening.play(NATURAL)
    assert (_settled(evening).results, _settled(evening).postings) == ((), ())
    assert evening.table.balances == before


def test_a_round_is_settled_once() -> None:
    evening = dealing(book("commission")).deal(NATURAL).settle()
    evening.refuse(commands.Settle(*DEALER), TableCode.NOT_DEALING, "3.7")
    evening.refuse(commands.DealCard(*DEALER, Card("As")), TableCode.NOT_DEALING, "3.4")


def test_postings_that_do_not_sum_to_zero_are_never_carried_out() -> None:
    with pytest.raises(LedgerImbalance, match="off by 1"):
        post({}, (Posting(FLOAT, -99), Posting(chips("ann"), 100)))


@pytest.mark.parametrize("rules", having("winner", "tie"))
@pytest.mark.parametrize(
    ("cards", "rule"), [(NATURAL, "winner"), (BANKER_NINE, "winner"), ("9s 9d Kh Kc", "tie")], ids=str
)
def test_the_settlement_cites_what_the_book_says_of_who_won(rules: Rulebook, cards: str, rule: str) -> None:
    evening = dealing(rules).deal(cards).settle()
    assert _settled(evening).clauses == cited(rules, rule)


def test_a_round_keeps_what_its_settlement_moved() -> None:
    evening = dealing(book("commission")).deal(NATURAL)
    assert evening.table.round is not None
    assert (evening.table.round.paid, evening.table.round.settled) == (None, False)
    evening.settle()
    assert (evening.table.round.paid, evening.table.round.settled) == (_settled(evening).postings, True)
    following = evening.open_betting().table.round
    assert following is not None
    assert (following.paid, following.settled) == (None, False)
    empty = evening.play(NATURAL).table.round  # nobody bet: nothing moved, but the round is settled
    assert empty is not None
    assert (empty.paid, empty.settled) == ((), True)
