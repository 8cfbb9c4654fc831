"""People who read more than is theirs: names in files, events of other tables, paths, lines after signing out."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from punto.floor.database import open_database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.names.names import new_visitor
from punto.rules.refusals import Refused
from punto.table.records.positions import Position
from punto.web.http.errors import problem_of
from punto.web.http.language import Reader
from tests.attacks.test_customers_name import PLAY, REAL, REGISTERED, house, sell, visit
from tests.floor.playing import DEALER, At
from tests.web.serving import PASSWORD, Server
from tests.web.watching import line
from tests.web.wire import Reply, problem, send

NAME = "Ann Tan"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Customers with chips at a real table, where somebody ruled. Dora deals at the other table."""
    with house(str(tmp_path_factory.mktemp("readers") / "floor.db")) as served:
        sell(served, 50_00)
        ruled = {"effect": "adjust", "amounts": {REGISTERED: 5_00}, "reason": "chips found under the rail"}
        answer = served.command(served.by(Position.SHIFT_MANAGER), REAL, "rule", **ruled)
        assert answer.status_code == 200, answer.text
        yield served


def looks(served: Server) -> set[tuple[str, str, str]]:
    found = served.by(Position.AUDITOR).get("/api/looks?most=100").json()["looks"]
    return {(each["by"], each["what"], each["of"]) for each in found}


def test_no_file_has_the_name_of_a_customer(floor: Server) -> None:
    auditor = floor.by(Position.AUDITOR)
    listed = auditor.get("/api/exceptions/day").text
    assert NAME in listed  # a page for the reader, not a file
    for path in ("/api/exceptions/day.csv", "/api/record.csv", "/api/reports/day.csv"):
        answer = auditor.get(path)
        assert answer.status_code == 200, (path, answer.text)
        assert NAME not in answer.text, path
    assert REGISTERED in auditor.get("/api/exceptions/day.csv").text


READ = {
    "events": (f"/api/tables/{REAL}/events?after=1/0", REAL),
    "history": (f"/api/tables/{REAL}/rounds", REAL),
    "incident": ("/api/incidents", ""),
    "record": (f"/api/record?person={REGISTERED}", REGISTERED),
}


@pytest.mark.parametrize("what", READ)
def test_reading_is_a_look_on_record(floor: Server, what: str) -> None:
    path, of = READ[what]
    answer = floor.by(Position.PIT_MANAGER).get(path)
    assert answer.status_code == 200, answer.text
    assert ("max", what, of) in looks(floor)


def test_watching_is_a_look_on_record(floor: Server) -> None:
    with line(floor, floor.token(Position.CASINO_MANAGER)) as watching:
        watching.watch(REAL, "1/0")
        watching.next()
    assert ("cass", "events", REAL) in looks(floor)


def test_a_page_of_a_look_has_nothing_that_somebody_typed(floor: Server) -> None:
    assert floor.by(Position.PIT_MANAGER).get(f"/api/record?person={NAME}").status_code == 200
    assert NAME not in {of for _, _, of in looks(floor)}


def test_dealers_read_events_of_the_table_of_their_duty_only(floor: Server) -> None:
    dora, manager = floor.by(Position.DEALER), floor.by(Position.PIT_MANAGER)
    paths = (f"/api/tables/{REAL}/events?after=1/0&most=500", f"/api/tables/{REAL}/rounds?most=100")
    for table, sees in ((REAL, True), (PLAY, False)):
        assert manager.put("/api/duty/dora", json={"table": table}).status_code < 300
        floor.service.floor_view.refresh()
        seen = "".join(dora.get(path).text for path in paths)
        with line(floor, floor.token(Position.DEALER)) as watching:
            watching.watch(REAL, "1/0")
            watching.next()
            seen += "".join(watching.raw)
        assert (REGISTERED in seen) is sees, (table, seen)
        assert ('"postings"' in seen) is sees, table
    assert dora.get(f"/tables/{REAL}/history").status_code == 200
    assert REGISTERED not in dora.get(f"/tables/{REAL}/history").text


