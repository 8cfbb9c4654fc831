"""A report as it is written: amounts in whole minor units, shares and times as plain numbers.

Theoretical wins are exact fractions and rounded here, each for itself: rounded ones need not add up to a rounded sum.
Every other amount is exact, and sums are of exact amounts.
"""

from fractions import Fraction
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from punto.floor.chips.day_ledger import DayLedger, PaymentKind
from punto.floor.clock import SECOND_US
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.reports.days.bet_sums import BetSums, PlaySums, SummedBet
from punto.floor.reports.days.opening_facts import Finding, LoneAct, PaidRuling
from punto.floor.reports.days.shift_report import DealerSums, ShiftReport, TableKey, TableSums
from punto.floor.reports.days.tray_sums import CountLine, MissingCount, SlipLine, TraySums
from punto.floor.reports.ratings import Rating, whole_minor
from punto.floor.reports.theoretical_win import CovariancesOf, EdgesOf, exact_covariances, exact_edges
from punto.rules.bets.insurance import insurance_name
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause

BAND = 1.959963984540054
"""Standard deviations to each side that 95% of results lie within."""
MOST_PLAYERS = 10
"""Of those who won most, and of those who lost most."""
_MINUTE_US = 60 * SECOND_US
_NO_DEALERS = ("", THE_HOUSE.name)
"""Before the first round, and where the table deals by itself."""
_INSURANCE = frozenset(map(insurance_name, Side))


class BetLine(Struct, frozen=True, kw_only=True):
    """One kind of bet of one game. Returns are shares of the stakes that players got back."""

    game: str
    bet: str
    bets: int
    turnover_minor: int
    win_minor: int
    theoretical_minor: int
    """Rounded."""
    deviations: float | None
    """How many standard deviations the win is above the theoretical one."""
    actual_return: float | None
    theoretical_return: float | None
    band_low: float | None
    """The returns between which 95 of 100 such periods lie."""
    band_high: float | None


class FiguresLine(Struct, frozen=True, kw_only=True):
    """The figures of a table, or of all tables of a game or of the floor."""

    scope: str
    """`table`, `game` or `floor`."""
    table: str
    """Empty unless the scope is a table."""
    game: str
    """Empty for the floor."""
    currency: str
    play_money: bool
    open_minutes: int
    """How long the table was open; for several, added up."""
    rounds: int
    """Settled or void."""
    voids: int
    rounds_an_hour: float | None
    bets: int
    """Those that the cards decided."""
    turnover_minor: int
    win_minor: int
    """By rounds: stakes less what was paid out, commission included. Of the rounds that ended in the period."""
    table_win_minor: int
    """The win: by rounds, as they were settled in the period, with rulings and wrong payments."""
    theoretical_minor: int
    """Rounded."""
    deviations: float | None
    commission_minor: int
    rounding_minor: int
    """Paid beyond what was due because of the smallest chip; the win is lower by it."""
    insurance_offered: int
    insurance_taken: int
    insurance_turnover_minor: int
    insurance_missed: int
    """Not offered, and not made good either."""
    opener_minor: int | None
    """As counted, or by the record if nobody counted; also the float of a table that was opened again.

    This and what follows is null for play money. In the running day, people who may have to count the tray do not get
    the opener or closer of a table that nobody has counted, nor what it can be computed from: those are null as well.
    """
    fills_minor: int | None
    credits_minor: int | None
    closer_minor: int | None
    drop_minor: int | None
    """Cash for chips, less chips for cash."""
    box_drop_minor: int | None
    """Cash, vouchers and chips that were given for chips, nothing off for what was paid out: Singapore's drop."""
    vouchers_minor: int | None
    """Vouchers for chips, less chips for vouchers."""
    win_by_count_minor: int | None
    """Closer, credits, drop and vouchers, less opener and fills."""
    difference_minor: int | None
    """The win by count less the win by rounds. The next five explain it; they add up to it."""
    rulings_minor: int | None
    """Negative if players were paid."""
    mispaid_minor: int | None
    """Wrong payments, and what players came to owe; negative if the tray lost by it."""
    unexplained_minor: int | None
    """Found by counts after the opener; negative if chips were missing."""
    settled_again_minor: int | None
    """Of rounds that were settled in one period and again in another."""
    unaccounted_minor: int | None
    """Explained by nothing: always 0 unless the record is broken."""
    opener_difference_minor: int | None
    """Found by counts of the opener: no part of the win."""
    hold: float | None
    """The win by count as a share of drop and vouchers."""
    bets_by_kind: tuple[BetLine, ...]


class PlayerLine(Struct, frozen=True, kw_only=True):
    who: str
    table: str
    """Of somebody who is known by their place only; else empty."""
    currency: str
    play_money: bool
    minutes: int
    """From the first to the last round with a bet, at each table; pauses of more than half an hour left out."""
    rounds: int
    turnover_minor: int
    average_bet_minor: int
    """Staked in a round, rounded."""
    theoretical_minor: int
    """The house's. Rounded."""
    win_minor: int
    """The player's, after rulings."""
    drop_minor: int
    """Cash for chips, less chips for cash."""
    vouchers_minor: int
    changed_minor: int
    """Chips changed for others, which count as bought already."""


