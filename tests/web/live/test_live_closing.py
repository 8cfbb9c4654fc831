"""Which WebSockets are accepted, when they are closed and with which code. Other clients are not affected."""

import asyncio
import json
import socket
import struct
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.table.records.positions import Position
from punto.web.live import connection, table_feed
from punto.web.server import websocket_protocol
from punto.web.server.websocket_protocol import MAX_UNREAD_BYTES, SocketProtocol
from tests.waiting import DEADLINE_S
from tests.web.api.test_authority import refusals_on_record
from tests.web.serving import Server, server
from tests.web.timeouts import ManualTimeouts
from tests.web.watching import Line, bets, betting, end, events, line

pytestmark = pytest.mark.slow


def refused(served: Server, token: str | None = None, **options: Any) -> tuple[int, str]:
    """Status and code of a refused handshake."""
    with pytest.raises(InvalidStatus) as trouble, line(served, token, **options):
        pass
    answer = trouble.value.response
    assert answer.headers["content-type"] == "application/json"
    assert answer.body is not None
    return answer.status_code, answer.body.decode()


def dropped(served: Server, code: int) -> float:
    return float(served.service.metrics.dropped.labels(code)._value.get())


# ---- who gets one


def test_a_page_of_another_site_gets_no_socket(served: Server) -> None:
    for origin in ("https://evil.example", "null", served.url + ".evil.example", served.url.replace("http", "ftp")):
        status, body = refused(served, origin=origin)
        assert status == 403
        assert '"cross_site"' in body
    with line(served, origin=served.url) as own:
        own.watch("nowhere")
        assert own.next()["message"] == "stopped"


def test_a_page_of_an_origin_that_was_named_gets_one(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), origins=("https://punto.example",)) as served:
        with line(served, origin="https://punto.example") as one:
            one.watch("nowhere")
            assert one.next()["message"] == "stopped"
        assert refused(served, origin="https://other.example")[0] == 403


def test_a_session_comes_by_cookie_or_by_bearer_token(served: Server) -> None:
    betting(served)
    token = served.token(Position.PLAYER)
    with line(served, token) as bearer, line(served, headers={"cookie": f"a=b; punto={token}"}) as cookie:
        for one in (bearer, cookie):
            one.watch()
            assert one.next()["me"]["name"] == "vera"


def test_an_old_cookie_is_no_cookie_and_a_wrong_token_is_refused(served: Server) -> None:
    betting(served)
    with line(served, headers={"cookie": "punto=gone"}) as one:
        one.watch()
        assert one.next()["me"] is None
    status, body = refused(served, "wrong")
    assert status == 401
    assert '"not_signed_in"' in body
    assert refused(served, served.hired("otto", None))[0] == 403


def test_there_are_only_so_many_sockets(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), sockets=5, sockets_each=2) as served:
        vera, victor = served.visitor("vera"), served.visitor("victor")
        with ExitStack() as opened:
            for token in (None, None, vera, vera):
                opened.enter_context(line(served, token))
            for token in (None, vera):
                status, body = refused(served, token)
                assert status == 429
                assert '"too_many_requests"' in body
            opened.enter_context(line(served, victor))
            assert refused(served, victor)[0] == 429  # five are already open
        served.until(lambda: not served.service.sockets)
        with line(served, vera), line(served, vera):
            pass


def test_names_cost_nothing_so_an_address_has_its_share_too(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), sockets_each=2, lines_each=3) as served, ExitStack() as opened:
        for number in range(3):
            opened.enter_context(line(served, served.visitor(f"visitor {number}")))
        assert refused(served, served.visitor("a fourth"))[0] == 429
        assert refused(served)[0] == 429
        for _ in range(2):  # staff are not affected by others at the same address
            opened.enter_context(line(served, served.token(Position.DEALER)))
        assert refused(served, served.token(Position.DEALER))[0] == 429
        opened.close()
        served.until(lambda: not served.service.sockets)
        with line(served):
            pass


def test_some_sockets_are_kept_for_the_staff(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), sockets=10, sockets_each=20) as served, ExitStack() as opened:
        vera = served.token(Position.PLAYER)
        for token in (None, vera) * 4 + (None,):
            opened.enter_context(line(served, token))
        assert refused(served, vera)[0] == 429
        assert refused(served)[0] == 429
        opened.enter_context(line(served, served.token(Position.AUDITOR)))
        assert refused(served, served.token(Position.DEALER))[0] == 429  # the tenth is the last of all


