"""Calling the pit to a table. Nothing in the game changes by it."""

from msgspec.structs import replace

from punto.rules.rulebook import Rulebook
from punto.table.decision import Deciders, Decision, Evolvers
from punto.table.records.pit_calls import AnswerCall, CallAnswered, CallPit, PitCall, PitCalled
from punto.table.records.state import Table
from punto.table.refusals import TableCode, refuse


def call_pit(book: Rulebook, table: Table, command: CallPit) -> Decision:
    last = table.pit_call
    if last is not None and last.open:
        return refuse(book, TableCode.PIT_CALLED, by=last.called_by[:40])
    return (PitCalled(1 if last is None else last.number + 1, command.by),)


def on_pit_called(table: Table, event: PitCalled) -> Table:
    return replace(table, pit_call=PitCall(event.call, event.called_by))


def answer_call(book: Rulebook, table: Table, command: AnswerCall) -> Decision:
    last = table.pit_call
    if last is None or not last.open:
        return refuse(book, TableCode.PIT_NOT_CALLED)
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
