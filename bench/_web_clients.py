"""The clients of ``bench/web.py``: as little work as can be, so that it is the server that is measured."""

import asyncio
import json
import os
import time
from base64 import b64encode
from collections.abc import Coroutine
from typing import Any

import msgspec

Told = dict[str, Any]


def quickly(work: Coroutine[Any, Any, Any]) -> Any:
    """On the loop that the server uses."""
    import uvloop  # noqa: PLC0415 - not on every system

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


# ---- who asks


class Asking(asyncio.Protocol):
    """One connection: asks, waits for the whole answer, asks again."""

    def __init__(self, head: bytes, body: bytes, done: "asyncio.Future[None]") -> None:
        self._head, self._body, self._done = head, body, done
        self._transport: Any = None
        self._begun_s = 0.0
        self._got = b""
        self.took_s: list[float] = []
        self.until_s = 0.0
        self.every_s = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = transport
        self._ask()

    def _ask(self) -> None:
        self._begun_s = time.perf_counter()
        number = f"{time.time_ns():020}".encode()
        self._transport.write(self._head + self._body.replace(b"#" * 20, number, 1))

    def data_received(self, data: bytes) -> None:
        """An answer, or a part of one."""
        self._got += data
        head, found, body = self._got.partition(b"\r\n\r\n")
        if not found or len(body) < int(head.lower().partition(b"content-length:")[2].partition(b"\r")[0]):
            return
        if not head.startswith(b"HTTP/1.1 200"):
            self._done.set_exception(SystemExit(self._got.decode()))
            self._transport.close()
            return
        now_s = time.perf_counter()
        self.took_s.append(now_s - self._begun_s)
        self._got = b""
        if time.time() >= self.until_s:
            self._transport.close()
            self._done.set_result(None)
        elif self.every_s:
            asyncio.get_running_loop().call_later(max(0.0, self._begun_s + self.every_s - now_s), self._ask)
        else:
            self._ask()


async def ask(spec: Told) -> Told:
    """Everybody at once, for so long: how often, and how long each took."""
    loop = asyncio.get_running_loop()
    began_s = time.perf_counter()
    until_s = time.time() + spec["seconds"]
    asking: list[Asking] = []
    waiting: list[asyncio.Future[None]] = []
    for number, person in enumerate(spec["people"]):
        one = Asking(*request(spec, number, person), loop.create_future())
        one.until_s, one.every_s = until_s, spec.get("every_s", 0.0)
        asking.append(one)
        waiting.append(one._done)  # noqa: SLF001 - ours
        await loop.create_connection(lambda one=one: one, "127.0.0.1", spec["port"])  # type: ignore[misc]
    await asyncio.gather(*waiting)
    passed_s = time.perf_counter() - began_s
    took_s = sorted(second for one in asking for second in one.took_s)
    return {"rate": len(took_s) / passed_s, "p50_ms": part(took_s, 0.5) * 1_000, "p99_ms": part(took_s, 0.99) * 1_000}


def request(spec: Told, number: int, person: Told) -> tuple[bytes, bytes]:
    """The bytes of a bet, with room for the number of its id."""
    bet = {"command": "place_bet.1", "who": person["who"], "box": person["box"], "bet": "player", "stake_minor": 1}
    body = json.dumps({"id": f"{os.getpid()} {number} {'#' * 20}", "command": bet}).encode()
    path = spec["path"].format(table=person["table"].replace(" ", "%20"))
    head = (
        f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{spec['port']}\r\ncontent-type: application/json\r\n"
        f"authorization: Bearer {person['token']}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode(), body


# ---- who watches


class Watching(asyncio.Protocol):
    """One socket: counts what comes, and how long it took."""

    def __init__(self, table: str, port: int, token: str) -> None:
        self._table, self._port, self._token = table, port, token
        self._transport: Any = None
        self._got = b""
        self._upgraded = False
        self.late_us: list[int] = []
        self.versions: list[int] = []
        self.bytes = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for a socket."""
        self._transport = transport
        who = f"authorization: Bearer {self._token}\r\n" if self._token else ""
        self._transport.write(
            f"GET /api/live HTTP/1.1\r\nhost: 127.0.0.1:{self._port}\r\n{who}"
            "upgrade: websocket\r\nconnection: upgrade\r\n"
            f"sec-websocket-version: 13\r\nsec-websocket-key: {b64encode(os.urandom(16)).decode()}\r\n\r\n".encode()
        )

    def _send(self, code: int, body: bytes) -> None:
        """A frame, with a mask that changes nothing."""
        self._transport.write(bytes((0x80 | code, 0x80 | len(body))) + b"\0\0\0\0" + body)

    def data_received(self, data: bytes) -> None:
        """Frames, or parts of them."""
        now_us = time.time_ns() // 1_000
        self._got += data
        if not self._upgraded:
            head, found, self._got = self._got.partition(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 101"):
                raise SystemExit(head.decode())
            self._upgraded = bool(found)
            self._send(1, json.dumps({"ask": "watch", "table": self._table}).encode())
        while len(self._got) >= 4:
            code, length, start = self._got[0] & 15, self._got[1], 2
            if length >= 126:
                wide = 2 if length == 126 else 8
                length, start = int.from_bytes(self._got[2 : 2 + wide], "big"), 2 + wide
            if len(self._got) < start + length:
                return
            frame, self._got = self._got[start : start + length], self._got[start + length :]
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
        """Go."""
        self._transport.abort()


class _Event(msgspec.Struct):
    cursor: str
    at_us: int


class _Moved(msgspec.Struct):
    events: list[_Event]


_EVENTS = msgspec.json.Decoder(_Moved)


async def watch(spec: Told) -> Told:
    """So many sockets, for so long; anew every ``every_s`` where that is said."""
    until_s = time.monotonic() + spec["seconds"]
    late_us: list[int] = []
    complete, size, came = True, 0, 0
    while time.monotonic() < until_s:
        sockets = [Watching(spec["table"], spec["port"], spec["token"]) for _ in range(spec["count"])]
        for one in sockets:
            await asyncio.get_running_loop().create_connection(lambda one=one: one, "127.0.0.1", spec["port"])  # type: ignore[misc]
        await asyncio.sleep(max(0.0, min(until_s - time.monotonic(), spec.get("every_s", 1e9))))
        for one in sockets:
            one.end()
            late_us += one.late_us
            came += len(one.versions)
            size = max(size, one.bytes)
            complete &= (
                one.versions == list(range(one.versions[0], one.versions[0] + len(one.versions)))
                if one.versions
                else False
            )
    late_us.sort()
    return {
        "p50_ms": part(late_us, 0.5) / 1_000,
        "p99_ms": part(late_us, 0.99) / 1_000,
        "most_ms": part(late_us, 1) / 1_000,
        "came": came,
        "complete": complete,
        "bytes": size,
    }


def part(ordered: list[Any], at: float) -> float:
    """The value that so many are below."""
    return float(ordered[min(len(ordered) - 1, int(len(ordered) * at))]) if ordered else 0.0
