"""A command that names its round is refused in any other."""

import msgspec
import pytest
from msgspec.structs import replace

from punto import book
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide, legal
from punto.table.engine import check_allowed
from punto.table.records import commands as c
from punto.table.records.commands import Command
from punto.table.records.events import BettingOpened
from punto.table.records.positions import Position
from punto.table.records.reports import ReportLaterError
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode
from punto.table.vocabulary import AnyCommand
from tests.marks import BOOKS
from tests.table.samples import COMMANDS, commands_by
from tests.table.tables import DEALER, NATURAL, Evening, betting, in_phase
from tests.table.test_refusals import offered

RULES = book("commission-insurance")
ALL_BOOKS = pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)


def _tables(rules: Rulebook) -> list[Table]:
    """Tables in every phase: before the first round, in the first, after it, and in the second."""
    evenings = [in_phase(rules, phase) for phase in Phase]
    evenings += [_settled(rules), _settled(rules).open_betting(), _settled(rules).open_betting().close_betting()]
    if rules.insurance is not None:
        evenings.append(offered(rules))
    return [evening.table for evening in evenings]


def _settled(rules: Rulebook) -> Evening:
    return betting(rules).play(NATURAL)


def _number(table: Table) -> int:
    return table.round.number if table.round else 0


def _commands(rules: Rulebook) -> list[Command]:
    """One of each kind by each position, except the one whose ``round`` means an earlier round."""
    return [
        command
        for position in Position
        for command in commands_by(rules, "ann", position, "ann")
        if not isinstance(command, ReportLaterError)
    ]


def _other_rounds(number: int) -> set[int]:
    return {number - 1, number + 1, -1, 0, 1, 10**30} - {number}


@ALL_BOOKS
def test_in_another_round_nothing_is_accepted(rules: Rulebook) -> None:
    seen = set()
    for table in _tables(rules):
        for command in _commands(rules):
            first = check_allowed(rules, table, command)
            for number in _other_rounds(_number(table)):
                decision = decide(rules, table, replace(command, round=number))
                assert isinstance(decision, Refusal), (command, number)
                assert decision == first if first else decision.code is TableCode.OTHER_ROUND, (command, decision)
                seen.add(decision.code)
    assert {TableCode.OTHER_ROUND, TableCode.NOT_AUTHORISED, TableCode.TABLE_CLOSED} <= seen


@ALL_BOOKS
def test_in_its_own_round_a_command_is_decided_as_if_it_named_none(rules: Rulebook) -> None:
    accepted = set()
    for table in _tables(rules):
        for command in _commands(rules):
            decision = decide(rules, table, command)
            assert decide(rules, table, replace(command, round=_number(table))) == decision, command
            if not isinstance(decision, Refusal):
                accepted.add((type(command), _number(table)))
    assert {(c.OpenTable, 0), (c.Sit, 0), (c.PlaceBet, 1), (c.PlaceBet, 2), (c.OpenBetting, 1)} <= accepted


@ALL_BOOKS
def test_commands_listed_as_legal_name_no_round_and_any_of_them_may(rules: Rulebook) -> None:
    for table in _tables(rules):
        for option in legal(rules, table, *DEALER):
            if isinstance(option.command, ReportLaterError):
                continue
            assert option.command.round is None
            named = replace(option.command, round=_number(table))
            assert not isinstance(decide(rules, table, named), Refusal)


def test_the_call_for_bets_names_the_round_before_it() -> None:
    evening = _settled(RULES)
    (opening, *_) = evening.do(c.OpenBetting(*DEALER, round=1))
    assert isinstance(opening, BettingOpened)
    assert opening.round == 2
    evening.refuse(c.OpenBetting(*DEALER, round=1), TableCode.OTHER_ROUND)


def test_no_round_is_below_0() -> None:
    body = {"command": "open_betting.1", "by": "dora", "position": "dealer"}
    assert msgspec.convert({**body, "round": 0}, type=AnyCommand) == c.OpenBetting(*DEALER, round=0)
    with pytest.raises(msgspec.ValidationError, match="round"):
        msgspec.convert({**body, "round": -1}, type=AnyCommand)


def test_a_later_error_names_the_earlier_round_and_no_other() -> None:
    evening = _settled(RULES).open_betting()
    evening.do(ReportLaterError(*DEALER, 1, "a card misread"))
    evening.refuse(ReportLaterError(*DEALER, 2, "a card misread"), TableCode.NOT_AN_EARLIER_ROUND, "5.11")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: type(command).__name__)
def test_commands_written_before_there_were_rounds_in_them_are_read(command: Command) -> None:
    fields = msgspec.to_builtins(command)
    if not isinstance(command, ReportLaterError):
        assert fields.pop("round") is None
    assert msgspec.convert(fields, type=AnyCommand) == command
