"""Every error has the same shape, whatever is sent."""

import re

import httpx2
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from punto.floor.errors import FloorCode
from punto.rules.refusals import Code
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from punto.web.http import errors
from punto.web.http.body import MAX_BODY_BYTES, MAX_DRAINED_BYTES
from punto.web.server.http_protocol import MAX_HEAD_BYTES
from tests.lanes import examples
from tests.web.serving import Server
from tests.web.wire import connect, post, problem, read_all, send

COMMANDS = "/api/tables/t1/commands"


@pytest.fixture(scope="module")
def dora(standing: Server) -> httpx2.Client:
    return standing.by(Position.DEALER)


# ---- addresses and methods


@pytest.mark.parametrize(
    "path",
    [
        "/api",
        "/api/",
        "/api/nothing",
        "/api/tables/",
        "/api/tables/t1/",
        "/api/tables/t1/nothing",
        "/api//tables",
        "/api/tables/..%2f..%2fetc%2fpasswd",
        "/api/%ff%fe",
        "/api/\u5e84",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_what_is_not_there(standing: Server, method: str, path: str) -> None:
    problem(standing.client().request(method, path), 404, "not_found")


@pytest.mark.parametrize(
    "name", ["t2", "%F0%9F%82%A1", "t1%0A", "T1", pytest.param("x" * 3_000, id="long"), "%ED%A0%80"]
)
@pytest.mark.parametrize("rest", ["", "/legal", "/events", "/rounds", "/shoes", "/play-money", "/commands"])
def test_a_table_that_there_is_not(standing: Server, name: str, rest: str) -> None:
    client = standing.by(Position.PLAYER)
    if rest == "/play-money":
        answer = client.post(f"/api/tables/{name}{rest}")
    elif rest == "/commands":
        answer = client.post(f"/api/tables/{name}{rest}", json={"id": "x", "command": {"command": "settle.1"}})
    else:
        answer = client.get(f"/api/tables/{name}{rest}")
    problem(answer, 404, "unknown_table")


def test_an_account_that_there_is_not(standing: Server) -> None:
    client = standing.by(Position.ADMINISTRATOR)
    problem(client.put("/api/accounts/nobody/position", json={"position": "dealer"}), 404, "unknown_account")


def test_a_book_or_a_clause_that_there_is_not(standing: Server) -> None:
    client = standing.client()
    problem(client.get("/api/books/whist/clauses/1.1"), 404, "unknown_book")
    problem(client.get("/api/books/commission/clauses/99.99"), 404, "unknown_clause")


@pytest.mark.parametrize(
    ("path", "allow"),
    [("/api/tables", "GET, HEAD, POST"), (COMMANDS, "POST"), ("/api/session", "DELETE, GET, HEAD, POST")],
)
@pytest.mark.parametrize("method", ["PATCH", "OPTIONS", "PROPFIND", "TRACE", "PUT"])
def test_a_method_that_is_not_for_an_address(standing: Server, method: str, path: str, allow: str) -> None:
    answer = standing.client().request(method, path)
    problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == allow


def test_a_head_is_a_get_without_its_body(standing: Server) -> None:
    got, head = standing.client().get("/api/books"), standing.client().head("/api/books")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(got.content))


# ---- bodies

GOOD = b'{"id": "x1", "command": {"command": "settle.1"}}'


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nothing",
        b'{"id": "x"',
        b"\xff\xfe",
        b'{"id": "\xff", "command": {}}',
        b'{"id": "\\ud800", "command": {}}',
        pytest.param(b'{"id": "x", "command": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}", id="deep"),
        pytest.param(b"[" * 60_000, id="brackets"),
        GOOD + b"}",
        b"\xef\xbb\xbf" + GOOD,
        b"\x00",
    ],
)
def test_what_is_no_json(dora: httpx2.Client, body: bytes) -> None:
    answer = dora.post(COMMANDS, content=body, headers={"content-type": "application/json"})
    problem(answer, 400, "malformed_json")


