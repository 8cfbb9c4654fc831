"""What the house's stream says about the end of a job."""

from punto.floor.audit.jobs.job_store import AuditJob, ExportSummary, JobState, VerifySummary
from punto.floor.journal.audit_events import ExportMade, VerifyEnded

MAX_PLACE_LENGTH = 100


def event_of(job: AuditJob) -> VerifyEnded | ExportMade | None:
    """None while it runs, and for an export that was not made: it has shown nobody anything."""
    if job.state is JobState.RUNNING or (job.export is not None and job.state is not JobState.DONE):
        return None
    if job.export is not None:
        export, made = job.export, job.result.exported or ExportSummary(0, 0, "")
        since_us, until_us = export.period.since_us or 0, export.period.until_us or 0
        return ExportMade(job.id, export.what, export.form, since_us, until_us, made.rows, made.sha256)
    found = job.result.verified
    return VerifyEnded(
        job=job.id,
        state=job.state,
        sound=found is not None and found.sound,
        entries=found.entries if found is not None else 0,
        faults=found.fault_count if found is not None else 0,
        first=_first_fault(found) if found is not None else "",
    )


def _first_fault(found: VerifySummary) -> str:
    """Its place, which a damaged database may have made long, and its code."""
    return f"{found.faults[0].where[:MAX_PLACE_LENGTH]}: {found.faults[0].code}" if found.faults else ""
