"""Simulate on a Dask cluster, used as an executor. Needs the extra ``cluster``."""

import re
import socket
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from threading import Thread
from time import monotonic
from typing import Any

import distributed

from punto.odds.simulation.simulation_kernel import Job
from punto.odds.simulation.simulator import warm_up
from punto.rules.refusals import Code, Refused

CLUSTER_CHUNK_SHOES = 1 << 17
"""Shoes per task: a tenth of a second's work, which makes the network's overhead negligible."""


_ADDRESS = re.compile(r"(?:tcp://)?(?P<host>\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):(?P<port>[0-9]{1,5})")
_GREETING = b"pickle-protocol"  # part of the first message that a scheduler sends
_MAX_GREETING = 1 << 16
_CLOSE_S = 2


class _Client(distributed.Client):
    """A client without a finalizer. Dask's finalizer blocks on a client that was never fully connected."""

    def __del__(self) -> None:
        pass


@contextmanager
def cluster(address: str, job: Job, timeout_s: float = 5) -> Iterator[tuple[Executor, int]]:
    """Connect to a scheduler and warm up every worker. Yields an executor and the cluster's number of threads.

    Refused within twice the timeout if no scheduler answers at the address.
    """
    _require_greeting(address, timeout_s)
    client, threads = _connected(address, timeout_s)
    try:
        if not threads:
            raise Refused(Code.CLUSTER_UNREACHABLE, variant="no_workers", address=address[:80])
        try:
            client.run(warm_up, job)
        except ImportError as error:
            missing = error.name or "punto"
            raise Refused(Code.EXTRA_MISSING, variant="worker", address=address[:80], missing=missing) from None
        yield client.get_executor(), threads
    finally:
        client.close(timeout=_CLOSE_S)


def _require_greeting(address: str, timeout_s: float) -> None:
    """Refuse an address at which no scheduler listens. Dask's client would retry or wait for ever."""
    match = _ADDRESS.fullmatch(address)
    if match is None or not 0 < int(match["port"]) < 2**16:
        raise Refused(Code.CLUSTER_UNREACHABLE, variant="bad_address", address=address[:80])
    deadline, received = monotonic() + timeout_s, b""
    try:
        with socket.create_connection((match["host"].strip("[]"), int(match["port"])), timeout_s) as connection:
            while _GREETING not in received:
                connection.settimeout(max(deadline - monotonic(), 0.001))
                more = connection.recv(4096)
                received += more
                if not more or len(received) > _MAX_GREETING:
                    raise Refused(Code.CLUSTER_UNREACHABLE, variant="not_a_scheduler", address=address[:80])
    except TimeoutError:
        raise _too_late(address, timeout_s) from None
    except OSError as error:
        raise _unreachable(address, str(error)) from None


def _connected(address: str, timeout_s: float) -> tuple[Any, int]:
    """Return a client and its number of threads.

    The client connects in a daemon thread that is abandoned at the timeout: a waiting client cannot be interrupted.
    """
    client: Future[tuple[Any, int]] = Future()

    def connect() -> None:
        client_type: Any = _Client  # Dask has no type annotations
        try:
            connected = client_type(address, timeout=timeout_s, set_as_default=False)
            client.set_result((connected, sum(connected.nthreads().values())))
        except Exception as error:  # noqa: BLE001 - passed on to the waiting thread
            client.set_exception(error)

    Thread(target=connect, daemon=True).start()
    try:
        error = client.exception(timeout_s)
    except TimeoutError:
        raise _too_late(address, timeout_s) from None
    if error is not None:
        raise _unreachable(address, str(error))
    return client.result()


def _too_late(address: str, timeout_s: float) -> Refused:
    return Refused(Code.CLUSTER_UNREACHABLE, variant="too_late", address=address[:80], seconds=timeout_s)


def _unreachable(address: str, why: str) -> Refused:
    return Refused(Code.CLUSTER_UNREACHABLE, variant="no_answer", address=address[:80], reason=why[:200])
