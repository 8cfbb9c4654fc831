"""A proxy between a browser and a server, which a test can cut and restore."""

import itertools
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Self

CUT_LINE = "net::ERR_|WebSocket|Failed to fetch"
"""What a browser reports when its line is cut, also in the middle of an answer: a pattern for ``troubles.excuse``."""
_SENT_AGAIN_S = 0.3


class Line:
    """Forwards all data. While it is cut, nothing gets through, and the server does not notice."""

    def __init__(self, url: str) -> None:
        self._to = _port(url)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._lock = threading.Lock()
        self._ends: list[socket.socket] = []
        self._cut = False
        self._bad = False
        self._connections, self._pieces = itertools.count(), itertools.count()
        self._open = threading.Event()
        self._open.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)  # wakes who waits in accept
        self._listening.close()
        self._open.set()
        self.cut()

    def cut(self) -> None:
        """Drop what is on the way, and let nothing new through."""
        with self._lock:
            self._cut = True
            ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def silence(self) -> None:
        """Hold up everything, and close nothing: neither end can tell."""
        self._open.clear()

    def lose_half(self) -> None:
        """Of all pieces, each second one is lost and sent again a little later; each second new connection fails."""
        self._bad = True

    def mend(self, url: str | None = None) -> None:
        """Let everything through again, perhaps to a server at another address."""
        self._bad = False
        self._open.set()
        with self._lock:
            self._cut = False
            if url is not None:
                self._to = _port(url)

    def _is_lost(self, arrivals: Iterator[int]) -> bool:
        return self._bad and next(arrivals) % 2 == 0

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:  # the test is over
                return
            with self._lock:
                if self._cut or self._is_lost(self._connections):
                    near.close()
                    continue
                try:
                    far = socket.create_connection(("127.0.0.1", self._to))
                except OSError:  # no server
                    near.close()
                    continue
                self._ends += [near, far]
            for one, other in ((near, far), (far, near)):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # what comes in two pieces is not held up
                threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):  # cut
            while piece := one.recv(65_536):
                self._open.wait()
                if self._is_lost(self._pieces):
                    time.sleep(_SENT_AGAIN_S)
                other.sendall(piece)
        self._open.wait()
        with suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)
        one.close()  # each is read by one of the two, who closes it


def _port(url: str) -> int:
    return int(url.rpartition(":")[2])
