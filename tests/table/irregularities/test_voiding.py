"""Void rounds: each ground in each book, before settlement and after it, to the cent."""

from typing import Any

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.events import BettingOpened, RoundSettled
from punto.table.records.findings import (
    IrregularityRaised,
    IrregularityReported,
    RoundVoided,
    SettlementReversed,
    ShoeTakenOff,
)
from punto.table.records.kinds import Effect, Irregularity
from punto.table.records.ledger import COMMISSION, FELT
from punto.table.records.positions import Position
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode
from tests.marks import INSURED, clause, reading
from tests.table.numbers import cited, having
from tests.table.tables import (
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    MANAGER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    drawn_to,
    ready,
)

CI = book("commission-insurance")
WRONG = reports.ReportWrongNumber(*SUPERVISOR, reason="a card too many, nobody knows which")
GROUNDS: list[tuple[str, type[Any]]] = [
    ("foreign_card", reports.ReportForeignCard),
    ("card_count", reports.ReportCardCount),
    ("not_shuffled", reports.ReportNotShuffled),
]
"""Reports after which the shoe is removed."""
BEFORE = dict.fromkeys(("ann", "ben", "cat", "dan", "eve"), CHIPS_MINOR)
SIX_CARDS = f"{BANKER_ON_FIVE} 4c 2h"
"""Player 6, Banker 7, six cards; the only pair is Player's aces."""


def _full(rules: Rulebook, **changes: Any) -> Evening:
    """Betting is closed: seated and standing bets, side bets that are decided early, one player in two boxes."""
    evening = ready(rules, **changes)
    evening.do(commands.Sit("ann", Position.PLAYER, "ann", 4))
    evening.open_betting()
    side = "tiger_pair" if rules.id == "da-hu-ying-xiong" else "player_pair"
    for who, bet, stake, box in (
        ("ann", "banker", 333_33, 1),
        ("ann", side, 7_77, 1),
        ("ann", "player", 50_00, 4),
        ("dan", "banker", 11_11, 1),
        ("ben", "player", 100_00, 2),
        ("ben", "tie", 5_00, 2),
    ):
        evening.bet(who, bet, stake, box)
    return evening.close_betting()


def _is_void(evening: Evening, ground: Irregularity, rules: str) -> RoundVoided:
    """Check that all bets are returned, nothing is settled and the round has no result."""
    (void,) = evening.happened(RoundVoided)
    clauses = cited(evening.rules, rules) + cited(evening.rules, "void") + cited(evening.rules, "void_returns")
    assert (void.ground, void.clauses) == (ground, clauses)
    table = evening.table
    assert evening.chips == BEFORE
    assert not {FELT, COMMISSION} & set(table.balances)
    assert table.phase is Phase.READY
    assert table.round is not None
    assert (table.round.irregularities.void, table.round.paid, table.round.results) == (ground, None, ())
    assert (table.round.over, table.round.settled) == (True, False)
    return void


def _having(name: str, *more: str) -> list[Any]:
    return having(name, "void", "void_returns", "void_means", *more)


PARAMETERS = [
    pytest.param(*each.values, name, report, id=f"{name}-{each.id}", marks=each.marks)
    for name, report in GROUNDS
    for each in _having(name)
]


@reading("void_returns_everything", "new_shoe")
@pytest.mark.parametrize(("rules", "name", "report"), PARAMETERS)
@pytest.mark.parametrize("dealt", range(7))
def test_a_bad_set_of_cards_voids_the_round_at_any_moment(
    rules: Rulebook, name: str, report: type[Any], dealt: int
) -> None:
    evening = _full(rules).deal(" ".join(SIX_CARDS.split()[:dealt]))
    reported, void, gone = evening.do(report(*SUPERVISOR, "it has a red back"))
    assert isinstance(reported, IrregularityReported)
    assert (reported.kind, reported.round, reported.clauses) == (Irregularity(name), 1, cited(rules, name))
    assert (reported.reason, void) == ("it has a red back", _is_void(evening, Irregularity(name), name))
    assert gone == ShoeTakenOff("s1", cited(rules, name))
    assert evening.table.shoe is None
    assert evening.table.carried == ()
    evening.refuse(commands.OpenBetting(*DEALER), TableCode.NO_SHOE)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s2", 8))
    evening.open_betting()
    assert evening.happened(BettingOpened)[-1].round == 2