@pytest.mark.parametrize(
    "body",
    [
        b"null",
        b"[]",
        b'"x"',
        b"1",
        b"{}",
        b'{"id": "x"}',
        b'{"id": 1, "command": {}}',
        b'{"id": "x", "command": []}',
        b'{"id": "x", "command": {}, "more": 1}',
        b'{"id": null, "command": {}}',
    ],
)
def test_json_that_is_not_as_expected(dora: httpx2.Client, body: bytes) -> None:
    answer = dora.post(COMMANDS, content=body, headers={"content-type": "application/json"})
    problem(answer, 400, "bad_request")


BET: dict[str, object] = {"command": "place_bet.1", "who": "ann", "box": 1, "bet": "player", "stake_minor": 10_00}


@pytest.mark.parametrize(
    "change",
    [
        {"stake_minor": "1000"},
        {"stake_minor": 10.0},
        {"stake_minor": 1e400},
        {"stake_minor": True},
        {"stake_minor": None},
        {"box": []},
        {"who": 5},
        {"command": "place_bet.2"},
        {"command": 5},
        {"command": None},
        {"extra": 1},
        {"by": "max"},
        {"position": "pit_manager"},
    ],
)
def test_a_command_that_is_none(dora: httpx2.Client, change: dict[str, object]) -> None:
    body = msgspec.json.encode({"id": "x2", "command": {**BET, **change}}).replace(b"null", b"1e400")
    answer = dora.post(COMMANDS, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400, answer.text
    problem(answer, 400, answer.json()["error"]["code"])
    assert answer.json()["error"]["code"] in ("bad_command", "bad_request", "malformed_json")


@pytest.mark.parametrize("command_id", ["", "x" * 101, "a\nb", "house:1", "auto:t1/1:3", "recovery:1", "\u200b"])
def test_a_command_id_that_is_none(dora: httpx2.Client, command_id: str) -> None:
    answer = dora.post(COMMANDS, json={"id": command_id, "command": {"command": "settle.1"}})
    problem(answer, 400, "bad_command_id")


def test_of_keys_that_are_given_twice_the_last_counts(standing: Server) -> None:
    token, auditor = standing.token(Position.DEALER), standing.by(Position.AUDITOR)
    body = (
        b'{"id": "first", "id": "last", "command": {"command": "x", "command": "cash_out.1", "who": "ben", "who": "ann"'
    )
    body += b', "amount_minor": 900, "amount_minor": 100}}'
    answer = send(standing, post(COMMANDS, body, f"Authorization: Bearer {token}"))
    assert answer.status == 200, answer.body
    last = auditor.get("/api/tables/t1/events?most=500").json()["events"][-1]
    assert (last["command_id"], last["event"]["who"]) == ("last", "ann")
    assert {abs(amount) for _, amount in last["event"]["postings"]} == {100}
    claimed = b'{"id": "x", "command": {"command": "settle.1", "by": "dora", "by": "max"}}'
    problem(send(standing, post(COMMANDS, claimed, f"Authorization: Bearer {token}")), 400, "bad_command")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "x" * 99]
)
def test_a_body_of_another_kind(standing: Server, kind: str) -> None:
    problem(send(standing, post("/api/session", b"{}", kind=kind)), 415, "unsupported_media_type")


def test_a_body_of_this_kind_with_a_charset(dora: httpx2.Client) -> None:
    answer = dora.post(COMMANDS, content=GOOD, headers={"content-type": "Application/JSON; charset=utf-8"})
    problem(answer, 409, "not_dealing")


def test_a_body_that_is_too_long_however_it_comes(standing: Server) -> None:
    long = b'{"name": "' + b"x" * MAX_BODY_BYTES + b'"}'
    problem(send(standing, post("/api/session", long)), 413, "too_large")
    said = post("/api/session", b"", "Content-Length: 99999999999")
    problem(send(standing, said), 413, "too_large")
    whole = f"{len(long):x}\r\n".encode() + long + b"\r\n0\r\n\r\n"
    problem(send(standing, post("/api/session", whole, "Transfer-Encoding: chunked")), 413, "too_large")
    piece = b"400\r\n" + b"x" * 0x400 + b"\r\n"
    pieces = post("/api/session", piece * 200 + b"0\r\n\r\n", "Transfer-Encoding: chunked")
    problem(send(standing, pieces), 413, "too_large")


