"""What rounds are searched by: marks such as ``player:P000123``, ``bet:tie`` or ``outcome:void``.

The marks of a round are a column of its row in ``rounds``: see :mod:`punto.floor.journal.round_index`. The tables
``round_marks`` and ``round_blocks`` are an index over that column, written in the same transaction. A block is 62
consecutive rounds of an opening; each mark in it has one row, whose number has a bit for each round with the mark. So a
mark that nearly every round has costs one row for 62 rounds, and rounds that have several marks are found by the bits
that their rows have in common.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import astuple

from punto.floor.database.base import Row, Transaction
from punto.floor.journal.entry import Entry, context_of, tag_name
from punto.floor.journal.incidents import OtherKind
from punto.floor.journal.round_record import AdjustmentRecord, BetRecord, RoundRecord
from punto.floor.journal.stream_name import StreamName
from punto.rules.refusals import Clause
from punto.table.records import events, findings
from punto.table.records.events import Event, PlayerIdentified, cited_by
from punto.table.records.kinds import Irregularity
from punto.table.records.positions import Position
from punto.table.records.settings import box_label
from punto.table.vocabulary import CORRECTION_EVENTS

ROUNDS_A_BLOCK = 62
"""As many bits as both databases can count without a sign."""
NATURAL = "natural"
LEAST_POWER = 4
"""Amounts have a mark for each power of ten they reach, from this one on."""
ENTERED_LATER, DONE_ALONE = "entered_later", "alone"


class MarkKind(StrEnum):
    TABLE = "table"
    DEALER = "dealer"
    """Somebody who gave a command as a dealer."""
    PLAYER = "player"
    """An id, a place or a plain name."""
    NAMED = "named"
    """Somebody was identified as this player in the round."""
    BOX = "box"
    """As it is printed on the felt."""
    BET = "bet"
    CLAUSE = "clause"
    KIND = "kind"
    OUTCOME = "outcome"
    STAKE = "stake"
    """A power of ten that a stake of the round reaches, in the smallest unit; so payouts and totals."""
    PAYOUT = "payout"
    TOTAL = "total"


def mark_of(kind: MarkKind, value: object) -> str:
    return f"{kind}:{value}"


def values_of(marks: Iterable[str], kind: MarkKind) -> tuple[str, ...]:
    """The values of the marks of one kind."""
    start = mark_of(kind, "")
    return tuple(mark.removeprefix(start) for mark in marks if mark.startswith(start))


def printed_box(labels: Sequence[str], box: int) -> str:
    """A box as people search for it: by its label, in small letters, or by its number if it has none."""
    return box_label(labels, box).casefold()


def power_of(amount_minor: int) -> int:
    """The highest power of ten that an amount reaches.

    >>> power_of(999), power_of(1_000)
    (2, 3)
    """
    return len(str(amount_minor)) - 1


_CORRECTIONS: tuple[type[Event], ...] = (findings.SettlementReversed, *CORRECTION_EVENTS)
_KINDS: dict[type[Event], Callable[[Any], str]] = {
    findings.IrregularityRaised: lambda event: event.kind,
    findings.IrregularityReported: lambda event: event.kind,
    findings.Ruled: lambda _: Irregularity.RULING,
    findings.LateBetRefused: lambda _: OtherKind.LATE_BET,
    findings.UninsuredBetReturned: lambda _: OtherKind.UNINSURED,
    findings.RestartRecorded: lambda _: OtherKind.RESTART,
    events.InsuranceMissed: lambda _: OtherKind.UNINSURED,
    **{kind: lambda event: tag_name(type(event)) for kind in _CORRECTIONS},
}
MARKING = tuple(_KINDS)
"""Events that change the marks of their round at once."""
ROUND_KINDS: tuple[str, ...] = (
    *Irregularity,
    *OtherKind,
    *(tag_name(kind) for kind in _CORRECTIONS),
    ENTERED_LATER,
    DONE_ALONE,
)
"""Kinds of irregularity, correction and entry that a round can be searched by."""


class RoundFacts(Struct):
    """What the record of a round does not say."""

    dealers: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    """Ids that somebody was identified as."""
    people: set[str] = field(default_factory=set)
    """Those who were, under the name of before."""
    kinds: set[str] = field(default_factory=set)
    clauses: set[Clause] = field(default_factory=set)

    def take(self, entry: Entry, event: Event) -> None:
        context, kind = context_of(entry), _KINDS.get(type(event))
        if entry.position == Position.DEALER:
            self.dealers.add(entry.actor)
        if kind is not None:
            self.kinds.add(str(kind(event)))
        if context.happened_at_us:
            self.kinds.add(ENTERED_LATER)
        if context.alone:
            self.kinds.add(DONE_ALONE)
        if isinstance(event, PlayerIdentified):
            self.named.add(event.player_id)
            self.people.add(event.who)
        self.clauses.update(cited_by((event,)))

    def copy(self) -> "RoundFacts":
        return RoundFacts(*map(set, astuple(self)))


def write_marks(record: RoundRecord, facts: RoundFacts) -> str:
    """The marks of a round as they are stored."""
    bets = record.bets
    results: list[BetRecord | AdjustmentRecord] = [*bets, *record.adjustments]
    values: dict[MarkKind, Iterable[object]] = {
        MarkKind.TABLE: [StreamName.parse(record.stream).table],
        MarkKind.DEALER: facts.dealers,
        MarkKind.PLAYER: {
            *(each.who for each in results),
            *facts.named,
            *facts.people,
        },
        MarkKind.NAMED: facts.named,
        MarkKind.BOX: {printed_box(record.conditions.box_labels, bet.box) for bet in bets},
        MarkKind.BET: {bet.bet for bet in bets},
        MarkKind.CLAUSE: {
            *(clause for each in results for clause in each.clauses),
            *record.clauses,
            *facts.clauses,
        },
        MarkKind.KIND: facts.kinds,
        MarkKind.OUTCOME: [record.outcome, *([NATURAL] if is_natural(record) else [])] if record.outcome else [],
        MarkKind.STAKE: _powers(max((bet.stake_minor for bet in bets), default=0)),
        MarkKind.PAYOUT: _powers(max((bet.returned_minor for bet in bets), default=0)),
        MarkKind.TOTAL: _powers(sum(bet.stake_minor for bet in bets)),
    }
    marks = sorted(mark_of(kind, value) for kind, of_kind in values.items() for value in of_kind)
    return msgspec.json.encode(marks).decode()


def is_natural(record: RoundRecord) -> bool:
    """Whether a hand had eight or nine on its first two cards."""
    return record.winner is not None and len(record.cards) == 4 and max(record.player or 0, record.banker or 0) >= 8


def _powers(amount_minor: int) -> range:
    return range(LEAST_POWER, power_of(amount_minor) + 1)


def read_marks(text: object) -> tuple[str, ...]:
    """Nothing if the stored text is damaged, which the audit reports."""
    try:
        return _MARKS.decode(text) if isinstance(text, str) else ()
    except msgspec.MsgspecError:
        return ()


_MARKS = msgspec.json.Decoder(tuple[str, ...])


# ---- the tables


class MarkedRound(Struct, frozen=True):
    number: int
    opened_us: int
    marks: str

    @property
    def block(self) -> int:
        return self.number // ROUNDS_A_BLOCK

    @property
    def bit(self) -> int:
        return 1 << self.number % ROUNDS_A_BLOCK


_WRITE_MARK = (
    "INSERT INTO round_marks (stream, block, mark, bits) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (stream, block, mark) DO UPDATE SET bits = excluded.bits"
)
_WRITE_BLOCK = (
    "INSERT INTO round_blocks (stream, block, from_us, to_us) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (stream, block) DO UPDATE SET"
    " from_us = CASE WHEN excluded.from_us < round_blocks.from_us THEN excluded.from_us ELSE round_blocks.from_us END,"
    " to_us = CASE WHEN excluded.to_us > round_blocks.to_us THEN excluded.to_us ELSE round_blocks.to_us END"
)
_TABLES = ("round_marks", "round_blocks")
_Rows = tuple[frozenset[Row], frozenset[Row]]
"""Rows of the two tables, without their stream."""


def index_marks(transaction: Transaction, stream: int, rounds: Iterable[MarkedRound]) -> None:
    """Bring both tables up to date with rows that were just written, by number."""
    for block, group in groupby(rounds, key=lambda each: each.block):
        sql = "SELECT mark, bits FROM round_marks WHERE stream = ? AND block = ?"
        before: dict[str, int] = dict(transaction.rows(sql, (stream, block)))
        after, blocks = dict(before), []
        for each in group:
            after = {mark: bits & ~each.bit for mark, bits in after.items()}
            _set_bits(after, each)
            blocks.append((stream, block, each.opened_us, each.opened_us))
        gone = [(stream, block, mark) for mark, bits in after.items() if not bits]
        changed = [(stream, block, mark, bits) for mark, bits in after.items() if bits and before.get(mark) != bits]
        transaction.many("DELETE FROM round_marks WHERE stream = ? AND block = ? AND mark = ?", gone)
        transaction.many(_WRITE_MARK, changed)
        transaction.many(_WRITE_BLOCK, blocks)


def _set_bits(bits: dict[str, int], marked: MarkedRound) -> None:
    for mark in read_marks(marked.marks):
        bits[mark] = bits.get(mark, 0) | marked.bit


def rebuild_marks(transaction: Transaction) -> int:
    """Make both tables again, stream by stream. Return how many rows were changed, added or deleted."""
    differed = 0
    for stream in marked_streams(transaction):
        wanted, stored = expected_marks(transaction, stream), stored_marks(transaction, stream)
        if wanted != stored:
            for table in _TABLES:
                transaction.change(f"DELETE FROM {table} WHERE stream = ?", (stream,))  # noqa: S608 - our own names
            marks, blocks = ([(stream, *row) for row in rows] for rows in wanted)
            transaction.many(_WRITE_MARK, marks)
            transaction.many(_WRITE_BLOCK, blocks)
            differed += sum(len(one ^ other) for one, other in zip(wanted, stored, strict=True))
    return differed


def marked_streams(transaction: Transaction) -> list[int]:
    """Keys of the streams that have rows in one of the three tables."""
    union = " UNION ".join(f"SELECT stream FROM {table}" for table in ("rounds", *_TABLES))  # noqa: S608 - our own
    return [key for (key,) in transaction.rows(f"{union} ORDER BY 1")]


def expected_marks(transaction: Transaction, stream: int) -> _Rows:
    """What the rows of a stream in ``rounds`` give."""
    marks: dict[int, dict[str, int]] = {}
    times_us: dict[int, list[int]] = {}
    for row in transaction.rows("SELECT number, opened_us, marks FROM rounds WHERE stream = ?", (stream,)):
        marked = MarkedRound(*row)
        _set_bits(marks.setdefault(marked.block, {}), marked)
        times_us.setdefault(marked.block, []).append(marked.opened_us)
    return (
        frozenset((block, mark, bits) for block, of in marks.items() for mark, bits in of.items()),
        frozenset((block, min(each), max(each)) for block, each in times_us.items()),
    )


def stored_marks(transaction: Transaction, stream: int) -> _Rows:
    marks = transaction.rows("SELECT block, mark, bits FROM round_marks WHERE stream = ?", (stream,))
    blocks = transaction.rows("SELECT block, from_us, to_us FROM round_blocks WHERE stream = ?", (stream,))
    return frozenset(map(tuple, marks)), frozenset(map(tuple, blocks))
