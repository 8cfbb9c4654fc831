"""All that can be asked of a server, as talks: the same for who waits in a thread and who waits in an event loop."""

import secrets
from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from punto.client.command_body import order
from punto.client.errors import ClientCode, ClientRefused
from punto.client.retry import Ask, Request, Talk, asking
from punto.floor.errors import FloorCode
from punto.table.records.commands import Leave, PlaceBet, Sit, StandBehind, TakeInsurance, WithdrawBet
from punto.web import messages
from punto.web.messages import Accepted, Cursor

T = TypeVar("T")

_ENCODER = msgspec.json.Encoder()


class Core:
    """Where the server is, who one is there, and how everything is asked."""

    def __init__(self, url: str, token: str | None, patience_s: float) -> None:
        if not _is_address(url):
            raise ClientRefused(ClientCode.BAD_ADDRESS, url=url[:100])
        self.url = url.rstrip("/")
        self.patience_s = patience_s
        self.token: str | None = None
        self._name: str | None = None
        if token is not None:
            self.take_token(token)

    def take_token(self, token: str) -> None:
        """From now on one is whose token this is."""
        if not (token.isascii() and token.isprintable()) or " " in token or not token:
            raise ClientRefused(FloorCode.BAD_TOKEN, variant="form")
        self.token, self._name = token, None

    @property
    def headers(self) -> dict[str, str]:
        """Those that say who asks."""
        return {} if self.token is None else {"authorization": f"Bearer {self.token}"}

    @property
    def live_url(self) -> str:
        """Where the socket is."""
        return f"ws{self.url.removeprefix('http')}/api/live"

    def _ask(self, method: str, path: str, answer: type[T], body: msgspec.Struct | None = None) -> Talk[T]:
        return self._asked(Ask(_request(method, path, body), answer))

    def _asked(self, ask: Ask[T]) -> Talk[T]:
        return asking(ask, self.patience_s)

    # ---- who one is

    def enter(self, name: str) -> Talk[messages.SessionView]:
        """Enter as a visitor.

        Asked once: where the line is lost meanwhile, one may be inside under that name without knowing it.
        """
        request = _request("POST", "/api/visit", messages.VisitAsked(name=name, keep="token"))
        return (yield from self._opened(Ask(request, messages.SessionView, again=False)))

    def sign_in(self, name: str, password: str) -> Talk[messages.SessionView]:
        """Sign in as one of the staff."""
        body = messages.SignInAsked(name=name, password=password, keep="token")
        return (yield from self._opened(Ask(_request("POST", "/api/session", body), messages.SessionView)))

    def _opened(self, ask: Ask[messages.SessionView]) -> Talk[messages.SessionView]:
        session = yield from self._asked(ask)
        if session.token is None:
            raise ClientRefused(ClientCode.UNEXPECTED_ANSWER, variant="no_token")
        self.take_token(session.token)
        self._name = session.name
        return session

    def change_password(self, before: str, password: str) -> Talk[None]:
        """Change one's own password; asked once, for the second time it would be another one already."""
        body = messages.PasswordAsked(before=before, password=password)
        return self._asked(Ask(_request("POST", "/api/session/password", body), type(None), again=False))

    def session(self) -> Talk[messages.SessionView]:
        """Who one is there."""
        return self._ask("GET", "/api/session", messages.SessionView)

    def sign_out(self) -> Talk[None]:
        """End the session; a visitor's play money goes back."""
        try:
            yield from self._ask("DELETE", "/api/session", type(None))
        except ClientRefused as refused:
            if refused.code != FloorCode.NOT_SIGNED_IN:  # as was wished
                raise
        self.token = self._name = None

    # ---- tables

    def tables(self) -> Talk[messages.Lobby]:
        """All tables."""
        return self._ask("GET", "/api/tables", messages.Lobby)

    def table(self, table: str) -> Talk[messages.Seen]:
        """One table, and oneself at it."""
        return self._ask("GET", _at(table), messages.Seen)

    def create_table(self, asked: messages.TableAsked) -> Talk[messages.LobbyTable]:
        """Add a table, closed; asked once, for the second time there would be one."""
        return self._asked(Ask(_request("POST", "/api/tables", asked), messages.LobbyTable, again=False))

    def legal(self, table: str) -> Talk[tuple[messages.Legal, ...]]:
        """What one could do there now, and within which bounds."""
        return (yield from self._ask("GET", _at(table, "legal"), messages.LegalList)).legal

    def events(self, table: str, after: Cursor | None = None, most: int = 100) -> Talk[messages.EventPage]:
        """A page of events, the oldest first; from the beginning of the present opening if not said after which."""
        return self._ask("GET", _at(table, "events", after=after, most=most), messages.EventPage)

    def rounds(self, table: str, before: Cursor | None = None, most: int = 20) -> Talk[messages.RoundPage]:
        """A page of rounds, the newest first."""
        return self._ask("GET", _at(table, "rounds", before=before, most=most), messages.RoundPage)

    def shoes(self, table: str) -> Talk[messages.ShoesTold]:
        """The last sealed shoes: what was published of each, and what was sealed once it is over."""
        return self._ask("GET", _at(table, "shoes"), messages.ShoesTold)

    # ---- commands

    def give(self, table: str, command: Mapping[str, Any], id: str | None = None) -> Talk[Accepted]:  # noqa: A002
        """Give a command, made by ``order`` or one of those that are ``legal``: when this returns, it is on the disk.

        It is given under one id until it is answered, so that a lost line does nothing twice; who names the id
        himself can even give it again after his own program was ended.
        """
        body = messages.CommandAsked(id=id or secrets.token_hex(16), command=dict(command))
        return self._ask("POST", _at(table, "commands"), Accepted, body)

    def _who(self, who: str | None) -> Talk[str]:
        """Whom a command is about: oneself, if not said."""
        if who is not None:
            return who
        if self._name is None:
            self._name = (yield from self.session()).name
        return self._name

    def sit(self, table: str, box: int, *, who: str | None = None) -> Talk[Accepted]:
        """Sit down at a box."""
        name = yield from self._who(who)
        return (yield from self.give(table, order(Sit, who=name, box=box)))

    def stand_behind(self, table: str, box: int, *, who: str | None = None) -> Talk[Accepted]:
        """Stand behind a box."""
        name = yield from self._who(who)
        return (yield from self.give(table, order(StandBehind, who=name, box=box)))

    def leave(self, table: str, *, who: str | None = None) -> Talk[Accepted]:
        """Get up and go."""
        name = yield from self._who(who)
        return (yield from self.give(table, order(Leave, who=name)))

    def bet(self, table: str, box: int, bet: str, stake_minor: int, *, who: str | None = None) -> Talk[Accepted]:
        """Place a bet, or raise it by that much."""
        name = yield from self._who(who)
        return (yield from self.give(table, order(PlaceBet, who=name, box=box, bet=bet, stake_minor=stake_minor)))

    def withdraw(self, table: str, box: int, bet: str, amount_minor: int, *, who: str | None = None) -> Talk[Accepted]:
        """Take back a bet, or that much of it."""
        name = yield from self._who(who)
        return (yield from self.give(table, order(WithdrawBet, who=name, box=box, bet=bet, amount_minor=amount_minor)))

    def insure(self, table: str, box: int, stake_minor: int, *, who: str | None = None) -> Talk[Accepted]:
        """Take the insurance on offer, or add to it."""
        name = yield from self._who(who)
        return (yield from self.give(table, order(TakeInsurance, who=name, box=box, stake_minor=stake_minor)))

    def play_money(self, table: str) -> Talk[Accepted]:
        """A visitor's play money: as long as he has any there, asking again brings no more."""
        return self._ask("POST", _at(table, "play-money"), Accepted)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0 and " " not in url
    except ValueError:  # a port that is none
        return False


def _request(method: str, path: str, body: msgspec.Struct | None = None) -> Request:
    return Request(method, path, None if body is None else _ENCODER.encode(body))


def _at(table: str, what: str = "", **query: str | int | None) -> str:
    said = urlencode({name: value for name, value in query.items() if value is not None})
    return f"/api/tables/{quote(table, safe='')}{what and '/'}{what}{said and '?'}{said}"
