"""How something is refused, and what would be accepted instead."""

from typing import Any

from punto.rules.refusals import Clause
from punto.web.messages.base import Message


class Legal(Message, frozen=True):
    """A command that would be accepted now; where it has an amount this is the least, and ``most`` the most."""

    command: dict[str, Any]
    most: int | None = None


class LegalList(Message, frozen=True):
    """What would be accepted now."""

    legal: tuple[Legal, ...]


class Problem(Message, frozen=True):
    """Why something was refused. Programs may rely on the code; the message is for people."""

    code: str
    message: str
    clauses: tuple[Clause, ...] = ()
    legal: tuple[Legal, ...] = ()
    """What would be accepted, where a table refused."""
    book: str | None = None
    """The id of the book that the clauses are of, where they are cited and it is known."""


class ErrorBody(Message, frozen=True):
    """The one shape of every error."""

    error: Problem
