"""A real Dask cluster of local processes."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.waiting import wait_until


@contextmanager
def running(folder: Path, workers: int = 1) -> Iterator[str]:
    """Start a scheduler with this many workers, yield its address, and end them all."""
    file = folder / "scheduler.json"
    with ExitStack() as stack:
        _start(
            stack, folder, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file
        )
        address = _address(file)
        for number in range(workers):
            where = ("--host", "127.0.0.1", "--no-dashboard", "--local-directory", folder)
            _start(stack, folder, "worker", address, "--nthreads", "1", "--no-nanny", "--name", number, *where)
        yield address


def _start(stack: ExitStack, folder: Path, what: str, *arguments: object) -> None:
    command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *map(str, arguments)]
    log = stack.enter_context((folder / f"{what}.log").open("ab"))
    process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)

    def end() -> None:
        process.kill()
        process.wait()

    stack.callback(end)


def _address(file: Path) -> str:
    wait_until(lambda: file.exists() and file.read_text(), "the scheduler")
    address = json.loads(file.read_text())["address"]
    assert isinstance(address, str)
    return address
