"""A restart of the server at a table with a real shoe changes nothing; after a long one cards and settlement wait."""

import pytest
from msgspec.structs import replace

from punto.library import book
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table import legal, next_step
from punto.table.play.restarting import ASKS_AFTER_US
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.findings import RestartRecorded, RoundResumed
from punto.table.records.kinds import Choice, Effect, Late
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.records.state import Phase, Restart
from punto.table.refusals import TableCode
from tests.marks import BOOKS, reading
from tests.table.numbers import cited
from tests.table.tables import (
    BANKER_ON_FIVE,
    DEALER,
    HOUSE,
    MANAGER,
    NATURAL,
    SHIFT,
    SUPERVISOR,
    Evening,
    betting,
    dealing,
    ready,
)

RULES = book("commission-insurance")
FROM_US = 1_700_000_000_000_000
LONG = reports.ReportRestart(*HOUSE, FROM_US, FROM_US + ASKS_AFTER_US)
SHORT = replace(LONG, to_us=LONG.to_us - 1)
RESUME = reports.ResumeRound(*DEALER)
DEAL = commands.DealCard(*DEALER, Card("2c"))


def _away(evening: Evening) -> Evening:
    evening.do(LONG)
    return evening


def _unanswered(evening: Evening, command: Command) -> None:
    refusal = evening.refuse(command, TableCode.RESTART_UNANSWERED, *cited(evening.rules, "interruption"))
    assert refusal.values == {"seconds": 5}


@reading("interruptions", "commission_version_three")
@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_the_round_stays_as_it_is_until_the_dealer_resumes_it(rules: Rulebook) -> None:
    evening = dealing(rules).deal("9s 2d")
    before = evening.table
    clauses = cited(rules, "interruption")
    assert evening.do(LONG) == (RestartRecorded(FROM_US, LONG.to_us, asks=True, clauses=clauses),)
    assert evening.table == replace(before, restart=Restart(FROM_US, LONG.to_us))
    _unanswered(evening, DEAL)
    assert evening.do(RESUME) == (RoundResumed(1),)
    assert evening.table == before
    evening.deal("Kh 3c").settle()


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_after_less_than_five_seconds_nobody_is_asked(rules: Rulebook) -> None:
    evening = dealing(rules).deal("9s 2d")
    before = evening.table
    assert evening.do(SHORT) == (RestartRecorded(FROM_US, SHORT.to_us, asks=False),)
    assert evening.table == before
    evening.refuse(RESUME, TableCode.NO_RESTART, *cited(rules, "interruption"))
    evening.deal("Kh 3c").settle()


def test_a_second_restart_asks_about_both_until_they_are_answered() -> None:
    evening = _away(dealing(RULES))
    again_us = LONG.to_us + 60_000_000
    (event,) = evening.do(reports.ReportRestart(*HOUSE, again_us, again_us + 1))
    assert isinstance(event, RestartRecorded)
    assert event.asks
    assert evening.table.restart == Restart(FROM_US, again_us + 1)
    evening.do(RESUME)
    assert evening.table.restart is None


def test_cards_and_settlement_wait() -> None:
    _unanswered(_away(dealing(RULES).deal(NATURAL)), commands.Settle(*DEALER))
    down = dealing(RULES, face_down=True).deal_unseen(4)
    _unanswered(_away(down), commands.TurnCard(*DEALER, 1, Card("2c")))
    squeezed = ready(RULES, face_down=True).open_betting()
    squeezed.bet("ann", "player", 100_00)
    squeezed.do(commands.RequestSqueeze("ann", Position.PLAYER, "ann", Side.PLAYER))
    squeezed.do(commands.GrantSqueeze(*SUPERVISOR, Side.PLAYER))
    squeezed.close_betting().deal_unseen(4)
    _unanswered(_away(squeezed), commands.SqueezeCard("ann", Position.PLAYER, 1))
    _unanswered(_away(_new_shoe()), commands.BurnCards(*DEALER, Card("2c")))


def _new_shoe() -> Evening:
    """A shoe that replaced another one in the round and has not been burned."""
    evening = ready(RULES)
    assert evening.table.settings is not None
    evening.do(commands.BurnCards(*DEALER, Card("2c")))
    evening.do(commands.ChangeSettings(*SUPERVISOR, replace(evening.table.settings, burn=True)))
    evening.open_betting().close_betting()
    evening.do(reports.ReportSimultaneousCards(*DEALER, (Card("5h"), None)))
    evening.do(reports.ReplaceShoe(*SUPERVISOR, "s2", 8, now=True))
    return evening


