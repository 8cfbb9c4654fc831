"""The choice of a player after a dealing error, entered wrongly."""

import pytest

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import read_card
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, reports
from punto.table.records.correction_events import OptionCorrected
from punto.table.records.corrections import CorrectOption
from punto.table.records.kinds import Choice
from punto.table.records.ledger import BROUGHT
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.table.corrections.slips import correct_bet, end_of
from tests.table.numbers import having
from tests.table.tables import BANKER_ON_FIVE, CHIPS_MINOR, DEALER, SUPERVISOR, Evening, ready

CONTINUE, RETURN = Choice.CONTINUE, Choice.RETURN


def _asked(rules: Rulebook, *, observing: bool, insured: bool = False) -> Evening:
    """Players choose after four cards; ann has insurance if the book has it."""
    evening = ready(rules, observing=observing).open_betting()
    for who, bet, stake in (("ann", "banker", 100_00), ("ann", "tie", 5_00), ("ben", "player", 50_00)):
        evening.bet(who, bet, stake)
    evening.close_betting().deal(BANKER_ON_FIVE)
    if insured:
        evening.do(commands.OpenInsurance(*DEALER))
        evening.do(evening.insuring("ann", 10_00))
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell"))
    return evening


def _finish(evening: Evening) -> Evening:
    return evening.deal("6c 4h").settle()


def _choose(evening: Evening, ann: Choice, *, time: bool) -> Evening:
    evening.do(reports.ChooseOption("ann", Position.PLAYER, "ann", ann))
    if time:
        evening.do(reports.CallTime(*SUPERVISOR))
    return evening


@pytest.mark.parametrize("rules", having("options"))
@pytest.mark.parametrize("observing", [False, True])
@pytest.mark.parametrize("slip", [CONTINUE, RETURN])
@pytest.mark.parametrize("time", [False, True])
def test_after_the_correction_everything_is_as_without_the_slip(
    rules: Rulebook,
    observing: bool,  # noqa: FBT001 - a parameter
    slip: Choice,
    time: bool,  # noqa: FBT001 - a parameter
) -> None:
    insured = rules.insurance is not None
    right = CONTINUE if slip is RETURN else RETURN
    ends = []
    for corrected in (False, True):
        evening = _asked(rules, observing=observing, insured=insured)
        _choose(evening, slip if corrected else right, time=time)
        if corrected:
            evening.do(CorrectOption("ann", Position.PLAYER, "ann", right))
        if not time:
            evening.do(reports.ChooseOption(*DEALER, "ben", CONTINUE) if observing else _ben_goes_on())
        ends.append(end_of(_finish(evening)))
    assert ends[0] == ends[1]


def _ben_goes_on() -> reports.ChooseOption:
    return reports.ChooseOption("ben", Position.PLAYER, "ben", CONTINUE)


def test_a_silent_player_had_chosen_after_all() -> None:
    evening = _asked(book("commission-insurance"), observing=True)
    evening.do(reports.CallTime(*SUPERVISOR))
    evening.do(CorrectOption(*DEALER, "ben", RETURN))
    assert evening.table.chips_minor("ben") == CHIPS_MINOR
    (event,) = evening.happened(OptionCorrected)
    assert (event.choice, event.corrected_by, event.clauses) == (RETURN, "dora", ("5.12.3",))


def test_bets_corrected_meanwhile_play_as_the_right_bets_say() -> None:
    """A bet taken back plays pro rata by the bets that lay there, when the choice is corrected."""
    rules = book("commission-insurance")
    evening = ready(rules, observing=True, least=10_00, differential_minor=100_00).open_betting()
    evening.bet("ann", "banker", 30_00)
    evening.bet("dan", "banker", 200_00)
    evening.close_betting().deal("As 2s")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell"))
    evening.do(reports.ChooseOption(*DEALER, "dan", RETURN))
    evening.do(correct_bet("ann", "banker", 300_00))
    evening.do(CorrectOption(*DEALER, "dan", CONTINUE))
    assert evening.table.round is not None
    plays = {key[0]: placed.played_minor for key, placed in evening.table.round.bets.items()}
    assert plays == {"ann": 60_00, "dan": 40_00}


@pytest.mark.parametrize("face_down", [False, True])
def test_not_after_the_next_card(face_down: bool) -> None:  # noqa: FBT001 - a parameter
    rules = book("commission-insurance")
    evening = ready(rules, observing=True, face_down=face_down).open_betting()
    evening.bet("ann", "banker", 100_00)
    evening.close_betting()
    if face_down:
        evening.deal_unseen(4)
    else:
        evening.deal("9s 2d Kh")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell"))
    evening.do(reports.ChooseOption(*DEALER, "ann", RETURN))
    evening.do(
        commands.TurnCard(*DEALER, 1, read_card("9s")) if face_down else commands.DealCard(*DEALER, read_card("3c"))
    )
    evening.refuse(CorrectOption(*DEALER, "ann", CONTINUE), TableCode.TOO_LATE, "5.12")


def test_what_is_no_correction_is_refused() -> None:
    rules = book("commission-insurance")
    evening = _asked(rules, observing=False)
    correcting = CorrectOption("ann", Position.PLAYER, "ann", CONTINUE)
    evening.refuse(correcting, TableCode.NO_OPTIONS, "5.12")  # not chosen yet
    _choose(evening, CONTINUE, time=True)
    evening.refuse(correcting, TableCode.NOTHING_TO_CORRECT, "5.12")
    evening.refuse(CorrectOption("cat", Position.PLAYER, "cat", RETURN), TableCode.NO_OPTIONS, "5.12")
    evening.do(CorrectOption("ann", Position.PLAYER, "ann", RETURN))
    evening.do(commands.CashOut(*DEALER, "ann", CHIPS_MINOR))
    evening.refuse(correcting, TableCode.NOT_ENOUGH_CHIPS)
    _finish(evening)
    evening.refuse(correcting, TableCode.NO_OPTIONS, "5.12")


def test_somebody_who_left_plays_on() -> None:
    evening = _asked(book("commission-insurance"), observing=True)
    evening.do(commands.Leave(*DEALER, "ben"))
    evening.refuse(CorrectOption(*DEALER, "ben", RETURN), TableCode.AWAY, "5.3", "5.3.1")


def test_at_a_felt_table_chips_come_from_anywhere() -> None:
    evening = _choose(_asked(book("commission-insurance"), observing=True), RETURN, time=True)
    evening.do(commands.CashOut(*DEALER, "ann", CHIPS_MINOR - 5_00))
    evening.do(CorrectOption(*DEALER, "ann", CONTINUE))
    assert evening.table.chips_minor("ann") == 0
    assert evening.table.balances[BROUGHT] == -100_00


def test_the_squeeze_comes_back_with_the_bets() -> None:
    rules = book("commission-insurance")
    evening = ready(rules, observing=True, face_down=True, squeeze_granted=True).open_betting()
    evening.bet("ann", "banker", 100_00)
    evening.do(commands.RequestSqueeze("ann", Position.PLAYER, "ann", Side.BANKER))
    evening.close_betting()
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell"))
    evening.do(reports.ChooseOption(*DEALER, "ann", RETURN))
    assert evening.table.round is not None
    assert not evening.table.round.accepted
    evening.do(CorrectOption(*DEALER, "ann", CONTINUE))
    assert evening.table.round is not None
    assert evening.table.round.accepted == {Side.BANKER: "ann"}
    assert not evening.table.round.irregularities.taken_back
    assert Stage.FOUR not in evening.table.round.insurance.offered
