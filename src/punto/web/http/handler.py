"""Runs an endpoint for an ASGI request: checks the sender, sends the answer or the error, and logs the request."""

import asyncio
import logging
import time
from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

import punto
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.recorded_refusals import CLIENT_ADDRESS
from punto.floor.journal.actor import TERMINAL, Actor
from punto.floor.people.sessions.sessions import Standing
from punto.rules.refusals import Refused
from punto.table.records.names import MAX_NAME_LENGTH
from punto.table.refusals import TableCode
from punto.web.config import Config
from punto.web.http.auth import SAFE_METHODS, caller, require_same_site, terminal_key
from punto.web.http.body import decode_body, read_body, read_query, require_no_nul
from punto.web.http.client_address import client_key
from punto.web.http.compression import LEAST_BYTES, compress, takes_gzip
from punto.web.http.context import Service
from punto.web.http.endpoint import (
    Access,
    Endpoint,
    FileAnswer,
    HttpRequest,
    Raw,
    Receive,
    Redirect,
    Scope,
    Send,
    WithCookies,
)
from punto.web.http.errors import WebCode, encode_problem, problem_of, status_of
from punto.web.http.headers import header_map
from punto.web.http.language import Reader, language_of, reader_of
from punto.web.messages import Problem
from punto.web.messages.releases import CLIENT_HEADER, RELEASE_HEADER

_JSON = b"application/json"
_LOG = logging.getLogger("punto.web")
_ENCODER = msgspec.json.Encoder()


class Failure(NamedTuple):
    """An error to answer with, and who reads it."""

    problem: Problem
    status: int
    reader: Reader
    actor: Actor | None
    """None if the request failed before its sender was looked up, or if nobody is signed in."""
    locked: str
    """The name of the person whose session is locked; empty: nobody's."""


