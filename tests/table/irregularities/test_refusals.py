"""Provokes every refusal of a report, a ruling or a choice; with those of normal play, every code is covered."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from punto.rules.coup.cards import Card
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.table.records import commands as c
from punto.table.records import reports as r
from punto.table.records.commands import Command
from punto.table.records.kinds import Choice, Effect, Late
from punto.table.records.positions import Position
from punto.table.refusals import FROM_THE_RULES, TableCode
from tests.table import test_refusals as everyday
from tests.table.corrections import test_refusals as corrections
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
    opened,
    ready,
)
from tests.table.test_refusals import (
    ANN,
    BANKER,
    C3,
    CI,
    DEAL,
    DH,
    HALF,
    INSURE,
    OFFER,
    PLAYER,
    S6,
    TB,
    Case,
    dealt,
    drawn_too_many,
    four_nines_seen,
    offered,
    played,
)


def _reported(at: Callable[[Rulebook], Evening], *reports: Command) -> Callable[[Rulebook], Evening]:
    def after(rules: Rulebook) -> Evening:
        evening = at(rules)
        for report in reports:
            evening.do(report)
        return evening

    return after


def _second(rules: Rulebook) -> Evening:
    return played(rules).open_betting()


def _missed(cards: str, *bets: tuple[str, str, int]) -> Callable[[Rulebook], Evening]:
    return lambda rules: dealing(rules, *bets, observing=True).deal(cards)


def _carrying(rules: Rulebook) -> Evening:
    """A card drawn too early waits to be dealt."""
    evening = dealing(rules).deal("2s 3h")
    evening.do(drawn_too_many("5h"))
    return evening


T = TableCode
FELL = r.ReportDealingError(*SUPERVISOR, "it fell")
LOST = replace(FELL, reconstructable=False)
AT_ONCE = r.ReportSimultaneousCards(*DEALER, (None, None))
WRONG = r.ReportWrongNumber(*SUPERVISOR, reason="four cards there")
SIDE = r.ReportWrongSide
UP = r.ReportFaceUpCard(*DEALER, 1, Card("5h"))
UNINSURED = r.ReturnUninsuredBets(*MANAGER, "ann", 1, BANKER, "the player had asked")
LATE = r.OfferLateInsurance(*MANAGER)
AWAY = r.ReportRestart("house", Position.HOUSE, 2_000_000, 62_000_000)


def _ruling(effect: Effect, *bets: r.RuledBet, **amounts: int) -> r.Rule:
    return r.Rule(*SHIFT, "the roof", effect, bets, amounts)


def _late(tried: Late, bet: str, amount: int = 1_00) -> r.ReportLateBet:
    return r.ReportLateBet(*DEALER, "ann", 1, bet, tried, amount)


CASES = [
    # whether an irregularity can be reported at all
    Case(T.NOT_IN_BOOK, C3, dealing, r.ReportInterruption(*SUPERVISOR), "interruption"),
    Case(T.NOT_IN_BOOK, C3, dealing, FELL, "choices for players"),
    Case(T.NOT_IN_BOOK, S6, dealing, UNINSURED, "insurance was not offered"),
    Case(T.NOT_IN_BOOK, CI, dealing, LATE, "late insurance"),
    Case(T.NOT_AUTHORISED, CI, dealing, replace(WRONG, position=Position.DEALER), "dealer", "5.5.3"),
    Case(T.NOT_AUTHORISED, C3, dealing, replace(WRONG, position=Position.DEALER), "dealer", "5.1.2"),
    Case(T.NOT_AUTHORISED, CI, dealing, replace(UNINSURED, position=Position.DEALER), "dealer", "5.13"),
    Case(T.NOT_AUTHORISED, TB, dealing, replace(UNINSURED, position=Position.DEALER), "dealer", "5.13.2"),
    Case(T.NOT_AUTHORISED, TB, dealing, replace(LATE, position=Position.PIT_SUPERVISOR), "supervisor", "5.13.1"),
    Case(T.NOT_AUTHORISED, S6, dealing, r.RuleCardOrder(*DEALER, (1, 2)), "dealer", "5.10"),
    Case(T.NOT_AUTHORISED, S6, dealing, r.ReplaceShoe(*DEALER, "s2", 8), "dealer", "5.10.2"),
    Case(T.NOT_AUTHORISED, S6, dealing, r.ChooseOption(*SHIFT, "ann", Choice.RETURN), "shift manager", "5.16"),
    Case(T.NOT_AUTHORISED, DH, dealing, r.Rule(*MANAGER, "x", Effect.VOID), "pit manager", "5.18"),
    Case(T.NOT_YOUR_OWN, DH, dealing, r.ChooseOption(*ANN, "ben", Choice.RETURN), "'ben'", "5.12"),
    # something is open
    Case(T.IRREGULARITY_OPEN, CI, _reported(dealt(NATURAL), DEAL), c.Settle(*DEALER), "report_excess_card", "5.7"),
    Case(T.IRREGULARITY_OPEN, C3, _reported(dealt(NATURAL), DEAL), c.Settle(*DEALER), "wrong_number", "5.1.2"),
    Case(T.IRREGULARITY_OPEN, DH, _reported(dealing, AT_ONCE), DEAL, "1 and 2", "5.10"),
    Case(T.IRREGULARITY_OPEN, TB, _reported(dealing, FELL), DEAL, "ann", "5.12"),
    Case(T.IRREGULARITY_OPEN, TB, _reported(dealing, FELL), FELL, "ann", "5.12"),
    Case(T.IRREGULARITY_OPEN, TB, _reported(offered, FELL), INSURE, "ann", "5.12"),
    Case(T.IRREGULARITY_OPEN, TB, _reported(dealt(BANKER_ON_FIVE), FELL), OFFER, "ann", "5.12"),
    # nothing to report
    Case(T.NO_ROUND, CI, ready, r.ReportInterruption(*SUPERVISOR), "No round", "5.4"),
    Case(T.NO_ROUND, S6, played, r.ReportInterruption(*SUPERVISOR), "No round", "5.4"),
    Case(T.NO_ROUND, C3, dealing, WRONG, "No hand", "5.1.2"),
    Case(T.NO_ROUND, DH, _reported(played, WRONG), WRONG, "No hand", "5.5.3"),
    Case(T.NO_ROUND, TB, ready, _ruling(Effect.VOID), "No round", "5.18"),
    Case(T.NO_ROUND, S6, ready, _ruling(Effect.RETURN, r.RuledBet("ann", 1, "tie")), "No round", "5.17"),
    Case(T.NO_ROUND, C3, ready, _ruling(Effect.CONTINUE), "No round"),
    Case(T.TOO_LATE, C3, _second, WRONG, "next round", "5.1.2"),
    Case(T.TOO_LATE, TB, _second, WRONG, "next round", "5.5.3"),
    Case(T.NO_SHOE, CI, opened, r.ReportForeignCard(*SUPERVISOR), "no shoe", "5.5.1"),
    Case(T.NO_SHOE, C3, opened, r.ReportForeignCard(*SUPERVISOR), "no shoe", "5.1.1"),
    Case(T.NO_SHOE, S6, opened, drawn_too_many("As"), "no shoe"),
    Case(T.NOT_BURNED, S6, lambda rules: ready(rules, burn=True), drawn_too_many("As"), "burned"),
    Case(T.NOT_DEALING, S6, betting, FELL, "closed", "3.10"),
    Case(T.NOT_DEALING, S6, betting, AT_ONCE, "closed", "5.10"),
    Case(T.NOT_DEALING, S6, betting, UP, "closed", "3.10"),
    Case(T.NOT_DEALING, S6, ready, SIDE(*SUPERVISOR, ()), "closed", "3.10"),
    Case(T.NOT_DEALING, C3, betting, _late(Late.PLACED, "tie"), "not closed", "3.2 5.2"),
    Case(T.NOT_DEALING, S6, betting, _late(Late.WITHDRAWN, "tie"), "not closed", "5.6 5.13"),
    Case(T.NOTHING_RAISED, CI, dealing, r.DismissIrregularity(*SUPERVISOR, "x"), "raised no irregularity"),
    Case(T.NOTHING_RAISED, CI, ready, r.DismissIrregularity(*SUPERVISOR, "x"), "raised no irregularity"),
    # not as it happened
    Case(T.REASON_NEEDED, CI, dealt("2s"), r.ReportWrongNumber(*SUPERVISOR), "1 to 400"),
    Case(T.REASON_NEEDED, CI, dealing, replace(FELL, reason=" "), "1 to 400"),
    Case(T.REASON_NEEDED, CI, dealing, replace(FELL, reason="x" * 401), "400"),
    Case(T.REASON_NEEDED, CI, dealing, r.ReportInterruption(*SUPERVISOR, "no\nlight"), "0 to 400"),
    Case(T.REASON_NEEDED, CI, dealing, r.ReportForeignCard(*SUPERVISOR, "x" * 401), "0 to 400"),
    Case(T.REASON_NEEDED, CI, dealing, r.ReportExcessCard(*SUPERVISOR, (None,), None, False), "1 to 400"),  # noqa: FBT003
    Case(T.REASON_NEEDED, CI, dealt("2s"), SIDE(*SUPERVISOR, (BANKER,), False, False), "1 to 400"),  # noqa: FBT003
    Case(T.REASON_NEEDED, CI, _reported(dealt(NATURAL), DEAL), r.DismissIrregularity(*SUPERVISOR, ""), "1 to 400"),
    Case(T.REASON_NEEDED, C3, dealing, r.Rule(*SHIFT, "", Effect.VOID), "1 to 400"),
    Case(T.CARD_NEEDED, CI, dealing, r.ReportExcessCard(*SUPERVISOR, ()), "which cards", "5.7"),
    Case(T.CARD_NEEDED, S6, dealing, r.ReportSimultaneousCards(*DEALER, (None,)), "two or more", "5.10"),
    Case(T.CARD_NOT_IN_SHOE, S6, four_nines_seen, drawn_too_many("9s"), "9s", "2.2.1"),
    Case(
        T.CARD_NOT_IN_SHOE, TB, _reported(four_nines_seen, c.OpenBetting(*DEALER)), drawn_too_many("9s"), "9s", "2.2.1"
    ),
    Case(
        T.SHOE_EMPTY,
        C3,
        lambda rules: drawn_to(rules, 1),
        replace(WRONG, cards=(None,) * 2, reconstructable=True),
        "Only 1 card is left",
        "5.1.3",
    ),
    Case(T.SHOE_NOT_EMPTY, CI, dealing, r.ReportShoeRunOut(*SUPERVISOR), "left to draw", "5.5.4"),
    Case(T.SHOE_NOT_EMPTY, C3, dealt(NATURAL), r.ReportShoeRunOut(*SUPERVISOR), "No card has to be drawn", "5.1.3"),
    Case(
        T.SHOE_NOT_EMPTY,
        S6,
        _reported(ready, drawn_too_many("As"), c.OpenBetting(*DEALER), c.CloseBetting(*DEALER)),
        r.ReportShoeRunOut(*SUPERVISOR),
        "drawn earlier",
        "5.5.4",
    ),
    Case(
        T.NOT_THE_NEXT_CARD,
        S6,
        _reported(ready, drawn_too_many("As"), c.OpenBetting(*DEALER), c.CloseBetting(*DEALER)),
        DEAL,
        "As",
        "1.15 5.7",
    ),
    Case(
        T.NOT_THE_NEXT_CARD,
        TB,
        _reported(ready, drawn_too_many("As"), c.OpenBetting(*DEALER), c.CloseBetting(*DEALER)),
        DEAL,
        "As",
        "1.20 5.7",
    ),
    Case(T.NOT_AS_DEALT, DH, dealt("2s 3h"), SIDE(*SUPERVISOR, (BANKER,)), "2 cards", "5.8"),
    Case(T.NOT_AS_DEALT, DH, dealt("2s 3h"), SIDE(*SUPERVISOR, (PLAYER, BANKER)), "belong", "5.8"),
    Case(T.NOT_FACE_DOWN, CI, dealt("2s"), UP, "face up", "5.9"),
    Case(T.NO_CARD_THERE, CI, dealt("2s", face_down=True), UP, "place 1"),
    Case(T.NO_ORDER_LOST, CI, dealing, r.RuleCardOrder(*SUPERVISOR, (1, 2)), "known", "5.10"),
    Case(T.NOT_AN_ORDER, CI, _reported(dealing, AT_ONCE), r.RuleCardOrder(*SUPERVISOR, (1, 1)), "1 and 2", "5.10"),
    Case(T.NOT_AN_ORDER, CI, _reported(dealing, AT_ONCE), r.RuleCardOrder(*SUPERVISOR, (1, 2, 3)), "1 and 2", "5.10"),
    Case(T.NOT_AN_ORDER, CI, dealt("2s 3h"), replace(LOST, in_doubt=(1,)), "two or more", "5.12"),
    Case(T.NOT_AN_ORDER, CI, dealt("2s 3h"), replace(LOST, in_doubt=(1, 1)), "once", "5.12"),
    Case(T.NOT_AN_ORDER, CI, dealt("2s 3h"), replace(LOST, in_doubt=(1, 3)), "1 to 2", "5.12"),
    Case(T.NOT_AN_ORDER, CI, dealt("2s 3h"), replace(LOST, in_doubt=(0, 1)), "1 to 2", "5.12"),
    Case(T.NOT_AN_ORDER, CI, dealt("2s 3h"), replace(FELL, in_doubt=(1, 2)), "reconstructed", "5.12"),
    Case(T.NOT_AN_ORDER, CI, dealt("2s 3h"), SIDE(*SUPERVISOR, (BANKER, PLAYER), in_doubt=(1, 2)), "in doubt", "5.8"),
    Case(T.NOT_AS_DEALT, CI, dealt("2s 3h"), SIDE(*SUPERVISOR, (BANKER, PLAYER), to_person=True), "Nobody", "5.8.2"),
    Case(T.NOT_AS_DEALT, CI, dealt("2s 3h"), replace(AT_ONCE, entered=3), "0 to 2", "5.10"),
    Case(T.NOT_AS_DEALT, CI, dealt("2s 3h"), replace(AT_ONCE, entered=-1), "0 to 2", "5.10"),
    Case(T.NOT_AS_DEALT, CI, _carrying, replace(AT_ONCE, entered=1), "between", "5.10"),
    Case(T.CARD_NEEDED, CI, dealt("2s 3h"), replace(AT_ONCE, cards=(), entered=1), "two or more", "5.10"),
    Case(T.NOT_SIMULTANEOUS, TB, dealing, r.ReplaceShoe(*SUPERVISOR, "s2", 8), "at the same time", "5.10.2"),
    Case(T.NOT_SIMULTANEOUS, TB, betting, r.ReplaceShoe(*SUPERVISOR, "s2", 8), "at the same time", "5.10.2"),
    Case(T.SHOE_IN_USE, TB, _reported(dealing, AT_ONCE), r.ReplaceShoe(*SUPERVISOR, "s1", 8), "'s1'"),
    Case(
        Code.DECKS_OUT_OF_RANGE, S6, _reported(dealing, AT_ONCE), r.ReplaceShoe(*SUPERVISOR, "s2", 9), "4 to 8", "2.2.1"
    ),
    # options
    Case(T.NO_OPTIONS, S6, dealing, r.ChooseOption(*ANN, "ann", Choice.RETURN), "'ann'", "5.12"),
    Case(T.NO_OPTIONS, S6, _reported(dealing, FELL), r.ChooseOption(*DEALER, "ben", Choice.RETURN), "'ben'", "5.12"),
    Case(T.NO_OPTIONS, S6, dealing, r.CallTime(*SUPERVISOR), "No player", "5.12"),
    Case(T.NO_OPTIONS, S6, ready, r.CallTime(*SUPERVISOR), "No player", "5.12"),
    # insurance not offered
    Case(T.INSURANCE_NOT_MISSED, CI, dealing, UNINSURED, "No insurance offer", "5.13"),
    Case(T.INSURANCE_NOT_MISSED, DH, ready, UNINSURED, "No insurance offer", "5.13.2"),
    Case(
        T.INSURANCE_NOT_MISSED,
        DH,
        _missed(f"{BANKER_ON_FIVE} 7c 2h"),
        replace(UNINSURED, side=PLAYER),
        "Player",
        "5.13.2",
    ),
    Case(T.INSURANCE_NOT_MISSED, DH, dealing, LATE, "No insurance offer", "5.13.1"),
    Case(T.COUP_NOT_FINISHED, CI, _missed(f"{BANKER_ON_FIVE} 7c"), UNINSURED, "not yet known", "5.13"),
    Case(T.REASON_NEEDED, CI, _missed(f"{BANKER_ON_FIVE} 7c 2h"), replace(UNINSURED, reason=""), "1 to 400"),
    Case(T.WOULD_NOT_HAVE_WON, TB, _missed(f"{BANKER_ON_FIVE} 4c 3h"), UNINSURED, "won", "5.13.2"),
    Case(T.NO_SUCH_BET, CI, _missed(f"{BANKER_ON_FIVE} 7c 2h"), replace(UNINSURED, who="ben"), "'ben'", "5.13"),
    Case(T.NO_SUCH_BET, CI, _reported(_missed(f"{BANKER_ON_FIVE} 7c 2h"), UNINSURED), UNINSURED, "'ann'", "5.13"),
    Case(T.BETS_DECIDED, DH, _missed(f"{BANKER_ON_FIVE} 8c"), LATE, "return_uninsured_bets", "5.13.2"),
    Case(T.NO_INSURANCE_DUE, TB, _missed(f"{BANKER_ON_FIVE} 4c"), LATE, "cannot be offered now", "5.13.2"),
    # for the record
    Case(T.NO_SUCH_BET, C3, dealing, _late(Late.INCREASED, "tie"), "on Tie", "3.2 5.2"),
    Case(T.NO_SUCH_BET, S6, dealing, _late(Late.WITHDRAWN, "tie"), "on Tie", "5.6 5.13"),
    Case(T.AMOUNT_NOT_POSITIVE, S6, dealing, _late(Late.PLACED, "tie", 0), "is 0."),
    Case(T.BAD_NAME, S6, dealing, replace(_late(Late.PLACED, "tie"), who=""), "name"),
    Case(T.NOT_AN_EARLIER_ROUND, S6, _second, r.ReportLaterError(*DEALER, 2, "x"), "round 2", "5.11"),
    Case(T.NOT_AN_EARLIER_ROUND, S6, played, r.ReportLaterError(*DEALER, 1, "x"), "round 1", "5.11"),
    Case(T.NOT_AN_EARLIER_ROUND, S6, ready, r.ReportLaterError(*DEALER, 0, "x"), "round 0", "5.11"),
    Case(T.REASON_NEEDED, S6, _second, r.ReportLaterError(*DEALER, 1, ""), "1 to 400"),
    Case(T.NOTHING_RULED, CI, dealing, _ruling(Effect.ADJUST), "amounts", "5.18"),
    Case(T.NOTHING_RULED, S6, dealing, _ruling(Effect.RETURN), "bets", "5.17"),
    Case(T.NOTHING_RULED, C3, dealing, _ruling(Effect.VOID, ann=1), "neither"),
    Case(T.NOTHING_RULED, TB, dealing, _ruling(Effect.ADJUST, r.RuledBet("ann", 1, "banker"), ann=1), "bets", "5.18"),
    Case(T.NO_SUCH_BET, TB, dealing, _ruling(Effect.RETURN, r.RuledBet("ann", 1, "tie")), "on Tie", "5.18"),
    Case(T.NO_SUCH_BET, C3, dealing, _ruling(Effect.RETURN, r.RuledBet("ben", 1, "banker")), "'ben'"),
    Case(T.NOT_ENOUGH_CHIPS, TB, ready, _ruling(Effect.ADJUST, ann=-CHIPS_MINOR - 1), "10,000"),
    Case(T.AMOUNT_NOT_POSITIVE, TB, ready, _ruling(Effect.ADJUST, ann=0), "is 0."),
    Case(Code.AMOUNT_TOO_LARGE, TB, ready, _ruling(Effect.ADJUST, ann=10**15), "larger than any table", "5.18"),
    Case(Code.NOT_AN_AMOUNT, TB, ready, _ruling(Effect.ADJUST, ann=HALF), "whole number"),
    Case(T.BAD_NAME, TB, ready, _ruling(Effect.ADJUST, **{"": 1}), "name"),
    # restarts of the server
    Case(T.RESTART_UNANSWERED, CI, _reported(dealing, AWAY), DEAL, "60 seconds", "5.4"),
    Case(T.RESTART_UNANSWERED, C3, _reported(dealing, AWAY), DEAL, "resume_round"),
    Case(T.NO_RESTART, CI, dealing, r.ResumeRound(*DEALER), "No restart", "5.4"),
    Case(T.NO_ROUND, CI, ready, AWAY, "No round", "5.4"),
    Case(T.TIMES_REVERSED, CI, dealing, replace(AWAY, to_us=1_999_999), "before", "5.4"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.code}-{case.book}")
def test_refused(case: Case) -> None:
    everyday.provoke(case)


def test_every_reason_is_provoked() -> None:
    """Except those of previews, and of a bet limited by another, which no shipped book has.

    ``tests/table/test_preview.py`` and ``tests/table/play/test_limited_bets.py`` provoke them.
    """
    assert (set(TableCode) | FROM_THE_RULES) - {
        case.code for case in (*everyday.CASES, *CASES, *corrections.CASES)
    } == {TableCode.NO_PREVIEW, TableCode.SHARE_EXCEEDED}
