"""The OpenAPI document matches the routes, the message types and the answers of a real server."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from schemathesis import GenerationMode, checks
from starlette.routing import Route, WebSocketRoute

from punto.floor.journal.entry import tag_of
from punto.floor.journal.stream_name import StreamName
from punto.library import book
from punto.table.records.commands import RESERVED_FIELDS
from punto.table.records.positions import Position
from punto.table.vocabulary import AnyCommand
from punto.web.server.app import ALL, create_app
from tests.floor.journals import all_entries
from tests.floor.nights import troubled
from tests.floor.playing import betting_table
from tests.lanes import examples
from tests.waiting import DEADLINE_S
from tests.web.serving import Server, server
from tests.web.views.test_visibility import after, still

pytestmark = pytest.mark.sweep

UNDESCRIBED = {"/api/openapi.json"}


@pytest.fixture(scope="module")
def described(standing: Server) -> dict[str, Any]:
    answer = standing.client().get("/api/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    told: dict[str, Any] = answer.json()
    return told


def test_every_route_is_described_and_nothing_else(standing: Server, described: dict[str, Any]) -> None:
    routes = create_app(standing.service).routes
    served = {route.path for route in routes if isinstance(route, Route)} - UNDESCRIBED
    assert set(described["paths"]) == served
    assert [route.path for route in routes if isinstance(route, WebSocketRoute)] == ["/api/live"]
    methods = {(path, method.upper()) for path, of in described["paths"].items() for method in of}
    assert methods == {(each.path, each.method) for each in ALL}
    ids = [operation["operationId"] for of in described["paths"].values() for operation in of.values()]
    assert len(set(ids)) == len(ids)


def test_every_command_is_described_without_who_gives_it(described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]
    told = schemas["CommandRequest"]["properties"]["command"]["oneOf"]
    names = {kind.__name__ for kind in get_args(AnyCommand)}
    assert {one["$ref"].rpartition("/")[2] for one in told} == names
    assert len(names) == 75
    for name in names:
        assert not RESERVED_FIELDS & schemas[name]["properties"].keys()
        assert schemas[name]["properties"]["command"]["enum"]


def test_every_reference_leads_somewhere(described: dict[str, Any]) -> None:
    names = set(re.findall(r"'#/components/schemas/([^']+)'", str(described)))
    assert names <= set(described["components"]["schemas"])


def test_what_needs_a_session_says_so(described: dict[str, Any]) -> None:
    for each in ALL:
        operation = described["paths"][each.path][each.method.lower()]
        assert ("security" in operation) is (each.access != "anybody"), each.path
        assert operation["summary"]


# ---- a real server

OPERATIONS = [f"{each.method} {each.path}" for each in ALL]
WHO = [None, Position.PLAYER, Position.SHIFT_MANAGER, Position.ADMINISTRATOR]
EXAMPLES = 3
"""Number of examples for each operation, position and mode."""
NOT_CHECKED = [
    checks.positive_data_acceptance,  # what has the right shape may still conflict with how things stand
]


class Visit:
    """A server, and the position of its client."""

    def __init__(self, served: Server, position: Position | None) -> None:
        self.url = served.url
        self.headers = {"Authorization": f"Bearer {served.token(position)}"} if position else {}
        self.session = requests.Session()
        self.session.trust_env = False


@pytest.fixture(scope="module", params=WHO, ids=lambda one: one or "anonymous")
def seen_by(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    with server(str(tmp_path_factory.mktemp("schema") / "floor.db")) as running:
        running.run(betting_table(running.floor))
        running.machine()
        yield Visit(running, request.param)


class Drawn:
    """The examples of each operation and mode: drawn once, the same for every position."""

    def __init__(self, schema: schemathesis.BaseSchema) -> None:
        self._schema = schema
        self._drawn: dict[tuple[str, GenerationMode], list[schemathesis.Case[Any]]] = {}

    def cases(self, operation: str, mode: GenerationMode) -> list[schemathesis.Case[Any]]:
        if (operation, mode) not in self._drawn:
            self._drawn[operation, mode] = self._draw(operation, mode)
        return self._drawn[operation, mode]

    def _draw(self, operation: str, mode: GenerationMode) -> list[schemathesis.Case[Any]]:
        method, path = operation.split(" ")
        strange = self._schema[path][method].as_strategy(generation_mode=mode)
        known = self._schema[path][method].as_strategy(generation_mode=mode, path_parameters=_known(path))
        strategy = strange | known if "{" in path else strange
        drawn: list[schemathesis.Case[Any]] = []

        @seed(1)
        @settings(max_examples=examples(EXAMPLES), database=None, suppress_health_check=list(HealthCheck))
        @given(case=strategy)
        def draw(case: schemathesis.Case[Any]) -> None:
            drawn.append(case)

        draw()
        return drawn


@pytest.fixture(scope="module")
def drawn(standing: Server) -> Drawn:
    return Drawn(schemathesis.openapi.from_url(f"{standing.url}/api/openapi.json", timeout=DEADLINE_S))


def _known(path: str) -> dict[str, str]:
    """Names that exist, because made-up names only lead to 404."""
    there = {"table": "t1", "book": "commission", "clause": next(iter(book("commission").clauses)), "name": "scanner"}
    return {name: value for name, value in there.items() if f"{{{name}}}" in path}


LAST = ("POST /api/session/lock", "DELETE /api/session")
"""Afterwards the session is locked, or over."""


@pytest.mark.parametrize("operation", sorted(OPERATIONS, key=lambda one: LAST.index(one) if one in LAST else -1))
def test_a_real_server_answers_as_described(seen_by: Visit, drawn: Drawn, operation: str) -> None:
    method, path = operation.split(" ")
    (endpoint,) = [each for each in ALL if (each.method, each.path) == (method, path)]
    can_be_wrong = endpoint.body is not None or endpoint.query is not None
    for mode in GenerationMode if can_be_wrong else [GenerationMode.POSITIVE]:
        for case in drawn.cases(operation, mode):
            case.call_and_validate(
                base_url=seen_by.url,
                session=seen_by.session,
                headers=seen_by.headers,
                timeout=DEADLINE_S,
                excluded_checks=NOT_CHECKED,
            )


@pytest.mark.parametrize("played", [still, troubled])
def test_what_is_told_of_whole_nights_is_as_described(tmp_path: Path, played: Callable[[str], None]) -> None:
    with after(tmp_path / "floor.db", played) as served:
        schema = schemathesis.openapi.from_url(f"{served.url}/api/openapi.json", timeout=DEADLINE_S)
        events: set[str] = set()
        for position in (*WHO, Position.AUDITOR):
            client = served.by(position) if position else served.client()
            for path in ("", "/legal", "/events", "/rounds", "/shoes"):
                query = {"/events": "?after=1/0&most=500", "/rounds": "?most=100"}.get(path, "")
                answer = client.get(f"/api/tables/t1{path}{query}")
                schema[f"/api/tables/{{table}}{path}"]["GET"].validate_response(answer)
                if path == "/events" and answer.status_code == 200:
                    events |= {one["event"]["event"] for one in answer.json()["events"]}
            schema["/api/tables"]["GET"].validate_response(client.get("/api/tables"))
            schema["/api/session"]["GET"].validate_response(client.get("/api/session"))
            schema["/api/accounts"]["GET"].validate_response(client.get("/api/accounts"))
            refused = served.command(client, "t1", "settle")
            schema["/api/tables/{table}/commands"]["POST"].validate_response(refused)
        happened = all_entries(served.floor.database)
        assert events == {tag_of(entry) for entry in happened if StreamName.parse(entry.stream).table == "t1"}
