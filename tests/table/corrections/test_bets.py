"""Bets that lay there at the close and were typed later, wrongly or not at all."""

from typing import Any

import pytest

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, corrections, reports
from punto.table.records.correction_events import BetCorrected
from punto.table.records.events import (
    BetPlaced,
    InsuranceMissed,
    Limit,
    LimitFlagged,
    PlayerStood,
    RoundSettled,
    SqueezeLapsed,
)
from punto.table.records.findings import InsuranceRejudged, OptionsGiven
from punto.table.records.kinds import Choice, Effect
from punto.table.records.ledger import BROUGHT, FELT, MISPAID, Posting, chips
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.marks import BOOKS, LATER
from tests.table.corrections.slips import (
    SETTLED,
    Entries,
    correct_bet,
    differences,
    end_of,
    felt,
    give,
    played,
)
from tests.table.numbers import cited, having
from tests.table.tables import (
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    opened,
    settings,
)

RIGHT = {("ann", "banker"): 100_00, ("ben", "player"): 50_00, ("dan", "banker"): 20_00, ("cat", "tie"): 10_00}
SLIPS = {
    "too much": ({("ann", "banker"): 1000_00}, [correct_bet("ann", "banker", 100_00)]),
    "too little": ({("ben", "player"): 5_00}, [correct_bet("ben", "player", 50_00)]),
    "not typed": ({("cat", "tie"): 0}, [correct_bet("cat", "tie", 10_00)]),
    "none lay there": ({("ben", "tie"): 30_00}, [correct_bet("ben", "tie", 0)]),
    "another player": (
        {("dan", "banker"): 0, ("eve", "banker"): 20_00},
        [correct_bet("eve", "banker", 0), correct_bet("dan", "banker", 20_00)],
    ),
    "another bet": (
        {("ben", "player"): 0, ("ben", "banker"): 50_00},
        [correct_bet("ben", "banker", 0), correct_bet("ben", "player", 50_00)],
    ),
    "twice": (
        {("ann", "banker"): 10_00},
        [correct_bet("ann", "banker", 900_00), correct_bet("ann", "banker", 100_00)],
    ),
}


def _entries(bets: dict[tuple[str, str], int], cards: str) -> Entries:
    return Entries({key: stake for key, stake in (RIGHT | bets).items() if stake}, cards)


@pytest.mark.parametrize("rules", having("chips_position"))
@pytest.mark.parametrize("moment", [0, 1, 4, SETTLED])
@pytest.mark.parametrize("slip", SLIPS)
def test_after_the_correction_everything_is_as_without_the_slip(rules: Rulebook, moment: int, slip: str) -> None:
    wrong, fixes = SLIPS[slip]
    for cards in (NATURAL, "9s Kd Kh 9c", "9s 2d 9h 7c"):
        right = played(rules, _entries({}, cards))
        assert end_of(played(rules, _entries(wrong, cards), fixes, moment)) == end_of(right), cards


def test_the_same_in_the_book_without_a_clause_on_it() -> None:
    rules = book("commission")
    for slip, (wrong, fixes) in SLIPS.items():
        for moment in (0, 4, SETTLED):
            right, corrected = (
                played(rules, _entries({}, NATURAL)),
                played(rules, _entries(wrong, NATURAL), fixes, moment),
            )
            assert end_of(corrected) == end_of(right), slip
            assert not any(event.clauses for event in corrected.happened(BetCorrected))


@pytest.mark.parametrize("rules", having("chips_position", "pro_rata"))
@pytest.mark.parametrize("moment", [0, 4, SETTLED])
def test_how_much_plays_is_worked_out_anew_for_the_whole_box(rules: Rulebook, moment: int) -> None:
    limits: dict[str, Any] = {"least": 10_00, "differential_minor": 100_00}
    bets = {("ann", "banker"): 300_00, ("dan", "banker"): 200_00, ("eve", "player"): 50_00, ("ben", "tie"): 5_00}
    right = played(rules, Entries(bets, NATURAL), **limits)
    assert {one.who: one.played_minor for one in right.happened(RoundSettled)[0].results} == {
        "ann": 90_00,
        "dan": 60_00,
        "eve": None,
        "ben": None,
    }
    slip = Entries(bets | {("ann", "banker"): 30_00}, NATURAL)
    corrected = played(rules, slip, [correct_bet("ann", "banker", 300_00)], moment, **limits)
    assert end_of(corrected) == end_of(right)
    (event,) = corrected.happened(BetCorrected)
    assert (event.was_minor, event.stake_minor, event.corrected_by) == (30_00, 300_00, "sue")
    assert {part.who: part.played_minor for part in event.played} == {"ann": 90_00, "dan": 60_00}
    flags = [(flag.box, flag.limit) for flag in corrected.happened(LimitFlagged)]
    assert flags.count((1, Limit.DIFFERENTIAL)) == 1


