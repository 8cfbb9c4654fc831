"""Verifications and exports as jobs: each in a real process, on both databases."""

import asyncio
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from contextlib import closing
from io import StringIO
from pathlib import Path

import msgspec
import psutil  # type: ignore[import-untyped]
import pytest
from msgspec.structs import replace

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.jobs.job_files import export_folder, make_private
from punto.floor.audit.jobs.job_store import (
    AuditJob,
    ExportOrder,
    JobKind,
    JobOrder,
    JobReport,
    JobResult,
    JobState,
    add_job,
    last_jobs,
)
from punto.floor.audit.jobs.jobs import FILE_KEPT_US, JOBS_KEPT_US, MAX_FILES, MAX_RUNNING
from punto.floor.audit.verify import verify
from punto.floor.clock import DAY_US
from punto.floor.database import read_database
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.actor import Actor
from punto.floor.journal.audit_events import ExportMade, VerifyEnded
from punto.floor.journal.entry import Entry
from punto.floor.journal.house_events import FloorRestored
from punto.floor.reports.export import What, count_reads, export_rows
from punto.floor.reports.file_formats import Format, write_csv
from punto.floor.settings.gaming_day import Period
from punto.table.records.positions import Position
from punto.table.refusals import TableCode
from tests.floor.audit.auditors import AUDE, MAX, Desk, desk, held_up, let_go
from tests.floor.audit.forging import rewrite, tamper
from tests.floor.nights import small
from tests.floor.processes import Worker
from tests.floor.staff_floor import SetClock, refused
from tests.keys import TEST_KEY
from tests.waiting import run, wait_until

pytestmark = pytest.mark.slow

ALL_BETS = ExportOrder(What.BETS, Format.CSV, Period(), "")


@pytest.fixture(scope="module")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("journal") / "floor.db"
    small(str(path))
    return path


@pytest.fixture
def url(small_file: Path, tmp_path: Path) -> str:
    """A small journal in an SQLite file, which the test may change."""
    return str(shutil.copyfile(small_file, tmp_path / "floor.db"))


