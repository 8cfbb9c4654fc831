"""``punto replay``: a round step by step, with actor and clauses of each step."""

import msgspec
from msgspec import Struct

from punto.floor.database.base import Database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.round_record import RoundRecord
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head
from punto.floor.reports.event_words import describe
from punto.floor.reports.moments import iso_utc
from punto.floor.reports.rounds.round_steps import RoundStep, StepFold
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.refusals import Clause


class ReplayStep(Struct, frozen=True):
    version: int
    at: str
    actor: str
    position: str
    command_id: str
    event: msgspec.Raw
    words: str
    details: tuple[str, ...]
    clauses: tuple[Clause, ...]
    happened_at: str | None = None
    """If it was entered later."""


class Replay(Struct, frozen=True):
    """A round, and the shoe before it."""

    stream: str
    book: str
    round: int
    shoe: str | None
    shoe_kind: ShoeKind | None
    """None if the table no longer exists."""
    cards_drawn: int
    steps: list[ReplayStep]
    record: RoundRecord
    box_labels: tuple[str, ...] = ()
    """What the boxes are called at the table; empty for their numbers, which the steps use."""


def find_stream(database: Database, table: str) -> Head:
    """The last opening of a table, or the named one, such as ``t1/2``."""
    heads = database.reading(streams.heads).result()
    if table in heads and StreamName.find(table):
        return heads[table]
    names = [name for name in map(StreamName.find, heads) if name is not None and name.table == table]
    if not names:
        raise FloorRefused(FloorCode.UNKNOWN_TABLE, variant="never_opened", table=table[:60])
    return heads[str(max(names))]


def replay_round(database: Database, table: str, number: int) -> Replay:
    """Everything at the table from the start of a round until the next one.

    Round 0 is the time before the first round.
    """
    head = find_stream(database, table)
    fold = StepFold(number)
    for entry in streams.read_all(database, head):
        if not fold.take(entry):
            break
    found = fold.found
    if found is None:
        last = fold.at.state.round.number if fold.at.state.round else 0
        raise FloorRefused(FloorCode.UNKNOWN_ROUND, stream=head.stream, round=number, last=last)
    at, before = found.record.conditions, found.before
    return Replay(
        stream=head.stream,
        book=at.book,
        round=number,
        shoe=at.shoe or None,
        shoe_kind=shoe_kinds(database).get(StreamName.parse(head.stream).table),
        cards_drawn=before.shoe.drawn if before.shoe else 0,
        steps=list(map(_step, found.steps)),
        record=found.record,
        box_labels=found.box_labels,
    )


def shoe_kinds(database: Database) -> dict[str, ShoeKind]:
    """Table name to the kind of its shoes."""
    rows = database.reading(lambda transaction: transaction.rows("SELECT name, setup FROM tables")).result()
    try:
        return {name: msgspec.json.decode(setup, type=TableSetup).shoes for name, setup in rows}
    except msgspec.MsgspecError as error:
        raise FloorRefused(FloorCode.BAD_DATABASE, variant="setup", reason=str(error)) from error


def _step(step: RoundStep) -> ReplayStep:
    entry, event, happened_at_us = step.entry, step.event, step.context.happened_at_us
    words, details = describe(step.after, event, step.decided)
    return ReplayStep(
        version=entry.version,
        at=iso_utc(entry.at_us),
        actor=entry.actor,
        position=entry.position,
        command_id=entry.command_id,
        event=msgspec.Raw(entry.event.encode()),
        words=words,
        details=details,
        clauses=getattr(event, "clauses", ()),
        happened_at=iso_utc(happened_at_us) if happened_at_us else None,
    )
