"""A call for the pit: on the console, on the pages of the pit, and nowhere for players."""

import json
from collections.abc import Iterator

import pytest

from punto.table.records.positions import Position
from tests.floor.playing import DEALER, SUPERVISOR, manual_table
from tests.web.page_tree import read_page
from tests.web.serving import Server, server


@pytest.fixture
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor with the tables t1 and t2. The pit is called to t2."""
    with server(str(tmp_path_factory.mktemp("calls") / "floor.db")) as running:
        for name in ("t1", "t2"):
            running.run(manual_table(running.floor, name, rules="commission-insurance", observing=True))
        running.run(running.floor.submit(DEALER, "t2", running.next_id(), {"command": "call_pit.1"}))
        yield running


def answer(floor: Server) -> None:
    floor.run(floor.floor.submit(SUPERVISOR, "t2", floor.next_id(), {"command": "answer_call.1"}))


def test_the_pages_of_the_pit_list_a_table_that_calls_first_until_it_is_answered(floor: Server) -> None:
    supervisor = floor.by(Position.PIT_SUPERVISOR)
    for page in ("/pit", "/pit/tables/t2", "/approvals"):
        assert 'data-answer="/api/tables/t2/commands"' in supervisor.get(page).text
        assert 'data-answer="/api/tables/t1/commands"' not in supervisor.get(page).text
    tiles = read_page(supervisor, "/pit", "en").id("tiles")
    assert [link.attributes["data-tile"] for link in tiles.all("a")] == ["t2", "t1"]
    assert "data-answer" not in floor.by(Position.DEALER).get("/approvals").text
    assert "data-answer" not in supervisor.get("/approvals?table=t1").text
    answer(floor)
    for page in ("/pit", "/pit/tables/t2", "/approvals"):
        assert "data-answer" not in supervisor.get(page).text


def test_the_console_says_who_called_and_who_answered(floor: Server) -> None:
    dealer = floor.by(Position.DEALER)
    page = read_page(dealer, "/tables/t2/deal", "en")
    assert "Pit called" in page.id("head").words
    key = json.loads(page.id("moment").words)["moments"][0]["keys"]["H"]
    assert (key["give"], key["needs"]) == ([{"command": "answer_call.1"}], "pit_supervisor")
    answer(floor)
    page = read_page(dealer, "/tables/t2/deal", "en")
    assert f"{SUPERVISOR.name} answered" in page.id("head").words
    assert json.loads(page.id("moment").words)["moments"][0]["keys"]["H"]["give"] == [{"command": "call_pit.1"}]
    for command in ("open_betting.1", "cancel_round.1"):
        floor.run(floor.floor.submit(DEALER, "t2", floor.next_id(), {"command": command}))
    assert "answered" not in read_page(dealer, "/tables/t2/deal", "en").id("head").words


def test_only_staff_and_auditors_see_the_call(floor: Server) -> None:
    called = {"called_by": DEALER.name, "answered_by": ""}
    for position in (Position.DEALER, Position.AUDITOR):
        state = floor.by(position).get("/api/tables/t2").json()["state"]
        assert {name: state["pit_call"][name] for name in called} == called
        assert "pit_called.1" in floor.by(position).get("/api/tables/t2/events").text
    answer(floor)
    for client in (floor.client(), floor.by(Position.ADMINISTRATOR)):
        assert "pit_call" not in client.get("/api/tables/t2").text
        page = client.get("/api/tables/t2/events")
        assert "table_opened.1" in page.text
        assert not any(tag in page.text for tag in ("pit_called.1", "call_answered.1"))
        assert page.json()["next"] == floor.by(Position.DEALER).get("/api/tables/t2/events").json()["next"]