def test_no_name_is_taken_for_an_address(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), sockets_each=1) as served:
        for name in ("at 127.0.0.1", "127.0.0.1"):
            with line(served, served.visitor(name)), line(served):
                pass
            served.until(lambda: not served.service.sockets)


def test_who_only_listens_has_done_nothing_that_goes_on_record(served: Server) -> None:
    once = served.run(served.service.accounts.create(THE_CONSOLE, "nora", Position.DEALER))
    nora = served.run(served.service.sessions.sign_in("nora", once)).token
    otto = served.hired("otto", None)
    for token, code in ((nora, "password_to_change"), (otto, "no_position")):
        status, body = refused(served, token)
        assert (status, f'"{code}"' in body) == (403, True)
        with line(served, headers={"cookie": f"punto={token}"}) as one:
            one.watch("nowhere")
            assert one.next()["message"] == "stopped"
    assert refusals_on_record(served, "nora") == refusals_on_record(served, "otto") == []


# ---- messages


@pytest.mark.parametrize(
    "said",
    [
        "",
        "no json",
        "[]",
        "{}",
        '{"ask":"dance","table":"t1"}',
        '{"ask":"watch"}',
        '{"ask":"watch","table":7}',
        '{"ask":"watch","table":"t1","by":"house"}',
        '{"ask":"unwatch","table":"t1","after":"1/1"}',
        '{"ask":"' + "\N{SNOWMAN}" * 200 + '","table":"t1"}',
        '{"ask":"watch","table":"' + "x" * connection.MAX_MESSAGE_LENGTH + '"}',
        "[" * 4_000,
        b'{"ask":"watch","table":"t1"}',
    ],
)
def test_what_is_no_message_closes_the_socket(served: Server, said: str | bytes) -> None:
    with line(served) as one:
        one.socket.send(said)
        assert one.closed() == connection.CLOSE_BAD_MESSAGE
    served.until(lambda: not served.service.sockets)
    assert dropped(served, connection.CLOSE_BAD_MESSAGE) == 1


def test_a_message_without_end_closes_the_socket(served: Server) -> None:
    with line(served) as one:
        one.socket.send("x" * 20_000)
        assert one.closed() == 1009


def test_who_talks_without_end_is_closed(served: Server) -> None:
    with line(served) as one:
        with suppress(ConnectionClosed):
            for _ in range(1_000 * connection.MAX_MESSAGE_BURST):
                one.say(ask="unwatch", table="t1")
        code, reason = one.closed_with()
        assert code == connection.CLOSE_TOO_MANY
        assert reason.startswith("You are going too fast. Try again in ")


def test_the_reason_of_a_close_is_a_sentence_of_the_catalogue(served: Server) -> None:
    with line(served) as one:
        one.socket.send(b"{}")
        assert one.closed_with() == (connection.CLOSE_BAD_MESSAGE, "A message must be short JSON text.")
    with line(served) as one:
        one.socket.send("{")
        code, reason = one.closed_with()
        assert code == connection.CLOSE_BAD_MESSAGE
        assert reason.startswith("This message cannot be read: Input data was truncated")
    with line(served, path="/live/nowhere") as one:
        assert one.closed_with() == (connection.CLOSE_BAD_MESSAGE, "There is no such page.")
    with line(served, path="/live/") as one:
        one.socket.send("{}")
        assert one.closed_with() == (connection.CLOSE_BAD_MESSAGE, "This connection takes no messages.")


def test_a_socket_watches_only_so_many_tables(served: Server) -> None:
    names = [f"t{number}" for number in range(table_feed.MAX_WATCHED_TABLES + 1)]
    for name in names:
        made = {"name": name, "book": "commission", "shoes": "manual"}
        assert served.by(Position.PIT_MANAGER).post("/api/tables", json=made).status_code == 201
    with line(served) as one:
        for _ in range(table_feed.MAX_WATCHED_TABLES + 1):  # these do not count: there is nothing to watch
            one.watch("nowhere")
            assert one.next()["message"] == "stopped"
        for name in names[:-1]:
            one.watch(name)
            assert one.next()["table"] == name
        one.watch(names[0])
        assert one.next()["table"] == names[0]
        one.watch(names[-1])
        assert one.closed_with() == (connection.CLOSE_TOO_MANY, "One connection can watch at most 50 tables.")


