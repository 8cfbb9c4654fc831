"""What a client does with what it hears, and what it is made of: no server is needed for that."""

import inspect
import subprocess
import sys

import msgspec
import pytest
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosedError, InvalidMessage, InvalidStatus
from websockets.frames import Close
from websockets.http11 import Response

from punto.client import AsyncClient, Client, ClientCode, ClientRefused, order
from punto.client.requests import Core
from punto.client.retry import Ask, Lost, Reply, Request, Talk, Wait, asking
from punto.client.subscription import NotTold, Subscription
from punto.floor.errors import FloorCode
from punto.rules.coup.table_of_play import Side
from punto.table.records.commands import DealCard, PlaceBet, RequestSqueeze
from punto.web.messages import Lobby, SessionView

pytestmark = pytest.mark.slow


def _talked(talk: Talk[SessionView], *heard: Reply | Lost) -> tuple[list[float], SessionView | ClientRefused]:
    """How long a talk waits between what it hears, and how it ends."""
    waits: list[float] = []
    coming = iter(heard)
    reply: Reply | Lost | None = None
    try:
        while True:
            step = talk.send(reply)
            if isinstance(step, Wait):
                waits.append(step.seconds)
            reply = None if isinstance(step, Wait) else next(coming)
    except StopIteration as stop:
        assert next(coming, None) is None, "it did not ask often enough"
        return waits, stop.value
    except ClientRefused as refused:
        assert next(coming, None) is None, "it did not ask often enough"
        return waits, refused


SAID = Reply(200, b'{"name": "nina", "position": "player"}')
BUSY = Reply(503, b'{"error": {"code": "database_lost", "message": "it is gone"}}', "2")
BAD_GATEWAY = Reply(502, b"<html>")
TOO_MANY = Reply(429, b'{"error": {"code": "too_many_requests", "message": "slowly"}}', "7")
LOCKED_OUT = Reply(429, b'{"error": {"code": "locked_out", "message": "later"}}')
CUT, NEVER_SENT = Lost("cut", sent=True), Lost("nobody there", sent=False)


def _asking(*, again: bool = True, patience_s: float = 60.0) -> Talk[SessionView]:
    return asking(Ask(Request("GET", "/"), SessionView, again), patience_s)


def test_what_can_be_asked_again_is_asked_until_it_is_answered() -> None:
    waits, session = _talked(_asking(), CUT, BUSY, NEVER_SENT, BAD_GATEWAY, TOO_MANY, SAID)
    assert isinstance(session, SessionView)
    assert session.name == "nina"
    assert waits[1] == 2.0
    assert waits[4] == 7.0
    assert all(0.05 <= wait <= 0.8 for wait in (waits[0], waits[2], waits[3]))


def test_waits_grow_but_not_for_ever() -> None:
    waits, _ = _talked(_asking(), *[CUT] * 12, SAID)
    assert waits[8] > 4 * waits[0]
    assert max(waits) <= 5.0


@pytest.mark.parametrize("heard", [CUT, BUSY, BAD_GATEWAY])
def test_what_must_not_be_asked_again_is_not(heard: Reply | Lost) -> None:
    waits, refused = _talked(_asking(again=False), heard)
    assert isinstance(refused, ClientRefused)
    assert waits == []


@pytest.mark.parametrize("heard", [NEVER_SENT, TOO_MANY])
def test_but_where_nothing_can_have_come_of_it_it_is(heard: Reply | Lost) -> None:
    waits, session = _talked(_asking(again=False), heard, SAID)
    assert isinstance(session, SessionView)
    assert len(waits) == 1


@pytest.mark.parametrize(
    ("heard", "code"),
    [
        (LOCKED_OUT, "locked_out"),
        (Reply(500, b'{"error": {"code": "internal_error", "message": "a slip"}}'), "internal_error"),
        (Reply(404, b"<html>"), ClientCode.UNEXPECTED_ANSWER),
        (Reply(200, b"<html>"), ClientCode.UNEXPECTED_ANSWER),
        (Reply(200, b'{"name": 1}'), ClientCode.UNEXPECTED_ANSWER),
        (Reply(200, b"\xff"), ClientCode.UNEXPECTED_ANSWER),
    ],
)
def test_what_does_not_pass_is_refused_at_once(heard: Reply, code: str) -> None:
    waits, refused = _talked(_asking(), heard)
    assert isinstance(refused, ClientRefused)
    assert (refused.code, refused.status, waits) == (code, heard.status, [])


def _closed(code: int) -> ConnectionClosedError:
    return ConnectionClosedError(Close(code, "said so"), None)


def _rejected(status: int, body: bytes) -> InvalidStatus:
    return InvalidStatus(Response(status, "", Headers(), body))


