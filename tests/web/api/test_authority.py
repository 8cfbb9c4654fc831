"""Every command in every position over HTTP, and the record of each refusal."""

from typing import Any

import httpx2
import pytest

from punto.floor.journal import streams
from punto.floor.journal.actor import THE_HOUSE
from punto.floor.journal.house_events import HOUSE, AuthorityRefused, read_house_event
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.refusals import Refusal
from punto.table import decide
from punto.table.records.commands import Command, IdentifyPlayer, OpenTable
from punto.table.records.positions import STAFF, Position
from punto.table.vocabulary import AnyCommand
from tests.floor.people.test_authority import AUTHORITY, BY_SESSION, RULES, bodies, expected
from tests.floor.staff_floor import READER, TABLET
from tests.table.samples import commands_by
from tests.table.tables import settings
from tests.web.serving import Server
from tests.web.wire import problem


def opened(served: Server, name: str) -> None:
    """An open table, of a book in which every command exists."""

    async def work() -> None:
        await served.floor.create_table(THE_HOUSE, TableSetup(name, RULES.id, ShoeKind.MANUAL))
        command = OpenTable("sue", Position.PIT_SUPERVISOR, settings(RULES, least=10_00, most=500_00))
        assert (await served.floor.give(served.floor.table(name), f"open {name}", command)).refusal is None

    served.run(work())


def refusals_on_record(served: Server, name: str) -> list[AuthorityRefused]:
    """Refusals of a person's commands in the house's stream."""

    async def work() -> list[AuthorityRefused]:
        database = served.floor.database
        head = await database.read(lambda transaction: streams.head(transaction, HOUSE))
        entries = await database.read(lambda transaction: streams.read(transaction, head, 0))
        events = [read_house_event(entry.event) for entry in entries if entry.actor == name]
        return [event for event in events if isinstance(event, AuthorityRefused)]

    return served.run(work())


def give(client: httpx2.Client, table: str, command_id: str, body: dict[str, Any]) -> httpx2.Response:
    return client.post(f"/api/tables/{table}/commands", json={"id": command_id, "command": body})


def judged(served: Server, table: str, by: str, position: Position, who: str, kind: type[Command]) -> Refusal | None:
    """The table's own decision on a command from a person in this position."""
    command = next(one for one in commands_by(RULES, by, position, who) if type(one) is kind)
    live = served.floor.table(table)
    decision = decide(live.rules, live.state, command)
    return decision if isinstance(decision, Refusal) else None


@pytest.mark.sweep
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("position", BY_SESSION)
def test_every_command_by_every_position(served: Server, position: Position, own: bool) -> None:  # noqa: FBT001
    opened(served, "t1")
    name = f"ann {position}"
    client, who = served.client(served.token(position, name)), name if own else "box 5"
    told: list[AuthorityRefused] = []
    for number, (kind, body) in enumerate(bodies(who)):
        tag = str(kind.__struct_config__.tag)
        refusal = judged(served, "t1", name, position, who, kind)
        answer = give(client, "t1", f"{position} {number}", body)
        if kind is IdentifyPlayer and position in kind.may and not own:
            problem(answer, 409, "unknown_person")
            continue
        if refusal is None:
            assert answer.status_code == 200, (tag, answer.text)
            continue
        error = problem(answer, 403 if refusal.code in AUTHORITY else answer.status_code, str(refusal.code))
        assert error["message"] == refusal.message_in("en", to_player=position is Position.PLAYER)
        assert tuple(error["clauses"]) == refusal.clauses
        wanted = expected(kind, position, own=own)
        assert (refusal.code if refusal.code in AUTHORITY else None) == wanted, tag
        if wanted is not None:
            told.append(AuthorityRefused("t1", name, position, tag, wanted))
    assert refusals_on_record(served, name) == told


def test_the_matrix_is_whole() -> None:
    assert {kind for kind, _ in bodies("ann")} == set(AnyCommand.__args__)
    assert set(BY_SESSION) == set(Position) - {Position.HOUSE}


@pytest.mark.parametrize("position", [*STAFF, Position.AUDITOR])
def test_a_machine_has_no_more_authority_than_its_position(served: Server, position: Position) -> None:
    opened(served, "t1")
    bounds = READER if position is Position.AUDITOR else TABLET
    client = served.client(served.machine("scanner", position, bounds))
    for number, (kind, body) in enumerate(bodies("ben")):
        code = give(client, "t1", f"m{number}", body).json().get("error", {}).get("code")
        assert (code if code in AUTHORITY else None) == expected(kind, position, own=False), kind