@pytest.mark.parametrize(("rules", "name", "report"), PARAMETERS)
def test_it_voids_bets_that_are_still_open(rules: Rulebook, name: str, report: type[Any]) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 100_00)
    evening.bet("dan", "tie", 1)
    evening.do(report(*SUPERVISOR))
    _is_void(evening, Irregularity(name), name)


@reading("void_returns_everything")
@pytest.mark.parametrize(("rules", "name", "report"), PARAMETERS)
def test_a_settled_round_stands_if_it_is_found_later(rules: Rulebook, name: str, report: type[Any]) -> None:
    evening = dealing(rules).deal("2s 9d Kh Kc").settle()  # Banker wins 9 to 2
    before = evening.table
    reported, gone = evening.do(report(*SUPERVISOR))
    assert (type(reported), gone) == (IrregularityReported, ShoeTakenOff("s1", cited(rules, name)))
    assert (evening.table.balances, evening.table.round) == (before.balances, before.round)
    assert evening.table.shoe is None


@reading("void_returns_everything")
@pytest.mark.parametrize(("rules", "name", "report"), PARAMETERS)
def test_rounds_before_the_void_one_stand(rules: Rulebook, name: str, report: type[Any]) -> None:
    evening = dealing(rules).deal("2s 9d Kh Kc").settle()
    stands = dict(evening.table.balances)
    evening.open_betting()
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal("2s 9d")
    evening.do(report(*SUPERVISOR))
    assert evening.table.balances == stands
    assert [(void.round, void.ground) for void in evening.happened(RoundVoided)] == [(2, Irregularity(name))]


@pytest.mark.parametrize("rules", INSURED, ids=lambda rules: rules.id)
@reading("void_returns_everything")
def test_insurance_is_returned_too(rules: Rulebook) -> None:
    evening = _full(rules).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 12_34))
    evening.do(evening.insuring("dan", 1))
    assert evening.chips["dan"] == CHIPS_MINOR - 11_11 - 1
    evening.deal("4c 2h")
    evening.do(reports.ReportForeignCard(*SUPERVISOR))
    _is_void(evening, Irregularity.FOREIGN_CARD, "foreign_card")


@pytest.mark.parametrize("rules", having("pro_rata", "void_returns"))
@reading("void_returns_everything")
def test_a_bet_that_would_have_played_pro_rata_is_returned_in_full(rules: Rulebook) -> None:
    evening = betting(rules, observing=True, differential_minor=100_00)
    evening.bet("ann", "banker", 300_00)
    evening.close_betting().deal(NATURAL)
    assert evening.table.round is not None
    assert evening.table.round.bets["ann", 1, "banker"].played_minor == 100_00
    evening.do(WRONG)
    _is_void(evening, Irregularity.WRONG_NUMBER, "wrong_number")


# ---- a wrong number of cards


@pytest.mark.parametrize("rules", _having("wrong_number"))
@pytest.mark.parametrize("dealt", range(1, 7))
@reading("void_returns_everything")
def test_a_hand_with_a_wrong_number_of_cards_voids_if_it_cannot_be_reconstructed(rules: Rulebook, dealt: int) -> None:
    evening = _full(rules).deal(" ".join(SIX_CARDS.split()[:dealt]))
    reported, void = evening.do(WRONG)
    assert isinstance(reported, IrregularityReported)
    assert (reported.kind, reported.reconstructable) == (Irregularity.WRONG_NUMBER, False)
    assert void == _is_void(evening, Irregularity.WRONG_NUMBER, "wrong_number")
    assert evening.table.shoe is not None  # nothing is wrong with its cards
    assert evening.table.carried == ()
    evening.open_betting()


@pytest.mark.parametrize("rules", having("wrong_number", "reconstruction"))
def test_it_goes_on_if_it_can_be_reconstructed(rules: Rulebook) -> None:
    evening = _full(rules).deal(NATURAL)
    could = replace(WRONG, cards=(None,), reconstructable=True, to=Side.PLAYER)
    reported = evening.do(could)[0]
    assert isinstance(reported, IrregularityReported)
    assert (reported.kind, reported.reconstructable) == (Irregularity.WRONG_NUMBER, True)
    assert reported.as_dealt is not None
    assert reported.should_be is not None
    assert (len(reported.as_dealt.player), len(reported.should_be.player)) == (3, 2)
    evening.settle()
    assert not evening.happened(RoundVoided)
    assert len(evening.table.carried) == 1


