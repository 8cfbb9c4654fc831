"""Insurance: when it is offered, how much a player can take, and what it pays."""

from collections.abc import Iterable
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from math import floor

from msgspec import Struct

from punto.rules.bets.pay_lines import Result, Verdict
from punto.rules.coup.coup import Coup
from punto.rules.coup.space import UNKNOWN, Winner
from punto.rules.coup.table_of_play import Side, To
from punto.rules.refusals import Clause


class Stage(StrEnum):
    """When insurance is offered."""

    FOUR = "four"
    """After the first four cards."""
    THIRD = "third"
    """After Player's third card, before Banker's."""

    @property
    def cards(self) -> int:
        """How many cards are dealt when the offer is made."""
        return 4 if self is Stage.FOUR else 5


InsuranceCell = tuple[Stage, Side, int, int]
"""Stage, insured side, Player's points and Banker's points: the line of the book's insurance table."""


def insurance_name(side: Side) -> str:
    """The id of the insurance on a hand, where it is listed among bets."""
    return f"{side}_insurance"


def insured_side(name: str) -> Side:
    return next(side for side in Side if insurance_name(side) == name)


class InsuranceLine(Struct, frozen=True, dict=True):
    """One line of the insurance pay table: the cells of points it is offered on, and what it pays."""

    stage: Stage
    side: Side
    player: frozenset[int]
    banker: frozenset[int]
    odds: Fraction
    tie_pays: bool
    clause: Clause
    tied: tuple[Clause, ...]
    """Clauses about a tie."""
    lost: tuple[Clause, ...]
    """Clauses that say insurance pays only when the insured hand loses."""

    @cached_property
    def odds_text(self) -> str:
        """The odds as ``a`` or ``a/b``."""
        return str(self.odds)

    @cached_property
    def verdicts(self) -> dict[Winner, Verdict]:
        """The verdict on the insurance, by the winner of the coup."""
        won = Verdict.win((self.clause,), self.odds)
        paid = Verdict.win((self.clause, *self.tied), self.odds)
        tie = paid if self.tie_pays else Verdict.push(self.tied)
        lost = Verdict(Result.LOSE, self.lost)
        if self.side is Side.PLAYER:
            return {Winner.PLAYER: lost, Winner.BANKER: won, Winner.TIE: tie}
        return {Winner.PLAYER: won, Winner.BANKER: lost, Winner.TIE: tie}


class CapOn(StrEnum):
    """What a cap measures against the Original Bet."""

    WINNINGS = "winnings"
    STAKE = "stake"


class CapPer(StrEnum):
    """Over what a cap counts."""

    ROUND = "round"
    OFFER = "offer"


class Taken(Struct, frozen=True):
    """Insurance that one player already has on one side of one box this round."""

    stage: Stage
    odds: Fraction
    stake_minor: int


class Cap(Struct, frozen=True):
    """How much insurance can be taken on an Original Bet."""

    on: CapOn
    per: CapPer
    clause: Clause
    share_at_odds: Fraction | None = None
    """At these odds the stake is also at most ``share_of_maximum`` of the maximum permissible limit."""
    share_of_maximum: Fraction | None = None

    def room_minor(
        self,
        line: InsuranceLine,
        original_minor: int,
        taken: Iterable[Taken] = (),
        maximum_minor: int | None = None,
    ) -> int:
        """The largest stake that can still be placed on ``line``."""
        earlier = [t for t in taken if self.per is CapPer.ROUND or t.stage is line.stage]
        if self.on is CapOn.WINNINGS:
            room = room_to_win_minor(line, original_minor, earlier)
        else:
            room = original_minor - sum(t.stake_minor for t in earlier)
        if self.share_of_maximum is not None and maximum_minor is not None and line.odds == self.share_at_odds:
            at_odds = sum(t.stake_minor for t in earlier if t.odds == line.odds)
            room = min(room, floor(self.share_of_maximum * maximum_minor) - at_odds)
        return max(room, 0)


def room_to_win_minor(line: InsuranceLine, original_minor: int, taken: Iterable[Taken]) -> int:
    """The largest stake at which all insurance wins no more than the Original Bet; negative if it wins more already."""
    left, per = original_minor, 1  # left / per can still be won; integers are faster than fractions
    for t in taken:
        odds, to = t.odds.as_integer_ratio()
        left, per = left * to - t.stake_minor * odds * per, per * to
    odds, to = line.odds.as_integer_ratio()
    return left * to // (per * odds)


class Insurance(Struct, frozen=True, dict=True):
    """The insurance rules of a book."""

    lines: tuple[InsuranceLine, ...]
    cap: Cap

    @cached_property
    def _cells(self) -> dict[tuple[Stage, int, int], InsuranceLine]:
        return {
            (line.stage, player, banker): line
            for line in self.lines
            for player in line.player
            for banker in line.banker
        }

    def line(self, stage: Stage, player: int, banker: int) -> InsuranceLine | None:
        """The line for these points, even if no further card is to be drawn."""
        return self._cells.get((stage, player, banker))

    def offers(self, coup: Coup) -> tuple[InsuranceLine, ...]:
        """The lines offered by the coup so far: the four-card line first, then the third-card line.

        An offer needs every card dealt face up and a card still to be drawn.
        """
        points = coup.partial[:3]  # no offer depends on the sixth card: it ends the coup
        offers = self._offers_cache.get(points)
        if offers is None:
            offers = self._offers_cache[points] = self._offers(coup)
        return offers

    @cached_property
    def _offers_cache(self) -> dict[tuple[int, ...], tuple[InsuranceLine, ...]]:
        return {}

    def _offers(self, coup: Coup) -> tuple[InsuranceLine, ...]:
        player, banker, third, _ = coup.partial
        if UNKNOWN in (player, banker) or coup.fifth.to is To.NOBODY:
            return ()
        offers = [self.line(Stage.FOUR, player, banker)]
        if coup.fifth.to is To.PLAYER and third != UNKNOWN and coup.sixth.to is To.BANKER:
            offers.append(self.line(Stage.THIRD, (player + third) % 10, banker))
        return tuple(line for line in offers if line is not None)

    def open_offer(self, coup: Coup) -> InsuranceLine | None:
        """The line on offer now, before the next card is drawn."""
        return next((line for line in self.offers(coup) if line.stage.cards == len(coup.cards)), None)
