"""How stakes on one coup vary together, exactly, with a full shoe.

Everything on the felt is decided by the same cards, so the variance of a round is not the sum of the variances of its
bets: Player and Banker bets cancel, a bet and its insurance too. A round's variance is the sum, over all pairs of its
stakes, of both amounts times :meth:`Covariances.of`.

Insurance exists only in rounds that reach its cell of points. Its deviation is therefore the one from its expectation
there, and its covariance with another stake is that of the rounds in which both exist. Summed over the rounds in which
stakes did lie, this is an unbiased estimate of the variance, no matter who takes insurance and when.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product

from msgspec import Struct

from punto.odds.exact.card_bets import count_lines
from punto.odds.exact.solver import lines_of
from punto.odds.figures import edge_over
from punto.odds.procedure import LARGEST_ROUND
from punto.odds.shoe import Composition, require_round
from punto.rules.bets.automaton import Automaton, Joint
from punto.rules.bets.condition import Condition, Fact
from punto.rules.bets.insurance import InsuranceCell, Stage
from punto.rules.coup.cards import RANKS
from punto.rules.coup.space import ENDS, PAIRS, Winner, pairs_index, run_index
from punto.rules.coup.table_of_play import POINTS, To
from punto.rules.rulebook import Rulebook

StakedBet = tuple[str, InsuranceCell | None]
"""A bet, or insurance in a cell of points."""
_Weights = dict[tuple[int, int], int]
"""Ordered deals of six cards, by index of the run and of the pair pattern."""


def joint_weights(book: Rulebook, composition: Composition) -> _Weights:
    """The distribution of runs and pair patterns together. Takes half a second."""
    require_round(book, composition)
    values = book.table_of_play.values
    left = composition.values(book.table_of_play)
    counts = dict(zip(RANKS, composition.ranks, strict=True))
    fours: Counter[tuple[tuple[int, ...], int, int, int]] = Counter()
    for one, two, three, four in product(RANKS, repeat=4):
        ways = counts[one] * (counts[two] - (one == two))
        ways *= counts[three] - (one, two).count(three)
        ways *= counts[four] - (one, two, three).count(four)
        if ways:
            hands = (values[one] + values[two]) % 10, (values[three] + values[four]) % 10
            worth = tuple(sorted(values[rank] for rank in (one, two, three, four)))
            pattern = pairs_index(one if one == two else None, three if three == four else None)
            fours[worth, *hands, pattern] += ways
    weights: _Weights = Counter()
    for (worth, player, banker, pattern), ways in fours.items():
        rest = [count - worth.count(value) for value, count in enumerate(left)]
        for fifth in POINTS:
            for sixth in POINTS:
                weight = ways * rest[fifth] * (rest[sixth] - (fifth == sixth))
                if weight:
                    weights[run_index((player, banker, fifth, sixth)), pattern] += weight
    return dict(weights)


class Covariances:
    """Covariances of the house's win for each unit staked, which are those of the bettor's gain."""

    def __init__(self, book: Rulebook, composition: Composition) -> None:
        self._book, self._composition = book, composition
        self._weights = joint_weights(book, composition)
        self._all: Counter[int] = Counter()
        """By index of the outcome."""
        for (run, pattern), weight in self._weights.items():
            self._all[self._outcome(run, pattern)] += weight
        self._known: dict[tuple[StakedBet, StakedBet], Fraction] = {}
        self._means: dict[StakedBet, Fraction] = {}

    def of(self, one: StakedBet, other: StakedBet) -> Fraction:
        """The expected product of two deviations, in the rounds in which both stakes can lie."""
        key = (one, other)
        if key not in self._known and (self._on_cards(one) or self._on_cards(other)):
            self._known[key] = self._known[other, one] = self._of_lines(_Lines.of(self._book, one), other)
        if key not in self._known:
            weights = self._rounds_with(one, other)
            total = sum(weights.values()) or 1  # no round reaches both cells
            means = [self.mean(stake) for stake in key]
            deviations = (
                weight * (self._returned(one, outcome) - means[0]) * (self._returned(other, outcome) - means[1])
                for outcome, weight in weights.items()
            )
            self._known[key] = self._known[other, one] = sum(deviations, Fraction()) / total
        return self._known[key]

    def mean(self, stake: StakedBet) -> Fraction:
        """What is returned for each unit staked, on average."""
        if stake not in self._means and self._on_cards(stake):
            rule = self._book.bets[stake[0]]
            lines = lines_of(self._book, self._composition, [rule.id])[rule.id]
            self._means[stake] = 1 - edge_over(rule, lines, sum(lines))
        if stake not in self._means:
            weights = self._rounds_with(stake, stake)
            returned = (weight * self._returned(stake, outcome) for outcome, weight in weights.items())
            self._means[stake] = sum(returned, Fraction()) / sum(weights.values())
        return self._means[stake]

    def _on_cards(self, stake: StakedBet) -> bool:
        bet, cell = stake
        return cell is None and self._book.bets[bet].automaton is not None

    def _of_lines(self, one: "_Lines", stake: StakedBet) -> Fraction:
        """The same, counted over the lines of both, where one of them depends on single cards."""
        other = _Lines.of(self._book, stake)
        counts = count_lines(Joint(one.automaton, other.automaton), self._composition.by_card())
        total, products = 0, Fraction()
        for at, ways in enumerate(counts):
            first, second = one.returned[at // len(other.returned)], other.returned[at % len(other.returned)]
            if first is not None and second is not None:
                total += ways
                products += ways * (first - self.mean(one.stake)) * (second - self.mean(stake))
        return products / (total or 1)

    def _returned(self, stake: StakedBet, outcome: int) -> Fraction:
        bet, cell = stake
        if cell is None:
            verdict = self._book.bets[bet].verdicts[outcome]
        else:
            stage, _, player, banker = cell
            insurance = self._book.insurance
            line = insurance.line(stage, player, banker) if insurance else None
            if line is None:
                raise ValueError(f"no insurance is offered at {cell}")
            verdict = line.verdicts[_winner(outcome)]
        return Fraction(verdict.numerator, verdict.denominator)

    def _rounds_with(self, one: StakedBet, other: StakedBet) -> Counter[int]:
        """Weights by outcome of the rounds that reach the cells of both stakes."""
        cells = {cell for _, cell in (one, other) if cell is not None}
        if not cells:
            return self._all
        weights: Counter[int] = Counter()
        reached = set.intersection(*(set(self._runs(cell)) for cell in cells))
        for run, pattern in product(reached, range(len(PAIRS))):
            if weight := self._weights.get((run, pattern)):
                weights[self._outcome(run, pattern)] += weight
        return weights

    def _runs(self, cell: InsuranceCell) -> Iterator[int]:
        """The runs in which insurance can be offered on these points."""
        stage, _, player, banker = cell
        play = self._book.table_of_play
        for fifth, sixth in product(POINTS, POINTS):
            two = player if stage is Stage.FOUR else (player - fifth) % 10
            to = play.fifth(two, banker).to
            if stage is Stage.FOUR:
                draws = to is not To.NOBODY
            else:
                draws = to is To.PLAYER and play.sixth(banker, fifth).to is To.BANKER
            if draws:
                yield run_index((two, banker, fifth, sixth))

    def _outcome(self, run: int, pattern: int) -> int:
        return self._book.space.ends[run].index * len(PAIRS) + pattern


class _Lines(Struct, frozen=True):
    """A stake as the lines of an automaton."""

    stake: StakedBet
    automaton: Automaton
    returned: tuple[Fraction | None, ...]
    """By line: what comes back for one unit staked. None where the stake does not exist."""

    @classmethod
    def of(cls, book: Rulebook, stake: StakedBet) -> "_Lines":
        bet, cell = stake
        if cell is None:
            rule = book.bets[bet]
            conditions = tuple(line.condition for line in rule.pays)
            verdicts = (*(line.verdict for line in rule.pays), rule.unmatched)
            returned = (Fraction(each.numerator, each.denominator) for each in verdicts)
            return cls(stake, Automaton(book.space, conditions, player_first=True), tuple(returned))
        stage, _, player, banker = cell
        line = book.insurance.line(stage, player, banker) if book.insurance else None
        if line is None:
            raise ValueError(f"no insurance is offered at {cell}")
        points = [(Fact.BANKER_TWO_POINTS, (banker,))]
        if stage is Stage.FOUR:
            points.append((Fact.PLAYER_TWO_POINTS, (player,)))
        else:
            points += [(Fact.PLAYER, (player,)), (Fact.CARDS, (LARGEST_ROUND,))]
        back = (Fraction(line.verdicts[each].numerator, line.verdicts[each].denominator) for each in Winner)
        lines = tuple(Condition((winner,), tuple(points)) for winner in Winner)
        return cls(stake, Automaton(book.space, lines, player_first=True), (*back, None))


@cache
def _winner(outcome: int) -> Winner:
    return ENDS[outcome // len(PAIRS)].winner
