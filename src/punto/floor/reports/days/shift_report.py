"""The report of a shift or a gaming day: figures of each table, and their sums by game and for the floor.

All figures come from the same records, each of them read once, so they agree: tables, games, players and dealers are
only different ways to add them up.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from punto.floor.chips.day_ledger import DayLedger
from punto.floor.chips.tray_record import TrayFold, TrayRecord
from punto.floor.clock import HOUR_US
from punto.floor.database.base import Database, Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.house_log import HouseLog
from punto.floor.house.projections.duty import DutyLine, find_duty
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import tag_name
from punto.floor.journal.exceptions import find_alone
from punto.floor.people.floor_rules import find_floor_rules
from punto.floor.reports.days.bet_sums import PlaySums
from punto.floor.reports.days.opening_facts import (
    Finding,
    LoneAct,
    OpeningReader,
    PaidRuling,
    TableOpening,
    openings_in,
)
from punto.floor.reports.days.tray_sums import (
    CountLine,
    MissingCount,
    SlipLine,
    TraySums,
    count_lines,
    missing_purposes,
    slip_lines,
)
from punto.floor.reports.ratings import PlayerKey, Rating, Ratings
from punto.floor.settings.gaming_day import Period
from punto.floor.turns import BUSY_WAIT_S, Turns
from punto.table.records.chips import CountPurpose
from punto.table.records.kinds import Irregularity
from punto.table.records.positions import SUPERVISOR_UP, Position

MAX_DUTY_LINES = 10_000
MAX_WAITING = 8
MAY_READ_REPORTS = SUPERVISOR_UP | {Position.AUDITOR}
_IRREGULARITIES = frozenset(map(str, Irregularity)) - {Irregularity.RULING}


class TableKey(Struct, frozen=True, order=True):
    """Figures are of one table, game and currency; play money is never added to money."""

    table: str
    book: str
    currency: str
    play_money: bool = False


class TableSums(Struct):
    """What one or several tables came to."""

    play: PlaySums = field(default_factory=PlaySums)
    open_us: int = 0
    """How long the tables were open, added up."""
    offered: int = 0
    """Insurance."""
    missed: int = 0
    ledger: DayLedger = field(default_factory=DayLedger)
    tray: TraySums | None = None
    """None for play money."""

    def add(self, other: "TableSums") -> None:
        self.play.add(other.play)
        self.open_us += other.open_us
        self.offered += other.offered
        self.missed += other.missed
        self.ledger.add(other.ledger)
        if other.tray is not None:
            self.tray = self.tray or TraySums()
            self.tray.add(other.tray)

    @property
    def rounds_an_hour(self) -> float | None:
        """At one table; None if none was open."""
        return self.play.rounds / (self.open_us / HOUR_US) if self.open_us else None


class DealerSums(Struct):
    """What happened in the rounds for which a dealer opened betting."""

    rounds: int = 0
    voids: int = 0
    corrections: int = 0
    irregularities: int = 0
    missed: int = 0
    """Insurance that was not offered and not made good either."""
    on_us: int = 0
    """Time on duty as a dealer; 0 if nobody assigned them."""

    @property
    def rounds_an_hour(self) -> float | None:
        return self.rounds / (self.on_us / HOUR_US) if self.on_us else None


class ShiftReport(Struct):
    period: Period
    made_us: int
    tables: dict[TableKey, TableSums] = field(default_factory=dict)
    players: dict[PlayerKey, Rating] = field(default_factory=dict)
    dealers: dict[str, DealerSums] = field(default_factory=dict)
    findings: Counter[Finding] = field(default_factory=Counter)
    """Irregularities, missed insurance and rulings."""
    voids: Counter[Finding] = field(default_factory=Counter)
    rulings: list[PaidRuling] = field(default_factory=list)
    alone: list[LoneAct] = field(default_factory=list)
    counts: list[CountLine] = field(default_factory=list)
    missing: list[MissingCount] = field(default_factory=list)
    slips: list[SlipLine] = field(default_factory=list)

    @property
    def games(self) -> dict[TableKey, TableSums]:
        """By book, without the names of tables."""
        return self._sums(lambda key: TableKey("", key.book, key.currency, key.play_money))

    @property
    def floors(self) -> dict[TableKey, TableSums]:
        """All tables of a currency; those for play money apart."""
        return self._sums(lambda key: TableKey("", "", key.currency, key.play_money))

    def _sums(self, of: Callable[[TableKey], TableKey]) -> dict[TableKey, TableSums]:
        sums: dict[TableKey, TableSums] = {}
        for key, figures in self.tables.items():
            sums.setdefault(of(key), TableSums()).add(figures)
        return dict(sorted(sums.items()))


class ReportMaker:
    """Makes a report one opening at a time, each in a transaction of its own."""

    def __init__(self, period: Period, now_us: int, table: str = "") -> None:
        self.report = ShiftReport(period, now_us)
        self._period, self._now_us, self._table = period, now_us, table
        self._ratings = Ratings()
        self._trays: dict[TableKey, TrayFold] = {}
        self._openings: dict[TableKey, list[TableOpening]] = {}
        self._play_money: frozenset[str] = frozenset()

    def start(self, transaction: Transaction) -> list[TableOpening]:
        """What concerns the whole floor, and the openings to add."""
        self._play_money = frozenset(find_floor_rules(transaction).tables)
        since, until = self._period.since_us or 0, self._until_us
        for line in find_duty(transaction, since, until, MAX_DUTY_LINES):
            of_dealer = line.position == Position.DEALER and self._table in ("", line.table)
            if of_dealer and (on_us := self._on_us(line)):  # somebody who starts when the period ends was not on in it
                self._dealer(line.name).on_us += on_us
        if not self._table:
            self.report.alone += [
                LoneAct("", each.at_us, each.by, each.position, tag_name(type(each.event)))
                for each in find_alone(transaction, since, until)
            ]
        return list(openings_in(transaction, self._period, self._table))

    def add(self, transaction: Transaction, opening: TableOpening) -> None:
        # rounds may have ended since the openings were listed: their entries are read with them
        opening = replace(opening, head=streams.head(transaction, opening.head.stream))
        report, reader = self.report, OpeningReader(transaction, opening, self._period)
        key = TableKey(opening.table, opening.book, opening.currency, opening.table in self._play_money)
        sums = report.tables.setdefault(key, TableSums())
        sums.open_us += opening.open_us(self._period, self._now_us)
        facts = reader.facts()
        sums.offered += facts.offered
        sums.missed += facts.missed.total()
        sums.ledger.add(facts.ledger)
        self._ratings.pay(facts.payments, play_money=key.play_money)
        report.findings.update(facts.findings)
        for finding in facts.findings:
            self._dealer(finding.dealer).irregularities += finding.kind in _IRREGULARITIES
        for name, missed in facts.missed.items():
            self._dealer(name).missed += missed
        for name in facts.corrections:
            self._dealer(name).corrections += 1
        report.rulings += facts.rulings
        report.alone += facts.alone
        if not key.play_money:
            reader.follow_tray(self._trays.setdefault(key, TrayFold(self._period)))
            self._openings.setdefault(key, []).append(opening)
        for record in reader.rounds():
            sums.play.count(record)
            self._ratings.count(record, play_money=key.play_money)
            dealer = self._dealer(record.opened_by)
            dealer.rounds += 1
            if record.void is not None:
                dealer.voids += 1
                void = (str(record.void.ground), record.void.clauses)
                report.voids[Finding(opening.book, *void, record.opened_by)] += 1

    def finish(self) -> ShiftReport:
        report = self.report
        report.players = dict(sorted(self._ratings.by_player.items()))
        report.dealers = dict(sorted(report.dealers.items()))
        for key, fold in sorted(self._trays.items()):
            record = fold.record
            report.tables[key].tray = TraySums.of(record)
            report.counts += count_lines(key.table, record.counts)
            report.slips += slip_lines(key.table, record)
            for opening in self._openings[key]:
                report.missing += [MissingCount(key.table, each) for each in self._missing(opening, record)]
        report.alone.sort(key=lambda act: act.at_us)
        return report

    def _missing(self, opening: TableOpening, record: TrayRecord) -> list[CountPurpose]:
        """The opener and closer of an opening, or of its part in the period, that nobody counted."""
        since_us, until_us = self._period.since_us or 0, self._period.until_us
        over_us = until_us if until_us is not None and until_us <= self._now_us else None
        counts = [count for count in record.counts if count.stream == opening.head.stream]
        if opening.opened_us < since_us and record.opener is not None:
            counts.append(record.opener)
        return missing_purposes(counts, max(opening.opened_us, since_us), opening.closed_before(until_us) or over_us)

    @property
    def _until_us(self) -> int:
        until_us = self._period.until_us
        return self._now_us if until_us is None else min(until_us, self._now_us)

    def _on_us(self, line: DutyLine) -> int:
        from_us, to_us = max(line.from_us, self._period.since_us or 0), min(line.to_us or self._now_us, self._until_us)
        return max(to_us - from_us, 0)

    def _dealer(self, name: str) -> DealerSums:
        return self.report.dealers.setdefault(name, DealerSums())


class Reports:
    """Makes reports for those who may read them, one at a time."""

    def __init__(self, log: HouseLog) -> None:
        self._log = log
        self.turns = Turns(MAX_WAITING, _too_many_reports)

    async def of(self, by: Actor, period: Period, table: str = "") -> ShiftReport:
        """The report of a period, of all tables or of one."""
        await self._log.require(by, MAY_READ_REPORTS, "read_report", table[:40])
        return await self.of_house(period, table)

    async def of_house(self, period: Period, table: str = "") -> ShiftReport:
        """The same for the server itself."""
        database, maker = self._log.database, ReportMaker(period, self._log.clock.now_us(), table)
        async with self.turns.turn():
            for opening in await database.read(maker.start, long=True):
                await database.read(partial(maker.add, opening=opening), long=True)
        return maker.finish()

    async def ratings(self, by: Actor, period: Period, who: str) -> list[Rating]:
        """What one registered player did in a period, by currency, over all tables."""
        report = await self.of(by, period)
        return [rating for rating in report.players.values() if rating.who == who and not rating.play_money]


def _too_many_reports() -> FloorRefused:
    return FloorRefused(FloorCode.BUSY, variant="reports", wait_s=BUSY_WAIT_S, seconds=BUSY_WAIT_S)


def make_report(
    database: Database,
    period: Period,
    now_us: int,
    table: str = "",
    on_opening: Callable[[int, int], None] = lambda _, __: None,
) -> ShiftReport:
    """For callers without an event loop. ``on_opening`` is told how many openings are read, out of how many."""
    maker = ReportMaker(period, now_us, table)
    openings = database.reading(maker.start).result()
    for done, opening in enumerate(openings, 1):
        database.reading(partial(maker.add, opening=opening)).result()
        on_opening(done, len(openings))
    return maker.finish()
