"""The figures of a game: edge and chances of every bet and insurance cell over a distribution, as exact fractions."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import sqrt
from typing import Final

from msgspec import Struct

from punto.odds.distribution import Distribution
from punto.rules.bets.insurance import InsuranceLine, Stage
from punto.rules.bets.pay_lines import BetRule, Result, Verdict
from punto.rules.coup.space import ENDS, Winner
from punto.rules.coup.table_of_play import POINTS, Side
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook

ROUND_SIZES: Final = (4, 5, 6)  # cards


class LineFigures(Struct, frozen=True):
    """One possible result of a bet: a pay line, or a loss because no line matched."""

    result: Result
    chance: Fraction
    returned: Fraction
    """Amount returned per unit staked: stake included, commission deducted."""
    odds: str | None
    commission: Fraction | None
    clauses: tuple[Clause, ...]


class StakeFigures(Struct, frozen=True):
    """Chances and house edge of a stake."""

    win: Fraction
    push: Fraction
    lose: Fraction
    edge: Fraction
    """The house edge: minus the bettor's expectation per unit staked."""

    @property
    def favours_bettor(self) -> bool:
        return self.edge < 0


class BetFigures(StakeFigures, frozen=True):
    lines: tuple[LineFigures, ...]
    """The pay lines in the book's order, then the rest."""
    variance: Fraction
    """Variance of the bettor's gain per unit staked."""

    @property
    def std(self) -> float:
        """Standard deviation of the bettor's gain per unit staked."""
        return sqrt(self.variance)


class CellFigures(StakeFigures, frozen=True):
    """Insurance in one cell of points, given that a round reaches the cell."""

    stage: Stage
    side: Side
    player: int
    banker: int
    odds: str
    offered: Fraction
    """The chance that a round reaches this cell."""


class Figures(Struct, frozen=True):
    """All figures of a game over one distribution."""

    bets: dict[str, BetFigures]
    insurance: tuple[CellFigures, ...]
    """The cells that can be offered, ordered by stage, insured side and points."""
    cards_per_round: dict[int, Fraction]


def figures(book: Rulebook, distribution: Distribution, bets: Iterable[str] | None = None) -> Figures:
    """The figures of these bets, by default of every bet of the book, and of all insurance cells."""
    chosen = book.bets if bets is None else bets
    return Figures(
        {bet: bet_figures(require_bet(book, bet), distribution) for bet in chosen},
        tuple(insurance_figures(book, distribution)),
        cards_per_round(distribution),
    )


def require_bet(book: Rulebook, bet: str) -> BetRule:
    """Look up a bet by its id. Refused if the book does not have it."""
    if bet not in book.bets:
        raise book.unknown_bet(bet, book.bets)
    return book.bets[bet]


def bet_figures(rule: BetRule, distribution: Distribution) -> BetFigures:
    total = distribution.total
    lines = tuple(_line(verdict, weight, total) for verdict, weight in _by_verdict(rule, distribution.of_cells(rule)))
    chances = {result: sum((line.chance for line in lines if line.result is result), Fraction()) for result in Result}
    mean = sum((line.chance * line.returned for line in lines), Fraction())
    square = sum((line.chance * line.returned**2 for line in lines), Fraction())
    return BetFigures(
        chances[Result.WIN], chances[Result.PUSH], chances[Result.LOSE], 1 - mean, lines, square - mean**2
    )


def edge_of(rule: BetRule, distribution: Distribution) -> Fraction:
    """The house edge alone, several times as fast as all figures of the bet."""
    return edge_over(rule, distribution.of_cells(rule), distribution.total)


def edge_over(rule: BetRule, weights: Sequence[int], total: int) -> Fraction:
    """The house edge over the weights of the bet's cells."""
    units = total * rule.returned.unit
    return Fraction(units - sum(weights[cell] * parts for cell, parts in rule.returned.parts), units)


def _by_verdict(rule: BetRule, weights: Sequence[int]) -> list[tuple[Verdict, int]]:
    """The weight of each pay line, then of the rest. Lines are told apart by identity: two can be equal."""
    lines = {id(line.verdict): at for at, line in enumerate(rule.pays)}
    sums = [0] * (len(lines) + 1)
    for verdict, weight in zip(rule.of_cells, weights, strict=True):
        sums[lines.get(id(verdict), -1)] += weight
    return list(zip([*(line.verdict for line in rule.pays), rule.unmatched], sums, strict=True))


def _line(verdict: Verdict, weight: int, total: int) -> LineFigures:
    returned = Fraction(verdict.numerator, verdict.denominator)
    chance = Fraction(weight, total)
    return LineFigures(verdict.result, chance, returned, verdict.odds_text, verdict.commission, verdict.clauses)


def insurance_cells(book: Rulebook) -> list[tuple[InsuranceLine, int, int]]:
    """Every cell of points with an insurance line in the book, ordered by stage, insured side, Player, Banker."""
    if book.insurance is None:
        return []
    cells = []
    for stage in Stage:
        for side in Side:
            for player in POINTS:
                for banker in POINTS:
                    line = book.insurance.line(stage, player, banker)
                    if line is not None and line.side is side:
                        cells.append((line, player, banker))
    return cells


def insurance_figures(book: Rulebook, distribution: Distribution) -> Iterable[CellFigures]:
    """The figures of each cell that can be reached."""
    for line, player, banker in insurance_cells(book):
        cell = cell_figures(line, player, banker, distribution)
        if cell is not None:
            yield cell


def cell_figures(line: InsuranceLine, player: int, banker: int, distribution: Distribution) -> CellFigures | None:
    """The figures of one cell, or None if no round reaches it."""
    weights = distribution.at(line.stage, player, banker)
    offered = sum(weights.values())
    if not offered:
        return None
    worth = insurance_worth(line, weights)
    cell = (line.stage, line.side, player, banker, line.odds_text, Fraction(offered, distribution.total))
    return CellFigures(worth.win, worth.push, worth.lose, worth.edge, *cell)


def insurance_worth(line: InsuranceLine, weights: Mapping[Winner, int | Fraction]) -> StakeFigures:
    """The figures of insurance on a line, with the winner distributed by these weights."""
    total = Fraction(sum(weights.values()))
    chances = dict.fromkeys(Result, Fraction())
    returned = Fraction()
    for winner, weight in weights.items():
        verdict, chance = line.verdicts[winner], weight / total
        chances[verdict.result] += chance
        returned += chance * Fraction(verdict.numerator, verdict.denominator)
    return StakeFigures(chances[Result.WIN], chances[Result.PUSH], chances[Result.LOSE], 1 - returned)


def cards_per_round(distribution: Distribution) -> dict[int, Fraction]:
    """The chance that a round takes four, five or six cards."""
    sums = dict.fromkeys(ROUND_SIZES, 0)
    for end, weight in zip(ENDS, distribution.ends, strict=True):
        sums[end.cards] += weight
    return {cards: Fraction(weight, distribution.total) for cards, weight in sums.items()}
