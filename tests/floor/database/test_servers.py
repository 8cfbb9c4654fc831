"""PostgreSQL servers that tests start never outlive the process that started them."""

import signal
import subprocess
import sys
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from tests.floor.server_process import runs
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
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
    wait_until(lambda: not any(runs(process) for process in processes), "the end of the server")
    wait_until(lambda: not Path(directory.strip()).exists(), "the end of its files")
