"""The figures of a game: what every bet and every insurance cell is worth over a distribution, as exact fractions."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import sqrt
from typing import Final

from msgspec import Struct

from punto.odds.distribution import Distribution
from punto.rules.bets.insurance import InsuranceLine, Stage
from punto.rules.bets.pay_lines import BetRule, Result, Verdict
from punto.rules.coup.space import ENDS, PAIRS, Winner
from punto.rules.coup.table_of_play import POINTS, Side
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook

ROUND_SIZES: Final = (4, 5, 6)
"""How many cards a round can take."""


class LineFigures(Struct, frozen=True):
    """One way a bet can come out: a pay line, or that none matched and it lost."""

    result: Result
    chance: Fraction
    returned: Fraction
    """What goes back of each unit staked, the stake included, commission taken off."""
    odds: str | None
    commission: Fraction | None
    clauses: tuple[Clause, ...]


class StakeFigures(Struct, frozen=True):
    """How often a stake wins, comes back and loses, and what the house expects of it."""

    win: Fraction
    push: Fraction
    lose: Fraction
    edge: Fraction
    """The house's: minus the bettor's expectation for each unit staked."""

    @property
    def favours_bettor(self) -> bool:
        """The house loses by this bet."""
        return self.edge < 0


class BetFigures(StakeFigures, frozen=True):
    """What a bet is worth."""

    lines: tuple[LineFigures, ...]
    """The pay lines in the book's order, the lost bets last."""
    variance: Fraction
    """Of the bettor's gain for each unit staked."""

    @property
    def std(self) -> float:
        """The standard deviation of the bettor's gain for each unit staked."""
        return sqrt(self.variance)


class CellFigures(StakeFigures, frozen=True):
    """What insurance is worth in one cell of points, on condition that a round comes by it."""

    stage: Stage
    side: Side
    player: int
    banker: int
    odds: str
    offered: Fraction
    """The chance that a round comes by this cell."""


class Figures(Struct, frozen=True):
    """All figures of a game over one distribution."""

    bets: dict[str, BetFigures]
    insurance: tuple[CellFigures, ...]
    """The cells that can be offered, in the order of stage, insured side and points."""
    cards_per_round: dict[int, Fraction]


def figures(book: Rulebook, distribution: Distribution, bets: Iterable[str] | None = None) -> Figures:
    """The figures of the game, of every bet of the book if not said which."""
    chosen = book.bets if bets is None else bets
    return Figures(
        {bet: bet_figures(require_bet(book, bet), distribution) for bet in chosen},
        tuple(insurance_figures(book, distribution)),
        cards_per_round(distribution),
    )


def require_bet(book: Rulebook, bet: str) -> BetRule:
    """The bet of that id; refused where the book has none."""
    if bet not in book.bets:
        raise book.unknown_bet(bet, book.bets)
    return book.bets[bet]


def bet_figures(rule: BetRule, distribution: Distribution) -> BetFigures:
    """What one bet is worth."""
    weights = distribution.pairs if rule.over_pairs else distribution.ends
    verdicts = rule.verdicts[: len(PAIRS)] if rule.over_pairs else rule.verdicts[:: len(PAIRS)]
    total = distribution.total
    lines = tuple(_line(verdict, weight, total) for verdict, weight in _by_verdict(rule, verdicts, weights))
    chances = {result: sum((line.chance for line in lines if line.result is result), Fraction()) for result in Result}
    mean = sum((line.chance * line.returned for line in lines), Fraction())
    square = sum((line.chance * line.returned**2 for line in lines), Fraction())
    return BetFigures(
        chances[Result.WIN], chances[Result.PUSH], chances[Result.LOSE], 1 - mean, lines, square - mean**2
    )


def _by_verdict(rule: BetRule, verdicts: Sequence[Verdict], weights: Sequence[int]) -> list[tuple[Verdict, int]]:
    """The weight of each pay line, then of the lost bets. A line is its own verdict, even where two read alike."""
    lines = {id(line.verdict): at for at, line in enumerate(rule.pays)}
    lost = Verdict(Result.LOSE, (rule.clause,))
    sums = [0] * (len(lines) + 1)
    for verdict, weight in zip(verdicts, weights, strict=True):
        sums[lines.get(id(verdict), -1)] += weight
    return list(zip([*(line.verdict for line in rule.pays), lost], sums, strict=True))


def _line(verdict: Verdict, weight: int, total: int) -> LineFigures:
    returned = Fraction(verdict.numerator, verdict.denominator)
    chance = Fraction(weight, total)
    return LineFigures(verdict.result, chance, returned, verdict.odds_text, verdict.commission, verdict.clauses)


def insurance_cells(book: Rulebook) -> list[tuple[InsuranceLine, int, int]]:
    """Every cell of points for which the book has an insurance line, by stage, insured side, Player, Banker."""
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
    """What each cell is worth that can be offered: a cell that never comes has no figures."""
    for line, player, banker in insurance_cells(book):
        figures_there = cell_figures(line, player, banker, distribution)
        if figures_there is not None:
            yield figures_there


def cell_figures(line: InsuranceLine, player: int, banker: int, distribution: Distribution) -> CellFigures | None:
    """What one cell is worth; None where no round comes by it."""
    weights = distribution.at(line.stage, player, banker)
    offered = sum(weights.values())
    if not offered:
        return None
    worth = insurance_worth(line, weights)
    cell = (line.stage, line.side, player, banker, line.odds_text, Fraction(offered, distribution.total))
    return CellFigures(worth.win, worth.push, worth.lose, worth.edge, *cell)


def insurance_worth(line: InsuranceLine, weights: Mapping[Winner, int | Fraction]) -> StakeFigures:
    """What insurance on a line is worth where the coup ends so: in proportion to these weights."""
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
