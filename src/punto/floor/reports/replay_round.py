"""``punto replay``: a round step by step, with actor and clauses of each step."""

import msgspec
from msgspec import Struct

from punto.floor.database.base import Database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, broken, context_of, event_of
from punto.floor.journal.round_record import Conditions, RoundRecord
from punto.floor.journal.rounds import Decided, RoundFold, conditions_after
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head
from punto.floor.reports.event_words import describe
from punto.floor.reports.moments import iso_utc
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.refusals import Clause
from punto.table import evolve
from punto.table.records.events import BettingOpened, Event, TableOpened
from punto.table.records.state import Table


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
    state, before, fold = Table(), Table(), None
    conditions, steps, labels = Conditions(), list[ReplayStep](), tuple[str, ...]()
    for entry in streams.read_all(database, head):
        event = event_of(entry)
        decided: Decided = ()
        conditions = conditions_after(conditions, event)
        if isinstance(event, TableOpened):
            labels = event.settings.box_labels
        if isinstance(event, BettingOpened | TableOpened):
            if fold is not None:
                break
            if number == (event.round if isinstance(event, BettingOpened) else 0):
                before, fold = state, RoundFold(entry, conditions)
        elif fold is not None:
            decided = fold.take(entry, event)
        state = evolve_entry(state, entry, event)
        if fold is not None:
            steps.append(_step(state, entry, event, decided))
    if fold is None:
        last = state.round.number if state.round else 0
        raise FloorRefused(FloorCode.UNKNOWN_ROUND, stream=head.stream, round=number, last=last)
    record, kind = fold.record, shoe_kinds(database).get(StreamName.parse(head.stream).table)
    drawn = before.shoe.drawn if before.shoe else 0
    at = record.conditions
    return Replay(head.stream, at.book, number, at.shoe or None, kind, drawn, steps, record, labels)


def evolve_entry(state: Table, entry: Entry, event: Event) -> Table:
    """The table after an entry's event; refused if the event is not possible there."""
    try:
        return evolve(state, event)
    except Exception as error:  # an event that is not possible here may raise anything
        raise broken(entry.stream, entry.version) from error


def shoe_kinds(database: Database) -> dict[str, ShoeKind]:
    """Table name to the kind of its shoes."""
    rows = database.reading(lambda transaction: transaction.rows("SELECT name, setup FROM tables")).result()
    try:
        return {name: msgspec.json.decode(setup, type=TableSetup).shoes for name, setup in rows}
    except msgspec.MsgspecError as error:
        raise FloorRefused(FloorCode.BAD_DATABASE, variant="setup", reason=str(error)) from error


def _step(state: Table, entry: Entry, event: Event, decided: Decided) -> ReplayStep:
    words, details = describe(state, event, decided)
    clauses: tuple[Clause, ...] = getattr(event, "clauses", ())
    actor = (entry.actor, entry.position, entry.command_id)
    happened_at_us = context_of(entry).happened_at_us
    happened_at = iso_utc(happened_at_us) if happened_at_us else None
    event_text = msgspec.Raw(entry.event.encode())
    return ReplayStep(entry.version, iso_utc(entry.at_us), *actor, event_text, words, details, clauses, happened_at)
