"""Endpoints as data. Routes and the OpenAPI document are both made from it, so they always agree."""

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Any, BinaryIO

from msgspec import Struct, field

from punto.catalogue.sentence import Language
from punto.floor.journal.actor import Actor
from punto.floor.journal.token_bounds import TokenWork
from punto.web.http.context import Service
from punto.web.http.language import language_of
from punto.web.views.visibility import Sight, record_sight, sees_all

EXPENSIVE = 5
"""Cost of a request that needs long computation or many reads: it counts as this many ordinary requests."""

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


class Access(StrEnum):
    """Who may call an endpoint. The floor and the table decide what they may do there."""

    ANYBODY = "anybody"
    OPEN = "open"
    """Anybody; the session is not looked up."""
    SESSION = "session"
    """Anyone with a session, on duty or not."""
    ACTOR = "actor"
    """Anyone who holds a position."""


class HttpRequest(Struct, frozen=True, kw_only=True, eq=False):
    """A request that has been read and checked, with its sender looked up."""

    service: Service
    path: dict[str, str]
    address: str
    """The client's key for rate limits: its address, or its network for IPv6."""
    headers: dict[str, str]
    receive: Receive
    """Of the ASGI request, after its body."""
    token: str
    terminal: str
    """The id of the terminal that sends the request; empty: none."""
    actor: Actor | None
    locked: str
    """The name of the person whose session is locked, so that nobody acts; empty: nobody's."""
    on_terminal: bool = False
    """Whether the page is what the terminal shows at which the session was opened."""
    shown_locked: bool = False
    """Whether the session is locked, and its terminal goes on showing the page. ``actor`` looks and cannot act."""
    body: Any
    query: Any
    chosen_language: str | None
    """What the address of a page names as ``lang``, whether there is such a language or not."""
    at_table: str = ""
    """The table where the sender is on duty, for the headers of pages; empty: none."""
    log_fields: dict[str, Any] = field(default_factory=dict)
    """More fields for the log line of this request. The endpoint adds them; they are logged for a refusal too."""

    @property
    def by(self) -> Actor:
        """The sender. Only for endpoints whose access is ``ACTOR``."""
        assert self.actor is not None  # noqa: S101 - the handler has checked it
        return self.actor

    @property
    def language(self) -> Language:
        return language_of(self.headers, self.chosen_language)

    @property
    def sees_all(self) -> bool:
        """Whether the sender sees what is for staff."""
        return sees_all(self.actor)

    async def sight(self) -> Sight:
        """What the sender sees of the record of the table in the address."""
        view, table = self.service.floor_view, self.path["table"]
        return record_sight(self.actor, table, await view.rules(), await view.on_duty())


class Raw(Struct, frozen=True):
    """An answer that is already encoded."""

    body: bytes
    kind: str = "application/json"
    keep: str = ""
    """The ``cache-control`` header; empty: ``no-store``."""
    file: str = ""
    """The name of the file that a browser saves; empty if it shows the answer."""


class FileAnswer(Struct, frozen=True):
    """A large answer, which is sent piece by piece and then closed."""

    content: BinaryIO
    size: int
    file: str
    """The name of the file that a browser saves."""


class Redirect(Struct, frozen=True):
    """Sends a browser to another address of this server."""

    to: str


class WithCookies(Struct, frozen=True):
    """An answer that sets or deletes cookies."""

    answer: Any
    cookies: tuple[str, ...]
    """Values of ``set-cookie`` headers."""


class Endpoint(Struct, frozen=True):
    """One method of a path."""

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
    """How many requests it counts as, for the rate limit."""
    work: TokenWork | None = None
    """What a machine's token must be for. None: reading for GET; everything else is for people only."""
    names_table: str = ""
    """The field of the body that names the table, if the path does not."""

    on_terminals: bool = False
    """Whether it is what a terminal shows. Its screen goes on showing it after the session there was locked."""

    @property
    def work_of_token(self) -> TokenWork | None:
        return TokenWork.READ if self.work is None and self.method == "GET" else self.work
