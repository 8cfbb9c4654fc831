"""Sessions: cookies for browsers, tokens for programs, and no requests from pages of other sites."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from punto.floor.database.base import Transaction
from punto.floor.house.projections.sessions import key_of
from punto.table.records.positions import Position
from tests.floor.playing import betting_table
from tests.web.serving import PASSWORD, Server, server
from tests.web.wire import problem

SIGN_IN = {"name": "dora", "password": PASSWORD}


def cookie_of(answer: httpx2.Response) -> dict[str, str]:
    """Value and flags of the session's cookie that an answer sets. Another one may mark the device."""
    header, *others = answer.headers.get_list("set-cookie")
    assert all("punto-device=" in other for other in others)
    (name, value), *flags = [part.strip().partition("=")[::2] for part in header.split(";")]
    return {"name": name, "value": value, **{flag.lower(): of for flag, of in flags}}


def signed_in(served: Server, **more: Any) -> httpx2.Response:
    served.token(Position.DEALER)  # dora is hired
    return served.client().post("/api/session", json={**SIGN_IN, **more})


# ---- in and out


def test_a_browser_gets_a_cookie_that_no_script_and_no_other_site_can_use(served: Server) -> None:
    answer = signed_in(served)
    assert answer.status_code == 200, answer.text
    cookie = cookie_of(answer)
    assert cookie["name"] == "punto"
    assert (cookie["path"], cookie["samesite"]) == ("/", "Strict")
    assert "httponly" in cookie
    assert "secure" not in cookie
    assert "domain" not in cookie
    assert 11 * 3_600 < int(cookie["max-age"]) <= 12 * 3_600
    told = answer.json()
    assert (told["name"], told["position"], told["to_change"], told["token"]) == ("dora", "dealer", False, None)
    assert cookie["value"] not in answer.text
    client = served.client(cookies={"punto": cookie["value"]})
    assert client.get("/api/session").json()["name"] == "dora"


def test_behind_https_the_cookie_is_this_hosts_and_sent_over_nothing_else(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), secure=True) as served:
        cookie = cookie_of(signed_in(served))
        assert cookie["name"] == "__Host-punto"
        assert "secure" in cookie
        assert cookie["path"] == "/"
        assert "domain" not in cookie
        kept = {"__Host-punto": cookie["value"]}
        assert served.client(cookies=kept).get("/api/session").status_code == 200
        assert served.client(cookies={"punto": cookie["value"]}).get("/api/session").status_code == 401


def test_a_program_gets_a_token_and_no_cookie(served: Server) -> None:
    answer = signed_in(served, keep="token")
    assert "set-cookie" not in answer.headers
    client = served.client(answer.json()["token"])
    assert client.get("/api/session").json()["position"] == "dealer"
    assert client.get("/api/session").json()["token"] is None  # shown once
    problem(signed_in(served, keep="for ever"), 400, "bad_request")


def test_what_came_with_other_programs_cookies_is_found(served: Server) -> None:
    value = cookie_of(signed_in(served))["value"]
    for header in (f'a="x;y"; punto={value}', f"punto={value}; b={{json: [1]}}", f";=; punto = {value} ;x"):
        assert served.client().get("/api/session", headers={"cookie": header}).status_code == 200, header


def test_signing_out_ends_this_session_alone_and_makes_the_browser_forget(served: Server) -> None:
    one, other = (cookie_of(signed_in(served))["value"] for _ in range(2))
    answer = served.client(cookies={"punto": one}).delete("/api/session")
    assert (answer.status_code, answer.content) == (204, b"")
    forgotten = cookie_of(answer)
    assert (forgotten["value"], forgotten["max-age"]) == ("", "0")
    problem(served.client(cookies={"punto": one}).get("/api/session"), 401, "not_signed_in")
    assert served.client(cookies={"punto": other}).get("/api/session").status_code == 200


