"""How reports write a moment on record, and read a period."""

from datetime import UTC, date, datetime, timedelta

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.settings.gaming_day import GamingDay, Period

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def iso_utc(at_us: int) -> str:
    """ISO 8601 in UTC, to the microsecond."""
    return (
        datetime.fromtimestamp(at_us // 1_000_000, UTC)
        .replace(microsecond=at_us % 1_000_000)
        .isoformat(timespec="microseconds")
    )


def read_period(
    gaming_day: GamingDay, since: str | None = None, until: str | None = None, day: str | None = None, shift: int = 0
) -> Period:
    """Parse a gaming day and its shift, or two ends in ISO 8601.

    A date is a gaming day; if ``until`` is one, it is included. A time is the floor's unless it has an offset.
    """
    if day is not None:
        if since is not None or until is not None:
            raise FloorRefused(FloorCode.BAD_PERIOD, variant="both")
        return gaming_day.period(read_date(day), shift)
    if shift:
        raise FloorRefused(FloorCode.BAD_PERIOD, variant="no_day")
    first, last = (None if text is None else _read_ends(gaming_day, text) for text in (since, until))
    since_us, until_us = first and first[0], last and last[1]
    if since_us is not None and until_us is not None and since_us >= until_us:
        raise FloorRefused(FloorCode.BAD_PERIOD, variant="empty", since=since, until=until)
    return Period(since_us, until_us)


def _read_ends(gaming_day: GamingDay, text: str) -> tuple[int | None, int | None]:
    """Where the gaming day of a date starts and ends; a moment starts and ends there."""
    if "T" not in text and " " not in text:
        period = gaming_day.period(read_date(text))
        return period.since_us, period.until_us
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise _not_a_moment(text) from error
    at_us = (at - _EPOCH) // _MICROSECOND if at.tzinfo else gaming_day.moment_us(at)
    return at_us, at_us


def read_date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise _not_a_moment(text) from error


def _not_a_moment(text: str) -> FloorRefused:
    return FloorRefused(FloorCode.BAD_PERIOD, variant="moment", text=text[:40])
