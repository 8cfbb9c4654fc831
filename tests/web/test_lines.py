"""Lines: each head and each body has its time, and there are only so many lines from one address."""

import socket
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from punto.table.records.positions import Position
from punto.web.http import body
from punto.web.server import http_protocol
from tests.web.serving import SOON_S, Server, server
from tests.web.watching import line as socket_line
from tests.web.wire import Reply, connect, post, problem, read_all

SOON_LATE_S = 0.2
TRICKLE_S = 0.05
"""So often a little comes, which must not help."""


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has long."""
    monkeypatch.setattr(http_protocol, "HEAD_S", SOON_LATE_S)
    monkeypatch.setattr(http_protocol, "REFUSED_LINGER_S", SOON_LATE_S)
    for module in (body, http_protocol):
        monkeypatch.setattr(module, "BODY_TIMEOUT_S", SOON_LATE_S)


def alive(line: socket.socket) -> None:
    """The server answers on this line."""
    line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    said = b""
    while not said.endswith(b'{"status":"alive"}'):
        piece = line.recv(65_536)
        assert piece, said
        said += piece


def trickled(line: socket.socket, first: bytes, drop: bytes) -> bytes:
    """What is answered to who goes on and on, until the line is closed."""
    line.sendall(first)
    line.settimeout(TRICKLE_S)
    pieces = []
    for _ in range(int(SOON_S / TRICKLE_S)):
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


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    "head", [b"G", b"GET /healthz", b"GET /healthz HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: localho"]
)
def test_a_head_that_does_not_end_is_refused(standing: Server, head: bytes) -> None:
    with connect(standing) as line:
        line.sendall(head)
        problem(Reply(read_all(line)), 408, "too_slow")


@pytest.mark.usefixtures("hurried")
def test_a_head_that_comes_drop_by_drop_is_refused_too(standing: Server) -> None:
    with connect(standing) as line:
        problem(Reply(trickled(line, b"GET / HTTP/1.1\r\n", b"X: y\r\n")), 408, "too_slow")


@pytest.mark.usefixtures("hurried")
def test_who_was_refused_is_not_told_twice(standing: Server) -> None:
    with connect(standing) as line:
        said = trickled(line, b"no HTTP at all\r\n", b"x")
    problem(Reply(said), 400, "bad_request")
    assert said.count(b"HTTP/1.1") == 1


@pytest.mark.usefixtures("hurried")
def test_so_is_the_second_head_of_a_line(standing: Server) -> None:
    with connect(standing) as line:
        alive(line)
        problem(Reply(trickled(line, b"GET / HTTP/1.1\r\n", b"X: y\r\n")), 408, "too_slow")


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("first", [b"", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_who_says_nothing_of_sense_is_hung_up_on(standing: Server, first: bytes) -> None:
    with connect(standing) as line:
        said = trickled(line, first, b"\r\n")
    assert said.count(b"HTTP/1.1") == bool(first)


@pytest.mark.usefixtures("hurried")
def test_who_says_nothing_at_all_is_hung_up_on(standing: Server) -> None:
    with connect(standing) as line:
        assert read_all(line) == b""


@pytest.mark.usefixtures("hurried")
def test_a_body_that_does_not_end_is_refused(standing: Server) -> None:
    head = post("/api/visit", b"", "Content-Length: 1000").replace(b"Connection: close\r\n", b"")
    with connect(standing) as line:
        line.sendall(head + b'{"name"')
        reply = Reply(read_all(line))
    problem(reply, 408, "too_slow")
    assert reply.headers["connection"] == "close"
    with connect(standing) as line:
        problem(Reply(trickled(line, head, b" ")), 408, "too_slow")


@pytest.mark.usefixtures("hurried")
def test_a_body_that_nobody_reads_does_not_keep_a_line(standing: Server) -> None:
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
    with connect(standing) as line:
        reply = Reply(trickled(line, head, b" "))
    assert (reply.status, reply.body) == (200, b'{"status":"alive"}')


@pytest.mark.usefixtures("hurried")
def test_who_is_quick_enough_has_all_the_time_in_the_world(standing: Server) -> None:
    """What takes long on our side is not held against anybody."""
    client = standing.by(Position.DEALER)
    with connect(standing) as line:
        body = b'{"name": "nobody", "password": "x"}'
        line.sendall(post("/api/session", body)[: -len(body)])
        line.sendall(body)
        problem(Reply(read_all(line)), 401, "wrong_password")
    for _ in range(3):
        assert client.get("/api/session").status_code == 200


def test_half_a_body_is_none_even_if_it_can_be_read(standing: Server) -> None:
    """Whoever is cut off in the middle has not asked for anything."""
    token = standing.token(Position.DEALER)
    body = b'{"id": "half", "command": {"command": "buy_in.1", "who": "ann", "amount_minor": 100}}'
    before = standing.floor.table("t1").head
    asked = post("/api/tables/t1/commands", body, f"Authorization: Bearer {token}", f"Content-Length: {len(body) + 50}")
    with connect(standing) as line:
        line.sendall(asked)
        line.shutdown(socket.SHUT_WR)
        line.settimeout(0.5)
        with suppress(TimeoutError):
            line.recv(65_536)
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
        served.until(lambda: served.service.lines.open_from("127.0.0.1") == 2)
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
            assert served.service.lines.open_from("127.0.0.1") == 0


def test_a_line_that_became_a_socket_is_counted_as_one(tmp_path: Path) -> None:
    """The sockets of an address have a count of their own."""
    with server(str(tmp_path / "floor.db"), lines_each=2) as served, socket_line(served), socket_line(served):
        served.until(lambda: served.service.sockets.total() == 2)
        assert served.service.lines.open_from("127.0.0.1") == 0
        assert served.client().get("/healthz").status_code == 200