@pytest.mark.parametrize("rules", having("chips_position", "options", "pro_rata"))
def test_bets_taken_back_still_count_for_what_plays(rules: Rulebook) -> None:
    limits: dict[str, Any] = {"least": 10_00, "differential_minor": 100_00}
    evening = felt(rules, **limits)
    for who, bet, stake in (("ann", "banker", 30_00), ("dan", "banker", 200_00), ("eve", "player", 50_00)):
        evening.bet(who, bet, stake)
    evening.close_betting().deal("As 2s")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell"))
    evening.do(reports.ChooseOption(*DEALER, "eve", Choice.RETURN))
    evening.do(reports.CallTime(*SUPERVISOR))
    evening.do(correct_bet("ann", "banker", 300_00))
    (event,) = evening.happened(BetCorrected)
    assert {part.who: part.played_minor for part in event.played} == {"ann": 90_00, "dan": 60_00}


# ---- who may, and until when


def test_the_dealer_corrects_until_the_first_card() -> None:
    rules = book("commission-insurance")
    evening = felt(rules)
    evening.bet("ann", "banker", 100_00)
    evening.close_betting()
    by_dealer, by_supervisor = (correct_bet("ann", "banker", 50_00, by) for by in (DEALER, SUPERVISOR))
    evening.do(by_dealer)
    evening.do(correct_bet("ann", "banker", 100_00, DEALER))
    evening.deal("9s")
    refusal = evening.refuse(by_dealer, TableCode.NOT_AUTHORISED, "5.14")
    assert "A card of the round is out." in refusal.message
    evening.deal("2d Kh 3c").settle()
    evening.refuse(by_dealer, TableCode.NOT_AUTHORISED, "5.14")
    evening.do(by_supervisor)
    evening.open_betting()
    late = evening.refuse(by_supervisor, TableCode.TOO_LATE, "5.11")
    assert "report_later_error" in late.message
    assert "rule" in late.message


def test_a_card_out_of_turn_is_a_card_of_the_round_and_one_from_before_is_not() -> None:
    rules = book("commission-insurance")
    evening = felt(rules).close_betting().deal(NATURAL).settle()
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (None,)))
    evening.open_betting().close_betting()
    evening.do(correct_bet("ann", "banker", 50_00, DEALER))
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (None,)))
    evening.do(reports.CallTime(*SUPERVISOR))
    evening.refuse(correct_bet("ann", "banker", 60_00, DEALER), TableCode.NOT_AUTHORISED, "5.14")


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_too_late_says_what_to_do_instead(rules: Rulebook) -> None:
    evening = felt(rules)
    evening.play(NATURAL).open_betting()
    refusal = evening.refuse(
        correct_bet("ann", "banker", 1_00),
        TableCode.TOO_LATE,
        *(cited(rules, "later_error") if rules.id in LATER else ()),
    )
    assert ("report_later_error" in refusal.message) is (rules.id in LATER)
    assert "shift manager" in refusal.message


def test_only_at_a_felt_table_and_only_with_a_round() -> None:
    rules = book("commission-insurance")
    fix = correct_bet("ann", "banker", 1_00)
    betting(rules).close_betting().refuse(fix, TableCode.FELT_TABLES_ONLY)
    evening = felt(rules)
    evening.do(reports.ReportInterruption(*SUPERVISOR, "no light"))
    evening.refuse(fix, TableCode.NO_ROUND)


def test_what_is_no_bet_is_refused() -> None:
    rules = book("commission-insurance")
    evening = felt(rules)
    evening.bet("ann", "banker", 100_00)
    evening.close_betting()
    evening.refuse(correct_bet("ann", "banker", 100_00), TableCode.NOTHING_TO_CORRECT, "5.14")
    evening.refuse(correct_bet("ben", "banker", 0), TableCode.NOTHING_TO_CORRECT, "5.14")
    evening.refuse(correct_bet("ann", "banker", -1), TableCode.AMOUNT_NOT_POSITIVE)
    evening.refuse(correct_bet("ann", "banker", 10**15), Code.AMOUNT_TOO_LARGE)
    evening.refuse(corrections.CorrectBet(*DEALER, "zoe", 1, "banker", 5), TableCode.UNKNOWN_PERSON)
    evening.refuse(corrections.CorrectBet(*DEALER, "ann", 99, "banker", 5), Code.UNKNOWN_BOX, "2.1.1(a)")
    evening.refuse(corrections.CorrectBet(*DEALER, "ann", 1, "banker", 5, "\n"), TableCode.REASON_NEEDED)
    assert correct_bet("ann", "dragon", 5).bet not in rules.bets
    evening.refuse(correct_bet("ann", "dragon", 5), Code.BET_NOT_ON_LAYOUT, "3.7")


