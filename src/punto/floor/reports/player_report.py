"""Turnover, theoretical win and actual win for each player or table."""

from collections.abc import Callable, Iterable
from fractions import Fraction

from msgspec import Struct

from punto.floor.chips.day_ledger import PaymentKind
from punto.floor.journal.round_record import BetRecord, RoundRecord
from punto.floor.reports.records import Payment, Record, table_of
from punto.floor.reports.theoretical_win import EdgesOf


class ReportLine(Struct):
    """Totals of one player or one table, in one currency."""

    name: str
    currency: str
    rounds: int = 0
    bets: int = 0
    turnover_minor: int = 0
    """Stakes that the cards decided, including pushes."""
    theoretical: Fraction = Fraction(0)
    """Turnover times the house edge, in minor units, not rounded."""
    win_minor: int = 0
    """The house's win from bets, including commission."""
    commission_minor: int = 0
    adjusted_minor: int = 0
    """Paid to players by rulings; negative if taken from them."""
    bought_minor: int = 0
    """In cash alone."""
    cashed_minor: int = 0
    vouchers_minor: int = 0
    """Bought with vouchers."""
    changed_minor: int = 0
    """Chips changed for others. They were bought elsewhere, or count as bought or won already."""
    rounded_minor: int = 0
    """Paid beyond what was due because of the smallest chip; part of the win, which is lower by it."""

    @property
    def actual_minor(self) -> int:
        """The house's win after adjustments by rulings."""
        return self.win_minor - self.adjusted_minor


def by_player(records: Iterable[Record], edges_of: EdgesOf) -> list[ReportLine]:
    """One line for each player, over all tables."""
    return _report(records, edges_of, lambda _, who: who)


def by_table(records: Iterable[Record], edges_of: EdgesOf) -> list[ReportLine]:
    """One line for each table, over all its openings."""
    return _report(records, edges_of, lambda table, _: table)


def _report(records: Iterable[Record], edges_of: EdgesOf, name: Callable[[str, str], str]) -> list[ReportLine]:
    lines: dict[tuple[str, str], ReportLine] = {}

    def line(of: str, currency: str) -> ReportLine:
        return lines.setdefault((of, currency), ReportLine(of, currency))

    for record in records:
        table = table_of(record)
        if isinstance(record, Payment):
            _pay(line(name(table, record.who), record.currency), record)
        elif isinstance(record, RoundRecord):
            currency = record.conditions.currency
            for bet in record.bets:
                _count(line(name(table, bet.who), currency), bet, record, edges_of)
            for of in {name(table, bet.who) for bet in record.bets if bet.decided_minor}:
                line(of, currency).rounds += 1
    return [lines[key] for key in sorted(lines)]


def _count(line: ReportLine, bet: BetRecord, played_in: RoundRecord, edges_of: EdgesOf) -> None:
    if bet.decided_minor:
        edge = edges_of(played_in.conditions.book, played_in.conditions.decks).of(bet.bet, bet.cell)
        line.bets += 1
        line.turnover_minor += bet.decided_minor
        line.theoretical += bet.decided_minor * edge
    line.win_minor += bet.win_minor
    line.commission_minor += bet.commission_minor or 0
    line.rounded_minor += bet.rounded_minor


def _pay(line: ReportLine, payment: Payment) -> None:
    if payment.kind is PaymentKind.BOUGHT:
        line.bought_minor += payment.amount_minor
    elif payment.kind is PaymentKind.VOUCHER:
        line.vouchers_minor += payment.amount_minor
    elif payment.kind is PaymentKind.CHANGED:
        line.changed_minor += payment.amount_minor
    elif payment.kind is PaymentKind.CASHED:
        line.cashed_minor -= payment.amount_minor
    else:
        line.adjusted_minor += payment.amount_minor
