"""Somebody at the counter tries to get by without a password: forged terminals, guessed PINs, sessions left open."""

import re
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from websockets.exceptions import InvalidStatus

from punto.floor.database.base import Row, Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, context_of
from punto.floor.journal.house_events import HOUSE, AuthorityRefused, PinLocked, read_house_event
from punto.floor.people.accounts.passwords import Passwords
from punto.floor.runtime.sign_in_locks import MAX_FAILURES, MAX_WRONG_PINS
from punto.table.records.positions import Position
from punto.web.api import ENDPOINTS
from punto.web.http.endpoint import Access
from punto.web.live.connection import CLOSE_LOCKED
from tests.floor.playing import betting_table
from tests.web.serving import PASSWORD, Server, server
from tests.web.watching import line
from tests.web.wire import problem

PIN = "482913"
TABLE = "t1"
COOKIE = "punto-terminal"


@pytest.fixture
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A table with betting open; dora, sue and max have accounts, and sue has a PIN."""
    with server(str(tmp_path_factory.mktemp("terminals") / "floor.db")) as served:
        served.run(betting_table(served.floor, TABLE))
        for position in (Position.DEALER, Position.PIT_SUPERVISOR, Position.PIT_MANAGER):
            served.token(position)
        set_pin = served.by(Position.PIT_SUPERVISOR).put("/api/session/pin", json={"password": PASSWORD, "pin": PIN})
        assert set_pin.status_code == 204, set_pin.text
        yield served


def terminal_key(served: Server, title: str = "left") -> str:
    """The key of a new terminal, from the cookie that max's browser gets."""
    max_there = served.client(served.run(served.service.sessions.sign_in("max", PASSWORD)).token)
    answer = max_there.post("/api/terminals", json={"table": TABLE, "title": title})
    assert answer.status_code == 201, answer.text
    (header,) = answer.headers.get_list("set-cookie")
    name, _, rest = header.partition("=")
    assert name == COOKIE
    assert "HttpOnly; SameSite=Strict" in rest
    assert max_there.delete("/api/session").status_code == 204
    return rest.partition(";")[0]


def at_terminal(served: Server, key: str, name: str = "sue") -> httpx2.Client:
    """The browser of a terminal in which somebody has signed in."""
    signed_in = served.client(cookies={COOKIE: key}).post("/api/session", json={"name": name, "password": PASSWORD})
    assert signed_in.status_code == 200, signed_in.text
    return served.client(cookies={"punto": session_of(signed_in), COOKIE: key})


def session_of(answer: httpx2.Response) -> str:
    (cookie,) = [each for each in answer.headers.get_list("set-cookie") if each.startswith("punto=")]
    return cookie.removeprefix("punto=").partition(";")[0]


def house(served: Server) -> list[tuple[str, str, Any]]:
    """Actor, terminal and event of each entry of the house's stream."""

    def read(transaction: Transaction) -> list[tuple[str, str, Any]]:
        entries = streams.read(transaction, streams.heads(transaction)[HOUSE], 0)
        return [(each.actor, context_of(each).terminal, read_house_event(each.event)) for each in entries]

    return served.floor.database.reading(read).result()


def leave_alone(served: Server) -> None:
    """Let all sessions be idle for too long."""
    served.floor.database.writing(lambda transaction: transaction.change("UPDATE sessions SET seen_us = 1")).result()


# ---- terminals


def test_no_browser_makes_itself_a_terminal_or_passes_for_another(floor: Server) -> None:
    key = terminal_key(floor)
    forged = ("", "terminal-1", key[:-1], key + "x", key.swapcase(), "'; DROP TABLE terminals; --", "x" * 5_000)
    for false_key in forged:
        browser = floor.client(floor.token(Position.DEALER))
        headers = {"cookie": f"{COOKIE}={false_key}", "punto-terminal": "terminal-1", "x-terminal": "terminal-1"}
        assert browser.get("/api/session", headers=headers).json()["terminal"] is None, false_key
        unlock = browser.post("/api/session/unlock", json={"pin": PIN}, headers=headers)
        problem(unlock, 403, "not_a_terminal")
    for position in (Position.DEALER, Position.PIT_SUPERVISOR, Position.AUDITOR, Position.ADMINISTRATOR):
        client = floor.by(position)
        problem(client.post("/api/terminals", json={"table": None, "title": "mine"}), 403, "not_authorised")
        problem(client.delete("/api/terminals/terminal-1"), 403, "not_authorised")
    robot = floor.client(floor.machine("robot", Position.PIT_MANAGER))
    problem(robot.post("/api/terminals", json={"table": None, "title": "mine"}), 403, "not_authorised")
    elsewhere = {"origin": "https://evil.example"}
    manager = floor.by(Position.PIT_MANAGER)
    problem(manager.post("/api/terminals", json={"table": None, "title": "x"}, headers=elsewhere), 403, "cross_site")
    assert [each["id"] for each in manager.get("/api/terminals").json()["terminals"]] == ["terminal-1"]
    refused = [event.by for _, _, event in house(floor) if isinstance(event, AuthorityRefused)]
    assert refused.count("robot") == 1
    assert refused.count("dora") == 2


