"""A visitor probes which names have an account. No door answers differently for one that has."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx2
import pytest

from punto.floor.database.sqlite import SqliteTransaction
from punto.floor.names.names import fold
from punto.table.records.positions import Position
from tests.web.serving import NAMES, STAFFED, Server, server

STRANGERS = ("olga", "mei", "ada", "bert", "carl", "dirk", "emil")
"""As many names without an account, as long as those with one."""
MACHINE, OFF_DUTY, LOCKED = "scanner", "otto", "lola"

Statement = tuple[str, tuple[object, ...]]


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor with an account in every position, a machine, somebody off duty and somebody locked out."""
    with server(str(tmp_path_factory.mktemp("names") / "floor.db")) as served:
        for position in STAFFED:
            served.token(position)
        served.machine(MACHINE)
        served.hired(OFF_DUTY, None)
        served.hired(LOCKED, Position.DEALER)
        for _ in range(5):
            assert served.client().post("/api/session", json={"name": LOCKED, "password": "x"}).status_code == 401
        served.token(Position.PLAYER)
        yield served


HOLDERS = (*(NAMES[position] for position in STAFFED), MACHINE, OFF_DUTY, LOCKED)


def shape(answer: httpx2.Response, name: str) -> tuple[int, str, list[str]]:
    """All that an answer tells, without the name itself and without what is random."""
    body = answer.json() if answer.content else {}
    for random in ("token", "expires_us"):
        body.pop(random, None)
    return answer.status_code, str(body).replace(name, "NAME"), sorted(answer.headers)


Probe = Callable[[Server, str], list[httpx2.Response]]


def enter_twice_and_leave(served: Server, name: str) -> list[httpx2.Response]:
    client = served.client()
    entered = client.post("/api/visit", json={"name": name, "keep": "token"})
    inside = served.client(entered.json().get("token"))
    again = client.post("/api/visit", json={"name": name})
    return [entered, again, inside.get("/api/session"), inside.delete("/api/session")]


def enter_with_a_lookalike(served: Server, name: str) -> list[httpx2.Response]:
    answers = []
    for like in (f"{name}.", name.upper(), f" {name}"):
        entered = served.client().post("/api/visit", json={"name": like, "keep": "token"})
        answers += [entered, served.client(entered.json().get("token")).delete("/api/session")]
    return answers


def manage(served: Server, name: str) -> list[httpx2.Response]:
    """As a visitor, at every door of accounts."""
    vera = served.by(Position.PLAYER)
    return [
        vera.post("/api/accounts", json={"name": name}),
        vera.put(f"/api/accounts/{name}/position", json={"position": None}),
        vera.post(f"/api/accounts/{name}/password"),
        vera.delete(f"/api/accounts/{name}/sessions"),
        vera.delete(f"/api/visits/{name}"),
        vera.post("/api/tokens", json={"name": name, "position": "dealer", "work": "read"}),
    ]


def guess(served: Server, name: str) -> list[httpx2.Response]:
    """As often as it takes to be locked out."""
    client = served.client()
    return [client.post("/api/session", json={"name": name, "password": "x"}) for _ in range(7)]


PROBES: list[Probe] = [enter_twice_and_leave, enter_with_a_lookalike, manage]


@pytest.mark.parametrize("probe", PROBES)
def test_every_door_answers_alike(floor: Server, probe: Probe) -> None:
    expected = [shape(answer, "olga") for answer in probe(floor, "olga")]
    for name in (*HOLDERS, *STRANGERS):
        answers = [shape(answer, name) for answer in probe(floor, name)]
        lowered = [(status, text.replace(name.upper(), "NAME"), headers) for status, text, headers in answers]
        assert lowered == [(status, text.replace("OLGA", "NAME"), headers) for status, text, headers in expected], name


def test_wrong_passwords_are_answered_alike(floor: Server) -> None:
    """Whether or not there is an account, and also when the name is locked."""
    expected = [shape(answer, "nobody") for answer in guess(floor, "nobody")]
    assert [status for status, _, _ in expected] == [401] * 5 + [429] * 2
    for name in (NAMES[Position.DEALER], MACHINE, OFF_DUTY, "mei"):
        assert [shape(answer, name) for answer in guess(floor, name)] == expected, name


def test_entering_reads_no_account_so_its_time_tells_nothing(floor: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    statements: list[Statement] = []

    def recorded(method: Callable[..., Any]) -> Callable[..., Any]:
        def record(self: SqliteTransaction, sql: str, values: Sequence[object] = ()) -> Any:
            statements.append((sql, tuple(values)))
            return method(self, sql, values)

        return record

    for method in ("rows", "change"):
        monkeypatch.setattr(SqliteTransaction, method, recorded(getattr(SqliteTransaction, method)))

    def of_entering(name: str) -> list[Statement]:
        statements.clear()
        assert floor.client().post("/api/visit", json={"name": name}).status_code == 200
        return list(statements)

    for name in ("sue.", "SID", "Nelly"):
        read = of_entering(name)
        assert read
        assert [sql for sql, _ in read if "accounts" in sql or "sign_ins" in sql] == []
        assert [sql for sql, values in read if fold(name) in values and "sessions" not in sql] == []
