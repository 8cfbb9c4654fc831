"""Health, readiness and metrics."""

import asyncio
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from punto.floor.alarms.alarms import Alarms
from punto.floor.database import open_database
from punto.floor.house.house_log import HouseLog
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from punto.web.http.metrics import Metrics
from tests.floor.playing import betting_table
from tests.floor.staff_floor import SetClock
from tests.web.serving import Server, server
from tests.web.wire import problem

Figures = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def figures(served: Server) -> Figures:
    """All metrics by name and labels, parsed as a monitoring system does."""
    answer = served.client().get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found: Figures = {}
    for family in text_string_to_metric_families(answer.text):
        assert family.documentation, family.name
        for sample in family.samples:
            found[sample.name, tuple(sorted(sample.labels.items()))] = sample.value
    return found


def of(found: Figures, name: str, **labels: str) -> float:
    return found.get((name, tuple(sorted(labels.items()))), 0.0)


def test_figures_count_what_was_done(served: Server) -> None:
    served.run(betting_table(served.floor))
    dora = served.by(Position.DEALER)
    for _ in range(3):
        assert served.command(dora, "t1", "buy_in", who="ann", amount_minor=1_00).status_code == 200
    served.command(dora, "t1", "close_table")
    served.command(dora, "t1", "nothing")
    served.client().get("/nothing")
    served.client().request("PROPFIND", "/api/tables")
    found = figures(served)
    route = "/api/tables/{table}/commands"
    assert of(found, "punto_commands_total", command="buy_in.1", outcome="accepted") == 3
    assert of(found, "punto_commands_total", command="close_table.1", outcome="not_authorised") == 1
    assert of(found, "punto_commands_total", command="unknown", outcome="bad_command") == 1
    assert of(found, "punto_http_requests_total", method="POST", route=route, status="200") == 3
    assert of(found, "punto_http_requests_total", method="POST", route=route, status="403") == 1
    assert of(found, "punto_http_requests_total", method="GET", route="none", status="404") == 1
    assert of(found, "punto_http_requests_total", method="other", route="/api/tables", status="405") == 1
    assert of(found, "punto_http_request_seconds_count", route=route) == 5
    assert of(found, "punto_tables", phase="betting") == 1
    assert of(found, "punto_tables", phase="closed") == 0
    assert of(found, "punto_sockets") == 0


def test_figures_name_nobody_and_nothing_that_was_made_up(served: Server) -> None:
    dora = served.by(Position.DEALER)
    for number in range(20):
        served.command(dora, f"table{number}", f"made_up{number}")
        served.client().get(f"/made/up/{number}")
        served.client().get(f"/api/tables/made{number}")
    text = served.client().get("/metrics").text
    assert "made" not in text
    assert "dora" not in text


def test_figures_can_be_turned_off(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db"), metrics="off") as served:
        problem(served.client().get("/metrics"), 404, "not_found")


def test_figures_are_told_to_this_machine_alone_unless_told_otherwise(tmp_path: Path) -> None:
    elsewhere = {"x-forwarded-for": "10.0.0.1"}
    for number, (told, believed, here, there) in enumerate(
        (
            ("here", ("127.0.0.1",), 404, 404),
            ("here", (), 200, 404),
            ("all", ("127.0.0.1",), 200, 200),
            ("all", (), 200, 200),
        )
    ):
        with server(str(tmp_path / f"{number}.db"), metrics=told, proxies=believed) as served:
            client = served.client()
            assert client.get("/metrics").status_code == here, (told, believed)
            assert client.get("/metrics", headers=elsewhere).status_code == there, (told, believed)


def test_figures_are_written_anew_once_a_second(tmp_path: Path) -> None:
    clock, metrics = SetClock(), Metrics()
    clock.us = 5_000_000
    database = open_database(str(tmp_path / "floor.db"))
    alarms = Alarms(HouseLog(database, clock))

    async def written(phases: list[Phase]) -> bytes:
        return await metrics.report(clock, phases, alarms)

    first = asyncio.run(written([Phase.BETTING]))
    metrics.messages.inc()
    clock.us += 900_000
    assert asyncio.run(written([])) is first
    clock.us += 200_000
    second = asyncio.run(written([]))
    assert b"punto_socket_messages_total 1.0" in second
    assert b'punto_tables{phase="betting"} 1.0' in first
    assert b'punto_tables{phase="betting"} 0.0' in second
    assert b'punto_alarms_open{severity="3"} 0.0' in second
    database.close()


def test_healthy_and_ready(served: Server) -> None:
    client = served.client()
    assert client.get("/healthz").json() == {"status": "alive"}
    assert client.get("/readyz").json() == {"status": "ready", "faulty": []}


def test_who_is_told_to_stop_is_no_longer_ready(served: Server) -> None:
    served.service.ready = False
    answer = served.client().get("/readyz")
    problem(answer, 503, "stopping")
    assert answer.headers["retry-after"] == "1"
    assert served.client().get("/healthz").status_code == 200


def test_a_server_whose_database_is_gone_is_not_ready_and_says_so(served: Server) -> None:
    served.run(betting_table(served.floor))
    dora = served.by(Position.DEALER)
    served.floor.database.close()
    answer = served.client().get("/readyz")
    problem(answer, 503, "database_lost")
    assert answer.headers["retry-after"] == "1"
    problem(served.command(dora, "t1", "close_betting"), 503, "database_lost")
    problem(served.client().post("/api/session", json={"name": "x", "password": "y"}), 503, "database_lost")
    assert served.client().get("/healthz").status_code == 200
