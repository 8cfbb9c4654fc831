"""Who played how much, what the house should have won by the exact edges, and what it did win."""

from collections.abc import Callable, Iterable
from fractions import Fraction

from msgspec import Struct

from punto.floor.audit.records import Payment, Record, table_of
from punto.floor.audit.theoretical_win import EdgesOf
from punto.floor.journal.round_records import BetRecord, RoundRecord


class ReportLine(Struct):
    """A player's line, or a table's, in one currency."""

    name: str
    currency: str
    rounds: int = 0
    bets: int = 0
    turnover_minor: int = 0
    """Stakes that the cards decided, pushes too."""
    theoretical: Fraction = Fraction(0)
    """The turnover by the edges, in smallest units; rounded only when it is written."""
    win_minor: int = 0
    """The house's from bets, commission included."""
    commission_minor: int = 0
    adjusted_minor: int = 0
    """Paid by rulings, or, below zero, taken."""
    bought_minor: int = 0
    cashed_minor: int = 0

    @property
    def actual_minor(self) -> int:
        """What the house has won in the end."""
        return self.win_minor - self.adjusted_minor


def by_player(records: Iterable[Record], edges_of: EdgesOf) -> list[ReportLine]:
    """A line for each player, over all tables."""
    return _report(records, edges_of, lambda _, who: who)


def by_table(records: Iterable[Record], edges_of: EdgesOf) -> list[ReportLine]:
    """A line for each table, over all its openings."""
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


def _pay(line: ReportLine, payment: Payment) -> None:
    if payment.kind == "bought":
        line.bought_minor += payment.amount_minor
    elif payment.kind == "cashed":
        line.cashed_minor -= payment.amount_minor
    else:
        line.adjusted_minor += payment.amount_minor
