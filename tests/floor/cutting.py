"""A connection to PostgreSQL that can be cut just before a commit reaches the server or its answer arrives."""

import contextlib
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

from tests.waiting import DEADLINE_S

COMMIT = b"COMMIT"


class Wire:
    """A proxy between a floor and the server, with its own socket."""

    def __init__(self, server_url: str, directory: Path) -> None:
        self.cut = ""
        """``before`` cuts before a commit reaches the server, ``after`` before its answer comes back; once."""
        self.cuts = 0
        with psycopg.connect(server_url) as connection:
            self._port = connection.info.port
        host = str(conninfo_to_dict(server_url).get("host") or "localhost")
        self._server = host
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(directory / f".s.PGSQL.{self._port}"))
        self._listening.listen()
        parts = urlsplit(server_url)
        user = parts.netloc.rpartition("@")[0]
        query = f"host={quote(str(directory))}&port={self._port}"
        self.url = urlunsplit((parts.scheme, f"{user}@" if user else "", parts.path, query, ""))
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:  # closed
                return
            server = self._connect()
            self._open += [client, server]
            threading.Thread(target=self._carry, args=(client, server), daemon=True).start()
            threading.Thread(target=self._carry_back, args=(server, client), daemon=True).start()

    def _connect(self) -> socket.socket:
        if self._server.startswith("/"):
            server = socket.socket(socket.AF_UNIX)
            server.connect(f"{self._server}/.s.PGSQL.{self._port}")
            return server
        return socket.create_connection((self._server, self._port))

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while said := client.recv(65_536):
                if self.cut and COMMIT in said:
                    where, self.cut = self.cut, ""
                    self.cuts += 1
                    if where == "after":
                        client.shutdown(socket.SHUT_RDWR)  # drop everything after the cut
                        server.sendall(said)
                        self._wait_for_answer(server)
                    break
                server.sendall(said)
        for end in (client, server):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def _wait_for_answer(server: socket.socket) -> None:
        server.settimeout(DEADLINE_S)
        server.recv(1, socket.MSG_PEEK)

    @staticmethod
    def _carry_back(server: socket.socket, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while said := server.recv(65_536):
                client.sendall(said)

    def close(self) -> None:
        """Cut all connections."""
        self._listening.close()
        for end in self._open:
            end.close()


@contextlib.contextmanager
def wire_to(url: str) -> Iterator[Wire]:
    """A proxy to a database."""
    with tempfile.TemporaryDirectory() as directory:
        wire = Wire(url, Path(directory))
        yield wire
        wire.close()
