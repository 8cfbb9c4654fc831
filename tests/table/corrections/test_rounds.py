"""Betting closed by a slip, and rounds without bets and cards."""

import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.correction_events import BettingReopened, RoundCancelled
from punto.table.records.corrections import CancelRound, CorrectCard, CorrectPayment, ReopenBetting
from punto.table.records.events import BettingClosed, BettingOpened
from punto.table.records.kinds import SqueezeState
from punto.table.records.pit_calls import CallPit
from punto.table.records.positions import Position
from punto.table.records.settings import ContinuousShuffler
from punto.table.records.state import Phase, Round
from punto.table.refusals import TableCode
from tests.marks import BOOKS
from tests.table.corrections.slips import correct_bet, end_of, felt
from tests.table.numbers import having
from tests.table.tables import DEALER, MANAGER, NATURAL, SUPERVISOR, Evening, betting, ready

REOPEN, CANCEL = ReopenBetting(*DEALER), CancelRound(*DEALER)


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_after_betting_is_reopened_everything_is_as_without_the_slip(rules: Rulebook) -> None:
    ends = []
    for slip in (False, True):
        evening = felt(rules)
        evening.bet("ann", "banker", 100_00)
        if slip:
            evening.close_betting().do(REOPEN)
        evening.bet("ann", "banker", 20_00)
        evening.bet("ben", "player", 10_00)
        ends.append(end_of(evening.play(NATURAL)))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("rules", having("pro_rata"))
def test_the_next_close_decides_again_how_much_plays(rules: Rulebook) -> None:
    evening = felt(rules, least=10_00, differential_minor=100_00)
    evening.bet("ann", "banker", 150_00)
    evening.close_betting().do(REOPEN)
    assert evening.table.round is not None
    assert {placed.played_minor for placed in evening.table.round.bets.values()} == {None}
    evening.do(evening.withdrawing("ann", "banker", 60_00))
    evening.close_betting()
    assert [len(closed.played) for closed in evening.happened(BettingClosed)] == [1, 0]


def test_requests_to_squeeze_that_lapsed_come_back_as_they_were() -> None:
    evening = felt(book("commission-insurance"), face_down=True)
    evening.bet("ann", "banker", 10_00)
    for side in Side:
        evening.do(commands.RequestSqueeze("ann", Position.PLAYER, "ann", side))
    evening.do(commands.GrantSqueeze(*SUPERVISOR, Side.BANKER))
    evening.bet("ben", "banker", 20_00)
    evening.close_betting()
    assert evening.table.round is not None
    assert {squeeze.state for squeeze in evening.table.round.squeezes} == {SqueezeState.LAPSED}
    evening.do(REOPEN)
    assert evening.table.round is not None
    states = {squeeze.side: squeeze.state for squeeze in evening.table.round.squeezes}
    assert states == {Side.PLAYER: SqueezeState.ASKED, Side.BANKER: SqueezeState.GRANTED}


def test_the_dealer_reopens_while_no_bet_was_corrected_since_the_close() -> None:
    evening = felt(book("commission-insurance"))
    evening.bet("ann", "banker", 10_00)
    evening.close_betting()
    evening.do(correct_bet("ann", "banker", 20_00, DEALER))
    evening.refuse(REOPEN, TableCode.NOT_AUTHORISED)
    evening.do(ReopenBetting(*SUPERVISOR, "too early"))
    assert evening.happened(BettingReopened)[0].reason == "too early"
    assert evening.stakes == {("ann", 1, "banker"): 20_00}
    evening.close_betting().do(REOPEN)


def test_not_once_a_card_is_out_and_only_at_a_felt_table() -> None:
    rules = book("commission-insurance")
    evening = felt(rules)
    evening.refuse(REOPEN, TableCode.NOT_DEALING, "3.8", "5.6")
    evening.close_betting().deal("9s")
    evening.refuse(REOPEN, TableCode.CARD_OUT, "3.8", "5.6")
    evening.deal("2d Kh 3c").settle()
    evening.refuse(REOPEN, TableCode.NOT_DEALING, "3.8", "5.6")
    betting(rules).close_betting().refuse(REOPEN, TableCode.FELT_TABLES_ONLY)
    evening = felt(rules).close_betting()
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (None,)))
    evening.refuse(REOPEN, TableCode.CARD_OUT, "3.8", "5.6")


# ---- cancelling


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
@pytest.mark.parametrize("closed", [False, True])
def test_a_round_without_bets_and_cards_is_cancelled_and_keeps_its_number(
    rules: Rulebook,
    closed: bool,  # noqa: FBT001 - a parameter
) -> None:
    evening = betting(rules)
    evening.bet("ann", "banker", 10_00)
    evening.do(evening.withdrawing("ann", "banker", 10_00))
    balances = evening.table.balances
    if closed:
        evening.close_betting()
    evening.do(CANCEL)
    assert evening.table.phase is Phase.READY
    assert evening.table.round is not None
    assert evening.table.round.over
    assert not evening.table.round.settled
    assert evening.table.balances == balances
    assert evening.happened(RoundCancelled) == [RoundCancelled(1)]
    evening.refuse(CANCEL, TableCode.NO_ROUND)
    evening.refuse(reports.ReportWrongNumber(*SUPERVISOR, (Card("As"),)), TableCode.NO_ROUND, *_wrong_number(rules))
    evening.open_betting()
    assert evening.happened(BettingOpened)[-1].round == 2


def _wrong_number(rules: Rulebook) -> tuple[str, ...]:
    return ("5.1.2",) if rules.id == "commission" else ("5.5.3",)


