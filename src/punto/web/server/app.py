"""The application: every endpoint at its path, the socket, and one shape of error for everything else."""

import asyncio
from collections.abc import Iterable
from functools import cache

import msgspec
from starlette.routing import BaseRoute, Route, Router, WebSocketRoute

from punto.rules.refusals import Refused
from punto.web.api import ENDPOINTS
from punto.web.http.client_address import is_here
from punto.web.http.context import Service
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw, Receive, Scope, Send
from punto.web.http.errors import WebCode
from punto.web.http.handler import Door
from punto.web.http.headers import header_map
from punto.web.http.language import Reader, language_of
from punto.web.http.openapi import document
from punto.web.live.connection import close_refused
from punto.web.live.table_feed import TableFeeds


async def healthy(_: HttpRequest) -> dict[str, str]:
    """The process answers."""
    return {"status": "alive"}


async def ready(call: HttpRequest) -> dict[str, str]:
    """It can serve: it is not stopping, and the database answers."""
    if not call.service.ready:
        raise Refused(WebCode.STOPPING)
    await call.service.floor.database.read(lambda transaction: transaction.rows("SELECT 1"))
    return {"status": "ready"}


async def metrics(call: HttpRequest) -> Raw:
    """Figures for a monitoring system."""
    service, told = call.service, call.service.config.metrics
    # behind a local proxy that is not configured every client would seem to be on this machine
    here = is_here(call.address) and "x-forwarded-for" not in call.headers
    if told == "off" or (told == "here" and not here):
        raise Refused(WebCode.NOT_FOUND, variant="metrics")
    phases = (live.state.phase for live in service.floor.tables.values())
    return Raw(await service.metrics.written(service.floor.clock, phases), "text/plain; version=0.0.4; charset=utf-8")


class Status(msgspec.Struct, frozen=True):
    """How the server is."""

    status: str


async def described(_: HttpRequest) -> Raw:
    """The OpenAPI document."""
    return Raw(await asyncio.to_thread(_document))


OF_THE_SERVER = (
    Endpoint("GET", "/healthz", healthy, "The process answers", Status, access=Access.ANYBODY, tag="server"),
    Endpoint("GET", "/readyz", ready, "The server can serve", Status, access=Access.ANYBODY, tag="server"),
    Endpoint("GET", "/metrics", metrics, "Figures", access=Access.ANYBODY, kind="text/plain", tag="server"),
)
ALL = (*ENDPOINTS, *OF_THE_SERVER)


@cache
def _document() -> bytes:
    """Made on the first request: it would delay the start."""
    return msgspec.json.encode(document(ALL))


def create_app(service: Service, more: Iterable[BaseRoute] = (), page: type[Door] = Door) -> Router:
    """The application of one server; ``more`` are the routes of its pages, ``page`` answers where there is none."""
    paths: dict[str, list[Endpoint]] = {}
    for endpoint in (*ALL, Endpoint("GET", "/api/openapi.json", described, "This document", access=Access.ANYBODY)):
        paths.setdefault(endpoint.path, []).append(endpoint)
    routes: list[BaseRoute] = [Route(path, Door(service, endpoints)) for path, endpoints in paths.items()]
    routes.append(WebSocketRoute("/api/live", TableFeeds(service)))
    # no middleware: a door turns every exception into an answer
    return Router([*routes, *more], redirect_slashes=False, default=_Nothing(service, page))


class _Nothing:
    """Every other address."""

    def __init__(self, service: Service, page: type[Door]) -> None:
        nothing = [Endpoint("GET", "none", _not_found, "", access=Access.ANYBODY)]
        self._door, self._page = Door(service, nothing), page(service, nothing)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await close_refused(send, Refused(WebCode.NOT_FOUND), Reader(language_of(header_map(scope["headers"]))))
        elif scope["type"] == "http":
            accepts = header_map(scope["headers"]).get("accept", "")
            of_api = scope["path"].startswith("/api/") or "text/html" not in accepts
            await (self._door if of_api else self._page)({**scope, "method": "GET"}, receive, send)


async def _not_found(_: HttpRequest) -> None:
    raise Refused(WebCode.NOT_FOUND)
