"""Rate limits: nobody gets more than their share, and a refusal says how long to wait."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from punto.catalogue.sentence import phrase
from punto.floor.clock import SystemClock
from punto.table.records.positions import Position
from punto.web.http.client_address import MAX_ADDRESSES, limit_key
from punto.web.http.rate_limits import Bucket, RateLimits, TooMany
from tests.floor.playing import betting_table
from tests.floor.staff_floor import SetClock
from tests.web.serving import Server, server
from tests.web.wire import problem

pytestmark = pytest.mark.slow


@contextmanager
def limited(db: Path, clock: SetClock | None = None, **limits: Any) -> Iterator[Server]:
    """A server whose limits use a stopped clock, so no bucket refills during a test."""
    with server(str(db), **limits) as served:
        served.service.limits = RateLimits(served.config, clock or SetClock())
        yield served


def too_many(answer: httpx2.Response) -> int:
    """Check that it is refused and says how long to wait."""
    problem(answer, 429, "too_many_requests")
    wait_s = int(answer.headers["retry-after"])
    assert str(wait_s) in answer.json()["error"]["message"]
    return wait_s


def test_attempts_to_sign_in_or_to_enter_are_counted_by_address(tmp_path: Path) -> None:
    with limited(tmp_path / "floor.db", sign_ins_per_min=4) as served:
        token = served.token(Position.DEALER)
        client = served.client()
        for number in range(3):
            asked = {"name": f"n{number}", "password": "wrong"}
            problem(client.post("/api/session", json=asked), 401, "wrong_password")
        problem(client.post("/api/visit", json={"name": "ann"}), 403, "no_visitors")
        assert too_many(client.post("/api/session", json={"name": "n", "password": "wrong"})) == 15
        too_many(client.post("/api/visit", json={"name": "ann"}))
        changed = {"before": "x", "password": "y"}
        too_many(served.client(token).post("/api/session/password", json=changed))
        assert client.get("/api/tables").status_code == 200


def test_commands_are_counted_by_who_gives_them(tmp_path: Path) -> None:
    with limited(tmp_path / "floor.db", commands_per_s=1) as served:
        served.run(betting_table(served.floor))
        dora, sue = served.by(Position.DEALER), served.by(Position.PIT_SUPERVISOR)

        def give(client: httpx2.Client) -> httpx2.Response:
            return served.command(client, "t1", "buy_in", who="ann", amount_minor=1_00)

        answers = [give(dora) for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 2
        assert too_many(answers[-1]) == 1
        head = served.floor.table("t1").head
        assert give(sue).status_code == 200  # nobody else waits for it
        assert served.floor.table("t1").head != head


def test_a_visitor_uses_up_nothing_of_an_account_of_the_same_name(tmp_path: Path) -> None:
    with limited(tmp_path / "floor.db", commands_per_s=1) as served:
        served.run(betting_table(served.floor))
        dealer, visitor = served.hired("vera", Position.DEALER), served.visitor("vera")
        answers = [served.command(served.client(visitor), "t1", "open_betting") for _ in range(5)]
        assert [answer.status_code for answer in answers] == [403] * 3 + [429] * 2
        cashed = served.command(served.client(dealer), "t1", "cash_out", who="ann", amount_minor=1_00)
        assert cashed.status_code == 200


def test_requests_are_counted_by_address(tmp_path: Path) -> None:
    clock = SetClock()
    with limited(tmp_path / "floor.db", clock, asks_per_s=2) as served:
        client = served.client()
        answers = [client.get("/healthz") for _ in range(12)]
        assert [answer.status_code for answer in answers] == [200] * 6 + [429] * 6
        assert too_many(answers[-1]) == 1
        clock.us += 1_000_000
        assert [client.get("/healthz").status_code for _ in range(3)] == [200, 200, 429]
        too_many(client.get("/nothing"))
        too_many(client.post("/api/session", content=b"x" * 1_000))


def test_a_question_for_the_referee_counts_as_several_requests(tmp_path: Path) -> None:
    with limited(tmp_path / "floor.db", SetClock(), asks_per_s=5) as served:
        client = served.client()
        answers = [client.post("/api/referee", json={"book": "commission"}) for _ in range(5)]
        assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 2


def test_only_a_proxy_that_is_believed_says_who_asks(tmp_path: Path) -> None:
    def statuses(served: Server) -> list[int]:
        client = served.client()
        return [client.get("/healthz", headers={"x-forwarded-for": f"10.0.0.{n}"}).status_code for n in range(12)]

    with limited(tmp_path / "one.db", asks_per_s=2) as served:
        assert statuses(served) == [200] * 6 + [429] * 6
    with limited(tmp_path / "two.db", asks_per_s=2, proxies=("127.0.0.1",)) as served:
        assert set(statuses(served)) == {200}


DEARER = ("events", "rounds", "shoes", "legal")
DEARER_PAGES = (
    "/tables/t1/odds",
    "/tables/t1/fairness",
    "/tables/t1/history",
    "/tables/t1/rounds/1-1",
    "/rules/commission",
)


def test_what_is_dear_counts_as_some_requests(tmp_path: Path) -> None:
    for number, path in enumerate((*(f"/api/tables/t1/{name}" for name in DEARER), *DEARER_PAGES, "/api/books")):
        with limited(tmp_path / f"{number}.db", asks_per_s=10) as served:  # 30 at once
            served.run(betting_table(served.floor))
            client = served.by(Position.DEALER)
            answered = [client.get(path).status_code for _ in range(12)]
            cheap = path == "/api/books"
            assert answered[:6] == [200] * 6, path
            assert (429 in answered) is not cheap, path


def test_a_file_counts_too(tmp_path: Path) -> None:
    with limited(tmp_path / "floor.db", asks_per_s=2) as served:
        answers = [served.client().get("/static/punto.css") for _ in range(12)]
        assert [answer.status_code for answer in answers] == [200] * 6 + [429] * 6


# ---- a share


def test_what_costs_more_than_a_whole_share_takes_all_of_it() -> None:
    clock = SetClock()
    bucket = Bucket(clock, phrase("phrase.requests"), per_s=1, burst=3)
    bucket.take("ann", 5)
    with pytest.raises(TooMany) as trouble:
        bucket.take("ann", 2)
    assert trouble.value.wait_s == 2
    clock.us += 2_000_000
    bucket.take("ann", 2)


@pytest.mark.parametrize(
    ("address", "share"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("::1", "::1"),
        ("unknown", "unknown"),
    ],
)
def test_an_address_of_the_newer_kind_shares_with_its_network(address: str, share: str) -> None:
    assert limit_key(address) == share


def test_who_has_a_network_to_himself_has_one_share(tmp_path: Path) -> None:
    with limited(tmp_path / "floor.db", asks_per_s=2, proxies=("127.0.0.1",)) as served:
        client = served.client()

        def status(address: str) -> int:
            return client.get("/healthz", headers={"x-forwarded-for": address}).status_code

        assert [status(f"2001:db8::{number:x}") for number in range(12)] == [200] * 6 + [429] * 6
        assert status("2001:db8:0:1::1") == 200


def test_a_share_fills_up_again_steadily_and_never_over_the_brim() -> None:
    clock = SetClock()
    bucket = Bucket(clock, phrase("phrase.requests"), per_s=2, burst=4)

    def holds(wanted: int) -> None:
        for _ in range(wanted):
            bucket.take("ann")
        with pytest.raises(TooMany) as trouble:
            bucket.take("ann")
        assert trouble.value.wait_s == 1

    holds(4)
    clock.us += 1_000_000
    holds(2)
    clock.us += 500_000
    holds(1)
    clock.us += 3_600_000_000
    holds(4)
    bucket.take("ben")


def test_a_long_wait_is_told_in_whole_seconds() -> None:
    bucket = Bucket(SetClock(), phrase("phrase.requests"), per_s=1 / 60, burst=1)
    bucket.take("ann")
    with pytest.raises(TooMany) as trouble:
        bucket.take("ann")
    assert trouble.value.wait_s == 60


def test_so_many_are_kept_in_mind_and_no_more() -> None:
    bucket = Bucket(SystemClock(), phrase("phrase.requests"), per_s=1, burst=1)
    for number in range(MAX_ADDRESSES + 50):
        bucket.take(str(number))
    assert len(bucket._left) == MAX_ADDRESSES
