"""Real processes of a floor, and ways to wait for them."""

import json
import signal
import subprocess
import sys
import threading
from typing import Any

from tests.floor.servers import ROOT
from tests.waiting import DEADLINE_S, wait_until


class Worker:
    """A process that runs ``tests.floor.crashes.worker``. It is killed at the end if it still runs."""

    def __init__(self, *words: str, module: str = "tests.floor.crashes.worker") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *words],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._lines: list[Any] = []
        self._listening = threading.Thread(target=self._listen, daemon=True)

    @property
    def pid(self) -> int:
        return self._process.pid

    def hear(self) -> Any:
        """The next line it prints."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"it has ended: {self._process.wait()}"
        return json.loads(line)

    def rest(self) -> list[Any]:
        """Everything it prints until it ends; an incomplete line is ignored."""
        assert self._process.stdout is not None
        return [json.loads(line) for line in self._process.stdout if line.endswith("\n")]

    def hear_until(self, word: str) -> None:
        """Read its output in a thread, and wait for this word."""
        self._listening.start()

        def heard() -> bool:
            alive = self._listening.is_alive()
            if any(word in line for line in tuple(self._lines)):
                return True
            assert alive, f"it has ended: {self._process.wait()}"
            return False

        wait_until(heard, word)

    def hear_more(self, count: int) -> None:
        """Wait for this many more lines."""
        wanted = len(self._lines) + count
        wait_until(lambda: len(self._lines) >= wanted or not self._listening.is_alive(), f"{count} lines more")
        assert len(self._lines) >= wanted, f"it has ended: {self._process.wait()}"

    def heard_all(self) -> list[Any]:
        """Everything it printed since, after it has ended."""
        self._listening.join(DEADLINE_S)
        assert not self._listening.is_alive()
        return self._lines

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith("\n"):  # an incomplete line is ignored
                self._lines.append(json.loads(line))

    def wait(self) -> None:
        """Wait until it ends by itself."""
        self.wait_ended(0)

    def wait_ended(self, status: int) -> None:
        """Wait until it ends with this exit status; negative: by that signal."""
        assert self._process.wait(DEADLINE_S) == status

    def tell(self, line: str = "go") -> None:
        """Let it continue."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal: stop, continue or kill."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kill it at once, without a chance to clean up."""
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End it and close its pipes."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