def test_nobody_in_particular_gives_no_command(served: Server) -> None:
    opened(served, "t1")
    before = served.floor.table("t1").head
    for number, (_, body) in enumerate(bodies("ann")):
        problem(give(served.client(), "t1", f"n{number}", body), 401, "not_signed_in")
        problem(give(served.client("forged"), "t1", f"n{number}", body), 401, "not_signed_in")
    assert served.floor.table("t1").head == before


# ---- what is not a command of a table

ADMINISTRATION: list[tuple[str, str, Any]] = [
    ("GET", "/api/accounts", None),
    ("POST", "/api/accounts", {"name": "new", "position": "dealer"}),
    ("PUT", "/api/accounts/new/position", {"position": "auditor"}),
    ("POST", "/api/accounts/new/password", None),
    ("DELETE", "/api/accounts/new/sessions", None),
    ("DELETE", "/api/visits/vera", None),
    ("POST", "/api/tokens", {"name": "bridge", "position": "dealer", "work": "read"}),
    ("PUT", "/api/floor-rules", {"visitors": True}),
]


@pytest.mark.parametrize("position", BY_SESSION)
def test_accounts_are_for_administrators_alone(served: Server, position: Position) -> None:
    client = served.by(position)
    served.hired("new", Position.DEALER) if position is not Position.ADMINISTRATOR else None
    served.token(Position.PLAYER)  # vera
    for method, path, body in ADMINISTRATION:
        answer = client.request(method, path, json=body)
        may = position is Position.ADMINISTRATOR or (
            position is Position.AUDITOR and (method, path) == ("GET", path[:13])
        )
        if may:
            assert answer.status_code in (200, 201, 204), answer.text
        else:
            problem(answer, 403, "not_authorised")
    refused = [event.command for event in refusals_on_record(served, client.get("/api/session").json()["name"])]
    wanted = {Position.ADMINISTRATOR: 0, Position.AUDITOR: len(ADMINISTRATION) - 1}.get(position, len(ADMINISTRATION))
    assert len(refused) == wanted


MAY_CREATE = {*STAFF[1:], Position.ADMINISTRATOR}


@pytest.mark.parametrize("position", BY_SESSION)
def test_tables_are_created_by_who_may(served: Server, position: Position) -> None:
    answer = served.by(position).post("/api/tables", json={"name": "t9", "book": "commission"})
    if position in MAY_CREATE:
        assert answer.status_code == 201, answer.text
        problem(served.by(position).post("/api/tables", json={"name": "t9", "book": "commission"}), 409, "table_exists")
    else:
        problem(answer, 403, "not_authorised")
        assert served.client().get("/api/tables").json()["tables"] == []


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"name": ""}, 400, "bad_name"),
        ({"name": "a/b"}, 400, "bad_name"),
        ({"name": "x" * 41}, 400, "bad_name"),
        ({"name": "a\u0000b"}, 400, "bad_request"),
        ({"book": "whist"}, 404, "unknown_book"),
        ({"decks": 99}, 409, "decks_out_of_range"),
        ({"shoes": "loaded"}, 400, "bad_request"),
        ({"pace": {"deal_s": "x"}}, 400, "bad_request"),
    ],
)
def test_a_table_that_cannot_be(served: Server, change: dict[str, Any], status: int, code: str) -> None:
    body = {"name": "t9", "book": "commission", **change}
    problem(served.by(Position.ADMINISTRATOR).post("/api/tables", json=body), status, code)


def test_who_was_assigned_otherwise_has_it_by_his_next_command(served: Server) -> None:
    opened(served, "t1")
    client, admin = served.by(Position.PIT_MANAGER), served.by(Position.ADMINISTRATOR)

    def assign(position: str | None) -> None:
        assert admin.put("/api/accounts/max/position", json={"position": position}).status_code == 204

    close = {"command": "close_table.1"}
    assign("dealer")
    problem(give(client, "t1", "a", close), 403, "not_authorised")
    assign(None)
    problem(give(client, "t1", "b", close), 403, "no_position")
    assert client.get("/api/session").json()["position"] is None
    assign("pit_supervisor")
    assert give(client, "t1", "c", close).status_code == 200
    problem(admin.put("/api/accounts/adam/position", json={"position": "shift_manager"}), 403, "not_authorised")
    problem(admin.put("/api/accounts/max/position", json={"position": "house"}), 400, "bad_position")
    problem(admin.put("/api/accounts/max/position", json={"position": "player"}), 400, "bad_position")
    assert admin.delete("/api/accounts/max/sessions").status_code == 204
    problem(give(client, "t1", "d", close), 401, "not_signed_in")
