"""Which tables cannot be run or shown, and why."""

import logging

READ, RUN, SHOWN, WATCHED, RUNG_FOR = "read", "run", "shown", "watched", "rung for"
"""What cannot be done with a table that has a fault."""
_LOG = logging.getLogger(__name__)


class TableFaults:
    """The faults that a process has found. Each is logged once, not at every try."""

    def __init__(self) -> None:
        self._faults: dict[tuple[str, str], str] = {}

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables with a fault, sorted."""
        return tuple(sorted({table for table, _ in self._faults if table}))

    def add(self, table: str, what: str, error: BaseException) -> None:
        """``what`` is one of the words above. The name of a table that cannot be read is empty."""
        words = f"{type(error).__name__}: {error}"
        if self._faults.get((table, what)) != words:
            self._faults[table, what] = words
            _LOG.error("the table %r cannot be %s: %s", table, what, words, exc_info=error)

    def clear(self, table: str, what: str) -> None:
        self._faults.pop((table, what), None)
