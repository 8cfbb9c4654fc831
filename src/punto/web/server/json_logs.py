"""Logs as JSON Lines. They never contain secrets or cards that nobody has seen."""

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
    def format(self, record: logging.LogRecord) -> str:
        """One line: the message, the fields in ``extra={"fields": ...}`` and the traceback of an exception."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "log": record.name,
            "words": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        try:
            return msgspec.json.encode(line).decode()
        except UnicodeEncodeError:  # lone surrogates: a line with question marks is better than none
            return msgspec.json.encode({name: _writable(value) for name, value in line.items()}).decode()


def _writable(value: object) -> str:
    return str(value).encode(errors="replace").decode()


class BatchingHandler(logging.Handler):
    """Writes the lines of one turn of the event loop together at its end; without a loop, each line immediately."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream
        self._lines: list[str] = []
        self._failure_reported = False

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record)
        except Exception:  # noqa: BLE001 - as every logging handler does
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
        """Write the queued lines. If that fails, report it once on standard error and go on without the log."""
        with self.lock or nullcontext():
            lines, self._lines = self._lines, []
            if not lines:
                return
            try:
                self._stream.write("\n".join((*lines, "")))
                self._stream.flush()
            except (OSError, ValueError) as error:
                self._report(error)

    def _report(self, error: Exception) -> None:
        if not self._failure_reported and self._stream is not sys.stderr:
            self._failure_reported = True
            sys.stderr.write(f"the log cannot be written: {error}\n")

    def close(self) -> None:
        self.flush()
        if self._stream is not sys.stderr:
            self._stream.close()
        super().close()


def open_log(file: str) -> TextIO:
    """Open a file to append to. A new one is for its owner alone."""
    try:
        Path(file).touch(mode=0o600)
        return Path(file).open("a", encoding="utf-8")
    except OSError as error:
        raise FloorRefused(FloorCode.BAD_CONFIG, variant="log_file", path=file, reason=str(error)) from error


def set_up(level: str, file: str = "") -> None:
    """Write all logs as JSON, to a file or standard error."""
    handler = BatchingHandler(open_log(file) if file else sys.stderr)
    handler.setFormatter(JsonLines())
    logging._srcfile = None  # noqa: SLF001 - as the manual of `logging` advises when source lines are not needed
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(_LEVELS[level])
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True
    logging.getLogger("uvicorn.access").disabled = True  # the request handler logs them
    logging.getLogger("uvicorn.error").setLevel(max(_LEVELS[level], logging.WARNING))
