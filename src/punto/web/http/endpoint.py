"""Endpoints as data: what each takes and gives, so that routes and the OpenAPI document cannot disagree."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.running.floor import Actor
from punto.rules.refusals import Code, Refused
from punto.web.config import Config
from punto.web.http.auth import caller, header_map, require_same_site
from punto.web.http.context import Service
from punto.web.http.errors import WebCode, encoded, problem_of, status_of
from punto.web.http.rate_limits import share_of
from punto.web.messages import Problem
from punto.web.views.visibility import Sight, sight_of

MOST_BODY = 64 * 1024
MOST_READ = 1024 * 1024
"""So much of a body that is too long is read all the same: who still talks does not hear the answer."""
BODY_S = 10.0
"""So long a body may take to be there."""
DEAR = 5
"""What is worked out or read from the disk counts as so many requests of the usual kind."""
_JSON = b"application/json"
_LOG = logging.getLogger("punto.web")
_ENCODER = msgspec.json.Encoder()

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


class Access(StrEnum):
    """Who may come in at all; what he may do there, the floor and the table say."""

    ANYBODY = "anybody"
    OPEN = "open"
    """Anybody, and whose session it is does not matter."""
    SESSION = "session"
    """Whoever has a session, on duty or not."""
    ACTOR = "actor"
    """Whoever holds a position."""


class HttpRequest:
    """One request, as an endpoint sees it."""

    __slots__ = ("actor", "address", "body", "cookies", "headers", "noted", "path", "query", "service", "token")

    def __init__(self, service: Service, path: dict[str, str], address: str) -> None:
        self.service = service
        self.path = path
        self.address = address
        self.headers: dict[str, str] = {}
        self.token = ""
        self.actor: Actor | None = None
        self.body: Any = None
        self.query: Any = None
        self.cookies: list[str] = []
        """Headers that make a browser keep or forget a session."""
        self.noted: dict[str, Any] = {}
        """What the log says of the request beside the usual."""

    @property
    def by(self) -> Actor:
        """Who asks, where an endpoint needs a position."""
        assert self.actor is not None  # noqa: S101 - the endpoint says so
        return self.actor

    @property
    def sight(self) -> Sight:
        """How much he may see."""
        return sight_of(self.actor.position if self.actor else None)


class Answered(Exception):
    """An answer that is an error, with all that is said of it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


class Raw(Struct, frozen=True):
    """An answer that is written already."""

    body: bytes
    kind: str = "application/json"
    keep: str = ""
    """How browsers may keep it; empty: not at all."""


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
    """Of the answer."""
    tag: str = "tables"
    cost: int = 1
    """As how many requests it counts."""


class Door:
    """All methods of one path, as ASGI has it."""

    policy = "default-src 'none'; frame-ancestors 'none'"
    """What a browser may load for an answer."""

    def __init__(self, service: Service, endpoints: list[Endpoint]) -> None:
        self._service = service
        self._by_method = {endpoint.method: _Way(endpoint) for endpoint in endpoints}
        if "GET" in self._by_method:
            self._by_method["HEAD"] = self._by_method["GET"]
        self._allow = ", ".join(sorted(self._by_method))
        self._route = endpoints[0].path
        self._always = [(b"content-security-policy", self.policy.encode()), *https_alone(service.config)]
        self._counted: dict[tuple[str, int], Any] = {}
        self._took = service.metrics.seconds.labels(self._route)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, and log it."""
        began_s = time.perf_counter()
        method = scope["method"]
        call = HttpRequest(self._service, scope.get("path_params", {}), address_of(scope))
        headers, keep = list(self._always), ""
        try:
            status, kind, body, keep = await self._answer(method, call, scope, receive)
        except Exception as trouble:  # noqa: BLE001 - the one place where whatever went wrong becomes an answer
            problem = trouble.problem if isinstance(trouble, Answered) else problem_of(trouble)
            status = status_of(problem.code)
            kind, body = self._refused(call, problem, status)
            call.noted["code"] = problem.code
            wait_s = getattr(trouble, "wait_s", None)
            if wait_s is not None:
                headers.append((b"retry-after", str(wait_s).encode()))
            elif status == 408:
                headers.append((b"connection", b"close"))
            elif status == 503:
                headers.append((b"retry-after", b"1"))
            elif status == 405:
                headers.append((b"allow", self._allow.encode()))
            elif status == 500:
                _LOG.exception("a request failed", extra={"said": {"path": scope["path"][:200]}})
        headers += [(b"set-cookie", cookie.encode("latin-1")) for cookie in call.cookies]
        headers.append((b"cache-control", keep.encode() or b"no-store"))
        await answer(send, status, kind, body, headers, head=method == "HEAD")
        self._log(method, scope, status, began_s, call)

    def _refused(self, call: HttpRequest, problem: Problem, status: int) -> tuple[str, bytes]:  # noqa: ARG002 - pages use them
        return "application/json", encoded(problem)

    async def _answer(
        self, method: str, call: HttpRequest, scope: Scope, receive: Receive
    ) -> tuple[int, str, bytes, str]:
        service = self._service
        way = self._by_method.get(method)
        service.limits.asks.take(call.address, way.endpoint.cost if way else 1)
        headers = call.headers = header_map(scope["headers"])
        service.hosts.require(headers)
        if way is None:
            raise Refused(WebCode.METHOD_NOT_ALLOWED, method=method[:20], allowed=self._allow)
        require_same_site(service.config, method, headers)
        who = caller(service.config, headers)
        endpoint = way.endpoint
        if way.body is not None:
            call.body = _decoded(way.body, await read_body(headers, receive))
        if endpoint.query is not None:
            call.query = _query(endpoint.query, scope["query_string"])
        call.token = who.token or ""
        if endpoint.access is Access.ACTOR or (who.token and endpoint.access is Access.ANYBODY):
            call.actor = await self._actor(call, endpoint)
        elif endpoint.access is Access.SESSION and not who.token:
            raise FloorRefused(FloorCode.NOT_SIGNED_IN, variant="no_session")
        answered = await endpoint.do(call)
        if isinstance(answered, Raw):
            return endpoint.status, answered.kind, answered.body, answered.keep
        return endpoint.status, endpoint.kind, b"" if answered is None else _ENCODER.encode(answered), ""

    async def _actor(self, call: HttpRequest, endpoint: Endpoint) -> Actor | None:
        if not call.token:
            raise FloorRefused(FloorCode.NOT_SIGNED_IN, variant="no_session")
        sessions = self._service.sessions
        if endpoint.access is Access.ACTOR:
            return await sessions.actor(call.token, f"{endpoint.method} {endpoint.path}")
        try:
            held = await sessions.standing(call.token)
        except FloorRefused as refused:
            if refused.code is FloorCode.NOT_SIGNED_IN:
                return None  # an old cookie is no cookie
            raise
        return None if held.position is None or held.to_change else Actor(held.name, held.position)

    def _log(self, method: str, scope: Scope, status: int, began_s: float, call: HttpRequest) -> None:
        took_s = time.perf_counter() - began_s
        known = (method if method in self._by_method else "other", status)
        counted = self._counted.get(known)
        if counted is None:
            counted = self._counted[known] = self._service.metrics.requests.labels(known[0], self._route, status)
        counted.inc()
        self._took.observe(took_s)
        if _LOG.isEnabledFor(logging.INFO):
            said = {
                "method": method[:20],
                "path": scope["path"][:200],
                "status": status,
                "ms": round(took_s * 1_000, 2),
            }
            if call.actor is not None:
                said["by"] = call.actor.name
            _LOG.info("request", extra={"said": {**said, **call.noted}})


class _Way:
    """An endpoint, and what is made once for it."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.body: msgspec.json.Decoder[Any] | None = None
        if endpoint.body is not None:
            self.body = msgspec.json.Decoder(endpoint.body)


