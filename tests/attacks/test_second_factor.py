"""Somebody has a manager's password and tries to sign in without their device, or to use a code again."""

from base64 import b32decode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from punto.floor.people.accounts.totp import STEP_S, code_at
from punto.floor.runtime.sign_in_locks import MAX_FAILURES
from punto.table.records.positions import Position
from tests.web.serving import NAMES, PASSWORD, Server
from tests.web.wire import problem

SID = NAMES[Position.SHIFT_MANAGER]


def now_step(served: Server) -> int:
    return served.floor.clock.now_us() // 1_000_000 // STEP_S


@pytest.fixture
def secret(served: Server) -> bytes:
    """Of sid, who has confirmed it with the code of the time step before this one."""
    sid = served.by(Position.SHIFT_MANAGER)
    answer = sid.post("/api/session/totp", json={"password": PASSWORD})
    assert answer.status_code == 200, answer.text
    shared = b32decode(answer.json()["secret"])
    confirmed = sid.put("/api/session/totp", json={"code": code_at(shared, now_step(served) - 1)})
    assert confirmed.status_code == 204, confirmed.text
    return shared


def sign_in(served: Server, code: str | None) -> httpx2.Response:
    body = {"name": SID, "password": PASSWORD} | ({} if code is None else {"code": code})
    return served.client().post("/api/session", json=body)


def test_the_password_alone_opens_nothing_and_codes_cannot_be_guessed(served: Server, secret: bytes) -> None:
    problem(sign_in(served, None), 401, "code_needed")
    problem(sign_in(served, ""), 401, "code_needed")
    right = {code_at(secret, now_step(served) + step) for step in range(-2, 4)}
    guesses = [code for code in (f"{number:06}" for number in range(100)) if code not in right]
    codes = [sign_in(served, guess).json()["error"]["code"] for guess in guesses[: 2 * MAX_FAILURES]]
    assert codes == ["wrong_code"] * (MAX_FAILURES - 2) + ["locked_out"] * (MAX_FAILURES + 2)
    problem(sign_in(served, code_at(secret, now_step(served))), 429, "locked_out")


def test_a_code_that_was_overheard_counts_once_however_many_send_it_at_once(served: Server, secret: bytes) -> None:
    code = code_at(secret, now_step(served))
    with ThreadPoolExecutor(4) as many:
        answers = list(many.map(lambda _: sign_in(served, code), range(4)))
    assert [answer.status_code for answer in answers].count(200) == 1
    assert {answer.json()["error"]["code"] for answer in answers if answer.status_code != 200} == {"wrong_code"}
    problem(sign_in(served, code_at(secret, now_step(served) - 1)), 401, "wrong_code")  # nor does one before it


def test_neither_the_database_nor_the_house_stream_has_the_secret(served: Server, secret: bytes) -> None:
    written = Path(served.config.db)
    stored = b"".join(path.read_bytes() for path in written.parent.glob(f"{written.name}*"))
    assert len(stored) > 10_000
    assert secret not in stored
    assert secret.hex().encode() not in stored.lower()


def test_an_open_session_cannot_replace_the_device_without_it(served: Server, secret: bytes) -> None:
    sid = served.by(Position.SHIFT_MANAGER)
    problem(sid.post("/api/session/totp", json={"password": PASSWORD}), 401, "code_needed")
    problem(sid.post("/api/session/totp", json={"password": "not the password"}), 401, "wrong_password")
    problem(sid.put("/api/session/totp", json={"code": code_at(secret, now_step(served) + 1)}), 401, "wrong_code")


def test_where_it_is_required_nothing_is_done_without_it(served: Server) -> None:
    served.token(Position.ADMINISTRATOR)
    rules = {"visitors": False, "totp_required": True}
    assert served.by(Position.ADMINISTRATOR).put("/api/floor-rules", json=rules).status_code == 200
    for position in (Position.ADMINISTRATOR, Position.SHIFT_MANAGER, Position.CASINO_MANAGER):
        client = served.by(position)
        problem(client.get("/api/accounts"), 403, "totp_to_set_up")
        problem(client.put("/api/floor-rules", json={"visitors": False, "totp_required": False}), 403, "totp_to_set_up")
        assert client.get("/api/session").json()["totp_to_set_up"] is True
    assert served.by(Position.PIT_MANAGER).get("/api/terminals").status_code == 200


def test_rules_that_do_not_name_it_leave_it_as_it_is(served: Server) -> None:
    administrator = served.by(Position.ADMINISTRATOR)
    secret = b32decode(administrator.post("/api/session/totp", json={"password": PASSWORD}).json()["secret"])
    code = code_at(secret, now_step(served))
    assert administrator.put("/api/session/totp", json={"code": code}).status_code == 204
    for rules in ({"visitors": False, "totp_required": True}, {"visitors": True}):
        assert administrator.put("/api/floor-rules", json=rules).json()["totp_required"] is True
