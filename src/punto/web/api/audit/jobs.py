"""Verifications and exports, for auditors and for pit managers and above."""

import os
import re

from punto.catalogue.sentence import Language
from punto.floor.audit.jobs.job_store import AuditJob, ExportOrder
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.people.looks import LookKind
from punto.floor.reports.file_formats import Format
from punto.floor.reports.moments import read_period
from punto.web.http.endpoint import EXPENSIVE, Endpoint, FileAnswer, HttpRequest
from punto.web.messages.jobs import JobExport, JobList, JobRequest, JobView

MAX_TITLE_LENGTH = 60
_NOT_IN_NAMES = re.compile("[^0-9A-Za-z]+")


async def start(call: HttpRequest) -> JobView:
    return view_of(await call.service.jobs.start(call.by, await _export_order(call)), call.language)


async def _export_order(call: HttpRequest) -> ExportOrder | None:
    asked: JobRequest = call.body
    if asked.what is None:
        return None
    gaming_day = await call.service.floor_view.gaming_day()
    period = read_period(gaming_day, asked.since, asked.until, asked.day, asked.shift)
    ends = [end for end in dict.fromkeys((asked.since, asked.until)) if end]
    words = [asked.day, f"shift {asked.shift}" if asked.shift else ""] if asked.day else ends
    title = _NOT_IN_NAMES.sub("-", " ".join(word for word in words if word)).strip("-")[:MAX_TITLE_LENGTH]
    return ExportOrder(asked.what, asked.format or Format.CSV, period, title)


async def list_jobs(call: HttpRequest) -> JobList:
    found = await call.service.jobs.list(call.by)
    return JobList(
        verifications=tuple(view_of(job, call.language) for job in found.verifications),
        exports=tuple(view_of(job, call.language) for job in found.exports),
    )


async def one(call: HttpRequest) -> JobView:
    return view_of(await call.service.jobs.find(call.by, call.path["job"]), call.language)


async def stop(call: HttpRequest) -> JobView:
    return view_of(await call.service.jobs.stop(call.by, call.path["job"]), call.language)


async def fetch(call: HttpRequest) -> FileAnswer:
    job, path = await call.service.jobs.file(call.by, call.path["job"])
    await call.service.looks.saw(call.by, LookKind.EXPORT, file_name(job))
    try:
        file = path.open("rb")
    except FileNotFoundError as error:  # it was deleted just now
        raise FloorRefused(FloorCode.NO_JOB_FILE) from error
    return FileAnswer(file, os.fstat(file.fileno()).st_size, file_name(job))


def file_name(job: AuditJob) -> str:
    """What a browser calls it, such as ``punto-bets-2026-11-17.csv``."""
    if job.export is None:
        return ""
    return f"{'-'.join(part for part in ('punto', job.export.what, job.export.title) if part)}.{job.export.form}"


def view_of(job: AuditJob, language: Language) -> JobView:
    return JobView(
        id=job.id,
        kind=job.kind,
        state=job.state,
        by=job.by,
        position=job.position,
        at_us=job.at_us,
        ended_us=job.ended_us or None,
        done=job.done,
        total=job.total,
        problem=None if job.result.problem is None else job.result.problem[language],
        verified=job.result.verified,
        export=_export_view(job, job.export) if job.export is not None else None,
    )


def _export_view(job: AuditJob, export: ExportOrder) -> JobExport:
    made = job.result.exported
    return JobExport(
        what=export.what,
        format=export.form,
        from_us=export.period.since_us,
        to_us=export.period.until_us,
        rows=None if made is None else made.rows,
        size=None if made is None else made.size,
        sha256=None if made is None else made.sha256,
        file=f"/api/jobs/{job.id}/file" if job.file_until_us else None,
    )


ENDPOINTS = (
    Endpoint(
        "POST", "/api/jobs", start, "Start a verification or an export", JobView, JobRequest, status=202, tag="audit"
    ),
    Endpoint("GET", "/api/jobs", list_jobs, "List verifications and exports", JobList, tag="audit"),
    Endpoint(
        "GET", "/api/jobs/{job}", one, "How far a verification or an export is, and its result", JobView, tag="audit"
    ),
    Endpoint("DELETE", "/api/jobs/{job}", stop, "Stop a verification or an export", JobView, tag="audit"),
    Endpoint(
        "GET",
        "/api/jobs/{job}/file",
        fetch,
        "Fetch the file of an export",
        kind="application/octet-stream",
        cost=EXPENSIVE,
        tag="audit",
    ),
)