def test_every_entry_names_the_terminal_it_came_from_and_no_body_can_name_another(floor: Server) -> None:
    browser = at_terminal(floor, terminal_key(floor), "dora")
    at_table = {"command": "close_betting.1", "context": {"terminal": "terminal-9"}}
    body = {"id": "c1", "command": at_table, "context": {"terminal": "terminal-9"}, "terminal": "terminal-9"}
    problem(browser.post(f"/api/tables/{TABLE}/commands", json=body), 400, "bad_request")
    assert floor.command(browser, TABLE, "close_betting").status_code == 200
    assert floor.command(floor.by(Position.DEALER), TABLE, "deal_card", card="9s").status_code == 200
    problem(browser.post("/api/accounts", json={"name": "eve"}), 403, "not_authorised")
    given = [each for each in floor.run(_entries(floor)) if each.part == 0]
    assert [context_of(each).terminal for each in given[-2:]] == ["terminal-1", ""]
    assert house(floor)[-1][:2] == ("dora", "terminal-1")


async def _entries(served: Server) -> list[Entry]:
    live = served.floor.table(TABLE)
    head = live.head
    assert head is not None
    return await served.floor.database.read(lambda transaction: streams.read(transaction, head, 0))


def test_a_revoked_terminal_is_none_and_its_sessions_are_over(floor: Server) -> None:
    browser = at_terminal(floor, terminal_key(floor))
    assert browser.get("/api/session").json()["terminal"] == "terminal-1"
    assert floor.by(Position.PIT_MANAGER).delete("/api/terminals/terminal-1").status_code == 204
    problem(browser.get("/api/session"), 401, "not_signed_in")
    assert floor.by(Position.PIT_SUPERVISOR).get("/api/session").status_code == 200  # sue's session elsewhere goes on


# ---- PINs


def test_a_pin_is_no_password_and_opens_nothing(floor: Server) -> None:
    browser = floor.client(cookies={COOKIE: terminal_key(floor)})
    problem(browser.post("/api/session", json={"name": "sue", "password": PIN}), 401, "wrong_password")
    problem(browser.post("/api/session/unlock", json={"pin": PIN}), 401, "not_signed_in")
    sue = floor.by(Position.PIT_SUPERVISOR)
    for method, path, body in (
        ("POST", "/api/session/password", {"before": PIN, "password": "another fine evening"}),
        ("PUT", "/api/session/pin", {"password": PIN, "pin": "907158"}),
        ("POST", "/api/session/totp", {"password": PIN}),
    ):
        problem(sue.request(method, path, json=body), 401, "wrong_password")


def test_a_pin_is_not_guessed_at_a_terminal_however_many_try_at_once(floor: Server) -> None:
    left, right = terminal_key(floor), terminal_key(floor, "right")
    browser, other = at_terminal(floor, left), at_terminal(floor, right)
    leave_alone(floor)
    guesses = [f"{number:06}" for number in range(482_000, 482_040)]
    with ThreadPoolExecutor(8) as many:
        codes = list(many.map(lambda guess: _unlock(browser, guess), guesses))
    assert codes.count("wrong_pin") == MAX_FAILURES
    assert {*codes} == {"wrong_pin", "pin_locked"}
    assert _unlock(browser, PIN) == "pin_locked"  # not even with the right one
    (locked,) = [event for _, _, event in house(floor) if isinstance(event, PinLocked)]
    assert (locked.name, locked.terminal) == ("sue", "terminal-1")
    assert _unlock(other, PIN) == ""  # the other terminal is not locked
    assert _unlock(browser, PIN) == "pin_locked"  # and success there gives no new tries here
    assert browser.post("/api/session/unlock", json={"password": PASSWORD}).status_code == 204
    assert browser.get("/api/session").json()["locked"] is False


