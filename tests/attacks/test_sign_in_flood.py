"""Strangers sign in without end. The staff still get in, and nothing is hashed for clients that have hung up."""

import logging
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx2
import msgspec
import pytest

from punto.floor.people.accounts.passwords import MAX_WAITING_STRANGERS, Passwords
from punto.floor.runtime.sign_in_locks import MAX_FAILURES, MAX_FAILURES_BY_NAME
from punto.table.records.positions import Position
from tests.waiting import wait_until
from tests.web.process import process
from tests.web.serving import PASSWORD, Server, server
from tests.web.wire import Reply, connect, post, problem, read_all, send

GUESS = "a stranger's guess"
WRONG = "not the password"
PROXIES = ("127.0.0.1",)
DEVICE = "punto-device"


class Hashing:
    """Holds up every check of ``GUESS`` until it is let go, and counts them."""

    def __init__(self) -> None:
        self.begun = 0
        self.go_on = threading.Event()


@pytest.fixture
def hashing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hashing]:
    held, verify = Hashing(), Passwords._verify

    def slow(self: Passwords, password_hash: str, password: str) -> bool:
        if password == GUESS:
            held.begun += 1
            held.go_on.wait()
        return verify(self, password_hash, password)

    monkeypatch.setattr(Passwords, "_verify", slow)
    yield held
    held.go_on.set()


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Server]:
    with server(str(tmp_path / "floor.db"), proxies=PROXIES) as served:
        served.hired("sue", Position.PIT_SUPERVISOR)
        yield served


def guess(name: str = "sue", number: int = 0, password: str = GUESS) -> bytes:
    """A sign-in from an address of its own."""
    body = msgspec.json.encode({"name": name, "password": password})
    return post("/api/session", body, f"X-Forwarded-For: 198.51.100.{number}")


def sign_in(client: httpx2.Client, name: str = "sue", password: str = PASSWORD) -> httpx2.Response:
    return client.post("/api/session", json={"name": name, "password": password})


def browser(served: Server, name: str = "sue") -> httpx2.Client:
    """A browser in which somebody has signed in before."""
    client = served.client()
    assert sign_in(client, name).status_code == 200
    assert client.cookies[DEVICE]
    del client.cookies["punto"]
    return client


def waiting(served: Server) -> int:
    """Strangers in the queue."""
    return served.service.sessions._passwords._strangers._waiting


def flood(served: Server, hashing: Hashing, stack: ExitStack, count: int) -> list[socket.socket]:
    """One stranger whose password is being hashed, and others who wait."""
    lines: list[socket.socket] = []
    for number in range(count):
        lines.append(stack.enter_context(connect(served)))
        lines[-1].sendall(guess(f"nobody {number}", number))
        if number == 0:
            wait_until(lambda: hashing.begun == 1)
        else:
            wait_until(lambda number=number: waiting(served) == number)  # type: ignore[misc]
    return lines


def test_beyond_the_queue_strangers_are_refused_at_once_and_the_staff_get_in(floor: Server, hashing: Hashing) -> None:
    sue, adam = browser(floor), floor.by(Position.ADMINISTRATOR)
    with ExitStack() as stack:
        lines = flood(floor, hashing, stack, 1 + MAX_WAITING_STRANGERS)
        for number in range(30):  # answered while nothing is hashed
            refused = send(floor, guess("sue", 100 + number))
            problem(refused, 503, "busy")
            assert int(refused.headers["retry-after"]) >= 1
        assert (hashing.begun, waiting(floor)) == (1, MAX_WAITING_STRANGERS)
        assert sign_in(sue).status_code == 200
        assert adam.post("/api/accounts", json={"name": "new"}).status_code == 201  # hashes a one-time password
        hashing.go_on.set()
        for line in lines:
            problem(Reply(read_all(line)), 401, "wrong_password")
    assert hashing.begun == 1 + MAX_WAITING_STRANGERS
    assert sign_in(floor.client()).status_code == 200  # 30 refusals for haste were no wrong passwords


def test_nothing_is_hashed_for_clients_that_hung_up(floor: Server, hashing: Hashing) -> None:
    with ExitStack() as stack:
        first, *others = flood(floor, hashing, stack, 1 + MAX_WAITING_STRANGERS)
        for line in others:
            line.close()
        floor.until(lambda: waiting(floor) == 0)
        hashing.go_on.set()
        problem(Reply(read_all(first)), 401, "wrong_password")
    assert hashing.begun == 1
    rows = floor.floor.database.reading(lambda transaction: transaction.rows("SELECT name FROM sign_ins")).result()
    assert {name for (name,) in rows} == {"nobody 0"}


