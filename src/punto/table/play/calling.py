"""Calling the pit to a table. Nothing in the game changes by it."""

from msgspec.structs import replace

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table.decision import Deciders, Decision, Evolvers
from punto.table.records.pit_calls import AnswerCall, CallAnswered, CallPit, PitCall, PitCalled
from punto.table.records.state import Table
from punto.table.refusals import TableCode, refuse


def check_not_called(book: Rulebook, table: Table) -> Refusal | None:
    last = table.pit_call
    return refuse(book, TableCode.PIT_CALLED, by=last.called_by[:40]) if last is not None and last.open else None


def call_pit(book: Rulebook, table: Table, command: CallPit) -> Decision:
    if refusal := check_not_called(book, table):
        return refusal
    last = table.pit_call
    return (PitCalled(1 if last is None else last.number + 1, command.by),)


def on_pit_called(table: Table, event: PitCalled) -> Table:
    return replace(table, pit_call=PitCall(event.call, event.called_by))


def check_called(book: Rulebook, table: Table) -> Refusal | None:
    last = table.pit_call
    return refuse(book, TableCode.PIT_NOT_CALLED) if last is None or not last.open else None


def answer_call(book: Rulebook, table: Table, command: AnswerCall) -> Decision:
    last = table.pit_call
    if refusal := check_called(book, table):
        return refusal
    assert last is not None  # noqa: S101 - it was called
    return (CallAnswered(last.number, command.by),)


def on_call_answered(table: Table, event: CallAnswered) -> Table:
    last, now = table.pit_call, table.round
    assert last is not None  # noqa: S101 - only a call is answered
    return replace(
        table, pit_call=replace(last, answered_by=event.answered_by, answered_in=now.number if now is not None else 0)
    )


DECIDERS: Deciders = {
    CallPit: call_pit,
    AnswerCall: answer_call,
}

EVOLVERS: Evolvers = {
    PitCalled: on_pit_called,
    CallAnswered: on_call_answered,
}
