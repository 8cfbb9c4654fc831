"""The choice of a player after a dealing error, entered wrongly."""

from typing import Any

import pytest

from punto import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import read_card
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records import commands, corrections, reports
from punto.table.records.correction_events import OptionCorrected
from punto.table.records.corrections import CorrectOption
from punto.table.records.kinds import Choice
from punto.table.records.ledger import BROUGHT
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from punto.table.refusals import TableCode
from tests.marks import reading
from tests.table.corrections.slips import correct_bet, end_of
from tests.table.numbers import cited, having
from tests.table.tables import (
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    HOUSE,
    MANAGER,
    SUPERVISOR,
    Evening,
    ready,
)

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


def _choose(evening: Evening, ann: Choice) -> Evening:
    evening.do(reports.ChooseOption("ann", Position.PLAYER, "ann", ann))
    return evening


@pytest.mark.parametrize("rules", having("options"))
@pytest.mark.parametrize("observing", [False, True])
@pytest.mark.parametrize("slip", [CONTINUE, RETURN])
@pytest.mark.parametrize("last", [False, True])
def test_after_the_correction_everything_is_as_without_the_slip(
    rules: Rulebook,
    observing: bool,  # noqa: FBT001 - a parameter
    slip: Choice,
    last: bool,  # noqa: FBT001 - a parameter
) -> None:
    """While others choose, and after the last one has: that everybody has chosen follows no choice."""
    insured = rules.insurance is not None
    right = CONTINUE if slip is RETURN else RETURN
    goes_on = reports.ChooseOption(*DEALER, "ben", CONTINUE) if observing else _ben_goes_on()
    ends = []
    for corrected in (False, True):
        evening = _asked(rules, observing=observing, insured=insured)
        if last:
            evening.do(goes_on)
        _choose(evening, slip if corrected else right)
        if corrected:
            evening.do(CorrectOption("ann", Position.PLAYER, "ann", right))
        if not last:
            evening.do(goes_on)
        ends.append(end_of(_finish(evening)))
    assert ends[0] == ends[1]


def _ben_goes_on() -> reports.ChooseOption:
    return reports.ChooseOption("ben", Position.PLAYER, "ben", CONTINUE)


def test_staff_correct_what_a_player_chose() -> None:
    evening = _asked(book("commission-insurance"), observing=True)
    evening.do(reports.ChooseOption(*DEALER, "ben", CONTINUE))
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


# ---- a choice ends with what follows it


def _too_late(evening: Evening, *people: str) -> None:
    """Nobody's choice can be corrected, to whatever it would be."""
    assert evening.table.round is not None
    choices = evening.table.round.irregularities.choices
    for who in people:
        other = RETURN if choices[who] is CONTINUE else CONTINUE
        refusal = evening.refuse(
            CorrectOption(*DEALER, who, other),
            TableCode.TOO_LATE,
            *cited(evening.rules, "options"),
            *cited(evening.rules, "ruling"),
        )
        assert "shift manager" in refusal.message


def _both(evening: Evening) -> Evening:
    """Ann takes her bets back, and ben goes on."""
    for who, choice in (("ann", RETURN), ("ben", CONTINUE)):
        evening.do(reports.ChooseOption(*DEALER, who, choice))
    return evening


def _table(rules: Rulebook, **settings: Any) -> Evening:
    evening = ready(rules, observing=True, **settings).open_betting()
    evening.bet("ann", "banker", 100_00)
    evening.bet("ben", "player", 50_00)
    return evening.close_betting()


