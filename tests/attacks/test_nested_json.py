"""Deeply nested JSON at every address that takes a body, and over the socket. No depth makes the server fail."""

import re
from collections.abc import Callable

import pytest

from punto.table.records.positions import Position
from punto.web.api import ENDPOINTS
from punto.web.http.body import MAX_BODY_BYTES, MAX_DEPTH, too_deep
from tests.web.serving import Server
from tests.web.watching import line
from tests.web.wire import problem

COMMANDS = "/api/tables/t1/commands"
DEPTHS = (MAX_DEPTH + 1, 300, 960, *range(968, 980), 1_000, 5_000, 20_000)
"""Release 0.3.0 answered 972 to 976 with 500: enough for the decoder, too many to print."""
DOORS = [
    (endpoint.method, re.sub(r"{\w+}", "t1", endpoint.path)) for endpoint in ENDPOINTS if endpoint.body is not None
]

Shape = Callable[[int], bytes]
SHAPES: dict[str, Shape] = {
    "lists in a command": lambda depth: b'{"id":"a","command":{"command":' + b"[" * depth + b"]" * depth + b"}}",
    "objects in a command": lambda depth: (
        b'{"id":"a","command":{"command":"settle.1","x":' + b'{"a":' * depth + b"1" + b"}" * (depth + 2)
    ),
    "lists": lambda depth: b"[" * depth + b"]" * depth,
    "a field nobody knows": lambda depth: b'{"x":' + b"[" * depth + b"]" * depth + b"}",
    "after a string": lambda depth: b'{"x":"]}]}\\\\\\"]}","y":' + b"[" * depth + b"]" * depth + b"}",
    "never closed": lambda depth: b'{"id":"a","command":{"command":' + b"[" * depth,
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_no_depth_of_a_command_makes_the_server_fail(standing: Server, shape: Shape) -> None:
    dora = standing.by(Position.DEALER)
    for depth in DEPTHS:
        body = shape(depth)
        answer = dora.post(COMMANDS, content=body, headers={"content-type": "application/json"})
        if len(body) > MAX_BODY_BYTES:
            problem(answer, 413, "too_large")
        else:
            assert str(MAX_DEPTH) in problem(answer, 400, "malformed_json")["message"]


@pytest.mark.parametrize(("method", "path"), DOORS)
def test_no_other_door_fails(standing: Server, method: str, path: str) -> None:
    client = standing.by(Position.ADMINISTRATOR)
    for depth in DEPTHS[:-1]:
        body = SHAPES["a field nobody knows"](depth)
        answer = client.request(method, path, content=body, headers={"content-type": "application/json"})
        problem(answer, 400, "malformed_json")


def test_a_command_that_is_not_text_is_refused_for_its_form(standing: Server) -> None:
    """Also a shallow one, whose name would be written with its refusal."""
    dora = standing.by(Position.DEALER)
    values: tuple[object, ...] = ([[["x"]]], {"a": {}}, 1, None, True)
    for value in values:
        body = {"id": standing.next_id(), "command": {"command": value}}
        problem(dora.post(COMMANDS, json=body), 400, "bad_command")
        problem(dora.post(COMMANDS, json={**body, "command": {"command": value, "by": "x"}}), 400, "bad_command")


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 500, 972, 976, 1_990])
def test_no_depth_of_a_message_makes_the_socket_fail(standing: Server, depth: int) -> None:
    with line(standing) as watching:
        watching.socket.send('{"ask":"watch","table":"t1","x":' + "[" * depth + "]" * depth + "}")
        assert watching.closed() == 4000


def test_brackets_in_strings_and_side_by_side_do_not_count() -> None:
    assert not too_deep(b'{"x":"' + b"[" * 1_000 + b'"}')
    assert not too_deep(b'{"x":"\\"' + b"[" * 1_000 + b'"}')
    assert not too_deep(b"[" + b"[]," * 1_000 + b"[]]")
    assert not too_deep(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert too_deep(b"[" * (MAX_DEPTH + 1))
