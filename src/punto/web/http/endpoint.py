"""Endpoints as data: what each takes and gives, so that routes and the OpenAPI document cannot disagree."""

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from punto.catalogue.sentence import Language
from punto.floor.journal.actor import Actor
from punto.web.http.context import Service
from punto.web.http.language import language_of
from punto.web.views.visibility import Sight, sight_of

DEAR = 5
"""A request that is worked out or read from the disk counts as so many ordinary ones."""

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


class Access(StrEnum):
    """Who may call an endpoint at all; what they may do there, the floor and the table decide."""

    ANYBODY = "anybody"
    OPEN = "open"
    """Anybody; the session is not even looked up."""
    SESSION = "session"
    """Whoever has a session, on duty or not."""
    ACTOR = "actor"
    """Whoever holds a position."""


class HttpRequest(Struct, frozen=True, kw_only=True, eq=False):
    """One request as an endpoint sees it: read, checked, and with its sender looked up."""

    service: Service
    path: dict[str, str]
    address: str
    """Where it comes from, as rate limits count it."""
    headers: dict[str, str]
    token: str
    actor: Actor | None
    body: Any
    query: Any
    noted: dict[str, Any] = field(default_factory=dict)
    """Filled by the endpoint: what the log says of the request beside the usual, also where it ends in a refusal."""

    @property
    def by(self) -> Actor:
        """Who sends it, where the endpoint needs a position."""
        assert self.actor is not None  # noqa: S101 - the endpoint says so
        return self.actor

    @property
    def language(self) -> Language:
        """The language of its answer; a page can be asked for in another one by its address."""
        return language_of(self.headers, getattr(self.query, "lang", None))

    @property
    def sight(self) -> Sight:
        """How much the sender may see."""
        return sight_of(self.actor.position if self.actor else None)


class Raw(Struct, frozen=True):
    """An answer that is encoded already."""

    body: bytes
    kind: str = "application/json"
    keep: str = ""
    """``cache-control``; empty: no-store."""


class WithCookies(Struct, frozen=True):
    """An answer that makes a browser keep or forget cookies."""

    answer: Any
    cookies: tuple[str, ...]
    """As ``set-cookie`` has them."""


class Endpoint(Struct, frozen=True):
    """A method of a path."""

    method: str
    path: str
    do: Callable[[HttpRequest], Awaitable[Any]]
    summary: str
    answer: Any = None
    body: Any = None
    query: Any = None
    access: Access = Access.ACTOR
    status: int = 200
    kind: str = "application/json"
    """Content type of the answer."""
    tag: str = "tables"
    cost: int = 1
    """As how many requests it counts."""
