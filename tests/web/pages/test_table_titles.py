"""A table's title is on every page that shows the table; addresses and records keep its name."""

import json
from collections.abc import Iterator

import pytest
from markupsafe import escape
from websockets.sync.client import connect

from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.playing import DEALER
from tests.waiting import DEADLINE_S
from tests.web.incidents import troubled_table
from tests.web.page_tree import read_page
from tests.web.serving import STAFFED, Server, server
from tests.web.wire import problem

TITLE, NAME = "Orchid <3>", "felt 1"
PAGES = (
    "/",
    "/tables/felt%201",
    "/tables/felt%201/board",
    "/tables/felt%201/odds",
    "/tables/felt%201/fairness",
    "/tables/felt%201/history",
    "/tables/felt%201/rounds/1-1",
    "/tables/felt%201/deal",
    "/tables/felt%201/guide",
    "/pit",
    "/pit/tables/felt%201",
    "/start",
    "/approvals",
    "/incidents",
    "/incidents/1",
    "/me",
)


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A table with incidents that calls the pit. Every page was drawn once before it got its title."""
    with server(str(tmp_path_factory.mktemp("titles") / "floor.db")) as running:
        troubled_table(running, NAME)
        running.run(running.floor.submit(DEALER, NAME, running.next_id(), {"command": "call_pit.1"}))
        manager = running.by(Position.PIT_MANAGER)
        for path in PAGES:
            assert manager.get(path, follow_redirects=True).status_code == 200, path
        titled = manager.put("/api/tables/felt%201/title", json={"title": TITLE})
        assert (titled.status_code, titled.json()["table_title"], titled.json()["table"]) == (200, TITLE, NAME)
        yield running


@pytest.mark.parametrize("path", PAGES)
def test_every_page_of_a_table_shows_its_title(floor: Server, path: str) -> None:
    manager = floor.by(Position.PIT_MANAGER)
    to = manager.get(path).headers.get("location", path)
    page = read_page(manager, to).one("body")
    assert TITLE in page.words, path
    if path not in ("/incidents/1", "/tables/felt%201/rounds/1-1"):  # a record has both
        assert NAME not in page.words


@pytest.mark.parametrize("path", ["/", "/tables/felt%201", "/tables/felt%201/board", "/tables/felt%201/deal"])
def test_open_pages_are_told_a_new_title(floor: Server, path: str) -> None:
    manager, address = floor.by(Position.PIT_MANAGER), f"{floor.url.replace('http', 'ws', 1)}/live{path}"
    headers = {"authorization": f"Bearer {floor.token(Position.PIT_MANAGER)}"}
    with connect(address, additional_headers=headers, compression=None, proxy=None, open_timeout=DEADLINE_S) as socket:
        for title in ("Lotus", TITLE):
            manager.put("/api/tables/felt%201/title", json={"title": title})
            message = ""
            while str(escape(title)) not in message:  # what was drawn before may come first
                message = "".join(json.loads(socket.recv(DEADLINE_S))["pieces"].values())


def test_the_view_has_title_and_name(floor: Server) -> None:
    view = floor.client().get("/api/tables/felt%201").json()["state"]
    assert (view["table"], view["table_title"]) == (NAME, TITLE)
    (listed,) = floor.client().get("/api/tables").json()["tables"]
    assert (listed["table"], listed["table_title"]) == (NAME, TITLE)


@pytest.mark.parametrize("position", [*STAFFED, Position.PLAYER])
def test_pit_managers_and_above_change_a_title(floor: Server, position: Position) -> None:
    answer = floor.by(position).put("/api/tables/felt%201/title", json={"title": TITLE})
    if position in (Position.PIT_MANAGER, Position.SHIFT_MANAGER, Position.CASINO_MANAGER):
        assert answer.status_code == 200
    else:
        problem(answer, 403, TableCode.NOT_AUTHORISED)


def test_no_new_table_gets_a_name_like_a_title(floor: Server) -> None:
    body = {"name": TITLE.upper(), "book": "commission", "shoes": "manual"}
    problem(floor.by(Position.PIT_SUPERVISOR).post("/api/tables", json=body), 409, "name_taken")
