"""For any number of watchers, the database is read once per change. Slow work is done in a thread."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import wraps
from pathlib import Path
from typing import Any

import jinja2
import pytest

from punto import library
from punto.floor.database.base import Database
from punto.floor.people import floor_facts
from punto.floor.running.floor import Floor
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.positions import Position
from punto.web.api import commands, history
from punto.web.config import Config
from punto.web.http import metrics
from punto.web.http.context import Service
from punto.web.http.language import Reader
from punto.web.live.connection import Connection, SocketClient
from punto.web.live.table_feed import TableFeed
from punto.web.pages import odds, rules
from punto.web.pages.base import templates
from punto.web.pages.page_socket import LivePage
from punto.web.pages.parts import bet_odds
from punto.web.pages.registry import Screens
from punto.web.server import app
from punto.web.views import offer_worth
from tests.floor.playing import DEALER, MANAGER, SUPERVISOR, At, betting_table, running
from tests.web.pages.test_pages_kept import counted
from tests.web.serving import Server

PAGES = ("", "tables/t1", "tables/t1/board")
MOVES = ("open_betting", "close_betting", "deal_card")
AGAINST_HANGING_S = 120.0
"""Long: these tests do not depend on time."""


class Watcher:
    """A client at a simulated WebSocket."""

    def __init__(self, make: Callable[[SocketClient], Connection], service: Service, says: str = "") -> None:
        self.messages: asyncio.Queue[str] = asyncio.Queue()
        self._says = [says] if says else []
        self._connection = make(SocketClient(service, "192.0.2.1", "", None, self._receive, self._send, Reader()))

    async def _receive(self) -> dict[str, Any]:
        if self._says:
            return {"type": "websocket.receive", "text": self._says.pop()}
        await asyncio.Event().wait()
        return {}

    async def _send(self, message: dict[str, Any]) -> None:
        assert message["type"] == "websocket.send", message
        self.messages.put_nowait(message["text"])

    async def __aenter__(self) -> "Watcher":
        self._serving = asyncio.create_task(self._connection.serve())
        await self.messages.get()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._serving.cancel()
        await asyncio.gather(self._serving, return_exceptions=True)


async def _sealed_table(floor: Floor) -> At:
    """A table with a virtual shoe, driven by commands."""
    await floor.create_table(MANAGER, TableSetup("t1", "commission-insurance", ShoeKind.VIRTUAL))
    at = At(floor, "t1")
    await at.open("commission-insurance")
    await at.do(SUPERVISOR, "load_shoe", shoe="t1 1", decks=8)
    await at.seat("ann")
    return at


async def _reads(path: str, watchers: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Number of database reads from the first watcher until all have seen the table change."""
    async with running(path) as floor:
        at, service = await _sealed_table(floor), Service(floor, Config(db=path))
        screens, read, reads = Screens(service), Database.read, list[object]()

        def counted(database: Database, work: Any, *, long: bool = False) -> "asyncio.Future[Any]":
            reads.append(work)
            return read(database, work, long=long)

        monkeypatch.setattr(Database, "read", counted)
        async with AsyncExitStack() as stack, asyncio.timeout(AGAINST_HANGING_S):
            open_at = [
                Watcher(lambda client, page=page: LivePage(client, screens, page, {}), service)  # type: ignore[misc]
                for page in PAGES
                for _ in range(watchers)
            ]
            open_at += [Watcher(TableFeed, service, '{"ask":"watch","table":"t1"}') for _ in range(watchers)]
            await asyncio.gather(*(stack.enter_async_context(each) for each in open_at))
            for move in MOVES:
                await at.do(DEALER, move)
                for each in open_at:
                    await each.messages.get()
        monkeypatch.setattr(Database, "read", read)
        return len(reads)


def test_the_database_is_read_once_a_change_however_many_watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floor_facts, "REFRESH_S", 3_600.0)  # looks of their own are not counted
    few, many = (asyncio.run(_reads(str(tmp_path / f"{watchers}.db"), watchers, monkeypatch)) for watchers in (1, 12))
    assert few == many


def test_whatever_shows_the_rules_of_the_floor_reads_them_together(
    served: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(floor_facts, "REFRESH_S", 3_600.0)
    reads = counted(monkeypatch, floor_facts.FloorFacts, "_read")  # house players ask for themselves
    served.service.floor_view.refresh()
    for path in ("/", "/enter", "/api/tables", "/api/tables"):
        assert served.client().get(path).status_code == 200
    assert len(reads) == 1


# ---- threads


class Threads:
    """Records the threads in which functions run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.of: dict[str, set[str]] = {}

    def note(self, owner: Any, name: str) -> None:
        """Record the threads of this function from now on."""
        done: Callable[..., Any] = getattr(owner, name)
        seen = self.of.setdefault(name, set())

        @wraps(done)
        def noted(*said: Any, **fields: Any) -> Any:
            seen.add(threading.current_thread().name)
            return done(*said, **fields)

        self._monkeypatch.setattr(owner, name, noted)


def test_nothing_slow_is_done_on_the_event_loop(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    at = served.run(betting_table(served.floor, "t1", "commission-insurance"))
    served.run(at.bet("ann", 100_00, bet="banker"))
    for cached in (templates.templates, bet_odds.bet_odds, odds.draw_bets, odds.draw_cells, rules.draw_book):
        cached.cache_clear()
    app._document.cache_clear()
    templates._COMPILED.clear()
    library._shipped.cache_clear()
    library.readings.cache_clear()
    threads = Threads(monkeypatch)
    for owner, name in (
        (jinja2.Environment, "compile"),
        (bet_odds, "full_shoe_figures"),
        (odds, "full_shoe_figures"),
        (odds, "show_insurance"),
        (offer_worth, "offer_figures"),
        (rules, "chapters"),
        (history, "read_round"),
        (app, "document"),
        (commands, "legal"),
        (metrics, "generate_latest"),
        (library, "read_book"),
        (library, "read_readings"),
    ):
        threads.note(owner, name)
    served.run(at.do(DEALER, "close_betting"))
    for card in ("As", "2s", "Ad", "3d"):
        served.run(at.do(DEALER, "deal_card", card=card))
    served.run(at.do(DEALER, "open_insurance"))
    client = served.client()
    pages = ("/", "/tables/t1", "/tables/t1/board", "/tables/t1/odds", "/tables/t1/fairness", "/tables/t1/history")
    more = ("/enter", "/rules/tiger-buffalo", "/rules/commission/1", "/api/books", "/api/openapi.json", "/metrics")
    for path in (*pages, *more):
        assert client.get(path).status_code in (200, 404), path
    assert served.by(Position.SHIFT_MANAGER).get("/api/tables/t1/legal").status_code == 200
    client.get("/nothing", headers={"accept": "text/html"})
    assert served.by(Position.DEALER).get("/api/tables/t1/rounds").status_code == 200
    assert all(threads.of.values()), f"not done at all: {threads.of}"
    assert {name: seen for name, seen in threads.of.items() if served.thread in seen} == {}
