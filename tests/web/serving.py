"""A real server in its own thread, and clients for every position."""

import asyncio
import ssl
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any, TypeVar

import httpx2
from msgspec.structs import replace

from punto.floor.demo.opening_tables import PlannedTable
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.token_bounds import TokenBounds
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.accounts.passwords import Passwords
from punto.floor.running.floor import Floor
from punto.table.records.commands import BuyIn
from punto.table.records.positions import STAFF, Position
from punto.web.config import Config
from punto.web.http.context import Service
from punto.web.server.run import Ready, serve
from tests.floor.play_money import set_rules
from tests.floor.staff_floor import CHEAP, READER
from tests.waiting import DEADLINE_S, wait_until

STAFFED = (*STAFF, Position.AUDITOR, Position.ADMINISTRATOR)
NAMES = {
    Position.PLAYER: "vera",
    Position.DEALER: "dora",
    Position.PIT_SUPERVISOR: "sue",
    Position.PIT_MANAGER: "max",
    Position.SHIFT_MANAGER: "sid",
    Position.CASINO_MANAGER: "cass",
    Position.AUDITOR: "aude",
    Position.ADMINISTRATOR: "adam",
}
"""The name of the person in each position."""
PASSWORD = "a fine long evening"  # noqa: S105 - of a test
FAST = dict.fromkeys(
    (
        "commands_per_s",
        "accepted_per_min",
        "accepted_per_min_from",
        "asks_per_s",
        "sign_ins_per_min",
        "replay_kb_per_s",
    ),
    100_000,
)
"""Limits that no test reaches by accident."""

Result = TypeVar("Result")
TLS = ssl.create_default_context()
"""Not used, but slow to create for every client."""
KEEPS_BRIEFLY = httpx2.Limits(keepalive_expiry=1.0)
"""A client gives up an idle connection before the server does, so no request meets one that is just being closed."""


