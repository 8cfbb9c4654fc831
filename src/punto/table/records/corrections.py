"""Commands that correct what was entered wrongly. Part of the closed set of commands.

``may`` is the widest set of positions; how far a round has come narrows it.
"""

from typing import ClassVar

from punto.rules.coup.cards import Face
from punto.table.records.commands import Command
from punto.table.records.positions import DEALER_UP, Position


class CorrectCard(Command, frozen=True, tag="correct_card.1"):
    """Say which card really lies there. A dealer corrects only the last entry, and no result of a stake."""

    may: ClassVar[frozenset[Position]] = DEALER_UP

    shoe: str
    draw: int
    """Position in the shoe, counted from 0."""
    card: Face | None
    """None if no card was drawn: only for the last one of the shoe, or for the card that the table has raised."""
    reason: str = ""