def test_a_one_time_password_has_to_be_changed_first(served: Server) -> None:
    admin = served.by(Position.ADMINISTRATOR)
    made = admin.post("/api/accounts", json={"name": "nora", "position": "dealer"})
    assert made.status_code == 201
    once = made.json()["password"]
    answer = served.client().post("/api/session", json={"name": "nora", "password": once, "keep": "token"})
    assert answer.json()["to_change"] is True
    nora = served.client(answer.json()["token"])
    assert nora.get("/api/session").json()["to_change"] is True
    problem(nora.get("/api/tables/t1/legal"), 403, "password_to_change")
    problem(nora.post("/api/session/password", json={"before": once, "password": "short"}), 400, "bad_password")
    problem(nora.post("/api/session/password", json={"before": "wrong", "password": PASSWORD}), 401, "wrong_password")
    assert nora.post("/api/session/password", json={"before": once, "password": PASSWORD}).status_code == 204
    assert nora.get("/api/session").json()["position"] == "dealer"
    problem(admin.post("/api/accounts", json={"name": "nora"}), 409, "account_exists")
    again = admin.post("/api/accounts/nora/password").json()["password"]
    problem(nora.get("/api/session"), 401, "not_signed_in")
    assert served.client().post("/api/session", json={"name": "nora", "password": again}).json()["to_change"] is True


def test_visitors_come_and_go(served: Server) -> None:
    problem(served.client().post("/api/visit", json={"name": "ann"}), 403, "no_visitors")
    served.by(Position.ADMINISTRATOR).put("/api/floor-rules", json={"visitors": True})
    answer = served.client().post("/api/visit", json={"name": "ann"})
    assert (answer.json()["name"], answer.json()["position"]) == ("ann", "player")
    ann = served.client(cookies={"punto": cookie_of(answer)["value"]})
    problem(served.client().post("/api/visit", json={"name": "Ann"}), 409, "name_taken")
    problem(served.client().post("/api/visit", json={"name": "house"}), 409, "name_taken")
    problem(served.client().post("/api/visit", json={"name": "\u200b"}), 400, "bad_name")
    problem(served.client().post("/api/visit", json={"name": " "}), 400, "bad_name")
    problem(served.client().post("/api/visit", json={"name": "ann "}), 409, "name_taken")
    assert served.client().post("/api/visit", json={"name": " Mary Ann "}).json()["name"] == "Mary Ann"
    assert ann.get("/api/session").json()["name"] == "ann"
    assert ann.delete("/api/session").status_code == 204
    assert served.client().post("/api/visit", json={"name": "ann"}).status_code == 200


def test_an_old_cookie_is_no_cookie_where_anybody_may_look(served: Server) -> None:
    served.run(betting_table(served.floor))
    old = served.client(cookies={"punto": "gone"})
    assert old.get("/api/tables/t1").json()["me"] is None
    assert old.get("/api/tables").status_code == 200
    problem(old.get("/api/tables/t1/rounds"), 401, "not_signed_in")


# ---- sessions that no longer hold


def expire(served: Server, token: str) -> None:
    """Let a session expire."""

    def work(transaction: Transaction) -> int:
        return transaction.change("UPDATE sessions SET expires_us = 1 WHERE token = ?", (key_of(token),))

    async def whole() -> int:
        return await served.floor.database.write(work)

    assert served.run(whole()) == 1


def test_a_session_over_time_gives_no_command(served: Server) -> None:
    served.run(betting_table(served.floor))
    for position in (Position.DEALER, Position.PLAYER):
        client = served.by(position)
        assert client.get("/api/session").status_code == 200
        expire(served, served.token(position))
        problem(served.command(client, "t1", "close_betting"), 401, "not_signed_in")
        problem(client.get("/api/session"), 401, "not_signed_in")


@pytest.mark.parametrize("token", ["x", "0" * 43, "\u00e9" * 20, "' OR 1=1 --", "A" * 5_000])
def test_a_forged_token_is_nobodys(served: Server, token: str) -> None:
    headers = [(b"authorization", f"Bearer {token}".encode("latin-1"))]
    problem(served.client().get("/api/tables/t1/legal", headers=headers), 401, "not_signed_in")
    problem(served.client().get("/api/session", headers=headers), 401, "not_signed_in")
    basic = {"authorization": "Basic ZG9yYTp4"}
    problem(served.client().get("/api/session", headers=basic), 401, "not_signed_in")


