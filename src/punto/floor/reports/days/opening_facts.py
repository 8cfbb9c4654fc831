"""What one opening of a table has in a period, from the table ``rounds`` and the entries of that time.

A round belongs to the period in which it ended, everything else to the time at which it was recorded.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct, field

from punto.floor.chips.day_ledger import DayLedger
from punto.floor.chips.tray_record import TrayFold
from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, broken, context_of, event_of, read_command, tag_name, text_start
from punto.floor.journal.incidents import OtherKind
from punto.floor.journal.round_index import round_at
from punto.floor.journal.round_record import RoundRecord
from punto.floor.journal.rounds import restored_by
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head
from punto.floor.reports.identities import Identities
from punto.floor.reports.records import Payment, PaymentFold, identified
from punto.floor.settings.gaming_day import Period
from punto.rules.bets.insurance import Stage
from punto.rules.refusals import Clause
from punto.table.records import correction_events, events, findings
from punto.table.records.chips import TrayCounted
from punto.table.records.events import BettingOpened, Event, MoneyEvent, PlayerIdentified, TableClosed, TableOpened
from punto.table.records.kinds import Effect, Irregularity
from punto.table.records.ledger import chip_changes
from punto.table.vocabulary import CORRECTION_EVENTS

ROUNDS_A_READ = 500

_NOT_NEEDED: tuple[type[Event], ...] = (
    events.BetPlaced,
    events.BetsConfirmed,
    events.BetWithdrawn,
    events.BettingClosed,
    events.CardDealt,
    events.CardTurned,
    events.CardSqueezed,
    events.InsuranceClosed,
    events.InsuranceTaken,
)
"""Most entries of a round. None of them moves chips to or from the tray, and the round's record has the rest."""

_NO_MONEY: tuple[type[Event], ...] = (
    events.BetsConfirmed,
    events.BettingClosed,
    events.BettingOpened,
    events.CardDealt,
    events.CardTurned,
    events.CardSqueezed,
    events.InsuranceClosed,
)
_DEBTS: tuple[type[Event], ...] = (
    findings.SettlementReversed,
    findings.Ruled,
    *(kind for kind in CORRECTION_EVENTS if issubclass(kind, MoneyEvent)),
)
"""After any of these a player may owe chips. Then what lies in the tray depends on every bet."""


class TableOpening(Struct, frozen=True):
    """One opening of a table."""

    head: Head
    table: str
    book: str
    currency: str
    opened_us: int
    closed_us: int
    """0 while it is open."""
    debts: bool
    """Whether somebody owed chips when it was opened."""
    box_labels: tuple[str, ...] = ()

    def open_us(self, period: Period, now_us: int) -> int:
        """For how long the table was open in a period."""
        since = max(self.opened_us, self.opened_us if period.since_us is None else period.since_us)
        until = min(self.closed_us or now_us, now_us if period.until_us is None else period.until_us, now_us)
        return max(until - since, 0)

    def closed_before(self, until_us: int | None) -> int | None:
        """When it was closed, if that was before a moment."""
        closed = self.closed_us and (until_us is None or self.closed_us < until_us)
        return self.closed_us if closed else None


class Finding(Struct, frozen=True, order=True):
    """An irregularity, missed insurance or ruling, or the ground of a void round."""

    game: str
    kind: str
    """As in the names of incidents."""
    clauses: tuple[Clause, ...]
    dealer: str
    """Who opened betting for the round; empty before the first."""


class PaidRuling(Struct, frozen=True):
    """A ruling that paid players, or took from them."""

    table: str
    at_us: int
    round: int
    ruled_by: str
    position: str
    reason: str
    paid_minor: dict[str, int]
    """By player; negative if taken."""
    clauses: tuple[Clause, ...]
    """Empty if the book has no clause on rulings."""


class LoneAct(Struct, frozen=True):
    """A command that one person gave where the floor's rules want two."""

    table: str
    """Empty for acts of the house."""
    at_us: int
    actor: str
    position: str
    what: str
    """The name of the command, or of the house's event."""


class OpeningFacts(Struct):
    """Everything but the rounds."""

    ledger: DayLedger = field(default_factory=DayLedger)
    payments: list[Payment] = field(default_factory=list)
    offered: int = 0
    missed: Counter[str] = field(default_factory=Counter)
    """Insurance that was not offered and not made good either, by the dealer of the round."""
    findings: list[Finding] = field(default_factory=list)
    corrections: list[str] = field(default_factory=list)
    """The dealer of the round of each."""
    rulings: list[PaidRuling] = field(default_factory=list)
    alone: list[LoneAct] = field(default_factory=list)


