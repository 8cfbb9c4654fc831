"""A page kept up to date: whichever pieces of it have changed are sent again, and the browser morphs them in."""

import asyncio
from urllib.parse import parse_qsl

import msgspec

from punto.floor.errors import FloorCode, FloorRefused
from punto.web.http.context import Service
from punto.web.http.endpoint import Scope
from punto.web.http.errors import problem_of
from punto.web.http.language import language_of, reader_of
from punto.web.live.connection import CLOSE_BAD_MESSAGE, Closing, Connection, SocketClient, Sockets
from punto.web.pages.registry import Screens

MAX_QUERY = 500
"""Characters of a query that are read."""
MIN_INTERVAL_S = 0.05
"""Changes that follow one another sooner are sent together."""


class PageSockets(Sockets):
    """The sockets of pages: ``/live/<the address of the page>``."""

    def __init__(self, service: Service, screens: Screens) -> None:
        super().__init__(service)
        self._screens = screens

    def connection(self, scope: Scope, client: SocketClient) -> Connection:
        """One page in one browser."""
        asked = dict(parse_qsl(scope["query_string"].decode("latin-1")[:MAX_QUERY]))
        return LivePage(client, self._screens, scope["path_params"]["path"], asked)


class LivePage(Connection):
    """One page in one browser."""

    def __init__(self, client: SocketClient, screens: Screens, path: str, asked: dict[str, str]) -> None:
        super().__init__(client)
        self._screens, self._path, self._asked = screens, path, asked
        language = language_of({}, asked["lang"]) if "lang" in asked else client.reader.language
        self.reader = reader_of(language, client.actor)
        self._sent: dict[str, str] = {}

    async def speak(self) -> None:
        """Send what has changed, until the socket is closed."""
        try:
            screen = await self._screens.find(self._path)
        except FloorRefused as refused:
            await self.tell(msgspec.json.encode({"error": problem_of(refused, self.reader)}))
            raise Closing(CLOSE_BAD_MESSAGE, FloorCode.UNKNOWN_TABLE, variant="page") from refused
        while True:
            changed = screen.changed()
            pieces = await screen.pieces(self.actor, self._asked, self.reader.language)
            news = {name: html for name, html in pieces.items() if self._sent.get(name) != html}
            if news:
                now_ms = self.service.floor.clock.now_us() // 1_000
                await self.tell(msgspec.json.encode({"now": now_ms, "pieces": news}))
                self._sent |= news
            await changed()
            await asyncio.sleep(MIN_INTERVAL_S)