def test_a_client_that_hangs_up_while_hashing_frees_its_place_only_afterwards(floor: Server, hashing: Hashing) -> None:
    with ExitStack() as stack:
        first, second = flood(floor, hashing, stack, 2)
        first.close()
        problem(send(floor, post("/api/session", b"{}")), 400, "bad_request")  # the server has seen it go by now
        assert (hashing.begun, waiting(floor)) == (1, 1)
        hashing.go_on.set()
        problem(Reply(read_all(second)), 401, "wrong_password")


# ---- locks


def lock(served: Server) -> None:
    """Strangers lock the name everywhere."""
    for number in range(MAX_FAILURES_BY_NAME):
        problem(send(served, guess(number=number // 2, password=WRONG)), 401, "wrong_password")
    problem(send(served, guess(number=200, password=PASSWORD)), 429, "locked_out")


def test_strangers_do_not_lock_the_owner_out(floor: Server) -> None:
    sue, other = browser(floor), browser(floor)
    lock(floor)
    problem(sign_in(floor.client()), 429, "locked_out")
    for _ in range(MAX_FAILURES):  # the device has a lock of its own
        problem(sign_in(other, password=WRONG), 401, "wrong_password")
    problem(sign_in(other), 429, "locked_out")
    assert sign_in(sue).status_code == 200


def test_strangers_at_the_same_address_do_not_use_up_the_owners_attempts(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), sign_ins_per_min=3) as served:
        served.hired("sue", Position.PIT_SUPERVISOR)
        sue, stranger = browser(served), served.client()
        answers = [sign_in(stranger, "nobody", WRONG).status_code for _ in range(4)]
        assert answers == [401, 401, 429, 429]
        assert sign_in(sue).status_code == 200


def test_the_cookie_of_one_person_makes_no_device_known_to_another(floor: Server) -> None:
    floor.hired("sid", Position.SHIFT_MANAGER)
    sid = browser(floor, "sid")
    lock(floor)
    problem(sign_in(sid), 429, "locked_out")
    forged = floor.client(cookies={DEVICE: sid.cookies[DEVICE].replace("-", "-0", 1)})
    problem(sign_in(forged), 429, "locked_out")


def test_a_terminal_knows_several_people_and_no_former_password(floor: Server) -> None:
    floor.hired("sid", Position.SHIFT_MANAGER)
    terminal = browser(floor)
    assert sign_in(terminal, "sid").status_code == 200
    former, changed = browser(floor), "quite another long one"
    body = {"before": PASSWORD, "password": changed}
    assert sign_in(terminal).status_code == 200
    assert terminal.post("/api/session/password", json=body).status_code == 204
    lock(floor)
    problem(sign_in(former, password=changed), 429, "locked_out")
    assert sign_in(terminal, password=changed).status_code == 200
    assert sign_in(terminal, "sid").status_code == 200


def test_a_browsers_mark_is_out_of_reach_of_scripts_and_other_sites(floor: Server) -> None:
    (cookie,) = [
        value for value in sign_in(floor.client()).headers.get_list("set-cookie") if value.startswith(f"{DEVICE}=")
    ]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    answer = floor.client().post("/api/session", json={"name": "sue", "password": PASSWORD, "keep": "token"})
    assert "set-cookie" not in answer.headers


# ---- stopping


def test_a_stop_answers_those_who_wait_and_logs_no_traceback(
    tmp_path: Path, hashing: Hashing, caplog: pytest.LogCaptureFixture
) -> None:
    running = server(str(tmp_path / "floor.db"))
    served = running.__enter__()
    with ExitStack() as stack, ThreadPoolExecutor() as threads:
        lines = flood(served, hashing, stack, 4)
        stopped = threads.submit(running.__exit__, None, None, None)
        replies = [Reply(read_all(line)) for line in lines[1:]]
        hashing.go_on.set()
        replies.append(Reply(read_all(lines[0])))
        stopped.result()
    for reply in replies:
        problem(reply, 503, "stopping")
    assert hashing.begun == 1
    assert [record.message for record in caplog.records if record.exc_info or record.levelno > logging.ERROR] == []


@pytest.mark.slow
def test_sigterm_while_hashing_leaves_no_traceback(tmp_path: Path) -> None:
    with process(tmp_path) as running, ExitStack() as stack:
        url = httpx2.URL(running.url)
        for number in range(1 + MAX_WAITING_STRANGERS):
            line = stack.enter_context(socket.create_connection((url.host, url.port or 80)))
            line.sendall(guess(f"nobody {number}"))
        assert running.client().get("/healthz").status_code == 200
        assert running.stop(signal.SIGTERM) == 0
        assert running.errors == ""
        assert [line for line in running.log if "Traceback" in msgspec.json.encode(line).decode()] == []
