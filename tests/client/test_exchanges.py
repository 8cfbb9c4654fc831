"""The client without a server: retries, subscriptions, and the parts it consists of."""

import inspect
import subprocess
import sys

import msgspec
import pytest
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosedError, InvalidMessage, InvalidStatus
from websockets.frames import Close
from websockets.http11 import Response

import punto
from punto.client import AsyncClient, Client, ClientCode, ClientRefused, ReleaseMismatch, order
from punto.client.requests import Core
from punto.client.retry import ApiCall, Exchange, Lost, Reply, Request, Wait, send_until_answered
from punto.client.subscription import Subscription, TemporarilyStopped
from punto.floor.errors import FloorCode
from punto.rules.coup.table_of_play import Side
from punto.rules.money import Rounding
from punto.table.records.commands import ChangeSettings, DealCard, OpenTable, PlaceBet, RequestSqueeze
from punto.table.records.settings import BetLimits, Settings
from punto.web.messages import Lobby, SessionView

pytestmark = pytest.mark.slow


def _run(exchange: Exchange[SessionView], *replies: Reply | Lost) -> tuple[list[float], SessionView | ClientRefused]:
    """Drive an exchange with these replies. Returns its waits in seconds, and its answer or refusal."""
    waits: list[float] = []
    coming = iter(replies)
    reply: Reply | Lost | None = None
    try:
        while True:
            step = exchange.send(reply)
            if isinstance(step, Wait):
                waits.append(step.seconds)
            reply = None if isinstance(step, Wait) else next(coming)
    except StopIteration as stop:
        assert next(coming, None) is None, "it did not try often enough"
        return waits, stop.value
    except ClientRefused as refused:
        assert next(coming, None) is None, "it did not try often enough"
        return waits, refused


ANSWER = Reply(200, b'{"name": "nina", "position": "player"}')
BUSY = Reply(503, b'{"error": {"code": "database_lost", "message": "it is gone"}}', "2")
BAD_GATEWAY = Reply(502, b"<html>")
TOO_MANY = Reply(429, b'{"error": {"code": "too_many_requests", "message": "slowly"}}', "7")
LOCKED_OUT = Reply(429, b'{"error": {"code": "locked_out", "message": "later"}}')
CUT, NEVER_SENT = Lost("cut", sent=True), Lost("nobody there", sent=False)


def _exchange(*, repeatable: bool = True, patience_s: float = 60.0) -> Exchange[SessionView]:
    return send_until_answered(ApiCall(Request("GET", "/"), SessionView, repeatable), patience_s)


def test_a_repeatable_request_is_repeated_until_it_is_answered() -> None:
    waits, session = _run(_exchange(), CUT, BUSY, NEVER_SENT, BAD_GATEWAY, TOO_MANY, ANSWER)
    assert isinstance(session, SessionView)
    assert session.name == "nina"
    assert waits[1] == 2.0
    assert waits[4] == 7.0
    assert all(0.05 <= wait <= 0.8 for wait in (waits[0], waits[2], waits[3]))


def test_waits_grow_but_not_for_ever() -> None:
    waits, _ = _run(_exchange(), *[CUT] * 12, ANSWER)
    assert waits[8] > 4 * waits[0]
    assert max(waits) <= 5.0


@pytest.mark.parametrize("reply", [CUT, BUSY, BAD_GATEWAY])
def test_a_request_that_is_not_repeatable_is_not_repeated(reply: Reply | Lost) -> None:
    waits, refused = _run(_exchange(repeatable=False), reply)
    assert isinstance(refused, ClientRefused)
    assert waits == []