# ---- reading and writing


def address_of(scope: Scope) -> str:
    """Where a request comes from, as far as shares go."""
    client = scope.get("client")
    return share_of(str(client[0])) if client else "unknown"


async def read_body(headers: Mapping[str, str], receive: Receive) -> bytes:
    """A body of JSON that is not too long, however it comes."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(WebCode.UNSUPPORTED, kind=kind[:40])
    length = headers.get("content-length", "0")
    if length.isdigit() and int(length) > MOST_READ:
        raise _too_large()
    pieces, total, more = list[bytes](), 0, True
    try:
        async with asyncio.timeout(BODY_S):
            while more and total <= MOST_READ:
                message = await receive()
                if message["type"] == "http.disconnect":  # half a body is none, even if it can be read
                    raise Refused(WebCode.BAD_REQUEST, variant="body_cut_off")
                more, piece = message.get("more_body", False), message.get("body", b"")
                total += len(piece)
                if total <= MOST_BODY:
                    pieces.append(piece)
    except TimeoutError as error:
        raise Refused(WebCode.TOO_SLOW, variant="body", seconds=BODY_S) from error
    if total > MOST_BODY:
        raise _too_large()
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _too_large() -> Refused:
    return Refused(WebCode.TOO_LARGE, most=MOST_BODY)


def _decoded(decoder: "msgspec.json.Decoder[Any]", body: bytes) -> Any:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise Refused(WebCode.BAD_REQUEST, variant="body", reason=str(error)) from error
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Refused(Code.MALFORMED_JSON, variant="body", reason=str(error)) from error


def _query(kind: Any, text: bytes) -> Any:
    try:
        given = parse_qsl(text.decode("latin-1"), keep_blank_values=True, max_num_fields=20)
    except ValueError as error:
        raise Refused(WebCode.BAD_REQUEST, variant="parameters_too_many") from error
    values = dict(given)
    if len(values) != len(given):
        raise Refused(WebCode.BAD_REQUEST, variant="parameter_twice")
    try:
        return msgspec.convert(values, type=kind, strict=False)
    except msgspec.ValidationError as error:
        raise Refused(WebCode.BAD_REQUEST, variant="parameters", reason=str(error)) from error


_ALWAYS = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"same-origin")]
_YEAR_S = 31_536_000


def https_alone(config: Config) -> list[tuple[bytes, bytes]]:
    """Where the server is reached by https alone, browsers are told never to try anything else."""
    return [(b"strict-transport-security", f"max-age={_YEAR_S}".encode())] if config.secure else []


async def answer(
    send: Send,
    status: int,
    kind: str,
    body: bytes,
    headers: Iterable[tuple[bytes, bytes]] = (),
    *,
    head: bool = False,
) -> None:
    """One whole answer."""
    sent = [
        (b"content-type", _JSON if kind == "application/json" else kind.encode()),
        (b"content-length", str(len(body)).encode()),
        *_ALWAYS,
        *headers,
    ]
    await send({"type": "http.response.start", "status": status, "headers": sent})
    await send({"type": "http.response.body", "body": b"" if head else body})
