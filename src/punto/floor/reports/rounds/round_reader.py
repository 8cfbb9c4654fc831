"""Reads rounds to step through, old ones too, without holding up the server.

A step needs the table before it, and only the journal has that. Reading starts at the nearest known state of the table:
the stream's snapshot, or one of those kept in memory, one for every page of entries that was read and for every round.
So only the first look at an old round of a long opening reads far, and page by page: other long reads go on in between.
"""

from functools import partial

from msgspec import Struct

from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.incident_index import numbers_in_rounds
from punto.floor.journal.replay import from_snapshot
from punto.floor.journal.stream_name import StreamName, names_start
from punto.floor.journal.streams import ENTRIES_A_PAGE, Head
from punto.floor.reports.rounds.round_steps import NEW_TABLE, RoundSteps, StepFold, TableAt
from punto.floor.turns import BUSY_WAIT_S, Turns

MAX_WAITING_READS = 16
ENTRIES_A_ROUND = 200
"""More than most rounds have: read at once from the call for bets on."""
MAX_TABLES_KEPT = 1_000
"""Each takes a few KB."""


class SteppedRound(Struct, frozen=True):
    """A round, its incidents, and the rounds before and after it by opening and number."""

    steps: RoundSteps
    incidents: tuple[int, ...]
    earlier: tuple[int, int] | None
    later: tuple[int, int] | None


class RoundReader:
    """One round at a time, so that a second look at the same opening finds what the first has read.

    Staff have turns of their own: strangers who ask for many old rounds do not keep them waiting.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._turns, self._turns_of_staff = (Turns(MAX_WAITING_READS, _busy) for _ in range(2))
        self._kept: dict[tuple[int, int], TableAt] = {}
        """By stream and version, the least recently used first."""

    async def last_opening_with(self, table: str, number: int) -> int:
        """The last opening of a table that has a round with this number. Refused if none has."""
        opening = await self._database.read(lambda transaction: find_last_opening(transaction, table, number))
        if opening is None:
            raise _unknown(table, number)
        return opening

    async def find(self, name: StreamName, number: int, *, staff: bool = False) -> SteppedRound:
        """Refused if the opening has no such round, or if too many wait."""
        async with (self._turns_of_staff if staff else self._turns).turn():
            return await self._find(name, number)

    async def _find(self, name: StreamName, number: int) -> SteppedRound:
        place = await self._database.read(lambda transaction: _find_place(transaction, name, number), long=True)
        if place is None:
            raise _unknown(name.table, number)
        head = place.head
        fold = StepFold(number, self._nearest(place))
        more = True
        while more:
            until_call = place.call - 1 - fold.at.version
            limit = min(until_call, ENTRIES_A_PAGE) if until_call > 0 else ENTRIES_A_ROUND
            more = await self._database.read(partial(_take_page, head=head, fold=fold, limit=limit), long=True)
            if not fold.started:
                self._keep(head, fold.at)
        found = fold.found
        if found is None:
            raise _unknown(name.table, number)
        return await self._database.read(lambda transaction: _with_others(transaction, name, head, found), long=True)

    def _nearest(self, place: "_Place") -> TableAt:
        """The latest known table before the round."""
        kept = (at for (stream, _), at in self._kept.items() if stream == place.head.key)
        start = max((at for at in (*place.known, *kept) if at.version < place.call), key=lambda at: at.version)
        if (used := self._kept.pop((place.head.key, start.version), None)) is not None:
            self._kept[place.head.key, start.version] = used
        return start

    def _keep(self, head: Head, at: TableAt) -> None:
        self._kept[head.key, at.version] = at
        if len(self._kept) > MAX_TABLES_KEPT:
            del self._kept[next(iter(self._kept))]


class _Place(Struct, frozen=True):
    """Where a round is."""

    head: Head
    call: int
    """The version of the entry that starts it."""
    known: tuple[TableAt, ...]
    """States of the table that need no reading."""


def _find_place(transaction: Transaction, name: StreamName, number: int) -> _Place | None:
    head = streams.find(transaction, name)
    call = None if head is None else _call_version(transaction, head, number)
    if head is None or call is None:
        return None
    snapshot = from_snapshot(transaction, head)
    known = () if snapshot is None else (TableAt(snapshot.head.version, snapshot.state),)
    return _Place(head, call, (NEW_TABLE, *known))


def require_round(transaction: Transaction, name: StreamName, number: int) -> None:
    """Refuse if the opening has no such round."""
    head = streams.find(transaction, name)
    if head is None or _call_version(transaction, head, number) is None:
        raise _unknown(name.table, number)


def _take_page(transaction: Transaction, head: Head, fold: StepFold, limit: int) -> bool:
    """Take the next entries; return whether the round may go on after them."""
    entries = streams.read(transaction, head, fold.at.version, limit)
    return all(map(fold.take, entries)) and len(entries) == limit


def _call_version(transaction: Transaction, head: Head, number: int) -> int | None:
    """The version of the entry that starts a round; None if there is no such round."""
    if not number:
        return 1
    sql = "SELECT version FROM rounds WHERE stream = ? AND number = ?"
    return next((int(version) for (version,) in transaction.rows(sql, (head.key, number))), None)


def find_last_opening(transaction: Transaction, table: str, number: int) -> int | None:
    """The last opening of a table that has a round with this number; None if none has."""
    start = names_start(table)
    has_round, values = (" JOIN rounds AS r ON r.stream = s.id AND r.number = ?", (number,)) if number else ("", ())
    sql = f"SELECT s.name FROM streams AS s{has_round} WHERE substr(s.name, 1, ?) = ?"  # noqa: S608 - our own text
    names = (StreamName.find(name) for (name,) in transaction.rows(sql, (*values, len(start), start)))
    return max((name.opening for name in names if name is not None and name.table == table), default=None)


def _with_others(transaction: Transaction, name: StreamName, head: Head, found: RoundSteps) -> SteppedRound:
    number = found.record.number
    incidents = {step.context.incident for step in found.steps} - {0}
    if number:  # round 0 is all the time before the first round, and what concerns no round
        incidents.update(numbers_in_rounds(transaction, head.key, number, number).get(number, ()))
    earlier, later = None, None
    if number:
        earlier = name.opening, number - 1
    elif (before := streams.find(transaction, name.at(name.opening - 1))) is not None:
        earlier = name.opening - 1, _last_number(transaction, before)
    if _call_version(transaction, head, number + 1) is not None:
        later = name.opening, number + 1
    elif streams.find(transaction, name.at(name.opening + 1)) is not None:
        later = name.opening + 1, 0
    return SteppedRound(found, tuple(sorted(incidents)), earlier, later)


def _last_number(transaction: Transaction, head: Head) -> int:
    ((last,),) = transaction.rows("SELECT coalesce(max(number), 0) FROM rounds WHERE stream = ?", (head.key,))
    return int(last)


def _unknown(table: str, number: int) -> FloorRefused:
    return FloorRefused(FloorCode.UNKNOWN_ROUND, variant="at_table", table=table, round=number)


def _busy() -> FloorRefused:
    return FloorRefused(FloorCode.BUSY, variant="rounds", wait_s=BUSY_WAIT_S, seconds=BUSY_WAIT_S)