def test_bets_that_somebody_took_off_the_felt_are_not_corrected() -> None:
    rules = book("commission-insurance")
    evening = felt(rules)
    for who in ("ann", "ben"):
        evening.bet(who, "banker", 100_00)
    evening.close_betting().deal("As 2s")
    evening.do(reports.Rule(*SHIFT, "sorry", Effect.RETURN, (reports.RuledBet("ben", 2, "banker"),)))
    evening.refuse(correct_bet("ben", "banker", 5_00), TableCode.NO_SUCH_BET, "5.18")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell"))
    evening.do(reports.ChooseOption(*DEALER, "ann", Choice.RETURN))
    refusal = evening.refuse(correct_bet("ann", "banker", 5_00), TableCode.NO_SUCH_BET, "5.12.3")
    assert "correct_option" in refusal.message
    evening.do(corrections.CorrectOption(*DEALER, "ann", Choice.CONTINUE))
    evening.do(correct_bet("ann", "banker", 5_00))


# ---- chips and people


def test_chips_on_record_are_staked_first_and_chips_brought_go_back_first() -> None:
    rules = book("commission-insurance")
    evening = felt(rules)
    evening.bet("ann", "banker", CHIPS_MINOR - 10_00)
    evening.close_betting()
    evening.do(correct_bet("ann", "banker", CHIPS_MINOR + 90_00))
    assert evening.happened(BetCorrected)[0].postings == (
        Posting(chips("ann"), -10_00),
        Posting(FELT, 100_00),
        Posting(BROUGHT, -90_00),
    )
    evening.do(correct_bet("ann", "banker", CHIPS_MINOR + 30_00))
    assert evening.happened(BetCorrected)[1].postings == (Posting(FELT, -60_00), Posting(BROUGHT, 60_00))
    evening.do(correct_bet("ann", "banker", CHIPS_MINOR - 5_00))
    assert evening.happened(BetCorrected)[2].postings == (
        Posting(FELT, -35_00),
        Posting(chips("ann"), 5_00),
        Posting(BROUGHT, 30_00),
    )


@pytest.mark.parametrize("moment", ["closed", "settled"])
def test_somebody_nobody_knows_is_taken_in(moment: str) -> None:
    rules = book("commission-insurance")
    evening = felt(rules)
    evening.bet("ann", "banker", 100_00)
    evening.close_betting()
    if moment == "settled":
        evening.deal(NATURAL).settle()
    for who, box, seated in (("box 5", 5, True), ("behind box 1", 1, False), ("P000123", 1, False)):
        evening.do(corrections.CorrectBet(*SUPERVISOR, who, box, "player", 20_00))
        assert evening.happened(BetCorrected)[-1].seated is seated
        assert who in evening.table.people
    assert evening.table.seats[5] == "box 5"
    assert [event.who for event in evening.happened(PlayerStood)][-2:] == ["behind box 1", "P000123"]
    if moment == "settled":
        assert evening.table.chips_minor("box 5") == 40_00
    refusal = evening.refuse(corrections.CorrectBet(*SUPERVISOR, "box 1", 1, "player", 5), TableCode.BOX_TAKEN, "1.18")
    assert "'ann'" in refusal.message


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
@pytest.mark.parametrize("moment", ["closed", "settled"])
def test_somebody_who_was_taken_in_bets_on_in_the_next_round(rules: Rulebook, moment: str) -> None:
    evening = felt(rules).close_betting()
    if moment == "settled":
        evening.deal(NATURAL).settle()
    evening.do(corrections.CorrectBet(*SUPERVISOR, "box 5", 5, "player", 50_00))
    if moment == "closed":
        evening.deal(NATURAL).settle()
    assert evening.table.chips_minor("box 5") == 100_00
    evening.open_betting()
    evening.do(commands.PlaceBet(*DEALER, "box 5", 5, "player", 50_00))


