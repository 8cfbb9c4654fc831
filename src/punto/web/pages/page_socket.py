"""Live updates of a page: the pieces that have changed are sent again, and the browser morphs them in."""

import asyncio
from contextlib import ExitStack
from typing import Any
from urllib.parse import parse_qsl

import msgspec

import punto
from punto.floor.errors import FloorCode, FloorRefused
from punto.web.http.auth import Caller, terminal_key
from punto.web.http.context import Service
from punto.web.http.endpoint import Scope
from punto.web.http.errors import problem_of
from punto.web.http.handler import standing_at
from punto.web.http.language import known_language, reader_of
from punto.web.live.connection import CLOSE_BAD_MESSAGE, Closing, Connection, SocketClient, Sockets
from punto.web.pages.base.layout import StopBanner, shown_stops, visitor
from punto.web.pages.base.templates import compile_templates, render
from punto.web.pages.dealer.screen import ConsoleScreen
from punto.web.pages.guide.screen import GuideScreen
from punto.web.pages.live.floor_signal import Changed
from punto.web.pages.pit.screen import PitScreen
from punto.web.pages.pit.table_screen import PitTableScreen
from punto.web.pages.registry import Screen, Screens
from punto.web.pages.table.screen import TableScreen

MAX_QUERY_LENGTH = 500
"""Anything longer is cut off."""
PAGE_INTERVAL_S = 0.05
"""Changes within this time are sent together."""
INTERVALS_S: dict[type[Screen], float] = {
    ConsoleScreen: 0.0,
    GuideScreen: 0.0,
    PitTableScreen: 0.0,
    PitScreen: 0.25,
}
"""Of the screens that differ: a person who types waits for every key, and nobody reads a whole pit faster than this."""
HEARTBEAT_S = 1.0
"""A page that hears nothing for longer knows that its line is lost: see ``static/live/line.js``."""


class PageSockets(Sockets):
    """The WebSockets of pages, at ``/live/<address of the page>``."""

    def __init__(self, service: Service, screens: Screens) -> None:
        super().__init__(service)
        self._screens = screens

    async def _is_on_terminal(self, scope: Scope, who: Caller, headers: dict[str, str]) -> bool:
        table = shown_table(scope["path_params"]["path"])
        if table is None:
            return False
        terminal = await self._service.terminals.find(terminal_key(self._service.config, headers))
        return await standing_at(self._service, who.token or "", terminal, table) is not None

    def connection(self, scope: Scope, client: SocketClient) -> Connection:
        query = dict(parse_qsl(scope["query_string"].decode("latin-1")[:MAX_QUERY_LENGTH]))
        client.service.client_releases.note(query.pop("release", ""))
        return LivePage(client, self._screens, scope["path_params"]["path"], query)


def shown_table(path: str) -> str | None:
    """The table of a page that terminals show, empty for the pit; None for all other pages."""
    match path.strip("/").split("/"):
        case ["pit"]:
            return ""
        case ["pit", "tables", table] | ["tables", table, "deal" | "guide"]:
            return table
    return None


class LivePage(Connection):
    """One page in one browser."""

    def __init__(self, client: SocketClient, screens: Screens, path: str, query: dict[str, str]) -> None:
        super().__init__(client)
        self._screens, self._path, self._query = screens, path, query
        self.reader = reader_of(known_language(query.get("lang")) or client.reader.language, client.actor)
        self._sent: dict[str, str] = {}
        self._viewer = None if client.actor is not None and client.actor.bounds is not None else client.actor
        """Pages are for people: to a machine they show what anybody sees."""

    async def send_updates(self) -> None:
        """Send the changed pieces until the connection is closed."""
        try:
            screen = await self._screens.find(self._path)
        except FloorRefused as refused:
            await self.send(msgspec.json.encode({"error": problem_of(refused, self.reader)}))
            raise Closing(CLOSE_BAD_MESSAGE, FloorCode.UNKNOWN_TABLE, variant="page") from refused
        await compile_templates(StopBanner)
        with ExitStack() as stack:
            if isinstance(screen, TableScreen):
                stack.enter_context(self.service.floor.watched_by(screen.cache.live, self._viewer))
            await self._send_pieces(screen)

    async def _send_pieces(self, screen: Screen) -> None:
        while True:
            changed = screen.changed()
            pieces = {**await screen.pieces(self._viewer, self._query, self.reader.language), **self._banner()}
            updates = {name: html for name, html in pieces.items() if self._sent.get(name) != html}
            if updates:
                message = {**self._beat(), "release": punto.__version__, "pieces": updates}
                await self.send(msgspec.json.encode(message))
                self._sent |= updates
            await self._send_heartbeats(changed)
            if interval_s := INTERVALS_S.get(type(screen), PAGE_INTERVAL_S):
                await asyncio.sleep(interval_s)

    def _banner(self) -> dict[str, str]:
        """What is stopped, for staff."""
        who = visitor(self._viewer)
        if who is None or not who.is_staff:
            return {}
        stopped = shown_stops(self.service.floor, self._viewer, self.reader.language)
        return {"stops": render(StopBanner(stopped=stopped, who=who), self.reader.language)}

    async def _send_heartbeats(self, changed: Changed) -> None:
        """Returns when the page may have changed."""
        waiting = asyncio.ensure_future(changed())
        try:
            while not (await asyncio.wait((waiting,), timeout=HEARTBEAT_S))[0]:
                await self.send(msgspec.json.encode(self._beat()))
            await waiting
        finally:
            waiting.cancel()

    def _beat(self) -> dict[str, Any]:
        now_ms = self.service.floor.clock.now_us() // 1_000
        return {"now": now_ms, "locked": True} if self.locked else {"now": now_ms}
