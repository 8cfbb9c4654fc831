"""Verifications and exports over HTTP, and their page."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from punto.floor.house.positions import MAY_AUDIT
from punto.table.records.positions import Position
from tests.floor.audit.forging import tamper
from tests.floor.playing import betting_table
from tests.waiting import wait_until
from tests.web.serving import STAFFED, Server, server
from tests.web.wire import problem

pytestmark = pytest.mark.slow

EXPORT = {"kind": "export", "what": "rulings"}


@pytest.fixture(scope="module")
def heads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("heads")


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory, heads: Path) -> Iterator[Server]:
    """A server that copies its heads elsewhere, with a table."""
    with server(str(tmp_path_factory.mktemp("audited") / "floor.db"), heads_to=str(heads)) as running:
        running.run(betting_table(running.floor))
        yield running


def ended(client: httpx2.Client, job: dict[str, Any]) -> Any:
    """The job after its end."""
    wait_until(lambda: client.get(f"/api/jobs/{job['id']}").json()["state"] != "running", "the end of the job")
    return client.get(f"/api/jobs/{job['id']}").json()


def test_an_auditor_verifies_and_exports_without_a_shell(audited: Server, heads: Path) -> None:
    aude, max_ = audited.by(Position.AUDITOR), audited.by(Position.PIT_MANAGER)
    assert "Nobody has verified" in aude.get("/audit/jobs").text
    wait_until(lambda: list(heads.glob("*.heads")), "a copy of the heads")
    started = aude.post("/api/jobs", json={"kind": "verify"})
    assert started.status_code == 202
    job = ended(max_, started.json())
    assert (job["state"], job["by"], job["position"], job["export"]) == ("done", "aude", "auditor", None)
    assert (job["verified"]["sound"], job["verified"]["head_copies"]) == (True, 1)
    assert job["total"] <= job["verified"]["entries"]
    made = ended(aude, max_.post("/api/jobs", json={**EXPORT, "day": "2026-11-17", "shift": 2}).json())
    assert made["state"] == "done"
    file = aude.get(made["export"]["file"])
    assert file.headers["content-disposition"] == "attachment; filename*=UTF-8''punto-rulings-2026-11-17-shift-2.csv"
    assert file.headers["content-type"] == "application/octet-stream"
    assert hashlib.sha256(file.content).hexdigest() == made["export"]["sha256"]
    assert file.text.startswith("table,stream,version,")
    only_head = aude.head(made["export"]["file"])
    assert (only_head.content, only_head.headers["content-length"]) == (b"", str(made["export"]["size"]))
    assert aude.delete(f"/api/jobs/{made['id']}").json() == made  # it has ended
    listed = aude.get("/api/jobs").json()
    assert ([each["id"] for each in listed["verifications"]], listed["exports"]) == ([job["id"]], [made])
    page = aude.get("/audit/jobs").text
    for words in ("Sound", "Compared with 1 copy of the heads", str(heads), "Irregularities and rulings"):
        assert words in page, words
    assert f'download="punto-rulings-2026-11-17-shift-2.csv" href="/api/jobs/{made["id"]}/file"' in page
    assert "日志与先前的副本一致。" in aude.get("/audit/jobs?lang=zh").text


def test_a_whole_month_has_its_own_name_and_everything_needs_no_period(audited: Server) -> None:
    aude = audited.by(Position.AUDITOR)
    month = {**EXPORT, "from": "2026-11-01", "to": "2026-11-30"}
    for asked, name in ((month, "punto-rulings-2026-11-01-2026-11-30.csv"), (EXPORT, "punto-rulings.csv")):
        made = ended(aude, aude.post("/api/jobs", json=asked).json())
        assert aude.get(made["export"]["file"]).headers["content-disposition"].endswith(f"''{name}")


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"kind": "export"}, "bad_request"),
        ({"kind": "verify", "day": "2026-11-17"}, "bad_request"),
        ({"kind": "verify", "what": "bets"}, "bad_request"),
        ({"kind": "other"}, "bad_request"),
        ({**EXPORT, "what": "secrets"}, "bad_request"),
        ({**EXPORT, "format": "xls"}, "bad_request"),
        ({**EXPORT, "file": "/etc/passwd"}, "bad_request"),
        ({**EXPORT, "day": "yesterday"}, "bad_period"),
        ({**EXPORT, "day": "2026-11-17", "from": "2026-11-17"}, "bad_period"),
        ({**EXPORT, "from": "2026-11-18", "to": "2026-11-16"}, "bad_period"),
        ({**EXPORT, "shift": 1}, "bad_period"),
    ],
)
def test_what_cannot_be_started_is_refused(audited: Server, asked: dict[str, Any], code: str) -> None:
    problem(audited.by(Position.AUDITOR).post("/api/jobs", json=asked), 400, code)


def test_only_auditors_and_managers_have_jobs(audited: Server) -> None:
    addresses = (("POST", "/api/jobs"), ("GET", "/api/jobs"), ("GET", "/api/jobs/x"), ("GET", "/api/jobs/x/file"))
    for method, address in (*addresses, ("DELETE", "/api/jobs/x"), ("GET", "/audit/jobs")):
        body = {"json": EXPORT} if method == "POST" else {}
        for position in STAFFED:
            if position not in MAY_AUDIT:
                refused = audited.by(position).request(method, address, **body)  # type: ignore[arg-type]
                assert refused.status_code == 403, (position, method, address)
        assert audited.client().request(method, address, **body).status_code == 401  # type: ignore[arg-type]
    for method, address in addresses[2:]:
        problem(audited.by(Position.AUDITOR).request(method, address), 404, "unknown_job")


def test_a_fault_is_shown_with_its_place_and_rings(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    with server(url) as running:
        running.run(betting_table(running.floor))
        aude = running.by(Position.AUDITOR)
        tamper(url, ("INSERT INTO streams (name, version, hash) VALUES ('<script>alert(1)</script>', 0, '')", ()))
        job = ended(aude, aude.post("/api/jobs", json={"kind": "verify"}).json())
        assert not job["verified"]["sound"]
        assert "stream_unknown" in [fault["code"] for fault in job["verified"]["faults"]]
        page = aude.get("/audit/jobs").text
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert "None are kept" in page
        manager = running.by(Position.PIT_MANAGER)
        wait_until(lambda: "not_sound" in manager.get("/api/alarms").text, "the alarm")