def test_dealers_read_incidents_and_proposals_of_the_table_of_their_duty_only(floor: Server) -> None:
    """Both show events: what happened, and what would."""
    dora, manager = floor.by(Position.DEALER), floor.by(Position.PIT_MANAGER)
    told = {"effect": "adjust", "amounts": {REGISTERED: 5_00}, "reason": "once more"}
    body = {"id": "other-table", "command": {"command": "rule.1", **told}}
    proposed = floor.by(Position.PIT_SUPERVISOR).post(f"/api/tables/{REAL}/proposals", json=body)
    assert proposed.status_code == 201, proposed.text
    (incident,) = manager.get(f"/api/incidents?table={REAL}").json()["incidents"]
    incidents = [f"{start}/incidents/{incident['number']}" for start in ("/api", "")]
    proposals = ["/api/proposals", f"/api/proposals?table={REAL}", "/approvals", "/approvals/other-table"]
    for table, sees in ((REAL, True), (PLAY, False)):
        assert manager.put("/api/duty/dora", json={"table": table}).status_code < 300
        floor.service.floor_view.refresh()
        for path in incidents:
            answer = dora.get(path)
            assert answer.status_code == (200 if sees else 403), path
            assert names_customer(answer) is sees, (table, path)
        for path in proposals:
            assert names_customer(dora.get(path)) is sees, (table, path)
        approve = dora.post(f"/api/tables/{REAL}/proposals/other-table/approve", json={})
        problem(approve, 403 if sees else 404, "not_authorised" if sees else "unknown_proposal")


def names_customer(answer: httpx2.Response) -> bool:
    return REGISTERED in answer.text or NAME in answer.text


# ---- strangers


MACHINE = ("/srv/casino/punto.db", "10.1.2.3")
TROUBLES = [
    FloorRefused(FloorCode.DATABASE_LOST, variant="ask_again", reason="/srv/casino/punto.db at 10.1.2.3 is away"),
    FloorRefused(FloorCode.DISK_FULL, variant="file", path="/srv/casino/punto.db"),
    FloorRefused(FloorCode.DISK_FULL, variant="postgres", reason="10.1.2.3"),
    FloorRefused(FloorCode.BAD_DATABASE, variant="not_opened", path="/srv/casino/punto.db", reason="10.1.2.3"),
    FloorRefused(FloorCode.BAD_KEY, variant="other", path="/srv/casino/punto.db"),
]


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda each: each.refusal.key)
def test_strangers_read_no_path_and_no_address(trouble: Refused) -> None:
    for language in ("en", "zh"):
        told = problem_of(trouble, Reader(language, to_player=True))
        assert told.code == trouble.code
        assert told.message
        assert not [secret for secret in MACHINE if secret in told.message]
        assert [secret for secret in MACHINE if secret in problem_of(trouble, Reader(language)).message]


def test_strangers_read_no_security_settings(floor: Server) -> None:
    security = {"four_eyes", "totp_required"}
    for client in (floor.client(), visit(floor, "wim")):
        told = client.get("/api/floor-rules").json()
        assert told["visitors"] is True
        assert security.isdisjoint(told)
    assert security <= floor.by(Position.DEALER).get("/api/floor-rules").json().keys()


def test_two_hosts_are_refused(floor: Server) -> None:
    for hosts in (("127.0.0.1", "evil.example"), ("evil.example", "127.0.0.1"), ("127.0.0.1", "127.0.0.1")):
        lines = ["GET /api/tables HTTP/1.1", *(f"Host: {host}" for host in hosts), "Connection: close", "", ""]
        reply: Reply = send(floor, "\r\n".join(lines).encode())
        assert reply.status in (400, 421), (hosts, reply.status)


