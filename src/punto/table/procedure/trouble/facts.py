"""The questions of a tile, and the command that its answers give."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from punto.catalogue.sentence import Phrase, phrase
from punto.rules.refusals import Refusal
from punto.table.procedure.trouble.acts import TroubleAct
from punto.table.procedure.trouble.felt import TableInTrouble
from punto.table.procedure.trouble.questions import (
    FactPick,
    FactQuestion,
    Facts,
    choice_question,
    is_answered,
    read_answer,
)
from punto.table.procedure.trouble.tiles import TILES, TileName
from punto.table.records.commands import tag_of_command
from punto.table.records.state import Phase
from punto.table.refusals import TableCode

WHAT = "what"
"""The fact that chooses between the acts of a tile."""


class Missing(Struct, frozen=True):
    """Questions without an answer, by name."""

    names: tuple[str, ...]
    unreadable: tuple[str, ...] = ()
    """Of these, the ones whose answer makes no sense."""


def questions(felt: TableInTrouble, tile: TileName, facts: Facts) -> tuple[FactQuestion, ...]:
    """What has to be known, in the order to ask it."""
    if felt.table.phase is Phase.CLOSED:
        return ()
    what, act = _chosen(felt, tile, facts)
    asked = () if act is None else tuple(act.ask(felt, facts))
    return (*((what,) if what is not None else ()), *asked)


def build(felt: TableInTrouble, tile: TileName, facts: Facts) -> dict[str, Any] | Missing:
    """The command as a client sends it, without who gives it and in which round; for a grey tile there is none."""
    if felt.table.phase is Phase.CLOSED:
        return Missing((WHAT,))
    what, act = _chosen(felt, tile, facts)
    if act is None or act.why_not(felt) is not None:
        return Missing((WHAT,), (WHAT,) if what is not None and what.answer else ())
    return body_of(felt, act, facts)


def body_of(felt: TableInTrouble, act: TroubleAct, facts: Facts) -> dict[str, Any] | Missing:
    """The command of an act, possible or not."""
    asked = tuple(act.ask(felt, facts))
    missing = tuple(question.name for question in asked if is_missing(question))
    if missing:
        return Missing(missing, tuple(each.name for each in asked if each.name in missing and is_answered(each)))
    body: dict[str, Any] = {"command": tag_of_command(act.kind(felt.book)), **act.known}
    for question in filter(is_answered, asked):
        value = read_answer(question)
        body |= {question.field: value} if question.field else value
    return body


def is_missing(question: FactQuestion) -> bool:
    """Whether a question needs an answer, or another one than it has."""
    if not is_answered(question):
        return not question.optional
    try:
        read_answer(question)
    except ValueError:
        return True
    return False


def _chosen(felt: TableInTrouble, tile: TileName, facts: Facts) -> tuple[FactQuestion | None, TroubleAct | None]:
    """The question which act it is, if there is one, and the act."""
    kind = TILES[tile]
    leads = kind.leads(felt)
    if len(kind.acts) < 2 and not leads:
        return None, next(iter(kind.acts), None)
    picks = (*leads, *_acts(felt, kind.acts))
    likely = kind.likely(felt)
    preset = next((pick.key for pick in picks if pick.key == likely and pick.why_not is None), "")
    what = choice_question(facts, WHAT, phrase("guide.what"), picks, preset=preset)
    return what, next((act for act in kind.acts if act.name == what.answer), None)


def _acts(felt: TableInTrouble, acts: tuple[TroubleAct, ...]) -> Iterator[FactPick]:
    """Those that the book has no rule on, and those about bets where only cards are recorded, are left out."""
    for act in acts:
        why_not: Refusal | Phrase | None = act.why_not(felt)
        if not isinstance(why_not, Refusal) or why_not.code not in (TableCode.NOT_IN_BOOK, TableCode.CARDS_ONLY):
            yield FactPick(act.name, phrase(f"guide_what.{act.name}"), why_not=why_not)