class Handler:
    """An ASGI application for all methods of one path."""

    policy = "default-src 'none'; frame-ancestors 'none'"
    """The content security policy of all answers."""
    for_people = False
    """Whether a GET shows that somebody is there, and a machine's token counts as nobody's."""
    compresses = False
    """Whether answers are compressed: see :mod:`punto.web.http.compression`."""

    def __init__(self, service: Service, endpoints: list[Endpoint]) -> None:
        self._service = service
        self._by_method = {endpoint.method: _Method(endpoint) for endpoint in endpoints}
        if "GET" in self._by_method:
            self._by_method["HEAD"] = self._by_method["GET"]
        self._allow = ", ".join(sorted(self._by_method))
        self._route = endpoints[0].path
        self._headers = [(b"content-security-policy", self.policy.encode()), *hsts_headers(service.config)]
        self._counters: dict[tuple[str, int], Any] = {}
        self._durations = service.metrics.seconds.labels(self._route)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start_s = time.perf_counter()
        method, sent_headers = scope["method"], header_map(scope["headers"])
        headers, keep = list(self._headers), ""
        request: HttpRequest | None = None
        body: bytes | FileAnswer
        code = None
        try:
            endpoint, request = await self._read(method, sent_headers, scope, receive)
            result = await endpoint.do(request)
            if isinstance(result, WithCookies):
                headers += map(_set_cookie, result.cookies)
                result = result.answer
            if isinstance(result, Redirect):
                headers.append((b"location", result.to.encode("ascii")))
                status, kind, body = 303, endpoint.kind, b""
            else:
                status, kind, body, keep = _encode(endpoint, result)
                headers += _file_headers(result)
        except (Exception, asyncio.CancelledError) as raised:  # noqa: BLE001 - the one place where every error becomes an answer
            error = self._error(raised)
            actor = request.actor if request else None
            reader = reader_of(language_of(sent_headers, self._chosen_language(scope)), actor)
            problem = problem_of(error, reader)
            code, status = problem.code, status_of(problem.code)
            kind, body = await self._refused(Failure(problem, status, reader, actor, _locked_name(error)))
            wait_s = getattr(error, "wait_s", None)
            if wait_s is not None:
                headers.append((b"retry-after", str(wait_s).encode()))
            elif status == 408:
                headers.append((b"connection", b"close"))
            elif status == 503:
                headers.append((b"retry-after", b"1"))
            elif status == 405:
                headers.append((b"allow", self._allow.encode()))
            elif status == 500:
                _LOG.exception("request failed", extra={"fields": {"path": scope["path"][:200]}})
        if request is not None:
            headers += map(_set_cookie, self._cookies(request))
        headers.append((b"cache-control", keep.encode() or b"no-store"))
        if self.compresses and isinstance(body, bytes):
            body = await self._compressed(body, sent_headers, headers, kept=bool(keep))
        await answer(send, status, kind, body, headers, head=method == "HEAD")
        self._count(method, status, time.perf_counter() - start_s)
        if _LOG.isEnabledFor(logging.INFO):
            _log(method, scope, status, time.perf_counter() - start_s, request, code)

    async def _compressed(
        self, body: bytes, sent_headers: dict[str, str], headers: list[tuple[bytes, bytes]], *, kept: bool
    ) -> bytes:
        """The body as the client takes it. Adds the headers that say so."""
        if len(body) < LEAST_BYTES:
            return body
        headers.append((b"vary", b"accept-encoding"))
        if not takes_gzip(sent_headers.get("accept-encoding", "")):
            return body
        headers.append((b"content-encoding", b"gzip"))
        return await compress(body, kept=kept)

    def _error(self, raised: BaseException) -> Exception:
        """What to answer. A request that is cancelled because the server stops gets an answer too."""
        if isinstance(raised, Exception):
            return raised
        if self._service.ready:
            raise raised
        return Refused(WebCode.STOPPING)

    def _chosen_language(self, scope: Scope) -> str | None:  # noqa: ARG002 - pages need it
        """The language that the address names."""
        return None

    def _cookies(self, request: HttpRequest) -> Iterable[str]:  # noqa: ARG002 - pages need it
        """``set-cookie`` values for every answer to this request, including errors."""
        return ()

    async def _refused(self, failure: Failure) -> tuple[str, bytes]:
        """Content type and body of an error."""
        return "application/json", encode_problem(failure.problem)

    async def _read(
        self, method: str, headers: dict[str, str], scope: Scope, receive: Receive
    ) -> tuple[Endpoint, HttpRequest]:
        service, address = self._service, client_key(scope)
        CLIENT_ADDRESS.set(address)
        target = self._by_method.get(method)
        service.limits.requests.take(address, target.endpoint.cost if target else 1)
        service.hosts.require(headers)
        require_no_nul(scope["path"])
        service.client_releases.note(headers.get(CLIENT_HEADER, ""))
        if target is None:
            raise Refused(WebCode.METHOD_NOT_ALLOWED, method=method[:20], allowed=tuple(sorted(self._by_method)))
        require_same_site(service.config, method, headers)
        endpoint = target.endpoint
        body = query = None
        if target.body is not None:
            body = decode_body(target.body, await read_body(headers, receive))
        if endpoint.query is not None:
            query = read_query(endpoint.query, scope["query_string"])
        token = caller(service.config, headers).token or ""
        path = scope.get("path_params", {})
        table = getattr(body, endpoint.names_table) if endpoint.names_table else path.get("table", "")
        terminal = await self._terminal(headers, endpoint)
        TERMINAL.set(terminal)
        shown = table or getattr(query, "table", "")
        standing = await self._standing_at(token, endpoint, terminal, shown)
        viewer = standing.viewer() if standing and standing.locked else None
        shown_locked = isinstance(viewer, Actor)
        actor, locked = (viewer, "") if isinstance(viewer, Actor) else await self._sender(token, endpoint, table)
        return endpoint, HttpRequest(
            service=service,
            path=path,
            address=address,
            headers=headers,
            receive=receive,
            token=token,
            terminal=terminal,
            actor=actor,
            locked=locked,
            on_terminal=standing is not None,
            shown_locked=shown_locked,
            body=body,
            query=query,
            chosen_language=self._chosen_language(scope),
        )

    async def _terminal(self, headers: dict[str, str], endpoint: Endpoint) -> str:
        if endpoint.access is Access.OPEN:
            return ""
        return await self._service.terminals.find(terminal_key(self._service.config, headers))

    async def _standing_at(self, token: str, endpoint: Endpoint, terminal: str, table: str) -> Standing | None:
        """Whose session it is, if it was opened at this terminal and the endpoint is what the terminal shows."""
        return await standing_at(self._service, token, terminal, table) if endpoint.on_terminals else None

    async def _sender(self, token: str, endpoint: Endpoint, table: str) -> tuple[Actor | None, str]:
        """Who sends a request, and the name of the person whose session is locked, if the endpoint is for anybody.

        Outside its bounds a machine's token is nobody's.
        """
        access, sessions = endpoint.access, self._service.sessions
        active = self.for_people or endpoint.method not in SAFE_METHODS
        if not token and access in (Access.ACTOR, Access.SESSION):
            raise FloorRefused(FloorCode.NOT_SIGNED_IN, variant="no_session")
        if access is Access.ACTOR:
            what = f"{endpoint.method} {endpoint.path}"
            actor = await sessions.actor(token, what, active=active)
            if self._is_within_bounds(actor, endpoint, table):
                return actor, ""
            refused = FloorRefused(TableCode.NOT_AUTHORISED, variant="token")
            await self._service.floor.house_log.refuse(actor, what, refused, table[:MAX_NAME_LENGTH])
        if not token or access is not Access.ANYBODY:
            return None, ""
        try:
            session = await sessions.standing(token, active=active)
        except FloorRefused as refused:
            if refused.code is FloorCode.NOT_SIGNED_IN:
                return None, ""  # an expired cookie counts as none
            raise
        locked, standing = session.name if session.locked else "", session.actor()
        if isinstance(standing, FloorRefused) or not self._is_within_bounds(standing, endpoint, table):
            return None, locked
        return standing, locked

    def _is_within_bounds(self, actor: Actor, endpoint: Endpoint, table: str) -> bool:
        return actor.bounds is None or (not self.for_people and actor.bounds.allow(endpoint.work_of_token, table))

    def _count(self, method: str, status: int, took_s: float) -> None:
        key = (method if method in self._by_method else "other", status)
        counter = self._counters.get(key)
        if counter is None:
            counter = self._counters[key] = self._service.metrics.requests.labels(key[0], self._route, status)
        counter.inc()
        self._durations.observe(took_s)


