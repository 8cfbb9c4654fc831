"""Logs as JSON, a line each. What goes in is chosen word by word: never a secret, never a card that nobody has seen."""

import asyncio
import logging
import sys
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import msgspec

from punto.floor.errors import FloorCode, FloorRefused

_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """With what was said beside the words, and where something failed its traceback."""
        said: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "log": record.name,
            "words": record.getMessage(),
            **getattr(record, "said", {}),
        }
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        try:
            return msgspec.json.encode(said).decode()
        except UnicodeEncodeError:  # text that no encoding has: a line with question marks is better than none
            return msgspec.json.encode({name: _writable(value) for name, value in said.items()}).decode()


def _writable(value: object) -> str:
    return str(value).encode(errors="replace").decode()


class Gathering(logging.Handler):
    """What is logged in one turn of an event loop is written at its end, at once; without a loop, immediately."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream
        self._lines: list[str] = []
        self._said = False

    def emit(self, record: logging.LogRecord) -> None:
        """Take a line in."""
        try:
            line = self.format(record)
        except Exception:  # noqa: BLE001 - as every handler does: what cannot be logged does not stop the rest
            self.handleError(record)
            return
        self._lines.append(line)
        if len(self._lines) > 1:
            return
        try:
            asyncio.get_running_loop().call_soon(self.flush)
        except RuntimeError:
            self.flush()

    def flush(self) -> None:
        """Write what there is; where that fails, the floor goes on without its log, and says so once."""
        with self.lock or nullcontext():
            lines, self._lines = self._lines, []
            if not lines:
                return
            try:
                self._stream.write("\n".join((*lines, "")))
                self._stream.flush()
            except (OSError, ValueError) as trouble:
                self._lost(trouble)

    def _lost(self, trouble: Exception) -> None:
        if not self._said and self._stream is not sys.stderr:
            self._said = True
            sys.stderr.write(f"the log cannot be written: {trouble}\n")

    def close(self) -> None:
        """At the end of the process."""
        self.flush()
        if self._stream is not sys.stderr:
            self._stream.close()
        super().close()


def set_up(level: str, file: str = "") -> None:
    """From now on everything is logged so."""
    try:
        stream = Path(file).open("a", encoding="utf-8") if file else sys.stderr  # noqa: SIM115 - as long as we run
    except OSError as error:
        raise FloorRefused(FloorCode.BAD_CONFIG, variant="log_file", path=file, reason=str(error)) from error
    handler = Gathering(stream)
    handler.setFormatter(JsonLines())
    logging._srcfile = None  # noqa: SLF001 - as logging's own manual says: nobody asks from which line of code it came
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(_LEVELS[level])
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True
    logging.getLogger("uvicorn.access").disabled = True  # a door logs its own
    logging.getLogger("uvicorn.error").setLevel(max(_LEVELS[level], logging.WARNING))
