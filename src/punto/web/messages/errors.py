"""Errors, and the commands that would be accepted instead."""

from typing import Any

from msgspec import UNSET, UnsetType

from punto.rules.refusals import Clause
from punto.table.records.positions import Position
from punto.web.messages.base import Message


class Legal(Message, frozen=True):
    """A command that would be accepted now. An amount in it is the minimum; `most` is the maximum.

    What the sender fills in is empty: the id of a registered player, and chips.
    """

    command: dict[str, Any]
    most: int | None = None
    ends_with_minor: int | None = None
    """For `return_uninsured_bets`: everything the player gets back in this round if the bet is returned."""


class Sensible(Message, frozen=True):
    """A command that makes sense now, perhaps in another position than the reader's."""

    command: dict[str, Any]
    """Without the fields in `missing`."""
    title: str
    """In the language of the request."""
    missing: tuple[str, ...]
    """The fields to fill in."""
    clauses: tuple[Clause, ...]
    positions: tuple[Position, ...]
    """Who may give it now, from the lowest to the highest."""
    who_may: str
    """The same in words."""
    yours: bool
    """Whether you may give it."""
    ends_with_minor: int | None = None
    """As in `legal`."""


class LegalList(Message, frozen=True):
    """All commands that would be accepted from you now, and the few that make sense now."""

    legal: tuple[Legal, ...]
    sensible: tuple[Sensible, ...] = ()
    """What the table waits for comes first. Players see only what they may do themselves."""


class Problem(Message, frozen=True):
    """Why a request was refused. Programs can rely on `code`; `message` is for people."""

    code: str
    message: str
    clauses: tuple[Clause, ...] = ()
    legal: tuple[Legal, ...] = ()
    """Commands that would be accepted, if a table refused one."""
    book: str | None = None
    """The id of the book whose clauses are cited, if known."""
    propose_at: str | UnsetType = UNSET
    """Where to propose it, if a second person is needed."""


class ErrorBody(Message, frozen=True):
    """The body of every error."""

    error: Problem
