"""The irregularity cases as questions for the referee."""

from collections.abc import Iterator
from typing import Any

from punto.rules.coup.cards import FACE_DOWN
from punto.rules.money import write_amount
from punto.table.records import commands
from punto.table.records.commands import Command, OpenTable, client_fields
from punto.table.records.positions import Position
from punto.table.records.settings import chosen_settings
from punto.table.referee.question import BetLaid, RefereeQuestion
from tests.cases.irregularity_files import Filed, Irregular
from tests.cases.playing import STAFF, STANDING, limits
from tests.golden.script import lines_of
from tests.golden.words import read_command

_PLAYS = "dora plays "


def question_of(filed: Filed) -> RefereeQuestion:
    """The case as one question. Steps that are refused there are left out: nothing came of them."""
    case = filed.case
    opening = read_command(f"sue opens the table {limits(filed)}{filed.table}", STAFF)
    assert isinstance(opening, OpenTable)
    table = {name: value for name, value in chosen_settings(opening.settings).items() if name != "layout"}
    placed = [read_command(line, STAFF) for line in accepted(case.bets)]
    laid = [_laid(bet) for bet in placed if isinstance(bet, commands.PlaceBet) and bet.position is Position.PLAYER]
    before = [line for line in case.before if not line.startswith(_PLAYS)]
    as_bets = len(laid) == len(placed) and not before
    story = case.happens if as_bets else [*_opening(before), *case.bets, *_closing(case), *case.happens]
    return RefereeQuestion(
        book=filed.book,
        layout=opening.settings.layout,
        table={"observing": False, **table},
        decks=case.decks,
        left=case.left,
        seen=" ".join(line.removeprefix(_PLAYS) for line in case.before if line.startswith(_PLAYS)),
        bets=tuple(laid) if as_bets else (),
        betting_open=not (case.bets_close and as_bets),
        happened=tuple(_story(story)),
    )


def accepted(lines: list[str]) -> Iterator[str]:
    for line in lines_of("\n".join(lines)):
        words, _, came = line.partition(" -- ")
        if not came or came.startswith("raises"):
            yield words


def _opening(before: list[str]) -> list[str]:
    """An earlier round. A question starts with betting open."""
    call = "dora calls place your bets"
    return [*before[1:], call] if before[:1] == [call] else []


def _closing(case: Irregular) -> list[str]:
    return ["dora calls no more bets"] if case.bets_close else []


def _laid(bet: commands.PlaceBet) -> BetLaid:
    return BetLaid(bet.box, bet.bet, write_amount(bet.stake_minor), bet.who, seated=bet.who not in STANDING)


def _story(lines: list[str]) -> Iterator[str | dict[str, Any]]:
    for line in accepted(lines):
        command = read_command(line, STAFF)
        if isinstance(command, commands.DealCard) and not (command.not_offered or command.before_close):
            yield command.card or FACE_DOWN
        elif not isinstance(command, commands.BurnCards):  # the house's procedure
            yield _body(command)


def _body(command: Command) -> dict[str, Any]:
    body = {name: value for name, value in client_fields(command).items() if value is not None}
    if command.position is Position.PLAYER and "who" in command.__struct_fields__:
        body["who"] = body.get("who", command.by)
    return body
