"""The records of a round: every bet and what became of it, amounts that rulings moved, why it is void."""

from enum import StrEnum

from msgspec import Struct

from punto.rules.bets.insurance import Stage
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import Card
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.table.records.kinds import Irregularity

InsuranceCell = tuple[Stage, Side, int, int]
"""Stage, insured side, Player's points, Banker's points: the line of the book that insurance was taken on."""


class WentBack(StrEnum):
    """Why a stake went back without being decided by the cards."""

    VOID = "void"
    """The round is void."""
    OPTION = "option"
    """The player chose so after a dealing error."""
    RULING = "ruling"
    UNINSURED = "uninsured"
    """Insurance on it was due, was not offered, and would have won."""


class BetRecord(Struct, frozen=True, kw_only=True):
    """A bet or an insurance, and what became of it."""

    who: str
    box: int
    bet: str
    stage: Stage | None
    """Of insurance: when it was taken."""
    cell: InsuranceCell | None
    stake_minor: int
    played_minor: int | None
    """How much of the stake the cards decided; None: all of it. 0 where it went back."""
    result: Result
    """A push where the stake went back."""
    went_back: WentBack | None
    odds: str | None
    commission_minor: int | None
    """None where the bet pays no commission."""
    returned_minor: int
    """What the player got back, the stake included."""
    clauses: tuple[Clause, ...]
    placed_by: str
    reason: str = ""
    """What was noted where a ruling returned it, or it was returned as uninsured; of a void the round has it."""

    @property
    def outcome(self) -> str:
        """In one word: win, lose or push; void or returned where the stake went back."""
        if self.went_back is None:
            return self.result.value
        return "void" if self.went_back is WentBack.VOID else "returned"

    @property
    def decided_minor(self) -> int:
        """How much of the stake the cards decided, as a number."""
        return self.stake_minor if self.played_minor is None else self.played_minor

    @property
    def win_minor(self) -> int:
        """The house's win, commission included."""
        return self.stake_minor - self.returned_minor


class AdjustmentRecord(Struct, frozen=True, kw_only=True):
    """An amount that a ruling paid to a player or, below zero, took from them."""

    who: str
    amount_minor: int
    at_us: int
    clauses: tuple[Clause, ...]
    reason: str


class VoidRecord(Struct, frozen=True, kw_only=True):
    """Why a round is void."""

    ground: Irregularity
    clauses: tuple[Clause, ...]
    reason: str
    """What the staff noted; empty where they noted nothing."""


class Conditions(Struct, frozen=True, kw_only=True):
    """What holds at a table when a round is called; empty where the reader does not need it."""

    book: str = ""
    currency: str = ""
    shoe: str = ""
    decks: int = 0


class RoundEnd(Struct, frozen=True, kw_only=True):
    """How a round ended: with a winner and the points of both hands, or void."""

    at_us: int
    clauses: tuple[Clause, ...]
    winner: Winner | None = None
    player: int | None = None
    banker: int | None = None
    void: VoidRecord | None = None


class RoundRecord(Struct, frozen=True, kw_only=True):
    """A round as it stands: in play, settled or void."""

    stream: str
    version: int
    """Of the call for bets."""
    number: int
    """0: what happened before the first call for bets of an opening, counted from the opening of the table."""
    conditions: Conditions
    opened_us: int
    end: RoundEnd | None
    """None while it is in play."""
    cards: tuple[Card | None, ...]
    """In drawn order; None where nobody has seen the card."""
    bets: tuple[BetRecord, ...]
    """All bets whose fate is known: while the round is in play only those that went back."""
    adjustments: tuple[AdjustmentRecord, ...]
    """What rulings moved between this call for bets and the next, whichever round they were about."""

    @property
    def over(self) -> bool:
        """The round is settled or void."""
        return self.end is not None

    @property
    def ended_us(self) -> int:
        """When it was settled or voided; 0 while it is in play."""
        return self.end.at_us if self.end else 0

    @property
    def winner(self) -> Winner | None:
        """Once it is settled."""
        return self.end.winner if self.end else None

    @property
    def player(self) -> int | None:
        """The points of the Player hand, once it is settled."""
        return self.end.player if self.end else None

    @property
    def banker(self) -> int | None:
        """The points of the Banker hand, once it is settled."""
        return self.end.banker if self.end else None

    @property
    def void(self) -> VoidRecord | None:
        """Why it is void, if it is."""
        return self.end.void if self.end else None

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """Those by which it was settled or voided."""
        return self.end.clauses if self.end else ()

    @property
    def outcome(self) -> str:
        """In one word: the winner, or void; empty while the round is in play."""
        return "void" if self.void is not None else self.winner.value if self.winner is not None else ""
