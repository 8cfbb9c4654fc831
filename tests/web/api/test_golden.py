"""Golden sessions over HTTP: every kind of command from its original sender, with the result in the file."""

from collections.abc import Iterator
from typing import Any, get_args

import httpx2
import msgspec
import pytest
from _pytest.mark import ParameterSet

from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.players import Players
from punto.library import book
from punto.table.records.commands import BuyIn, Command, IdentifyPlayer
from punto.table.records.identity import is_plain_name, player_number
from punto.table.records.positions import Position
from punto.table.vocabulary import AnyCommand
from tests.floor.people.test_authority import body_of
from tests.golden.evening import THE_BOOKS_OWN, Evening, Step, read_asked
from tests.golden.recordings import DECIDED, golden
from tests.web.serving import Server
from tests.web.wire import problem

pytestmark = pytest.mark.sweep

EVENINGS = {name: golden(name) for name in DECIDED}


def parameters() -> Iterator[ParameterSet]:
    """A session whose book and whose accepted and refused commands others have too is played at night alone.

    What each book decides is shown where the same sessions are decided without a server.
    """
    seen = set[object]()
    for name, evening in EVENINGS.items():
        given: set[object] = {(type(read_asked(step.asked)), step.refused is None) for step in evening.steps}
        given.add(evening.book)
        yield pytest.param(evening, id=name, marks=[pytest.mark.nightly] if given <= seen else [])
        seen |= given


class Guests:
    """The people of a golden session, each with a web session in their own name."""

    def __init__(self, served: Server) -> None:
        self._served = served
        self._clients: dict[str, httpx2.Client] = {}

    def client(self, name: str, position: Position) -> httpx2.Client:
        """A client for a person, in this position."""
        if name not in self._clients:
            token = self._served.visitor(name) if position is Position.PLAYER else self._served.hired(name, position)
            self._clients[name] = self._served.client(token)
        return self._clients[name]


def give(served: Server, guests: Guests, number: int, step: Step) -> None:
    """Give one command over HTTP; it must be accepted or refused as in the file."""
    command = read_asked(step.asked)
    # no session is the house's or a customer's, and visitors are neither sold chips nor identified
    if command.position is Position.HOUSE or isinstance(command, BuyIn | IdentifyPlayer) or _is_customer(command):
        answer = served.run(served.floor.give(served.floor.table("t1"), f"golden {number}", command))
        assert (answer.refusal is None) is (step.refused is None), step
        return
    client = guests.client(command.by, command.position)
    body = {"id": f"golden {number}", "command": body_of(command)}
    told = client.post("/api/tables/t1/commands", json=body)
    if step.refused is None:
        assert told.status_code == 200, (step, told.text)
        return
    code = told.json()["error"]["code"]
    problem(told, told.status_code, code)
    assert told.status_code in (403, 409), (step, told.text)
    assert code in step.refused, step


def _is_customer(command: Command) -> bool:
    return command.position is Position.PLAYER and not is_plain_name(command.by)


def players(evening: Evening) -> list[str]:
    """Players who give a command, or for whom one is given. They enter as visitors before anybody has chips."""
    commands = [read_asked(step.asked) for step in evening.steps]
    return sorted(
        {command.by for command in commands if command.position is Position.PLAYER and not _is_customer(command)}
    )


def highest_id(evening: Evening) -> int:
    """The highest number of a registered player at the table; 0 if there is none."""
    people = (getattr(read_asked(step.asked), "who", None) or "" for step in evening.steps)
    return max((player_number(who) or 0 for who in people), default=0)


@pytest.mark.parametrize("evening", list(parameters()))
def test_a_golden_evening_over_http(served: Server, evening: Evening) -> None:
    made = served.by(Position.ADMINISTRATOR).post(
        "/api/tables", json={"name": "t1", "book": evening.book, "shoes": "manual"}
    )
    assert made.status_code == 201, made.text
    guests = Guests(served)
    for name in players(evening):
        guests.client(name, Position.PLAYER)
    for number in range(highest_id(evening)):
        served.run(Players(served.floor.house_log).register(THE_CONSOLE, f"Player {number}"))
    for number, step in enumerate(evening.steps):
        give(served, guests, number, step)
    law = book(evening.book).law_hash
    written = [event.replace(THE_BOOKS_OWN, law) for step in evening.steps for event in step.events]
    wanted = [as_written(msgspec.json.decode(event)) for event in written]
    auditor, told, cursor, more = served.by(Position.AUDITOR), list[dict[str, Any]](), "1/0", True
    while more:
        page = auditor.get(f"/api/tables/t1/events?after={cursor}&most=500").json()
        told += [as_written(one["event"]) for one in page["events"]]
        cursor, more = page["next"], page["more"]
    assert len(told) == len(wanted)
    for event, other in zip(told, wanted, strict=True):  # events have gained fields since
        assert as_it_was(event, other) == other


def as_it_was(new: Any, old: Any) -> Any:
    """Without the fields that records have gained since."""
    if isinstance(old, dict):
        return {name: as_it_was(new[name], value) for name, value in old.items()}
    if isinstance(old, list) and len(new) == len(old):
        return [as_it_was(*each) for each in zip(new, old, strict=True)]
    return new


def as_written(event: dict[str, Any]) -> dict[str, Any]:
    """Ignore the order of what an opening carries over."""
    return {**event, "postings": sorted(event.get("postings", ()))}


def test_the_evenings_have_every_command_in_an_accepted_form() -> None:
    accepted = {type(read_asked(step.asked)) for one in EVENINGS.values() for step in one.steps if step.refused is None}
    assert accepted == set(get_args(AnyCommand))
