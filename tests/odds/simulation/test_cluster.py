"""Addresses at which no cluster answers are refused quickly, with a message."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

import pytest

from punto import book
from punto.odds.procedure import Procedure
from punto.odds.simulation import cluster as cluster_module
from punto.odds.simulation.cluster import cluster
from punto.odds.simulation.simulator import job_of
from punto.rules.refusals import Code, Refused
from tests.cli.running import ENVIRONMENT
from tests.marks import rest_at_night
from tests.waiting import DEADLINE_S

pytestmark = pytest.mark.slow

JOB = job_of(book("commission"), 8, 1, Procedure())
SILENT, CHATTY = b"", b"SSH-2.0-OpenSSH_9.6\r\n"
BABBLER = b"pickle-protocol"
LIAR = (10_000).to_bytes(8, "little") + b"pickle-protocol"
"""Sends a scheduler's greeting, and then nothing."""


@contextmanager
def _listening(says: bytes, *, hangs_up: bool = False) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    line, _ = server.accept()
                except OSError:  # the test has ended
                    return
                kept.append(line)
                with suppress(OSError):  # the client may be gone
                    line.sendall(says)
                if hangs_up:
                    line.close()

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)  # wakes the accepting thread, so no connection opens after the last is closed
        thread.join()
        for line in kept:
            line.close()


@pytest.mark.parametrize(
    ("says", "hangs_up", "words"),
    [
        (SILENT, False, "within 1 second\\."),
        (CHATTY, False, "within 1 second\\."),
        (CHATTY, True, "is not a Dask scheduler"),
        (b"\0" * 100_000, False, "is not a Dask scheduler"),
        (BABBLER, False, "No Dask scheduler answers"),
        (LIAR, False, "within 1 second\\."),
    ],
)
def test_who_is_no_scheduler_is_refused_in_time(says: bytes, *, hangs_up: bool, words: str) -> None:
    with (
        _listening(says, hangs_up=hangs_up) as address,
        pytest.raises(Refused, match=words) as refused,
        cluster(address, JOB, timeout_s=1 if "within 1 second\\." in words else DEADLINE_S),
    ):
        pass
    assert refused.value.code is Code.CLUSTER_UNREACHABLE


@pytest.mark.parametrize("scheme", ["tls", "udp", "ws", "inproc", "http"])
def test_only_the_scheme_that_works_is_tried(scheme: str) -> None:
    with (
        _listening(SILENT) as address,
        pytest.raises(Refused, match="is not a valid address") as refused,
        cluster(address.replace("tcp", scheme), JOB),
    ):
        pass
    assert refused.value.code is Code.CLUSTER_UNREACHABLE


@pytest.mark.parametrize("says", rest_at_night([SILENT, BABBLER, LIAR], [LIAR], repr))
def test_the_command_ends_and_says_nothing_else(says: bytes) -> None:
    """As a process: the abandoned thread must not keep it alive, or print anything at its end."""
    with _listening(says) as address:
        command = [sys.executable, "-m", "punto", "simulate", "commission", "--rounds", "5", "--cluster", address]
        done = subprocess.run(command, capture_output=True, env=ENVIRONMENT, timeout=DEADLINE_S, check=False, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("Refused (cluster_unreachable): No Dask scheduler answer")


class _Lacking:
    """A cluster whose workers lack a module."""

    closed = False

    def run(self, *_: object) -> None:
        raise ModuleNotFoundError("No module named 'numba'", name="numba")

    def close(self, timeout: float) -> None:
        self.closed = timeout > 0


def test_a_worker_that_lacks_a_module_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = _Lacking()
    monkeypatch.setattr(cluster_module, "_require_greeting", lambda *_: None)
    monkeypatch.setattr(cluster_module, "_connected", lambda *_: (lacking, 2))
    with pytest.raises(Refused, match="at 'a:1' cannot import numba") as refused, cluster("a:1", JOB):
        pass
    assert refused.value.code is Code.EXTRA_MISSING
    assert "punto[cluster]" in refused.value.message
    assert lacking.closed
