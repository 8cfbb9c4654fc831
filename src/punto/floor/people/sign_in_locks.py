"""Wrong passwords, counted: by name and address where the address is known, and by name alone.

Otherwise anybody who knows a name could lock its owner out at any time, again and again.
"""

from msgspec import Struct

from punto.floor.clock import SECOND_US
from punto.floor.database.base import Transaction
from punto.floor.people.names import fold

MAX_FAILURES = 5
"""In a row from one address, or from callers whose address is not known."""
MAX_FAILURES_BY_NAME = 50
"""From all addresses together, none of them an hour after the one before."""
LOCKED_S = 15 * 60
PAUSE_S = 3_600
FORGOTTEN_S = 24 * 3_600
"""After how long failures no longer count."""

_BESIDE = "\n"
"""Between a name and an address: no name holds it."""


class _Count(Struct, frozen=True):
    """The failures of a name."""

    key: str
    most: int
    counted_for_s: int
    """So long a failure counts when none follows."""
    failures: int = 0
    locked_until_us: int = 0
    last_us: int = 0


class CountedTry(Struct, frozen=True):
    """A try that was counted, or not: the name was locked."""

    locked_until_us: int
    """By this try or since before; 0: it is not locked."""
    locked_before: bool = False


def count_failure(transaction: Transaction, name: str, address: str, now_us: int) -> CountedTry:
    """Count a failure, unless the name is locked, from this address or from everywhere."""
    transaction.change("DELETE FROM sign_ins WHERE last_us < ?", (now_us - FORGOTTEN_S * SECOND_US,))
    counts = _counts(transaction, name, address)
    until_us = max(count.locked_until_us for count in counts)
    if until_us > now_us:
        return CountedTry(until_us, locked_before=True)
    return CountedTry(max(_one_more(transaction, count, now_us) for count in counts))


def forget_failures(transaction: Transaction, name: str) -> None:
    """Forget the failures of a name from every address."""
    beside = fold(name) + _BESIDE
    sql = "DELETE FROM sign_ins WHERE folded = ? OR substr(folded, 1, ?) = ?"
    transaction.change(sql, (fold(name), len(beside), beside))


def locks(transaction: Transaction) -> dict[str, int]:
    """Until when names are locked, as they are compared; from one address at the least."""
    found: dict[str, int] = {}
    for key, until_us in transaction.rows("SELECT folded, locked_until_us FROM sign_ins WHERE locked_until_us > 0"):
        folded = key.partition(_BESIDE)[0]
        found[folded] = max(found.get(folded, 0), until_us)
    return found


def _counts(transaction: Transaction, name: str, address: str) -> list[_Count]:
    folded = fold(name)
    wanted = [_Count(folded, MAX_FAILURES, FORGOTTEN_S)]
    if address:
        wanted = [
            _Count(f"{folded}{_BESIDE}{address}", MAX_FAILURES, FORGOTTEN_S),
            _Count(f"{folded}{_BESIDE}", MAX_FAILURES_BY_NAME, PAUSE_S),
        ]
    sql = "SELECT failures, locked_until_us, last_us FROM sign_ins WHERE folded = ?"
    found = [transaction.rows(sql, (count.key,)) for count in wanted]
    return [
        _Count(count.key, count.most, count.counted_for_s, *(rows[0] if rows else ()))
        for count, rows in zip(wanted, found, strict=True)
    ]


def _one_more(transaction: Transaction, count: _Count, now_us: int) -> int:
    """Until when the name is locked now; 0: it is not."""
    counts = now_us - count.last_us < count.counted_for_s * SECOND_US
    number = (count.failures % count.most if counts else 0) + 1  # a lock that is over leaves nothing behind
    until_us = now_us + LOCKED_S * SECOND_US if number == count.most else 0
    transaction.change(
        "INSERT INTO sign_ins (folded, failures, locked_until_us, last_us) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (folded) DO UPDATE SET failures = excluded.failures,"
        " locked_until_us = excluded.locked_until_us, last_us = excluded.last_us",
        (count.key, number, until_us, now_us),
    )
    return until_us
