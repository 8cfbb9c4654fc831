"""A proxy between a client and a server that cuts connections at random moments."""

import random
import socket
import struct
import threading
from contextlib import suppress
from typing import Self


class CuttingProxy:
    """Forwards bytes, and cuts each connection after a random number of them, even in the middle of a message."""

    def __init__(self, port: int, seed: int, least: int, most: int) -> None:
        self._to, self._least, self._most = port, least, most
        self._random = random.Random(seed)  # noqa: S311 - to be the same again
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.cuts = 0
        self._lines: list[_Pair] = []
        self._ended = False
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits in accept
        self._listening.close()
        for line in self._lines:
            line.cut(hard=False)

    def _accept(self) -> None:
        while not self._ended:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._to))
            except OSError:  # no server: refuse, as without a proxy
                near.close()
                continue
            for end in (near, far):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # do not delay small packets
            line = _Pair(near, far, self._random.randint(self._least, self._most), self._random.random() < 0.5)
            self._lines.append(line)
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(line, one, other), daemon=True).start()

    def _pass_on(self, line: "_Pair", one: socket.socket, other: socket.socket) -> None:
        try:
            while piece := one.recv(65_536):
                piece = piece[: line.take(len(piece))]
                other.sendall(piece)
                if line.used_up:
                    self.cuts += 1
                    break
        except OSError:  # cut by the other direction
            pass
        line.cut(hard=line.hard)
        line.let_go()


class _Pair:
    """The two ends of a connection, and the number of bytes that may still pass."""

    def __init__(self, near: socket.socket, far: socket.socket, left: int, hard: bool) -> None:  # noqa: FBT001
        self._ends, self._left, self.hard = (near, far), left, hard
        self._lock = threading.Lock()
        self._held = 2

    def take(self, wanted: int) -> int:
        """The number of these bytes that may pass."""
        with self._lock:
            taken = min(wanted, self._left)
            self._left -= taken
            return taken

    @property
    def used_up(self) -> bool:
        """Whether no more bytes may pass."""
        return self._left == 0

    def cut(self, *, hard: bool) -> None:
        """Shut down both ends, with a reset if ``hard``. This wakes readers."""
        for end in self._ends:
            with suppress(OSError):
                if hard:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.shutdown(socket.SHUT_RD if hard else socket.SHUT_RDWR)

    def let_go(self) -> None:
        """Called by both forwarding threads. Only the second call closes, as closed file numbers are reused at once."""
        with self._lock:
            self._held -= 1
            held = self._held
        if not held:
            for end in self._ends:
                end.close()
