"""Rulings on a settled round, until betting opens for the next one."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table import decide
from punto.table.records import commands, reports
from punto.table.records.events import RoundSettled
from punto.table.records.findings import RoundVoided, Ruled, SettlementReversed
from punto.table.records.kinds import Effect, Irregularity
from punto.table.records.ledger import COMMISSION, FELT, chips
from punto.table.records.positions import Position
from punto.table.records.reports import RuledBet
from punto.table.records.state import Phase, stakes
from punto.table.refusals import TableCode
from tests.marks import BOOKS, INSURED, reading
from tests.table.numbers import cited, having
from tests.table.tables import CHIPS_MINOR, DEALER, MANAGER, NATURAL, SHIFT, Evening, betting, dealing, ready

BANKER_WINS = "Ks 4d 6h 3c"
"""7 to 6, on four cards."""
VOID = reports.Rule(*SHIFT, "a card from the bottom", Effect.VOID)


def _limits(rules: Rulebook) -> dict[str, Any]:
    """A minimum and a differential that restrict nothing here."""
    if not rules.has(Topic.DIFFERENTIAL):
        return {}
    return {"least": 1, "differential_minor": 1_000_000_00}


def _return(*bets: RuledBet) -> reports.Rule:
    return reports.Rule(*SHIFT, "a card from the bottom", Effect.RETURN, bets)


def _all_bets(evening: Evening) -> tuple[RuledBet, ...]:
    now = evening.table.round
    assert now is not None
    keys = [*now.bets, *(covered.key for covered in now.insurance.cover)]
    return tuple(RuledBet(*key) for key in dict.fromkeys(keys))


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
@reading("errors_found_later")
def test_a_void_reverses_the_settlement_and_returns_every_bet(rules: Rulebook) -> None:
    before = ready(rules, **_limits(rules)).table
    evening = dealing(rules, ("ann", "banker", 100_00), ("dan", "tie", 7_00), **_limits(rules)).deal(BANKER_WINS)
    evening.settle()
    assert evening.chips["ann"] > CHIPS_MINOR
    ruled, back, void = evening.do(VOID)
    assert isinstance(ruled, Ruled)
    assert (ruled.effect, ruled.postings, ruled.clauses) == (Effect.VOID, (), cited(rules, "ruling"))
    assert isinstance(back, SettlementReversed)
    assert (back.round, back.clauses) == (1, cited(rules, "ruling"))
    assert isinstance(void, RoundVoided)
    assert (void.ground, void.clauses) == (Irregularity.RULING, cited(rules, "ruling") + cited(rules, "void_returns"))
    assert evening.table.balances == before.balances
    assert evening.table.round is not None
    assert (evening.table.round.settled, evening.table.round.results) == (False, ())
    evening.refuse(VOID, TableCode.NO_ROUND, *cited(rules, "ruling"))
    evening.refuse(_return(RuledBet("ann", 1, "banker")), TableCode.NO_ROUND, *cited(rules, "ruling"))
    evening.open_betting()


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_to_go_on_is_no_ruling_on_a_settled_round(rules: Rulebook) -> None:
    evening = dealing(rules, **_limits(rules)).deal(BANKER_WINS).settle()
    goes_on = replace(VOID, effect=Effect.CONTINUE)
    evening.refuse(goes_on, TableCode.NO_ROUND, *cited(rules, "ruling"))


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
@pytest.mark.parametrize("ruling", [VOID, _return(RuledBet("ann", 1, "banker"))], ids=["void", "return"])
def test_it_takes_a_shift_manager_after_the_settlement_too(rules: Rulebook, ruling: reports.Rule) -> None:
    evening = dealing(rules, **_limits(rules)).deal(BANKER_WINS).settle()
    by_manager = replace(ruling, by=MANAGER[0], position=MANAGER[1])
    evening.refuse(by_manager, TableCode.NOT_AUTHORISED, *cited(rules, "ruling"))
    evening.do(ruling)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_without_a_settled_round_there_is_nothing_to_rule_on(rules: Rulebook) -> None:
    evening = ready(rules, **_limits(rules))
    for ruling in (VOID, _return(RuledBet("ann", 1, "banker"))):
        evening.refuse(ruling, TableCode.NO_ROUND, *cited(rules, "ruling"))


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
@reading("errors_found_later")
def test_with_the_next_call_a_ruling_concerns_the_next_round(rules: Rulebook) -> None:
    evening = dealing(rules, **_limits(rules)).deal(BANKER_WINS).settle()
    settled = evening.table.balances
    evening.open_betting()
    evening.refuse(_return(RuledBet("ann", 1, "banker")), TableCode.NO_SUCH_BET, *cited(rules, "ruling"))
    evening.do(VOID)
    assert evening.happened(RoundVoided)[0].round == 2
    assert not evening.happened(SettlementReversed)
    assert evening.table.balances == settled


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_returned_bet_leaves_exactly_the_stake_once(rules: Rulebook) -> None:
    """The winnings and the commission of a won bet are taken back; the stake of a lost one is paid."""
    bets = (("ann", "banker", 100_00), ("ann", "tie", 5_00), ("ben", "banker", 30_00))
    evening = dealing(rules, *bets, **_limits(rules)).deal(BANKER_WINS).settle()
    others = dealing(rules, bets[2], **_limits(rules)).deal(BANKER_WINS).settle()
    won, lost = RuledBet("ann", 1, "banker"), RuledBet("ann", 1, "tie")
    for bet in (won, lost):
        (ruled,) = evening.do(_return(bet, bet))  # named twice, returned once
        assert isinstance(ruled, Ruled)
        assert FELT not in {posting.account for posting in ruled.postings}
        evening.refuse(_return(bet), TableCode.NO_SUCH_BET, *cited(rules, "ruling"))
    assert evening.table.balances == others.table.balances
    assert evening.table.round is not None
    assert others.table.round is not None
    assert dict(_pairs(evening.table.round.paid)) == dict(_pairs(others.table.round.paid))
    assert evening.table.round.results == others.table.round.results
    assert evening.table.phase is Phase.READY
    evening.open_betting()


def _pairs(postings: Any) -> list[tuple[str, int]]:
    return [(posting.account, posting.amount_minor) for posting in postings]


def test_one_wrong_name_refuses_the_whole_ruling() -> None:
    evening = dealing(book("commission")).deal(BANKER_WINS).settle()
    before = evening.table
    wrong = _return(RuledBet("ann", 1, "banker"), RuledBet("ann", 2, "banker"))
    evening.refuse(wrong, TableCode.NO_SUCH_BET)
    assert evening.table == before


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_player_who_has_spent_returned_winnings_owes_them(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), **_limits(rules)).deal(NATURAL).settle()
    evening.do(commands.Leave("ann", Position.PLAYER, "ann"))
    evening.do(commands.CashOut(*DEALER, "ann", CHIPS_MINOR + 100_00))
    evening.do(_return(RuledBet("ann", 1, "player")))
    assert evening.chips["ann"] == -100_00


@pytest.mark.parametrize("rules", having("uninsured_bet", among=INSURED))
@pytest.mark.parametrize("uninsured_first", [True, False])
def test_a_bet_goes_back_once_by_a_ruling_or_for_want_of_insurance(rules: Rulebook, *, uninsured_first: bool) -> None:
    changes = {**_limits(rules), "observing": True}
    evening = dealing(rules, ("ann", "banker", 100_00), ("ben", "banker", 40_00), **changes)
    for card in ("As", "2s", "Ad", "3d", "7c", "2h"):  # nobody offers insurance on Banker; Player wins 9 to 7
        evening.do(commands.DealCard(*DEALER, Card(card)))
    evening.settle()
    uninsured = reports.ReturnUninsuredBets(*MANAGER, "ann", 1, Side.BANKER, "she had asked for it")
    ruling = _return(RuledBet("ann", 1, "banker"))
    first, second = (uninsured, ruling) if uninsured_first else (ruling, uninsured)
    evening.do(first)
    assert (evening.chips["ann"], evening.chips["ben"]) == (CHIPS_MINOR, CHIPS_MINOR - 40_00)
    topic = "ruling" if uninsured_first else "uninsured_bet"
    evening.refuse(second, TableCode.NO_SUCH_BET, *cited(rules, topic))
    evening.do(VOID)
    assert set(evening.chips.values()) == {CHIPS_MINOR}
    assert FELT not in evening.table.balances


# ---- any round


def _play(rules: Rulebook, bets: list[tuple[str, str, int]], cards: list[Card], *, observing: bool) -> Evening | None:
    """A round on these cards, finished and not settled; every offer is taken. None if a bet was refused."""
    changes: dict[str, Any] = _limits(rules)
    if observing and changes:
        changes = {"least": 50, "differential_minor": 500, "observing": True}
    evening = betting(rules, **changes)
    for who, bet, stake_minor in bets:
        if isinstance(decide(rules, evening.table, evening.placing(who, bet, stake_minor)), Refusal):
            return None
        evening.bet(who, bet, stake_minor)
    evening.close_betting()
    for card in cards:
        if not isinstance(decide(rules, evening.table, commands.Settle(*MANAGER)), Refusal):
            break
        offer = commands.OpenInsurance(*DEALER)
        if not isinstance(decide(rules, evening.table, offer), Refusal):
            evening.do(offer)
            for who, bet, stake_minor in bets:
                insuring = evening.insuring(who, max(1, stake_minor // 7))
                if bet in ("player", "banker") and not isinstance(decide(rules, evening.table, insuring), Refusal):
                    evening.do(insuring)
        evening.do(commands.DealCard(*DEALER, card))
    return evening


_PEOPLE = ("ann", "ben", "dan")


@given(data=st.data())
@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_settled_round_goes_back_to_the_cent(rules: Rulebook, data: st.DataObject) -> None:
    menu = next(iter(rules.layouts.values())).menu
    bet = st.tuples(st.sampled_from(_PEOPLE), st.sampled_from(menu), st.integers(50, 2_000))
    seated = [("ann", "banker", data.draw(st.integers(50, 2_000)))]
    bets = seated + data.draw(st.lists(bet, max_size=5, unique_by=lambda each: each[:2]))
    cards = data.draw(st.lists(st.sampled_from(list(Card)), min_size=6, max_size=6))
    evening = _play(rules, bets, cards, observing=data.draw(st.booleans()))
    if evening is None:
        return
    start = dict.fromkeys(evening.chips, CHIPS_MINOR)
    unsettled, returned = evening.table, _all_bets(evening)
    evening.do(VOID)
    void = evening.table.balances
    assert (evening.chips, void.get(FELT), void.get(COMMISSION)) == (start, None, None)

    evening.table = unsettled
    evening.settle()
    settled = evening.table
    evening.do(VOID)
    assert evening.table.balances == void

    evening.table = settled
    evening.do(_return(*returned))
    assert evening.table.balances == void
    assert evening.table.round is not None
    assert (stakes(evening.table.round), evening.table.round.paid) == ([], ())

    evening.table = settled
    first = data.draw(st.sampled_from(returned))
    evening.do(_return(first))
    results = evening.happened(RoundSettled)[-1].results
    rest = sum(
        each.returned_minor - each.stake_minor
        for each in results
        if each.who == first.who and (each.box, each.bet) != (first.box, first.bet)
    )
    assert evening.table.balances[chips(first.who)] == CHIPS_MINOR + rest
    evening.do(VOID)
    assert evening.table.balances == void
