"""Restarts of the server at a table with a real shoe: the round stays as it is, and may have to be confirmed."""

from msgspec.structs import replace

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, this_round
from punto.table.play.voiding import check_round
from punto.table.records.commands import BurnCards, Command, DealCard, Settle, SqueezeCard, TurnCard
from punto.table.records.events import Event
from punto.table.records.findings import (
    IrregularityDismissed,
    IrregularityReported,
    RestartRecorded,
    RoundResumed,
    Ruled,
)
from punto.table.records.kinds import Effect
from punto.table.records.reports import ReportRestart, ResumeRound
from punto.table.records.state import Phase, Restart, Table
from punto.table.refusals import TableCode, refuse

ASKS_AFTER_US = 5_000_000
"""After a shorter absence nobody is asked: too little can have happened at the table."""

_WAITING = (BurnCards, DealCard, TurnCard, SqueezeCard, Settle)
"""Commands that wait for the answer. What concerns bets and insurance does not."""


def check_resumed(book: Rulebook, table: Table, command: Command) -> Refusal | None:
    """Refuse cards and settlement while a restart is unanswered: the table may have gone on without the server."""
    away = table.restart
    if away is None or not isinstance(command, _WAITING):
        return None
    seconds = (away.to_us - away.from_us) // 1_000_000
    return refuse(book, TableCode.RESTART_UNANSWERED, Topic.INTERRUPTION, seconds=seconds)


def report_restart(book: Rulebook, table: Table, command: ReportRestart) -> Decision:
    """Record the absence. An earlier one that is still unanswered keeps asking."""
    if refusal := check_round(book, table, Topic.INTERRUPTION):
        return refusal
    if command.to_us < command.from_us:
        return refuse(book, TableCode.TIMES_REVERSED, Topic.INTERRUPTION)
    asks = table.restart is not None or command.to_us - command.from_us >= ASKS_AFTER_US
    clauses = book.topics[Topic.INTERRUPTION] if asks else ()
    return (RestartRecorded(command.from_us, command.to_us, asks, clauses),)


def on_restart_recorded(table: Table, event: RestartRecorded) -> Table:
    """Absences that nobody answered in between count as one."""
    if not event.asks:
        return table
    from_us = event.from_us if table.restart is None else table.restart.from_us
    return replace(table, restart=Restart(from_us, event.to_us))


def resume_round(book: Rulebook, table: Table, _: ResumeRound) -> Decision:
    if table.restart is None:
        return refuse(book, TableCode.NO_RESTART, Topic.INTERRUPTION)
    return (RoundResumed(this_round(table).number),)


def on_round_resumed(table: Table, _: RoundResumed) -> Table:
    return replace(table, restart=None)


def clear_answered(table: Table, event: Event) -> Table:
    """A restart is answered, too, by a report about the round, a ruling to continue it, and its end."""
    match event:
        case IrregularityReported():
            answered = event.round == this_round(table).number
        case IrregularityDismissed():
            answered = True
        case Ruled():
            answered = event.effect is Effect.CONTINUE
        case _:
            answered = False
    over = table.phase not in (Phase.BETTING, Phase.DEALING)
    return replace(table, restart=None) if answered or over else table


DECIDERS: Deciders = {
    ReportRestart: report_restart,
    ResumeRound: resume_round,
}

EVOLVERS: Evolvers = {
    RestartRecorded: on_restart_recorded,
    RoundResumed: on_round_resumed,
}
