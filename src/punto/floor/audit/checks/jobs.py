"""Compares the results in the table ``jobs`` with the house's stream."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from punto.floor.audit.faults import FaultCode
from punto.floor.audit.jobs.job_events import event_of
from punto.floor.audit.jobs.job_store import JobState, read_job
from punto.floor.database.base import Row
from punto.floor.journal.event_base import HouseEvent


def check_jobs(
    recorded: Mapping[str, tuple[str, HouseEvent]], stored: Sequence[Row]
) -> Iterator[tuple[FaultCode, str]]:
    """``recorded`` has who ended each job and how. Old jobs are deleted, so one that is missing is no fault."""
    for row in stored:
        try:
            job = read_job(row)
        except msgspec.MsgspecError:
            yield FaultCode.JOBS_DIFFER, f"the job {row[0]!r} cannot be read"
            continue
        by, event = recorded.get(job.id, ("", None))
        if event_of(job) != event or (job.state is JobState.DONE and by != job.by):
            yield FaultCode.JOBS_DIFFER, f"the result of the job {job.id!r} is not as the house's stream has it"