@pytest.fixture
def played_url(database_url: str) -> str:
    """A small journal on each kind of database."""
    small(database_url)
    return database_url


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where exports are, also on PostgreSQL: no other test shares it."""
    path = tmp_path / "exports"
    monkeypatch.setattr("punto.floor.audit.jobs.jobs.export_folder", lambda _: path)
    return path


def test_a_verification_and_an_export_run_beside_the_server_and_are_on_record(played_url: str) -> None:
    async def play() -> None:
        async with desk(played_url) as at:
            job = await at.jobs.start(AUDE)
            assert (job.kind, job.state, job.by, job.done) == (JobKind.VERIFY, JobState.RUNNING, "aude", 0)
            over = await at.until(job, JobState.DONE)
            found = over.result.verified
            assert found is not None
            assert (found.sound, found.fault_count, found.faults, found.head_copies) == (True, 0, (), 0)
            database = read_database(played_url)
            expected = await asyncio.to_thread(verify, database)
            assert (found.streams, found.commands, found.shoes) == (
                expected.streams,
                expected.commands,
                expected.shoes,
            )
            assert found.backwards == len(expected.backwards) > 0  # the clock of the test is behind
            made = await at.until(await at.jobs.start(MAX, ALL_BETS), JobState.DONE)
            expected_file = StringIO(newline="")
            read: list[int] = []
            rows = write_csv(expected_file, *export_rows(database, What.BETS, Period(), progress=read.append))
            assert sum(read) == count_reads(database, What.BETS)
            await asyncio.to_thread(database.close)
            _, path = await at.jobs.file(AUDE, made.id)
            content = path.read_bytes()
            assert content.decode() == expected_file.getvalue()
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
            summary = made.result.exported
            assert summary is not None
            sha256 = hashlib.sha256(content).hexdigest()
            assert (summary.rows, summary.size, summary.sha256) == (rows, len(content), sha256)
            assert [*await at.recorded()] == [
                ("aude", VerifyEnded(job.id, "done", sound=True, entries=found.entries, faults=0, first="")),
                ("max", ExportMade(made.id, "bets", "csv", 0, 0, rows, sha256)),
            ]
            assert [[each.id for each in jobs] for jobs in _lists(await at.jobs.list(MAX))] == [[job.id], [made.id]]
        assert not path.exists()  # deleted with its server
        async with desk(played_url) as at:
            await refused(at.jobs.file(AUDE, made.id), FloorCode.NO_JOB_FILE)
            assert (await at.jobs.find(AUDE, made.id)).file_until_us == 0

    run(play())
    for forged in (
        "UPDATE jobs SET actor = 'eve' WHERE kind = 'verify'",
        "UPDATE jobs SET result = replace(result, '\"sound\":true', '\"sound\":false') WHERE kind = 'verify'",
        "UPDATE jobs SET result = replace(result, '\"rows\":', '\"rows\":9') WHERE kind = 'export'",
    ):
        assert _faults(played_url) == []
        before = _result_rows(played_url)
        tamper(played_url, (forged, ()))
        assert _faults(played_url) == [FaultCode.JOBS_DIFFER], forged
        for job_id, actor, result in before:
            tamper(played_url, ("UPDATE jobs SET actor = ?, result = ? WHERE id = ?", (actor, result, job_id)))


def _faults(url: str) -> list[FaultCode]:
    with closing(read_database(url)) as database:
        return [fault.code for fault in verify(database).faults]


def _result_rows(url: str) -> list[tuple[str, str, str]]:
    with closing(read_database(url)) as database:
        return database.reading(lambda tx: tx.rows("SELECT id, actor, result FROM jobs")).result()


def _lists(found: object) -> list[list[AuditJob]]:
    return [getattr(found, name) for name in ("verifications", "exports")]


def test_a_tampered_journal_is_found_with_its_place(played_url: str) -> None:
    tamper(played_url, ("UPDATE entries SET actor = 'eve' WHERE id = (SELECT max(id) FROM entries)", ()))

    async def play() -> None:
        async with desk(played_url) as at:
            job = await at.until(await at.jobs.start(AUDE), JobState.DONE)
            assert job.result.verified is not None
            assert not job.result.verified.sound
            fault = job.result.verified.faults[0]
            assert (fault.code, fault.version is None) == (FaultCode.ENTRY_ALTERED, False)
            ((_, event),) = await at.recorded()
            assert isinstance(event, VerifyEnded)
            assert (event.sound, event.faults, event.first) == (
                False,
                job.result.verified.fault_count,
                f"{fault.where}: entry_altered",
            )

    run(play())


def test_nothing_is_left_to_be_signed_while_a_server_runs(played_url: str) -> None:
    """Somebody claims that the floor was restored, as if what follows were signed at the next start."""

    def claim(told: list[Entry]) -> list[Entry]:
        event = msgspec.json.encode(FloorRestored(("sid", "cass"))).decode()
        return [*told, replace(told[-1], version=len(told) + 1, command_id="a claim", part=0, event=event)]

    rewrite(played_url, "house", claim)
    tamper(played_url, ("DELETE FROM meta WHERE name = 'signed_with'", ()))  # as a restore does
    order = JobOrder(
        db=played_url, key_file="", heads="", export=None, file="", max_bytes=0, public_key=TEST_KEY.public_key
    )
    command = [sys.executable, "-m", "punto.floor.audit.jobs.job_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as job:
        assert job.stdin
        assert job.stdout
        job.stdin.write(msgspec.json.encode(order) + b"\n")
        job.stdin.flush()
        told = [msgspec.json.decode(line, type=JobReport) for line in job.stdout]
    result = told[-1].result
    assert result is not None
    assert result.verified is not None
    assert not result.verified.sound
    assert [fault.code for fault in result.verified.faults] == [FaultCode.NOT_SIGNED]


def test_one_verification_at_a_time_which_anybody_of_them_can_stop(url: str, tmp_path: Path) -> None:
    pipe = held_up(tmp_path)

    async def play() -> None:
        async with desk(url, heads=str(pipe)) as at:
            job = await at.jobs.start(AUDE)
            await refused(at.jobs.start(MAX), FloorCode.JOBS_RUNNING)
            await asyncio.to_thread(wait_until, _children, "the process")
            stopped = await at.jobs.stop(MAX, job.id)
            assert (stopped.state, stopped.by, stopped.ended_us) == (JobState.STOPPED, "aude", at.clock.us)
            assert not _children()
            assert await at.recorded() == [
                ("max", VerifyEnded(job.id, "stopped", sound=False, entries=0, faults=0, first=""))
            ]
            again = await at.jobs.start(MAX)
            await asyncio.to_thread(let_go, pipe)
            assert (await at.until(again, JobState.DONE)).result.verified is not None
            assert (await at.jobs.stop(MAX, again.id)).state is JobState.DONE  # too late

    run(play())


def _children(server: int | None = None) -> list[psutil.Process]:
    """The processes of jobs of this process, or of another."""
    return [child for child in psutil.Process(server).children() if _is_job(child)]


def _is_job(process: psutil.Process) -> bool:
    try:
        return "punto.floor.audit.jobs.job_process" in process.cmdline()
    except psutil.Error:
        return False


def test_the_address_of_the_database_is_not_on_the_command_line(url: str, tmp_path: Path) -> None:
    pipe = held_up(tmp_path)

    async def play() -> None:
        async with desk(url, heads=str(pipe)) as at:
            await at.jobs.start(AUDE)
            await asyncio.to_thread(wait_until, _children, "the process")
            (child,) = _children()
            assert url not in " ".join(child.cmdline())
            assert child.cmdline()[1:] == ["-P", "-m", "punto.floor.audit.jobs.job_process"]
            await asyncio.to_thread(wait_until, lambda: child.nice() > psutil.Process().nice(), "its niceness")
        assert not _children()
        async with desk(url) as at:
            (job,) = (await at.jobs.list(AUDE)).verifications
            assert job.state is JobState.INTERRUPTED

    run(play())


@pytest.mark.crash
def test_a_killed_server_leaves_an_interrupted_job_and_no_process(played_url: str, tmp_path: Path) -> None:
    pipe = held_up(tmp_path)
    with Worker(played_url, str(pipe), module="tests.floor.audit.job_server") as server:
        job_id = server.hear()
        wait_until(lambda: _children(server.pid), "the process of the job")
        (child,) = _children(server.pid)
    wait_until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, "the end of the job")

    async def play() -> None:
        async with desk(played_url) as at:
            assert (await at.jobs.find(AUDE, job_id)).state is JobState.RUNNING
            await at.jobs.sweep()
            job = await at.jobs.find(AUDE, job_id)
            assert (job.state, job.by) == (JobState.INTERRUPTED, "aude")
            assert await at.recorded() == [
                ("house", VerifyEnded(job_id, "interrupted", sound=False, entries=0, faults=0, first=""))
            ]
            await at.until(await at.jobs.start(AUDE), JobState.DONE)

    run(play())


def test_two_servers_show_the_same_jobs_and_stop_each_others(postgres_url: str, tmp_path: Path) -> None:
    small(postgres_url)
    pipe = held_up(tmp_path)

    async def play() -> None:
        async with desk(postgres_url, heads=str(pipe)) as first, desk(postgres_url) as second:
            job = await first.jobs.start(AUDE)
            await second.jobs.sweep()
            assert (await second.jobs.find(MAX, job.id)).state is JobState.RUNNING  # its server is alive
            await refused(second.jobs.start(MAX), FloorCode.JOBS_RUNNING)
            await asyncio.to_thread(wait_until, _children, "the process")
            assert (await second.jobs.stop(MAX, job.id)).state is JobState.STOPPED
            await asyncio.to_thread(wait_until, lambda: not _children(), "the end of the process")
            made = await second.until(await second.jobs.start(MAX, ALL_BETS), JobState.DONE)
            assert (await first.jobs.file(AUDE, made.id))[1].is_file()  # both are on this machine
            assert [by for by, _ in await first.recorded()] == ["max", "max"]

    run(play())


def test_a_server_that_lost_its_claims_to_another_goes_on_under_a_new_name(postgres_url: str) -> None:
    small(postgres_url)

    async def play() -> None:
        async with desk(postgres_url) as first, desk(postgres_url) as second:
            job = await first.until(await first.jobs.start(AUDE), JobState.DONE)
            await asyncio.to_thread(_lose_claims, first)
            await asyncio.to_thread(wait_until, lambda: second.jobs._stopped({job.server}), "the claim")
            again = await first.until(await first.jobs.start(AUDE), JobState.DONE)
            assert again.server != job.server

    run(play())


def _lose_claims(at: Desk) -> None:
    claims = at.floor.database._claims  # type: ignore[attr-defined]
    claims.close()


def test_a_file_has_a_bound_and_failing_leaves_none(url: str, folder: Path) -> None:
    async def play() -> None:
        async with desk(url, max_bytes=200) as at:
            job = await at.until(await at.jobs.start(AUDE, ALL_BETS), JobState.FAILED)
            assert job.result.problem is not None
            assert "File too large" in job.result.problem["en"]
            assert "File too large" in job.result.problem["zh"]
            assert list(folder.iterdir()) == []
            assert await at.recorded() == []
            await refused(at.jobs.file(AUDE, job.id), FloorCode.NO_JOB_FILE)

    run(play())


def test_files_are_deleted_after_a_day_and_jobs_after_three_months(url: str) -> None:
    async def play() -> None:
        async with desk(url) as at:
            job = await at.until(await at.jobs.start(AUDE, ALL_BETS), JobState.DONE)
            _, path = await at.jobs.file(AUDE, job.id)
            at.clock.us += FILE_KEPT_US - 1
            await at.jobs.sweep()
            assert path.exists()
            at.clock.us += 1
            await at.jobs.sweep()
            assert not path.exists()
            await refused(at.jobs.file(AUDE, job.id), FloorCode.NO_JOB_FILE)
            at.clock.us = job.ended_us + JOBS_KEPT_US + 1
            await at.jobs.sweep()
            await refused(at.jobs.find(AUDE, job.id), FloorCode.UNKNOWN_JOB)

    run(play())


def test_only_the_newest_files_are_kept(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("punto.floor.audit.jobs.jobs.MAX_FILES", 1)
    assert MAX_FILES > 1

    async def play() -> None:
        async with desk(url) as at:
            made = []
            for _ in range(2):
                at.clock.us += 1
                made.append(await at.until(await at.jobs.start(AUDE, ALL_BETS), JobState.DONE))
            await at.jobs.sweep()
            await refused(at.jobs.file(AUDE, made[0].id), FloorCode.NO_JOB_FILE)
            assert (await at.jobs.file(AUDE, made[1].id))[1].is_file()

    run(play())


def test_exports_are_bounded_and_only_auditors_and_managers_start_them(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MAX_RUNNING, JobKind.EXPORT, 0)

    async def play() -> None:
        async with desk(url) as at:
            await refused(at.jobs.start(AUDE, ALL_BETS), FloorCode.JOBS_RUNNING)
            sue = Actor("sue", Position.PIT_SUPERVISOR)
            for asked in (at.jobs.start(sue), at.jobs.list(sue), at.jobs.find(sue, ""), at.jobs.file(sue, "")):
                await refused(asked, TableCode.NOT_AUTHORISED)
            await refused(at.jobs.stop(AUDE, "../floor.db"), FloorCode.UNKNOWN_JOB)

    run(play())


def test_what_a_killed_server_left_here_is_deleted_even_if_its_jobs_are_forgotten(url: str, folder: Path) -> None:
    folder.mkdir(mode=0o700)
    lost, draft, fresh, other = (
        folder / name
        for name in ("0123456789abcdef.csv", "1123456789abcdef.parquet.part", "2123456789abcdef.csv", "notes.csv")
    )
    for path in (lost, draft, fresh, other):
        path.write_text("rows")
    for path in (lost, draft, other):
        os.utime(path, (1, 1))

    async def play() -> None:
        async with desk(url) as at:
            await at.jobs.sweep()

    run(play())
    assert sorted(folder.iterdir()) == sorted((fresh, other))


def test_a_forged_row_gives_nobody_another_file(url: str, tmp_path: Path, folder: Path) -> None:
    folder.mkdir(mode=0o700)
    secret = tmp_path / "secret.csv"
    secret.write_text("of somebody else")

    async def play() -> None:
        async with desk(url) as at:
            now_us = at.clock.us
            for forged in ("../secret", "0123456789abcdef\n"):
                job = AuditJob(
                    forged, JobKind.EXPORT, ALL_BETS, "", "", "x", 0, 0, JobState.DONE, 0, 0, JobResult(), now_us
                )
                await at.floor.database.write(lambda tx, job=job: add_job(tx, job))  # type: ignore[misc]
                await refused(at.jobs.file(AUDE, forged), FloorCode.NO_JOB_FILE)
            insert = "INSERT INTO jobs VALUES (?, 'export', '{}', 'aude', 'auditor', 's', 1, 1, 'done', 0, 0, '{}', ?)"
            tamper(url, (insert, ("a", 9)), (insert, ("b", "x")))  # neither is a job
            await at.jobs.sweep()
            assert [job.id for job in (await at.jobs.list(AUDE)).exports if job.id in "ab"] == []
            assert secret.exists()

    run(play())


def test_files_are_beside_an_sqlite_database_or_in_a_temporary_folder(tmp_path: Path) -> None:
    assert export_folder(f"sqlite://{tmp_path}/floor.db") == tmp_path / "floor.db-exports"
    assert export_folder("postgresql://host/floor") == Path(tempfile.gettempdir()) / f"punto-exports-{os.getuid()}"


def test_a_folder_that_others_can_read_or_exchange_is_refused(tmp_path: Path) -> None:
    private, shared, link = tmp_path / "private", tmp_path / "shared", tmp_path / "link"
    make_private(private)
    make_private(private)
    shared.mkdir(mode=0o755)
    shared.chmod(0o755)
    link.symlink_to(private)
    for folder in (shared, link, tmp_path / "none" / "below"):
        with pytest.raises(FloorRefused) as caught:
            make_private(folder)
        assert caught.value.code == FloorCode.BAD_DATABASE


def test_once_in_each_gaming_day_the_journal_is_verified_unless_somebody_has(url: str) -> None:
    clock = SetClock()

    async def verifications(at: Desk) -> list[AuditJob]:
        return await at.floor.database.read(lambda transaction: last_jobs(transaction, JobKind.VERIFY, 10))

    async def play() -> None:
        async with desk(url, clock) as at:
            await at.jobs.verify_if_due()
            assert await verifications(at) == []  # all entries are of this day
            clock.us = 2_000_000_000_000_000
            await at.jobs.verify_if_due()
            await at.jobs.verify_if_due()
            (job,) = await verifications(at)
            assert (job.by, job.position) == ("house", "house")
            await at.until(job, JobState.DONE)
            await at.jobs.verify_if_due()
            assert len(await verifications(at)) == 1
            clock.us += DAY_US
            await at.until(await at.jobs.start(AUDE), JobState.DONE)
            await at.jobs.verify_if_due()
            assert [each.by for each in await verifications(at)] == ["aude", "house"]

    run(play())
