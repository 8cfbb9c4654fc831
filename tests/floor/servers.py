"""PostgreSQL servers that tests start and kill. None keeps running after the tests, however they end."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psutil  # type: ignore[import-untyped]
import psycopg

from tests.waiting import DEADLINE_S

ROOT = Path(__file__).parents[2]
PREFIX = "punto-postgres-"


class PostgresServer:
    """A server with a second process that stops it when this one is gone, even if killed."""

    def __init__(self) -> None:
        stop_leftovers()
        self.directory = Path(tempfile.mkdtemp(prefix=PREFIX))
        self.directory.chmod(0o755)  # when run as root, the server runs as another user
        self._holder = subprocess.Popen(
            [sys.executable, "-m", "tests.floor.server_process", str(self.directory / "data")],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # an interrupt from the terminal must not end this process before the server
        )
        (self.directory / "holder").write_text(str(self._holder.pid))
        self.url, self.pid = self._heard()

    def _heard(self) -> tuple[str, int]:
        assert self._holder.stdout is not None
        line = self._holder.stdout.readline()
        assert line, "no PostgreSQL server: see above"
        said = json.loads(line)
        return said["url"], said["pid"]

    def _ask(self, word: str) -> tuple[str, int]:
        assert self._holder.stdin is not None
        self._holder.stdin.write(f"{word}\n")
        self._holder.stdin.flush()
        return self._heard()

    def kill(self) -> None:
        """Send SIGKILL to every process of the server."""
        self._ask("kill")

    def start(self) -> None:
        """Start it again and wait until it answers."""
        self.url, self.pid = self._ask("start")

    def stop(self) -> None:
        """Stop it and delete its files."""
        self._holder.communicate()
        shutil.rmtree(self.directory, ignore_errors=True)


def stop_leftovers() -> None:
    """Stop servers whose second process was killed too, by the pid in their own file."""
    for directory in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        holder = directory / "holder"
        if not holder.exists() or psutil.pid_exists(int(holder.read_text() or 0)):
            continue
        pid_file = directory / "data" / "postmaster.pid"
        if pid_file.exists():
            pid = int(pid_file.read_text().splitlines()[0])
            if psutil.pid_exists(pid) and str(directory) in " ".join(psutil.Process(pid).cmdline()):
                os.kill(pid, signal.SIGQUIT)
                psutil.wait_procs([psutil.Process(pid)], timeout=DEADLINE_S)
        shutil.rmtree(directory, ignore_errors=True)


def new_database(server_url: str, like: str = "") -> str:
    """The URL of a new database on a server: empty, or a copy of one that nobody is connected to."""
    name, template = f"punto_{secrets.token_hex(6)}", urlsplit(like).path.removeprefix("/") or "template1"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
    return urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))


def empty_database(url: str) -> None:
    """Empty it, even if others are still connected."""
    with psycopg.connect(url, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(
            "SELECT pg_terminate_backend(pid, 180000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
        connection.execute(f'ALTER DATABASE "{name}" RESET ALL'.encode())


def drop_database(server_url: str, url: str) -> None:
    """Drop it, even if others are still connected."""
    name = urlsplit(url).path.removeprefix("/")
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())
