"""Where the files of exports are: readable for the server's user alone."""

import os
import re
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from punto.floor.audit.jobs.job_store import AuditJob
from punto.floor.database import file_of
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.reports.file_formats import Format

_ID = re.compile("[0-9a-f]{16}")
_FILE = re.compile(f"{_ID.pattern}[.]({'|'.join(Format)})([.]part)?")


def export_folder(db: str) -> Path:
    """Beside an SQLite file; for PostgreSQL, in the folder for temporary files."""
    if db.startswith(("postgresql://", "postgres://")):
        return Path(tempfile.gettempdir()) / f"punto-exports-{os.getuid()}"
    path = Path(file_of(db)).resolve()
    return path.with_name(f"{path.name}-exports")


def make_private(folder: Path) -> None:
    """Create the folder if needed; refused if others could read it or exchange it for another."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise _not_writable(folder, error.strerror or str(error)) from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise _not_writable(folder, "it is not a folder of this server's user alone")


def _not_writable(folder: Path, reason: str) -> FloorRefused:
    return FloorRefused(FloorCode.BAD_DATABASE, variant="not_writable", path=folder, reason=reason)


def job_file(folder: Path, job: AuditJob) -> Path | None:
    """The file of an export. None for anything else, and for an id that no server gave: a row may be forged."""
    if job.export is None or not _ID.fullmatch(job.id):
        return None
    return folder / f"{job.id}.{job.export.form}"


def remove_file(folder: Path, job: AuditJob) -> None:
    """Also the draft that a killed process left."""
    path = job_file(folder, job)
    if path is not None:
        path.unlink(missing_ok=True)
        path.with_name(f"{path.name}.part").unlink(missing_ok=True)


def remove_old_files(folder: Path, before_s: float) -> None:
    """What was last written before this Unix time.

    A server of another machine may have forgotten the jobs of one that was killed here. Only this one has their files.
    """
    for path in folder.glob("*"):
        with suppress(OSError):  # it was deleted just now
            if _FILE.fullmatch(path.name) and path.lstat().st_mtime < before_s:
                path.unlink()