@pytest.mark.parametrize("rules", _having("wrong_number"))
@reading("void_returns_everything")
def test_it_voids_a_settled_round_to_the_cent_commission_too(rules: Rulebook) -> None:
    evening = _full(rules)
    evening.deal(SIX_CARDS).settle()  # Banker wins 7 to 6
    paid = evening.happened(RoundSettled)[0]
    if rules.id != "da-hu-ying-xiong":
        assert evening.table.balances[COMMISSION] > 0
    assert evening.chips != BEFORE
    reported, back, void = evening.do(WRONG)
    assert isinstance(reported, IrregularityReported)
    assert isinstance(back, SettlementReversed)
    assert (back.round, back.clauses) == (1, cited(rules, "wrong_number"))
    assert dict(_pairs(back)) == {account: -amount for account, amount in _pairs(paid)}
    assert void == _is_void(evening, Irregularity.WRONG_NUMBER, "wrong_number")
    evening.refuse(WRONG, TableCode.NO_ROUND, *cited(rules, "wrong_number"))


def _pairs(event: RoundSettled | SettlementReversed) -> list[tuple[str, int]]:
    return [(posting.account, posting.amount_minor) for posting in event.postings]


@pytest.mark.parametrize("rules", having("wrong_number"))
def test_with_the_next_call_for_bets_it_stands(rules: Rulebook) -> None:
    evening = _full(rules).deal(SIX_CARDS).settle()
    settled = dict(evening.table.balances)
    evening.open_betting()
    evening.refuse(WRONG, TableCode.TOO_LATE, *cited(rules, "wrong_number"))
    evening.close_betting()
    evening.refuse(WRONG, TableCode.NO_ROUND, *cited(rules, "wrong_number"))
    assert evening.table.balances == settled


@pytest.mark.parametrize("rules", _having("wrong_number"))
def test_a_player_who_has_spent_the_winnings_owes_them(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00)).deal(NATURAL).settle()
    evening.do(commands.Leave("ann", Position.PLAYER, "ann"))
    evening.do(commands.CashOut(*DEALER, "ann", CHIPS_MINOR + 100_00))
    assert "ann" not in evening.table.people
    evening.do(WRONG)
    assert evening.chips["ann"] == -100_00
    assert FELT not in evening.table.balances
    evening.refuse(commands.CashOut(*DEALER, "ann", 1), TableCode.NOT_ENOUGH_CHIPS)
    evening.do(commands.BuyIn(*DEALER, "ann", 150_00))
    assert evening.chips["ann"] == 50_00


@pytest.mark.parametrize("rules", _having("wrong_number"))
@reading("leaving_during_a_round")
def test_a_player_who_left_and_returned_keeps_their_place(rules: Rulebook) -> None:
    evening = dealing(rules, ("ann", "player", 100_00), ("dan", "player", 20_00))
    for who in ("ann", "dan"):
        evening.do(commands.Leave(who, Position.PLAYER, who))
    evening.deal(NATURAL).settle()
    assert "ann" not in evening.table.seats.values()
    evening.do(commands.Sit("ann", Position.PLAYER, "ann", 5))
    evening.do(commands.StandBehind("dan", Position.PLAYER, "dan", 5))
    evening.do(WRONG)
    assert evening.table.seats[5] == "ann"
    assert evening.table.behind["dan"] == {5}
    _is_void(evening, Irregularity.WRONG_NUMBER, "wrong_number")


@pytest.mark.parametrize("rules", having("wrong_number", "void_returns", among=INSURED))
def test_a_player_with_only_insurance_stays_among_the_people_while_owing(rules: Rulebook) -> None:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_00))
    bet = reports.RuledBet("ann", 1, "banker")
    evening.do(reports.Rule(*SHIFT, "the chip rolled there", Effect.RETURN, (bet,)))
    evening.deal("7c 2h").settle()  # Player wins 9 to 7
    won = {"commission-insurance": 20_00}.get(rules.id, 15_00)  # at 2 to 1, or at 3 to 2
    assert evening.chips["ann"] == CHIPS_MINOR + won
    evening.do(commands.Leave("ann", Position.PLAYER, "ann"))
    evening.do(commands.CashOut(*DEALER, "ann", CHIPS_MINOR + won))
    assert "ann" not in evening.table.people
    evening.do(WRONG)
    assert evening.chips["ann"] == -won


