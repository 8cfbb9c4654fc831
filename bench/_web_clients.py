"""The clients of ``bench/web.py``. They do as little work as possible, to measure the server and not the clients."""

import asyncio
import json
import os
import time
from base64 import b64encode
from collections.abc import Coroutine
from typing import Any

import msgspec

JsonObject = dict[str, Any]


def run_on_uvloop(work: Coroutine[Any, Any, Any]) -> Any:
    """Run on the same event loop as the server."""
    import uvloop  # noqa: PLC0415 - not available on every system

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


# ---- requests


class RequestLoop(asyncio.Protocol):
    """One connection: sends a request, waits for the whole answer, sends the next."""

    def __init__(self, head: bytes, body: bytes, done: "asyncio.Future[None]") -> None:
        self._head, self._body, self._done = head, body, done
        self._transport: Any = None
        self._started_s = 0.0
        self._buffer = b""
        self.took_s: list[float] = []
        self.until_s = 0.0
        self.every_s = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._send()

    def _send(self) -> None:
        self._started_s = time.perf_counter()
        number = f"{time.time_ns():020}".encode()
        self._transport.write(self._head + self._body.replace(b"#" * 20, number, 1))

    def data_received(self, data: bytes) -> None:
        """Take an answer or part of one."""
        self._buffer += data
        head, separator, body = self._buffer.partition(b"\r\n\r\n")
        if not separator or len(body) < int(head.lower().partition(b"content-length:")[2].partition(b"\r")[0]):
            return
        if not head.startswith(b"HTTP/1.1 200"):
            self._done.set_exception(SystemExit(self._buffer.decode()))
            self._transport.close()
            return
        now_s = time.perf_counter()
        self.took_s.append(now_s - self._started_s)
        self._buffer = b""
        if time.time() >= self.until_s:
            self._transport.close()
            self._done.set_result(None)
        elif self.every_s:
            asyncio.get_running_loop().call_later(max(0.0, self._started_s + self.every_s - now_s), self._send)
        else:
            self._send()


async def ask(spec: JsonObject) -> JsonObject:
    """Send requests on all connections for ``seconds``. Returns the rate, and quantiles of the response time."""
    loop = asyncio.get_running_loop()
    started_s = time.perf_counter()
    until_s = time.time() + spec["seconds"]
    connections: list[RequestLoop] = []
    waiting: list[asyncio.Future[None]] = []
    for number, person in enumerate(spec["people"]):
        connection = RequestLoop(*request(spec, number, person), loop.create_future())
        connection.until_s, connection.every_s = until_s, spec.get("every_s", 0.0)
        connections.append(connection)
        waiting.append(connection._done)  # noqa: SLF001 - a class of this file
        await loop.create_connection(lambda it=connection: it, "127.0.0.1", spec["port"])  # type: ignore[misc]
    await asyncio.gather(*waiting)
    passed_s = time.perf_counter() - started_s
    took_s = sorted(second for connection in connections for second in connection.took_s)
    return {
        "rate": len(took_s) / passed_s,
        "p50_ms": quantile(took_s, 0.5) * 1_000,
        "p99_ms": quantile(took_s, 0.99) * 1_000,
    }


