"""Sums over bets and over the tray of a table, each from the rows alone."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import floor, sqrt

from punto.library import book
from punto.odds import full_shoe, full_shoe_figures
from punto.odds.exact.covariance import Covariances
from punto.rules.bets.insurance import Stage
from punto.rules.coup.table_of_play import Side
from tests.web.day.journal import Row
from tests.web.day.openings import Bet, Cell, tray_change


@cache
def edge(game: str, decks: int, kind: str, cell: Cell | None) -> Fraction:
    figures = full_shoe_figures(book(game), decks)
    if cell is None:
        return figures.bets[kind].edge
    return next(one.edge for one in figures.insurance if (one.stage, one.side, one.player, one.banker) == cell)


@cache
def covariances(game: str, decks: int) -> Covariances:
    return Covariances(book(game), full_shoe(book(game), decks))


def line(cell: Cell | None) -> tuple[Stage, Side, int, int] | None:
    """The cell as the odds name it."""
    return None if cell is None else (Stage(cell[0]), Side(cell[1]), *cell[2:])


def half_up(amount: Fraction) -> int:
    return floor(amount + Fraction(1, 2))


@dataclass
class Play:
    """Rounds, and bets of them."""

    rounds: int = 0
    voids: int = 0
    bets: list[tuple[tuple[str, int], str, int, Bet]] = field(default_factory=list)
    """With their round, the game and the decks."""

    def add(self, other: "Play") -> None:
        self.rounds += other.rounds
        self.voids += other.voids
        self.bets += other.bets

    def sum(self, what: Callable[[Bet], int], kinds: Iterable[tuple[str, str]] | None = None) -> int:
        wanted = None if kinds is None else set(kinds)
        return sum(what(bet) for _, game, _, bet in self.bets if wanted is None or (game, bet.kind) in wanted)

    @property
    def kinds(self) -> list[tuple[str, str]]:
        return sorted({(game, bet.kind) for _, game, _, bet in self.bets})

    def theoretical(self, only: tuple[str, str] | None = None) -> Fraction:
        settled = [each for each in self.bets if each[3].decided_minor and only in (None, (each[1], each[3].kind))]
        return sum(
            (bet.decided_minor * edge(game, decks, bet.kind, bet.cell) for _, game, decks, bet in settled), Fraction()
        )

    def variance(self, only: tuple[str, str] | None = None) -> Fraction:
        by_round: dict[tuple[str, int], list[tuple[str, int, Bet]]] = defaultdict(list)
        for number, game, decks, bet in self.bets:
            if bet.decided_minor and only in (None, (game, bet.kind)):
                by_round[number].append((game, decks, bet))
        total = Fraction()
        for bets in by_round.values():
            for game, decks, one in bets:
                for _, _, other in bets:
                    together = covariances(game, decks).of((one.kind, line(one.cell)), (other.kind, line(other.cell)))
                    total += one.decided_minor * other.decided_minor * together
        return total

    def deviations(self, only: tuple[str, str] | None = None) -> float | None:
        won = sum(bet.win_minor for _, game, _, bet in self.bets if only in (None, (game, bet.kind)))
        variance = self.variance(only)
        return round(float(won - self.theoretical(only)) / sqrt(variance), 2) if variance else None


@dataclass
class TrayFigures:
    """What a tray did in the period."""

    opener: int = 0
    closer: int = 0
    fills: int = 0
    credits: int = 0
    drop: int = 0
    vouchers: int = 0
    rounds: int = 0
    rulings: int = 0
    mispaid: int = 0
    owed: int = 0
    changed: int = 0
    paid_out: int = 0
    unexplained: int = 0
    opener_difference: int = 0

    def add(self, other: "TrayFigures") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


@dataclass
class TableFigures:
    play: Play = field(default_factory=Play)
    open_us: int = 0
    offered: int = 0
    missed: int = 0
    tray: TrayFigures = field(default_factory=TrayFigures)

    def add(self, other: "TableFigures") -> None:
        self.play.add(other.play)
        self.open_us += other.open_us
        self.offered += other.offered
        self.missed += other.missed
        self.tray.add(other.tray)


class TrayFold:
    """Takes the rows of a table in order, and keeps the figures from a moment on."""

    def __init__(self, since_us: int) -> None:
        self.figures = TrayFigures()
        self.balances: Counter[str] = Counter()
        self.opener_counted_us: int | None = None
        """When somebody counted what lay there at the start, if chips did not move after it."""
        self._since_us = since_us
        self._minor: int | None = None
        self._counted_us: int | None = None
        self._moved = False

    def take(self, row: Row) -> None:
        figures, before, owed_before = self.figures, self._minor, _owed(self.balances)
        for account, minor in row.event.get("postings", ()):
            self.balances[account] += minor
        tray = figures.closer = self._minor = tray_change(list(self.balances.items())) - _owed(self.balances)
        if before is None:  # the first opening
            figures.opener = before = tray - row.command["float_minor"]
        if row.kind == "tray_counted":
            assert (before, tray) == (row.event["expected_minor"], row.event["counted_minor"])
            self._counted_us = row.at_us
        elif tray != before:
            self._counted_us = None
        if row.at_us < self._since_us:
            figures.opener, self.opener_counted_us = tray, self._counted_us
        elif row.kind == "table_opened":
            figures.opener += tray - before
        elif row.kind != "tray_counted":
            self._moved |= tray != before
            _add_moves(figures, row, _owed(self.balances) - owed_before)
        elif self._moved:
            figures.unexplained += tray - before
        else:
            figures.opener, figures.opener_difference, self._moved = tray, tray - before, True


def _owed(balances: Counter[str]) -> int:
    return sum(-minor for account, minor in balances.items() if account.startswith("chips:") and minor < 0)


def _add_moves(figures: TrayFigures, row: Row, owed_minor: int) -> None:
    """What one row did to the tray, by its cause."""
    event = row.event
    postings = event.get("postings", ())
    won = sum(minor for account, minor in postings if account in ("float", "commission", "rounding"))
    figures.mispaid += sum(minor for account, minor in postings if account == "mispaid") - owed_minor
    figures.owed += owed_minor
    kind = event.get("kind")
    if row.kind in ("chips_bought", "chips_cashed"):
        figures.changed += event.get("changed_minor", 0)
        figures.paid_out += tray_change(postings) if row.kind == "chips_cashed" else 0
        if kind == "voucher":
            figures.vouchers -= tray_change(postings)
        elif kind != "chips":
            figures.drop -= tray_change(postings)
    elif row.kind == "slip_received" and kind == "fill":
        figures.fills += won
    elif row.kind == "slip_sent" and kind == "credit":
        figures.credits -= won
    elif row.kind == "ruled" and event["effect"] == "adjust":
        figures.rulings += won
    else:
        figures.rounds += won
