"""What the referee answers."""

from punto.rules.refusals import Clause
from punto.table.records.positions import Position
from punto.web.messages.base import Message
from punto.web.messages.previews import Told


class RefereeStep(Message, frozen=True):
    """One step of the question, and what follows from it."""

    step: int
    """Which of `happened` it is, counted from 0."""
    title: str
    """The command in words, or the cards."""
    follows: tuple[str, ...]
    """What goes on record, in the language of the request."""
    clauses: tuple[Clause, ...]
    positions: tuple[Position, ...] = ()
    """Who may give the command, from the lowest to the highest; empty for cards."""
    words: Told | None = None
    """More about it; null for cards."""


class RefereeEnd(Message, frozen=True):
    """What somebody has won at the end, in the smallest unit; negative: lost."""

    who: str
    name: str
    """In the language of the request."""
    change_minor: int | None
    """If their bets play; null: cards that are not out yet decide it."""
    back_minor: int | None
    """If they take their bets back; null: they cannot."""


class RefereeOutcome(Message, frozen=True):
    """One way in which the round can end."""

    orders: tuple[tuple[int, ...], ...]
    """The orders of the cards in doubt that lead to it, by their places; empty if none is in doubt."""
    words: str
    over: bool
    """False: more cards are needed."""
    ends: tuple[RefereeEnd, ...]
    notes: tuple[str, ...]
    """Which bets play only in part and which insurance a tie pays, in the language of the request."""


class RefusedStep(Message, frozen=True):
    """The first step that cannot be. Nothing after it was looked at."""

    step: int
    """Which of `happened` it is, counted from 0; -1: the table or its bets."""
    code: str
    message: str
    clauses: tuple[Clause, ...]


class RefereeRuling(Message, frozen=True):
    """What the book says about a question."""

    book: str
    steps: tuple[RefereeStep, ...]
    refused: RefusedStep | None
    outcomes: tuple[RefereeOutcome, ...]
    """What everybody ends with; empty if a step was refused."""
    then: str
    """What comes next at the table, in words."""
    link: str
    """The address of the referee's page with this question; empty if the question is too long for one."""
