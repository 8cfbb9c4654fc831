"""``punto replay``: a round step by step, each with who did it and the clauses behind it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from enum import Enum
from typing import Any

import msgspec
from msgspec import Struct

from punto.floor.database.base import Database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, read_event
from punto.floor.journal.streams import Head
from punto.floor.running.table_setup import ShoeKind, TableSetup
from punto.library import book, book_ids
from punto.rules.coup.cards import FACE_DOWN, write_cards
from punto.rules.coup.coup import Coup
from punto.rules.coup.explanation import explain
from punto.rules.coup.table_of_play import Side
from punto.rules.money import write_amount
from punto.rules.refusals import Clause
from punto.table import evolve
from punto.table.records.events import BettingOpened, CardDealt, CardTurned, Event, RoundSettled, SettledBet
from punto.table.records.state import Table


class ReplayStep(Struct, frozen=True):
    """One entry of a round."""

    version: int
    at: str
    actor: str
    position: str
    command_id: str
    event: msgspec.Raw
    words: str
    details: tuple[str, ...]
    clauses: tuple[Clause, ...]


class Replay(Struct, frozen=True):
    """A round, and how the table stood before it."""

    stream: str
    book: str
    round: int
    shoe: str | None
    shoe_kind: ShoeKind | None
    """None where the table is gone."""
    cards_drawn: int
    steps: list[ReplayStep]


def find_stream(database: Database, table: str) -> Head:
    """The last opening of a table; or the one that is named, such as ``t1/2``."""
    heads = database.reading(streams.heads).result()
    if table in heads and "/" in table:
        return heads[table]
    openings = [head for name, head in heads.items() if table and name.rpartition("/")[0] == table]
    if not openings:
        raise FloorRefused(FloorCode.UNKNOWN_TABLE, variant="never_opened", table=table[:60])
    return max(openings, key=lambda head: int(head.stream.rpartition("/")[2]))


def replay_round(database: Database, table: str, number: int) -> Replay:
    """Everything that happened at the table from the call for bets of that round until the next one."""
    head = find_stream(database, table)
    state, before, steps = Table(), None, []
    for entry in entries_of(database, head):
        event = read_event(entry.event)
        if isinstance(event, BettingOpened):
            if before is not None:
                break
            if event.round == number:
                before = state
        state = evolve(state, event)
        if before is not None:
            steps.append(_step(state, entry, event))
    if before is None:
        last = state.round.number if state.round else 0
        raise FloorRefused(FloorCode.UNKNOWN_ROUND, stream=head.stream, round=number, last=last)
    shoe, kind = before.shoe, shoe_kinds(database).get(head.stream.rpartition("/")[0])
    return Replay(head.stream, before.book, number, shoe.id if shoe else None, kind, shoe.drawn if shoe else 0, steps)


def shoe_kinds(database: Database) -> dict[str, ShoeKind]:
    """Where the cards of each table come from."""
    rows = database.reading(lambda transaction: transaction.rows("SELECT name, setup FROM tables")).result()
    try:
        return {name: msgspec.json.decode(setup, type=TableSetup).shoes for name, setup in rows}
    except msgspec.MsgspecError as error:
        raise FloorRefused(FloorCode.BAD_DATABASE, variant="setup", reason=str(error)) from error


def entries_of(database: Database, head: Head) -> Iterator[Entry]:
    """The entries of a stream up to a head, a page at a time."""
    after = 0
    while after < head.version:
        most = min(streams.ENTRIES_A_PAGE, head.version - after)
        work = _page(head, after, most)
        entries = database.reading(work).result()
        if not entries:
            return
        yield from entries
        after = entries[-1].version


def _page(head: Head, after: int, most: int) -> Callable[..., list[Entry]]:
    return lambda transaction: streams.read(transaction, head, after, most)


def _step(state: Table, entry: Entry, event: Event) -> ReplayStep:
    words, details = tell(state, event)
    clauses: tuple[Clause, ...] = getattr(event, "clauses", ())
    said = (entry.actor, entry.position, entry.command_id)
    return ReplayStep(
        entry.version, when(entry.at_us), *said, msgspec.Raw(entry.event.encode()), words, details, clauses
    )


def when(at_us: int) -> str:
    """A moment as ISO 8601 in UTC, to the microsecond."""
    return (
        datetime.fromtimestamp(at_us // 1_000_000, UTC)
        .replace(microsecond=at_us % 1_000_000)
        .isoformat(timespec="microseconds")
    )


# ---- in words


def tell(state: Table, event: Event) -> tuple[str, tuple[str, ...]]:
    """An event in words, with the table as it is after it: a line, and further ones where there is more to say."""
    tag = str(type(event).__struct_config__.tag).partition(".")[0].replace("_", " ")
    if isinstance(event, CardDealt):
        return f"card {event.place} goes to {event.to.capitalize()}", tuple(_why(state, event.place))
    if isinstance(event, CardTurned):
        return f"card {event.place} is {event.card}", tuple(_hands(state))
    if isinstance(event, RoundSettled):
        score = f"Player {event.player}, Banker {event.banker}"
        return f"{tag}: {event.winner}, {score}", tuple(map(_bet, event.results))
    said = ", ".join(_fields(event))
    return f"{tag}: {said}" if said else tag, ()


def _coup(state: Table) -> Coup | None:
    """The coup on the table; None where the shelf has not its book."""
    if state.round is None or state.book not in book_ids() or book(state.book).law_hash != state.law_hash:
        return None
    return Coup.of(book(state.book).space, state.round.cards)


def _why(state: Table, place: int) -> Iterator[str]:
    coup = _coup(state)
    if coup is not None and place > 4:
        steps, _ = explain(coup)
        yield from (step.why for step in steps[place - 1 : place])


def _hands(state: Table) -> Iterator[str]:
    coup = _coup(state)
    if coup is None:
        return
    hands = []
    for side in (Side.PLAYER, Side.BANKER):
        hand = coup.hand(side)
        points = "" if None in hand.cards else f" ({hand.points})"
        if hand.cards:
            hands.append(f"{side.capitalize()} {write_cards(hand.cards)}{points}")
    yield ", ".join(hands)


def _bet(result: SettledBet) -> str:
    stage = f" ({result.stage})" if result.stage else ""
    played = "" if result.played_minor is None else f", of which {write_amount(result.played_minor)} played"
    odds = f" at {result.odds}" if result.odds else ""
    kept = f", commission {write_amount(result.commission_minor)}" if result.commission_minor is not None else ""
    return (
        f"{result.who}, box {result.box}, {result.bet}{stage} {write_amount(result.stake_minor)}{played}:"
        f" {result.result}{odds}, {write_amount(result.returned_minor)} back{kept} ({', '.join(result.clauses)})"
    )


_NOTHING: tuple[object, ...] = (None, (), "")


def _fields(record: Struct) -> Iterator[str]:
    for name in record.__struct_fields__:
        value = getattr(record, name)
        if name in ("postings", "clauses") or value in _NOTHING or value is False:
            continue
        if name.endswith("_minor"):
            yield f"{name.removesuffix('_minor')} {write_amount(value)}"
        else:
            yield f"{name.replace('_', ' ')} {_said(value)}"


def _said(value: Any) -> str:
    if value is None:
        return FACE_DOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Struct):
        return f"({', '.join(_fields(value))})"
    if isinstance(value, tuple):
        return " ".join(map(_said, value))
    return str(value)
