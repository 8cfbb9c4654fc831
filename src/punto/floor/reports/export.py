"""``punto export``: rounds, bets, rulings, totals and exceptions of a period, as CSV or Parquet."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import partial
from typing import Any

import msgspec

from punto.floor.database.base import Database
from punto.floor.journal import streams
from punto.floor.journal.entry import tag
from punto.floor.journal.exceptions import HouseException, find_exceptions
from punto.floor.journal.house_events import HOUSE, TableRecovered
from punto.floor.journal.round_record import RoundRecord
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import ReadProgress
from punto.floor.reports.file_formats import Column, ColumnKind, Rows
from punto.floor.reports.player_report import ReportLine, by_player, by_table
from punto.floor.reports.ratings import whole_minor
from punto.floor.reports.records import Payment, Record, Ruling, records, table_of
from punto.floor.reports.rounds.replay_round import shoe_kinds
from punto.floor.reports.theoretical_win import EdgesOf, exact_edges
from punto.floor.settings.gaming_day import Period
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import write_cards
from punto.rules.money import write_amount

EXCEPTIONS_A_PAGE = 500
READS_OF_A_TABLE = 2
"""Who was identified must be known before the first record is written."""


class What(StrEnum):
    ROUNDS = "rounds"
    BETS = "bets"
    RULINGS = "rulings"
    PLAYERS = "players"
    TABLES = "tables"
    EXCEPTIONS = "exceptions"


# ---- rows


def all_records(database: Database, period: Period, progress: ReadProgress = lambda _: None) -> Iterator[Record]:
    """All records of a period, table by table. A round belongs to the period in which it ends."""
    for name, head in database.reading(streams.heads).result().items():
        if name == HOUSE:
            continue
        for record in records(partial(streams.read_all, database, head, progress=progress)):
            at_us = record.ended_us if isinstance(record, RoundRecord) else record.at_us
            if period.contains(at_us):
                yield record


_ROUND: tuple[Column, ...] = (
    ("table", ColumnKind.TEXT),
    ("stream", ColumnKind.TEXT),
    ("round", ColumnKind.NUMBER),
    ("book", ColumnKind.TEXT),
    ("currency", ColumnKind.TEXT),
)
_ROUNDS: tuple[Column, ...] = (
    *_ROUND,
    ("shoe", ColumnKind.TEXT),
    ("shoe_kind", ColumnKind.TEXT),
    ("decks", ColumnKind.NUMBER),
    ("opened", ColumnKind.MOMENT),
    ("ended", ColumnKind.MOMENT),
    ("outcome", ColumnKind.TEXT),
    ("ground", ColumnKind.TEXT),
    ("player", ColumnKind.NUMBER),
    ("banker", ColumnKind.NUMBER),
    ("cards", ColumnKind.TEXT),
    ("bets", ColumnKind.NUMBER),
    ("staked", ColumnKind.AMOUNT),
    ("returned", ColumnKind.AMOUNT),
    ("commission", ColumnKind.AMOUNT),
    ("win", ColumnKind.AMOUNT),
    ("clauses", ColumnKind.TEXT),
    ("reason", ColumnKind.TEXT),
    ("happened_at", ColumnKind.MOMENT),
    ("rounding", ColumnKind.AMOUNT),
)
_BETS: tuple[Column, ...] = (
    *_ROUND,
    ("ended", ColumnKind.MOMENT),
    ("who", ColumnKind.TEXT),
    ("box", ColumnKind.NUMBER),
    ("bet", ColumnKind.TEXT),
    ("stage", ColumnKind.TEXT),
    ("stake", ColumnKind.AMOUNT),
    ("played", ColumnKind.AMOUNT),
    ("result", ColumnKind.TEXT),
    ("odds", ColumnKind.TEXT),
    ("commission", ColumnKind.AMOUNT),
    ("returned", ColumnKind.AMOUNT),
    ("win", ColumnKind.AMOUNT),
    ("placed_by", ColumnKind.TEXT),
    ("clauses", ColumnKind.TEXT),
    ("went_back", ColumnKind.TEXT),
    ("happened_at", ColumnKind.MOMENT),
    ("rounding", ColumnKind.AMOUNT),
)
_RULINGS: tuple[Column, ...] = (
    ("table", ColumnKind.TEXT),
    ("stream", ColumnKind.TEXT),
    ("version", ColumnKind.NUMBER),
    ("at", ColumnKind.MOMENT),
    ("round", ColumnKind.NUMBER),
    ("kind", ColumnKind.TEXT),
    ("words", ColumnKind.TEXT),
    ("actor", ColumnKind.TEXT),
    ("position", ColumnKind.TEXT),
    ("clauses", ColumnKind.TEXT),
    ("paid", ColumnKind.AMOUNT),
    ("paid_to", ColumnKind.TEXT),
    ("happened_at", ColumnKind.MOMENT),
)
_EXCEPTIONS: tuple[Column, ...] = (
    ("version", ColumnKind.NUMBER),
    ("at", ColumnKind.MOMENT),
    ("kind", ColumnKind.TEXT),
    ("table", ColumnKind.TEXT),
    ("stream", ColumnKind.TEXT),
    ("round", ColumnKind.NUMBER),
    ("cards", ColumnKind.NUMBER),
    ("outcome", ColumnKind.TEXT),
    ("returned", ColumnKind.AMOUNT),
    ("returned_to", ColumnKind.TEXT),
    ("event", ColumnKind.TEXT),
    ("by", ColumnKind.TEXT),
    ("position", ColumnKind.TEXT),
    ("alone", ColumnKind.TEXT),
)
_REPORT: tuple[Column, ...] = (
    ("currency", ColumnKind.TEXT),
    ("rounds", ColumnKind.NUMBER),
    ("bets", ColumnKind.NUMBER),
    ("turnover", ColumnKind.AMOUNT),
    ("theoretical_win", ColumnKind.AMOUNT),
    ("actual_win", ColumnKind.AMOUNT),
    ("commission", ColumnKind.AMOUNT),
    ("adjusted", ColumnKind.AMOUNT),
    ("bought", ColumnKind.AMOUNT),
    ("cashed", ColumnKind.AMOUNT),
    ("vouchers", ColumnKind.AMOUNT),
    ("changed", ColumnKind.AMOUNT),
    ("rounding", ColumnKind.AMOUNT),
)


def count_reads(database: Database, what: What) -> int:
    """How many entries an export reads, as it reports its progress. Where somebody was identified, it reads more."""
    heads = database.reading(streams.heads).result()
    house = heads[HOUSE].version if HOUSE in heads else 0
    return house if what is What.EXCEPTIONS else READS_OF_A_TABLE * (sum(h.version for h in heads.values()) - house)


def export_rows(
    database: Database,
    what: What,
    period: Period,
    edges_of: EdgesOf = exact_edges,
    progress: ReadProgress = lambda _: None,
) -> tuple[tuple[Column, ...], Rows]:
    """Column names and rows, which are read as they are taken."""
    if what is What.EXCEPTIONS:
        return _EXCEPTIONS, map(_exception, _exceptions(database, period, progress))
    selected = all_records(database, period, progress)
    if what is What.ROUNDS:
        kinds = shoe_kinds(database)
        return _ROUNDS, (
            _round(record, kinds.get(table_of(record))) for record in selected if isinstance(record, RoundRecord)
        )
    if what is What.BETS:
        return _BETS, (row for record in selected if isinstance(record, RoundRecord) for row in _bets(record))
    if what is What.RULINGS:
        return _RULINGS, (_ruling(record) for record in selected if isinstance(record, Ruling))
    counted = (record for record in selected if isinstance(record, RoundRecord | Payment))
    if what is What.PLAYERS:
        return (("player", ColumnKind.TEXT), *_REPORT), map(_line, by_player(counted, edges_of))
    return (("table", ColumnKind.TEXT), *_REPORT), map(_line, by_table(counted, edges_of))


def _round(record: RoundRecord, kind: ShoeKind | None) -> Sequence[Any]:
    staked, returned = sum(bet.stake_minor for bet in record.bets), sum(bet.returned_minor for bet in record.bets)
    commission = sum(bet.commission_minor or 0 for bet in record.bets)
    at, void = record.conditions, record.void
    return (
        *(*_where(record), at.shoe, kind, at.decks, record.opened_us, record.ended_us),
        *(record.outcome, void.ground if void else "", record.player, record.banker, write_cards(record.cards)),
        *(len(record.bets), staked, returned, commission, staked - returned, " ".join(record.clauses)),
        void.reason if void else "",
        record.happened_at_us or None,
        sum(bet.rounded_minor for bet in record.bets),
    )


def _where(record: RoundRecord) -> Sequence[Any]:
    return (table_of(record), record.stream, record.number, record.conditions.book, record.conditions.currency)


def _bets(record: RoundRecord) -> Iterator[Sequence[Any]]:
    for bet in record.bets:
        yield (
            *(*_where(record), record.ended_us, bet.who, bet.box, bet.bet, bet.stage),
            *(bet.stake_minor, bet.decided_minor, bet.outcome, bet.odds, bet.commission_minor or 0),
            *(bet.returned_minor, bet.win_minor, bet.placed_by, " ".join(bet.clauses), bet.went_back),
            record.happened_at_us or None,
            bet.rounded_minor,
        )


def _ruling(record: Ruling) -> Sequence[Any]:
    moved = record.moved_minor
    paid_to = msgspec.json.encode({who: write_amount(minor) for who, minor in moved.items()}).decode()
    return (
        *(table_of(record), record.stream, record.version, record.at_us, record.round, record.kind, record.words),
        *(record.actor, record.position, " ".join(record.clauses)),
        *((sum(moved.values()), paid_to) if moved else (None, None)),
        record.happened_at_us or None,
    )


def _exceptions(database: Database, period: Period, progress: ReadProgress) -> Iterator[HouseException]:
    """All exceptions of a period, oldest first."""
    after = 0
    while page := database.reading(partial(find_exceptions, after=after, limit=EXCEPTIONS_A_PAGE)).result():
        yield from (each for each in page if period.contains(each.at_us))
        progress(page[-1].version - after)
        after = page[-1].version


def _exception(found: HouseException) -> Sequence[Any]:
    event = found.event
    row = (found.version, found.at_us, tag(type(event)))
    given = (msgspec.json.encode(event).decode(), found.by, found.position, "alone" if found.alone else "")
    if not isinstance(event, TableRecovered):
        return (*row, getattr(event, "table", ""), "", *(None,) * 2, "", *(None,) * 2, *given)
    stream, returned = StreamName.parse(event.stream), event.returned_minor
    returned_to = msgspec.json.encode({who: write_amount(minor) for who, minor in returned.items()}).decode()
    outcome = "void" if event.voided else "goes on" if event.round_open else ""
    amounts = (sum(returned.values()), returned_to) if event.voided else (None, None)
    return (*row, stream.table, event.stream, event.round or None, event.cards, outcome, *amounts, *given)


def _line(line: ReportLine) -> Sequence[Any]:
    amounts = (line.actual_minor, line.commission_minor, line.adjusted_minor, line.bought_minor, line.cashed_minor)
    played = (line.rounds, line.bets, line.turnover_minor, whole_minor(line.theoretical))
    return (line.name, line.currency, *played, *amounts, line.vouchers_minor, line.changed_minor, line.rounded_minor)