# ---- sessions that end


@pytest.fixture
def checked_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions are checked more often than in production."""
    monkeypatch.setattr(connection, "SESSION_CHECK_S", 0.05)


@pytest.mark.usefixtures("checked_often")
def test_who_has_left_is_told_no_more(served: Server) -> None:
    token = served.token(Position.PLAYER)
    with line(served, token) as one, line(served) as other:
        served.run(served.service.visitors.leave(token))
        assert one.closed() == connection.CLOSE_SESSION_OVER
        other.watch("nowhere")  # nobody in particular has no session that could end
        assert other.next()["message"] == "stopped"


@pytest.mark.usefixtures("checked_often")
def test_who_is_demoted_revoked_or_signed_out_is_told_no_more(served: Server) -> None:
    accounts, sessions = served.service.accounts, served.service.sessions
    dealer, manager, auditor = (
        served.token(each) for each in (Position.DEALER, Position.PIT_MANAGER, Position.AUDITOR)
    )
    with line(served, dealer) as demoted, line(served, manager) as gone, line(served, auditor) as out:
        served.run(accounts.assign(THE_CONSOLE, "dora", None))
        assert demoted.closed() == connection.CLOSE_SESSION_OVER
        served.run(accounts.revoke(THE_CONSOLE, "max"))
        assert gone.closed() == connection.CLOSE_SESSION_OVER
        served.run(sessions.sign_out(auditor))
        assert out.closed_with() == (connection.CLOSE_SESSION_OVER, "Your session is over. Sign in again.")


@pytest.mark.usefixtures("checked_often")
def test_who_is_given_another_position_has_to_come_again(served: Server) -> None:
    betting(served)
    token = served.token(Position.DEALER)
    with line(served, token) as one:
        one.watch()
        assert "balances" in one.next()["state"]
        served.run(served.service.accounts.assign(THE_CONSOLE, "dora", Position.ADMINISTRATOR))
        assert one.closed_with() == (connection.CLOSE_SESSION_OVER, "Your position has changed. Connect again.")
    with line(served, token) as again:
        again.watch()
        assert "balances" not in again.next()["state"]


# ---- clients that stop reading


@pytest.fixture
def _no_pings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server disconnects nobody for a ping that was not answered, however long the test takes."""
    monkeypatch.setattr(SocketProtocol, "keepalive_timeout", lambda _: None)


