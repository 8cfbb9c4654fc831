"""Run a command at a real terminal and read what it shows."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios

from tests.cli.running import ENVIRONMENT
from tests.waiting import DEADLINE_S

_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Watched:
    """The command as a process whose standard error is a terminal."""

    def __init__(self, *arguments: str, columns: int = 120) -> None:
        self._terminal, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        command = [sys.executable, "-m", "punto", *arguments]
        environment = ENVIRONMENT | {"TERM": "xterm"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment)
        os.close(theirs)
        self.shown = ""

    def read_until(self, words: str) -> None:
        """Wait until this text has been shown."""
        while words not in self.shown:
            assert select.select([self._terminal], [], [], DEADLINE_S)[0], "nothing more was shown"
            assert self._read(), self.shown

    def lines(self) -> list[str]:
        """All lines shown so far, with each redrawn line as one of its own."""
        return [line for line in re.split(r"[\r\n]+", _CONTROLS.sub("", self.shown)) if line]

    def _read(self) -> bool:
        try:
            some = os.read(self._terminal, 4096)
        except OSError:  # the terminal is closed
            return False
        self.shown += some.decode()
        return bool(some)

    def end(self) -> tuple[int, bytes]:
        """Wait for the end. Returns the exit status and standard output."""
        while self._read():
            pass
        out, _ = self.process.communicate(timeout=DEADLINE_S)
        os.close(self._terminal)
        return self.process.returncode, out