FELL = reports.ReportDealingError(*SUPERVISOR, "a card fell")
MIXED = reports.ReportDealingError(*SUPERVISOR, "all mixed up", reconstructable=False)


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("options", "ruling"))
@pytest.mark.parametrize("face_down", [False, True])
def test_with_the_next_card(rules: Rulebook, face_down: bool) -> None:  # noqa: FBT001 - a parameter
    evening = _table(rules, face_down=face_down)
    if face_down:
        evening.deal_unseen(4)
    else:
        evening.deal("9s 2d Kh")
    evening.do(FELL)
    _both(evening)
    evening.do(
        commands.TurnCard(*DEALER, 1, read_card("9s")) if face_down else commands.DealCard(*DEALER, read_card("3c"))
    )
    _too_late(evening, "ann", "ben")


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("options", "ruling"))
def test_with_a_card_that_a_player_opens_alone(rules: Rulebook) -> None:
    evening = _table(rules, face_down=True)
    evening.deal_unseen(4).do(FELL)
    _both(evening)
    evening.do(commands.SqueezeCard(*DEALER, 1, "ben"))
    _too_late(evening, "ann", "ben")


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("options", "ruling"))
def test_with_time_called(rules: Rulebook) -> None:
    """Silent means that they play on."""
    evening = _table(rules).deal("9s 2d")
    evening.do(FELL)
    evening.do(reports.ChooseOption(*DEALER, "ann", RETURN))
    evening.do(reports.CallTime(*SUPERVISOR))
    _too_late(evening, "ann", "ben")


@reading("when_options_arise", "order_by_ruling")
@pytest.mark.parametrize("rules", having("options", "ruling"))
@pytest.mark.parametrize("ruled", [(1, 2), (2, 1)])
def test_with_a_ruling_on_the_order(rules: Rulebook, ruled: tuple[int, ...]) -> None:
    """Also one that says what is on record."""
    evening = _table(rules).deal("9s 2d")
    evening.do(MIXED)
    _both(evening)
    evening.do(CorrectOption(*DEALER, "ann", CONTINUE))
    evening.do(CorrectOption(*DEALER, "ann", RETURN))
    evening.do(reports.RuleCardOrder(*SUPERVISOR, ruled))
    _too_late(evening, "ann", "ben")


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("options", "ruling"))
def test_with_the_settlement_even_if_the_round_is_opened_again(rules: Rulebook) -> None:
    evening = _table(rules).deal("9s 2d Kh 3c")
    evening.do(FELL)
    _both(evening)
    evening.settle()
    _too_late(evening, "ann", "ben")
    evening.do(corrections.CorrectCard(*MANAGER, "s1", 0, read_card("5s")))  # Player draws
    assert evening.table.phase is Phase.DEALING
    _too_late(evening, "ann", "ben")


@reading("when_options_arise")
@pytest.mark.parametrize("rules", having("options", "ruling"))
def test_with_a_further_error_whoever_stayed_chooses_again(rules: Rulebook) -> None:
    evening = _table(rules).deal("9s 2d")
    evening.do(FELL)
    _both(evening)
    evening.do(MIXED)
    _too_late(evening, "ann")
    evening.do(reports.ChooseOption(*DEALER, "ben", CONTINUE))
    _too_late(evening, "ann")
    evening.do(CorrectOption(*DEALER, "ben", RETURN))


def test_not_with_somebody_who_turns_out_to_have_a_bet() -> None:
    evening = _table(book("commission-insurance")).deal("9s 2d")
    evening.do(FELL)
    evening.do(reports.ChooseOption(*DEALER, "ann", RETURN))
    evening.do(correct_bet("cat", "player", 30_00))
    assert evening.table.round is not None
    assert evening.table.round.irregularities.must_choose("cat")
    evening.do(CorrectOption(*DEALER, "ann", CONTINUE))


def test_not_with_an_offer_of_insurance_but_with_the_players_own_stake() -> None:
    evening = ready(book("commission-insurance"), observing=True).open_betting()
    for who in ("ann", "ben"):
        evening.bet(who, "banker", 100_00)
    evening.close_betting().deal(BANKER_ON_FIVE)
    evening.do(FELL)
    for who in ("ann", "ben"):
        evening.do(reports.ChooseOption(*DEALER, who, CONTINUE))
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_00))
    _too_late(evening, "ann")
    evening.do(CorrectOption(*DEALER, "ben", RETURN))


def test_who_left_and_comes_back_played_on() -> None:
    evening = _table(book("commission-insurance")).deal("9s 2d")
    evening.do(FELL)
    evening.do(commands.Leave(*DEALER, "ben"))
    evening.refuse(CorrectOption(*DEALER, "ben", RETURN), TableCode.AWAY, "5.3", "5.3.1")
    assert evening.table.round is not None
    assert not evening.table.round.irregularities.correctable