def test_a_body_as_long_as_it_may_be(standing: Server) -> None:
    body = b'{"name": "x", "password": "' + b"x" * (MAX_BODY_BYTES - 29) + b'"}'
    assert len(body) == MAX_BODY_BYTES
    problem(send(standing, post("/api/session", body)), 401, "wrong_password")


@pytest.mark.parametrize("amount_minor", [2**63, 2**64, 10**30, -(2**63), -(10**30)])
def test_an_amount_that_is_none(standing: Server, dora: httpx2.Client, amount_minor: int) -> None:
    answer = standing.command(dora, "t1", "cash_out", who="ann", amount_minor=amount_minor)
    assert answer.status_code in (400, 409), answer.text
    problem(answer, answer.status_code, answer.json()["error"]["code"])


# ---- parameters and heads


@pytest.mark.parametrize(
    "query",
    [
        "most=0",
        "most=501",
        "most=x",
        "most=",
        "most=1&most=2",
        "most=1.5",
        pytest.param("most=" + "9" * 5_000, id="long number"),
        "more=1",
        "after=1",
        "after=0/0",
        "after=1/-1",
        "after=-1/1",
        "after=1/1/1",
        "after=99999999999999999999/1",
        "after=1/99999999999999999999",
        "after=1/%00",
        "after=%D9%A1/%D9%A2",
        pytest.param("after=1/" + "1" * 10_000, id="long cursor"),
        pytest.param("&".join(f"a{n}=1" for n in range(50)), id="many"),
        "%ff=%fe",
    ],
)
def test_parameters_that_are_not_as_expected(dora: httpx2.Client, query: str) -> None:
    problem(dora.get(f"/api/tables/t1/events?{query}"), 400, "bad_request")


def test_a_head_has_an_end(standing: Server) -> None:
    long = "x" * (MAX_HEAD_BYTES + 1)
    asked = "GET /api/books HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    problem(send(standing, f"GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()), 431, "head_too_long")
    problem(send(standing, f"{asked}X: {long}\r\n\r\n".encode()), 431, "head_too_long")
    many = "".join(f"X-{n}: {'y' * 50}\r\n" for n in range(2_000))
    problem(send(standing, f"{asked}{many}\r\n".encode()), 431, "head_too_long")
    endless = f"{asked}X: {'x' * 1_000_000}"  # and nothing after it
    problem(send(standing, endless.encode()), 431, "head_too_long")
    assert send(standing, f"{asked}X: {'x' * (MAX_HEAD_BYTES - 200)}\r\n\r\n".encode()).status == 200


@pytest.mark.parametrize(
    "written",
    [
        b"nothing\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nBad Header: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
    ],
)
def test_what_is_no_http(standing: Server, written: bytes) -> None:
    problem(send(standing, written), 400, "bad_request")


@pytest.mark.parametrize("header", ["Cookie", "Authorization", "Origin", "X-Forwarded-For", "Content-Type", "Accept"])
@pytest.mark.parametrize(
    "value",
    ["", "\xff\xfe", "punto=", ";;;=;", "Bearer", pytest.param("Bearer " + "x" * 9_000, id="long"), "http://[", '"'],
)
def test_odd_headers_do_no_harm(standing: Server, header: str, value: str) -> None:
    asked = f"GET /api/books HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{header}: {value}\r\n\r\n"
    assert send(standing, asked.encode("latin-1")).status == 200
    written = post("/api/session", b"{}", f"{header}: {value}")
    assert send(standing, written).status in (400, 403, 415)


# ---- anything

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(["who", "box", "bet", "stake_minor", "reason", "cards", "settings", "by", "place", "amounts"])
TAGS = st.sampled_from(
    ["place_bet.1", "buy_in.1", "open_table.1", "rule.1", "deal_card.1", "report_excess_card.1", "load_shoe.1", "x"]
)
LIKE_A_COMMAND = st.builds(
    lambda tag, fields: {"command": tag, **fields}, TAGS, st.dictionaries(FIELDS, JSON, max_size=5)
)


def _harmless(answer: httpx2.Response) -> None:
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        problem(answer, answer.status_code, answer.json()["error"]["code"])


