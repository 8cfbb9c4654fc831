"""Values of the wrong type, and zero bytes, wherever somebody may send one: refused for their form, never an error."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from itertools import cycle
from typing import Any

import msgspec
import pytest
from starlette.routing import Route

from punto.floor.database import open_database
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.entry import COMMANDS_BY_TAG
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.table.records.positions import Position
from punto.web.http.body import has_nul
from punto.web.pages import page_routes
from punto.web.server.app import ALL
from tests.floor.playing import MANAGER, betting_table
from tests.table.tables import settings
from tests.web.serving import NAMES, Server, server
from tests.web.watching import line
from tests.web.wire import problem, send

VALUES: tuple[object, ...] = ([], 2**70, [{"who": []}], {}, [None], "x" * 5_000)
"""No field of a command takes more than two of these."""
GIVERS = (Position.PLAYER, Position.DEALER, Position.CASINO_MANAGER)
TABLES = ("t1", "sealed", "felt")
DOORS = ("commands", "preview", "proposals")
NUL = "bad_request"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """At t1 betting is open and visitors play; sealed has virtual shoes; felt has real chips and cards."""
    with server(str(tmp_path_factory.mktemp("types") / "floor.db")) as running:
        running.run(betting_table(running.floor))
        running.run(running.floor.create_table(MANAGER, TableSetup("sealed", "tiger-buffalo", ShoeKind.VIRTUAL)))
        for giver in GIVERS:
            running.token(giver)
        running.run(running.floor.create_table(MANAGER, TableSetup("felt", "commission", ShoeKind.MANUAL)))
        rules = settings(book("commission"), least=10_00, most=500_00, observing=True)
        opening = {"settings": msgspec.to_builtins(rules), "float_minor": 100_00}
        opened = running.command(running.by(Position.CASINO_MANAGER), "felt", "open_table", **opening)
        assert opened.status_code == 200, opened.text
        yield running


def doors(floor: Server, by: Actor, table: str) -> dict[str, Callable[[str, dict[str, Any]], Awaitable[object]]]:
    """What the addresses of commands, previews and proposals call, without the wire between."""
    service = floor.service
    return {
        "commands": lambda each, body: service.acting.submit(by, table, each, body),
        "preview": lambda _, body: service.acting.preview(by, table, body),
        "proposals": lambda each, body: service.proposals.propose(by, table, each, body),
    }


@pytest.mark.parametrize(
    ("giver", "table"),
    [
        *((Position.DEALER, table) for table in TABLES),
        (Position.PLAYER, "t1"),
        (Position.PLAYER, "sealed"),
        (Position.CASINO_MANAGER, "felt"),
    ],
)
def test_no_type_of_any_field_makes_the_server_fail(floor: Server, giver: Position, table: str) -> None:
    by, failed = Actor(NAMES[giver], giver), set[tuple[str, str, str]]()

    async def try_all() -> None:
        for tag, kind in COMMANDS_BY_TAG.items():
            for field in {*kind.__struct_fields__, "card", "cards", "box"} - {"by", "position"}:
                for (name, door), value in zip(cycle(doors(floor, by, table).items()), VALUES, strict=False):
                    try:
                        await door(floor.next_id(), {"command": tag, field: value})
                    except FloorRefused:
                        continue
                    except Exception as error:  # noqa: BLE001 - what the attack looks for
                        failed.add((tag, field, f"{name} {value!r:.20} {error!r}"))

    floor.run(try_all())
    assert not failed


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("giver", GIVERS)
def test_a_command_that_is_no_text_is_refused_for_its_form(floor: Server, giver: Position, door: str) -> None:
    client = floor.by(giver)
    for table in TABLES:
        for value in VALUES:
            body = {"id": floor.next_id(), "command": {"command": value, "box": []}}
            answer = client.post(f"/api/tables/{table}/{door}", json=body)
            assert answer.status_code in (400, 403), (table, value, answer.text)


def test_a_visitor_with_a_box_that_is_no_number_is_refused(floor: Server) -> None:
    for command in ("sit", "place_bet"):
        refused = floor.command(
            floor.by(Position.PLAYER), "t1", command, who="vera", box=[], bet="player", stake_minor=1
        )
        problem(refused, 400, "bad_command")


# ---- the character NUL


def test_no_body_has_a_nul(floor: Server) -> None:
    client = floor.by(Position.ADMINISTRATOR)
    for endpoint in ALL:
        if endpoint.body is not None:
            path = re.sub(r"{[\w:]+}", "1", endpoint.path)
            problem(client.request(endpoint.method, path, json={"x": ["a\0"]}), 400, NUL)
    assert not has_nul(rb'{"x":"\\u0000"}')
    assert has_nul(rb'{"x":"\\\u0000"}')


def test_no_path_has_a_nul(floor: Server) -> None:
    client, routes = floor.by(Position.ADMINISTRATOR), page_routes(floor.service)
    paths = {endpoint.path for endpoint in ALL} | {route.path for route in routes if isinstance(route, Route)}
    for path in sorted(path for path in paths if "{" in path):
        answer = client.get(re.sub(r"{[\w:]+}", "a%00", path), headers={"accept": "application/json"})
        assert answer.status_code == 400, (path, answer.text)
    for path in ("/live/tables/a%00b", "/api/live%00"):
        handshake = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        assert send(floor, (handshake + key).encode()).status in (400, 404)


def test_no_message_has_a_nul(floor: Server) -> None:
    with line(floor) as watching:
        watching.say(ask="watch", table="t1\0")
        assert watching.closed() == 4000


# ---- work that shares a commit


def test_a_value_that_the_database_cannot_hold_fails_alone(database_url: str) -> None:
    """Jobs of one turn are committed together. One of them must not take the others with it."""
    database = open_database(database_url)

    def keep(name: str, value: object) -> Callable[[Transaction], None]:
        sql = "INSERT INTO meta (name, value) VALUES (?, ?)"
        return lambda transaction: transaction.many(sql, [(name, value)])

    def look_for(number: int) -> Callable[[Transaction], object]:
        return lambda transaction: transaction.rows("SELECT CAST(? AS bigint)", (number,))

    async def together() -> list[object]:
        works = (
            keep("a", "1"),
            keep("b", "\0\ud800"),
            keep("c", "2"),
            look_for(2**70),
            keep("d", "3"),
            keep("e", None),
        )
        return list(await asyncio.gather(*map(database.write, works), return_exceptions=True))

    try:
        answers = asyncio.run(together())
        stored = database.reading(lambda transaction: transaction.rows("SELECT name FROM meta")).result()
    finally:
        database.close()
    assert [isinstance(each, Exception) for each in answers] == [False, True, False, True, False, True]
    assert {"a", "c", "d"} <= {name for (name,) in stored}
    assert {"b", "e"}.isdisjoint({name for (name,) in stored})
    for each in (answers[1], answers[3]):
        assert isinstance(each, FloorRefused)
        assert each.code == "bad_command"