def _unlock(browser: httpx2.Client, pin: str) -> str:
    answer = browser.post("/api/session/unlock", json={"pin": pin})
    return "" if answer.status_code == 204 else str(answer.json()["error"]["code"])


def test_tries_count_over_all_terminals_and_ring(floor: Server) -> None:
    browsers = [at_terminal(floor, terminal_key(floor, title)) for title in ("one", "two", "three", "four")]
    leave_alone(floor)
    tries = [_unlock(browsers[at % 3], f"{482_000 + at:06}") for at in range(MAX_WRONG_PINS + 2)]
    assert tries == ["wrong_pin"] * MAX_WRONG_PINS + ["pin_locked"] * 2
    assert [_unlock(browser, PIN) for browser in browsers] == ["pin_locked"] * 4  # also where nobody tried
    (locked,) = [event for _, _, event in house(floor) if isinstance(event, PinLocked)]
    assert (locked.name, locked.terminal) == ("sue", "")
    floor.until(lambda: "wrong_pins" in [each["kind"] for each in rung(floor)])
    assert browsers[0].post("/api/session/unlock", json={"password": PASSWORD}).status_code == 204


def rung(served: Server) -> list[dict[str, Any]]:
    alarms: list[dict[str, Any]] = served.by(Position.CASINO_MANAGER).get("/api/alarms").json()["alarms"]
    return alarms


def test_a_right_pin_between_gives_nobody_more_tries_elsewhere(floor: Server) -> None:
    left, right = (at_terminal(floor, terminal_key(floor, title)) for title in ("left", "right"))
    leave_alone(floor)
    codes = [_unlock(left, "482000") for _ in range(MAX_FAILURES - 1)]
    for _ in range(6):
        assert _unlock(right, PIN) == ""  # sue at work
        leave_alone(floor)
    codes += [_unlock(browser, "482001") for browser in (left, *[right] * (MAX_FAILURES - 1), right)]
    assert codes == ["wrong_pin"] * MAX_WRONG_PINS
    assert _unlock(right, PIN) == "pin_locked"
    locked = [event.terminal for _, _, event in house(floor) if isinstance(event, PinLocked)]
    assert locked == ["terminal-1", ""]  # at one, and then everywhere


def test_a_new_terminal_takes_no_pin_before_a_second_person_or_an_hour(floor: Server) -> None:
    """A manager makes their own browser a terminal, to use a PIN that they have overlooked."""
    relief = {"name": "sue", "pin": PIN}
    key = terminal_key(floor)
    own = at_terminal(floor, key, "max")
    for wrong in (relief, {"name": "sue", "pin": "482000"}, {"name": "nobody", "pin": PIN}):
        told = problem(own.post(f"/api/tables/{TABLE}/relief", json=wrong), 403, "not_a_terminal")
        assert "max" in told["message"]
    assert not [event for _, _, event in house(floor) if isinstance(event, PinLocked)]
    dora = at_terminal(floor, key, "dora")
    assert problem_code(own.post(f"/api/tables/{TABLE}/relief", json=relief)) != "not_a_terminal"
    assert dora.delete("/api/session").status_code == 204
    assert problem_code(own.post(f"/api/tables/{TABLE}/relief", json=relief)) == "not_a_terminal"
    floor.an_hour_after_enrolling()
    assert problem_code(own.post(f"/api/tables/{TABLE}/relief", json=relief)) != "not_a_terminal"


def problem_code(answer: httpx2.Response) -> str:
    return str(answer.json()["error"]["code"])