@pytest.mark.parametrize("rules", having("wrong_number", "uninsured_bet", among=INSURED))
def test_a_correction_after_settlement_is_reversed_with_it(rules: Rulebook) -> None:
    evening = dealing(rules, observing=True).deal(f"{BANKER_ON_FIVE} 7c 2h").settle()  # Player wins 9 to 7
    assert evening.chips["ann"] == CHIPS_MINOR - 100_00
    evening.do(reports.ReturnUninsuredBets(*MANAGER, "ann", 1, Side.BANKER, "the player had asked"))
    assert evening.chips["ann"] == CHIPS_MINOR
    evening.do(WRONG)
    _is_void(evening, Irregularity.WRONG_NUMBER, "wrong_number")


# ---- a shoe run out


@reading("left_over_cards", "new_shoe")
@pytest.mark.parametrize("rules", _having("shoe_run_out"))
def test_a_card_that_is_needed_and_not_there_voids_the_round(rules: Rulebook) -> None:
    evening = _short(rules, 4)
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal("Kd Kd Kc Kc")
    assert evening.table.shoe is not None
    assert evening.table.shoe.left == 0
    for who in (DEALER, SUPERVISOR):
        evening.refuse(commands.DealCard(*who), TableCode.SHOE_EMPTY, *cited(rules, "shoe_run_out"))
    evening.refuse(reports.ReportShoeRunOut(*DEALER), TableCode.NOT_AUTHORISED)
    reported, void, gone = evening.do(reports.ReportShoeRunOut(*SUPERVISOR, "none came out"))
    assert isinstance(reported, IrregularityReported)
    assert (reported.kind, reported.clauses) == (Irregularity.SHOE_RUN_OUT, cited(rules, "shoe_run_out"))
    assert reported.reason == "none came out"
    assert isinstance(void, RoundVoided)
    run_out = cited(rules, "shoe_run_out") + cited(rules, "void") + cited(rules, "void_returns")
    assert (void.ground, void.clauses) == (Irregularity.SHOE_RUN_OUT, run_out)
    assert gone == ShoeTakenOff("s1", cited(rules, "shoe_run_out"))
    assert evening.chips == {"ann": CHIPS_MINOR}
    assert evening.table.shoe is None


@reading("left_over_cards")
@pytest.mark.parametrize("rules", having("shoe_run_out"))
def test_a_shoe_is_not_run_out_as_long_as_nothing_is_missing(rules: Rulebook) -> None:
    evening = _short(rules, 4).close_betting().deal("9d 9d 9c 9c")
    assert evening.table.shoe is not None
    assert evening.table.shoe.left == 0
    evening.settle()
    assert not evening.happened(RoundVoided)
    evening.refuse(commands.OpenBetting(*DEALER), TableCode.SHOE_EMPTY, *cited(rules, "shoe_run_out"))


@pytest.mark.parametrize("rules", having("shoe_run_out"))
def test_a_table_that_deals_by_itself_voids_the_round_at_once(rules: Rulebook) -> None:
    evening = _short(rules, 4).close_betting().deal("Kd Kd Kc Kc")
    evening.do(commands.DealCard("house", Position.HOUSE))
    assert [void.ground for void in evening.happened(RoundVoided)] == [Irregularity.SHOE_RUN_OUT]


@pytest.mark.parametrize("rules", having("shoe_run_out", "card_count", "foreign_card"))
def test_at_a_felt_table_an_empty_count_voids_nothing_and_a_card_is_raised(rules: Rulebook) -> None:
    evening = _short(rules, 4, observing=True).close_betting().deal("Kd Kd Kc Kc")
    run_out = cited(rules, "shoe_run_out")
    for who in (DEALER, SUPERVISOR, ("house", Position.HOUSE)):
        evening.refuse(commands.DealCard(*who), TableCode.SHOE_EMPTY, *run_out)
    counted = cited(rules, "card_count")
    (raised,) = evening.do(commands.DealCard(*DEALER, Card("5h")))
    assert isinstance(raised, IrregularityRaised)
    assert raised.kind is (Irregularity.CARD_COUNT if counted else Irregularity.FOREIGN_CARD)
    assert (raised.card, raised.place) == (Card("5h"), 5)
    evening.refuse(reports.ReportShoeRunOut(*SUPERVISOR), TableCode.IRREGULARITY_OPEN, *(counted or ("5.1.1",)))
    evening.do(reports.DismissIrregularity(*SUPERVISOR, "read twice"))
    evening.do(reports.ReportShoeRunOut(*SUPERVISOR))
    assert [void.ground for void in evening.happened(RoundVoided)] == [Irregularity.SHOE_RUN_OUT]


