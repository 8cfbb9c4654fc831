"""The clocks of all processes of a floor, compared with the database's own and with the last entry on record."""

from collections.abc import Callable

from msgspec import Struct

from punto.floor.database.base import Transaction

LATEST_ENTRIES = 2_000
"""Among them the greatest time on record is looked for: entries of several processes are not quite in order."""
STOPPED_US = 60_000_000
"""A process that has not noted its time for so long has stopped."""
_NOTE = (
    "INSERT INTO clocks (process, host, release, started_us, noted_us, ahead_us, doubt_us) VALUES (?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (process) DO UPDATE SET"
    " noted_us = excluded.noted_us, ahead_us = excluded.ahead_us, doubt_us = excluded.doubt_us"
)


class ProcessClock(Struct, frozen=True):
    """The clock of a process beside the database's."""

    process: str
    host: str
    release: str
    started_us: int
    noted_us: int = 0
    """When it was compared, by the database's clock; 0 if the database has none of its own."""
    ahead_us: int = 0
    """How far it is ahead of the database's clock; negative if it is behind."""
    doubt_us: int = 0
    """Half the time that the comparison took: the difference may be so much larger or smaller."""

    @property
    def off_us(self) -> int:
        """How far it is certainly off the database's clock."""
        return max(0, abs(self.ahead_us) - self.doubt_us)

    def apart_us(self, other: "ProcessClock") -> int:
        """How far the clocks of two processes are certainly apart."""
        return max(0, abs(self.ahead_us - other.ahead_us) - self.doubt_us - other.doubt_us)


class ComparedClocks(Struct, frozen=True):
    at_us: int
    """By the clock of this process, as it was when they were compared."""
    own: ProcessClock
    others: tuple[ProcessClock, ...] = ()
    """Of the processes that run now; empty if no other can."""
    behind_record_us: int = 0
    """How far this process's clock is behind the greatest time on record, or behind itself; 0 if it is not."""
    greatest_us: int = 0
    """That time."""


def compare_clocks(
    transaction: Transaction, own: ProcessClock, now_us: Callable[[], int], clock_sql: str, greatest_us: int = 0
) -> ComparedClocks:
    """Note the time of this process and read that of the others.

    ``clock_sql`` is that of the database. If it has none, nothing is written. ``greatest_us`` is the greatest time that
    was on record before, or that the clock itself has shown: later entries may have been written with a clock set back.
    """
    others: tuple[ProcessClock, ...] = ()
    if clock_sql:
        before_us = now_us()
        ((database_us,),) = transaction.rows(f"SELECT {clock_sql}")
        after_us = now_us()
        middle_us, doubt_us = (before_us + after_us) // 2, abs(after_us - before_us) // 2 + 1
        noted = (int(database_us), middle_us - int(database_us), doubt_us)
        own = ProcessClock(own.process, own.host, own.release, own.started_us, *noted)
        transaction.change(_NOTE, (own.process, own.host, own.release, own.started_us, *noted))
        transaction.change("DELETE FROM clocks WHERE noted_us < ?", (own.noted_us - STOPPED_US,))
        rows = transaction.rows(
            "SELECT process, host, release, started_us, noted_us, ahead_us, doubt_us FROM clocks"
            " WHERE process <> ? ORDER BY started_us, process",
            (own.process,),
        )
        others = tuple(ProcessClock(*row) for row in rows)
    latest = "SELECT at_us FROM entries ORDER BY id DESC LIMIT ?"
    ((last_us,),) = transaction.rows(f"SELECT max(at_us) FROM ({latest}) AS latest", (LATEST_ENTRIES,))  # noqa: S608
    at_us, greatest_us = now_us(), max(greatest_us, last_us or 0)
    return ComparedClocks(at_us, own, others, max(0, greatest_us - at_us), greatest_us)


def running_since(transaction: Transaction) -> dict[str, int]:
    """The processes that have noted their time lately, and when each started."""
    return dict(transaction.rows("SELECT process, started_us FROM clocks"))
