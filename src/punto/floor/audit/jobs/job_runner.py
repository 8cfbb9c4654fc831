"""Runs the process of a job beside the server."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress

import msgspec

from punto.floor.audit.jobs.job_store import JobOrder, JobReport, JobResult

REPORT_EVERY_S = 1.0
_MAX_LINE_BYTES = 1 << 20
_LOG = logging.getLogger(__name__)


class _Reports:
    """What the process has reported so far."""

    def __init__(self) -> None:
        self.last = JobReport()

    async def read(self, lines: asyncio.StreamReader) -> None:
        while line := await lines.readline():
            self.last = msgspec.json.decode(line, type=JobReport)


async def run_process(order: JobOrder, goes_on: Callable[[JobReport], Awaitable[bool]]) -> JobResult | None:
    """Return the result; None if there is none, because the process died or was stopped.

    Every second ``goes_on`` gets the last report, and answers whether to go on.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "punto.floor.audit.jobs.job_process"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # ctrl-C is for the server
            limit=_MAX_LINE_BYTES,
        )
    except OSError:
        _LOG.exception("the process of a job could not be started")
        return None
    assert process.stdin is not None  # noqa: S101 - asked for above
    assert process.stdout is not None  # noqa: S101 - as above
    reports = _Reports()
    reading = asyncio.create_task(reports.read(process.stdout))
    going_on = True
    try:
        process.stdin.write(msgspec.json.encode(order) + b"\n")
        while going_on and not (await asyncio.wait({reading}, timeout=REPORT_EVERY_S))[0]:
            going_on = await goes_on(reports.last)
    finally:
        process.stdin.close()  # ends it if it has not ended by itself
        if not reading.done() and process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)  # `process.kill` may reap it, and asyncio warns that it is gone
        await asyncio.gather(reading, return_exceptions=True)
        await process.wait()
    reading.result()  # raises what it raised
    if reports.last.result is None and going_on:
        _LOG.error("the process of a job ended without a result: see the standard error of the server")
    return reports.last.result
