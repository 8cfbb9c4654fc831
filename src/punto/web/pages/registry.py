"""The screens that update live, by the address of their page."""

from collections.abc import Mapping
from functools import partial
from typing import Protocol

from punto.catalogue.sentence import Language
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.web.http.context import Service
from punto.web.pages.approvals import ApprovalsScreen
from punto.web.pages.audit.jobs_page import JobsScreen
from punto.web.pages.board import BoardScreen
from punto.web.pages.dealer.screen import ConsoleScreen
from punto.web.pages.guide.screen import GuideScreen
from punto.web.pages.live.floor_signal import Changed
from punto.web.pages.live.per_table import ByTable
from punto.web.pages.lobby import LobbyScreen
from punto.web.pages.odds import OddsScreen
from punto.web.pages.pit.screen import PitScreen
from punto.web.pages.pit.stops_page import StopsScreen
from punto.web.pages.pit.table_screen import PitTableScreen
from punto.web.pages.table.screen import TableScreen


class Screen(Protocol):
    """A page that updates live."""

    async def pieces(self, actor: Actor | None, query: Mapping[str, str], language: Language) -> dict[str, str]:
        """The current HTML of each piece, by the id of its element."""

    def changed(self) -> Changed:
        """Returns a function that waits for a change after this call. Call it before ``pieces`` to miss none."""


class Screens:
    def __init__(self, service: Service) -> None:
        self._service = service
        self.tables = ByTable(service.table_caches, partial(TableScreen, service))
        self.consoles = ByTable(service.table_caches, partial(ConsoleScreen, service))
        self.guides = ByTable(service.table_caches, partial(GuideScreen, service))
        self.boards = ByTable(service.table_caches, BoardScreen)
        self.odds = ByTable(service.table_caches, OddsScreen)
        self.lobby = LobbyScreen(service)
        self.approvals = ApprovalsScreen(service)
        self.jobs = JobsScreen(service)
        self.pit = PitScreen(service)
        self.stops = StopsScreen(service)
        self.pit_tables = ByTable(service.table_caches, partial(PitTableScreen, self.pit))

    async def find(self, path: str) -> Screen:
        match path.strip("/").split("/"):
            case [""]:
                return self.lobby
            case ["approvals"]:
                return self.approvals
            case ["audit", "jobs"]:
                return self.jobs
            case ["pit"]:
                return self.pit
            case ["pit", "stops"]:
                return self.stops
            case ["pit", "tables", table]:
                return await self.pit_tables.of(table)
            case ["tables", table]:
                return await self.tables.of(table)
            case ["tables", table, "deal"]:
                return await self.consoles.of(table)
            case ["tables", table, "guide"]:
                return await self.guides.of(table)
            case ["tables", table, "board"]:
                return await self.boards.of(table)
            case ["tables", table, "odds"] if self._service.config.odds:
                return await self.odds.of(table)
        raise FloorRefused(FloorCode.UNKNOWN_TABLE, variant="page")
