"""The process of one job, which :mod:`punto.floor.audit.jobs.jobs` starts with ``python -m`` and this module.

Its order comes as the first line of standard input, because other users of the machine can read a command line. It
reports on standard output, one JSON line each, and ends when its standard input does: with the server, even if that is
killed.
"""

import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec.structs import replace

from punto.catalogue.sentence import LANGUAGES
from punto.catalogue.values import write_count
from punto.floor.audit.faults import Fault, FaultCode
from punto.floor.audit.jobs.job_store import (
    ExportOrder,
    ExportSummary,
    JobOrder,
    JobReport,
    JobResult,
    VerifySummary,
)
from punto.floor.audit.kept_heads import read_heads_in
from punto.floor.audit.verify import count_entries, verify
from punto.floor.database import read_database
from punto.floor.database.base import Database
from punto.floor.errors import FloorRefused
from punto.floor.reports.export import count_reads, export_rows
from punto.floor.reports.file_formats import write_export

MAX_FAULTS = 100
MAX_FAULT_LENGTH = 500
NICENESS = 10
_REPORT_EVERY_S = 0.25


class _Reporter:
    def __init__(self, total: int) -> None:
        self._total, self._done, self._sent_s = total, 0, 0.0
        self.read(0)

    def read(self, entries: int) -> None:
        self._done += entries
        if (now_s := time.monotonic()) - self._sent_s >= _REPORT_EVERY_S:
            self._sent_s = now_s
            _send(JobReport(min(self._done, self._total), self._total))


def _send(report: JobReport) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
    sys.stdout.buffer.flush()


def main() -> None:
    order = msgspec.json.decode(sys.stdin.buffer.readline(), type=JobOrder)
    threading.Thread(target=_end_with_server, daemon=True).start()
    os.nice(NICENESS)
    try:
        with closing(read_database(order.db)) as database:
            result = _verify(database, order) if order.export is None else _export(database, order, order.export)
    except FloorRefused as refused:
        result = JobResult(problem={language: refused.refusal.message_in(language) for language in LANGUAGES})
    _send(JobReport(result=result))


def _end_with_server() -> None:
    while os.read(sys.stdin.fileno(), 1):  # not buffered: the interpreter could not end while it waits
        pass
    os._exit(1)


def _verify(database: Database, order: JobOrder) -> JobResult:
    heads = read_heads_in(Path(order.heads)) if order.heads else []
    verified = verify(database, heads, _Reporter(count_entries(database)).read, order.key_file, order.public_key)
    faults = list(verified.faults)
    if verified.unsigned:  # the server that asks has signed everything at its start
        entries = write_count(verified.unsigned, "entry is", "entries are")
        words = f"{entries} not signed with the floor's key: somebody else appended them"
        faults.append(Fault("signatures", None, FaultCode.NOT_SIGNED, words))
    summary = VerifySummary(
        sound=not faults,
        streams=verified.streams,
        entries=verified.entries,
        commands=verified.commands,
        judged_again=verified.judged_again,
        earlier_revision=verified.earlier_revision,
        shoes=verified.shoes,
        seeded=verified.seeded,
        unchecked_shoes=verified.unchecked_shoes,
        head_copies=len(heads),
        backwards=len(verified.backwards),
        longest_backwards_us=max((each.by_us for each in verified.backwards), default=0),
        fault_count=len(faults),
        faults=tuple(map(_shortened, faults[:MAX_FAULTS])),
        signatures_checked=verified.signatures_checked,
        signed_afterwards=verified.signed_afterwards,
    )
    return JobResult(verified=summary)


def _shortened(fault: Fault) -> Fault:
    """A damaged database may have any text in any place."""
    return replace(fault, stream=fault.stream[:MAX_FAULT_LENGTH], message=fault.message[:MAX_FAULT_LENGTH])


def _export(database: Database, order: JobOrder, export: ExportOrder) -> JobResult:
    _limit_files(order.max_bytes)
    progress: Callable[[int], None] = _Reporter(count_reads(database, export.what)).read
    columns, rows = export_rows(database, export.what, export.period, progress=progress)
    path = Path(order.file)
    written = write_export(path, columns, rows, export.form)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return JobResult(exported=ExportSummary(written, path.stat().st_size, digest))


def _limit_files(max_bytes: int) -> None:
    """Let the system refuse to write more to a file."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every system

    resource.setrlimit(resource.RLIMIT_FSIZE, (max_bytes, max_bytes))


if __name__ == "__main__":
    main()