class Server:
    """A running server and its floor."""

    def __init__(self, config: Config, *, opening: Sequence[PlannedTable] = (), by_account: bool = False) -> None:
        self.config = config
        self._opening, self._by_account = opening, by_account
        self.url = ""
        self.password: str | None = None
        """One-time password of the first administrator; None if this start did not create one."""
        self._service: Service | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: asyncio.Event | None = None
        self._ready = threading.Event()
        self._trouble: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="server")
        self._ids = count(1)
        self._clients: list[httpx2.Client] = []
        self._tokens: dict[Position, str] = {}

    # ---- running

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as trouble:  # noqa: BLE001 - raised in the test
            self._trouble = trouble
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        await serve(
            self.config,
            self._listens,
            Passwords(CHEAP),
            self._ended,
            opening=self._opening,
            by_account=self._by_account,
        )

    def _listens(self, service: Service, ready: Ready) -> None:
        self._service, self.url, self.password = service, ready.address, ready.password
        self._ready.set()

    def start(self) -> None:
        """Start, and wait until it listens."""
        self._thread.start()
        assert self._ready.wait(DEADLINE_S), "the server did not start"
        if self._trouble is not None:
            raise self._trouble

    def stop(self) -> None:
        """Stop cleanly."""
        for client in self._clients:
            client.close()
        if self._loop is not None and self._ended is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(DEADLINE_S)
        assert not self._thread.is_alive(), "the server did not stop"
        if self._trouble is not None:
            raise self._trouble

    @property
    def thread(self) -> str:
        """The name of the thread of its event loop."""
        return self._thread.name

    # ---- behind the door

    @property
    def service(self) -> Service:
        """The service. Run its coroutines with :meth:`run`."""
        assert self._service is not None
        return self._service

    @property
    def floor(self) -> Floor:
        """Run its coroutines with :meth:`run`."""
        return self.service.floor

    def run(self, waiting: Coroutine[Any, Any, Result] | Awaitable[Result]) -> Result:
        """Run a coroutine on the server's event loop, and return its result."""

        async def whole() -> Result:
            return await waiting

        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(whole(), self._loop).result(DEADLINE_S)

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that the server does on its own."""
        wait_until(condition)

    def taken_over(self) -> None:
        """Wait until the server runs every table and has recovered interrupted rounds."""
        self.until(lambda: all(live.held for live in self.floor.tables.values()))

    def next_id(self) -> str:
        """A command id that no other test uses."""
        return f"c{next(self._ids)}"

    # ---- in front of it

    def client(self, token: str | None = None, **options: Any) -> httpx2.Client:
        """A client with this token, or without one."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        client = httpx2.Client(
            base_url=self.url,
            headers=headers,
            timeout=DEADLINE_S,
            trust_env=False,
            verify=TLS,
            limits=KEEPS_BRIEFLY,
            **options,
        )
        self._clients.append(client)
        return client

    def token(self, position: Position, name: str | None = None) -> str:
        """A token for a person in this position. Without a name, always the same person."""
        if name is None and position in self._tokens:
            return self._tokens[position]
        token = self._new_token(position, name or NAMES[position])
        if name is None:
            self._tokens[position] = token
        return token

    def _new_token(self, position: Position, name: str) -> str:
        if position is Position.PLAYER:
            return self.visitor(name)
        return self.run(self._hired(name, position))

    async def _hired(self, name: str, position: Position | None) -> str:
        service = self.service
        once = await service.accounts.create(THE_CONSOLE, name, position)
        token = (await service.sessions.sign_in(name, once)).token
        await service.sessions.change_password(token, once, PASSWORD)
        return token

    def hired(self, name: str, position: Position | None) -> str:
        """The token of a new employee whose password is already changed. They may be off duty."""
        return self.run(self._hired(name, position))

    def visitor(self, name: str) -> str:
        """The token of a visitor. From now on visitors may enter, and all tables of this moment are for play money."""
        return self.run(self._entered(name))

    async def _entered(self, name: str) -> str:
        visitors = self.service.visitors
        rules = await visitors.rules()
        wanted = replace(rules, visitors=True, tables=tuple(sorted({*rules.tables, *self.floor.tables})))
        if rules != wanted:
            await set_rules(visitors, wanted)
            self.service.floor_view.refresh()
        return (await visitors.enter(name)).token

    def chips(self, table: str, who: str, amount_minor: int) -> None:
        """Give somebody chips, as the house does at a play-money table."""
        command = BuyIn(THE_HOUSE.name, THE_HOUSE.position, who, amount_minor)
        answer = self.run(self.floor.give(self.floor.table(table), f"chips {self.next_id()}", command))
        assert answer.refusal is None, answer.refusal

    def an_hour_after_enrolling(self) -> None:
        """From now on the terminals of this moment take PINs, whoever has signed in there."""
        sql = "UPDATE terminals SET enrolled_us = 1"
        self.floor.database.writing(lambda transaction: transaction.change(sql)).result()

    def machine(self, name: str = "scanner", position: Position = Position.DEALER, bounds: TokenBounds = READER) -> str:
        return self.run(self.service.accounts.issue_token(THE_CONSOLE, name, position, bounds))

    def by(self, position: Position) -> httpx2.Client:
        """A client for a person in this position."""
        return self.client(self.token(position))

    def command(self, client: httpx2.Client, table: str, command: str, **fields: Any) -> httpx2.Response:
        """Give a command; returns any answer."""
        body = {"id": self.next_id(), "command": {"command": f"{command}.1", **fields}}
        return client.post(f"/api/tables/{table}/commands", json=body)


@contextmanager
def server(
    db: str, *, opening: Sequence[PlannedTable] = (), by_account: bool = False, **settings: Any
) -> Iterator[Server]:
    """A server for training on this database, at a free port. ``opening`` are the tables of a new floor.

    ``by_account`` says that the test acts through sessions only, so that verify holds all entries against the accounts.
    """
    given = {"db": db, "port": 0, "house_players": 0, "metrics": "here", "training": True, **FAST, **settings}
    running = Server(Config(**given), opening=opening, by_account=by_account)
    running.start()
    try:
        yield running
    finally:
        running.stop()