async def standing_at(service: Service, token: str, terminal: str, table: str) -> Standing | None:
    """Whose session it is, if it was opened at this terminal and the terminal shows what belongs to this table.

    A terminal shows its own table; one of the pit shows the pit, for which the table is empty, and every table.
    """
    if not terminal or not token:
        return None
    try:
        standing = await service.sessions.standing(token)
    except FloorRefused:
        return None
    if standing.terminal != terminal:
        return None
    of = (await service.terminals.get(terminal)).table
    return standing if of in (None, table) else None


class _Method:
    """An endpoint with the decoder of its body."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.body: msgspec.json.Decoder[Any] | None = None
        if endpoint.body is not None:
            self.body = msgspec.json.Decoder(endpoint.body)


def _locked_name(error: Exception) -> str:
    """Whose session is locked, if that is why a request was refused; else empty."""
    if isinstance(error, FloorRefused) and error.code is FloorCode.SESSION_LOCKED:
        return str(error.refusal.values["name"])
    return ""


def _set_cookie(cookie: str) -> tuple[bytes, bytes]:
    return b"set-cookie", cookie.encode("latin-1")


def _encode(endpoint: Endpoint, result: Any) -> tuple[int, str, bytes | FileAnswer, str]:
    """Status, content type, body and cache-control."""
    if isinstance(result, FileAnswer):
        return endpoint.status, endpoint.kind, result, ""
    if isinstance(result, Raw):
        return endpoint.status, result.kind, result.body, result.keep
    return endpoint.status, endpoint.kind, b"" if result is None else _ENCODER.encode(result), ""


def _file_headers(result: Any) -> list[tuple[bytes, bytes]]:
    if not isinstance(result, Raw | FileAnswer) or not result.file:
        return []
    return [(b"content-disposition", f"attachment; filename*=UTF-8''{quote(result.file, safe='')}".encode())]


def _log(method: str, scope: Scope, status: int, took_s: float, request: HttpRequest | None, code: str | None) -> None:
    fields: dict[str, Any] = {
        "method": method[:20],
        "path": scope["path"][:200],
        "status": status,
        "ms": round(took_s * 1_000, 2),
    }
    if request is not None:
        if request.actor is not None:
            fields["by"] = request.actor.name
        fields |= request.log_fields
    if code is not None:
        fields["code"] = code
    _LOG.info("request", extra={"fields": fields})


_COMMON_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (RELEASE_HEADER.encode(), punto.__version__.encode()),
]
YEAR_S = 31_536_000
PIECE_BYTES = 1 << 18


def hsts_headers(config: Config) -> list[tuple[bytes, bytes]]:
    """If the server is reached by https only, tell browsers to use nothing else."""
    return [(b"strict-transport-security", f"max-age={YEAR_S}".encode())] if config.secure else []


async def answer(
    send: Send,
    status: int,
    kind: str,
    body: bytes | FileAnswer,
    headers: Iterable[tuple[bytes, bytes]] = (),
    *,
    head: bool = False,
) -> None:
    size = len(body) if isinstance(body, bytes) else body.size
    all_headers = [
        (b"content-type", _JSON if kind == "application/json" else kind.encode()),
        (b"content-length", str(size).encode()),
        *_COMMON_HEADERS,
        *headers,
    ]
    if isinstance(body, bytes):
        await send({"type": "http.response.start", "status": status, "headers": all_headers})
        await send({"type": "http.response.body", "body": b"" if head else body})
        return
    with body.content:
        await send({"type": "http.response.start", "status": status, "headers": all_headers})
        while not head and (piece := await asyncio.to_thread(body.content.read, PIECE_BYTES)):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