class Deaf:
    """A client that watches a table and reads nothing."""

    def __init__(self, served: Server) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        self._socket.settimeout(DEADLINE_S)
        host, port = served.url.removeprefix("http://").split(":")
        self._socket.connect((host, int(port)))
        self._socket.sendall(
            f"GET /api/live HTTP/1.1\r\nhost: {host}:{port}\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
            "sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
        while b"\r\n\r\n" not in self._socket.recv(4_096):
            pass
        asked = b'{"ask":"watch","table":"t1"}'
        self._socket.sendall(bytes((0x81, 0x80 | len(asked))) + b"\0\0\0\0" + asked)

    def hears(self) -> tuple[int, int]:
        """Start to read: how many bytes were buffered, and the close code at their end."""
        heard = b""
        while (code := close_code(heard)) is None:
            piece = self._socket.recv(65_536)
            assert piece, "it ended without a word"
            heard += piece
        return len(heard), code

    def is_cut(self) -> bool:
        """Whether the server has cut the connection."""
        try:
            self._socket.sendall(b"\x89\x80\0\0\0\0")
        except ConnectionError:
            return True
        return False

    def close(self) -> None:
        self._socket.close()


def close_code(heard: bytes) -> int | None:
    """The close code in these frames; None if there is none."""
    at = 0
    while at + 4 <= len(heard):
        kind, length, start = heard[at] & 15, heard[at + 1], at + 2
        if length == 126:
            length, start = struct.unpack(">H", heard[start : start + 2])[0], start + 2
        if kind == 8:
            return int(struct.unpack(">H", heard[start : start + 2])[0])
        at = start + length
    return None


@pytest.mark.usefixtures("_no_pings")
def test_who_does_not_read_is_dropped_and_nobody_else_waits_for_them(
    served: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    timeouts = ManualTimeouts()
    monkeypatch.setattr(asyncio, "timeout", timeouts.timeout)
    monkeypatch.setattr(websocket_protocol, "UNREAD_LINGER_S", DEADLINE_S)
    at = betting(served)
    others, got, tokens = 20, list[list[Any]](), (None, served.token(Position.PLAYER))
    deaf = Deaf(served)

    def watch(one: Line, cursor: str) -> None:
        got.append(events(one.until(cursor)))

    before, count = int(end(served.floor)[2:]), 600
    with ExitStack() as opened:
        lines = [opened.enter_context(line(served, tokens[number % 2])) for number in range(others)]
        for one in lines:
            one.watch()
            one.next()
        threads = [threading.Thread(target=watch, args=(one, f"1/{before + count}")) for one in lines]
        for thread in threads:
            thread.start()
        bets(served, at, count)
        for thread in threads:
            thread.join(DEADLINE_S)
    assert len(got) == others
    assert all(
        [event["cursor"] for event in each] == [f"1/{before + at}" for at in range(1, count + 1)] for each in got
    )
    assert dropped(served, connection.CLOSE_SLOW) == 0
    served.run(timeouts.run_out())
    served.until(lambda: dropped(served, connection.CLOSE_SLOW) == 1)
    kept, code = deaf.hears()
    deaf.close()
    assert code == connection.CLOSE_SLOW
    assert kept < 4 * MAX_UNREAD_BYTES
    assert kept < sum(len(text) for text in lines[0].raw)
    served.until(lambda: not served.service.sockets)


def test_a_line_on_which_nothing_is_ever_read_is_cut(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "UNREAD_TIMEOUT_S", 0.2)
    monkeypatch.setattr(websocket_protocol, "UNREAD_LINGER_S", 0.2)
    at = betting(served)
    deaf = Deaf(served)
    served.until(lambda: bool(served.service.sockets))
    bets(served, at, 500)
    served.until(lambda: dropped(served, connection.CLOSE_SLOW) == 1)
    served.until(deaf.is_cut)  # nobody waits for an answer any more
    deaf.close()


# ---- the end


@pytest.mark.usefixtures("_no_pings")
def test_a_server_that_stops_says_so_to_everybody_and_waits_for_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websocket_protocol, "UNREAD_LINGER_S", 2 * DEADLINE_S)
    monkeypatch.setattr(connection, "UNREAD_TIMEOUT_S", 2 * DEADLINE_S)  # the deaf client is there to the end
    codes: list[int] = []
    with ExitStack() as opened:
        running = server(str(tmp_path / "floor.db"))
        served = running.__enter__()
        at = betting(served)
        lines = [opened.enter_context(line(served)) for _ in range(10)]
        for one in lines:
            one.watch()
            one.next()
        deaf = Deaf(served)
        opened.callback(deaf.close)
        served.until(lambda: served.service.sockets.total() == 11)
        threads = [threading.Thread(target=lambda one=one: codes.append(one.closed())) for one in lines]
        for thread in threads:
            thread.start()
        last = bets(served, at, 300)
        # at the end a client is cut off without a word if it has too much unread; these have read everything
        served.until(lambda: all(json.loads(one.raw[-1])["cursor"] == last for one in lines))
        running.__exit__(None, None, None)
        for thread in threads:
            thread.join(DEADLINE_S)
    assert codes == [1012] * 10  # uvicorn's own, when the server stops


def test_nothing_is_left_of_sockets_that_are_gone(served: Server) -> None:
    at = betting(served)

    def left() -> list[str]:
        async def names() -> list[str]:
            return [task.get_coro().__qualname__ for task in asyncio.all_tasks()]  # type: ignore[union-attr]

        return [name for name in served.run(names()) if name.startswith(("Socket", "Speaking"))]

    for number in range(10):
        with line(served, close_timeout=0) as one:
            for _ in range(5):
                one.watch(after="1/0")
            one.next()
            if number % 2:
                one.socket.socket.shutdown(socket.SHUT_RDWR)  # as when the line breaks
        bets(served, at, 1)
    served.until(lambda: not served.service.sockets)
    served.until(lambda: not left())
