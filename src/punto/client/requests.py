"""All requests to a server, as exchanges: shared by the synchronous and the asynchronous client."""

import secrets
import warnings
from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec

import punto
from punto.client.command_body import order
from punto.client.errors import ClientCode, ClientRefused, ReleaseMismatch
from punto.client.retry import ApiCall, Exchange, Request, send_until_answered
from punto.floor.errors import FloorCode
from punto.table.records.commands import Leave, PassInsurance, PlaceBet, Sit, StandBehind, TakeInsurance, WithdrawBet
from punto.table.referee.question import RefereeQuestion
from punto.web import messages
from punto.web.messages import Accepted, Cursor
from punto.web.messages.releases import CLIENT_HEADER, compare_releases

T = TypeVar("T")

_ENCODER = msgspec.json.Encoder()


class Core:
    """The server's address, the session's token, and the requests."""

    def __init__(self, url: str, token: str | None, patience_s: float) -> None:
        if not _is_address(url):
            raise ClientRefused(ClientCode.BAD_ADDRESS, url=url[:100])
        self.url = url.rstrip("/")
        self.patience_s = patience_s
        self.token: str | None = None
        self.server_release: str | None = None
        self._warned = False
        self._name: str | None = None
        if token is not None:
            self.take_token(token)

    def take_token(self, token: str) -> None:
        """Use this token from now on."""
        if not (token.isascii() and token.isprintable()) or " " in token or not token:
            raise ClientRefused(FloorCode.BAD_TOKEN, variant="form")
        self.token, self._name = token, None

    @property
    def headers(self) -> dict[str, str]:
        own = {CLIENT_HEADER: punto.__version__}
        return own if self.token is None else {**own, "authorization": f"Bearer {self.token}"}

    def hear_release(self, release: str | None) -> None:
        """Remember the release of the server. Warn once if it is another minor version."""
        if release is None:  # a server before 0.10.0, or a proxy in its place
            return
        self.server_release = release
        if not self._warned and compare_releases(punto.__version__, release):
            self._warned = True
            words = f"this is punto.client {punto.__version__}, and the server is Punto {release[:40]}"
            warnings.warn(words, ReleaseMismatch, stacklevel=2)

    @property
    def live_url(self) -> str:
        """Address of the web socket."""
        return f"ws{self.url.removeprefix('http')}/api/live"

    def _send(self, method: str, path: str, answer: type[T], body: msgspec.Struct | None = None) -> Exchange[T]:
        return self._send_call(ApiCall(_request(method, path, body), answer))

    def _send_call(self, call: ApiCall[T]) -> Exchange[T]:
        return send_until_answered(call, self.patience_s)

    # ---- session

    def enter(self, name: str) -> Exchange[messages.SessionView]:
        """Enter as a visitor.

        Not repeated: if the connection is lost before the answer, the name may already be taken by this visit.
        """
        request = _request("POST", "/api/visit", messages.VisitRequest(name=name, keep="token"))
        return (yield from self._open_session(ApiCall(request, messages.SessionView, repeatable=False)))

    def sign_in(self, name: str, password: str, code: str = "") -> Exchange[messages.SessionView]:
        """Sign in with a staff account, and a code if it has TOTP.

        Not repeated with a code, which counts only once.
        """
        body = messages.SignInRequest(name=name, password=password, code=code, keep="token")
        request = _request("POST", "/api/session", body)
        return (yield from self._open_session(ApiCall(request, messages.SessionView, repeatable=not code)))

    def unlock(self, password: str) -> Exchange[None]:
        """Go on with the session of a person after 15 idle minutes."""
        return self._send("POST", "/api/session/unlock", type(None), messages.UnlockRequest(password=password))

    def _open_session(self, call: ApiCall[messages.SessionView]) -> Exchange[messages.SessionView]:
        session = yield from self._send_call(call)
        if session.token is None:
            raise ClientRefused(ClientCode.UNEXPECTED_ANSWER, variant="no_token")
        self.take_token(session.token)
        self._name = session.name
        return session

    def change_password(self, before: str, password: str) -> Exchange[None]:
        """Change the own password. Not repeated: a second request would be refused, as the old password is gone."""
        body = messages.PasswordRequest(before=before, password=password)
        return self._send_call(ApiCall(_request("POST", "/api/session/password", body), type(None), repeatable=False))

    def session(self) -> Exchange[messages.SessionView]:
        """Name and position of the signed-in person."""
        return self._send("GET", "/api/session", messages.SessionView)

    def sign_out(self) -> Exchange[None]:
        """End the session. A visitor's play money goes back to the house."""
        try:
            yield from self._send("DELETE", "/api/session", type(None))
        except ClientRefused as refused:
            if refused.code != FloorCode.NOT_SIGNED_IN:  # already signed out
                raise
        self.token = self._name = None

    # ---- tables

    def tables(self) -> Exchange[messages.Lobby]:
        return self._send("GET", "/api/tables", messages.Lobby)

    def table(self, table: str) -> Exchange[messages.TableSnapshot]:
        """One table, as the signed-in person sees it."""
        return self._send("GET", _at(table), messages.TableSnapshot)

    def create_table(self, setup: messages.TableRequest) -> Exchange[messages.LobbyTable]:
        """Add a closed table. Not repeated: a second request would be refused, as the table exists."""
        return self._send_call(ApiCall(_request("POST", "/api/tables", setup), messages.LobbyTable, repeatable=False))

    def legal(self, table: str) -> Exchange[tuple[messages.Legal, ...]]:
        """The commands the signed-in person can give now, with the bounds of their values."""
        return (yield from self._send("GET", _at(table, "legal"), messages.LegalList)).legal

    def sensible(self, table: str) -> Exchange[tuple[messages.Sensible, ...]]:
        """The few commands that make sense now, in any position."""
        return (yield from self._send("GET", _at(table, "legal"), messages.LegalList)).sensible

    def preview(self, table: str, command: Mapping[str, Any]) -> Exchange[messages.PreviewView]:
        """What a command would lead to. Nothing is done."""
        body = messages.PreviewRequest(command=dict(command))
        return self._send("POST", _at(table, "preview"), messages.PreviewView, body)

    def events(self, table: str, after: Cursor | None = None, most: int = 100) -> Exchange[messages.EventPage]:
        """A page of events after a cursor, oldest first. Without a cursor, from the table's last opening on."""
        return self._send("GET", _at(table, "events", after=after, most=most), messages.EventPage)

    def rounds(self, table: str, before: Cursor | None = None, most: int = 20) -> Exchange[messages.RoundPage]:
        """A page of rounds before a cursor, newest first."""
        return self._send("GET", _at(table, "rounds", before=before, most=most), messages.RoundPage)

    def replay(self, table: str, name: str) -> Exchange[messages.RoundReplay]:
        """One round step by step. Its permanent name has opening and number, such as ``2-17``."""
        return self._send("GET", _at(table, f"rounds/{quote(name, safe='')}"), messages.RoundReplay)

    def shoes(self, table: str) -> Exchange[messages.SealedShoeList]:
        """The last sealed shoes: the commitment of each, and its card order once it is over."""
        return self._send("GET", _at(table, "shoes"), messages.SealedShoeList)

    def orders(self, table: str, before: Cursor | None = None, most: int = 10) -> Exchange[messages.RevealedOrderPage]:
        """A page of the orders that rounds at a sealed continuous shuffler were dealt from, newest first."""
        return self._send("GET", _at(table, "orders", before=before, most=most), messages.RevealedOrderPage)

    def referee(self, question: RefereeQuestion) -> Exchange[messages.RefereeRuling]:
        """What a book says about a round. For anybody, signed in or not."""
        return self._send("POST", "/api/referee", messages.RefereeRuling, question)

    # ---- commands

    def give(
        self,
        table: str,
        command: Mapping[str, Any],
        id: str | None = None,  # noqa: A002 - as in the API
        happened_at: str | None = None,
    ) -> Exchange[Accepted]:
        """Give a command, made by ``order`` or taken from ``legal``. When this returns, it is on disk.

        The command is repeated with the same id until it is answered, and takes effect only once. With an ``id`` of
        your own you can even give it again after your program has restarted. ``happened_at`` is for what is entered
        later, for example from paper: RFC 3339 with a zone.
        """
        body = messages.CommandRequest(id=id or secrets.token_hex(16), command=dict(command), happened_at=happened_at)
        return self._send("POST", _at(table, "commands"), Accepted, body)

    def _who(self, who: str | None) -> Exchange[str]:
        """The person a command is about, by default the signed-in person."""
        if who is not None:
            return who
        if self._name is None:
            self._name = (yield from self.session()).name
        return self._name

    def sit(self, table: str, box: int, *, who: str | None = None) -> Exchange[Accepted]:
        name = yield from self._who(who)
        return (yield from self.give(table, order(Sit, who=name, box=box)))

    def stand_behind(self, table: str, box: int, *, who: str | None = None) -> Exchange[Accepted]:
        name = yield from self._who(who)
        return (yield from self.give(table, order(StandBehind, who=name, box=box)))

    def leave(self, table: str, *, who: str | None = None) -> Exchange[Accepted]:
        name = yield from self._who(who)
        return (yield from self.give(table, order(Leave, who=name)))

    def bet(
        self,
        table: str,
        box: int,
        bet: str,
        stake_minor: int,
        *,
        who: str | None = None,
        round: int | None = None,  # noqa: A002 - as in the API
    ) -> Exchange[Accepted]:
        """Place a bet, or raise it by ``stake_minor``. In another round than ``round`` it is refused."""
        name = yield from self._who(who)
        command = order(PlaceBet, who=name, box=box, bet=bet, stake_minor=stake_minor, round=round)
        return (yield from self.give(table, command))

    def withdraw(
        self,
        table: str,
        box: int,
        bet: str,
        amount_minor: int,
        *,
        who: str | None = None,
        round: int | None = None,  # noqa: A002 - as in the API
    ) -> Exchange[Accepted]:
        """Take back ``amount_minor`` of a bet. In another round than ``round`` this is refused."""
        name = yield from self._who(who)
        command = order(WithdrawBet, who=name, box=box, bet=bet, amount_minor=amount_minor, round=round)
        return (yield from self.give(table, command))

    def insure(
        self,
        table: str,
        box: int,
        stake_minor: int,
        *,
        who: str | None = None,
        round: int | None = None,  # noqa: A002 - as in the API
    ) -> Exchange[Accepted]:
        """Take the insurance on offer, or add to it. In another round than ``round`` this is refused."""
        name = yield from self._who(who)
        command = order(TakeInsurance, who=name, box=box, stake_minor=stake_minor, round=round)
        return (yield from self.give(table, command))

    def pass_insurance(
        self,
        table: str,
        box: int,
        *,
        who: str | None = None,
        round: int | None = None,  # noqa: A002 - as in the API
    ) -> Exchange[Accepted]:
        """Say that you take no insurance, or no more, in a box, so that nobody waits. Until the next card you can."""
        name = yield from self._who(who)
        return (yield from self.give(table, order(PassInsurance, who=name, box=box, round=round)))

    def play_money(self, table: str) -> Exchange[Accepted]:
        """Get a visitor's play money. While they still have some at this table, they get no more."""
        return self._send("POST", _at(table, "play-money"), Accepted)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0 and " " not in url
    except ValueError:  # the port is not a number
        return False


def _request(method: str, path: str, body: msgspec.Struct | None = None) -> Request:
    return Request(method, path, None if body is None else _ENCODER.encode(body))


def _at(table: str, what: str = "", **query: str | int | None) -> str:
    text = urlencode({name: value for name, value in query.items() if value is not None})
    return f"/api/tables/{quote(table, safe='')}{what and '/'}{what}{text and '?'}{text}"
