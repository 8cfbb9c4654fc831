"""Rounds at a felt table with corrections of every kind but cards."""

from punto.library import book
from punto.rules.bets.insurance import Stage
from punto.rules.coup.table_of_play import Side
from punto.table.records import commands, corrections, reports
from punto.table.records.kinds import Choice
from tests.table.corrections.slips import correct_bet, correct_offer, correct_stake
from tests.table.tables import DEALER, MANAGER, NATURAL, SUPERVISOR, Evening, ready

GAME = "commission-insurance"
OFFER = commands.OpenInsurance(*DEALER)


def corrected_evening() -> Evening:
    evening = ready(book(GAME), observing=True, least=10_00, differential_minor=500_00)
    for play in (_bets, _insurance, _choices, _returned, _missed):
        evening.open_betting()
        play(evening)
    evening.open_betting().do(corrections.CancelRound(*DEALER))
    return evening.open_betting().play(NATURAL)


def _bets(evening: Evening) -> None:
    """Bets are corrected before the first card and after the settlement, and a payment too."""
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().do(corrections.ReopenBetting(*DEALER))
    evening.bet("ben", "player", 50_00)
    evening.close_betting()
    evening.do(correct_bet("ben", "player", 60_00, DEALER))
    evening.do(correct_bet("cat", "tie", 10_00, DEALER))
    evening.deal(NATURAL).settle()
    evening.do(corrections.CorrectPayment(*SUPERVISOR, "ben", 2, "player", 150_00, "seen on film", 10_00))
    evening.do(correct_bet("ann", "banker", 700_00))
    evening.do(correct_bet("dan", "player", 20_00))
    evening.do(correct_bet("cat", "tie", 0))
    evening.do(corrections.CorrectPayment(*SUPERVISOR, "dan", 1, "player", 45_00, "seen on film"))


def _insurance(evening: Evening) -> None:
    """Insurance above the cap goes back, stakes are corrected at both stages, an offer turns out not to be made."""
    for who, stake in (("ann", 100_00), ("ben", 400_00), ("cat", 50_00)):
        evening.bet(who, "banker", stake)
    evening.close_betting().deal("2s 2h 3d 4d").do(OFFER)
    evening.do(evening.insuring("ann", 10_00))
    evening.do(evening.insuring("ben", 20_00))
    evening.deal("6c").do(OFFER)
    evening.do(evening.insuring("ben", 5_00))
    evening.do(correct_stake(Stage.FOUR, "cat", 8_00))
    evening.do(correct_bet("ben", "banker", 50_00))
    evening.deal("4c").settle()
    evening.do(correct_stake(Stage.FOUR, "ann", 12_00))
    evening.do(correct_stake(Stage.THIRD, "ann", 90_00))
    evening.do(correct_offer(Stage.THIRD, offered=False))


def _choices(evening: Evening) -> None:
    for who, stake in (("ann", 100_00), ("ben", 40_00)):
        evening.bet(who, "banker", stake)
    evening.close_betting().deal("2s 2h 3d 4d").do(OFFER)
    evening.do(evening.insuring("ann", 10_00))
    evening.do(reports.ReportDealingError(*SUPERVISOR, "a card fell"))
    evening.do(reports.ChooseOption(*DEALER, "ann", Choice.RETURN))
    evening.do(reports.ChooseOption(*DEALER, "ben", Choice.CONTINUE))
    evening.do(corrections.CorrectOption(*DEALER, "ann", Choice.CONTINUE))
    evening.do(corrections.CorrectOption(*DEALER, "ben", Choice.RETURN))
    evening.deal("6c Kc").settle()


def _returned(evening: Evening) -> None:
    """A bet returned before the settlement, for an offer that had been made, is put back."""
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal("2s 2h 3d 4d 6c 4c")
    evening.do(reports.ReturnUninsuredBets(*MANAGER, "ann", 1, Side.BANKER, "had asked"))
    evening.settle()
    evening.do(correct_offer(Stage.FOUR, offered=True))
    evening.do(correct_offer(Stage.THIRD, offered=True))


def _missed(evening: Evening) -> None:
    """A bet returned after the settlement stays returned when another bet is corrected."""
    evening.bet("ann", "banker", 100_00)
    evening.close_betting().deal("2s 2h 3d 4d 6c 4c").settle()
    evening.do(reports.ReturnUninsuredBets(*MANAGER, "ann", 1, Side.BANKER, "had asked"))
    evening.do(correct_bet("ann", "banker", 80_00))
    evening.do(correct_bet("ben", "player", 30_00))