class DealerLine(Struct, frozen=True, kw_only=True):
    """What happened in the rounds for which a dealer opened betting."""

    name: str
    minutes_on: int
    """On duty as a dealer; 0 if nobody assigned them."""
    rounds: int
    rounds_an_hour: float | None
    voids: int
    corrections: int
    irregularities: int
    insurance_missed: int


class FindingLine(Struct, frozen=True, kw_only=True):
    game: str
    kind: str
    """The kind of incident, or the ground of a void round."""
    clauses: tuple[Clause, ...]
    dealer: str
    times: int


class ReportLines(Struct, frozen=True, kw_only=True):
    from_us: int | None
    to_us: int | None
    """Not included."""
    made_us: int
    figures: tuple[FiguresLine, ...]
    """Floor, games, tables."""
    players: tuple[PlayerLine, ...]
    """By currency and name."""
    dealers: tuple[DealerLine, ...]
    voids: tuple[FindingLine, ...]
    findings: tuple[FindingLine, ...]
    """Irregularities, missed insurance and rulings."""
    rulings: tuple[PaidRuling, ...]
    alone: tuple[LoneAct, ...]
    """What one person did where the floor's rules want two."""
    counts: tuple[CountLine, ...]
    missing: tuple[MissingCount, ...]
    slips: tuple[SlipLine, ...]

    def of(self, scope: str) -> tuple[FiguresLine, ...]:
        return tuple(line for line in self.figures if line.scope == scope)

    def winners(self, currency: str) -> tuple[PlayerLine, ...]:
        """Those who won most, most first."""
        return self._most(currency, -1)

    def losers(self, currency: str) -> tuple[PlayerLine, ...]:
        """Those who lost most, most first."""
        return self._most(currency, 1)

    def _most(self, currency: str, sign: int) -> tuple[PlayerLine, ...]:
        lines = [
            line
            for line in self.players
            if line.currency == currency and not line.play_money and line.win_minor * sign < 0
        ]
        return tuple(sorted(lines, key=lambda line: (line.win_minor * sign, line.who))[:MOST_PLAYERS])


def write_report(
    report: ShiftReport,
    edges_of: EdgesOf = exact_edges,
    covariances_of: CovariancesOf = exact_covariances,
    *,
    blind: bool = False,
) -> ReportLines:
    """Takes up to some seconds the first time a game occurs: in an event loop, call it in a thread.

    ``blind`` leaves out what would tell those who count a tray what should lie there.
    """
    odds = (edges_of, covariances_of)
    scopes = (("floor", report.floors), ("game", report.games), ("table", dict(sorted(report.tables.items()))))
    return ReportLines(
        from_us=report.period.since_us,
        to_us=report.period.until_us,
        made_us=report.made_us,
        figures=tuple(
            _figures(scope, key, sums, odds, blind=blind) for scope, lines in scopes for key, sums in lines.items()
        ),
        players=tuple(write_player(rating, edges_of) for rating in report.players.values()),
        dealers=tuple(_dealer(name, sums) for name, sums in report.dealers.items() if name not in _NO_DEALERS),
        voids=_findings(report.voids),
        findings=_findings(report.findings),
        rulings=tuple(report.rulings),
        alone=tuple(report.alone),
        counts=tuple(report.counts),
        missing=tuple(report.missing),
        slips=tuple(report.slips),
    )


_Odds = tuple[EdgesOf, CovariancesOf]


def _figures(scope: str, key: TableKey, sums: TableSums, odds: _Odds, *, blind: bool) -> FiguresLine:
    total, expected = sums.play.total, sums.play.expected(*odds)
    insurance = BetSums()
    for (_, bet), each in sums.play.bets.items():
        if bet in _INSURANCE:
            insurance.add(each)
    return FiguresLine(
        scope=scope,
        table=key.table,
        game=key.book,
        currency=key.currency,
        play_money=key.play_money,
        open_minutes=sums.open_us // _MINUTE_US,
        rounds=sums.play.rounds,
        voids=sums.play.voids,
        rounds_an_hour=_rounded(sums.rounds_an_hour, 1),
        bets=total.bets,
        turnover_minor=total.turnover_minor,
        win_minor=total.win_minor,
        table_win_minor=sums.ledger.win_minor,
        theoretical_minor=whole_minor(expected.theoretical),
        deviations=_rounded(expected.deviations(total.win_minor), 2),
        commission_minor=total.commission_minor,
        rounding_minor=total.rounded_minor,
        insurance_offered=sums.offered,
        insurance_taken=insurance.bets,
        insurance_turnover_minor=insurance.turnover_minor,
        insurance_missed=sums.missed,
        **_tray(sums, blind=blind),
        bets_by_kind=tuple(_bet(bet, each, sums.play, odds) for bet, each in sorted(sums.play.bets.items())),
    )


