"""Commands that are entered later, for example from paper, and say when they happened."""

import re
from datetime import datetime, timedelta

from punto.floor.clock import DAY_US
from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal import streams
from punto.floor.journal.entry import context_of
from punto.floor.journal.streams import Head

MAX_LATE_DAYS = 7
EXAMPLE = "2026-03-01T21:04:05+08:00"
_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)", re.ASCII)
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


def read_moment(text: str) -> int:
    """Unix time in microseconds. The text is RFC 3339 with a zone; refused in any other form."""
    if not _RFC_3339.fullmatch(text):
        raise _bad_form()
    try:
        at_us = (datetime.fromisoformat(text) - _EPOCH) // timedelta(microseconds=1)
    except (ValueError, OverflowError) as error:  # no such day or hour
        raise _bad_form() from error
    return max(at_us, 1)  # 0 would mean that it was not given; anything before 1970 is too long ago in any case


def _bad_form() -> FloorRefused:
    return FloorRefused(FloorCode.BAD_COMMAND, variant="happened_at", example=EXAMPLE)


def check_moment(happened_at_us: int, now_us: int) -> None:
    """Refuse a moment that is in the future or too long ago."""
    if happened_at_us > now_us:
        raise FloorRefused(FloorCode.BAD_COMMAND, variant="happens_later")
    if happened_at_us < now_us - MAX_LATE_DAYS * DAY_US:
        raise FloorRefused(FloorCode.BAD_COMMAND, variant="happened_long_ago", days=MAX_LATE_DAYS)


def check_after_opening(transaction: Transaction, head: Head, happened_at_us: int) -> None:
    """Refuse a moment before the table was opened. The opening may have been entered later too."""
    (opening,) = streams.read(transaction, head, 0, 1)
    if happened_at_us < (context_of(opening).happened_at_us or opening.at_us):
        raise FloorRefused(FloorCode.BAD_COMMAND, variant="happened_before_opening")
