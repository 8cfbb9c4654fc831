"""Bets: lists of pay lines over the ends of a coup, over its pair patterns, or over its single cards."""

from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from math import lcm

from msgspec import Struct

from punto.catalogue.sentence import knows, say
from punto.rules.bets.automaton import Automaton
from punto.rules.bets.condition import Condition, Fact
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import ENDS, PAIRS, End, Outcome, Pairs, Winner
from punto.rules.money import Rounding, share_minor
from punto.rules.refusals import Clause, Code, Refused

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

    @property
    def condition(self) -> Condition:
        """The same as a condition."""
        facts = {
            Fact.POINTS: self.points,
            Fact.MARGIN: self.margin,
            Fact.PLAYER_CARDS: self.player_cards,
            Fact.BANKER_CARDS: self.banker_cards,
            Fact.CARDS: self.cards,
        }
        numbers = tuple(
            (fact, tuple(sorted(asked)) if isinstance(asked, frozenset) else (asked,))
            for fact, asked in facts.items()
            if asked is not None
        )
        return Condition((self.winner,), numbers)


class WhenPairs(Struct, frozen=True):
    """The pair patterns that a pay line matches."""

    patterns: frozenset[Pairs]

    @property
    def condition(self) -> Condition:
        """The same as a condition."""
        return Condition(pairs=tuple(sorted(self.patterns)))


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

    when: When | WhenPairs | Condition
    verdict: Verdict

    @property
    def condition(self) -> Condition:
        return self.when if isinstance(self.when, Condition) else self.when.condition


class BetLimit(Struct, frozen=True):
    """How much of a bet can lie in a box beside another bet there. Without that other bet: nothing."""

    of: str
    clause: Clause
    share: Fraction | None = None
    """The most of it, as a share of the other bet; None for any amount."""

    def most_minor(self, other_minor: int) -> int | None:
        """The most that can lie there; None for any amount."""
        if not other_minor:
            return 0
        return None if self.share is None else other_minor * self.share.numerator // self.share.denominator


class Returned(Struct, frozen=True):
    """What a stake of ``unit`` brings back."""

    unit: int
    parts: tuple[tuple[int, int], ...]
    """The cells of the bet that bring back anything, with how much."""


class BetRule(Struct, frozen=True, dict=True):
    """A bet as its book defines it: the first line that matches pays.

    A bet has *cells*: the 400 ends, the five pair patterns, or, where it depends on single cards, one for each line and
    one for none of them.
    """

    id: str
    chinese: str | None
    """The sign printed on the felt, if there is one."""
    clause: Clause
    pays: tuple[PayLine, ...]
    otherwise: Result = Result.LOSE
    """What becomes of the bet if no line matches, by the clause that defines it."""
    automaton: Automaton | None = None
    """For a bet that depends on single cards; None for all others."""
    typed: str | None = None
    """What a dealer types for it; None to make something from its id. No part of the law."""
    limit: BetLimit | None = None
    """What it depends on in its box; None for nothing."""

    @property
    def name(self) -> str:
        """In English. The catalogue has all languages, under ``bet.<id>``."""
        return say(f"bet.{self.id}") if knows(f"bet.{self.id}") else self.id

    @cached_property
    def over_pairs(self) -> bool:
        """Whether the bet depends on the pair pattern alone."""
        return self.automaton is None and isinstance(self.pays[0].when, WhenPairs)

    @property
    def needs_suits(self) -> bool:
        """Whether the ranks of the cards alone do not settle the bet."""
        return self.automaton is not None and self.automaton.needs_suits

    @cached_property
    def unmatched(self) -> Verdict:
        """The verdict if no line matches."""
        if self.otherwise is Result.PUSH:
            return Verdict.push((self.clause,))
        return Verdict(Result.LOSE, (self.clause,))

    @cached_property
    def of_cells(self) -> tuple[Verdict, ...]:
        """The verdict of each cell."""
        if self.automaton is not None:
            return (*(line.verdict for line in self.pays), self.unmatched)
        return self._over(PAIRS if self.over_pairs else ENDS)

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict for each of the 2,000 outcomes, if they decide the bet."""
        if self.automaton is not None:
            raise ValueError(f"{self.id} depends on single cards")
        if self.over_pairs:
            return self.of_cells * len(ENDS)
        return tuple(verdict for verdict in self.of_cells for _ in PAIRS)

    def verdict(self, coup: Coup) -> Verdict:
        """The verdict for a finished coup."""
        if self.automaton is None:
            return self.verdicts[coup.outcome_index]
        coup.outcome_index  # noqa: B018 - refuses a coup that is not finished
        line = self.automaton.line(coup.cards)
        if line is None:
            raise Refused(Code.SUITS_NEEDED, clauses=(self.clause,), bet=self.id, coup=str(coup))
        return self.of_cells[line]

    @cached_property
    def returned(self) -> Returned:
        """In whole numbers, stake included, after commission."""
        unit = lcm(*(verdict.denominator for verdict in self.of_cells))
        parts = ((cell, each.numerator * (unit // each.denominator)) for cell, each in enumerate(self.of_cells))
        return Returned(unit, tuple((cell, part) for cell, part in parts if part))

    def _over(self, cells: tuple[End, ...] | tuple[Pairs, ...]) -> tuple[Verdict, ...]:
        return tuple(next((line.verdict for line in self.pays if covers(line, cell)), self.unmatched) for cell in cells)

    @cached_property
    def cells(self) -> dict[Result, int]:
        """For each result, the cells that give it, as a bit set."""
        bits = dict.fromkeys(Result, 0)
        for cell, verdict in enumerate(self.of_cells):
            bits[verdict.result] |= 1 << cell
        return bits

    def possible(self, coup: Coup) -> int:
        """The cells that the coup can still come to, as a bit set."""
        if self.automaton is not None:
            return self.automaton.lines_possible(coup.cards)
        return coup.pairs_possible if self.over_pairs else coup.ends_possible


def covers(line: PayLine, cell: End | Pairs) -> bool:
    """Whether the line matches this end or pair pattern."""
    if isinstance(line.when, WhenPairs):
        return isinstance(cell, Pairs) and cell in line.when.patterns
    return isinstance(cell, End) and line.when.matches(cell)


def result(bet: BetRule, outcome: Outcome) -> Result:
    """What becomes of the bet."""
    return bet.verdicts[outcome.index].result


def line_of(bet: BetRule, coup: Coup) -> PayLine | None:
    """The line by which a bet of a finished coup is settled; None if no line matches."""
    verdict = bet.verdict(coup)
    return next((line for line in bet.pays if line.verdict is verdict), None)


def decided(bet: BetRule, coup: Coup) -> Result | None:
    """The result, if it is the same for every way the coup can still end; else None."""
    possible = bet.possible(coup)
    for certain, cells in bet.cells.items():
        if possible & ~cells == 0:
            return certain
    return None


def verdicts_if_decided(bet: BetRule, coup: Coup) -> frozenset[Verdict]:
    """The verdicts that are still possible, if they all give the same result; else none."""
    if decided(bet, coup) is None:
        return frozenset()
    possible = bet.possible(coup)
    return frozenset(bet.of_cells[cell] for cell in range(possible.bit_length()) if possible >> cell & 1)