def test_facts_about_bets_do_not_wait() -> None:
    evening = _away(betting(RULES))
    evening.bet("ann", "banker", 100_00)
    evening.do(evening.withdrawing("ann", "banker", 10_00))
    evening.do(commands.BuyIn(*DEALER, "ann", 1_00))
    evening.close_betting()
    evening.do(reports.ReportLateBet(*DEALER, "ann", 1, "banker", Late.INCREASED, 5_00))
    assert evening.table.restart is not None
    _unanswered(evening, DEAL)


def test_insurance_does_not_wait() -> None:
    """The dealer may have offered it while the server was away."""
    evening = _away(dealing(RULES).deal(BANKER_ON_FIVE))
    evening.do(commands.OpenInsurance(*DEALER))
    evening.do(evening.insuring("ann", 10_00))
    evening.do(commands.CloseInsurance(*DEALER))
    _unanswered(evening, DEAL)


def test_choices_do_not_wait() -> None:
    evening = dealing(RULES).deal("9s 2d")
    evening.do(reports.ReportDealingError(*SUPERVISOR, "it fell"))
    _away(evening).do(reports.ChooseOption("ann", Position.PLAYER, "ann", Choice.CONTINUE))
    assert evening.table.restart is not None


@pytest.mark.parametrize(
    "report",
    [
        reports.ReportDealingError(*SUPERVISOR, "a card fell while it was away"),
        reports.ReportSimultaneousCards(*DEALER, (Card("5h"), None)),
        reports.ReportWrongSide(*SUPERVISOR, (Side.BANKER, Side.PLAYER)),
        reports.ReportInterruption(*SUPERVISOR, "nobody knows how it went on"),
        reports.ReportForeignCard(*SUPERVISOR),
        reports.Rule(*SHIFT, "the hand stands", Effect.CONTINUE),
        reports.Rule(*SHIFT, "played elsewhere", Effect.VOID),
    ],
    ids=lambda report: type(report).__name__,
)
def test_a_report_or_a_ruling_answers_it_too(report: Command) -> None:
    evening = _away(dealing(RULES).deal("9s 2d"))
    evening.do(report)
    assert evening.table.restart is None


def test_dismissing_what_was_raised_before_the_restart_answers_it() -> None:
    evening = dealing(RULES).deal(NATURAL)
    evening.do(DEAL)
    _away(evening).do(reports.DismissIrregularity(*SUPERVISOR, "it stayed in the shoe"))
    assert evening.table.restart is None
    evening.settle()


def test_what_says_nothing_about_the_round_does_not_answer_it() -> None:
    evening = dealing(RULES).deal(NATURAL).settle().open_betting()
    _away(evening).do(reports.ReportLaterError(*DEALER, 1, "a card misread"))
    evening.do(reports.Rule(*SHIFT, "the roof", Effect.ADJUST, (), {"ann": 5}))
    assert evening.table.restart is not None


def test_only_the_system_reports_it_and_a_dealer_or_above_answers() -> None:
    evening = dealing(RULES)
    for position in (Position.DEALER, Position.CASINO_MANAGER, Position.PLAYER):
        evening.refuse(replace(LONG, by="x", position=position), TableCode.NOT_AUTHORISED)
    evening.do(LONG)
    for position in (Position.PLAYER, Position.HOUSE):
        evening.refuse(replace(RESUME, by="x", position=position), TableCode.NOT_AUTHORISED)
    evening.do(reports.ResumeRound(*MANAGER))


@pytest.mark.parametrize("phase", [Phase.BETTING, Phase.DEALING])
def test_an_automatic_dealer_waits(phase: Phase) -> None:
    evening = ready(RULES, automations=tuple(Automation)).open_betting()
    if phase is Phase.DEALING:
        evening.close_betting()
    step = next_step(RULES, evening.table)
    assert step is not None
    evening.do(SHORT)
    assert next_step(RULES, evening.table) == step
    evening.do(LONG)
    assert next_step(RULES, evening.table) is None
    evening.do(RESUME)
    assert next_step(RULES, evening.table) == step


def test_the_answer_is_listed_and_the_cards_are_not() -> None:
    evening = dealing(RULES)
    before = legal(RULES, evening.table, *DEALER)
    evening.do(LONG)
    moves = legal(RULES, evening.table, *DEALER)
    commands_before, commands_now = ({type(move.command) for move in each} for each in (before, moves))
    assert commands_now == (commands_before - {commands.DealCard}) | {reports.ResumeRound}
