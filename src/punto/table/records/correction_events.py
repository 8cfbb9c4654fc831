"""Events of corrections of bets, insurance, choices and payments. Part of the closed set of events."""

from typing import ClassVar

from punto.rules.bets.insurance import Stage
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.table.records.events import Event, MoneyEvent, PlayedBet
from punto.table.records.kinds import Choice, Concern


class BetCorrected(MoneyEvent, frozen=True, tag="bet_corrected.1"):
    """Another stake than the one on record lay on a bet when betting closed."""

    concern: ClassVar[Concern] = Concern.CORRECTION

    who: str
    box: int
    bet: str
    stake_minor: int
    """0 if none lay there."""
    was_minor: int
    seated: bool
    corrected_by: str
    played: tuple[PlayedBet, ...]
    """All bets of the round that were beyond a limit when betting closed."""
    clauses: tuple[Clause, ...]
    reason: str = ""


class InsuranceCorrected(MoneyEvent, frozen=True, tag="insurance_corrected.1"):
    """Another stake than the one on record lay as insurance, or an offer was made or not made other than on record."""

    concern: ClassVar[Concern] = Concern.CORRECTION

    stage: Stage
    side: Side
    player: int
    banker: int
    odds: str
    corrected_by: str
    clauses: tuple[Clause, ...]
    who: str = ""
    box: int = 0
    stake_minor: int | None = None
    """The part of the stake that plays; None if only the offer is corrected."""
    was_minor: int = 0
    offered: bool | None = None
    reason: str = ""


class OptionCorrected(MoneyEvent, frozen=True, tag="option_corrected.1"):
    """A player chose otherwise than on record."""

    concern: ClassVar[Concern] = Concern.CORRECTION

    who: str
    choice: Choice
    corrected_by: str
    clauses: tuple[Clause, ...]


class PaymentCorrected(MoneyEvent, frozen=True, tag="payment_corrected.1"):
    """Another amount than was due was handed over for a bet, and stayed with the player as far as it was not recovered.

    A later one for the same bet replaces it.
    """

    concern: ClassVar[Concern] = Concern.CORRECTION

    who: str
    box: int
    bet: str
    due_minor: int
    paid_minor: int
    recovered_minor: int
    corrected_by: str
    clauses: tuple[Clause, ...]
    reason: str
    stake_minor: int = 0
    """Of the bet, in ``due_minor`` and ``paid_minor``; 0 in journals before 0.11.0."""

    @property
    def mispaid_minor(self) -> int:
        """What the player has above what was due; negative if it is less."""
        return self.paid_minor - self.due_minor - self.recovered_minor


class BettingReopened(Event, frozen=True, tag="betting_reopened.1"):
    """Betting is open again: it was closed by a slip."""

    concern: ClassVar[Concern] = Concern.CORRECTION

    reopened_by: str
    clauses: tuple[Clause, ...]
    reason: str = ""


class RoundCancelled(Event, frozen=True, tag="round_cancelled.1"):
    """The round was cancelled: it had no bets and no cards. No entry is corrected by it."""

    concern: ClassVar[Concern] = Concern.TROUBLE

    round: int
    restores: int | None = None
    """The settled round before it, which can be corrected again: what follows belongs to that one until the next call
    for bets. None if it cannot, and in journals before 0.11.0."""