def openings_in(transaction: Transaction, period: Period, table: str = "") -> Iterator[TableOpening]:
    """The openings of all tables, or of one, that have entries in the period or are open in it; by table and number."""
    names = {name: head for text, head in streams.heads(transaction).items() if (name := StreamName.find(text))}
    for name in sorted(names):
        if table and name.table != table:
            continue
        head = names[name]
        (first,) = streams.read(transaction, head, 0, 1)
        (last,) = streams.read(transaction, head, head.version - 1, 1)
        opened, ended = event_of(first), isinstance(event_of(last), TableClosed)
        if not isinstance(opened, TableOpened):
            raise broken(head.stream, 1)
        late = period.until_us is not None and first.at_us >= period.until_us
        over = period.since_us is not None and ended and last.at_us < period.since_us
        if not late and not over:
            closed_us = last.at_us if ended else 0
            debts = any(minor < 0 for minor in chip_changes(opened.postings).values())
            currency, labels = opened.settings.currency, opened.settings.box_labels
            yield TableOpening(head, name.table, opened.book, currency, first.at_us, closed_us, debts, labels)


def window(transaction: Transaction, stream: Head, period: Period) -> tuple[int, int]:
    """The version at which to start, one round before the first of the period, and that at which to end."""

    def version(which: str, where: str, *values: int) -> int | None:
        sql = f"SELECT {which}(version) FROM rounds WHERE stream = ? AND number > 0 AND {where}"  # noqa: S608 - our own
        found: int | None = transaction.rows(sql, (stream.key, *values))[0][0]
        return found

    since, until = _bounds(period)
    first = version("MIN", "(opened_us >= ? OR ended_us >= ?)", since, since)
    before = version("MAX", "version < ?", stream.version + 1 if first is None else first)
    last = version("MAX", "opened_us < ?", until)
    after = version("MIN", "version > ?", last or 0)
    start = round_at(transaction, stream.key, before) if before else None
    return start.version if start else before or 1, stream.version if after is None else after - 1


def _bounds(period: Period) -> tuple[int, int]:
    since, until = period.since_us, period.until_us
    return max(since or 0, 1), _END if until is None else until  # a round that has not ended has 0


class OpeningReader:
    """Reads one opening in one transaction."""

    def __init__(self, transaction: Transaction, opening: TableOpening, period: Period) -> None:
        self._transaction, self._opening, self._period = transaction, opening, period
        self._identities = Identities(
            self._all_entries if self._last((PlayerIdentified,), opening.head.version) else tuple
        )
        self._ended: dict[int, int] = {}
        self._named: dict[int, dict[str, int]] = {}

    def rounds(self) -> Iterator[RoundRecord]:
        """The rounds that ended in the period, with ids of players. Call :meth:`facts` first."""
        sql = (
            "SELECT number, record FROM rounds WHERE stream = ? AND number > ? AND ended_us >= ? AND ended_us < ?"
            " ORDER BY number LIMIT ?"
        )
        since, until = _bounds(self._period)
        after = 0
        while rows := self._transaction.rows(sql, (self._opening.head.key, after, since, until, ROUNDS_A_READ)):
            for number, text in rows:
                record = msgspec.json.decode(text, type=RoundRecord)
                if record.over:
                    named = self._named.get(number, {})
                    yield identified(record, self._identities, self._ended.get(number, 0), named)
            after = rows[-1][0]

    def facts(self) -> OpeningFacts:
        fold = _FactFold(self._opening, self._period, self._identities)
        for entry, event in self.entries():
            fold.take(entry, event)
        self._ended, self._named = fold.ended, fold.named
        return fold.facts

    def entries(self) -> Iterator[tuple[Entry, Event]]:
        """The entries of the period and some before and after it, from the start of a round to the end of one."""
        first, last = window(self._transaction, self._opening.head, self._period)
        for entry in streams.read_without(self._transaction, self._opening.head, first - 1, last, _NOT_NEEDED):
            yield entry, event_of(entry)

    def follow_tray(self, fold: TrayFold) -> None:
        """Take what moves chips, from a moment before the period at which it is known what lay in the tray."""
        opening, (first, last) = self._opening, window(self._transaction, self._opening.head, self._period)
        fold.debts = opening.debts or self._last(_DEBTS, last) > 0
        start = 1 if fold.debts else self._last((TrayCounted,), first - 1) or 1
        kinds = _NO_MONEY if fold.debts else _NOT_NEEDED
        fold.feed(streams.read_without(self._transaction, opening.head, start - 1, last, kinds))

    def _last(self, kinds: Sequence[type[Event]], until: int) -> int:
        """The version of the last event of some kinds, up to a version; 0: none."""
        starts = tuple(map(text_start, kinds))
        some = " OR ".join("substr(event, 1, ?) = ?" for _ in starts)
        sql = f"SELECT MAX(version) FROM entries WHERE stream = ? AND version <= ? AND ({some})"  # noqa: S608 - marks
        values = (value for start in starts for value in (len(start), start))
        return self._transaction.rows(sql, (self._opening.head.key, until, *values))[0][0] or 0

    def _all_entries(self) -> Iterator[Entry]:
        head = self._opening.head
        return streams.read_without(self._transaction, head, 0, head.version, ())


