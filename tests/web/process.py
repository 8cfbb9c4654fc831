"""``punto serve`` as a real process, the way a user starts it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import msgspec

from punto.floor.secret_key import VARIABLE
from tests.cli.running import ENVIRONMENT
from tests.waiting import DEADLINE_S
from tests.web.serving import KEEPS_BRIEFLY, TLS

CLEAN = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("PUNTO_")}
ADMINISTRATORS = "the house is always open"
"""The administrator's password after the first change."""


class Process:
    """A running server process."""

    def __init__(self, folder: Path, *flags: str, environment: dict[str, str] | None = None) -> None:
        self._folder = folder
        self._log = folder / "log.jsonl"
        self._errors = (folder / "stderr").open("ab")
        arguments = [
            sys.executable,
            "-m",
            "punto",
            "serve",
            "--port",
            "0",
            "--log-file",
            str(self._log),
            "--empty",
            *flags,
        ]
        self._process = subprocess.Popen(
            arguments,
            cwd=folder,
            env={**CLEAN, VARIABLE: os.environ[VARIABLE], **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._clients: list[httpx2.Client] = []
        self.said: list[str] = []
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.said.append(line.rstrip("\n"))
            if " at http://" in line:
                break
        assert self.said, self.errors
        self.url = self.said[-1].rpartition(" at ")[2]

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def errors(self) -> str:
        """Its standard error."""
        return (self._folder / "stderr").read_text(encoding="utf-8")

    @property
    def log(self) -> list[dict[str, Any]]:
        """The lines of its log, parsed as JSON."""
        return [msgspec.json.decode(line) for line in self._log.read_bytes().splitlines()]

    @property
    def password(self) -> str:
        """The one-time password of the first administrator."""
        words, _, password = self.said[0].partition(": ")
        assert words == "Administrator's one-time password", self.said
        return password

    def client(self, token: str | None = None) -> httpx2.Client:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        client = httpx2.Client(
            base_url=self.url, headers=headers, trust_env=False, timeout=DEADLINE_S, verify=TLS, limits=KEEPS_BRIEFLY
        )
        self._clients.append(client)
        return client

    def administrator(self) -> httpx2.Client:
        """The first administrator, after changing their password."""
        return self.first_sign_in("administrator", self.password, ADMINISTRATORS)

    def first_sign_in(self, name: str, once: str, password: str) -> httpx2.Client:
        """Sign in with a one-time password and change it."""
        asked = {"name": name, "password": once, "keep": "token"}
        client = self.client(self.client().post("/api/session", json=asked).json()["token"])
        changed = {"before": once, "password": password}
        assert client.post("/api/session/password", json=changed).status_code == 204
        return client

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Stop it with SIGTERM; returns its exit status."""
        self._process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Wait until it has ended; returns its exit status."""
        return self._process.wait(DEADLINE_S)

    def kill(self) -> None:
        for client in self._clients:
            client.close()
        if self._process.poll() is None:
            os.kill(self._process.pid, signal.SIGKILL)
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()


@contextmanager
def process(folder: Path, *flags: str, environment: dict[str, str] | None = None) -> Iterator[Process]:
    """``punto serve`` in its own folder."""
    started = Process(folder, *flags, environment=environment)
    try:
        yield started
    finally:
        started.kill()
