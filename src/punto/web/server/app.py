"""The ASGI application: all endpoints, the WebSocket, and an error for every other address."""

import asyncio
from collections.abc import Iterable
from functools import cache

import msgspec
from starlette.routing import BaseRoute, Route, Router, WebSocketRoute

from punto.rules.refusals import Refused
from punto.table.records.positions import Position
from punto.web.api import ENDPOINTS
from punto.web.api.tables import lobby_of
from punto.web.http.client_address import is_this_machine
from punto.web.http.context import Service
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw, Receive, Scope, Send
from punto.web.http.errors import WebCode
from punto.web.http.handler import Handler
from punto.web.http.headers import header_map
from punto.web.http.language import language_of, reader_of
from punto.web.http.openapi import document
from punto.web.live.connection import refuse_socket
from punto.web.live.table_feed import TableFeeds


async def healthy(_: HttpRequest) -> dict[str, str]:
    return {"status": "alive"}


async def ready(call: HttpRequest) -> "Status":
    """The server is not stopping, the database answers and can be written, and tables can be run and shown.

    One table with a fault does not take the server out of service: then the answer is 200 and names it.
    """
    service = call.service
    if not service.ready:
        raise Refused(WebCode.STOPPING)
    if service.floor.database.write_fault is not None:  # its reason may name a path: the log has it
        raise Refused(WebCode.CANNOT_WRITE)
    await service.floor.database.read(lambda transaction: transaction.rows("SELECT 1"))
    await lobby_of(service)
    faulty = service.floor.faulty
    if faulty and {*service.floor.tables} <= {*faulty}:
        raise Refused(WebCode.NO_TABLE_WORKS, tables=faulty)
    return Status("degraded" if faulty else "ready", faulty)


async def metrics(call: HttpRequest) -> Raw:
    service, audience = call.service, call.service.config.metrics
    staff = call.actor is not None and call.actor.position is not Position.PLAYER
    allowed = audience == "all" or (audience != "off" and staff) or (audience == "here" and _is_here(call))
    if not allowed:
        raise Refused(WebCode.NOT_FOUND, variant="metrics")
    phases = (live.state.phase for live in service.floor.tables.values())
    report = await service.metrics.report(service.floor.clock, phases, service.alarms)
    return Raw(report, "text/plain; version=0.0.4; charset=utf-8")


def _is_here(call: HttpRequest) -> bool:
    """Whether the client is on this machine. Behind a proxy on this machine, every client would seem to be."""
    config = call.service.config
    behind_proxy = config.proxies or config.origins or config.hosts or config.secure
    forwarded = any(name in _BY_PROXIES or name.startswith("x-forwarded-") for name in call.headers)
    return is_this_machine(call.address) and not behind_proxy and not forwarded


_BY_PROXIES = frozenset({"forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip"})
"""Headers that proxies add."""


class Status(msgspec.Struct, frozen=True):
    """`alive`: the server is running; `ready`: it accepts requests; `degraded`: so it does, but not at all tables."""

    status: str
    faulty: tuple[str, ...] = ()
    """Tables that cannot be run or shown, or are stopped, because of a fault that the server has logged."""


async def openapi(_: HttpRequest) -> Raw:
    return Raw(await asyncio.to_thread(_document))


SERVER_ENDPOINTS = (
    Endpoint(
        "GET", "/healthz", healthy, "Check that the process is running", Status, access=Access.ANYBODY, tag="server"
    ),
    Endpoint(
        "GET", "/readyz", ready, "Check that the server accepts requests", Status, access=Access.ANYBODY, tag="server"
    ),
    Endpoint("GET", "/metrics", metrics, "Prometheus metrics", access=Access.ANYBODY, kind="text/plain", tag="server"),
)
ALL = (*ENDPOINTS, *SERVER_ENDPOINTS)


@cache
def _document() -> bytes:
    """Made on the first request, because it would delay the start."""
    return msgspec.json.encode(document(ALL))


def create_app(service: Service, more: Iterable[BaseRoute] = (), page: type[Handler] = Handler) -> Router:
    """The application of one server. ``more`` are its pages; ``page`` handles addresses of pages that do not exist."""
    paths: dict[str, list[Endpoint]] = {}
    for endpoint in (
        *ALL,
        Endpoint("GET", "/api/openapi.json", openapi, "This document", access=Access.ANYBODY),
    ):
        paths.setdefault(endpoint.path, []).append(endpoint)
    routes: list[BaseRoute] = [Route(path, Handler(service, endpoints)) for path, endpoints in paths.items()]
    routes.append(WebSocketRoute("/api/live", TableFeeds(service)))
    # no middleware: the handler turns every exception into an answer
    return Router([*routes, *more], redirect_slashes=False, default=_NotFound(service, page))


class _NotFound:
    """Handles every other address."""

    def __init__(self, service: Service, page: type[Handler]) -> None:
        nothing = [Endpoint("GET", "none", _not_found, "", access=Access.ANYBODY)]
        self._door, self._page = Handler(service, nothing), page(service, nothing)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            reader = reader_of(language_of(header_map(scope["headers"])), None)
            await refuse_socket(send, Refused(WebCode.NOT_FOUND), reader)
        elif scope["type"] == "http":
            accepts = header_map(scope["headers"]).get("accept", "")
            of_api = scope["path"].startswith("/api/") or "text/html" not in accepts
            await (self._door if of_api else self._page)({**scope, "method": "GET"}, receive, send)


async def _not_found(_: HttpRequest) -> None:
    raise Refused(WebCode.NOT_FOUND)
