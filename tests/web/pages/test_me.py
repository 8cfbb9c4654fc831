"""The page of a person's own account: who sees it, and what each position finds there."""

from collections.abc import Iterator

import httpx2
import pytest

from punto.table.records.positions import Position
from tests.floor.playing import betting_table
from tests.web.serving import Server, server

ENROL = 'data-send="POST /api/terminals"'


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("me") / "floor.db")) as served:
        served.run(betting_table(served.floor, "t1"))
        yield served


def me(client: httpx2.Client, **parameters: str) -> httpx2.Response:
    return client.get("/me", params=parameters, headers={"accept": "text/html"})


def test_only_people_with_an_account_have_the_page(floor: Server) -> None:
    assert me(floor.client()).status_code == 401
    assert me(floor.client("not a token")).status_code == 401
    assert me(floor.by(Position.PLAYER)).status_code == 404
    assert me(floor.client(floor.machine("shoe"))).status_code == 404
    assert me(floor.client(floor.hired("otto", None))).status_code == 200  # off duty


@pytest.mark.parametrize(
    "position", [Position.DEALER, Position.PIT_SUPERVISOR, Position.AUDITOR, Position.ADMINISTRATOR]
)
def test_below_a_pit_manager_nobody_is_offered_to_enrol(floor: Server, position: Position) -> None:
    page = me(floor.by(position)).text
    assert ENROL not in page
    assert 'data-send="PUT /api/session/pin"' in page
    assert "This browser is no terminal of the house." in page


def test_a_pit_manager_enrols_for_a_table_or_the_pit_and_titles_are_escaped(floor: Server) -> None:
    manager = floor.by(Position.PIT_MANAGER)
    title = "<script>alert(1)</script>"
    enrolled = manager.post("/api/terminals", json={"table": "t1", "title": title})
    assert enrolled.status_code == 201, enrolled.text
    page = me(manager).text
    assert ENROL in page
    assert '<option value="t1">' in page
    assert title not in page
    assert "&lt;script&gt;alert(1)" in page
    assert f'data-send="DELETE /api/terminals/{enrolled.json()["id"]}"' in page
    assert "将此浏览器登记为终端" in me(manager, lang="zh").text


def test_the_page_names_no_session_by_its_token(floor: Server) -> None:
    token = floor.hired("dana", Position.DEALER)
    page = me(floor.client(token)).text
    assert token not in page
    assert page.count("This one") == 1
