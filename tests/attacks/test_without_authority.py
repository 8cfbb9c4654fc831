"""Everybody tries every command above their position, spoilt so that another refusal could come first.

Each attempt is refused for lack of authority, and each is on record.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry
from punto.floor.journal.house_events import HOUSE, AuthorityRefused, read_house_event
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book, book_ids
from punto.table.records.commands import Command
from punto.table.records.positions import Position
from tests.floor.people.test_authority import BY_SESSION, body_of, expected
from tests.floor.playing import MANAGER, SUPERVISOR, At
from tests.table.samples import commands_by
from tests.table.tables import settings
from tests.web.serving import Server, server

TAKEN = "taken"
"""The id of a command that was accepted before."""
Body = dict[str, Any]


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A table with a sealed shoe for each book, named like it. One that is closed, and one with a real shoe."""
    with server(str(tmp_path_factory.mktemp("attack") / "floor.db")) as served:
        for game in book_ids():
            create(served, game, game, ShoeKind.VIRTUAL)
        create(served, "real", "tiger-buffalo", ShoeKind.MANUAL)
        served.run(served.floor.create_table(MANAGER, TableSetup("closed", "commission")))
        yield served


def create(served: Server, name: str, game: str, shoes: ShoeKind) -> None:
    served.run(served.floor.create_table(MANAGER, TableSetup(name, game, shoes)))
    wanted = msgspec.to_builtins(settings(book(game), least=10_00, most=500_00))
    at = At(served.floor, name)
    opening = at.do(SUPERVISOR, "open_table", TAKEN if name == "real" else "", settings=wanted, float_minor=1_000_00)
    served.run(opening)


def as_it_is(body: Body) -> Body:
    return body


def with_a_field_too_many(body: Body) -> Body:
    return {**body, "secret": 1}


def with_wrong_types(body: Body) -> Body:
    keep = ("command", "who", "amounts", "bets", "on_behalf")
    return {name: value if name in keep else [["?"]] for name, value in body.items()}


def with_nothing_but_names(body: Body) -> Body:
    return {name: value for name, value in body.items() if name in ("command", "who", "amounts", "bets")}


def with_cards(body: Body) -> Body:
    """Cards that no sealed shoe takes, and ranks that no table takes."""
    return {**body, "card": "5", "cards": ["5", "As"]}


Fault = Callable[[Body], Body]
FAULTS: tuple[Fault, ...] = (as_it_is, with_a_field_too_many, with_wrong_types, with_nothing_but_names, with_cards)


def attempts(game: str, position: Position, name: str) -> Iterator[tuple[type[Command], str, Body]]:
    """Every command that the position may not give, in their own name and in another's, and its refusal."""
    for who in (name, "ben"):
        for command in commands_by(book(game), "x", Position.DEALER, who):
            if (code := expected(type(command), position, own=who == name)) is not None:
                yield type(command), code, body_of(command)


def attack(
    served: Server, table: str, game: str, position: Position, fault: Fault, command_id: str | None = None
) -> int:
    """Try everything as somebody new, and return how many attempts there were."""
    name = f"mallory {served.next_id()}"
    client, made = served.client(served.token(position, name)), list[tuple[str, str]]()
    for kind, code, body in attempts(game, position, name):
        request = {"id": command_id or served.next_id(), "command": fault(body)}
        answer = client.post(f"/api/tables/{table}/commands", json=request)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, code), (position, body, answer.text)
        made.append((str(kind.__struct_config__.tag), code))
    served.run(served.floor.flush())
    recorded = [event for event in house_events(served) if event.by == name]
    assert sum(event.times for event in recorded) == len(made)
    assert {(event.command, event.code) for event in recorded} <= set(made)
    assert {(event.table, event.position) for event in recorded} == {(table, position)}
    return len(made)


def house_events(served: Server) -> list[AuthorityRefused]:
    def read(transaction: Transaction) -> list[Entry]:
        return list(streams.read_back(transaction, streams.head(transaction, HOUSE)))

    async def entries() -> list[Entry]:
        return await served.floor.database.read(read)

    events = [read_house_event(entry.event) for entry in reversed(served.run(entries()))]
    return [event for event in events if isinstance(event, AuthorityRefused)]


@pytest.mark.sweep
@pytest.mark.parametrize("game", book_ids())
def test_every_command_above_every_position_under_every_book(floor: Server, game: str) -> None:
    tried = sum(attack(floor, game, game, position, as_it_is) for position in BY_SESSION)
    assert tried > 380


@pytest.mark.sweep
@pytest.mark.parametrize("fault", FAULTS[1:])
def test_no_fault_in_a_command_hides_the_attempt(floor: Server, fault: Fault) -> None:
    for position in (Position.PLAYER, Position.DEALER, Position.PIT_SUPERVISOR):
        assert attack(floor, "super-six-plus", "super-six-plus", position, fault)
        assert attack(floor, "real", "tiger-buffalo", position, fault)


@pytest.mark.parametrize("command_id", [TAKEN, "house:1", "x" * 101, "\n"])
def test_no_fault_in_its_id_does(floor: Server, command_id: str) -> None:
    assert attack(floor, "real", "tiger-buffalo", Position.DEALER, as_it_is, command_id)


def test_nor_does_a_closed_table(floor: Server) -> None:
    assert attack(floor, "closed", "commission", Position.DEALER, as_it_is)


def test_who_may_not_add_tables_learns_nothing_about_books_and_names(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as served:
        dora = served.by(Position.DEALER)
        tries: list[Body] = [
            {"name": "t1", "book": "no such book"},
            {"name": "t1", "book": "commission", "decks": 99},
            {"name": "a/b", "book": "commission"},
            {"name": "x" * 500, "book": "commission"},
            {"name": "t1", "book": "commission", "pace": {"deal_s": -1}},
        ]
        for body in tries:
            answer = dora.post("/api/tables", json=body)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_authorised"), body
        assert [(event.by, event.command) for event in house_events(served)] == [("dora", "create_table")] * len(tries)
