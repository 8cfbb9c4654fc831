"""Commands that correct what was entered wrongly. Part of the closed set of commands.

``may`` is the widest set of positions; how far a round has come narrows it.
"""

from typing import ClassVar

from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Face
from punto.rules.topics import Topic
from punto.table.records.commands import Command
from punto.table.records.kinds import Choice, Concern
from punto.table.records.positions import DEALER_UP, PIT_OR_PLAYER, SUPERVISOR_UP, Position


class CorrectionCommand(Command, frozen=True):
    """A command that corrects an entry."""

    concern: ClassVar[Concern] = Concern.CORRECTION


class CorrectCard(CorrectionCommand, frozen=True, tag="correct_card.1"):
    """Say which card really lies there. A dealer corrects only the last entry, and no result of a stake."""

    may: ClassVar[frozenset[Position]] = DEALER_UP

    shoe: str
    draw: int
    """Position in the shoe, counted from 0."""
    card: Face | None
    """None if no card was drawn: only for the last one of the shoe, or for the card that the table has raised."""
    reason: str = ""


class CorrectBet(CorrectionCommand, frozen=True, tag="correct_bet.1"):
    """Say what lay on a bet when betting closed, at a felt table. A dealer does so until the first card."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.BETS_OFFERED
    about_bets: ClassVar[bool] = True

    who: str
    box: int
    bet: str
    stake_minor: int
    """The total that lay there; 0 for none."""
    reason: str = ""


class CorrectInsurance(CorrectionCommand, frozen=True, tag="correct_insurance.1"):
    """Say what lay as insurance at an offer, or whether the offer was made, at a felt table.

    A dealer does so until the next card.
    """

    may: ClassVar[frozenset[Position]] = DEALER_UP
    topic: ClassVar[Topic | None] = Topic.INSURANCE

    stage: Stage
    who: str = ""
    box: int = 0
    stake_minor: int | None = None
    """The total that this player had there at this offer; 0 for none."""
    offered: bool | None = None
    """True if it was made and not entered, False if it was entered by a slip."""
    reason: str = ""


class CorrectOption(CorrectionCommand, frozen=True, tag="correct_option.1"):
    """Change what was entered as a player's choice after a dealing error, before anything follows it."""

    may: ClassVar[frozenset[Position]] = PIT_OR_PLAYER
    topic: ClassVar[Topic | None] = Topic.OPTIONS

    who: str
    choice: Choice


class CorrectPayment(CorrectionCommand, frozen=True, tag="correct_payment.1"):
    """Say what was handed over for a bet after the settlement, at a felt table."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP
    about_bets: ClassVar[bool] = True

    who: str
    box: int
    bet: str
    paid_minor: int
    """Everything that the player got for this bet, including the stake."""
    reason: str
    recovered_minor: int = 0
    """What the player gave back of it."""


class ReopenBetting(CorrectionCommand, frozen=True, tag="reopen_betting.1"):
    """Open betting again because it was closed by a slip, at a felt table while no card is out."""

    may: ClassVar[frozenset[Position]] = DEALER_UP

    reason: str = ""


class CancelRound(CorrectionCommand, frozen=True, tag="cancel_round.1"):
    """Cancel a round without bets and cards."""

    may: ClassVar[frozenset[Position]] = DEALER_UP
