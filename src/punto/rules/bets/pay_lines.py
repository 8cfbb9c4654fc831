"""Bets: lists of pay lines over the ends of a coup, or over its pair patterns."""

from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from math import lcm

from msgspec import Struct

from punto.catalogue.sentence import say
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import ENDS, PAIRS, End, Outcome, Pairs, Winner
from punto.rules.money import Rounding, share_minor
from punto.rules.refusals import Clause

_DOWN = Rounding.DOWN


class Result(StrEnum):
    """What became of a bet."""

    WIN = "win"
    LOSE = "lose"
    PUSH = "push"


class When(Struct, frozen=True):
    """The ends of a coup that a pay line matches. A field that is None matches any end."""

    winner: Winner
    points: frozenset[int] | None = None
    """The winning hand's, or both hands' in a tie."""
    margin: int | None = None
    player_cards: int | None = None
    banker_cards: int | None = None
    cards: int | None = None

    def matches(self, end: End) -> bool:
        """Whether a coup with this end matches."""
        return (
            end.winner is self.winner
            and (self.points is None or max(end.player, end.banker) in self.points)
            and self.margin in (None, abs(end.player - end.banker))
            and self.player_cards in (None, end.player_cards)
            and self.banker_cards in (None, end.banker_cards)
            and self.cards in (None, end.cards)
        )


class WhenPairs(Struct, frozen=True):
    """The pair patterns that a pay line matches."""

    patterns: frozenset[Pairs]


class Verdict(Struct, frozen=True):
    """What becomes of a stake: the result, the odds, the commission, and the clauses that say so."""

    result: Result
    clauses: tuple[Clause, ...]
    odds: Fraction | None = None
    """None unless the bet wins."""
    commission: Fraction | None = None
    """The part of the winnings that the house keeps; None if it keeps none."""
    odds_text: str | None = None
    numerator: int = 0
    denominator: int = 1
    """Numerator and denominator: what goes back per unit staked, stake included, after commission."""
    full_numerator: int = 0
    """The same before commission, over the same denominator."""

    @classmethod
    def push(cls, clauses: tuple[Clause, ...]) -> "Verdict":
        """The stake goes back."""
        return cls(Result.PUSH, clauses, numerator=1, full_numerator=1)

    @classmethod
    def win(cls, clauses: tuple[Clause, ...], odds: Fraction, commission: Fraction | None = None) -> "Verdict":
        """The stake wins at these odds."""
        back, full = 1 + odds * (1 - (commission or 0)), 1 + odds
        denominator = lcm(back.denominator, full.denominator)
        parts = int(back * denominator), denominator, int(full * denominator)
        return cls(Result.WIN, clauses, odds, commission, str(odds), *parts)

    def returned_minor(self, stake_minor: int, rounding: Rounding) -> int:
        """What goes back, stake included. The stake is whole, so this rounds the winnings."""
        if rounding is _DOWN:  # nearly always, and nearly all of a settlement's time
            return stake_minor * self.numerator // self.denominator
        return share_minor(stake_minor, self.numerator, self.denominator, rounding)

    def commission_minor(self, stake_minor: int, rounding: Rounding) -> int:
        """The commission kept: the winnings at the full odds, less those paid."""
        full_minor = share_minor(stake_minor, self.full_numerator, self.denominator, rounding)
        return full_minor - self.returned_minor(stake_minor, rounding)


class PayLine(Struct, frozen=True):
    """When a bet pays or is returned, and how."""

    when: When | WhenPairs
    verdict: Verdict


class Returned(Struct, frozen=True):
    """What a stake of ``unit`` brings back."""

    unit: int
    parts: tuple[tuple[int, int], ...]
    """The ends or pair patterns that bring back anything, with how much."""


class BetRule(Struct, frozen=True, dict=True):
    """A bet as its book defines it. If no line matches, the bet loses by the clause that defines it."""

    id: str
    chinese: str | None
    """The sign printed on the felt, if there is one."""
    clause: Clause
    pays: tuple[PayLine, ...]

    @property
    def name(self) -> str:
        """In English. The catalogue has all languages, under ``bet.<id>``."""
        return say(f"bet.{self.id}")

    @cached_property
    def over_pairs(self) -> bool:
        """Whether the bet depends on pairs, not on the end of the coup."""
        return isinstance(self.pays[0].when, WhenPairs)

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict for each of the 2,000 outcomes."""
        lost = Verdict(Result.LOSE, (self.clause,))
        if self.over_pairs:
            return self._over(PAIRS, lost) * len(ENDS)
        return tuple(verdict for verdict in self._over(ENDS, lost) for _ in PAIRS)

    @cached_property
    def returned(self) -> Returned:
        """In whole numbers, stake included, after commission."""
        verdicts = self.verdicts[: len(PAIRS)] if self.over_pairs else self.verdicts[:: len(PAIRS)]
        unit = lcm(*(verdict.denominator for verdict in verdicts))
        parts = ((cell, each.numerator * (unit // each.denominator)) for cell, each in enumerate(verdicts))
        return Returned(unit, tuple((cell, part) for cell, part in parts if part))

    def _over(self, cells: tuple[End, ...] | tuple[Pairs, ...], lost: Verdict) -> tuple[Verdict, ...]:
        return tuple(next((line.verdict for line in self.pays if covers(line, cell)), lost) for cell in cells)

    @cached_property
    def cells(self) -> dict[Result, int]:
        """For each result, the ends or pair patterns that give it, as a bit set."""
        step, cells = (1, len(PAIRS)) if self.over_pairs else (len(PAIRS), len(ENDS))
        bits = dict.fromkeys(Result, 0)
        for cell in range(cells):
            bits[self.verdicts[cell * step].result] |= 1 << cell
        return bits


def covers(line: PayLine, cell: End | Pairs) -> bool:
    """Whether the line matches this end or pair pattern."""
    if isinstance(line.when, WhenPairs):
        return isinstance(cell, Pairs) and cell in line.when.patterns
    return isinstance(cell, End) and line.when.matches(cell)


def result(bet: BetRule, outcome: Outcome) -> Result:
    """What becomes of the bet."""
    return bet.verdicts[outcome.index].result


def decided(bet: BetRule, coup: Coup) -> Result | None:
    """The result, if it is the same for every way the coup can still end; else None."""
    possible = coup.pairs_possible if bet.over_pairs else coup.ends_possible
    for certain, cells in bet.cells.items():
        if possible & ~cells == 0:
            return certain
    return None


def verdicts_if_decided(bet: BetRule, coup: Coup) -> frozenset[Verdict]:
    """The verdicts that are still possible, if they all give the same result; else none."""
    if decided(bet, coup) is None:
        return frozenset()
    possible, step = (coup.pairs_possible, 1) if bet.over_pairs else (coup.ends_possible, len(PAIRS))
    return frozenset(bet.verdicts[cell * step] for cell in range(possible.bit_length()) if possible >> cell & 1)
