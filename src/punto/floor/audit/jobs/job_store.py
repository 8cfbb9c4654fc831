"""The table ``jobs``: what was started at the auditor's desk, how far it is, and what came of it.

Every process shows the same jobs. The house's stream, not this table, is the record of who verified and exported what.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import Struct

from punto.floor.audit.faults import Fault
from punto.floor.database.base import Row, Transaction
from punto.floor.reports.export import What
from punto.floor.reports.file_formats import Format
from punto.floor.runtime.job_rows import add_row, change_running
from punto.floor.settings.gaming_day import Period


class JobKind(StrEnum):
    VERIFY = "verify"
    EXPORT = "export"


class JobState(StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    """Somebody stopped it."""
    INTERRUPTED = "interrupted"
    """Its server stopped."""


class ExportOrder(Struct, frozen=True):
    what: What
    form: Format
    period: Period
    title: str
    """The period as it was asked for, for the name of the file: letters, digits and hyphens."""


class VerifySummary(Struct, frozen=True):
    """What a verification found. ``faults`` are the first ones, each in full; ``fault_count`` counts all."""

    sound: bool
    streams: int
    entries: int
    commands: int
    judged_again: int
    earlier_revision: int
    shoes: int
    seeded: int
    unchecked_shoes: int
    head_copies: int
    """Copies of the heads that the journal was compared with."""
    backwards: int
    """Entries with an earlier time than the one before them; no fault."""
    longest_backwards_us: int
    fault_count: int
    faults: tuple[Fault, ...]
    signatures_checked: bool = False
    signed_afterwards: int = 0


class ExportSummary(Struct, frozen=True):
    rows: int
    size: int
    """Of the file, in bytes."""
    sha256: str


class JobResult(Struct, frozen=True, omit_defaults=True):
    """One of the three; none of them if its process died."""

    verified: VerifySummary | None = None
    exported: ExportSummary | None = None
    problem: dict[str, str] | None = None
    """Why it could not be done: the sentence of the refusal, by language."""


class AuditJob(Struct, frozen=True):
    """Times are Unix time in microseconds, 0 for what has not happened."""

    id: str
    kind: JobKind
    export: ExportOrder | None
    """None for a verification."""
    by: str
    position: str
    server: str
    """Whose job it is."""
    at_us: int
    ended_us: int
    state: JobState
    done: int
    total: int
    """Entries to read; 0 until they were counted."""
    result: JobResult
    file_until_us: int
    """When its file is deleted; 0 if it has none."""


class JobOrder(Struct, frozen=True, kw_only=True):
    """What a server sends to the process of a job."""

    db: str
    key_file: str
    heads: str
    """The directory or the file with copies of the heads; empty if there is none."""
    export: ExportOrder | None
    """None for a verification."""
    file: str
    """What to export to."""
    max_bytes: int
    public_key: str
    """Of the server itself: nothing in the database can replace it."""


class JobReport(Struct, frozen=True, omit_defaults=True):
    """What that answers, from time to time."""

    done: int = 0
    total: int = 0
    result: JobResult | None = None
    """With the last report."""


_COLUMNS = "id, kind, export, actor, position, server, at_us, ended_us, state, done, total, result, file_until_us"
SELECT_JOBS = f"SELECT {_COLUMNS} FROM jobs"  # noqa: S608 - our own names


def add_job(transaction: Transaction, job: AuditJob) -> None:
    row = (
        *(job.id, job.kind, "" if job.export is None else msgspec.json.encode(job.export).decode()),
        *(job.by, job.position, job.server, job.at_us, job.ended_us, job.state, job.done, job.total),
        *(msgspec.json.encode(job.result).decode(), job.file_until_us),
    )
    add_row(transaction, dict(zip(_COLUMNS.split(", "), row, strict=True)))


def find_job(transaction: Transaction, job_id: str) -> AuditJob | None:
    return next(_jobs(transaction.rows(f"{SELECT_JOBS} WHERE id = ?", (job_id,))), None)


def last_jobs(transaction: Transaction, kind: JobKind, limit: int) -> list[AuditJob]:
    """The last ones that were started, newest first."""
    sql = f"{SELECT_JOBS} WHERE kind = ? ORDER BY at_us DESC, id LIMIT ?"
    return list(_jobs(transaction.rows(sql, (kind, limit))))


def jobs_in(transaction: Transaction, state: JobState) -> list[AuditJob]:
    return list(_jobs(transaction.rows(f"{SELECT_JOBS} WHERE state = ? ORDER BY at_us", (state,))))


def jobs_with_files(transaction: Transaction) -> list[AuditJob]:
    """Exports whose file may still be there, newest first."""
    return list(_jobs(transaction.rows(f"{SELECT_JOBS} WHERE file_until_us > 0 ORDER BY at_us DESC, id")))


def progress_job(transaction: Transaction, job_id: str, done: int, total: int) -> bool:
    """Return False if it does not run any more."""
    return change_running(transaction, job_id, {"done": done, "total": total})


def end_job(
    transaction: Transaction, job_id: str, state: JobState, result: JobResult, ended_us: int, file_until_us: int
) -> bool:
    """Return False if it had ended before."""
    ended = {"state": state, "result": msgspec.json.encode(result).decode(), "ended_us": ended_us}
    return change_running(transaction, job_id, {**ended, "file_until_us": file_until_us})


def _jobs(rows: Iterable[Row]) -> Iterator[AuditJob]:
    """Without those that cannot be read: `punto verify` reports them."""
    for row in rows:
        with suppress(msgspec.MsgspecError):
            yield read_job(row)


def read_job(row: Row) -> AuditJob:
    """Raises :class:`msgspec.MsgspecError` if the row cannot be a job."""
    values = dict(zip(AuditJob.__struct_fields__, row, strict=True))
    values["export"] = _decode(values["export"]) if values["export"] else None
    values["result"] = _decode(values["result"])
    return msgspec.convert(values, AuditJob)


def _decode(text: Any) -> Any:
    return msgspec.json.decode(msgspec.convert(text, str))
