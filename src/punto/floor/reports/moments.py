"""How reports write a moment on record, and read a period."""

from datetime import UTC, datetime, timedelta

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.settings.gaming_day import Period

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY_US = timedelta(days=1) // _MICROSECOND


def iso_utc(at_us: int) -> str:
    """ISO 8601 in UTC, to the microsecond."""
    return (
        datetime.fromtimestamp(at_us // 1_000_000, UTC)
        .replace(microsecond=at_us % 1_000_000)
        .isoformat(timespec="microseconds")
    )


def read_period(since: str | None, until: str | None) -> Period:
    """Parse ISO 8601 dates or times, in UTC by default. If ``until`` is a date, that day is included."""
    first_us, last_us = (None if text is None else _moment_us(text) for text in (since, until))
    if last_us is not None and until is not None and "T" not in until and " " not in until:
        last_us += _DAY_US
    if first_us is not None and last_us is not None and first_us >= last_us:
        raise FloorRefused(FloorCode.BAD_PERIOD, variant="empty", since=since, until=until)
    return Period(first_us, last_us)


def _moment_us(text: str) -> int:
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise FloorRefused(FloorCode.BAD_PERIOD, variant="moment", text=text[:40]) from error
    return ((at if at.tzinfo else at.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND
