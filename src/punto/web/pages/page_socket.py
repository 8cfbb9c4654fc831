"""A page kept up to date: whichever pieces of it have changed are sent again, and the browser morphs them in."""

import asyncio
from urllib.parse import parse_qsl

import msgspec

from punto.floor.errors import FloorRefused
from punto.floor.running.floor import Actor
from punto.web.http.context import Service
from punto.web.http.endpoint import Receive, Scope, Send
from punto.web.http.errors import problem_of
from punto.web.live.connection import CLOSE_BAD_MESSAGE, Closing, Sockets, Speaking
from punto.web.pages.base.i18n import Language
from punto.web.pages.registry import Screens

MOST_QUERY = 500
"""What comes after so many characters of an address is not read."""
AT_MOST_EVERY_S = 0.05
"""What happens within so short a time is shown at once: nobody sees the steps between."""


class PageSockets(Sockets):
    """The sockets of pages: ``/live/<the address of the page>``."""

    def __init__(self, service: Service, screens: Screens) -> None:
        super().__init__(service)
        self._screens = screens

    def client(self, scope: Scope, token: str, actor: Actor | None, receive: Receive, send: Send) -> Speaking:
        """A page."""
        asked = dict(parse_qsl(scope["query_string"].decode("latin-1")[:MOST_QUERY]))
        return LivePage(self._service, token, actor, receive, send).of(
            self._screens, scope["path_params"]["path"], asked
        )


class LivePage(Speaking):
    """One page in one browser."""

    def of(self, screens: Screens, path: str, asked: dict[str, str]) -> "LivePage":
        """Which page it is."""
        self._screens, self._path, self._asked = screens, path, asked
        self._language: Language = "zh" if asked.get("lang") == "zh" else "en"
        self._sent: dict[str, str] = {}
        return self

    async def speak(self) -> None:
        """Send what has changed, for ever."""
        try:
            screen = await self._screens.find(self._path)
        except FloorRefused as refused:
            await self.tell(msgspec.json.encode({"error": problem_of(refused)}))
            raise Closing(CLOSE_BAD_MESSAGE, "there is no such page") from refused
        while True:
            changed = screen.changed()
            pieces = await screen.pieces(self.actor, self._asked, self._language)
            news = {name: html for name, html in pieces.items() if self._sent.get(name) != html}
            if news:
                now_ms = self.service.floor.clock.now_us() // 1_000
                await self.tell(msgspec.json.encode({"now": now_ms, "pieces": news}))
                self._sent |= news
            await changed()
            await asyncio.sleep(AT_MOST_EVERY_S)
