"""Who gets the console, what it sends, and where people land after signing in."""

import json
import re
from collections.abc import Iterator

import httpx2
import pytest
from websockets.sync.client import connect

from punto.floor.journal.actor import Actor
from punto.table.records.positions import DEALER_UP, Position
from punto.web.pages.base.static_files import static, static_files
from tests.floor.playing import DEALER, MANAGER, manual_table
from tests.waiting import DEADLINE_S
from tests.web.page_tree import read_page
from tests.web.serving import NAMES, Server, server

IMPORTED = re.compile(rb'^import (?:[^"]+ from )?"([^"]+)"', re.MULTILINE)


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor with one table, t1, between rounds."""
    with server(str(tmp_path_factory.mktemp("console") / "floor.db")) as running:
        running.run(manual_table(running.floor, rules="commission-insurance", observing=True))
        yield running


@pytest.mark.parametrize("position", sorted(DEALER_UP))
def test_staff_of_tables_get_the_console(floor: Server, position: Position) -> None:
    page = read_page(floor.by(position), "/tables/t1/deal", "en")
    moment = json.loads(page.id("moment").words)
    assert moment["moments"][0]["space"]["give"] == [{"command": "open_betting.1"}]


@pytest.mark.parametrize("position", [Position.AUDITOR, Position.ADMINISTRATOR])
def test_nobody_else_gets_it(floor: Server, position: Position) -> None:
    assert floor.by(position).get("/tables/t1/deal").status_code == 403


def test_somebody_who_is_not_signed_in_signs_in_first(floor: Server) -> None:
    answer = floor.client().get("/tables/t1/deal")
    assert (answer.status_code, answer.headers["location"]) == (303, "/enter?to=%2Ftables%2Ft1%2Fdeal")


def test_a_table_that_does_not_exist_has_no_console(floor: Server) -> None:
    assert floor.by(Position.DEALER).get("/tables/none/deal").status_code == 404


def first_message(floor: Server, token: str | None) -> str:
    address = f"{floor.url.replace('http', 'ws', 1)}/live/tables/t1/deal"
    who = {"authorization": f"Bearer {token}"} if token else {}
    with connect(address, additional_headers=who, compression=None, proxy=None, open_timeout=DEADLINE_S) as socket:
        floor.run(floor.floor.submit(DEALER, "t1", floor.next_id(), {"command": "open_betting.1"}))
        floor.run(floor.floor.submit(DEALER, "t1", floor.next_id(), {"command": "cancel_round.1"}))
        return str(socket.recv(DEADLINE_S)) if token else ""


def test_the_console_is_sent_to_staff_over_its_socket(floor: Server) -> None:
    pieces = json.loads(first_message(floor, floor.token(Position.DEALER)))["pieces"]
    assert {"head", "left", "stage", "now", "keys", "moment"} <= pieces.keys()


def test_the_page_has_every_piece_before_its_socket_is_open(floor: Server) -> None:
    page = read_page(floor.by(Position.DEALER), "/tables/t1/deal", "en")
    keys = page.id("keys")
    assert list(keys.all("button")) or list(keys.all("kbd"))
    assert "built-in method" not in page.words


def test_scripts_import_each_other_by_addresses_that_change_with_their_content() -> None:
    addresses = {file.address for file in static_files().values()}
    scripts = {name: file for name, file in static_files().items() if name.startswith("dealer/")}
    assert len(scripts) > 5
    for name, file in scripts.items():
        imported = {found.decode() for found in IMPORTED.findall(file.answer.body)}
        assert imported <= addresses, name
    assert static("punto.js") in {
        found.decode() for file in scripts.values() for found in IMPORTED.findall(file.answer.body)
    }


# ---- landing


def lands(client: httpx2.Client) -> str:
    answer = client.get("/start")
    return str(answer.headers["location"]) if answer.status_code == 303 else "the list"


def test_people_land_where_they_work(floor: Server) -> None:
    assert lands(floor.by(Position.DEALER)) == "the list"  # on duty nowhere
    assert lands(floor.by(Position.PIT_SUPERVISOR)) == "/pit"
    assert lands(floor.by(Position.AUDITOR)) == "/audit"
    assert lands(floor.by(Position.ADMINISTRATOR)) == "/"
    assert floor.client().get("/start").status_code == 401
    max_ = Actor(NAMES[Position.PIT_MANAGER], MANAGER.position)
    floor.run(floor.service.duty.assign(max_, NAMES[Position.DEALER], "t1"))
    floor.service.floor_view.refresh()
    assert lands(floor.by(Position.DEALER)) == "/tables/t1/deal"
    header, _ = read_page(floor.by(Position.DEALER), "/", "en").all("div", "who")
    assert "dealer · Table t1" in header.words


@pytest.mark.parametrize(
    ("command", "status"),
    [("", 400), ("[]", 400), ('{"command": "correct_card.1"}', 400), ('{"command": "settle.1"}', 404)],
)
def test_only_what_a_card_would_change_is_asked(floor: Server, command: str, status: int) -> None:
    for each in ("open_betting.1", "cancel_round.1"):
        floor.run(floor.floor.submit(DEALER, "t1", floor.next_id(), {"command": each}))
    answer = floor.by(Position.DEALER).get("/tables/t1/deal/changes", params={"command": command})
    assert answer.status_code == status, answer.text
