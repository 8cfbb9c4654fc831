"""The few commands that make sense now: the first one is what the table waits for."""

import pytest

from punto import book, book_ids
from punto.rules.coup.cards import Card
from punto.rules.rulebook import Rulebook
from punto.table.moves.sensible import SensibleMove, sensible
from punto.table.records import commands, corrections, reports
from punto.table.records.commands import Command
from punto.table.records.kinds import Choice
from punto.table.records.positions import STAFF, Position
from punto.table.situation import Then, situation
from tests.table import open_rounds
from tests.table.open_rounds import Reach, bets_placed, dealt
from tests.table.tables import DEALER, SUPERVISOR, Evening, betting, drawn_to, ready

RULES = book("commission-insurance")


def kinds(evening: Evening) -> list[type[Command]]:
    return [type(each.move.command) for each in sensible(evening.rules, evening.table)]


def bad_shoe(rules: Rulebook) -> Evening:
    evening = betting(rules)
    evening.do(reports.ReportForeignCard(*SUPERVISOR))
    return evening


def restarted(rules: Rulebook) -> Evening:
    evening = dealt(2)(rules)
    evening.do(reports.ReportRestart("house", Position.HOUSE, 0, 60_000_000))
    return evening


def fifth_copy(rules: Rulebook) -> Evening:
    evening = drawn_to(rules, 100)
    if evening.rules.coup(" ".join(map(str, evening.table.round.cards if evening.table.round else ()))).finished:
        evening.settle().open_betting().close_betting()
    evening.do(commands.DealCard(*DEALER, Card("As")))
    return evening


@pytest.mark.parametrize(
    ("reach", "then", "expected"),
    [
        (Evening, Then.NOTHING, []),
        (ready, Then.BET, [commands.OpenBetting]),
        (bets_placed, Then.BET, [commands.CloseBetting]),
        (dealt(1), Then.DEAL, [commands.DealCard]),
        (dealt(4, face_down=True), Then.TURN, [commands.TurnCard] * 4),
        (dealt(6), Then.SETTLE, [commands.Settle]),
        (dealt(4), Then.INSURE, [commands.OpenInsurance]),
        (open_rounds.insurance_offered, Then.CLOSE_INSURANCE, [commands.CloseInsurance]),
        (open_rounds.settled, Then.BET, [commands.OpenBetting]),
        (open_rounds.options_open, Then.CHOOSE, [*[reports.ChooseOption] * 6, reports.CallTime]),
        (open_rounds.order_lost, Then.RULE_ORDER, [reports.RuleCardOrder, reports.ReplaceShoe]),
        (
            open_rounds.irregularity_raised,
            Then.REPORT,
            [reports.ReportExcessCard, reports.DismissIrregularity, corrections.CorrectCard],
        ),
        (
            fifth_copy,
            Then.REPORT,
            [reports.ReportCardCount, reports.DismissIrregularity, corrections.CorrectCard],
        ),
        (bad_shoe, Then.LOAD_SHOE, [commands.LoadShoe, reports.InspectShoe]),
        (restarted, Then.RESUME, [reports.ResumeRound, reports.ReportInterruption]),
        (open_rounds.insurance_missed, Then.UNINSURED, [commands.Settle, reports.ReturnUninsuredBets]),
    ],
)
def test_what_makes_sense_in_each_state(reach: Reach, then: Then, expected: list[type[Command]]) -> None:
    evening = reach(RULES)
    assert situation(RULES, evening.table).then is then
    assert kinds(evening) == expected


def one(evening: Evening, kind: type[Command]) -> SensibleMove:
    return next(each for each in sensible(evening.rules, evening.table) if type(each.move.command) is kind)


def test_who_may_which_clause_and_what_is_missing() -> None:
    evening = open_rounds.irregularity_raised(RULES)
    report, dismiss = one(evening, reports.ReportExcessCard), one(evening, reports.DismissIrregularity)
    assert (report.missing, dismiss.missing) == ((), ("reason",))
    assert report.positions == dismiss.positions == STAFF[1:]
    assert report.clauses == ("5.7",)
    assert isinstance(report.move.command, reports.ReportExcessCard)
    assert report.move.command.cards == ("5h",), "the card that was raised is filled in"
    assert one(dealt(1)(RULES), commands.DealCard).missing == ("card",)
    assert one(dealt(0, face_down=True)(RULES), commands.DealCard).missing == ()


def test_players_choose_for_themselves_or_the_pit_for_them() -> None:
    choices = [each for each in sensible(RULES, open_rounds.options_open(RULES).table) if each.missing == ()]
    assert choices[0].positions == (Position.PLAYER, *STAFF[:3])
    asked = [each.move.command for each in choices if isinstance(each.move.command, reports.ChooseOption)]
    assert [(each.who, each.choice) for each in asked[:2]] == [("ann", Choice.CONTINUE), ("ann", Choice.RETURN)]


def test_who_could_have_insured_and_would_have_won_ends_with_their_bet() -> None:
    returned = one(open_rounds.insurance_missed(RULES), reports.ReturnUninsuredBets)
    assert returned.move.ends_with_minor == 100_00
    assert returned.positions == STAFF[2:]


@pytest.mark.parametrize("rules", [book(each) for each in book_ids()], ids=lambda rules: rules.id)
def test_there_is_always_something_to_do_in_an_open_round(rules: Rulebook) -> None:
    for reach in (
        bets_placed,
        dealt(0),
        dealt(2),
        dealt(4),
        dealt(6),
        dealt(2, face_down=True),
        dealt(4, face_down=True),
    ):
        found = sensible(rules, reach(rules).table)
        assert found, reach
        assert len(found) <= 4
