"""A client continues after lost connections and server restarts: every event once, in order."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path

import pytest

from punto.client import Client, ClientRefused, order, retry
from punto.floor.journal.entry import Entry
from punto.library import book
from punto.table.records.commands import CashOut, CloseTable, OpenTable
from punto.web.messages import EventView, Moved
from tests.client.conftest import Served
from tests.client.cutting import CuttingProxy
from tests.client.served import Server, async_client_at, by_hand, client_at, journal_of, prepared, told_of
from tests.table.tables import settings
from tests.waiting import DEADLINE_S

pytestmark = pytest.mark.crash

PIECES, PIECE = 20, 10
"""Commands are given in this many batches of this size."""


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections are cut often here, so long waits would only slow the tests."""
    monkeypatch.setattr(retry, "FIRST_WAIT_S", 0.02)
    monkeypatch.setattr(retry, "LONGEST_WAIT_S", 0.3)


def _same(received: list[EventView], entries: list[Entry]) -> None:
    """The events received are those of the journal, from the first entry on."""
    assert [_view(view) for view in received] == [_row(entry) for entry in entries[: len(received)]]


def _view(view: EventView) -> tuple[object, ...]:
    return view.cursor, view.at_us, view.by, view.position, view.command_id, view.event


def _row(entry: Entry) -> tuple[object, ...]:
    cursor = f"{entry.stream.rpartition('/')[2]}/{entry.version}"
    return cursor, entry.at_us, entry.actor, entry.position, entry.command_id, told_of(entry)


class _Received:
    """The events that one watcher has received. At certain counts an action is run on the server."""

    def __init__(self, wanted: int, at: tuple[int, ...] = (), do: Callable[[], None] = lambda: None) -> None:
        self.events: list[EventView] = []
        self._wanted, self._at, self._do = wanted, list(at), do
        self._doing: list[threading.Thread] = []
        self._more = threading.Condition()

    def take(self, moved: Moved) -> bool:
        """Whether enough events have come."""
        with self._more:
            self.events += moved.events
            self._more.notify_all()
        if moved.events:
            assert moved.cursor == moved.events[-1].cursor
        while self._at and len(self.events) >= self._at[0]:
            self._at.pop(0)
            self.wait()  # wait for the last action: a server is killed only once it is up again
            self._doing.append(threading.Thread(target=self._do))  # in a thread: the watcher must not wait for it
            self._doing[-1].start()
        return len(self.events) >= self._wanted

    def wait_for(self, events: int) -> None:
        """Watch until this many events have come."""
        with self._more:
            assert self._more.wait_for(lambda: len(self.events) >= events, DEADLINE_S), f"only {len(self.events)}"

    def wait(self) -> None:
        """Wait for all actions."""
        for thread in self._doing:
            thread.join(DEADLINE_S)
            assert not thread.is_alive()


def _watch(client: Client, received: _Received, table: str = "salon 1") -> None:
    for moved in client.watch(table, "1/0"):
        if received.take(moved):
            return


async def _watch_async(url: str, token: str, received: _Received, table: str = "salon 1") -> None:
    async with async_client_at(url, token) as client:
        async for moved in client.watch(table, "1/0"):
            if received.take(moved):
                return


@pytest.mark.nightly
def test_a_server_is_killed_and_started_again_while_two_watch(busy: Served) -> None:
    server = busy.server
    ends = iter((server.kill, server.stop, server.kill))

    def restart() -> None:
        next(ends)()
        server.start()

    first, second = _Received(400, (60, 150, 290), restart), _Received(400)
    beside = threading.Thread(target=lambda: asyncio.run(_watch_async(busy.url, busy.token, second)))
    beside.start()
    with client_at(busy.url, busy.token) as client:
        _watch(client, first)
    beside.join(DEADLINE_S)
    first.wait()
    server.stop()
    entries = journal_of(busy.db)
    assert len(first.events) >= 400
    assert len(second.events) >= 400
    _same(first.events, entries)
    _same(second.events, entries)
    assert sum(entry.command_id.startswith("recovery:") for entry in entries) >= 1, "no kill came into a round"


