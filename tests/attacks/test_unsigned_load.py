"""Load that needs no session: history, connections, pings, bad frames, file handles, metrics."""

import asyncio
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
from websockets.exceptions import ConnectionClosed

from punto.floor.clock import SystemClock
from punto.table.records.positions import Position
from punto.web.http.rate_limits import REPLAY_BURST_S, Throttle
from punto.web.server import http_protocol
from punto.web.server.websocket_protocol import MAX_CONTROL_FRAMES, MAX_FRAGMENTS
from tests.floor.staff_floor import SetClock
from tests.waiting import DEADLINE_S, wait_until
from tests.web.process import process
from tests.web.serving import Server, server
from tests.web.watching import bets, betting, end, line
from tests.web.wire import Reply, connect, problem, read_all

GET = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture(autouse=True)
def _no_traceback(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


# ---- history


class Standing(SystemClock):
    """A clock that stands still; sleeping on it never ends."""

    def __init__(self) -> None:
        self.sleepers = 0

    def steady_s(self) -> float:
        return 1_000.0

    async def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.sleepers += 1
        await asyncio.Event().wait()


def test_history_is_replayed_at_a_bounded_rate(tmp_path: Path) -> None:
    """Only as much as the burst is sent at once, however many sockets ask."""
    kb_per_s, clock = 4, Standing()
    allowed = kb_per_s * 1024 * REPLAY_BURST_S
    with server(str(tmp_path / "floor.db"), replay_kb_per_s=kb_per_s) as served, ExitStack() as stack:
        at = betting(served)
        bets(served, at, 300)
        served.service.limits.replay._clock = clock
        sockets = [stack.enter_context(line(served)) for _ in range(5)]
        for watching in sockets:
            watching.watch("t1", "1/0")
        wait_until(lambda: clock.sleepers == len(sockets))  # all have to wait now
        for watching in sockets:
            watching.watch("none")
            while watching.next().get("error") is None:  # everything before the answer was sent without waiting
                pass
        received = sum(len(text) for watching in sockets for text in watching.raw if '"events"' in text)
        assert 0 < received <= allowed
        with line(served, served.token(Position.AUDITOR)) as staff:  # an employee has a rate of their own
            staff.watch("t1", end(served.floor), state=False)
            assert staff.next()["cursor"] == end(served.floor)


def test_a_throttle_makes_wait_in_proportion() -> None:
    async def test() -> None:
        clock = SetClock()  # sleeping sets it forward
        throttle = Throttle(clock, per_s=10, burst=100)
        start_s = clock.steady_s()
        for key, cost, waited_s in (("a", 100, 0), ("b", 100, 0), ("a", 50, 5), ("a", 20, 7), ("b", 70, 7)):
            await throttle.take(key, cost)
            assert clock.steady_s() - start_s == waited_s

    asyncio.run(test())


# ---- connections


def test_connections_are_bounded_in_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_TIMEOUT_S", DEADLINE_S)
    with server(str(tmp_path / "floor.db"), lines=4, proxies=("127.0.0.1",)) as served, ExitStack() as stack:
        lines = [stack.enter_context(connect(served)) for _ in range(4)]
        for each in lines:
            each.sendall(GET)
            assert each.recv(65_536).startswith(b"HTTP/1.1 200")
            each.sendall(GET[:4])  # the server closes a connection that is idle for long
        with connect(served) as refused:
            reply = Reply(read_all(refused))
        problem(reply, 503, "busy")
        assert reply.headers["retry-after"] == "1"
        lines[0].close()

        def is_let_in() -> bool:
            with connect(served) as again:
                again.sendall(GET)
                return again.recv(65_536).startswith(b"HTTP/1.1 200")

        wait_until(is_let_in)


# ---- sockets


def frame(opcode: int, data: bytes = b"", *, last: bool = True, masked: bool = True, reserved: int = 0) -> bytes:
    mask, length = 0x80 if masked else 0, len(data)
    size = bytes([mask | length]) if length < 126 else bytes([mask | 126]) + length.to_bytes(2, "big")
    return bytes([(0x80 if last else 0) | reserved | opcode]) + size + (bytes(4) if masked else b"") + data


TEXT, CONTINUED, CLOSE, PING, PONG = 1, 0, 8, 9, 10
BAD_FRAMES: dict[str, tuple[bytes, int]] = {
    "not masked": (frame(TEXT, b"x", masked=False), 1002),
    "unknown opcode": (frame(3), 1002),
    "reserved bits": (frame(TEXT, b"x", reserved=0x40), 1002),
    "not UTF-8": (frame(TEXT, b"\xff\xfe"), 1007),
    "not UTF-8 in parts": (frame(TEXT, b"\xff", last=False) + frame(CONTINUED, b"x"), 1007),
    "too long": (frame(TEXT, b"x" * 20_000), 1009),
    "ping too long": (frame(PING, b"x" * 126), 1002),
    "ping in parts": (frame(PING, last=False), 1002),
    "close too short": (frame(CLOSE, b"x"), 1002),
    "close code unknown": (frame(CLOSE, b"\x00\x05"), 1002),
    "close reason not UTF-8": (frame(CLOSE, b"\x03\xe8\xff"), 1007),
    "continues nothing": (frame(CONTINUED, b"x"), 1002),
    "text in a text": (frame(TEXT, b"x", last=False) + frame(TEXT, b"y"), 1002),
    "too many pings": (frame(PING, b"x") * (MAX_CONTROL_FRAMES + 50), 1008),
    "too many pongs": (frame(PONG, b"x") * (MAX_CONTROL_FRAMES + 50), 1008),
    "too many parts": (frame(TEXT, b"x", last=False) + frame(CONTINUED, last=False) * (MAX_FRAGMENTS + 50), 1008),
}


def handshake(*headers: str) -> bytes:
    lines = (
        "GET /api/live HTTP/1.1",
        "Host: 127.0.0.1",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        *headers,
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def read_head(opened: socket.socket) -> None:
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += opened.recv(1024)  # the server says nothing more before the client does
    assert head.startswith(b"HTTP/1.1 101")


@pytest.mark.parametrize(("sent", "code"), BAD_FRAMES.values(), ids=BAD_FRAMES)
def test_a_bad_frame_closes_the_socket_and_no_traceback_is_logged(standing: Server, sent: bytes, code: int) -> None:
    with connect(standing) as opened:
        opened.sendall(handshake())
        read_head(opened)
        opened.sendall(sent)
        answer = read_all(opened)
    assert frame(CLOSE, code.to_bytes(2, "big"), masked=False)[2:] in answer
    standing.until(lambda: standing.service.sockets.total() == 0)


@pytest.mark.parametrize("sent", [sent for sent, _ in BAD_FRAMES.values()], ids=BAD_FRAMES)
def test_a_bad_frame_before_the_answer_to_the_handshake_logs_no_traceback(standing: Server, sent: bytes) -> None:
    with connect(standing) as opened:
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        opened.sendall(handshake())
        opened.sendall(sent)
        opened.shutdown(socket.SHUT_WR)
        read_all(opened)
    standing.until(lambda: standing.service.sockets.total() == 0)


def test_some_pings_are_answered_and_a_flood_ends_the_connection(standing: Server) -> None:
    with line(standing) as watching:
        assert all(watching.socket.ping(f"{number}").wait(DEADLINE_S) for number in range(MAX_CONTROL_FRAMES))
    with line(standing) as watching:
        try:
            for number in range(10_000):
                watching.socket.ping(f"{number}")
        except ConnectionClosed:
            pass
        assert watching.closed() in (1008, 1006)


@pytest.mark.parametrize(
    "headers", [("X-Long: " + "a" * 9_000,), tuple(f"X-{number}: a" for number in range(200))], ids=["long", "many"]
)
def test_a_handshake_that_the_library_refuses_is_answered_and_closed(
    standing: Server, headers: tuple[str, ...]
) -> None:
    with connect(standing) as opened:
        opened.sendall(handshake(*headers))
        assert Reply(read_all(opened)).status == 431


# ---- file handles


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="sets the limit of another process")
def test_running_out_of_file_handles_is_logged_and_passes(tmp_path: Path) -> None:
    import resource  # noqa: PLC0415 - not on every system

    def is_logged(words: str) -> bool:
        return any(words in logged["words"] for logged in running.log)

    with process(tmp_path) as running, ExitStack() as stack:
        in_use = len(list(Path(f"/proc/{running.pid}/fd").iterdir()))
        _, hard = resource.prlimit(running.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(running.pid, resource.RLIMIT_NOFILE, (in_use + 5, hard))
        url = httpx2.URL(running.url)
        for _ in range(30):
            stack.enter_context(socket.create_connection((url.host, url.port or 80)))
        wait_until(lambda: is_logged("out of file handles"))
        stack.close()
        wait_until(lambda: is_logged("free again"))
        assert running.client().get("/healthz").status_code == 200
        assert running.stop() == 0
        levels = [logged["level"] for logged in running.log if "file handles" in logged["words"]]
        assert levels == ["error", "warning"] * (len(levels) // 2)
        assert [logged for logged in running.log if "traceback" in logged] == []
        assert running.errors == ""


# ---- metrics


def statuses(served: Server, headers: dict[str, str] | None = None) -> dict[str, int]:
    """What everybody gets who comes through a proxy on this machine, or is on it."""
    clients = {
        "anybody": served.client(),
        "visitor": served.by(Position.PLAYER),
        "dealer": served.by(Position.DEALER),
        "machine": served.client(served.machine()),
    }
    return {name: client.get("/metrics", headers=headers).status_code for name, client in clients.items()}


STAFF_ONLY = {"anybody": 404, "visitor": 404, "dealer": 200, "machine": 200}


def test_metrics_are_for_staff_unless_set_otherwise(tmp_path: Path) -> None:
    """A proxy that hides the client cannot be told from somebody on this machine, so the address does not count."""
    with server(str(tmp_path / "floor.db"), metrics="staff") as served:
        assert statuses(served) == STAFF_ONLY


@pytest.mark.parametrize(
    "settings",
    [
        {"proxies": ("127.0.0.1",)},
        {"proxies": ("10.0.0.1",)},
        {"origins": ("https://punto.example",)},
        {"hosts": ("punto.example",)},
        {"secure": True},
    ],
    ids=str,
)
def test_a_server_behind_a_proxy_never_takes_a_client_for_one_on_this_machine(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    with server(str(tmp_path / "floor.db"), metrics="here", **settings) as served:
        assert statuses(served) == STAFF_ONLY


def test_here_is_not_somebody_whom_a_proxy_announces(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), metrics="here") as served:
        assert served.client().get("/metrics").status_code == 200
        for header in ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP"):
            assert served.client().get("/metrics", headers={header: "x"}).status_code == 404