@pytest.mark.parametrize("reply", [NEVER_SENT, TOO_MANY])
def test_it_is_repeated_if_it_certainly_had_no_effect(reply: Reply | Lost) -> None:
    waits, session = _run(_exchange(repeatable=False), reply, ANSWER)
    assert isinstance(session, SessionView)
    assert len(waits) == 1


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (LOCKED_OUT, "locked_out"),
        (Reply(500, b'{"error": {"code": "internal_error", "message": "a slip"}}'), "internal_error"),
        (Reply(404, b"<html>"), ClientCode.UNEXPECTED_ANSWER),
        (Reply(200, b"<html>"), ClientCode.UNEXPECTED_ANSWER),
        (Reply(200, b'{"name": 1}'), ClientCode.UNEXPECTED_ANSWER),
        (Reply(200, b"\xff"), ClientCode.UNEXPECTED_ANSWER),
    ],
)
def test_a_permanent_refusal_is_raised_at_once(reply: Reply, code: str) -> None:
    waits, refused = _run(_exchange(), reply)
    assert isinstance(refused, ClientRefused)
    assert (refused.code, refused.status, waits) == (code, reply.status, [])


def _closed(code: int) -> ConnectionClosedError:
    return ConnectionClosedError(Close(code, "closed"), None)


def _rejected(status: int, body: bytes) -> InvalidStatus:
    return InvalidStatus(Response(status, "", Headers(), body))


@pytest.mark.parametrize(
    "error",
    [
        _closed(1012),  # the server stops
        _closed(4008),  # the client was too slow
        _closed(4001),  # position changed: the next try shows whether the session is still valid
        ConnectionClosedError(None, None),
        ConnectionRefusedError(),
        TimeoutError(),
        InvalidMessage("cut in the middle of the handshake"),
        _rejected(503, BUSY.body),
        _rejected(429, TOO_MANY.body),
    ],
    ids=repr,
)
def test_a_lost_socket_is_followed_by_another_from_the_last_cursor(error: Exception) -> None:
    subscription = Subscription("salon 1", "3/7", 60.0, state=False)
    subscription.receive(b'{"message": "moved", "table": "salon 1", "cursor": "3/9", "events": []}')
    assert 0 < subscription.wait_s_after(error) <= 5.0
    assert msgspec.json.decode(subscription.watch_message()) == {
        "ask": "watch",
        "table": "salon 1",
        "after": "3/9",
        "state": False,
    }


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (_closed(4000), ClientCode.UNREACHABLE),
        (_closed(4029), ClientCode.UNREACHABLE),
        (_rejected(401, b'{"error": {"code": "not_signed_in", "message": "who?"}}'), "not_signed_in"),
        (_rejected(404, b"<html>"), ClientCode.UNEXPECTED_ANSWER),
    ],
    ids=repr,
)
def test_no_other_socket_follows_a_permanent_error(error: Exception, code: str) -> None:
    with pytest.raises(ClientRefused) as refused:
        Subscription("salon 1", None, 60.0, state=True).wait_s_after(error)
    assert refused.value.code == code


def test_a_subscription_stopped_for_a_temporary_reason_is_retried() -> None:
    subscription = Subscription("salon 1", None, 60.0, state=True)
    stopped = '{"message": "stopped", "table": "salon 1", "error": {"code": "%s", "message": "so it is"}}'
    with pytest.raises(TemporarilyStopped) as temporary:
        subscription.receive(stopped % "database_lost")
    assert subscription.wait_s_after(temporary.value) == 1.0
    with pytest.raises(ClientRefused) as refused:
        subscription.receive(stopped % "unknown_table")
    assert (refused.value.code, refused.value.message) == ("unknown_table", "so it is")
    with pytest.raises(ClientRefused) as refused:
        subscription.receive("good evening")
    assert refused.value.code == ClientCode.UNEXPECTED_ANSWER
    assert refused.value.message.startswith("The server's message cannot be read: ")


def test_a_wait_beyond_the_clients_patience_is_refused_at_once() -> None:
    waits, refused = _run(_exchange(patience_s=5.0), TOO_MANY)
    assert isinstance(refused, ClientRefused)
    assert (refused.code, waits) == ("too_many_requests", [])


@pytest.mark.parametrize(
    "url", ["", "punto", "127.0.0.1:8000", "ftp://punto", "http://", "http://a:b", "http://a b", "http://[::1"]
)
def test_a_bad_address_is_refused(url: str) -> None:
    with pytest.raises(ClientRefused) as refused:
        Client(url)
    assert refused.value.code == ClientCode.BAD_ADDRESS


