"""What a counter gains, and how often a bet turns. Also used as JSON output."""

from msgspec import Struct


class Advantage(Struct, frozen=True, rename={"correlation": "betting_correlation"}):
    """The gain from one way to predict the next round, staking one unit whenever it predicts a gain."""

    bets: int
    """Rounds bet on."""
    frequency: float
    """Rounds bet on, as a share of all rounds."""
    gain_per_bet: float
    """Mean expectation of the rounds bet on; 0 if there are none."""
    gain_per_shoe: float | None
    """None for a machine that takes cards back, as is everything per shoe."""
    gain_per_shoe_error: float | None
    """Standard error over the shoes dealt; None for a single shoe."""
    won_per_shoe: float | None
    """What the bets actually won: in the long run equal to the gain, with a much larger variance."""
    correlation: float | None
    """Correlation of the prediction with the exact expectation over all rounds; None if either is constant."""
    gain_per_round: float
    """Per round dealt, bet on or not."""
    gain_per_round_error: float | None
    """Standard error over the shoes, or over stretches of rounds; None for a single one."""


class Counted(Struct, frozen=True):
    """The gain from counting one bet."""

    shoes: int
    """0 for a machine that takes cards back."""
    rounds: int
    exact: Advantage
    """With the exact expectation before each round: the upper bound for this bet."""
    best: Advantage | None
    """With the best tags; None if there is nothing to count."""
    levels: dict[int, Advantage]
    """With integer tags, by level."""
    least_edge: float
    """The lowest edge of the house before any of the rounds."""
    most_edge: float


class Turned(Struct, frozen=True):
    """In how many rounds the exact edge of a bet is below zero before the round."""

    share: float
    """Of all rounds."""
    share_error: float | None
    """Standard error over the shoes dealt; None for a single shoe."""
    gain: float
    """The bettor's mean expectation in those rounds; 0 if there are none."""


class TurnedByCut(Struct, frozen=True):
    """Every bet of a game, with the cut card at one place."""

    cut_card: int
    """Cards behind it."""
    rounds: int
    any_bet: Turned
    """At least one bet of the game; its gain is that of the best one."""
    bets: dict[str, Turned]


class Turning(Struct, frozen=True):
    shoes: int
    seed: int
    cuts: tuple[TurnedByCut, ...]
