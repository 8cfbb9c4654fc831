"""From an ASGI scope to an endpoint and back: who sends a request, the answer or the error, the log."""

import logging
import time
from collections.abc import Iterable
from typing import Any

import msgspec

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.rules.refusals import Refused
from punto.web.config import Config
from punto.web.http.auth import caller, require_same_site
from punto.web.http.body import decode_body, read_body, read_query
from punto.web.http.client_address import address_of
from punto.web.http.context import Service
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw, Receive, Scope, Send, WithCookies
from punto.web.http.errors import WebCode, encoded, problem_of, status_of
from punto.web.http.headers import header_map
from punto.web.http.language import Reader, language_of, reader_of
from punto.web.messages import Problem

_JSON = b"application/json"
_LOG = logging.getLogger("punto.web")
_ENCODER = msgspec.json.Encoder()


class Door:
    """All methods of one path, as an ASGI application."""

    policy = "default-src 'none'; frame-ancestors 'none'"
    """The content security policy of its answers."""

    def __init__(self, service: Service, endpoints: list[Endpoint]) -> None:
        self._service = service
        self._by_method = {endpoint.method: _Method(endpoint) for endpoint in endpoints}
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
        method, sent_headers = scope["method"], header_map(scope["headers"])
        headers, keep = list(self._always), ""
        request: HttpRequest | None = None
        code = None
        try:
            endpoint, request = await self._read(method, sent_headers, scope, receive)
            answered = await endpoint.do(request)
            if isinstance(answered, WithCookies):
                headers += map(_set_cookie, answered.cookies)
                answered = answered.answer
            status, kind, body, keep = _encoded(endpoint, answered)
        except Exception as trouble:  # noqa: BLE001 - the one place where whatever went wrong becomes an answer
            actor = request.actor if request else None
            reader = reader_of(request.language if request else language_of(sent_headers), actor)
            problem = problem_of(trouble, reader)
            code, status = problem.code, status_of(problem.code)
            kind, body = await self._refused(reader, actor, problem, status)
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
        if request is not None:
            headers += map(_set_cookie, self._cookies(request))
        headers.append((b"cache-control", keep.encode() or b"no-store"))
        await answer(send, status, kind, body, headers, head=method == "HEAD")
        self._count(method, status, time.perf_counter() - began_s)
        if _LOG.isEnabledFor(logging.INFO):
            _log(method, scope, status, time.perf_counter() - began_s, request, code)

    def _cookies(self, request: HttpRequest) -> Iterable[str]:  # noqa: ARG002 - pages need it
        """The cookies that go with every answer to a request, an error too."""
        return ()

    async def _refused(
        self,
        reader: Reader,  # noqa: ARG002 - pages need it
        actor: Actor | None,  # noqa: ARG002 - pages need it
        problem: Problem,
        status: int,  # noqa: ARG002 - pages need it
    ) -> tuple[str, bytes]:
        return "application/json", encoded(problem)

    async def _read(
        self, method: str, headers: dict[str, str], scope: Scope, receive: Receive
    ) -> tuple[Endpoint, HttpRequest]:
        service, address = self._service, address_of(scope)
        known = self._by_method.get(method)
        service.limits.asks.take(address, known.endpoint.cost if known else 1)
        service.hosts.require(headers)
        if known is None:
            raise Refused(WebCode.METHOD_NOT_ALLOWED, method=method[:20], allowed=self._allow)
        require_same_site(service.config, method, headers)
        endpoint = known.endpoint
        body = query = None
        if known.body is not None:
            body = decode_body(known.body, await read_body(headers, receive))
        if endpoint.query is not None:
            query = read_query(endpoint.query, scope["query_string"])
        token = caller(service.config, headers).token or ""
        return endpoint, HttpRequest(
            service=service,
            path=scope.get("path_params", {}),
            address=address,
            headers=headers,
            token=token,
            actor=await self._actor(token, endpoint),
            body=body,
            query=query,
        )

    async def _actor(self, token: str, endpoint: Endpoint) -> Actor | None:
        access, sessions = endpoint.access, self._service.sessions
        if not token and access in (Access.ACTOR, Access.SESSION):
            raise FloorRefused(FloorCode.NOT_SIGNED_IN, variant="no_session")
        if access is Access.ACTOR:
            return await sessions.actor(token, f"{endpoint.method} {endpoint.path}")
        if not token or access is not Access.ANYBODY:
            return None
        try:
            held = await sessions.standing(token)
        except FloorRefused as refused:
            if refused.code is FloorCode.NOT_SIGNED_IN:
                return None  # an expired cookie is no cookie
            raise
        actor = held.actor()
        return None if isinstance(actor, FloorRefused) else actor

    def _count(self, method: str, status: int, took_s: float) -> None:
        known = (method if method in self._by_method else "other", status)
        counted = self._counted.get(known)
        if counted is None:
            counted = self._counted[known] = self._service.metrics.requests.labels(known[0], self._route, status)
        counted.inc()
        self._took.observe(took_s)


class _Method:
    """An endpoint with the decoder of its body."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.body: msgspec.json.Decoder[Any] | None = None
        if endpoint.body is not None:
            self.body = msgspec.json.Decoder(endpoint.body)


def _set_cookie(cookie: str) -> tuple[bytes, bytes]:
    """The header that makes a browser keep or forget a cookie."""
    return b"set-cookie", cookie.encode("latin-1")


def _encoded(endpoint: Endpoint, answered: Any) -> tuple[int, str, bytes, str]:
    """Status, content type, body and cache-control."""
    if isinstance(answered, Raw):
        return endpoint.status, answered.kind, answered.body, answered.keep
    return endpoint.status, endpoint.kind, b"" if answered is None else _ENCODER.encode(answered), ""


def _log(method: str, scope: Scope, status: int, took_s: float, request: HttpRequest | None, code: str | None) -> None:
    said: dict[str, Any] = {
        "method": method[:20],
        "path": scope["path"][:200],
        "status": status,
        "ms": round(took_s * 1_000, 2),
    }
    if request is not None:
        if request.actor is not None:
            said["by"] = request.actor.name
        said |= request.noted
    if code is not None:
        said["code"] = code
    _LOG.info("request", extra={"said": said})


_ALWAYS = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"same-origin")]
YEAR_S = 31_536_000


def https_alone(config: Config) -> list[tuple[bytes, bytes]]:
    """Where the server is reached by https only, browsers are told never to try anything else."""
    return [(b"strict-transport-security", f"max-age={YEAR_S}".encode())] if config.secure else []


async def answer(
    send: Send,
    status: int,
    kind: str,
    body: bytes,
    headers: Iterable[tuple[bytes, bytes]] = (),
    *,
    head: bool = False,
) -> None:
    """Send one whole answer."""
    sent = [
        (b"content-type", _JSON if kind == "application/json" else kind.encode()),
        (b"content-length", str(len(body)).encode()),
        *_ALWAYS,
        *headers,
    ]
    await send({"type": "http.response.start", "status": status, "headers": sent})
    await send({"type": "http.response.body", "body": b"" if head else body})
