"""A session that is locked at a terminal: its screen goes on showing the table or the pit, and gives nothing else."""

import re
from collections.abc import Iterator

import httpx2
import pytest

from punto.table.records.positions import Position
from punto.web.api import ENDPOINTS
from punto.web.http.endpoint import Access
from punto.web.live.connection import CLOSE_LOCKED
from tests.attacks.test_terminals import COOKIE, PIN, at_terminal, leave_alone, session_of
from tests.floor.playing import betting_table
from tests.web.serving import PASSWORD, Server, server
from tests.web.watching import line
from tests.web.wire import problem

OWN, OTHER = "t1", "t2"
WORK = ("deal", "guide")


@pytest.fixture
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Two tables; dora, sue and max have accounts, and sue has a PIN."""
    with server(str(tmp_path_factory.mktemp("locked") / "floor.db")) as served:
        for table in (OWN, OTHER):
            served.run(betting_table(served.floor, table))
        for position in (Position.DEALER, Position.PIT_SUPERVISOR, Position.PIT_MANAGER):
            served.token(position)
        set_pin = served.by(Position.PIT_SUPERVISOR).put("/api/session/pin", json={"password": PASSWORD, "pin": PIN})
        assert set_pin.status_code == 204, set_pin.text
        yield served


def key_of(served: Server, table: str | None) -> str:
    """The key of a new terminal."""
    max_there = served.client(served.run(served.service.sessions.sign_in("max", PASSWORD)).token)
    answer = max_there.post("/api/terminals", json={"table": table, "title": "the screen"})
    assert answer.status_code == 201, answer.text
    return answer.headers["set-cookie"].partition("=")[2].partition(";")[0]


def locked_at(served: Server, table: str | None) -> httpx2.Client:
    """Sue's browser at a terminal, left alone."""
    browser = at_terminal(served, key_of(served, table))
    leave_alone(served)
    return browser


def shown(browser: httpx2.Client, path: str) -> bool:
    answer = browser.get(path, follow_redirects=True)
    assert answer.status_code in (200, 423), answer.text
    return answer.status_code == 200 and 'id="locked-bar"' in answer.text


def test_the_terminal_of_a_table_goes_on_showing_that_table_and_no_other(floor: Server) -> None:
    browser = locked_at(floor, OWN)
    for page in WORK:
        assert shown(browser, f"/tables/{OWN}/{page}")
        assert not shown(browser, f"/tables/{OTHER}/{page}")
    assert shown(browser, f"/pit/tables/{OWN}")
    assert shown(browser, f"/approvals?table={OWN}")
    for path in ("/pit", f"/pit/tables/{OTHER}", "/approvals", f"/approvals?table={OTHER}", "/pit/players"):
        assert browser.get(path).status_code == 423, path
    for path in ("/", "/guide", f"/tables/{OWN}"):  # what anybody sees, or nothing
        assert "locked-bar" not in browser.get(path, follow_redirects=True).text
    assert browser.get("/api/session").json()["locked"] is True


def test_a_display_of_the_pit_goes_on_showing_every_table(floor: Server) -> None:
    browser = locked_at(floor, None)
    paths = [f"/tables/{table}/{page}" for table in (OWN, OTHER) for page in WORK]
    for path in (*paths, "/pit", f"/pit/tables/{OTHER}", "/approvals"):
        assert shown(browser, path), path
    for path in ("/pit/players", "/pit/reports", "/pit/settings", "/incidents", "/audit", "/me"):
        assert browser.get(path, follow_redirects=True).status_code in (403, 423), path


@pytest.mark.parametrize("table", [OWN, None])
def test_locked_it_reads_and_does_nothing_at_any_address_of_the_api(floor: Server, table: str | None) -> None:
    browser = locked_at(floor, table)
    for endpoint in ENDPOINTS:
        if endpoint.access is Access.ACTOR and endpoint.body is None:
            path = re.sub(r"{\w+}", "x", endpoint.path.replace("{table}", OWN))
            problem(browser.request(endpoint.method, path), 423, "session_locked")
    command = {"id": "a", "command": {"command": "close_betting.1"}}
    problem(browser.post(f"/api/tables/{OWN}/commands", json=command), 423, "session_locked")
    dialog = browser.get(f"/tables/{OWN}/deal/table")
    assert dialog.status_code == 423
    assert browser.post("/api/session/unlock", json={"pin": PIN}).status_code == 204
    assert browser.post(f"/api/tables/{OWN}/commands", json=command).status_code == 200


def test_the_session_of_a_terminal_shows_nothing_elsewhere(floor: Server) -> None:
    key = key_of(floor, OWN)
    browser = at_terminal(floor, key)
    elsewhere = at_terminal(floor, key_of(floor, OWN))
    session = browser.cookies["punto"]
    signed_in = floor.client().post("/api/session", json={"name": "sue", "password": PASSWORD})
    leave_alone(floor)
    at_none = {"punto": session}
    at_another = {"punto": session, COOKIE: elsewhere.cookies[COOKIE]}
    opened_at_none = {"punto": session_of(signed_in), COOKIE: key}
    for cookies in (at_none, at_another, opened_at_none):
        answer = floor.client(cookies=cookies).get(f"/tables/{OWN}/deal")
        assert answer.status_code == 423
        assert "locked-bar" not in answer.text
    assert shown(browser, f"/tables/{OWN}/deal")


def test_its_live_line_goes_on_and_says_that_it_is_locked(floor: Server) -> None:
    browser = at_terminal(floor, key_of(floor, OWN))
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    headers = {"cookie": cookies}
    with (
        line(floor, path=f"/live/tables/{OWN}/deal", headers=headers) as own,
        line(floor, path=f"/live/tables/{OTHER}/deal", headers=headers) as other,
        line(floor, path="/live/pit", headers=headers) as pit,
    ):
        leave_alone(floor)
        assert (other.closed(), pit.closed()) == (CLOSE_LOCKED, CLOSE_LOCKED)
        while not own.next().get("locked"):
            pass
        dora = floor.client(floor.run(floor.service.sessions.sign_in("dora", PASSWORD)).token)
        assert floor.command(dora, OWN, "close_betting").status_code == 200
        while "now" not in own.next().get("pieces", {}):
            pass
        with line(floor, path=f"/live/tables/{OWN}/deal", headers=headers) as again:
            first = again.next()
            assert (first["locked"], "now" in first["pieces"]) == (True, True)
        assert browser.post("/api/session/unlock", json={"pin": PIN}).status_code == 204
        while own.next().get("locked"):
            pass