def test_it_does_not_count_as_a_round_after_the_cut_card() -> None:
    evening = ready(book("commission-insurance"), rounds_after_cut_card=1)
    assert evening.table.shoe is not None
    shoe = replace(evening.table.shoe, cut_card_out=True)
    evening.table = replace(evening.table, shoe=shoe)
    for _ in range(3):
        evening.open_betting().do(CANCEL)
        assert evening.table.shoe == shoe
        assert evening.happened(BettingOpened)[-1].last


def test_it_does_not_count_backwards_if_the_cut_card_comes_out_in_it() -> None:
    evening = ready(book("commission-insurance")).open_betting()
    assert evening.table.shoe is not None
    shoe = replace(evening.table.shoe, cut_card_out=True)
    evening.table = replace(evening.table, shoe=shoe)
    evening.do(CANCEL)
    assert evening.table.shoe == shoe


def test_a_round_with_bets_or_cards_is_not_cancelled() -> None:
    rules = book("commission-insurance")
    evening = betting(rules)
    evening.bet("ann", "banker", 10_00)
    evening.refuse(CANCEL, TableCode.ROUND_HAS_BETS)
    evening = betting(rules).close_betting().deal("9s")
    evening.refuse(CANCEL, TableCode.CARD_OUT)
    evening = betting(rules)
    evening.do(reports.ReportExcessCard(*SUPERVISOR, (Card("5h"),)))
    evening.refuse(CANCEL, TableCode.CARD_OUT)
    ready(rules).refuse(CANCEL, TableCode.NO_ROUND)


# ---- what a cancelled call gives back


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
@pytest.mark.parametrize("closed", [False, True])
def test_the_round_before_can_be_corrected_as_if_there_had_been_no_call(
    rules: Rulebook,
    closed: bool,  # noqa: FBT001 - a parameter
) -> None:
    ends = []
    for slips in (0, 1, 2):
        evening = felt(rules)
        evening.bet("ann", "banker", 100_00)
        evening.bet("ben", "player", 50_00)
        evening.close_betting().deal(NATURAL).settle()
        evening.do(PAYMENT)
        before = evening.table
        for _ in range(slips):
            evening.open_betting()
            assert _refused(evening, STAKE) is TableCode.TOO_LATE
            if closed:
                evening.close_betting()
            evening.do(CANCEL)
        assert before.round is not None
        assert evening.table == replace(before, round=replace(before.round, calls_cancelled=slips))
        assert [event.restores for event in evening.happened(RoundCancelled)] == [1] * slips
        card = CorrectCard(*MANAGER, before.round.shoes[3], before.round.draws[3], Card("7c"), "misread")
        for command in (card, STAKE, PAYMENT):
            evening.do(command)
        now = evening.table.round
        assert now is not None
        assert now.settled
        ends.append((replace(now, calls_cancelled=0), evening.table.balances))
        evening.open_betting()
        assert evening.happened(BettingOpened)[-1].round == 2 + slips
        assert evening.table.round == Round(2 + slips)
    assert ends[0] == ends[1] == ends[2]


PAYMENT = CorrectPayment(*SUPERVISOR, "ben", 2, "player", 150_00, "seen on film")
STAKE = correct_bet("ann", "banker", 60_00)


@pytest.mark.parametrize(
    "command",
    [
        commands.BuyIn(*DEALER, "eve", 100_00),
        commands.Sit(*DEALER, "eve", 5),
        commands.Leave(*DEALER, "ann"),
        commands.CutCardOut(*DEALER),
    ],
    ids=lambda command: type(command).__name__,
)
def test_not_once_anything_has_happened_at_the_table_since_the_call(command: Command) -> None:
    evening = felt(book("commission-insurance"))
    evening.bet("ann", "banker", 100_00)
    evening.play(NATURAL).open_betting().do(command)
    evening.do(CANCEL)
    _not_given_back(evening)


def test_not_once_there_was_a_bet() -> None:
    evening = felt(book("commission-insurance")).play(NATURAL).open_betting()
    evening.bet("ann", "banker", 100_00)
    evening.do(evening.withdrawing("ann", "banker", 100_00))
    evening.do(CANCEL)
    _not_given_back(evening)


def test_a_call_for_the_pit_changes_nothing_in_the_game() -> None:
    evening = felt(book("commission-insurance")).play(NATURAL).open_betting()
    evening.do(CallPit(*DEALER))
    evening.do(CANCEL)
    assert evening.table.round is not None
    assert evening.table.round.settled
    assert evening.table.pit_call is not None


def test_a_round_that_cannot_be_corrected_is_not_given_back() -> None:
    rules = book("commission-insurance")
    void, machine = felt(rules).close_betting(), felt(rules, continuous=ContinuousShuffler()).play(NATURAL)
    void.do(reports.ReportInterruption(*SUPERVISOR, "the lights went out"))
    for evening in (void, machine):  # the cards are in the machine again
        evening.open_betting().do(CANCEL)
        _not_given_back(evening)


def _not_given_back(evening: Evening) -> None:
    assert evening.happened(RoundCancelled)[-1] == RoundCancelled(2)
    assert evening.table.round is not None
    assert evening.table.round.cancelled
    assert evening.table.round_before is None
    assert _refused(evening, STAKE) is TableCode.NO_ROUND


def _refused(evening: Evening, command: Command) -> object:
    decision = decide(evening.rules, evening.table, command)
    return decision.code if isinstance(decision, Refusal) else decision
