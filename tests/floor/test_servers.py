"""The PostgreSQL servers that tests start: none outlives whoever started it, however that ended."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[2]
SOON_S = 60.0
"""The holder itself gives a server 20 s to die; a busy machine needs more."""
HOLDS = """
from tests.floor.servers import PostgresServer
server = PostgresServer()
print(server.pid, server.directory, flush=True)
input()
"""


def test_tests_that_are_killed_leave_no_server() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as tests:
        try:
            assert tests.stdout is not None
            pid, directory = tests.stdout.readline().split(maxsplit=1)
            postmaster = psutil.Process(int(pid))
            processes = [postmaster, *postmaster.children(recursive=True)]
            assert all(runs(process) for process in processes)
        finally:
            tests.kill()
    assert tests.returncode == -signal.SIGKILL
    deadline_s = time.monotonic() + SOON_S
    while any(runs(process) for process in processes) or Path(directory.strip()).exists():
        assert time.monotonic() < deadline_s, "it runs on"
        time.sleep(0.05)


def runs(process: psutil.Process) -> bool:
    """Whether it does anything still: what nobody has buried is gone too."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
