"""Which page is kept up to date by what."""

from collections.abc import Mapping
from functools import partial
from typing import Protocol

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.web.http.context import Service
from punto.web.pages.base.i18n import Language
from punto.web.pages.board import BoardScreen
from punto.web.pages.live.floor_signal import Changed
from punto.web.pages.live.per_table import ByTable
from punto.web.pages.lobby import LobbyScreen
from punto.web.pages.odds import OddsScreen
from punto.web.pages.table.screen import TableScreen


class Screen(Protocol):
    """A page that moves."""

    async def pieces(self, actor: Actor | None, asked: Mapping[str, str], language: Language) -> dict[str, str]:
        """Its pieces as they are now, by the ids of their elements."""

    def changed(self) -> Changed:
        """From now on: how to wait until something has changed."""


class Screens:
    """All of them."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.tables = ByTable(service.showings, partial(TableScreen, service))
        self.boards = ByTable(service.showings, BoardScreen)
        self.odds = ByTable(service.showings, OddsScreen)
        self.lobby = LobbyScreen(service)

    async def find(self, path: str) -> Screen:
        """The screen of a page's address."""
        match path.strip("/").split("/"):
            case [""]:
                return self.lobby
            case ["tables", table]:
                return await self.tables.of(table)
            case ["tables", table, "board"]:
                return await self.boards.of(table)
            case ["tables", table, "odds"] if self._service.config.odds:
                return await self.odds.of(table)
        raise FloorRefused(FloorCode.UNKNOWN_TABLE, variant="page")
