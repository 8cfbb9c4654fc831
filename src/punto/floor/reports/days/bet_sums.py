"""Sums over the bets of rounds, with the exact theoretical win and its variance.

Only whole numbers are added up: stakes, and for each two stakes of a round the product of both. Edges and covariances
are multiplied in at the end, so nothing is rounded on the way and sums of sums are exact.
"""

from collections import Counter
from fractions import Fraction
from math import sqrt

from msgspec import Struct, field

from punto.floor.journal.round_record import BetRecord, RoundRecord
from punto.floor.reports.theoretical_win import CovariancesOf, EdgesOf
from punto.odds.exact.covariance import StakedBet

Game = tuple[str, int]
"""A book and a number of decks."""
SummedBet = tuple[str, str]
"""A book and a bet."""


class BetSums(Struct):
    """What the bets of one kind came to."""

    bets: int = 0
    """Those that the cards decided."""
    turnover_minor: int = 0
    """Stakes that the cards decided, including pushes."""
    win_minor: int = 0
    """The house's, including commission."""
    commission_minor: int = 0
    rounded_minor: int = 0
    """Paid beyond what was due because of the smallest chip; the win is lower by it."""

    def count(self, bet: BetRecord) -> None:
        self.add(
            BetSums(
                bets=int(bool(bet.decided_minor)),
                turnover_minor=bet.decided_minor,
                win_minor=bet.win_minor,
                commission_minor=bet.commission_minor or 0,
                rounded_minor=bet.rounded_minor,
            )
        )

    def add(self, other: "BetSums") -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Expected(Struct, frozen=True):
    """What the odds lead one to expect of bets, in minor units."""

    theoretical: Fraction
    variance: Fraction
    """Of the win, in minor units squared."""

    @property
    def std_minor(self) -> float:
        return sqrt(self.variance)

    def deviations(self, win_minor: int) -> float | None:
        """How many standard deviations the win is above the theoretical one; None without a bet."""
        return float(win_minor - self.theoretical) / self.std_minor if self.variance > 0 else None


class PlaySums(Struct):
    """What rounds came to."""

    rounds: int = 0
    """Settled or void."""
    voids: int = 0
    bets: dict[SummedBet, BetSums] = field(default_factory=dict)
    stakes: dict[Game, Counter[StakedBet]] = field(default_factory=dict)
    """The turnover."""
    products: dict[Game, Counter[tuple[StakedBet, StakedBet]]] = field(default_factory=dict)
    """Sums, over rounds, of the products of the stakes."""

    def count(self, record: RoundRecord) -> None:
        self.rounds += 1
        self.voids += record.void is not None
        self.count_bets(record, record.bets)

    def count_bets(self, record: RoundRecord, bets: tuple[BetRecord, ...]) -> None:
        """Count some bets of a round."""
        game = (record.conditions.book, record.conditions.decks)
        laid: Counter[StakedBet] = Counter()
        for bet in bets:
            self.bets.setdefault((game[0], bet.bet), BetSums()).count(bet)
            if bet.decided_minor:
                laid[bet.bet, bet.cell] += bet.decided_minor
        if laid:
            self.stakes.setdefault(game, Counter()).update(laid)
            self.products.setdefault(game, Counter()).update(
                {(one, other): stake * laid[other] for one, stake in laid.items() for other in laid}
            )

    def add(self, other: "PlaySums") -> None:
        self.rounds += other.rounds
        self.voids += other.voids
        for key, sums in other.bets.items():
            self.bets.setdefault(key, BetSums()).add(sums)
        for game, stakes in other.stakes.items():
            self.stakes.setdefault(game, Counter()).update(stakes)
        for game, products in other.products.items():
            self.products.setdefault(game, Counter()).update(products)

    @property
    def total(self) -> BetSums:
        total = BetSums()
        for sums in self.bets.values():
            total.add(sums)
        return total

    def theoretical(self, edges_of: EdgesOf, only: SummedBet | None = None) -> Fraction:
        """The theoretical win, of all bets or of one kind, not rounded."""
        theoretical = Fraction()
        for game, stakes in self.stakes.items():
            edges = edges_of(*game)
            for (bet, cell), stake in stakes.items():
                if only in (None, (game[0], bet)):
                    theoretical += stake * edges.of(bet, cell)
        return theoretical

    def expected(self, edges_of: EdgesOf, covariances_of: CovariancesOf, only: SummedBet | None = None) -> Expected:
        """The theoretical win and its variance, of all bets or of one kind."""
        variance = Fraction()
        for game, products in self.products.items():
            covariances = covariances_of(*game)
            for (one, other), both in products.items():
                if only is None or only == (game[0], one[0]) == (game[0], other[0]):
                    variance += both * covariances.of(one, other)
        return Expected(self.theoretical(edges_of, only), variance)
