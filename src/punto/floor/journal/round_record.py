"""The record of a round: its bets and their results, adjustments by rulings, and why it is void."""

from enum import StrEnum

from msgspec import Struct

from punto.rules.bets.insurance import InsuranceCell, Stage
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import Face
from punto.rules.coup.space import Winner
from punto.rules.refusals import Clause
from punto.table.records.events import ProRata
from punto.table.records.kinds import Irregularity


class WentBack(StrEnum):
    """Why a stake was returned without being decided by the cards."""

    VOID = "void"
    OPTION = "option"
    """The player chose it after a dealing error."""
    RULING = "ruling"
    UNINSURED = "uninsured"
    """Insurance on it should have been offered and would have won."""
    REJUDGED = "rejudged"
    """Insurance, or a part of it, that the right cards do not offer."""


class BetRecord(Struct, frozen=True, kw_only=True):
    """A bet or an insurance, and its result."""

    who: str
    box: int
    bet: str
    stage: Stage | None
    """When insurance was taken; None for other bets."""
    cell: InsuranceCell | None
    stake_minor: int
    played_minor: int | None
    """The part of the stake that the cards decided; None for all of it, 0 if it was returned."""
    result: Result
    """A push if the stake was returned."""
    went_back: WentBack | None
    odds: str | None
    commission_minor: int | None
    """None if the bet pays no commission."""
    returned_minor: int
    """What the player got, including the stake."""
    clauses: tuple[Clause, ...]
    placed_by: str
    reason: str = ""
    """The note of the ruling or return. For a void round the note is in :class:`VoidRecord`."""
    rounded_minor: int = 0
    """What the smallest chip added to ``returned_minor``; negative if it took something off."""
    pro_rata: ProRata | None = None
    """Why only ``played_minor`` of it played, as far as it is on record."""

    @property
    def outcome(self) -> str:
        """One of win, lose, push, void and returned."""
        if self.went_back is None:
            return self.result.value
        return "void" if self.went_back is WentBack.VOID else "returned"

    @property
    def decided_minor(self) -> int:
        """The part of the stake that the cards decided."""
        return self.stake_minor if self.played_minor is None else self.played_minor

    @property
    def win_minor(self) -> int:
        """The house's win, including commission."""
        return self.stake_minor - self.returned_minor


class AdjustmentRecord(Struct, frozen=True, kw_only=True):
    """An amount that a ruling paid to a player; negative if it was taken from them."""

    who: str
    amount_minor: int
    at_us: int
    clauses: tuple[Clause, ...]
    reason: str


class VoidRecord(Struct, frozen=True, kw_only=True):
    ground: Irregularity
    clauses: tuple[Clause, ...]
    reason: str
    """The note of the staff; may be empty."""


class Conditions(Struct, frozen=True, kw_only=True):
    """What applies at a table when a round starts. Fields that the caller does not need stay empty."""

    book: str = ""
    currency: str = ""
    shoe: str = ""
    decks: int = 0
    box_labels: tuple[str, ...] = ()
    """What is printed in the boxes; empty for their numbers."""


class RoundEnd(Struct, frozen=True, kw_only=True):
    """A winner and the points of both hands, void, or cancelled."""

    at_us: int
    clauses: tuple[Clause, ...]
    winner: Winner | None = None
    player: int | None = None
    banker: int | None = None
    void: VoidRecord | None = None
    cancelled: bool = False
    """It had no bets and no cards."""
    restores: int | None = None
    """The round before, if the cancellation gave it back: what followed belongs to that one."""


class FeltStake(Struct, frozen=True):
    """A bet or an insurance that lies on the felt."""

    who: str
    box: int
    bet: str
    stake_minor: int


class RoundFelt(Struct, frozen=True):
    """The felt at one moment of a round."""

    cards: tuple[Face | None, ...]
    """Those dealt, in drawing order; None for a card that nobody has seen."""
    drawn_early: tuple[Face | None, ...]
    """Cards that are dealt next, in this round or the next one."""
    stakes: tuple[FeltStake, ...]
    """Empty once the round is over."""


class RoundRecord(Struct, frozen=True, kw_only=True):
    """A round in its current state: in play, settled, void or cancelled."""

    stream: str
    version: int
    """Version of the entry that opened betting."""
    number: int
    """Counted from 1 in each opening. 0 is the time before betting first opened."""
    conditions: Conditions
    opened_us: int
    opened_by: str
    """The person who opened betting, usually the dealer."""
    end: RoundEnd | None
    """None while the round is in play."""
    cards: tuple[Face | None, ...]
    """In drawing order; None for a card that nobody has seen."""
    bets: tuple[BetRecord, ...]
    """Bets with a result. While the round is in play, only those that were returned."""
    adjustments: tuple[AdjustmentRecord, ...]
    """Adjustments made before betting opened for the next round, whichever round they concern."""
    happened_at_us: int = 0
    """When betting opened, if that was entered later; else 0."""

    @property
    def over(self) -> bool:
        """Whether the round is settled or void. One that was cancelled has no result to show."""
        return self.end is not None and not self.end.cancelled

    @property
    def ended_us(self) -> int:
        """Unix time in microseconds; 0 while the round is in play."""
        return self.end.at_us if self.end else 0

    @property
    def winner(self) -> Winner | None:
        return self.end.winner if self.end else None

    @property
    def player(self) -> int | None:
        """Points of the Player hand, after settlement."""
        return self.end.player if self.end else None

    @property
    def banker(self) -> int | None:
        """Points of the Banker hand, after settlement."""
        return self.end.banker if self.end else None

    @property
    def void(self) -> VoidRecord | None:
        return self.end.void if self.end else None

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses under which it was settled or voided."""
        return self.end.clauses if self.end else ()

    @property
    def outcome(self) -> str:
        """The winner, "void" or "cancelled"; empty while the round is in play."""
        if self.end is not None and self.end.cancelled:
            return "cancelled"
        return "void" if self.void is not None else self.winner.value if self.winner is not None else ""