def test_a_request_to_squeeze_lapses_if_the_right_bets_give_the_hand_to_somebody_else() -> None:
    rules = book("commission-insurance")
    evening = felt(rules, face_down=True)
    evening.bet("ann", "banker", 100_00)
    evening.bet("ben", "banker", 50_00)
    evening.do(commands.RequestSqueeze("ann", Position.PLAYER, "ann", Side.BANKER))
    evening.close_betting()
    evening.do(correct_bet("ben", "banker", 500_00, DEALER))
    assert [lapsed.who for lapsed in evening.happened(SqueezeLapsed)] == ["ann"]


def test_while_players_choose_the_right_people_choose() -> None:
    rules = book("commission-insurance")
    evening = felt(rules)
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal("As 2s")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell"))
    evening.do(correct_bet("ben", "player", 10_00))
    assert evening.happened(OptionsGiven)[-1].players == ("ann", "ben")
    evening.do(correct_bet("ann", "banker", 0))
    assert evening.happened(OptionsGiven)[-1].players == ("ben",)
    evening.do(correct_bet("ben", "player", 0))
    assert evening.table.round is not None
    assert evening.table.round.irregularities.options is None


# ---- insurance


@pytest.mark.parametrize("moment", ["dealing", "settled"])
def test_insurance_above_the_cap_of_the_right_bet_goes_back(moment: str) -> None:
    """The winnings of insurance are at most the Original Bet."""
    rules = book("commission-insurance")
    evening = felt(rules)
    evening.bet("ann", "banker", 1000_00)
    evening.close_betting().deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    (odds,) = [event.odds for event in evening.events if hasattr(event, "odds") and hasattr(event, "makes_good")]
    evening.do(evening.insuring("ann", 60_00))
    before = evening.table.chips_minor("ann")
    if moment == "settled":
        evening.deal("6c 3h").settle()
    evening.do(correct_bet("ann", "banker", 100_00))
    (rejudged,) = evening.happened(InsuranceRejudged)
    left = int(100_00 // float(odds))
    assert [covered.stake_minor for covered in rejudged.cover] == [left]
    assert rejudged.clauses == ("5.14", "3.12.2")
    if moment == "dealing":
        assert evening.table.chips_minor("ann") == before + 900_00 + 60_00 - left


@pytest.mark.parametrize("rules", having("insurance"))
def test_without_the_bet_its_insurance_goes_back(rules: Rulebook) -> None:
    evening = felt(rules)
    evening.bet("ann", "banker", 1000_00)
    evening.bet("ben", "banker", 100_00)
    evening.close_betting().deal(BANKER_ON_FIVE)
    evening.do(commands.OpenInsurance(*DEALER))
    for who in ("ann", "ben"):
        evening.do(evening.insuring(who, 10_00))
    evening.do(correct_bet("ann", "banker", 0))
    (rejudged,) = evening.happened(InsuranceRejudged)
    assert [(covered.who, covered.stake_minor) for covered in rejudged.cover] == [("ann", 0), ("ben", 10_00)]
    assert evening.table.chips_minor("ann") == CHIPS_MINOR


# ---- what a dealer pays and collects


def _settled(rules: Rulebook, **bets: int) -> Evening:
    """Player won 9 to 5; the bets are on Player, or on Banker if negative."""
    evening = felt(rules)
    for who, stake in bets.items():
        evening.bet(who, "player" if stake > 0 else "banker", abs(stake))
    return evening.play(NATURAL)


def test_the_differences_are_what_the_dealer_pays_and_collects() -> None:
    rules = book("commission-insurance")
    for before, fix, expected in (
        # paid 100 on 100; 300 lay there: 200 more
        ({"ann": 100_00}, correct_bet("ann", "player", 300_00), {("ann", "player"): 200_00}),
        # paid 100 on 100; only 20 lay there: 80 too much
        ({"ann": 100_00}, correct_bet("ann", "player", 20_00), {("ann", "player"): -80_00}),
        # paid 100; nothing lay there
        ({"ann": 100_00}, correct_bet("ann", "player", 0), {("ann", "player"): -100_00}),
        # the dealer took the chips of the lost bet, whatever their number
        ({"ann": -100_00}, correct_bet("ann", "banker", 30_00), {}),
        # a lost bet that was not known was left lying
        ({"ben": 10_00}, correct_bet("ann", "banker", 30_00), {("ann", "banker"): -30_00}),
        # a won bet that was not known was not paid
        ({"ben": 10_00}, correct_bet("ann", "player", 30_00), {("ann", "player"): 30_00}),
    ):
        evening = _settled(rules, **before)
        give(evening, [fix])
        assert differences(evening) == expected, fix
        assert evening.table.phase is Phase.READY


def test_a_bet_on_record_keeps_who_placed_it_and_a_new_one_names_who_entered_it() -> None:
    evening = _settled(book("commission-insurance"), ann=100_00)
    evening.do(corrections.CorrectBet(*SUPERVISOR, "ann", 1, "player", 50_00, "counted again"))
    evening.do(correct_bet("ben", "banker", 5_00))
    assert evening.table.round is not None
    placed = {key[0]: bet.placed_by for key, bet in evening.table.round.bets.items()}
    assert placed == {"ann": "ann", "ben": "sue"}
    assert evening.happened(BetCorrected)[0].reason == "counted again"
    assert [bet.stake_minor for bet in evening.happened(BetPlaced)] == [100_00]


# ---- people who bought no chips here


@pytest.mark.parametrize("rules", having("chips_position"))
@pytest.mark.parametrize("moment", ["closed", "dealt", "settled"])
@pytest.mark.parametrize(("typed", "lay"), [(500_00, 100_00), (20_00, 100_00), (0, 100_00), (80_00, 0)])
def test_chips_brought_along_are_as_without_the_slip(rules: Rulebook, moment: str, typed: int, lay: int) -> None:
    ends = []
    for stake, fixed in ((lay, False), (typed, True)):
        evening = opened(rules, observing=True)
        evening.do(commands.LoadShoe(*SUPERVISOR, "s1", rules.decks.most))
        evening.do(commands.BuyIn(*DEALER, "box 3", 30_00))
        evening.open_betting()
        _record(evening, "P000123", 3, "tie", 5_00)
        _record(evening, "box 3", 3, "banker", 10_00)
        _record(evening, "box 3", 3, "player", stake)
        evening.close_betting()
        fix = corrections.CorrectBet(*SUPERVISOR, "box 3", 3, "player", lay)
        for now, step in (("closed", "9s 2d"), ("dealt", "Kh 3c"), ("settled", "")):
            if now == "settled":
                evening.settle()
            if fixed and now == moment:
                evening.do(fix)
            evening.deal(step)
        ends.append(end_of(evening))
    assert ends[0] == ends[1]


def _record(evening: Evening, who: str, box: int, bet: str, stake_minor: int) -> None:
    if stake_minor:
        evening.do(commands.PlaceBet(*DEALER, who, box, bet, stake_minor))


def test_what_somebody_who_left_after_the_settlement_was_paid_too_much_is_lost() -> None:
    evening = _settled(book("commission-insurance"), ann=100_00)
    evening.do(commands.Leave(*DEALER, "ann"))
    assert "ann" not in evening.table.people
    evening.do(correct_bet("ann", "player", 40_00))
    assert differences(evening) == {("ann", "player"): -60_00}
    assert evening.table.balances[MISPAID] == -60_00
    assert "ann" not in evening.table.people


def test_a_table_that_records_cards_only_has_no_bets_to_correct() -> None:
    rules = book("commission-insurance")
    evening = opened(rules, cards_only=True)
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", 8))
    evening.open_betting().close_betting().deal(BANKER_ON_FIVE)
    evening.refuse(correct_bet("box 1", "banker", 5_00), TableCode.CARDS_ONLY)
    stake = corrections.CorrectInsurance(*SUPERVISOR, Stage.FOUR, "box 1", 1, 5_00)
    evening.refuse(stake, TableCode.CARDS_ONLY)
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(corrections.CorrectInsurance(*DEALER, Stage.FOUR, offered=False))
    evening.do(commands.OpenInsurance(*DEALER))
    evening.deal("Kc").settle()
    evening.do(corrections.CorrectInsurance(*SUPERVISOR, Stage.FOUR, offered=False))
    assert evening.happened(InsuranceMissed)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_a_bet_typed_late_is_not_paid_with_what_somebody_else_left_at_the_place(rules: Rulebook) -> None:
    """The chips were carried over from the last closing."""
    evening = Evening(rules)
    carried = {"chips:box 2": 10_00}
    evening.do(commands.OpenTable(*SUPERVISOR, settings(rules, observing=True), 1_000_00, carried))
    evening.do(commands.LoadShoe(*SUPERVISOR, "s1", rules.decks.most))
    evening.open_betting().close_betting()
    late = corrections.CorrectBet(*DEALER, "box 2", 2, "banker", 5_00)
    evening.refuse(late, TableCode.CHIPS_LEFT_HERE)
    evening.do(commands.CashOut(*DEALER, "box 2", 10_00))
    evening.do(late)