@settings(max_examples=examples(60))
@given(command=LIKE_A_COMMAND | st.dictionaries(st.text(), JSON, max_size=4), command_id=st.text(max_size=20))
def test_any_command_is_answered(dora: httpx2.Client, command: object, command_id: str) -> None:
    body = msgspec.json.encode({"id": command_id.encode(errors="replace").decode(), "command": command})
    _harmless(dora.post(COMMANDS, content=body, headers={"content-type": "application/json"}))


@settings(max_examples=examples(50))
@given(body=st.binary(max_size=300) | JSON.map(msgspec.json.encode))
@pytest.mark.parametrize("path", ["/api/session", "/api/visit", "/api/tables", COMMANDS])
def test_any_body_is_answered(dora: httpx2.Client, path: str, body: bytes) -> None:
    _harmless(dora.post(path, content=body, headers={"content-type": "application/json"}))


@settings(max_examples=examples(50))
@given(query=st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="#"), max_size=60))
def test_any_query_is_answered(dora: httpx2.Client, query: str) -> None:
    for path in ("events", "rounds"):
        _harmless(dora.get(f"/api/tables/t1/{path}?{query}"))


# ---- codes


def test_of_a_key_that_stands_there_twice_the_last_counts(standing: Server, dora: httpx2.Client) -> None:
    """As docs/http.md says. A proxy that checks bodies must read them the same way."""
    before = standing.floor.table("t1").state.chips_minor("ann")
    command = b'{"command": "cash_out.1", "who": "ben", "who": "ann", "amount_minor": 900, "amount_minor": 100}'
    body = b'{"id": "first", "id": "%s", "command": %s}' % (standing.next_id().encode(), command)
    answer = dora.post(COMMANDS, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 200, answer.text
    assert standing.floor.table("t1").state.chips_minor("ann") == before - 100


_STATUSES = (400, 401, 403, 404, 405, 408, 409, 413, 415, 421, 423, 429, 431, 500, 503)


def test_every_code_has_a_status_of_its_kind() -> None:
    ours = [getattr(errors, name) for name in dir(errors) if name.isupper() and isinstance(getattr(errors, name), str)]
    for code in (*ours, *FloorCode, *TableCode, *Code):
        assert errors.status_of(code) in _STATUSES, code
    assert errors.status_of(TableCode.BETTING_NOT_OPEN) == 409
    assert errors.status_of(FloorCode.BAD_COMMAND) == 400


# ---- one line, several requests


def test_what_is_left_of_a_body_that_was_refused_is_no_request(standing: Server) -> None:
    hidden = b"GET /api/books HTTP/1.1\r\nHost: localhost\r\n\r\n"
    body = hidden * (2 * MAX_DRAINED_BYTES // len(hidden))
    refused = post("/api/session", body).replace(b"Connection: close\r\n", b"")
    last = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with connect(standing) as line:
        line.sendall(refused + last)
        told = read_all(line)
    statuses = re.findall(rb"HTTP/1\.1 (\d+)", told)
    assert statuses == [b"413", b"200"]
    assert told.endswith(b'{"status":"alive"}')


def test_requests_that_are_sent_before_the_answers_come_are_answered_in_order(standing: Server) -> None:
    paths = ["/healthz", "/api/nothing", "/api/books", "/healthz"] * 5
    asked = "".join(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n" for path in paths)
    with connect(standing) as line:
        line.sendall(asked.encode() + b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        told = read_all(line)
    wanted = [b"404" if path == "/api/nothing" else b"200" for path in paths]
    assert re.findall(rb"HTTP/1\.1 (\d+)", told) == [*wanted, b"200"]


def test_who_goes_away_in_the_middle_of_a_request_does_no_harm(standing: Server) -> None:
    token = standing.token(Position.DEALER)
    whole = post(COMMANDS, GOOD, f"Authorization: Bearer {token}")
    before = standing.floor.table("t1").head
    for length in range(1, len(whole), 7):
        with connect(standing) as line:
            line.sendall(whole[:length])
    assert standing.client().get("/healthz").status_code == 200
    assert standing.floor.table("t1").head == before
