"""Connections: time limits for heads and bodies, and a maximum number from one address."""

import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from punto.table.records.positions import Position
from punto.web.http import body
from punto.web.server import http_protocol
from tests.waiting import DEADLINE_S
from tests.web.serving import Server, server
from tests.web.watching import line as socket_line
from tests.web.wire import Reply, connect, post, problem, read_all

SHORT_S = 0.2
"""Time limit for tests that wait until it expires."""
TRICKLE_S = 0.05
"""Interval between bytes of a slow client, which must not extend its time."""
Hurry = Callable[[], None]


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> Hurry:
    """Sets short time limits from now on. A test first does what must not time out."""

    def hurry() -> None:
        monkeypatch.setattr(http_protocol, "HEAD_TIMEOUT_S", SHORT_S)
        monkeypatch.setattr(http_protocol, "REFUSED_LINGER_S", SHORT_S)
        for module in (body, http_protocol):
            monkeypatch.setattr(module, "BODY_TIMEOUT_S", SHORT_S)

    return hurry


def alive(line: socket.socket) -> None:
    """Check that the server answers on this connection."""
    line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    said = b""
    while not said.endswith(b'{"status":"alive"}'):
        piece = line.recv(65_536)
        assert piece, said
        said += piece


def trickled(line: socket.socket, first: bytes, drop: bytes) -> bytes:
    """Send slowly until the connection is closed; returns the answer."""
    line.sendall(first)
    line.settimeout(TRICKLE_S)
    pieces = []
    deadline_s = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline_s:
        try:
            piece = line.recv(65_536)
        except TimeoutError:
            try:
                line.sendall(drop)
            except OSError:
                break
            continue
        except ConnectionResetError:
            break
        if not piece:
            break
        pieces.append(piece)
    else:
        pytest.fail("the line was never closed")
    return b"".join(pieces)


@pytest.mark.parametrize(
    "head", [b"G", b"GET /healthz", b"GET /healthz HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: localho"]
)
def test_a_head_that_does_not_end_is_refused(standing: Server, hurry: Hurry, head: bytes) -> None:
    with connect(standing) as line:
        alive(line)
        hurry()
        line.sendall(head)
        problem(Reply(read_all(line)), 408, "too_slow")


def test_a_head_that_comes_drop_by_drop_is_refused_too(standing: Server, hurry: Hurry) -> None:
    with connect(standing) as line:
        alive(line)
        hurry()
        problem(Reply(trickled(line, b"GET / HTTP/1.1\r\n", b"X: y\r\n")), 408, "too_slow")


def test_who_was_refused_is_not_told_twice(standing: Server, hurry: Hurry) -> None:
    with connect(standing) as line:
        alive(line)
        hurry()
        said = trickled(line, b"no HTTP at all\r\n", b"x")
    problem(Reply(said), 400, "bad_request")
    assert said.count(b"HTTP/1.1") == 1


def test_who_says_nothing_of_sense_is_hung_up_on(standing: Server, hurry: Hurry) -> None:
    hurry()
    with connect(standing) as line:
        assert trickled(line, b"", b"\r\n") == b""


def test_who_says_nothing_of_sense_after_a_request_is_hung_up_on_too(standing: Server, hurry: Hurry) -> None:
    with connect(standing) as line:
        alive(line)
        hurry()
        assert trickled(line, b"\r\n", b"\r\n") == b""


def test_who_says_nothing_at_all_is_hung_up_on(standing: Server, hurry: Hurry) -> None:
    hurry()
    with connect(standing) as line:
        assert read_all(line) == b""


def test_a_body_that_does_not_end_is_refused(standing: Server, hurry: Hurry) -> None:
    head = post("/api/visit", b"", "Content-Length: 1000").replace(b"Connection: close\r\n", b"")
    with connect(standing) as line, connect(standing) as trickling:
        alive(line)
        alive(trickling)
        hurry()
        line.sendall(head + b'{"name"')
        reply = Reply(read_all(line))
        problem(reply, 408, "too_slow")
        assert reply.headers["connection"] == "close"
        problem(Reply(trickled(trickling, head, b" ")), 408, "too_slow")


def test_a_body_that_nobody_reads_does_not_keep_a_line(standing: Server, hurry: Hurry) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
    with connect(standing) as line:
        alive(line)
        hurry()
        reply = Reply(trickled(line, head, b" "))
    assert (reply.status, reply.body) == (200, b'{"status":"alive"}')


def test_who_asks_all_at_once_has_all_the_time_in_the_world(standing: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time that the server itself takes does not count."""
    with connect(standing) as line:
        alive(line)
        for module, limit in (
            (http_protocol, "HEAD_TIMEOUT_S"),
            (http_protocol, "BODY_TIMEOUT_S"),
            (body, "BODY_TIMEOUT_S"),
        ):
            monkeypatch.setattr(module, limit, 0.0)
        line.sendall(post("/api/session", b'{"name": "nobody", "password": "x"}'))
        problem(Reply(read_all(line)), 401, "wrong_password")


def test_half_a_body_is_none_even_if_it_can_be_read(standing: Server) -> None:
    """An incomplete request does nothing."""
    token = standing.token(Position.DEALER)
    body = b'{"id": "half", "command": {"command": "cash_out.1", "who": "ann", "amount_minor": 100}}'
    before = standing.floor.table("t1").head
    asked = post("/api/tables/t1/commands", body, f"Authorization: Bearer {token}", f"Content-Length: {len(body) + 50}")
    with connect(standing) as line:
        line.sendall(asked)
        line.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):
            read_all(line)
    client = standing.client(token)
    assert client.get("/api/session").status_code == 200  # whatever was to be done is done by now
    assert standing.floor.table("t1").head == before


def test_there_are_only_so_many_lines_from_one_address(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), lines_each=3) as served, ExitStack() as opened:
        lines = [opened.enter_context(connect(served)) for _ in range(3)]
        for line in lines:
            alive(line)
        with connect(served) as further:
            problem(Reply(read_all(further)), 429, "too_many_requests")
        lines[0].close()
        served.until(lambda: served.service.connections.open_from("127.0.0.1") == 2)
        with connect(served) as further:
            alive(further)


def test_a_proxy_that_is_believed_brings_as_many_as_it_likes(tmp_path: Path) -> None:
    for number, proxy in enumerate(("127.0.0.1", "127.0.0.0/8", "*")):
        with (
            server(str(tmp_path / f"{number}.db"), lines_each=1, proxies=(proxy,)) as served,
            connect(served),
            connect(served),
        ):
            assert served.client().get("/healthz").status_code == 200
            assert served.service.connections.open_from("127.0.0.1") == 3


def test_a_line_that_became_a_socket_is_counted_as_one(tmp_path: Path) -> None:
    """WebSockets are counted separately."""
    with server(str(tmp_path / "floor.db"), lines_each=2) as served, socket_line(served), socket_line(served):
        served.until(lambda: served.service.sockets.total() == 2)
        assert served.service.connections.open_from("127.0.0.1") == 0
        assert served.client().get("/healthz").status_code == 200
