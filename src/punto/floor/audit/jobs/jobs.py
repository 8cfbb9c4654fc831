"""Verifications and exports that somebody starts at the auditor's desk.

Each runs in a process of its own, so that it never holds up the server, and ends with the server. Its state is in the
table ``jobs``. A server claims its own name in the database for as long as it lives: if another one gets that claim,
the jobs of the first were interrupted.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from secrets import token_hex

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.audit.jobs.job_events import event_of
from punto.floor.audit.jobs.job_files import export_folder, job_file, make_private, remove_file, remove_old_files
from punto.floor.audit.jobs.job_runner import run_process
from punto.floor.audit.jobs.job_store import (
    AuditJob,
    ExportOrder,
    JobKind,
    JobOrder,
    JobReport,
    JobResult,
    JobState,
    add_job,
    end_job,
    find_job,
    jobs_in,
    jobs_with_files,
    last_jobs,
    progress_job,
)
from punto.floor.clock import DAY_US, SECOND_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused, is_database_error
from punto.floor.house.house_log import HouseLog
from punto.floor.house.positions import MAY_AUDIT
from punto.floor.journal.actor import THE_HOUSE, Actor
from punto.floor.journal.event_base import HouseEvent
from punto.floor.journal.streams import lock_house
from punto.floor.runtime.job_rows import forget_ended, forget_file
from punto.floor.settings.gaming_day import GamingDay

MAX_RUNNING = {JobKind.VERIFY: 1, JobKind.EXPORT: 2}
"""On the whole floor."""
MAX_FILE_BYTES = 1_000_000_000
MAX_FILES = 10
"""Exports that are kept; older ones are deleted."""
FILE_KEPT_US = DAY_US
LOST_FILE_KEPT_S = 2 * FILE_KEPT_US / SECOND_US
"""What nobody else deletes: see :func:`~punto.floor.audit.jobs.job_files.remove_old_files`."""
JOBS_KEPT_US = 90 * DAY_US
JOBS_SHOWN = 20
SWEEP_S = 60.0
"""How often a server looks for interrupted jobs and old files, and whether the daily verification is due."""
_LOG = logging.getLogger(__name__)


class JobSource(Struct, frozen=True, kw_only=True):
    """What the process of a job needs to read the floor."""

    db: str
    key_file: str = ""
    heads: str = ""
    """The directory where the heads are copied to; empty if there is none."""
    max_bytes: int = MAX_FILE_BYTES


class JobLists(Struct, frozen=True):
    """The last jobs of each kind, newest first."""

    verifications: list[AuditJob]
    exports: list[AuditJob]


class Jobs:
    """The jobs of a floor. There is one per server."""

    def __init__(
        self,
        house_log: HouseLog,
        source: JobSource,
        gaming_day: Callable[[], Awaitable[GamingDay]],
        *,
        verify_daily: bool = False,
    ) -> None:
        self._house_log, self._database, self._clock = house_log, house_log.database, house_log.clock
        self._source, self._gaming_day, self._verify_daily = source, gaming_day, verify_daily
        self._server = token_hex(8)
        """The name under which this server has jobs."""
        self._folder = export_folder(source.db)
        self._running: dict[str, asyncio.Task[None]] = {}
        self._here: set[str] = set()
        """Ids of the jobs that run here or are about to."""

    # ---- what people ask for

    async def start(self, by: Actor, export: ExportOrder | None = None) -> AuditJob:
        """Start an export, or a verification. Refused while as many run as may."""
        await self._house_log.require(by, MAY_AUDIT, "start_job")
        return await self._start(by, export)

    async def list(self, by: Actor) -> JobLists:
        await self._house_log.require(by, MAY_AUDIT, "list_jobs")
        return await self._database.read(
            lambda transaction: JobLists(*(last_jobs(transaction, kind, JOBS_SHOWN) for kind in JobKind))
        )

    async def find(self, by: Actor, job_id: str) -> AuditJob:
        await self._house_log.require(by, MAY_AUDIT, "read_job")
        job = await self._database.read(lambda transaction: find_job(transaction, job_id))
        if job is None:
            raise FloorRefused(FloorCode.UNKNOWN_JOB, job=job_id[:40])
        return job

    async def stop(self, by: Actor, job_id: str) -> AuditJob:
        """Stop it, wherever it runs. Changes nothing if it has ended."""
        job = await self.find(by, job_id)
        await self.sweep()  # perhaps its server has stopped
        await self._end(job, by, JobState.STOPPED)
        if running := self._running.get(job_id):  # else its server notices with its next report
            running.cancel()
            await asyncio.wait({running})
        return await self.find(by, job_id)

    async def file(self, by: Actor, job_id: str) -> tuple[AuditJob, Path]:
        """The file of an export, if it is on this machine."""
        job = await self.find(by, job_id)
        path = job_file(self._folder, job)
        if path is None or not job.file_until_us or not await asyncio.to_thread(path.is_file):
            raise FloorRefused(FloorCode.NO_JOB_FILE)
        return job, path

    # ---- what the server does by itself

    async def run(self) -> None:
        """Look after the jobs of the floor until cancelled."""
        while True:
            await _try_to(self.sweep())
            await self._clock.sleep(SWEEP_S)
            if self._verify_daily:
                await _try_to(self.verify_if_due())

    async def close(self) -> None:
        """Interrupt what runs here, and delete the files."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await _try_to(self._tidy(closing=True))

    async def sweep(self) -> None:
        """Mark jobs as interrupted whose server has stopped, and delete old files and jobs."""
        await self._tidy(closing=False)
        before_us = self._clock.now_us() - JOBS_KEPT_US
        await self._database.write(lambda transaction: forget_ended(transaction, before_us))
        await asyncio.to_thread(remove_old_files, self._folder, time.time() - LOST_FILE_KEPT_S)

    async def _tidy(self, *, closing: bool) -> None:
        running, with_files = await self._database.read(
            lambda transaction: (jobs_in(transaction, JobState.RUNNING), jobs_with_files(transaction))
        )
        stopped = await asyncio.to_thread(self._stopped, {job.server for job in (*running, *with_files)})
        for job in running:
            lost = job.server in stopped or (job.server == self._server and job.id not in self._here)
            if lost and await self._end(job, THE_HOUSE, JobState.INTERRUPTED):  # unless it has just ended
                await asyncio.to_thread(remove_file, self._folder, job)
        now_us = self._clock.now_us()
        for place, job in enumerate(with_files):
            over = closing or place >= MAX_FILES or job.file_until_us <= now_us
            if job.server in stopped or (job.server == self._server and over):
                await self._forget_file(job)

    def _stopped(self, servers: set[str]) -> set[str]:
        """Those of these servers that do not run any more, or have lost their claim."""
        while (own := _claim_of(self._server)) not in self._database.claim([own]):
            self._server = token_hex(8)
        claims = {_claim_of(server): server for server in servers - {self._server}}
        return {claims[claim] for claim in self._database.claim(list(claims))}

    async def _forget_file(self, job: AuditJob) -> None:
        await asyncio.to_thread(remove_file, self._folder, job)
        await self._database.write(lambda transaction: forget_file(transaction, job.id))

    async def verify_if_due(self) -> None:
        """Verify once in each gaming day, unless somebody has, if the journal has entries from before it."""
        since_us = await self._day_start_us()
        if await self._database.read(lambda transaction: _is_due(transaction, since_us)):
            try:
                await self._start(THE_HOUSE, None)
            except FloorRefused as refused:
                if refused.code != FloorCode.JOBS_RUNNING:  # else another server was faster
                    raise

    async def _day_start_us(self) -> int:
        gaming_day, now_us = await self._gaming_day(), self._clock.now_us()
        return gaming_day.period(gaming_day.day_of(now_us)).since_us or 0

    # ---- one job

    async def _start(self, by: Actor, export: ExportOrder | None) -> AuditJob:
        kind = JobKind.VERIFY if export is None else JobKind.EXPORT
        if export is not None:
            await asyncio.to_thread(make_private, self._folder)
        await self.sweep()  # what was interrupted takes nobody's place
        now_us, job_id = self._clock.now_us(), token_hex(8)
        self._here.add(job_id)
        try:
            job = await self._database.write(
                partial(_add, kind=kind, export=export, by=by, job_id=job_id, server=self._server, now_us=now_us)
            )
        except BaseException:
            self._here.discard(job_id)
            raise
        self._running[job_id] = asyncio.create_task(self._run(job, by), name=f"job {job_id}")
        return job

    async def _run(self, job: AuditJob, by: Actor) -> None:
        made = False
        try:
            result = await run_process(self._order(job), partial(self._store_progress, job))
            state = JobState.DONE if result is not None and result.problem is None else JobState.FAILED
            made = await self._end(job, by, state, result) and state is JobState.DONE
        except FloorRefused as refused:
            _LOG.warning("the end of a job could not be stored: %s", refused.message)
        finally:
            del self._running[job.id]
            self._here.discard(job.id)  # if its end could not be stored, the next sweep marks it as interrupted
            if not made:
                await asyncio.to_thread(remove_file, self._folder, job)

    def _order(self, job: AuditJob) -> JobOrder:
        path, signer = job_file(self._folder, job), self._database.signer
        return JobOrder(
            db=self._source.db,
            key_file=self._source.key_file,
            heads=self._source.heads,
            export=job.export,
            file="" if path is None else str(path),
            max_bytes=self._source.max_bytes,
            public_key=signer.public_key if signer else "",
        )

    async def _store_progress(self, job: AuditJob, report: JobReport) -> bool:
        """Return False if somebody has stopped it."""
        try:
            return await self._database.write(
                lambda transaction: progress_job(transaction, job.id, report.done, report.total)
            )
        except FloorRefused as refused:  # the next report may be stored
            if not is_database_error(refused):
                raise
            return True

    async def _end(self, job: AuditJob, by: Actor, state: JobState, result: JobResult | None = None) -> bool:
        """Return False if it had ended before."""
        now_us, result = self._clock.now_us(), result or JobResult()
        file_until_us = now_us + FILE_KEPT_US if result.exported is not None else 0

        def change(transaction: Transaction) -> tuple[bool, list[HouseEvent]]:
            ended = end_job(transaction, job.id, state, result, now_us, file_until_us)
            event = event_of(replace(job, state=state, result=result)) if ended else None
            return ended, [] if event is None else [event]

        return await self._house_log.change(by, change)


