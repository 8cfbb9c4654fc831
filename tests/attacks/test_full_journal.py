"""Visitors try to fill the journal, with refusals that go on record and with commands that are accepted."""

from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import httpx2
import pytest

from punto.floor.clock import SystemClock
from punto.floor.database.base import Transaction
from punto.floor.house.recorded_refusals import ADDRESS_FACTOR, MAX_BURST
from punto.floor.journal import streams
from punto.floor.journal.house_events import HOUSE, AuthorityRefused, read_house_event
from punto.table.records.positions import Position
from tests.floor.nights import opened as database_at
from tests.floor.playing import betting_table
from tests.web.serving import Server, server
from tests.web.wire import problem

TABLE = "t1"
PROXIES = ("127.0.0.1",)
"""So that a test can come from any address."""
HERE, THERE = {"x-forwarded-for": "192.0.2.1"}, {"x-forwarded-for": "198.51.100.7"}


@pytest.fixture(autouse=True)
def _clock_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """No limit refills, however long a test takes."""
    monkeypatch.setattr(SystemClock, "steady_s", lambda _: 1_000.0)


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Server]:
    with server(str(tmp_path / "floor.db"), proxies=PROXIES) as served:
        served.run(betting_table(served.floor, TABLE))
        yield served


def recorded(transaction: Transaction) -> list[AuthorityRefused]:
    head = streams.heads(transaction)[HOUSE]
    entries = streams.read(transaction, head, 0, head.version)
    events = (read_house_event(entry.event) for entry in entries)
    return [event for event in events if isinstance(event, AuthorityRefused)]


def entries(served: Server) -> int:
    return len(served.floor.database.reading(recorded).result())


Door = Callable[[Server, httpx2.Client], httpx2.Response]
CARD = {"shoe": "s", "draw": 1, "card": "9s"}
DOORS: dict[str, Door] = {
    "commands": lambda served, client: served.command(client, TABLE, "settle"),
    "commands of others": lambda served, client: served.command(client, TABLE, "leave", who="ann"),
    "commands that name who gives them": lambda served, client: served.command(client, TABLE, "settle", by="sue"),
    "cards": lambda _, client: client.post(f"/api/tables/{TABLE}/cards", json=CARD),
    "tables": lambda _, client: client.post("/api/tables", json={"name": "x", "book": "commission"}),
    "accounts": lambda _, client: client.get("/api/accounts"),
    "rules": lambda _, client: client.put("/api/floor-rules", json={"visitors": False}),
    "players": lambda _, client: client.post("/api/players", json={"name": "x"}),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_one_visitor_at_one_door(floor: Server, door: Door) -> None:
    vera = floor.client(floor.visitor("vera"))
    for number in range(MAX_BURST + 20):
        assert door(floor, vera).status_code in (400, 403)
        assert entries(floor) == min(number + 1, MAX_BURST)


def test_one_visitor_at_all_doors_and_from_many_addresses(floor: Server) -> None:
    vera = floor.client(floor.visitor("vera"))
    for number, door in enumerate(islice(cycle(DOORS.values()), MAX_BURST + 20)):
        vera.headers["x-forwarded-for"] = f"203.0.113.{number}"
        assert door(floor, vera).status_code in (400, 403)
    assert entries(floor) == MAX_BURST


def test_many_visitors_from_one_address_and_every_refusal_is_counted(tmp_path: Path) -> None:
    path, most, others = tmp_path / "floor.db", MAX_BURST * ADDRESS_FACTOR, 7
    with server(str(path), proxies=PROXIES) as served:
        served.run(betting_table(served.floor, TABLE))
        tokens = [served.visitor(f"guest {number}") for number in range(10)]
        attackers = [served.client(token) for token in tokens]
        for client in attackers:
            client.headers.update(HERE)
        doors = cycle(DOORS.values())
        for client in islice(cycle(attackers), most + 50):
            assert next(doors)(served, client).status_code in (400, 403)
        assert entries(served) == most
        elsewhere = served.client(served.visitor("olga"))
        elsewhere.headers.update(THERE)
        for _ in range(others):  # somebody at another address is recorded as ever
            assert DOORS["cards"](served, elsewhere).status_code == 403
        assert entries(served) == most + others
    with database_at(str(path)) as database:  # the rest was counted, and written when the server stopped
        written = database.reading(recorded).result()
    assert sum(event.times for event in written) == most + 50 + others
    assert len(written) <= most + others + len(attackers)


# ---- accepted commands


def stand_and_leave(served: Server, client: httpx2.Client, who: str, times: int) -> list[httpx2.Response]:
    answers = []
    for number in range(times):
        fields: dict[str, Any] = {"box": 2} if number % 2 == 0 else {}
        answers.append(served.command(client, TABLE, "leave" if number % 2 else "stand_behind", who=who, **fields))
    return answers


def test_accepted_commands_of_a_player_are_bounded(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), accepted_per_min=10) as served:
        served.run(betting_table(served.floor, TABLE))
        vera = served.client(served.visitor("vera"))
        served.chips(TABLE, "vera", 100_00)
        for _ in range(20):  # what is refused does not count
            assert served.command(vera, TABLE, "leave", who="vera").status_code == 409
        before = served.floor.table(TABLE).head
        answers = stand_and_leave(served, vera, "vera", 30)
        assert [answer.status_code for answer in answers] == [200] * 10 + [429] * 20
        problem(answers[-1], 429, "too_many_requests")
        assert int(answers[-1].headers["retry-after"]) >= 1
        after = served.floor.table(TABLE).head
        assert before is not None
        assert after is not None
        assert after.version == before.version + 10
        dora = served.by(Position.DEALER)  # the same address
        assert served.command(dora, TABLE, "close_betting").status_code == 200


def test_accepted_commands_of_an_address_are_bounded(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), accepted_per_min=10, accepted_per_min_from=15, proxies=PROXIES) as served:
        served.run(betting_table(served.floor, TABLE))
        statuses = []
        for name in ("vera", "olga", "mei"):
            client = served.client(served.visitor(name))
            client.headers.update(HERE)
            served.chips(TABLE, name, 100_00)
            statuses += [answer.status_code for answer in stand_and_leave(served, client, name, 8)]
        assert statuses == [200] * 15 + [429] * 9
        elsewhere = served.client(served.visitor("ada"))
        elsewhere.headers.update(THERE)
        served.chips(TABLE, "ada", 100_00)
        assert {answer.status_code for answer in stand_and_leave(served, elsewhere, "ada", 8)} == {200}


def test_accepted_commands_of_an_employee_are_bounded_too(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), accepted_per_min=1) as served:
        served.run(betting_table(served.floor, TABLE))
        served.chips(TABLE, "ann", 100_00)
        dora = served.by(Position.DEALER)
        answers = [
            served.command(dora, TABLE, "buy_in" if number % 2 else "cash_out", who="ann", amount_minor=1_00)
            for number in range(12)
        ]
        assert [answer.status_code for answer in answers] == [200] * 10 + [429] * 2