@pytest.mark.parametrize("rules", having("shoe_run_out", "card_count", "foreign_card"))
def test_a_card_face_down_beyond_the_count_is_raised_without_its_face(rules: Rulebook) -> None:
    evening = _short(rules, 3, observing=True, face_down=True).close_betting().deal_unseen(3)
    (raised,) = evening.do(commands.DealCard(*DEALER))
    assert isinstance(raised, IrregularityRaised)
    assert (raised.card, raised.place) == (None, 4)
    assert raised.kind is (Irregularity.CARD_COUNT if cited(rules, "card_count") else Irregularity.FOREIGN_CARD)
    assert not evening.happened(RoundVoided)


@pytest.mark.parametrize("rules", having("shoe_run_out"))
def test_an_empty_shoe_is_reported_only_where_its_card_is_needed(rules: Rulebook) -> None:
    run_out, report = cited(rules, "shoe_run_out"), reports.ReportShoeRunOut(*SUPERVISOR)
    evening = _short(rules, 4)
    evening.refuse(report, TableCode.NOT_DEALING, *cited(rules, "first_four"))
    evening.close_betting().deal("9d 9d")
    evening.refuse(report, TableCode.SHOE_NOT_EMPTY, *run_out)  # two are left
    evening.deal("9c 9c")
    evening.refuse(report, TableCode.SHOE_NOT_EMPTY, *run_out)  # two naturals
    felt = _short(rules, 4, observing=True).close_betting().deal("9d 9d")
    assert RoundVoided in map(type, felt.do(report))  # the felt is the truth, whatever the count says


@pytest.mark.parametrize(("left", "recorded"), [(5, 5), (6, None)])
def test_a_call_with_fewer_cards_than_a_round_may_need_is_on_record(left: int, recorded: int | None) -> None:
    opened = _short(book("commission-insurance"), left).happened(BettingOpened)[-1]
    assert opened.left == recorded


def _short(rules: Rulebook, left: int, **changes: bool) -> Evening:
    """A shoe with this many cards left, betting open, ann seated."""
    evening = drawn_to(rules, 20)
    evening.do(commands.BuyIn(*DEALER, "ann", CHIPS_MINOR))
    evening.do(commands.Sit("ann", Position.PLAYER, "ann", 1))
    table = evening.table
    assert table.shoe is not None
    shoe = replace(table.shoe, drawn=table.shoe.decks * 52 - left, seen=bytes(52))
    assert table.settings is not None
    settings = replace(table.settings, **changes)
    evening.table = replace(table, settings=settings, shoe=shoe, round=None, phase=Phase.READY, carried=())
    return evening.open_betting()


# ---- commission, version 3


@reading("commission_version_three")
@clause("commission", "5.1")
def test_the_older_book_has_three_grounds_and_no_other() -> None:
    rules = book("commission")
    evening = _full(rules).deal("2s 9d Kh")
    for kind in (
        reports.ReportInterruption(*SUPERVISOR),
        reports.ReportCardCount(*SUPERVISOR),
        reports.ReportNotShuffled(*SUPERVISOR),
        reports.ReportExcessCard(*SUPERVISOR, (None,)),
        reports.ReportWrongSide(*SUPERVISOR, (Side.BANKER,) * 3),
        reports.ReportSimultaneousCards(*DEALER, (None, None)),
        reports.ReportDealingError(*SUPERVISOR, "it fell"),
        reports.ReportLaterError(*DEALER, 1, "x"),
        reports.CallTime(*SUPERVISOR),
    ):
        evening.refuse(kind, TableCode.NOT_IN_BOOK)
    evening.deal("Kc").settle()  # an interruption voids nothing: the round resumes
    assert evening.happened(RoundSettled)


@reading("commission_version_three")
@clause("commission", "5.1.2")
def test_the_older_book_reconstructs_without_options() -> None:
    evening = _full(book("commission")).deal("2s 9d")
    could = replace(WRONG, cards=(None,), reconstructable=True)
    assert [type(event).__name__ for event in evening.do(could)] == ["IrregularityReported", "CardsDrawnOutOfTurn"]
    assert evening.table.round is not None
    assert evening.table.round.irregularities.options is None
    evening.deal("Kh Kc").settle()
    assert evening.happened(RoundSettled)[0].banker == 9


@clause("commission-insurance", "1.21", "5.16")
def test_a_void_round_is_nobodys_result() -> None:
    evening = _full(CI).deal(NATURAL)
    evening.do(WRONG)
    table: Table = evening.table
    evening.refuse(commands.Settle(*DEALER), TableCode.NOT_DEALING, *cited(CI, "winner"))
    assert evening.table is table
    assert not evening.happened(RoundSettled)
