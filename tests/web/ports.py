"""Ports for servers that are stopped and started again at the same address."""

import os
import socket
from contextlib import suppress

_PORTS = 500


def free_port() -> int:
    """A port that nobody takes while the server is away.

    The system itself gives away higher ones only, and each worker has its own.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    first = 20_000 + worker % 20 * _PORTS
    for tried in range(_PORTS):
        port = first + (os.getpid() + tried) % _PORTS
        with suppress(OSError), socket.socket() as found:
            found.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")