def _watch_over_a_cut_line(hall: Served, salon: str, seed: int, watch: Callable[[str, _Received], None]) -> None:
    """One client gives commands over a good connection, another watches over one that is cut, and keeps up."""
    with client_at(hall.url, hall.token) as client:
        before = client.table(salon).state.version
    received = _Received(before + PIECES * PIECE)
    with CuttingProxy(hall.server.port, seed, 300, 15_000) as proxy, client_at(hall.url, hall.token) as client:
        watching = threading.Thread(target=watch, args=(proxy.url, received))
        watching.start()
        for number in range(1, PIECES * PIECE + 1):
            client.give(salon, order(CashOut, who="ann", amount_minor=number))
            if number % PIECE == 0:
                received.wait_for(before + number)
        watching.join(DEADLINE_S)
        assert not watching.is_alive()
        assert proxy.cuts >= PIECES // 2
    _same(received.events, journal_of(hall.db, salon))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_line_is_cut_again_and_again_while_one_watches(hall: Served, salon: str, seed: int) -> None:
    def watch(url: str, received: _Received) -> None:
        with client_at(url, hall.token) as client:
            _watch(client, received, salon)

    _watch_over_a_cut_line(hall, salon, seed, watch)


def test_the_line_is_cut_again_and_again_for_one_in_an_event_loop(hall: Served, salon: str) -> None:
    def watch(url: str, received: _Received) -> None:
        asyncio.run(_watch_async(url, hall.token, received, salon))

    _watch_over_a_cut_line(hall, salon, 3, watch)


def test_nothing_is_done_twice_over_a_line_that_is_cut(hall: Served, salon: str) -> None:
    """Cut before or after the server has a command, or within its answer, the command takes effect once."""
    times = 60
    with CuttingProxy(hall.server.port, 4, 300, 6_000) as proxy, client_at(proxy.url, hall.token) as client:
        given = [client.give(salon, order(CashOut, who="ann", amount_minor=number)) for number in range(1, times + 1)]
        assert proxy.cuts >= times // 10
    cashed = [entry for entry in journal_of(hall.db, salon) if entry.actor == "sam"]
    assert [_row(entry)[0] for entry in cashed] == [accepted.cursor for accepted in given]
    assert [told_of(entry)["postings"] for entry in cashed] == [
        accepted.events[0].event["postings"] for accepted in given
    ]
    assert sum(amount for entry in cashed for account, amount in told_of(entry)["postings"] if amount > 0) == sum(
        range(1, times + 1)
    )


def test_the_same_for_many_at_once_in_an_event_loop(hall: Served, salon: str) -> None:
    async def give(url: str) -> list[str]:
        async with async_client_at(url, hall.token) as client:
            orders = [order(CashOut, who="ann", amount_minor=number) for number in range(1, 41)]
            answers = await asyncio.gather(*(client.give(salon, one) for one in orders))
            return [answer.cursor for answer in answers]

    with CuttingProxy(hall.server.port, 5, 300, 4_000) as proxy:
        cursors = asyncio.run(give(proxy.url))
        assert proxy.cuts >= 8
    cashed = [str(_row(entry)[0]) for entry in journal_of(hall.db, salon) if entry.actor == "sam"]
    assert len(cashed) == 40
    assert sorted(cashed) == sorted(cursors)


def test_commands_are_answered_over_the_death_of_a_server(quiet: Served) -> None:
    """A command given while the server is down takes effect once it is back."""
    with client_at(quiet.url, quiet.token) as client:
        first = client.give("salon 1", order(CashOut, who="ann", amount_minor=1), id="mine")
        quiet.server.kill()
        back = threading.Thread(target=quiet.server.start)
        back.start()
        second = client.give("salon 1", order(CashOut, who="ann", amount_minor=2))
        again = client.give("salon 1", order(CashOut, who="ann", amount_minor=1), id="mine")
        back.join(DEADLINE_S)
        assert again == first
        with pytest.raises(ClientRefused) as refused:
            client.give("salon 1", order(CashOut, who="ann", amount_minor=3), id="mine")
    assert (refused.value.code, refused.value.status) == ("command_id_taken", 409)
    assert second.cursor > first.cursor
    quiet.server.stop()
    assert [_row(entry)[0] for entry in journal_of(quiet.db) if entry.actor == "sam"] == [first.cursor, second.cursor]