_END = 2**63 - 1


class _Offers:
    """The insurance that was offered and missed in a round, as the table knows it."""

    def __init__(self) -> None:
        self.offered: set[Stage] = set()
        self.missed: set[Stage] = set()

    def take(self, event: Event) -> tuple[int, int]:
        """How many more were offered, and how many more missed, by the event."""
        before = len(self.offered), len(self.missed)
        match event:
            case events.InsuranceOffered():
                self.offered.add(event.stage)
                self.missed.difference_update(event.makes_good)
            case events.InsuranceMissed():
                self.missed.add(event.stage)
            case correction_events.InsuranceCorrected(offered=True):
                self.offered.add(event.stage)
                self.missed.discard(event.stage)
            case correction_events.InsuranceCorrected(offered=False):
                self.offered.discard(event.stage)
            case findings.InsuranceRejudged():
                self.offered, self.missed = set(event.offered), set(event.missed)
        return len(self.offered) - before[0], len(self.missed) - before[1]


class _CalledRound(Struct):
    number: int = 0
    dealer: str = ""
    offers: _Offers = field(default_factory=_Offers)


class _FactFold:
    def __init__(self, opening: TableOpening, period: Period, identities: Identities) -> None:
        self.facts = OpeningFacts()
        self.ended: dict[int, int] = {}
        """By round, the version at which it was settled or void."""
        self.named: dict[int, dict[str, int]] = {}
        """By round, the versions at which names were given in it."""
        self._opening, self._period = opening, period
        self._payments = PaymentFold(identities)
        self._now = self._before = _CalledRound()
        self._corrected_by = ""
        """The last command that corrected something: it counts once, whatever it changed."""

    def take(self, entry: Entry, event: Event) -> None:
        self._take(entry, event)
        if restored_by(event) is not None:
            self._now = self._before

    def _take(self, entry: Entry, event: Event) -> None:
        if isinstance(event, BettingOpened):
            self._before, self._now = self._now, _CalledRound(event.round, entry.actor)
        elif isinstance(event, events.RoundSettled | findings.RoundVoided):
            self.ended[self._now.number] = entry.version
        elif isinstance(event, PlayerIdentified):
            self.named.setdefault(self._now.number, {})[event.player_id] = entry.version
        payments = self._payments.take(entry, event, self._opening.currency)
        offered, missed = self._now.offers.take(event)
        if not self._period.contains(entry.at_us):
            return
        facts = self.facts
        facts.ledger.post(event)
        facts.payments += payments
        facts.offered += offered
        if missed:
            facts.missed[self._now.dealer] += missed
        if kind := _kind(event):
            facts.findings.append(Finding(self._opening.book, kind, getattr(event, "clauses", ()), self._now.dealer))
        if isinstance(event, CORRECTION_EVENTS) and entry.command_id != self._corrected_by:
            self._corrected_by = entry.command_id
            facts.corrections.append(self._now.dealer)
        if isinstance(event, findings.Ruled) and event.effect is Effect.ADJUST:
            facts.rulings.append(self._paid(entry, event))
        if entry.part == 0 and context_of(entry).alone:
            what = tag_name(type(read_command(entry.command or "")))
            facts.alone.append(LoneAct(self._opening.table, entry.at_us, entry.actor, entry.position, what))

    def _paid(self, entry: Entry, event: findings.Ruled) -> PaidRuling:
        given = (event.ruled_by, str(event.position), event.reason)
        return PaidRuling(
            self._opening.table, entry.at_us, self._now.number, *given, chip_changes(event.postings), event.clauses
        )


def _kind(event: Event) -> str:
    """The kind of incident that an event stands for; empty if for none."""
    match event:
        case findings.IrregularityReported():
            return str(event.kind)
        case findings.Ruled():
            return str(Irregularity.RULING)
        case findings.LateBetRefused():
            return str(OtherKind.LATE_BET)
        case events.InsuranceMissed():
            return str(OtherKind.UNINSURED)
        case findings.RestartRecorded():
            return str(OtherKind.RESTART)
    return ""
