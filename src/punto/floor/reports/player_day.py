"""What one player did in a period, and the cash of all players, for the pit's page of players and the API."""

from msgspec import Struct

from punto.floor.chips.day_ledger import PaymentKind
from punto.floor.reports.days.report_lines import PlayerLine, write_player
from punto.floor.reports.days.shift_report import ShiftReport


class SittingLine(Struct, frozen=True, kw_only=True):
    """A time at one table, from the call for the first round with a bet to the end of the last."""

    table: str
    from_us: int
    to_us: int
    rounds: int


class RatingLine(Struct, frozen=True, kw_only=True):
    """The rating of a player in one currency."""

    figures: PlayerLine
    cash_in_minor: int
    cash_out_minor: int
    sittings: tuple[SittingLine, ...]


class CashLine(Struct, frozen=True, kw_only=True):
    """The cash of one person at all tables, in one currency. Vouchers and chips are not cash."""

    who: str
    table: str
    """Of somebody who is known by their place only; else empty."""
    currency: str
    in_minor: int
    """Paid for chips."""
    out_minor: int
    """Received for chips."""
    large: bool
    """Whether one of the two reaches the house's threshold."""


def rating_lines(report: ShiftReport, who: str) -> tuple[RatingLine, ...]:
    """The ratings of a registered player, one for each currency."""
    return tuple(
        RatingLine(
            figures=write_player(rating),
            cash_in_minor=rating.paid[PaymentKind.BOUGHT],
            cash_out_minor=-rating.paid[PaymentKind.CASHED],
            sittings=tuple(
                SittingLine(table=each.table, from_us=each.from_us, to_us=each.to_us, rounds=each.rounds)
                for each in rating.sittings
            ),
        )
        for rating in report.players.values()
        if rating.who == who and not rating.play_money
    )


def cash_lines(report: ShiftReport, large_minor: int) -> tuple[CashLine, ...]:
    """Everybody who paid or received cash, the largest first. ``large_minor`` is the threshold; 0 for none."""
    lines = [
        CashLine(
            who=rating.who,
            table=rating.table,
            currency=rating.currency,
            in_minor=(paid := rating.paid[PaymentKind.BOUGHT]),
            out_minor=(received := -rating.paid[PaymentKind.CASHED]),
            large=0 < large_minor <= max(paid, received),
        )
        for rating in report.players.values()
        if not rating.play_money and (rating.paid[PaymentKind.BOUGHT] or rating.paid[PaymentKind.CASHED])
    ]
    return tuple(sorted(lines, key=lambda line: (-max(line.in_minor, line.out_minor), line.who, line.table)))