@reading("card_entered_wrongly", "when_options_arise")
def test_if_a_corrected_card_shows_that_there_was_no_error() -> None:
    """A third card seemed to be missing. It was a natural 9, so nobody had a choice."""
    for taken_back in (False, True):
        evening = _table(book("commission-insurance")).deal("5s 2d Kh 3c")
        evening.do(reports.ReportWrongNumber(*SUPERVISOR, (), reconstructable=True, reason="no third card"))
        for who in ("ann", "ben"):
            evening.do(reports.ChooseOption(*DEALER, who, RETURN if taken_back else CONTINUE))
        evening.do(corrections.CorrectCard(*SUPERVISOR, "s1", 0, read_card("9s")))
        assert evening.stakes == {("ann", 1, "banker"): 100_00, ("ben", 2, "player"): 50_00}
        _too_late(evening, "ann", "ben")


@reading("card_entered_wrongly", "when_options_arise")
def test_what_was_taken_back_stays_back_once_something_has_followed() -> None:
    """Ann's choice stands, although it turns out after the time to choose that no card was missing."""
    evening = _table(book("commission-insurance")).deal("5s 2d Kh 3c")
    evening.do(reports.ReportWrongNumber(*SUPERVISOR, (), reconstructable=True, reason="no third card"))
    evening.do(reports.ChooseOption(*DEALER, "ann", RETURN))
    evening.do(reports.CallTime(*SUPERVISOR))
    evening.do(corrections.CorrectCard(*SUPERVISOR, "s1", 0, read_card("9s")))
    assert not evening.happened(OptionCorrected)
    assert evening.stakes == {("ben", 2, "player"): 50_00}


def test_not_with_a_card_that_was_only_entered_wrongly() -> None:
    evening = _table(book("commission-insurance")).deal("9s 2d")
    evening.do(FELL)
    _both(evening)
    evening.do(corrections.CorrectCard(*SUPERVISOR, "s1", 1, read_card("3d")))
    evening.do(CorrectOption(*DEALER, "ann", CONTINUE))


def test_not_with_a_new_name() -> None:
    evening = _table(book("commission-insurance")).deal("9s 2d")
    evening.do(FELL)
    _both(evening)
    evening.do(commands.IdentifyPlayer(*DEALER, "ann", "P000001"))
    evening.do(CorrectOption(*DEALER, "P000001", CONTINUE))
    evening.do(commands.DealCard(*DEALER, read_card("Kh")))
    _too_late(evening, "P000001", "ben")


def test_not_with_a_restart_of_the_server() -> None:
    evening = _table(book("commission-insurance")).deal("9s 2d")
    evening.do(FELL)
    _both(evening)
    evening.do(reports.ReportRestart(*HOUSE, 0, 60_000_000))
    evening.do(reports.ResumeRound(*DEALER))
    evening.do(CorrectOption(*DEALER, "ann", CONTINUE))


def test_with_betting_that_opens_again() -> None:
    evening = _table(book("commission-insurance"))
    evening.do(FELL)
    _both(evening)
    evening.do(corrections.ReopenBetting(*DEALER))
    evening.close_betting()
    _too_late(evening, "ann", "ben")


# ---- what is no correction


def test_what_is_no_correction_is_refused() -> None:
    rules = book("commission-insurance")
    evening = _asked(rules, observing=False)
    correcting = CorrectOption("ann", Position.PLAYER, "ann", CONTINUE)
    evening.refuse(correcting, TableCode.NO_OPTIONS, "5.12")  # not chosen yet
    _choose(evening, CONTINUE)
    evening.refuse(correcting, TableCode.NOTHING_TO_CORRECT, "5.12")
    evening.refuse(CorrectOption("cat", Position.PLAYER, "cat", RETURN), TableCode.NO_OPTIONS, "5.12")
    evening.do(CorrectOption("ann", Position.PLAYER, "ann", RETURN))
    evening.do(commands.CashOut(*DEALER, "ann", CHIPS_MINOR))
    evening.refuse(correcting, TableCode.NOT_ENOUGH_CHIPS)
    evening.do(_ben_goes_on())
    _finish(evening).open_betting()
    evening.refuse(correcting, TableCode.NO_OPTIONS, "5.12")


def test_at_a_felt_table_chips_come_from_anywhere() -> None:
    evening = _choose(_asked(book("commission-insurance"), observing=True), RETURN)
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
