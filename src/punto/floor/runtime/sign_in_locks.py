"""Counts wrong passwords for each name and address, with a higher limit for the name alone.

With a count by name only, anybody who knows a name could lock its owner out. A device that has signed in before is
counted on its own: no failures of others lock it.
"""

from msgspec import Struct

from punto.floor.clock import SECOND_US
from punto.floor.database.base import Transaction
from punto.floor.names.names import fold

MAX_FAILURES = 5
"""In a row from one address, or from all unknown addresses."""
MAX_FAILURES_BY_NAME = 50
"""In a row from all addresses together, each within `PAUSE_S` of the one before."""
MAX_WRONG_PINS = 10
"""In a row at all terminals together, each within `PAUSE_S` of the one before. A right one is taken out again."""
LOCKED_S = 15 * 60
PAUSE_S = 3_600
FORGOTTEN_S = 24 * 3_600
"""Failures older than this no longer count."""

_SEPARATOR = "\n"
"""Between name and address or device. No name contains it."""


class _Count(Struct, frozen=True):
    """The failures under one key: a folded name, or one with an address or a device."""

    name: str
    key: str
    limit: int
    counted_for_s: int
    """How long a failure counts if no other follows."""
    failures: int = 0
    locked_until_us: int = 0
    last_us: int = 0


class CountedTry(Struct, frozen=True):
    """The result of a try. It is not counted if the name was already locked."""

    locked_until_us: int
    """Unix time in microseconds; 0 if not locked."""
    locked_before: bool = False
    everywhere_us: int = 0
    """Of a PIN: until when this try locks it at all terminals; 0 if it does not."""


def count_failure(transaction: Transaction, name: str, address: str, now_us: int, device: str = "") -> CountedTry:
    """Count a failure, unless the name is locked for this address or for all.

    For a ``device`` that has signed in before, only its own failures count.
    """
    transaction.change("DELETE FROM sign_ins WHERE last_us < ?", (now_us - FORGOTTEN_S * SECOND_US,))
    counts = _counts(transaction, name, address, device)
    until_us = max(count.locked_until_us for count in counts)
    if until_us > now_us:
        return CountedTry(until_us, locked_before=True)
    return CountedTry(max(_increment(transaction, count, now_us) for count in counts))


def count_wrong_pin(transaction: Transaction, name: str, terminal: str, now_us: int) -> CountedTry:
    """Like :func:`count_failure`, for a PIN: by name and terminal, and by name. Right passwords do not reset it."""
    counts = [_read(transaction, count) for count in _pin_counts(name, terminal)]
    until_us = max(count.locked_until_us for count in counts)
    if until_us > now_us:
        return CountedTry(until_us, locked_before=True)
    here_us, everywhere_us = (_increment(transaction, count, now_us) for count in counts)
    return CountedTry(max(here_us, everywhere_us), everywhere_us=everywhere_us)


def forget_wrong_pins(transaction: Transaction, name: str, terminal: str, counted: CountedTry) -> None:
    """After a right PIN: no wrong one counts at this terminal. Those elsewhere still count, without this try."""
    here, everywhere = _pin_counts(name, terminal)
    transaction.change("DELETE FROM sign_ins WHERE folded = ?", (here.key,))
    transaction.change(
        "UPDATE sign_ins SET failures = failures - 1,"
        " locked_until_us = CASE WHEN locked_until_us = ? THEN 0 ELSE locked_until_us END"
        " WHERE folded = ? AND failures > 0",
        (counted.everywhere_us or -1, everywhere.key),
    )


def _pin_counts(name: str, terminal: str) -> tuple[_Count, _Count]:
    """At one terminal, and at all of them."""
    pins = f"{fold(name)}{_SEPARATOR}pin"
    return (
        _Count(pins, f"{pins}{_SEPARATOR}{terminal}", MAX_FAILURES, FORGOTTEN_S),
        _Count(pins, pins, MAX_WRONG_PINS, PAUSE_S),
    )


def forget_failures(transaction: Transaction, name: str) -> None:
    """Delete the failures of a name from every address and device."""
    transaction.change("DELETE FROM sign_ins WHERE name = ?", (fold(name),))


def forget_failures_of(transaction: Transaction, name: str, device: str) -> None:
    """Delete the failures of a name from one device."""
    transaction.change("DELETE FROM sign_ins WHERE folded = ?", (f"{fold(name)}{_SEPARATOR}{device}",))


def locks(transaction: Transaction) -> dict[str, int]:
    """Folded name to the end of its latest lock, for at least one address or device."""
    sql = "SELECT name, max(locked_until_us) FROM sign_ins WHERE locked_until_us > 0 GROUP BY name"
    return dict(transaction.rows(sql))


def _counts(transaction: Transaction, name: str, address: str, device: str) -> list[_Count]:
    folded = fold(name)
    if device:
        wanted = [_Count(folded, f"{folded}{_SEPARATOR}{device}", MAX_FAILURES, FORGOTTEN_S)]
    elif address:
        wanted = [
            _Count(folded, f"{folded}{_SEPARATOR}{address}", MAX_FAILURES, FORGOTTEN_S),
            _Count(folded, f"{folded}{_SEPARATOR}", MAX_FAILURES_BY_NAME, PAUSE_S),
        ]
    else:
        wanted = [_Count(folded, folded, MAX_FAILURES, FORGOTTEN_S)]
    return [_read(transaction, count) for count in wanted]


def _read(transaction: Transaction, count: _Count) -> _Count:
    sql = "SELECT failures, locked_until_us, last_us FROM sign_ins WHERE folded = ?"
    rows = transaction.rows(sql, (count.key,))
    return _Count(count.name, count.key, count.limit, count.counted_for_s, *(rows[0] if rows else ()))


def _increment(transaction: Transaction, count: _Count, now_us: int) -> int:
    """Count one failure; return until when the name is now locked, 0 if not."""
    counts = now_us - count.last_us < count.counted_for_s * SECOND_US
    number = (count.failures % count.limit if counts else 0) + 1  # after a lock the count starts again
    until_us = now_us + LOCKED_S * SECOND_US if number == count.limit else 0
    transaction.change(
        "INSERT INTO sign_ins (folded, name, failures, locked_until_us, last_us) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (folded) DO UPDATE SET failures = excluded.failures,"
        " locked_until_us = excluded.locked_until_us, last_us = excluded.last_us",
        (count.key, count.name, number, until_us, now_us),
    )
    return until_us
