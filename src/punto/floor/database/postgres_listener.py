"""A thread that receives the messages of other processes through PostgreSQL."""

import select
import socket
import threading
from collections.abc import Callable
from typing import Any

import psycopg

RECONNECT_S = 0.5
CHECK_CONNECTION_S = 5.0
"""How often a silent connection is checked."""


class Listener:
    """Calls back with each message; with "" whenever messages may have been missed."""

    def __init__(
        self, connect: Callable[[], "psycopg.Connection[Any]"], channel: str, on_message: Callable[[str], None]
    ) -> None:
        self._connect = connect
        self._channel = channel
        self._on_message = on_message
        self._closing = threading.Event()
        self._woken, self._waking = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="punto-listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._waking.send(b"x")
        self._thread.join()
        self._woken.close()
        self._waking.close()

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                with self._connect() as connection:
                    connection.execute(f"LISTEN {self._channel}".encode())
                    self._on_message("")  # messages may have been missed while not connected
                    self._receive(connection)
            except psycopg.Error:
                self._closing.wait(RECONNECT_S)

    def _receive(self, connection: "psycopg.Connection[Any]") -> None:
        while not self._closing.is_set():
            ready, _, _ = select.select([connection.fileno(), self._woken.fileno()], [], [], CHECK_CONNECTION_S)
            if not ready:
                connection.execute("SELECT 1")
            for notice in connection.notifies(timeout=0):
                self._on_message(notice.payload)