@pytest.mark.parametrize("token", ["", "a b", "a\nb", "閒"])
def test_a_bad_token_is_refused(token: str) -> None:
    with pytest.raises(ClientRefused) as refused:
        AsyncClient("http://127.0.0.1:1", token)
    assert refused.value.code == FloorCode.BAD_TOKEN


def test_both_clients_have_every_method_with_the_same_parameters() -> None:
    def public(kind: type) -> dict[str, object]:
        return {name: value for name, value in vars(kind).items() if not name.startswith("_")}

    methods, async_methods = public(Client), public(AsyncClient)
    assert methods.keys() == async_methods.keys()
    exchanges = public(Core).keys() - {"take_token", "headers", "hear_release", "live_url"}
    assert exchanges <= methods.keys()
    for name in methods:
        if name not in ("token", "server_release"):
            parameters = [inspect.signature(getattr(kind, name)).parameters for kind in (Client, AsyncClient)]
            assert parameters[0] == parameters[1], name


def test_an_order_is_the_command_without_actor_and_position() -> None:
    assert order(PlaceBet, "ann", 1, "tie", stake_minor=5) == {
        "command": "place_bet.1",
        "who": "ann",
        "box": 1,
        "bet": "tie",
        "stake_minor": 5,
    }
    assert order(PlaceBet, "ann", 1, "tie", stake_minor=5, round=12)["round"] == 12
    assert order(RequestSqueeze, who="ann", side=Side.BANKER)["side"] == "banker"
    assert order(DealCard) == {"command": "deal_card.1"}
    assert order(DealCard, not_offered=True) == {"command": "deal_card.1", "not_offered": True}


def _python(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_client_imports_no_server_package() -> None:
    program = """
import sys
from punto.client import AsyncClient, Client
early = {"httpx2", "websockets"} & sys.modules.keys()
Client("http://127.0.0.1:1").close()
import websockets.sync.client, websockets.asyncio.client
roots = {name.partition(".")[0] for name in sys.modules}
server = {"starlette", "uvicorn", "uvloop", "httptools", "apsw", "psycopg", "argon2", "jinja2", "limits", "numpy"}
print(sorted(early), sorted(roots & server))
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


def test_unknown_fields_of_an_answer_are_ignored() -> None:
    """An older client ignores fields that a newer server adds."""
    exchange = send_until_answered(ApiCall(Request("GET", "/"), Lobby), 1.0)
    next(exchange)
    with pytest.raises(StopIteration) as stop:
        exchange.send(Reply(200, b'{"tables": [], "visitors": true, "weather": "fine"}'))
    assert stop.value.value == Lobby(tables=(), visitors=True)


def test_an_opening_leaves_to_the_house_what_is_at_its_default() -> None:
    settings = Settings(layout="A", boxes=6, cut_card=20, rounding=Rounding.DOWN, main=BetLimits(25_00))
    body = order(OpenTable, settings=settings)
    limits = {"min_minor": 25_00, "max_minor": None}
    assert body["settings"] == {"layout": "A", "boxes": 6, "cut_card": 20, "main": limits}
    changed = order(ChangeSettings, settings=settings)
    # a change states them all but the par, which those who change settings are not told: left out, it stays as it was
    assert changed["settings"].keys() == set(Settings.__struct_fields__) - {"tray_par_minor"}
    par = order(ChangeSettings, settings=msgspec.structs.replace(settings, tray_par_minor=10_000_00))
    assert par["settings"]["tray_par_minor"] == 10_000_00


def test_a_server_of_another_minor_version_is_warned_about_once() -> None:
    core = Core("http://127.0.0.1:1", None, 1.0)
    assert core.headers["punto-client"] == punto.__version__
    core.hear_release(None)
    core.hear_release(punto.__version__)
    with pytest.warns(ReleaseMismatch, match=r"the server is Punto 0\.1\.0"):
        core.hear_release("0.1.0")
    core.hear_release("0.1.1")  # a second warning would be an error here
    assert core.server_release == "0.1.1"
