"""What counting a bet brings, as :mod:`punto.odds.counting.counter` finds it and as programs read it."""

from msgspec import Struct


class Advantage(Struct, frozen=True, rename={"correlation": "betting_correlation"}):
    """What one way to judge the next round brings, staking one unit whenever it promises a gain."""

    bets: int
    """How many rounds were bet on."""
    frequency: float
    """The part of all rounds."""
    gain_per_bet: float
    """The bettor's mean expectation when they bet; 0 where they never do."""
    gain_per_shoe: float
    gain_per_shoe_error: float | None
    """Its standard error over the shoes dealt; None where there was but one."""
    won_per_shoe: float
    """What the bets in fact won: the same in the long run, and far more at the mercy of chance."""
    correlation: float | None
    """Over all rounds, of what it judges by with the exact expectation; None where either never moves."""


class Counted(Struct, frozen=True):
    """What counting one bet brings."""

    shoes: int
    rounds: int
    exact: Advantage
    """Who knows the exact expectation before each round: nobody can do better with this bet."""
    best: Advantage | None
    """Who counts with the best tags there are; None where there is nothing to count."""
    levels: dict[int, Advantage]
    """Who counts with whole-numbered tags, by level."""