def _tray(sums: TableSums, *, blind: bool) -> dict[str, Any]:
    tray = sums.tray
    if tray is None:
        return dict.fromkeys(_TRAY_FIELDS)
    figures = _tray_figures(sums, tray)
    if blind and tray.uncounted_openers:
        figures |= dict.fromkeys(_OF_OPENER)
    if blind and tray.uncounted_closers:
        figures |= dict.fromkeys(_OF_CLOSER)
    return figures


def _tray_figures(sums: TableSums, tray: TraySums) -> dict[str, Any]:
    ledger, won, by_count = sums.ledger, sums.play.total.win_minor, tray.win(sums.ledger)
    return {
        "opener_minor": tray.opener,
        "fills_minor": ledger.fills_minor,
        "credits_minor": ledger.credits_minor,
        "closer_minor": tray.closer,
        "drop_minor": ledger.drop_minor,
        "box_drop_minor": ledger.box_drop_minor,
        "vouchers_minor": ledger.vouchers_minor,
        "win_by_count_minor": by_count,
        "difference_minor": by_count - won,
        "rulings_minor": ledger.rulings_minor,
        "mispaid_minor": ledger.mispaid_minor - tray.owed,
        "unexplained_minor": tray.unexplained,
        "settled_again_minor": ledger.win_by_rounds_minor - won,
        "unaccounted_minor": by_count - tray.explained(ledger),
        "opener_difference_minor": tray.opener_difference,
        "hold": hold(by_count, ledger),
    }


def hold(win_minor: int, ledger: DayLedger) -> float | None:
    """A win as a share of drop and vouchers."""
    brought_minor = ledger.drop_minor + ledger.vouchers_minor
    return round(win_minor / brought_minor, 6) if brought_minor > 0 else None


_FIELDS = FiguresLine.__struct_fields__
_TRAY_FIELDS = _FIELDS[_FIELDS.index("opener_minor") : _FIELDS.index("bets_by_kind")]
_OF_OPENER = ("opener_minor", "opener_difference_minor")
_OF_CLOSER = (
    "closer_minor",
    *_FIELDS[_FIELDS.index("win_by_count_minor") : _FIELDS.index("opener_difference_minor")],
    "hold",
)
"""The closer, and what it can be computed from: the win by count, and why it is not the win by rounds."""


def _bet(key: SummedBet, sums: BetSums, play: PlaySums, odds: _Odds) -> BetLine:
    expected = play.expected(*odds, only=key)
    turnover = sums.turnover_minor
    theoretical = float(1 - expected.theoretical / turnover) if turnover else None
    width = BAND * expected.std_minor / turnover if turnover else 0.0
    return BetLine(
        game=key[0],
        bet=key[1],
        bets=sums.bets,
        turnover_minor=sums.turnover_minor,
        win_minor=sums.win_minor,
        theoretical_minor=whole_minor(expected.theoretical),
        deviations=_rounded(expected.deviations(sums.win_minor), 2),
        actual_return=_rounded(float(1 - Fraction(sums.win_minor, turnover)), 6) if turnover else None,
        theoretical_return=_rounded(theoretical, 6),
        band_low=None if theoretical is None else round(theoretical - width, 6),
        band_high=None if theoretical is None else round(theoretical + width, 6),
    )


def write_player(rating: Rating, edges_of: EdgesOf = exact_edges) -> PlayerLine:
    return PlayerLine(
        who=rating.who,
        table=rating.table,
        currency=rating.currency,
        play_money=rating.play_money,
        minutes=rating.time_us // _MINUTE_US,
        rounds=rating.play.rounds,
        turnover_minor=rating.play.total.turnover_minor,
        average_bet_minor=rating.average_bet_minor,
        theoretical_minor=whole_minor(rating.play.theoretical(edges_of)),
        win_minor=rating.win_minor,
        drop_minor=rating.drop_minor,
        vouchers_minor=rating.paid[PaymentKind.VOUCHER],
        changed_minor=rating.paid[PaymentKind.CHANGED],
    )


def _dealer(name: str, sums: DealerSums) -> DealerLine:
    return DealerLine(
        name=name,
        minutes_on=sums.on_us // _MINUTE_US,
        rounds=sums.rounds,
        rounds_an_hour=_rounded(sums.rounds_an_hour, 1),
        voids=sums.voids,
        corrections=sums.corrections,
        irregularities=sums.irregularities,
        insurance_missed=sums.missed,
    )


def _findings(found: dict[Finding, int]) -> tuple[FindingLine, ...]:
    return tuple(FindingLine(**asdict(finding), times=times) for finding, times in sorted(found.items()))


def _rounded(number: float | None, digits: int) -> float | None:
    return None if number is None else round(number, digits)
