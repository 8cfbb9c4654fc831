"""Terminals: browsers enrolled for a table or for the pit."""

from punto.floor.people.accounts.terminals import Terminal
from punto.web.http.auth import terminal_cookie
from punto.web.http.endpoint import Endpoint, HttpRequest, WithCookies
from punto.web.messages import Message, RequestBody


class TerminalRequest(RequestBody, frozen=True):
    """Makes this browser a terminal of a table; `table` null: of the pit."""

    table: str | None
    title: str


class TerminalList(Message, frozen=True):
    """The terminals that were not revoked, oldest first, and which of them this browser is, if any."""

    terminals: tuple[Terminal, ...]
    here: str | None


async def enrol(call: HttpRequest) -> WithCookies:
    request = call.body
    enrolled = await call.service.terminals.enrol(call.by, call.token, request.table, request.title, call.terminal)
    return WithCookies(enrolled.terminal, (terminal_cookie(call.service.config, enrolled.key),))


async def list_terminals(call: HttpRequest) -> TerminalList:
    terminals = await call.service.terminals.list(call.by)
    return TerminalList(terminals=tuple(terminals), here=call.terminal or None)


async def revoke(call: HttpRequest) -> None:
    await call.service.terminals.revoke(call.by, call.path["terminal"])


ENDPOINTS = (
    Endpoint("GET", "/api/terminals", list_terminals, "List the terminals", TerminalList, tag="terminals"),
    Endpoint(
        "POST",
        "/api/terminals",
        enrol,
        "Make this browser a terminal",
        Terminal,
        TerminalRequest,
        status=201,
        tag="terminals",
    ),
    Endpoint("DELETE", "/api/terminals/{terminal}", revoke, "Revoke a terminal", status=204, tag="terminals"),
)