STAFF_LIKE = """
监台主任|監台主任|区域经理|值班|当值荷官|场监|巡台|发牌员|派牌|财务部|兑换处|柜台|服务员|技术员|网管|合规|风控|本公司
Shift Mgr|Duty mgr|floorman|Sysop|Game Master|compliance|regulator|Commissioner|Count Room|CEO|pit sup|Director
Pit Supervisor|shift manager|审计员|管理员
ShiftMgr|Teller2|punto2|HostTan|Pit7|Authority|Head of Table Games|Payout Desk|庄家|莊家|控台
服务生|政府|当局|司警|王主任
"""


def test_visitors_get_no_name_like_the_staffs(floor: Server) -> None:
    for name in STAFF_LIKE.replace("\n", "|").strip("|").split("|"):
        with pytest.raises(FloorRefused) as refused:
            new_visitor(name)
        assert refused.value.code == FloorCode.NAME_TAKEN, name
    problem(floor.client().post("/api/visit", json={"name": "监台主任"}), 409, "name_taken")
    for name in ("Guardia", "Shifra", "Policarpo", "王主", "Dutton", "Opsahl", "陈会", "Directa"[:5]):
        assert new_visitor(name)


# ---- a line that outlives its session


def test_a_line_tells_nothing_after_sign_out(floor: Server) -> None:
    once = floor.run(floor.service.sessions.sign_in("max", PASSWORD))
    assert once.token
    with line(floor, once.token) as watching:
        watching.watch(REAL)
        watching.next()
        gone = floor.client(once.token).delete("/api/session")
        assert gone.status_code == 204, gone.text
        told = len(watching.raw)
        floor.run(At(floor.floor, REAL, "after").do(DEALER, "buy_in", who="box 5", amount_minor=77_00))
        assert watching.closed() == 4001
        assert len(watching.raw) == told


# ---- too many, and files


def test_nobody_hides_a_proposal_among_hundreds(floor: Server) -> None:
    sid = floor.by(Position.SHIFT_MANAGER)

    def propose(client: httpx2.Client, number: int) -> httpx2.Response:
        act = {"act": "create_account.1", "name": f"new{number}", "position": "dealer"}
        return client.post("/api/proposals", json={"id": f"many-{number}", "act": act})

    answers = [propose(sid, number).status_code for number in range(21)]
    assert answers == [201] * 20 + [409]
    problem(propose(sid, 20), 409, "too_many_proposals")
    assert propose(sid, 0).status_code in (200, 201)  # the same again is no new one
    assert propose(floor.by(Position.ADMINISTRATOR), 21).status_code == 201
    declined = sid.post("/api/proposals/many-3/decline", json={"reason": "too many"})
    assert declined.status_code == 200, declined.text
    assert propose(sid, 20).status_code == 201


def test_proposals_of_a_round_that_is_over_do_not_count(floor: Server) -> None:
    dealer = floor.by(Position.DEALER)

    def propose(number: int) -> httpx2.Response:
        command = {"command": "rule.1", "effect": "continue", "reason": f"slip {number}"}
        return dealer.post(f"/api/tables/{PLAY}/proposals", json={"id": f"past-{number}", "command": command})

    def play(*steps: tuple[str, dict[str, Any]]) -> None:
        for command, fields in steps:
            given = floor.command(dealer, PLAY, command, **fields)
            assert given.status_code == 200, given.text

    play(("close_betting", {}))
    answers = [propose(number) for number in range(21)]
    assert [answer.status_code for answer in answers] == [201] * 20 + [409], answers[0].text
    play(("cancel_round", {}), ("open_betting", {}), ("close_betting", {}))
    assert propose(20).status_code == 201


def test_the_lock_of_a_floor_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    path = tmp_path / "floor.db"
    lock = tmp_path / "floor.db-floor"
    try:
        for _ in range(2):
            database = open_database(str(path))
            assert database.enter()
            assert stat.S_IMODE(lock.stat().st_mode) == 0o600
            database.close()
            lock.chmod(0o644)  # as earlier releases left it
    finally:
        os.umask(before)
