"""Finds rounds of all tables by what happened in them, newest first.

Marks narrow the search to a few rounds: see :mod:`punto.floor.journal.round_marks`. What they cannot say is compared
with the record: that the player, box, bet and amount are those of one bet.

A registered player is also found in the rounds before they were identified, under the place or name of that time.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import compress

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from punto.floor.database.base import Row, Transaction
from punto.floor.house.house_log import HouseLog
from punto.floor.house.projections.accounts import find_account
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor
from punto.floor.journal.incident_index import find_row, numbers_in_rounds
from punto.floor.journal.round_index import round_at
from punto.floor.journal.round_marks import ROUNDS_A_BLOCK, MarkKind, mark_of, printed_box, read_marks, values_of
from punto.floor.journal.round_record import BetRecord, RoundRecord
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head
from punto.floor.reports.identities import Identities, Stay
from punto.floor.reports.rounds.round_filter import FAR, AmountOf, ResultPlace, RoundFilter
from punto.table.records.identity import player_number
from punto.table.records.positions import SUPERVISOR_UP, Position

MAY_SEARCH_ROUNDS = SUPERVISOR_UP | {Position.AUDITOR}
MAX_EXAMINED = 1_000
"""Records that one search compares; then it says how far back it has looked."""
_BATCH = 64
"""Blocks, and records, read in one query."""
_KEPT_STAYS = 1_000
"""Openings whose identifications are remembered: reading them takes as long as replaying the table."""
MAX_REPLAYED = 5
"""Openings that one search replays for identifications; then too it says how far back it has looked."""


class SearchedRound(Struct, frozen=True, kw_only=True):
    key: int
    table: str
    opening: int
    record: RoundRecord
    """Without cards while the round is in play."""
    staked_minor: int
    win_minor: int
    dealers: tuple[str, ...]
    kinds: tuple[str, ...]
    incidents: tuple[int, ...]
    fitting: tuple[BetRecord, ...]
    """The bets that were searched for; empty if no bet was."""


class FoundRounds(Struct, frozen=True):
    rounds: tuple[SearchedRound, ...]
    """Newest first."""
    next: ResultPlace | None
    """Where to go on; None at the end."""
    dealer: str = ""
    """The name of the account that was searched for; empty if no account was."""
    unfinished: bool = False
    """Whether the search stopped before the page was full, because it had compared many records."""


class _Source(Struct, frozen=True):
    """Where candidates come from: rounds that have all of these marks."""

    marks: tuple[str, ...]
    who: str = ""
    """The name under which a player was there before they were identified; empty for the names searched for."""
    stream: int = 0
    """0: all."""
    number: int | None = None
    """None: all."""
    first: int = 0
    last: int = FAR
    """Versions between which the rounds were opened."""
    names: str = ""
    """The player whom these rounds identify. They are no candidates: they lead to the rounds before."""


class _Group(Struct):
    """Blocks whose rounds are read in one query: on a server, every query costs time."""

    blocks: list["_Block"] = field(default_factory=list)
    rounds: dict[tuple[int, int], list[Row]] | None = None
    """By stream and block; None until they are read."""


class _Block(Struct, frozen=True):
    to_us: int
    stream: int
    block: int
    bits: int
    group: _Group

    @property
    def key(self) -> tuple[int, int]:
        return self.stream, self.block

    @property
    def range(self) -> tuple[int, int, int]:
        """The stream, and the numbers of the first and the last round that may fit."""
        first = self.block * ROUNDS_A_BLOCK
        if self.bits < 0:
            return self.stream, first, first + ROUNDS_A_BLOCK - 1
        return self.stream, first + (self.bits & -self.bits).bit_length() - 1, first + self.bits.bit_length() - 1


class _Candidate(Struct, frozen=True):
    place: ResultPlace
    source: _Source


_StaysKey = tuple[int, str, int, int]
"""Stream, player, the last round that identifies them, and the version of the stream while that is its last round."""
_StayInRounds = tuple[str, int, int]
"""A name, and the versions between which the rounds of the stay were opened, without the second."""
_Stays = dict[_StaysKey, list[_StayInRounds]]
_Item = tuple[int, int, int, _Candidate | tuple[_Block, _Source, Iterator[_Block]]]


class _ComparedBet(Struct, frozen=True):
    """As much of a bet as is compared."""

    who: str
    box: int
    bet: str
    stake_minor: int
    returned_minor: int


class _ComparedConditions(Struct, frozen=True):
    box_labels: tuple[str, ...] = ()


class _ComparedRecord(Struct, frozen=True):
    conditions: _ComparedConditions
    bets: tuple[_ComparedBet, ...]


def _in_groups(rows: Sequence[Row]) -> list[_Block]:
    """Blocks with few rounds that may fit are read together, those with many one by one."""
    group, number, blocks = _Group(), 0, list[_Block]()
    for to_us, stream, block, bits in rows:
        if number >= _BATCH // 2:
            group, number = _Group(), 0
        blocks.append(_Block(to_us, stream, block, bits, group))
        group.blocks.append(blocks[-1])
        number += bits.bit_count() if bits > 0 else ROUNDS_A_BLOCK
    return blocks


_RECORDS, _COMPARED = msgspec.json.Decoder(RoundRecord), msgspec.json.Decoder(_ComparedRecord)
"""The second one is faster, for the many records of which no bet fits."""


class RoundSearch:
    def __init__(self, log: HouseLog) -> None:
        self._log = log
        self._stays: _Stays = {}

    async def require(self, by: Actor) -> None:
        await self._log.require(by, MAY_SEARCH_ROUNDS, "search_rounds")

    async def find(self, by: Actor, wanted: RoundFilter, limit: int) -> FoundRounds:
        """Rounds in play are found by what is public: when, where and who deals."""
        await self.require(by)
        return await self._log.database.read(lambda tx: Search(tx, wanted, self._stays).run(limit), long=True)


class Search:
    """One search in one transaction. A block comes before its rounds, so that all results come in order."""

    def __init__(self, transaction: Transaction, wanted: RoundFilter, stays: _Stays) -> None:
        self._transaction, self._wanted, self._stays = transaction, wanted, stays
        self._common, self._dealer = _Source(()), ""
        self._heap: list[_Item] = []
        self._pushed = 0
        self._seen: set[tuple[int, str]] = set()
        """Rows, with the names under which they are candidates."""
        self._found: set[int] = set()
        self._searched: set[tuple[int, str]] = set()
        """Streams, with the players for whose earlier names they were searched."""
        self._replayed: dict[int, Identities] = {}
        """By stream."""
        self._stopped_at: ResultPlace | None = None
        """Where the search would have to replay one opening too many."""

    def run(self, limit: int) -> FoundRounds:
        for source in self._sources():
            self._start(source)
        found: list[SearchedRound] = []
        examined = 0
        while (batch := self._next(limit + 1 - len(found))) or self._stopped_at:
            rows = self._load([each.place[1] for each in batch])
            for each in batch:
                examined += 1
                if (fits := self._read(rows[each.place[1]], each.source)) is not None:
                    found.append(fits)
                if len(found) > limit:
                    last = found[limit - 1]
                    return FoundRounds(tuple(found[:limit]), (last.record.opened_us, last.key), self._dealer)
            if self._stopped_at or examined >= MAX_EXAMINED:
                at = self._stopped_at or batch[-1].place
                return FoundRounds(tuple(found), at, self._dealer, unfinished=True)
        return FoundRounds(tuple(found), None, self._dealer)

    # ---- candidates

    def _sources(self) -> Iterator[_Source]:
        """Those that the filter names."""
        wanted, stream, number = self._wanted, 0, None
        if wanted.incident:
            row = find_row(self._transaction, wanted.incident)
            if row is None:
                return
            stream, number = row.stream, row.round
        account = find_account(self._transaction, wanted.dealer) if wanted.dealer else None
        self._dealer = account.name if account else ""
        self._common = _Source(tuple(wanted.marks(self._dealer or wanted.dealer)), "", stream, number)
        if not wanted.players:
            yield self._common
        for who in wanted.players:
            yield self._of_player(who)
            if player_number(who) is not None:
                yield _Source((mark_of(MarkKind.NAMED, who),), stream=stream, names=who)

    def _of_player(self, who: str) -> _Source:
        return replace(self._common, marks=(mark_of(MarkKind.PLAYER, who), *self._common.marks))

    def _start(self, source: _Source) -> None:
        self._push_block(source, self._blocks(source))

    def _push_block(self, source: _Source, blocks: Iterator[_Block]) -> None:
        if (block := next(blocks, None)) is not None:
            self._push((block.to_us, FAR), (block, source, blocks))

    def _push(self, place: ResultPlace, item: _Candidate | tuple[_Block, _Source, Iterator[_Block]]) -> None:
        self._pushed += 1
        heappush(self._heap, (-place[0], -place[1], self._pushed, item))

    def _next(self, limit: int) -> list[_Candidate]:
        """The next candidates, newest first."""
        batch: list[_Candidate] = []
        while self._heap and len(batch) < min(limit, _BATCH) and self._stopped_at is None:
            *_, item = heappop(self._heap)
            if isinstance(item, _Candidate):
                batch.append(item)
                continue
            block, source, blocks = item
            self._push_block(source, blocks)
            if source.names:
                for earlier in self._earlier(block, source.names):
                    self._start(earlier)
            else:
                self._expand(block, source)
        return batch

    def _expand(self, block: _Block, source: _Source) -> None:
        wanted, group, first = self._wanted, block.group, block.block * ROUNDS_A_BLOCK
        if group.rounds is None:
            group.rounds = self._rounds_of(group.blocks)
        for _, key, number, version, opened_us in group.rounds.get(block.key, ()):
            fits = block.bits >> number - first & 1 and source.number in (None, number)
            in_time = wanted.from_us <= opened_us < wanted.until_us and (opened_us, key) < wanted.before
            if fits and in_time and source.first <= version <= source.last and (key, source.who) not in self._seen:
                self._seen.add((key, source.who))
                self._push((opened_us, key), _Candidate((opened_us, key), source))

    def _rounds_of(self, blocks: Sequence[_Block]) -> dict[tuple[int, int], list[Row]]:
        rows = self._transaction.rows(
            f"WITH wanted (stream, low, high) AS (VALUES {', '.join(['(?, ?, ?)'] * len(blocks))})"  # noqa: S608 - marks
            " SELECT r.stream, r.id, r.number, r.version, r.opened_us FROM wanted CROSS JOIN rounds AS r"
            " WHERE r.stream = wanted.stream AND r.number BETWEEN wanted.low AND wanted.high",
            [value for block in blocks for value in block.range],
        )
        rounds: dict[tuple[int, int], list[Row]] = {}
        for row in rows:
            rounds.setdefault((row[0], row[2] // ROUNDS_A_BLOCK), []).append(row)
        return rounds

    def _blocks(self, source: _Source) -> Iterator[_Block]:
        """The blocks with rounds that have all marks, the latest first.

        Somebody may be identified after the time that is searched, but in an opening that began before its end.
        """
        marks, wanted = source.marks, self._wanted
        tables = ["round_blocks AS b", *(f"round_marks AS m{number}" for number in range(len(marks)))]
        if wanted.players:  # SQLite joins in this order: what only a few blocks have comes first
            tables[0], tables[1] = tables[1], tables[0]
        start, opening = "b", ""
        if source.names:
            tables.append("round_blocks AS o")
            start, opening = "o", " AND o.stream = b.stream AND o.block = 0"
        joined = "".join(
            f" AND m{number}.stream = b.stream AND m{number}.block = b.block AND m{number}.mark = ?"
            for number in range(len(marks))
        )
        bits = " & ".join(f"m{number}.bits" for number in range(len(marks)))
        some = f" AND ({bits}) <> 0" if marks else ""
        stream = " AND b.stream = ?" if source.stream else ""
        sql = (
            f"SELECT b.to_us, b.stream, b.block, {bits or '-1'} FROM {' CROSS JOIN '.join(tables)}"  # noqa: S608 - marks
            f" WHERE b.to_us >= ? AND {start}.from_us < ? AND {start}.from_us <= ?{opening}{stream}{joined}{some}"
            " AND (b.to_us, b.stream, b.block) < (?, ?, ?)"
            " ORDER BY b.to_us DESC, b.stream DESC, b.block DESC LIMIT ?"
        )
        of_stream = (source.stream,) if source.stream else ()
        fixed = (wanted.from_us, wanted.until_us, wanted.before[0], *of_stream, *marks)
        after, rows = (FAR, FAR, FAR), list[Row]()
        while rows := self._transaction.rows(sql, (*fixed, *after, _BATCH)):
            yield from _in_groups(rows)
            after = rows[-1][:3]

    def _earlier(self, block: _Block, player: str) -> Iterator[_Source]:
        """Where a player was in the rounds before they were identified, of the opening of a block."""
        if (block.stream, player) in self._searched:
            return
        self._searched.add((block.stream, player))
        ((name, version, hash_),) = self._transaction.rows(
            "SELECT name, version, hash FROM streams WHERE id = ?", (block.stream,)
        )
        head = Head(name, block.stream, version, hash_)
        ((last,),) = self._transaction.rows("SELECT MAX(number) FROM rounds WHERE stream = ?", (block.stream,))
        number = block.block * ROUNDS_A_BLOCK + block.bits.bit_length() - 1
        key = (block.stream, player, number, version if number == last else 0)
        if key not in self._stays:
            if block.stream not in self._replayed:
                if len(self._replayed) == MAX_REPLAYED:
                    self._stopped_at = (block.to_us, FAR)
                    return
                self._replayed[block.stream] = self._identities(head)
            if len(self._stays) >= _KEPT_STAYS:
                self._stays.clear()
            stays = self._replayed[block.stream].stays_of(player)
            self._stays[key] = [self._stay(head, who, stay) for who, stay in stays]
        for who, first, until in self._stays[key]:
            yield replace(self._of_player(who), who=who, stream=block.stream, first=first, last=until - 1)

    def _identities(self, head: Head) -> Identities:
        return Identities(lambda: streams.read_without(self._transaction, head, 0, head.version, ()))

    def _stay(self, head: Head, who: str, stay: Stay) -> _StayInRounds:
        """From the round in which it started."""
        record = round_at(self._transaction, head.key, stay.since)
        return who, 0 if record is None else record.version, stay.until

    # ---- comparing

    def _load(self, keys: Sequence[int]) -> dict[int, Row]:
        if not keys:
            return {}
        rows = self._transaction.rows(
            "SELECT r.id, r.stream, s.name, r.staked_minor, r.win_minor, r.marks, r.record"  # noqa: S608 - marks
            f" FROM rounds AS r JOIN streams AS s ON s.id = r.stream WHERE r.id IN ({', '.join('?' * len(keys))})",
            keys,
        )
        return {row[0]: row for row in rows}

    def _read(self, row: Row, source: _Source) -> SearchedRound | None:
        """None if the round does not fit, or was found before."""
        key, stream, name, staked_minor, win_minor, marks, text = row
        wanted = self._wanted
        if key in self._found or (wanted.amount is AmountOf.TOTAL and not wanted.contains(staked_minor)):
            return None
        names = {*wanted.players, *([source.who] if source.who else [])}
        compared = _COMPARED.decode(text)
        fits = [self._fits(bet, names, compared.conditions.box_labels) for bet in compared.bets]
        if wanted.concerns_one_bet and not any(fits):
            return None
        record = _RECORDS.decode(text)
        self._found.add(key)
        place = StreamName.parse(name)
        of_kind = partial(values_of, read_marks(marks))
        return SearchedRound(
            key=key,
            table=place.table,
            opening=place.opening,
            record=record,
            staked_minor=staked_minor,
            win_minor=win_minor,
            dealers=of_kind(MarkKind.DEALER),
            kinds=of_kind(MarkKind.KIND),
            incidents=numbers_in_rounds(self._transaction, stream, record.number, record.number).get(record.number, ()),
            fitting=tuple(compress(record.bets, fits)) if wanted.players or wanted.concerns_one_bet else (),
        )

    def _fits(self, bet: _ComparedBet, names: set[str], labels: tuple[str, ...]) -> bool:
        wanted = self._wanted
        minor = bet.returned_minor if wanted.amount is AmountOf.PAYOUT else bet.stake_minor
        return (
            (not names or bet.who in names)
            and (not wanted.box or wanted.box == printed_box(labels, bet.box))
            and wanted.bet in ("", bet.bet)
            and (wanted.amount is AmountOf.TOTAL or wanted.contains(minor))
        )