def test_nobody_keeps_managers_from_signing_in_by_trying_pins(floor: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names without a PIN cost no hash, and one terminal has one PIN checked at a time."""
    checks, in_lane, most = list[str](), 0, 0
    verify, turn_to_verify = Passwords.verify, Passwords.turn_to_verify

    async def watched(self: Passwords, password_hash: str | None, password: str) -> bool:
        checks.append(password)
        return await verify(self, password_hash, password)

    @asynccontextmanager
    async def counted(self: Passwords, *, known: bool) -> AsyncIterator[None]:
        """The turn of somebody in the lane of the staff, from when they wait for it."""
        nonlocal in_lane, most
        in_lane += 1
        most = max(most, in_lane)
        try:
            async with turn_to_verify(self, known=known):
                yield
        finally:
            in_lane -= 1

    browser = at_terminal(floor, terminal_key(floor), "dora")
    monkeypatch.setattr(Passwords, "verify", watched)
    monkeypatch.setattr(Passwords, "turn_to_verify", counted)

    def relieve(name: str, pin: str) -> str:
        return problem_code(browser.post(f"/api/tables/{TABLE}/relief", json={"name": name, "pin": pin}))

    with ThreadPoolExecutor(16) as many:
        unknown = list(many.map(lambda at: relieve(f"nobody {'abcdefghij'[at % 10]}", PIN), range(60)))
        without = relieve("max", PIN)
        known = list(many.map(lambda at: relieve("sue", f"{482_000 + at:06}"), range(16)))
    assert {*unknown, without} == {"wrong_pin", "no_pin"}
    assert known.count("wrong_pin") == MAX_FAILURES == len(checks)
    assert most == 1


def test_a_pin_unlocks_ones_own_session_only_where_it_was_opened(floor: Server) -> None:
    left, right = terminal_key(floor), terminal_key(floor, "right")
    browser = at_terminal(floor, left)
    dora = at_terminal(floor, right, "dora")
    leave_alone(floor)
    stolen = floor.client(cookies={"punto": browser.cookies["punto"], COOKIE: right})
    assert _unlock(stolen, PIN) == "not_a_terminal"
    assert _unlock(floor.client(cookies={"punto": browser.cookies["punto"]}), PIN) == "not_a_terminal"
    assert _unlock(dora, PIN) == "no_pin"  # sue's PIN is of no use in dora's session
    both = browser.post("/api/session/unlock", json={"pin": PIN, "password": PASSWORD})
    problem(both, 400, "bad_request")
    assert _unlock(browser, PIN) == ""


# ---- sessions that were left open


def test_a_session_that_was_left_open_does_nothing_at_any_address(floor: Server) -> None:
    browser = at_terminal(floor, terminal_key(floor))
    leave_alone(floor)
    before = len(house(floor))
    for endpoint in ENDPOINTS:
        if endpoint.access is not Access.ACTOR or endpoint.body is not None:
            continue
        path = re.sub(r"{\w+}", "x", endpoint.path.replace("{table}", TABLE))
        problem(browser.request(endpoint.method, path), 423, "session_locked")
    command = {"id": "c1", "command": {"command": "close_betting.1"}}
    problem(browser.post(f"/api/tables/{TABLE}/commands", json=command), 423, "session_locked")
    for path in ("list", "totp", "pin", "password", "lock"):
        method = {"list": "GET", "pin": "PUT"}.get(path, "POST")
        body = {"totp": {"password": PASSWORD}, "pin": {"password": PASSWORD, "pin": "907158"}}.get(path)
        if path == "password":
            body = {"before": PASSWORD, "password": "another fine evening"}
        problem(browser.request(method, f"/api/session/{path}", json=body), 423, "session_locked")
    assert browser.get("/api/session").json()["locked"] is True
    assert len(house(floor)) == before
    page = browser.get(f"/tables/{TABLE}").text
    assert page.count("ann") == floor.client().get(f"/tables/{TABLE}").text.count("ann")  # what anybody sees
    assert 'id="locked"' in page
    problem(floor.client(cookies={"punto": "x"}).post("/api/session/lock"), 401, "not_signed_in")


def test_reading_and_live_pages_do_not_keep_a_session_open(floor: Server) -> None:
    browser = at_terminal(floor, terminal_key(floor))
    database = floor.floor.database
    ten_minutes_ago = "UPDATE sessions SET seen_us = seen_us - 600000000"
    database.writing(lambda transaction: transaction.change(ten_minutes_ago)).result()
    before = last_seen(floor)
    for path in ("/api/session", f"/api/tables/{TABLE}", "/api/tables"):
        assert browser.get(path).status_code == 200
    with line(floor, path=f"/live/tables/{TABLE}", headers={"cookie": f"punto={browser.cookies['punto']}"}) as live:
        assert live.next()["pieces"]
        assert last_seen(floor) == before
        leave_alone(floor)
        assert live.closed() == CLOSE_LOCKED
    with pytest.raises(InvalidStatus) as refused, line(floor, browser.cookies["punto"]):
        pass
    assert refused.value.response.status_code == 423
    leave_alone(floor)
    assert browser.post("/api/session/unlock", json={"password": PASSWORD}).status_code == 204
    assert browser.get(f"/tables/{TABLE}").status_code == 200


def last_seen(served: Server) -> list[Row]:
    sql = "SELECT token, seen_us FROM sessions ORDER BY token"
    return served.floor.database.reading(lambda transaction: transaction.rows(sql)).result()
