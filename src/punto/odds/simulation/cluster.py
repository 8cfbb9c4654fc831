"""More machines: a Dask cluster as one more executor. Needs the extra ``cluster``."""

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
"""How many shoes are sent at a time: a tenth of a second's work, so that the network does not matter."""


_ADDRESS = re.compile(r"(?:tcp://)?(?P<host>\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):(?P<port>[0-9]{1,5})")
_GREETING = b"pickle-protocol"
"""A scheduler speaks first, and this is in what it says; whoever does not say it is something else."""
_MAX_GREETING = 1 << 16
_CLOSE_S = 2


class _Client(distributed.Client):
    """A client that is closed by whoever made it: half made and thrown away, it would wait for its own end."""

    def __del__(self) -> None:
        """Nothing."""


@contextmanager
def cluster(address: str, job: Job, timeout_s: float = 5) -> Iterator[tuple[Executor, int]]:
    """The cluster whose scheduler listens there, every worker warmed up; and how many chunks it deals at once.

    Who does not answer as a scheduler does is refused within twice the time.
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
    """Refuse where nobody listens, or not a scheduler: a client would go on trying, or wait for ever."""
    match = _ADDRESS.fullmatch(address)
    if match is None or not 0 < int(match["port"]) < 2**16:
        raise Refused(Code.CLUSTER_UNREACHABLE, variant="bad_address", address=address[:80])
    deadline, heard = monotonic() + timeout_s, b""
    try:
        with socket.create_connection((match["host"].strip("[]"), int(match["port"])), timeout_s) as line:
            while _GREETING not in heard:
                line.settimeout(max(deadline - monotonic(), 0.001))
                more = line.recv(4096)
                heard += more
                if not more or len(heard) > _MAX_GREETING:
                    raise Refused(Code.CLUSTER_UNREACHABLE, variant="not_a_scheduler", address=address[:80])
    except TimeoutError:
        raise _too_late(address, timeout_s) from None
    except OSError as error:
        raise _unreachable(address, str(error)) from None


def _connected(address: str, timeout_s: float) -> tuple[Any, int]:
    """A client and its number of threads. In a thread that is left behind: nothing else ends a client that waits."""
    client: Future[tuple[Any, int]] = Future()

    def connect() -> None:
        kind: Any = _Client  # has no types
        try:
            made = kind(address, timeout=timeout_s, set_as_default=False)
            client.set_result((made, sum(made.nthreads().values())))
        except Exception as error:  # noqa: BLE001 - whatever it is, there is no client
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