def test_what_the_database_keeps_of_a_token_is_no_token(served: Server) -> None:
    token = served.token(Position.DEALER)
    problem(served.client(key_of(token)).get("/api/session"), 401, "not_signed_in")
    problem(served.client(token[:-1]).get("/api/session"), 401, "not_signed_in")
    problem(served.client(token + "x").get("/api/session"), 401, "not_signed_in")


def test_five_wrong_passwords_lock_a_name_out(served: Server) -> None:
    served.token(Position.DEALER)
    client = served.client()
    for _ in range(5):
        problem(client.post("/api/session", json={"name": "dora", "password": "wrong"}), 401, "wrong_password")
    answer = client.post("/api/session", json=SIGN_IN)
    problem(answer, 429, "locked_out")
    assert int(answer.headers["retry-after"]) == 15 * 60
    for name in ("nobody", "DORA ", ""):
        answer = client.post("/api/session", json={"name": name, "password": "wrong"})
        problem(answer, 401, "wrong_password")  # the same answer as for a name that does not exist
    assert served.by(Position.DEALER).get("/api/session").status_code == 200  # who is in stays in


# ---- other sites' pages

ELSEWHERE = [
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": "http://"},
    {"origin": "http://["},
    {"origin": ""},
    {"origin": "http://127.0.0.1"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"origin": "https://evil.example", "sec-fetch-site": "same-origin"},
]


@pytest.mark.parametrize("headers", ELSEWHERE)
def test_a_post_from_another_sites_page_changes_nothing(standing: Server, headers: dict[str, str]) -> None:
    token = standing.token(Position.DEALER)
    client = standing.client(cookies={"punto": token})
    before = standing.floor.table("t1").head
    close = {"id": "x", "command": {"command": "close_betting.1"}}
    problem(client.post("/api/tables/t1/commands", json=close, headers=headers), 403, "cross_site")
    problem(client.post("/api/session", json=SIGN_IN, headers=headers), 403, "cross_site")
    problem(client.post("/api/visit", json={"name": "eve"}, headers=headers), 403, "cross_site")
    problem(client.delete("/api/session", headers=headers), 403, "cross_site")
    problem(client.put("/api/floor-rules", json={"visitors": True}, headers=headers), 403, "cross_site")
    assert standing.floor.table("t1").head == before
    assert client.get("/api/session", headers=headers).status_code == 200  # a browser tells other pages nothing of it
    assert "access-control-allow-origin" not in client.get("/api/session", headers=headers).headers


def test_a_post_from_our_own_page_is_taken(standing: Server) -> None:
    client = standing.client(cookies={"punto": standing.token(Position.DEALER)})
    for headers in (
        {"origin": standing.url},
        {"origin": standing.url, "sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
        {},
    ):
        command = {"command": "cash_out.1", "who": "ann", "amount_minor": 1_00}
        body = {"id": standing.next_id(), "command": command}
        assert client.post("/api/tables/t1/commands", json=body, headers=headers).status_code == 200, headers


def test_a_further_origin_is_ours_where_the_config_says_so(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), origins=("https://punto.example",)) as served:
        served.token(Position.DEALER)
        for origin, status in (
            ("https://punto.example", 200),
            ("http://punto.example", 403),
            ("https://x.example", 403),
        ):
            answer = served.client().post("/api/session", json=SIGN_IN, headers={"origin": origin})
            assert answer.status_code == status, origin


def test_every_answer_forbids_guessing_and_keeping(standing: Server) -> None:
    for path in ("/api/tables", "/api/tables/t1", "/api/session", "/nothing", "/healthz", "/metrics"):
        headers = standing.client().get(path).headers
        assert headers["x-content-type-options"] == "nosniff", path
        assert headers["cache-control"] == "no-store", path
        assert "server" not in headers, path
