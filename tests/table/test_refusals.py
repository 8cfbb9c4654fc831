"""Provokes every refusal of normal play and checks its message and clauses."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from punto import book
from punto.rules.coup.cards import Card, Face
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide
from punto.table.records import commands as c
from punto.table.records import reports as r
from punto.table.records.chips import ChipPile, ReceiveSlip, RequestSlip, SendSlip, SlipKind, VoidSlip
from punto.table.records.commands import Command
from punto.table.records.pit_calls import AnswerCall, CallPit
from punto.table.records.positions import Position
from punto.table.records.settings import ContinuousShuffler
from punto.table.refusals import TableCode
from tests.table.samples import commands_by
from tests.table.tables import (
    BANKER_ON_FIVE,
    CHIPS_MINOR,
    DEALER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    drawn_to,
    opened,
    ready,
    settings,
)

CI, TB, S6, DH, C3 = "commission-insurance", "tiger-buffalo", "super-six-plus", "da-hu-ying-xiong", "commission"
ANN = ("ann", Position.PLAYER)
ANN_SITS = c.Sit(*ANN, "ann", 1)
PLAYER, BANKER = Side.PLAYER, Side.BANKER


class Case(Struct, frozen=True):
    """A table, a command that it refuses, a part of the message, and the clauses."""

    code: TableCode | Code
    book: str
    at: Callable[[Rulebook], Evening]
    command: Command
    says: str
    clauses: str = ""


def played(rules: Rulebook) -> Evening:
    return betting(rules).play(NATURAL)


def _calling(rules: Rulebook) -> Evening:
    evening = betting(rules)
    evening.do(CallPit(*DEALER))
    return evening


def _observed(rules: Rulebook) -> Evening:
    evening = betting(rules, least=50_00, differential_minor=100_00, observing=True)
    evening.bet("ann", "banker", 60_00)
    return evening


def _cards_only(rules: Rulebook) -> Evening:
    return betting(rules, cards_only=True)


def _bet(*bets: tuple[str, str, int]) -> Callable[[Rulebook], Evening]:
    def at(rules: Rulebook) -> Evening:
        evening = betting(rules, least=50_00, most=300_00)
        for bet in bets:
            evening.bet(*bet)
        return evening

    return at


def _differential(rules: Rulebook) -> Evening:
    return betting(rules, most=500_00, differential_minor=100_00)


def _differential_alone(rules: Rulebook) -> Evening:
    return betting(rules, differential_minor=100_00)


def _with_exposed_card(rules: Rulebook) -> Evening:
    evening = betting(rules)
    evening.do(drawn_too_many("5h"))
    return evening


BEFORE_CLOSE = c.DealCard(*DEALER, Card("5h"), before_close=True)


def _raised_before_close(rules: Rulebook) -> Evening:
    evening = betting(rules)
    evening.do(BEFORE_CLOSE)
    return evening


def _betting_face_down(rules: Rulebook) -> Evening:
    return betting(rules, face_down=True)


def _inspect(shoe: str) -> Command:
    return r.InspectShoe(*SUPERVISOR, shoe, "all cards are there")


def _taken_off(rules: Rulebook) -> Evening:
    """The shoe was taken off because a foreign card was found in it."""
    evening = ready(rules)
    evening.do(r.ReportForeignCard(*SUPERVISOR))
    return evening


def _back(rules: Rulebook) -> Evening:
    """The shoe was inspected and is on the table again, as 's2'."""
    evening = _taken_off(rules)
    evening.do(_inspect("s1"))
    evening.do(c.LoadShoe(*SUPERVISOR, "s2", 8, "s1"))
    return evening


def _announced(rules: Rulebook) -> Evening:
    evening = ready(rules)
    evening.do(c.CutCardOut(*DEALER))
    return evening


def _of_another_book(rules: Rulebook) -> Evening:
    evening = ready(book(CI))
    evening.rules = rules
    return evening


def _left(rules: Rulebook) -> Evening:
    evening = _bet(("ann", "banker", 60_00))(rules)
    evening.do(c.Leave(*ANN, "ann"))
    return evening


def _at_places(rules: Rulebook) -> Evening:
    evening = opened(rules)
    for who in ("box 4", "P000123"):
        evening.do(c.BuyIn(*DEALER, who, CHIPS_MINOR))
    return evening


def _left_chips(rules: Rulebook) -> Evening:
    evening = _at_places(rules)
    evening.do(c.Leave(*DEALER, "box 4"))
    return evening


def _both_away(rules: Rulebook) -> Evening:
    """Ann has left the round, and P000123 has not."""
    evening = _left(rules)
    evening.do(c.BuyIn(*DEALER, "P000123", CHIPS_MINOR))
    return evening


def dealt(cards: str, *, face_down: bool = False) -> Callable[[Rulebook], Evening]:
    return lambda rules: dealing(rules, face_down=face_down).deal(cards)


def _unseen(rules: Rulebook) -> Evening:
    return dealing(rules, face_down=True).deal_unseen(4)


def _asked(rules: Rulebook) -> Evening:
    evening = dealing(rules, face_down=True)
    evening.do(c.RequestSqueeze(*ANN, "ann", PLAYER))
    return evening


def _squeezed(rules: Rulebook) -> Evening:
    evening = _asked(rules)
    evening.do(c.GrantSqueeze(*SUPERVISOR, PLAYER))
    evening.deal_unseen(4)
    evening.do(c.SqueezeCard(*ANN, 1))
    return evening


def offered(rules: Rulebook) -> Evening:
    evening = dealing(rules).deal(BANKER_ON_FIVE)
    evening.do(c.OpenInsurance(*DEALER))
    return evening


def _forgone(rules: Rulebook) -> Evening:
    evening = dealing(rules, ("ann", "banker", 100_00), ("dan", "banker", 100_00), forgone_for_the_round=True)
    evening.deal("2s 2h 3d 4d")
    evening.do(c.OpenInsurance(*DEALER))
    evening.do(evening.insuring("dan", 1_00))
    evening.deal("6c")
    evening.do(c.OpenInsurance(*DEALER))
    return evening


def four_nines_seen(rules: Rulebook) -> Evening:
    evening = opened(rules)
    evening.do(c.LoadShoe(*SUPERVISOR, "s1", 4))
    return evening.open_betting().close_betting().deal("9s 9s 9s 9s").settle()


def _machine(rules: Rulebook) -> Evening:
    return ready(rules, continuous=ContinuousShuffler())


def _slow_machine(rules: Rulebook) -> Evening:
    return opened(rules, continuous=ContinuousShuffler(35))


def _shoe_ended(rules: Rulebook) -> Evening:
    evening = ready(rules, cut_card=51, rounds_after_cut_card=0)
    evening.do(c.LoadShoe(*SUPERVISOR, "s2", 4))
    while evening.table.shoe is not None and not evening.table.shoe.cut_card_out:
        at = evening.table.shoe.drawn // 4
        ranks, suit = ("9AK2", "83T4", "76JQ")[at // 16], "shdc"[at % 4]
        evening.open_betting().close_betting().deal(" ".join(rank + suit for rank in ranks)).settle()
    return evening


PILES = (ChipPile(100_00, 20), ChipPile(25_00, 40))


def _asked_for(kind: SlipKind = SlipKind.FILL, *, sent: bool = False) -> Callable[[Rulebook], Evening]:
    def at(rules: Rulebook) -> Evening:
        evening = ready(rules)
        evening.do(RequestSlip(*DEALER, kind, PILES))
        if sent:
            evening.do(SendSlip(*SUPERVISOR, 1))
        return evening

    return at


def _supervised(rules: Rulebook) -> Evening:
    return opened(rules, buy_in_supervised_minor=500_00)


def _cashing_out(rules: Rulebook) -> Evening:
    return ready(rules, cash_out_supervised_minor=500_00)


def _opening(rules_id: str, **changes: object) -> c.OpenTable:
    return c.OpenTable(*SUPERVISOR, settings(book(rules_id), **changes))


def _place(who: str, bet: str, stake: int, box: int = 1) -> c.PlaceBet:
    return c.PlaceBet(who, Position.PLAYER, who, box, bet, stake)


def _pull(who: str, bet: str, amount: int, box: int = 1) -> c.WithdrawBet:
    return c.WithdrawBet(who, Position.PLAYER, who, box, bet, amount)


T = TableCode
DEAL = c.DealCard(*DEALER, Card("5h"))
UNSEEN = c.DealCard(*DEALER)


def drawn_too_many(card: str) -> r.ReportExcessCard:
    return r.ReportExcessCard(*SUPERVISOR, (Card(card),))


SQUEEZE = c.RequestSqueeze(*ANN, "ann", PLAYER)
WAIVE = c.WaiveThirdCardInsurance(*SUPERVISOR, "ann")
INSURE = c.TakeInsurance(*ANN, "ann", 1, 1_00)
ADVISE = c.AdviseMinimum(*DEALER, "ann", 1, "banker")
OFFER = c.OpenInsurance(*DEALER)
HALF: Any = 0.5
"""A value that a type checker would reject."""
MANAGED: dict[str, Any] = {"private": True, "no_insurance": True, "house": Position.PIT_MANAGER}
"""Without insurance, which a supervisor cannot agree to here."""

MANY_PILES = tuple(ChipPile(value, 1) for value in range(1, 22))

CASES = [
    # whether the command is possible at all
    Case(T.NOT_IN_BOOK, C3, betting, c.RejectExcess(*DEALER, 1), "differential"),
    Case(T.CARDS_ONLY, C3, _cards_only, c.PlaceBet(*DEALER, "ann", 1, "banker", 1_00), "cards only"),
    Case(T.NOT_IN_BOOK, C3, betting, c.PlaceBet(*DEALER, "ann", 1, "banker", 1_00), "staff"),
    Case(T.NOT_IN_BOOK, S6, dealing, OFFER, "insurance"),
    Case(T.NOTHING_ASSUMED, CI, betting, c.ConfirmBets(*DEALER), "by hand", "3.7"),
    Case(T.PIT_CALLED, CI, _calling, CallPit(*SUPERVISOR), "already called"),
    Case(T.PIT_NOT_CALLED, CI, betting, AnswerCall(*SUPERVISOR), "Nobody is calling"),
    Case(T.TABLE_CLOSED, CI, Evening, CallPit(*DEALER), "closed"),
    # the tray
    Case(T.BAD_PILES, CI, betting, RequestSlip(*DEALER, SlipKind.FILL, ()), "which chips"),
    Case(T.BAD_PILES, CI, betting, RequestSlip(*DEALER, SlipKind.FILL, (ChipPile(5, 1),) * 2), "twice"),
    Case(T.BAD_PILES, CI, betting, RequestSlip(*DEALER, SlipKind.FILL, (ChipPile(5, 0),)), "Leave out"),
    Case(T.BAD_PILES, CI, betting, RequestSlip(*DEALER, SlipKind.FILL, MANY_PILES), "At most 20"),
    Case(Code.AMOUNT_TOO_LARGE, CI, betting, RequestSlip(*DEALER, SlipKind.FILL, (ChipPile(10**11, 1001),)), "most"),
    Case(T.NO_SUCH_SLIP, CI, betting, SendSlip(*SUPERVISOR, 1), "no open slip 1"),
    Case(T.NO_SUCH_SLIP, CI, _asked_for(), ReceiveSlip(*SUPERVISOR, 2), "no open slip 2"),
    Case(T.SLIP_NOT_SENT, CI, _asked_for(), ReceiveSlip(*SUPERVISOR, 1), "not sent yet"),
    Case(T.SLIP_SENT, CI, _asked_for(sent=True), SendSlip(*SUPERVISOR, 1), "already sent"),
    Case(T.SLIP_SENT, CI, _asked_for(SlipKind.CREDIT, sent=True), VoidSlip(*SUPERVISOR, 1, "no"), "have left the tray"),
    Case(T.REASON_NEEDED, CI, _asked_for(), VoidSlip(*SUPERVISOR, 1, " "), "reason"),
    Case(T.NOT_AUTHORISED, CI, _asked_for(), SendSlip(*DEALER, 1), "dealer"),
    Case(T.SLIP_OPEN, CI, _asked_for(), c.CloseTable(*SUPERVISOR), "Receive or void it"),
    Case(T.NOT_AUTHORISED, CI, _cashing_out, c.CashOut(*DEALER, "ann", 500_01), "larger cash-out"),
    Case(T.BAD_SETTING, C3, Evening, _opening(C3, cash_out_supervised_minor=0), "above zero"),
    Case(T.BAD_SETTING, C3, Evening, _opening(C3, tray_par_minor=0), "above zero"),
    Case(T.NOT_IN_BOOK, C3, Evening, _opening(C3, differential_minor=1_00), "differential"),
    Case(T.NOT_AUTHORISED, CI, betting, c.PlaceBet(*SHIFT, "ann", 1, "banker", 1_00), "shift manager", "5.17"),
    Case(T.NOT_AUTHORISED, TB, dealing, c.DealCard("a", Position.AUDITOR, Card("5h")), "auditor", "3.10"),
    Case(T.NOT_AUTHORISED, C3, dealing, c.DealCard(*ANN, Card("5h")), "player", "3.4"),
    Case(T.NOT_YOUR_OWN, DH, betting, c.PlaceBet("ben", Position.PLAYER, "ann", 1, "tie", 1), "'ben'", "3.7"),
    Case(T.NOT_AUTHORISED, S6, betting, c.WithdrawBet(*SHIFT, "ann", 1, "banker", 1_00), "shift manager", "5.16"),
    Case(T.NOT_AUTHORISED, C3, betting, c.PlaceBet(*SHIFT, "ann", 1, "banker", 1_00), "shift manager"),
    Case(T.NOT_AUTHORISED, S6, _unseen, c.TurnCard(*ANN, 1, Card("5h")), "player"),
    Case(T.NOT_AUTHORISED, DH, _unseen, c.RequestSqueeze(*SHIFT, "ann", PLAYER), "shift manager", "5.17"),
    Case(T.NOT_AUTHORISED, DH, _unseen, c.SqueezeCard(*SHIFT, 1, "ann"), "shift manager", "5.17"),
    Case(T.UNKNOWN_PERSON, DH, _unseen, c.SqueezeCard(*DEALER, 1), "Name the player", "3.9"),
    Case(T.NOT_AUTHORISED, DH, Evening, _opening(DH, **MANAGED), "pit manager", "4.2.2"),
    Case(T.NOT_YOUR_OWN, S6, _unseen, c.SqueezeCard(*ANN, 1), "'ann'", "3.9"),
    Case(T.WRONG_BOOK, TB, _of_another_book, c.BuyIn(*DEALER, "ann", 1), "Commission Baccarat with Insurance"),
    Case(T.OTHER_ROUND, CI, betting, c.PlaceBet(*ANN, "ann", 1, "banker", 1_00, round=2), "It is now round 1"),
    Case(T.OTHER_ROUND, C3, played, c.Leave(*ANN, "ann", round=0), "before the first round"),
    Case(T.OTHER_ROUND, TB, ready, c.OpenBetting(*DEALER, round=12), "No round has started"),
    Case(T.OTHER_ROUND, TB, Evening, replace(_opening(TB), round=3), "The table is closed"),
    # the table
    Case(T.TABLE_CLOSED, CI, Evening, c.OpenBetting(*DEALER), "closed"),
    Case(T.TABLE_OPEN, CI, opened, _opening(CI), "open"),
    Case(T.ROUND_OPEN, CI, betting, c.CloseTable(*SUPERVISOR), "round"),
    Case(Code.UNKNOWN_LAYOUT, C3, Evening, _opening(C3, layout="E"), "'E'", "2.1.1"),
    Case(T.BOXES_OUT_OF_RANGE, C3, Evening, _opening(C3, boxes=10), "10", "2.1.2"),
    Case(T.BOXES_OUT_OF_RANGE, TB, Evening, _opening(TB, boxes=7), "7", "2.1.1(a)"),
    Case(T.NOT_IN_BOOK, C3, Evening, _opening(C3, continuous=ContinuousShuffler()), "continuous"),
    Case(T.BAD_SETTING, CI, Evening, _opening(CI, continuous=ContinuousShuffler(0)), "1 to 69", "1.6"),
    Case(T.BAD_SETTING, DH, Evening, _opening(DH, continuous=ContinuousShuffler(87)), "1 to 86 rounds", "1.7"),
    Case(T.BAD_SETTING, CI, _slow_machine, c.LoadShoe(*SUPERVISOR, "m1", 4), "at most 34 rounds, not 35", "1.6"),
    Case(T.BAD_SETTING, DH, Evening, _opening(DH, no_insurance=True), "private", "4.2.2"),
    Case(T.BAD_SETTING, DH, Evening, _opening(DH, no_insurance=True, private=True), "Name the player", "4.2.2"),
    Case(T.BAD_SETTING, C3, Evening, _opening(C3, least=2_00, most=1_00), "is 2,"),
    Case(T.BAD_SETTING, S6, Evening, _opening(S6, least=2_00, most=1_00), "is 2,", "3.5"),
    Case(T.BAD_SETTING, C3, Evening, _opening(C3, buy_in_supervised_minor=0), "above zero"),
    Case(T.BAD_SETTING, C3, Evening, _opening(C3, observing=True, payout_supervised_minor=0), "above zero"),
    Case(T.BAD_SETTING, C3, Evening, _opening(C3, payout_supervised_minor=1), "`observing`"),
    Case(T.BAD_SETTING, CI, Evening, _opening(CI, cards_only=True, payout_supervised_minor=1), "not `cards_only`"),
    # the shoe
    Case(T.NO_SHOE, CI, opened, c.OpenBetting(*DEALER), "shoe"),
    Case(T.SHOE_IN_USE, CI, ready, c.LoadShoe(*SUPERVISOR, "s1", 8), "'s1'"),
    Case(T.SHOE_TAKEN_OFF, CI, _taken_off, c.LoadShoe(*SUPERVISOR, "s1", 8), "another one"),
    Case(T.SHOE_TAKEN_OFF, C3, _taken_off, c.LoadShoe(*SUPERVISOR, "s2", 8, "s1"), "inspect_shoe"),
    Case(T.NOT_TAKEN_OFF, CI, _taken_off, c.LoadShoe(*SUPERVISOR, "s2", 8, "s3"), "'s3'"),
    Case(T.NOT_TAKEN_OFF, CI, ready, _inspect("s1 of another table"), "'s1 of another table'"),
    Case(T.NOT_TAKEN_OFF, CI, _back, _inspect("s1"), "another name"),
    Case(T.NOT_TAKEN_OFF, CI, _back, c.LoadShoe(*SUPERVISOR, "s3", 8, "s1"), "another name"),
    Case(T.SHOE_IN_USE, CI, ready, _inspect("s1"), "still on the table"),
    Case(T.REASON_NEEDED, CI, _taken_off, r.InspectShoe(*SUPERVISOR, "s1", " "), "reason"),
    Case(T.CUT_CARD_IS_OUT, CI, _announced, c.CutCardOut(*DEALER), "already out"),
    Case(T.NO_CUT_CARD, CI, _machine, c.CutCardOut(*DEALER), "no cut card", "1.6"),
    Case(T.BOARD_OF_THE_SHOE, CI, ready, c.StartBoard(*SUPERVISOR), "next shoe"),
    Case(T.BOARD_OF_THE_SHOE, CI, opened, c.StartBoard(*SUPERVISOR), "next shoe"),
    Case(T.BOARD_IS_EMPTY, CI, _machine, c.StartBoard(*SUPERVISOR), "empty"),
    Case(T.ROUND_OPEN, CI, betting, c.StartBoard(*SUPERVISOR), "round"),
    Case(T.NO_SHOE, CI, opened, c.CutCardOut(*DEALER), "shoe"),
    Case(T.NO_SHOE, CI, opened, c.EndShoe(*DEALER), "shoe"),
    Case(T.ROUND_OPEN, CI, betting, c.EndShoe(*DEALER), "round"),
    Case(T.BETTING_NOT_OPEN, CI, ready, BEFORE_CLOSE, "not open", "3.3"),
    Case(T.BETTING_NOT_OPEN, CI, dealing, BEFORE_CLOSE, "closed", "3.8 5.6"),
    Case(T.CARD_NEEDED, CI, betting, replace(BEFORE_CLOSE, card=None), "which card"),
    Case(T.CARD_FACE_UP, CI, _betting_face_down, BEFORE_CLOSE, "face down", "5.9"),
    Case(T.NOT_AUTHORISED, CI, betting, replace(BEFORE_CLOSE, position=Position.HOUSE), "dealer", "5.7"),
    Case(T.IRREGULARITY_OPEN, CI, _raised_before_close, BEFORE_CLOSE, "report_excess_card", "5.7"),
    Case(T.IRREGULARITY_OPEN, CI, _raised_before_close, c.CloseBetting(*DEALER), "report_excess_card", "5.7"),
    Case(T.NOT_DEALING, C3, _raised_before_close, r.ReportWrongNumber(*SUPERVISOR, (Card("5h"),), reason="x"), "hand"),
    Case(T.SHOE_ENDED, CI, _shoe_ended, c.OpenBetting(*DEALER), "last round"),
    Case(T.SHOE_EMPTY, CI, lambda rules: drawn_to(rules, 0), drawn_too_many("As"), "0 cards", "5.5.4"),
    Case(T.NOT_BURNED, CI, lambda rules: ready(rules, burn=True), c.OpenBetting(*DEALER), "burned"),
    Case(T.NO_BURN, CI, _machine, c.BurnCards(*DEALER, Card("5h")), "No cards of this shuffler"),
    Case(T.ALREADY_BURNED, CI, played, c.BurnCards(*DEALER, Card("5h")), "drawn"),
    Case(Code.DECKS_OUT_OF_RANGE, CI, opened, c.LoadShoe(*SUPERVISOR, "s1", 9), "4 to 8", "2.2.1"),
    Case(Code.DECKS_OUT_OF_RANGE, TB, opened, c.LoadShoe(*SUPERVISOR, "s1", 11), "4 to 10", "2.2.1"),
    Case(T.CARD_NOT_IN_SHOE, CI, four_nines_seen, drawn_too_many("9s"), "9s", "2.2.1"),
    # people
    Case(T.UNKNOWN_PERSON, CI, opened, ANN_SITS, "'ann'"),
    Case(T.BAD_NAME, CI, opened, c.BuyIn(*DEALER, "", 1), "name"),
    Case(Code.UNKNOWN_BOX, CI, ready, c.Sit(*ANN, "ann", 13), "1 to 12", "2.1.1(a)"),
    Case(Code.UNKNOWN_BOX, C3, ready, c.Sit(*ANN, "ann", 10), "1 to 9", "2.1.2"),
    Case(T.BOX_TAKEN, TB, ready, c.Sit(*ANN, "ann", 2), "'ben'", "1.22"),
    Case(T.BOX_TAKEN, C3, ready, c.Sit(*ANN, "ann", 2), "'ben'"),
    Case(T.NOT_AT_BOX, S6, betting, _place("ann", "tie", 1_00, 2), "box 2", "1.18"),
    Case(T.ALREADY_THERE, CI, ready, ANN_SITS, "already"),
    Case(Code.NOT_AN_AMOUNT, CI, ready, c.BuyIn(*DEALER, "ann", HALF), "whole number"),
    Case(T.AMOUNT_NOT_POSITIVE, CI, ready, c.BuyIn(*DEALER, "ann", 0), "is 0."),
    Case(Code.AMOUNT_TOO_LARGE, CI, ready, c.BuyIn(*DEALER, "ann", 10**15), "most"),
    Case(T.NOT_AUTHORISED, CI, _supervised, c.BuyIn(*DEALER, "ann", 500_01), "up to 500 at once"),
    Case(T.NOTHING_TO_VERIFY, CI, played, c.VerifyPayouts(*SUPERVISOR), "No payout"),
    Case(T.NOTHING_TO_PAY, CI, dealing, c.MarkPaid(*DEALER), "Nothing of the last round"),
    Case(T.NOT_ENOUGH_CHIPS, CI, ready, c.CashOut(*DEALER, "ann", CHIPS_MINOR + 1), "10,000"),
    Case(T.WRONG_PLACE, CI, _at_places, c.Sit(*DEALER, "box 4", 5), "cannot sit at box 5"),
    Case(T.WRONG_PLACE, CI, _at_places, c.StandBehind(*DEALER, "box 4", 4), "cannot stand behind box 4"),
    Case(T.NOT_A_PLAYER_ID, CI, _at_places, c.IdentifyPlayer(*DEALER, "box 4", "P123"), "'P123'"),
    Case(T.ALREADY_IDENTIFIED, CI, _at_places, c.IdentifyPlayer(*DEALER, "P000123", "P000124"), "'P000123'"),
    Case(T.UNKNOWN_PERSON, CI, _at_places, c.IdentifyPlayer(*DEALER, "box 3", "P000124"), "'box 3'"),
    Case(T.BOTH_IN_ROUND, C3, _both_away, c.IdentifyPlayer(*DEALER, "ann", "P000123"), "Only one of"),
    Case(T.CHIPS_LEFT_HERE, CI, _left_chips, c.BuyIn(*DEALER, "box 4", 1), "10,000 at 'box 4'"),
    Case(T.AWAY, CI, _left, _place("ann", "tie", 1_00), "'ann'", "5.3 5.3.1"),
    Case(T.AWAY, S6, _left, _place("ann", "tie", 1_00), "'ann'", "5.3"),
    # betting
    Case(T.BETTING_NOT_OPEN, C3, ready, _place("ann", "tie", 1_00), "Bets are not open", "3.1"),
    Case(T.BETTING_NOT_OPEN, TB, ready, _pull("ann", "tie", 1_00), "Bets are not open", "3.3"),
    Case(T.BETTING_NOT_OPEN, C3, dealing, _place("ann", "tie", 1_00), "Bets are closed.", "3.2 5.2"),
    Case(T.BETTING_NOT_OPEN, C3, dealing, _pull("ann", "banker", 1_00), "stays and plays", "5.3"),
    Case(T.BETTING_NOT_OPEN, S6, dealing, _place("ann", "tie", 1_00), "Bets are closed.", "3.8 5.6"),
    Case(T.BETTING_NOT_OPEN, S6, dealing, _pull("ann", "banker", 1_00), "stays and plays", "5.6 5.13"),
    Case(T.BETTING_NOT_OPEN, DH, dealing, _pull("ann", "banker", 1_00), "stays and plays", "5.6 5.14"),
    Case(Code.BET_NOT_ON_LAYOUT, DH, betting, _place("ann", "player_pair", 1_00), "'player_pair'", "3.7"),
    Case(Code.BET_NOT_ON_LAYOUT, C3, betting, _place("ann", "tiger", 1_00), "tiger", "3.3"),
    Case(T.CARD_EXPOSED, DH, _with_exposed_card, _place("ann", "tie", 1_00), "exposed", "5.7.1"),
    Case(T.NO_SEATED_BET, TB, betting, _place("dan", "tie", 1_00), "box 1", "1.25"),
    Case(T.BELOW_MINIMUM, DH, _bet(), _place("ann", "banker", 49_99), "is 50;", "5.2"),
    Case(T.BELOW_MINIMUM, C3, _bet(), _place("ann", "banker", 49_99), "is 50;"),
    Case(T.ABOVE_MAXIMUM, DH, _bet(), _place("ann", "banker", 300_01), "300 more on Banker", "3.5"),
    Case(T.ABOVE_MAXIMUM, C3, _bet(), _place("ann", "banker", 300_01), "300 more on Banker"),
    Case(T.DIFFERENTIAL_EXCEEDED, S6, _differential_alone, _place("ann", "player", 100_01), "100 more on", "5.1"),
    Case(T.DIFFERENTIAL_EXCEEDED, S6, _differential, _place("ann", "banker", 100_01), "100 more on Banker", "5.1"),
    Case(T.NO_SUCH_BET, CI, betting, _pull("ann", "tie", 1_00), "on Tie"),
    Case(T.NO_EXCESS, TB, _observed, c.RejectExcess(*DEALER, 1), "Box 1", "5.1"),
    Case(T.NOT_BELOW_MINIMUM, TB, _observed, ADVISE, "minimum", "5.2"),
    # the coup
    Case(T.NOT_DEALING, C3, betting, DEAL, "closed", "3.4"),
    Case(T.NOT_DEALING, CI, ready, DEAL, "closed", "3.10"),
    Case(T.COUP_NOT_FINISHED, C3, dealing, c.Settle(*DEALER), "not finished", "3.6"),
    Case(T.CARD_TO_TURN, TB, _unseen, UNSEEN, "turned", "3.15"),
    Case(T.CARD_NEEDED, CI, dealing, UNSEEN, "face up"),
    Case(T.SUIT_NEEDED, CI, dealing, c.DealCard(*DEALER, Face("9")), "such as 9s"),
    Case(T.CARD_FACE_UP, CI, _asked, DEAL, "face down", "5.9"),
    Case(T.CARD_FACE_UP, C3, lambda rules: dealing(rules, face_down=True), DEAL, "face down"),
    Case(T.NO_CARD_THERE, CI, _unseen, c.TurnCard(*DEALER, 5, Card("5h")), "place 5"),
    Case(T.NOT_FACE_DOWN, S6, dealing, SQUEEZE, "face up", "3.9"),
    Case(T.NOT_THE_HIGHEST_BET, CI, _unseen, c.RequestSqueeze(*DEALER, "ben", PLAYER), "'ann'", "3.9"),
    Case(T.NO_SQUEEZE_ASKED, CI, _asked, c.GrantSqueeze(*SUPERVISOR, BANKER), "Banker", "3.9"),
    Case(T.NOTHING_TO_SQUEEZE, TB, dealt(NATURAL, face_down=True), SQUEEZE, "Player hand", "3.9"),
    Case(T.NO_ROUND, TB, ready, SQUEEZE, "No round", "3.9"),
    Case(T.NOTHING_TO_SQUEEZE, S6, _squeezed, c.SqueezeCard(*ANN, 1), "open", "3.9"),
    Case(T.HAND_ACCEPTED, CI, _asked, SQUEEZE, "Player hand", "3.9"),
    Case(T.WAIVER_NOT_POSSIBLE, CI, dealt(BANKER_ON_FIVE, face_down=True), WAIVE, "certain", "3.14"),
    # insurance
    Case(T.INSURANCE_DUE, CI, dealt(BANKER_ON_FIVE), DEAL, "2 to 1", "3.12 3.12.1"),
    Case(T.INSURANCE_DUE, DH, dealt(BANKER_ON_FIVE), DEAL, "3 to 2", "3.12 3.12.1"),
    Case(T.NO_INSURANCE_DUE, TB, dealing, OFFER, "No insurance", "3.12 3.12.1"),
    Case(T.INSURANCE_NOT_OPEN, TB, dealing, INSURE, "No insurance", "3.12 3.12.1"),
    Case(Code.NO_ORIGINAL_BET, DH, offered, c.TakeInsurance(*ANN, "ann", 2, 1_00), "box 2", "3.11"),
    Case(Code.INSURANCE_ABOVE_CAP, CI, offered, c.TakeInsurance(*ANN, "ann", 1, 50_01), "at most 50 more", "3.12.2"),
    Case(Code.INSURANCE_ABOVE_CAP, TB, offered, c.TakeInsurance(*ANN, "ann", 1, 100_01), "at most 100 more", "3.12.2"),
    Case(T.INSURANCE_FORGONE, TB, _forgone, INSURE, "'ann'", "5.3"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{case.book}")
def test_refused(case: Case) -> None:
    provoke(case)


def provoke(case: Case) -> None:
    evening = case.at(book(case.book))
    before = evening.table
    refusal = evening.refuse(case.command, case.code, *case.clauses.split())
    assert case.says in refusal.message
    assert (refusal.topic is not None) >= bool(refusal.clauses)
    assert evening.table is before


def test_odd_names_and_long_ones_are_refused_in_words() -> None:
    evening = betting(book(CI))
    for name in ("", "x" * 100_000, "\n", "ann\x00", "陳"):
        for command in commands_by(book(CI), name, Position.PLAYER, name):
            if not hasattr(command, "who"):
                continue
            refusal = decide(evening.rules, evening.table, command)
            assert isinstance(refusal, Refusal)
            assert 0 < len(refusal.message) < 300