def request(spec: JsonObject, number: int, person: JsonObject) -> tuple[bytes, bytes]:
    """The bytes of a bet. Its id has 20 ``#``, replaced by a new number for each request."""
    bet = {"command": "place_bet.1", "who": person["who"], "box": person["box"], "bet": "player", "stake_minor": 1}
    body = json.dumps({"id": f"{os.getpid()} {number} {'#' * 20}", "command": bet}).encode()
    path = spec["path"].format(table=person["table"].replace(" ", "%20"))
    head = (
        f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{spec['port']}\r\ncontent-type: application/json\r\n"
        f"authorization: Bearer {person['token']}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode(), body


# ---- watchers


class Watcher(asyncio.Protocol):
    """One socket: records the delay and the version of each event."""

    def __init__(self, table: str, port: int, token: str) -> None:
        self._table, self._port, self._token = table, port, token
        self._transport: Any = None
        self._buffer = b""
        self._upgraded = False
        self.late_us: list[int] = []
        self.versions: list[int] = []
        self.bytes = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Request the upgrade to a web socket."""
        self._transport = transport
        authorization = f"authorization: Bearer {self._token}\r\n" if self._token else ""
        self._transport.write(
            f"GET /api/live HTTP/1.1\r\nhost: 127.0.0.1:{self._port}\r\n{authorization}"
            "upgrade: websocket\r\nconnection: upgrade\r\n"
            f"sec-websocket-version: 13\r\nsec-websocket-key: {b64encode(os.urandom(16)).decode()}\r\n\r\n".encode()
        )

    def _send(self, code: int, body: bytes) -> None:
        """Send a frame, with a mask of zeros."""
        self._transport.write(bytes((0x80 | code, 0x80 | len(body))) + b"\0\0\0\0" + body)

    def data_received(self, data: bytes) -> None:
        """Take frames or parts of them."""
        now_us = time.time_ns() // 1_000
        self._buffer += data
        if not self._upgraded:
            head, separator, self._buffer = self._buffer.partition(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 101"):
                raise SystemExit(head.decode())
            self._upgraded = bool(separator)
            self._send(1, json.dumps({"ask": "watch", "table": self._table}).encode())
        while len(self._buffer) >= 4:
            code, length, start = self._buffer[0] & 15, self._buffer[1], 2
            if length >= 126:
                wide = 2 if length == 126 else 8
                length, start = int.from_bytes(self._buffer[2 : 2 + wide], "big"), 2 + wide
            if len(self._buffer) < start + length:
                return
            frame, self._buffer = self._buffer[start : start + length], self._buffer[start + length :]
            if code == 1:
                self._take(frame, now_us)
            elif code == 9:
                self._send(10, frame)

    def _take(self, frame: bytes, now_us: int) -> None:
        self.bytes = len(frame)
        events = _EVENTS.decode(frame).events
        for event in events:
            self.late_us.append(now_us - event.at_us)
            self.versions.append(int(event.cursor.partition("/")[2]))

    def end(self) -> None:
        self._transport.abort()


class _Event(msgspec.Struct):
    cursor: str
    at_us: int


class _Moved(msgspec.Struct):
    events: list[_Event]


_EVENTS = msgspec.json.Decoder(_Moved)


async def watch(spec: JsonObject) -> JsonObject:
    """Keep ``count`` sockets open for ``seconds``, and replace them every ``every_s`` if that is given."""
    until_s = time.monotonic() + spec["seconds"]
    late_us: list[int] = []
    complete, size, received = True, 0, 0
    while time.monotonic() < until_s:
        watchers = [Watcher(spec["table"], spec["port"], spec["token"]) for _ in range(spec["count"])]
        for watcher in watchers:
            await asyncio.get_running_loop().create_connection(lambda it=watcher: it, "127.0.0.1", spec["port"])  # type: ignore[misc]
        await asyncio.sleep(max(0.0, min(until_s - time.monotonic(), spec.get("every_s", 1e9))))
        for watcher in watchers:
            watcher.end()
            late_us += watcher.late_us
            received += len(watcher.versions)
            size = max(size, watcher.bytes)
            complete &= (
                watcher.versions == list(range(watcher.versions[0], watcher.versions[0] + len(watcher.versions)))
                if watcher.versions
                else False
            )
    late_us.sort()
    return {
        "p50_ms": quantile(late_us, 0.5) / 1_000,
        "p99_ms": quantile(late_us, 0.99) / 1_000,
        "max_ms": quantile(late_us, 1) / 1_000,
        "received": received,
        "complete": complete,
        "bytes": size,
    }


def quantile(ordered: list[Any], at: float) -> float:
    return float(ordered[min(len(ordered) - 1, int(len(ordered) * at))]) if ordered else 0.0
