"""A client at a real WebSocket, and the journal to compare with."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry
from punto.floor.running.floor import Floor
from punto.web.views.visibility import Sight, cut
from tests.floor.playing import At, betting_table
from tests.waiting import DEADLINE_S
from tests.web.serving import Server

Told = dict[str, Any]


class Line:
    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.raw: list[str] = []
        """Everything received, unparsed."""

    def say(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def watch(self, table: str = "t1", after: str | None = None, *, state: bool = True) -> None:
        """Watch from now on, or from after a cursor."""
        self.say(ask="watch", table=table, after=after, state=state)

    def next(self) -> Told:
        """The next message."""
        text = self.socket.recv(DEADLINE_S)
        assert isinstance(text, str)
        self.raw.append(text)
        told: Told = json.loads(text)
        return told

    def until(self, cursor: str, table: str = "t1") -> list[Told]:
        """Messages until the table has reached this cursor."""
        told = [self.next()]
        while (told[-1]["table"], told[-1]["cursor"]) != (table, cursor):
            told.append(self.next())
        return told

    def closed(self) -> int:
        """The close code; messages before it are skipped."""
        return self.closed_with()[0]

    def closed_with(self) -> tuple[int, str]:
        """Close code and reason; messages before them are skipped."""
        try:
            while True:
                self.next()
        except ConnectionClosed as closed:
            return (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else (1006, "")


@contextmanager
def line(
    server: Server, token: str | None = None, url: str = "", path: str = "/api/live", **options: Any
) -> Iterator[Line]:
    """A WebSocket, with a bearer token or without one."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    headers |= options.pop("headers", {})
    address = (url or server.url).replace("http", "ws", 1) + path
    with open_socket(address, headers, **options) as socket:
        yield Line(socket)


def open_socket(address: str, headers: dict[str, str], **options: Any) -> ClientConnection:
    """A WebSocket on which only the server looks whether the other is still there."""
    opened: ClientConnection = connect(
        address,
        additional_headers=headers,
        compression=None,
        proxy=None,
        open_timeout=DEADLINE_S,
        ping_interval=None,
        **options,
    )
    return opened


def betting(served: Server, name: str = "t1") -> At:
    """A table with betting open, ann and ben seated."""
    return served.run(betting_table(served.floor, name))


def bets(served: Server, at: At, count: int) -> str:
    """Place this many bets of ann's; returns the cursor after them."""

    async def whole() -> None:
        for _ in range(count):
            answer = await at.bet("ann", 1_00)
            assert answer.refusal is None, answer.refusal

    served.run(whole())
    return end(served.floor, at.name)


def end(floor: Floor, table: str = "t1") -> str:
    """The cursor of the last entry."""
    live = floor.table(table)
    return f"{live.openings}/{live.head.version if live.head else 0}"


def history(served: Server, table: str = "t1", sight: Sight = Sight.PUBLIC) -> list[Told]:
    """The whole journal of a table, as a viewer may see it."""

    def work(transaction: Transaction) -> list[Entry]:
        found: list[Entry] = []
        for opening in range(1, served.floor.table(table).openings + 1):
            head, at = streams.head(transaction, f"{table}/{opening}"), 0
            while at < head.version:
                found += streams.read(transaction, head, at)
                at = found[-1].version
        return found

    entries = served.floor.database.reading(work).result(DEADLINE_S)
    return [json.loads(msgspec.json.encode(cut(entry, sight))) for entry in entries]


def events(told: list[Told]) -> list[Told]:
    """The events of some messages."""
    return [event for one in told for event in one["events"]]