@pytest.mark.parametrize(
    "trouble",
    [
        _closed(1012),  # the server stops
        _closed(4008),  # we were too slow
        _closed(4001),  # another position: what the session is still good for, the next try tells
        ConnectionClosedError(None, None),
        ConnectionRefusedError(),
        TimeoutError(),
        InvalidMessage("cut in the middle of the handshake"),
        _rejected(503, BUSY.body),
        _rejected(429, TOO_MANY.body),
    ],
    ids=repr,
)
def test_a_lost_socket_is_followed_by_another_from_the_last_cursor(trouble: Exception) -> None:
    line = Subscription("salon 1", "3/7", 60.0, state=False)
    line.heard(b'{"message": "moved", "table": "salon 1", "cursor": "3/9", "events": []}')
    assert 0 < line.lost(trouble) <= 5.0
    assert msgspec.json.decode(line.asked()) == {"ask": "watch", "table": "salon 1", "after": "3/9", "state": False}


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        (_closed(4000), ClientCode.UNREACHABLE),
        (_closed(4029), ClientCode.UNREACHABLE),
        (_rejected(401, b'{"error": {"code": "not_signed_in", "message": "who?"}}'), "not_signed_in"),
        (_rejected(404, b"<html>"), ClientCode.UNEXPECTED_ANSWER),
    ],
    ids=repr,
)
def test_but_not_where_it_would_be_the_same_again(trouble: Exception, code: str) -> None:
    with pytest.raises(ClientRefused) as refused:
        Subscription("salon 1", None, 60.0, state=True).lost(trouble)
    assert refused.value.code == code


def test_a_table_of_which_nothing_is_told_just_now_is_watched_again() -> None:
    line = Subscription("salon 1", None, 60.0, state=True)
    told = '{"message": "stopped", "table": "salon 1", "error": {"code": "%s", "message": "so it is"}}'
    with pytest.raises(NotTold) as not_told:
        line.heard(told % "database_lost")
    assert line.lost(not_told.value) == 1.0
    with pytest.raises(ClientRefused) as refused:
        line.heard(told % "unknown_table")
    assert (refused.value.code, refused.value.message) == ("unknown_table", "so it is")
    with pytest.raises(ClientRefused) as refused:
        line.heard("good evening")
    assert refused.value.code == ClientCode.UNEXPECTED_ANSWER
    assert refused.value.message.startswith("The server's message cannot be read: ")


def test_who_would_have_to_wait_longer_than_his_patience_does_not_wait() -> None:
    waits, refused = _talked(_asking(patience_s=5.0), TOO_MANY)
    assert isinstance(refused, ClientRefused)
    assert (refused.code, waits) == ("too_many_requests", [])


@pytest.mark.parametrize(
    "url", ["", "punto", "127.0.0.1:8000", "ftp://punto", "http://", "http://a:b", "http://a b", "http://[::1"]
)
def test_no_address_is_refused(url: str) -> None:
    with pytest.raises(ClientRefused) as refused:
        Client(url)
    assert refused.value.code == ClientCode.BAD_ADDRESS


@pytest.mark.parametrize("token", ["", "a b", "a\nb", "閒"])
def test_no_token_is_refused(token: str) -> None:
    with pytest.raises(ClientRefused) as refused:
        AsyncClient("http://127.0.0.1:1", token)
    assert refused.value.code == FloorCode.BAD_TOKEN


def test_both_clients_have_every_method_with_the_same_parameters() -> None:
    def public(kind: type) -> dict[str, object]:
        return {name: value for name, value in vars(kind).items() if not name.startswith("_")}

    one, other = public(Client), public(AsyncClient)
    assert one.keys() == other.keys()
    talks = public(Core).keys() - {"take_token", "headers", "live_url"}
    assert talks <= one.keys()
    for name in one:
        if name != "token":
            parameters = [inspect.signature(getattr(kind, name)).parameters for kind in (Client, AsyncClient)]
            assert parameters[0] == parameters[1], name


def test_an_order_is_its_command_without_who_gives_it() -> None:
    assert order(PlaceBet, "ann", 1, "tie", stake_minor=5) == {
        "command": "place_bet.1",
        "who": "ann",
        "box": 1,
        "bet": "tie",
        "stake_minor": 5,
    }
    assert order(RequestSqueeze, who="ann", side=Side.BANKER)["side"] == "banker"
    assert order(DealCard) == {"command": "deal_card.1", "card": None}


def _python(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_client_brings_nothing_of_the_server() -> None:
    program = """
import sys
from punto.client import AsyncClient, Client
late = {"httpx2", "websockets"} & sys.modules.keys()
Client("http://127.0.0.1:1").close()
import websockets.sync.client, websockets.asyncio.client
roots = {name.partition(".")[0] for name in sys.modules}
server = {"starlette", "uvicorn", "uvloop", "httptools", "apsw", "psycopg", "argon2", "jinja2", "limits", "numpy"}
print(sorted(late), sorted(roots & server))
"""
    assert _python(program) == "[] []"


@pytest.mark.parametrize("missing", ["httpx2", "websockets"])
def test_without_the_extra_it_says_what_to_install(missing: str) -> None:
    program = f"""
import sys
sys.modules["{missing}"] = None
from punto.client import Client, ClientRefused
try:
    next(Client("http://127.0.0.1:1").watch("salon 1"))
except ClientRefused as refused:
    print(refused.code, refused.message)
"""
    assert (
        _python(program)
        == f"extra_missing This needs {missing}, which is not installed. Run pip install 'punto[client]'"
    )


def test_the_lobby_reads_as_it_is_written() -> None:
    """What a later server adds, an earlier client does not stumble over."""
    talk = asking(Ask(Request("GET", "/"), Lobby), 1.0)
    next(talk)
    with pytest.raises(StopIteration) as stop:
        talk.send(Reply(200, b'{"tables": [], "visitors": true, "weather": "fine"}'))
    assert stop.value.value == Lobby(tables=(), visitors=True)