async def _try_to(look_after: Awaitable[None]) -> None:
    """Tables go on whatever happens to jobs. It is tried again after the next wait."""
    try:
        await look_after
    except (FloorRefused, OSError) as error:
        _LOG.warning("could not look after the jobs: %s", error)


def _claim_of(server: str) -> str:
    return f"jobs of {server}"


def _add(
    transaction: Transaction,
    kind: JobKind,
    export: ExportOrder | None,
    by: Actor,
    job_id: str,
    server: str,
    now_us: int,
) -> AuditJob:
    lock_house(transaction)  # so two servers count one after the other
    most = MAX_RUNNING[kind]
    if sum(job.kind is kind for job in jobs_in(transaction, JobState.RUNNING)) >= most:
        raise FloorRefused(FloorCode.JOBS_RUNNING, variant="verify" if kind is JobKind.VERIFY else "export", most=most)
    job = AuditJob(
        job_id, kind, export, by.name, by.position, server, now_us, 0, JobState.RUNNING, 0, 0, JobResult(), 0
    )
    add_job(transaction, job)
    return job


def _is_due(transaction: Transaction, since_us: int) -> bool:
    first = transaction.rows("SELECT at_us FROM entries ORDER BY id LIMIT 1")
    if not first or first[0][0] >= since_us:
        return False
    verified = last_jobs(transaction, JobKind.VERIFY, JOBS_SHOWN)
    return not any(job.at_us >= since_us and job.state is not JobState.INTERRUPTED for job in verified)
