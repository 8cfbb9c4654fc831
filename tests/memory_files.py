"""Keeps the files of the tests in memory, where that is possible."""

import os
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108 - each user of it makes a folder of their own
MIN_FREE_BYTES = 4 * 2**30


def keep_files_in_memory() -> None:
    """Most tests commit to a database and wait for the disk; in memory there is nothing to wait for.

    A set ``TMPDIR`` is respected: ``make nightly`` sets it, so the tests also run on a disk.
    """
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and _is_fit(MEMORY):
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


def _is_fit(folder: Path) -> bool:
    """Large enough, and programs in it can be run."""
    runs_programs = not os.statvfs(folder).f_flag & os.ST_NOEXEC
    return os.access(folder, os.W_OK) and runs_programs and shutil.disk_usage(folder).free >= MIN_FREE_BYTES
