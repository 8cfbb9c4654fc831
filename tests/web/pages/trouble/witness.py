"""Somebody who knows what happened and answers the questions of a tile, one after the other."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from punto.floor.journal.entry import command_of
from punto.rules.coup.cards import Face
from punto.rules.money import write_amount
from punto.table.procedure.trouble.facts import WHAT, Missing, build, questions
from punto.table.procedure.trouble.felt import TableInTrouble
from punto.table.procedure.trouble.questions import UNSEEN, FactKind, FactPick, FactQuestion
from punto.table.procedure.trouble.tiles import TILES, TileName
from punto.table.records.commands import Command, client_fields

Fields = dict[str, Any]
Answers = dict[str, str]


class Told(Struct, frozen=True):
    """A tile and the answers that gave the command."""

    tile: TileName
    facts: Answers


def tell(felt: TableInTrouble, command: Command) -> Told | None:
    """Find the tile and the answers that give exactly this command; None if the questions cannot say it."""
    for tile, kind in TILES.items():
        if any(act.kind(felt.book) is type(command) for act in kind.acts):
            facts = _answer(felt, tile, command, {})
            if facts is not None:
                return Told(tile, facts)
    return None


def _answer(felt: TableInTrouble, tile: TileName, command: Command, facts: Answers) -> Answers | None:
    """Answer the next question in every way that agrees with what happened, until the command is the right one."""
    question = next((each for each in questions(felt, tile, facts) if each.name not in facts), None)
    if question is None:
        body = build(felt, tile, facts)
        if isinstance(body, Missing):
            return None
        return facts if command_of({**body, "by": command.by, "position": command.position}) == command else None
    for answer in _agreeing(felt, tile, question, command):
        found = _answer(felt, tile, command, {**facts, question.name: answer})
        if found is not None:
            return found
    return None


def _agreeing(felt: TableInTrouble, tile: TileName, question: FactQuestion, command: Command) -> Iterator[str]:
    fields = client_fields(command)
    if question.name == WHAT:
        possible = {pick.key for pick in question.picks if can_be_chosen(pick)}
        acts = (act for act in TILES[tile].acts if act.kind(felt.book) is type(command))
        yield from (act.name for act in acts if act.name in possible)
    elif question.kind is FactKind.CHOICE:
        chosen = (pick for pick in question.picks if can_be_chosen(pick) and _agrees(question, pick, fields))
        yield from (pick.key for pick in chosen)
    else:
        yield _ANSWERS[question.kind](question, fields)


def can_be_chosen(pick: FactPick) -> bool:
    return pick.why_not is None and not pick.leads_to and not pick.form


def _agrees(question: FactQuestion, pick: FactPick, fields: Fields) -> bool:
    if question.field:
        return bool(fields[question.field] == pick.value)
    return all(fields[name] == value for name, value in pick.value.items())


def _written(card: Face | None) -> str:
    return UNSEEN if card is None else str(card)


def _dotted(question: FactQuestion, fields: Fields) -> str:
    return ".".join(map(str, fields[question.field]))


def _bets(question: FactQuestion, fields: Fields) -> str:
    keys = {tuple(pick.value.values()): pick.key for pick in question.picks}
    return "\n".join(keys.get((bet["who"], bet["box"], bet["bet"]), "") for bet in fields["bets"])


_ANSWERS: dict[FactKind, Callable[[FactQuestion, Fields], str]] = {
    FactKind.BETS: _bets,
    FactKind.AMOUNTS: lambda _, fields: "\n".join(f"{write_amount(it)} {who}" for who, it in fields["amounts"].items()),
    FactKind.CARD: lambda _, fields: _written(fields["card"]),
    FactKind.CARDS: lambda _, fields: ".".join(map(_written, fields["cards"])),
    FactKind.PLACE: lambda question, fields: str(fields[question.field]),
    FactKind.PLACES: _dotted,
    FactKind.ORDER: _dotted,
    FactKind.SIDES: lambda question, fields: ".".join(
        str(card.place) for card, side in zip(question.cards, fields["as_dealt"], strict=False) if card.side != side
    ),
    FactKind.AMOUNT: lambda question, fields: write_amount(fields[question.field]),
    FactKind.NUMBER: lambda question, fields: str("" if fields[question.field] is None else fields[question.field]),
    FactKind.TEXT: lambda question, fields: str(fields[question.field]),
    FactKind.REASON: lambda question, fields: str(fields[question.field]),
}