def test_nothing_is_done_twice_over_the_deaths_of_a_server(quiet: Served) -> None:
    """If the server is killed before or after it has a command, each takes effect once, in order."""
    server = quiet.server

    def restart() -> None:
        server.kill()
        server.start()

    given, deaths = [], list[threading.Thread]()
    with client_at(quiet.url, quiet.token) as client:
        for number in range(1, 61):
            if number % 15 == 0:
                deaths.append(threading.Thread(target=restart))
                deaths[-1].start()
            given.append(client.give("salon 1", order(CashOut, who="ann", amount_minor=number)).cursor)
            if number % 15 == 14 and deaths:
                deaths[-1].join(DEADLINE_S)
        deaths[-1].join(DEADLINE_S)
    server.stop()
    assert len(deaths) == 4
    assert [_row(entry)[0] for entry in journal_of(quiet.db) if entry.actor == "sam"] == given


def test_one_goes_on_into_the_next_opening_of_a_table(quiet: Served) -> None:
    with client_at(quiet.url, quiet.token) as client:
        last = client.table("salon 1").state.version
        client.give("salon 1", order(CloseTable))
        quiet.server.kill()
        quiet.server.start()
        client.give("salon 1", order(OpenTable, settings=settings(book("commission-insurance")), float_minor=1_00))
        told = [next(client.watch("salon 1", f"1/{last}"))]
        told += islice(client.watch("salon 1", told[0].cursor), 1)
    events = [view for moved in told for view in moved.events]
    assert [view.cursor for view in events] == [f"1/{last + 1}", "2/1"]
    assert [view.event["event"] for view in events] == ["table_closed.1", "table_opened.1"]


def _give_on(client: Client, numbers: Iterator[int]) -> None:
    for number in numbers:
        client.give("salon 1", order(CashOut, who="ann", amount_minor=number))


def test_who_asks_too_often_waits_as_long_as_he_is_told(tmp_path: Path) -> None:
    db = tmp_path / "floor.db"
    token = prepared(db, by_hand)
    slow = Server(db, "--commands-per-s", "2")
    try:
        with client_at(slow.url, token) as client:
            numbers = count(1)
            _give_on(client, islice(numbers, 9))  # six at once, then two a second
        with (
            Client(slow.url, token, patience_s=0.01, timeout_s=DEADLINE_S) as client,
            pytest.raises(ClientRefused) as refused,
        ):
            _give_on(client, numbers)
    finally:
        slow.kill()
    assert (refused.value.code, refused.value.status) == ("too_many_requests", 429)


def test_who_is_signed_out_hears_so_and_no_more(hall: Served, salon: str) -> None:
    with client_at(hall.url) as uma, client_at(hall.url) as elsewhere:
        uma.enter("uma")
        moves = uma.watch(salon)
        next(moves)
        assert uma.token is not None
        elsewhere.with_token(uma.token).sign_out()
        with pytest.raises(ClientRefused) as refused:
            list(moves)
    assert (refused.value.code, refused.value.status) == ("not_signed_in", 401)


def test_patience_ends() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with Client(f"http://127.0.0.1:{port}", "a-token", patience_s=0.3, timeout_s=DEADLINE_S) as client:
        with pytest.raises(ClientRefused) as refused:
            client.tables()
        assert (refused.value.code, refused.value.status) == ("unreachable", None)
        with pytest.raises(ClientRefused) as refused:
            next(client.watch("salon 1"))
        assert (refused.value.code, refused.value.status) == ("unreachable", None)
