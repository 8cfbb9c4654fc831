"""The gaming day of a floor and its shifts, in the floor's own time."""

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from msgspec import Struct

from punto.floor.errors import FloorCode, FloorRefused

FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(9998, 12, 31)
"""Days that every zone can count. Nothing on record is from before 1970."""
_DAY = timedelta(days=1)
_MICROSECOND = timedelta(microseconds=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Period(Struct, frozen=True):
    """From ``since_us`` up to but not including ``until_us``; None for no limit."""

    since_us: int | None = None
    until_us: int | None = None

    def contains(self, at_us: int) -> bool:
        return (self.since_us is None or self.since_us <= at_us) and (self.until_us is None or at_us < self.until_us)


class DayPart(Struct, frozen=True):
    """A gaming day, or one of its shifts."""

    day: date
    shift: int = 0
    """Counted from 1; 0 for the whole day."""


class GamingDay(Struct, frozen=True, forbid_unknown_fields=True):
    """Days and shifts follow each other without gap or overlap, whatever the clocks of the zone do.

    A start that the clocks skip is when they skip it; one that they show twice is the first time.
    """

    zone: str = "Asia/Singapore"
    """A name of the IANA time zone database."""
    starts: str = "08:00"
    shifts: tuple[str, ...] = ("08:00", "16:00", "00:00")
    """When each shift starts, the first one with the day. It runs to the start of the next."""

    def local(self, at_us: int) -> datetime:
        """The date and time that the clocks of the floor show."""
        return datetime.fromtimestamp(at_us // 1_000_000, ZoneInfo(self.zone)).replace(microsecond=at_us % 1_000_000)

    def day_of(self, at_us: int) -> date:
        """The gaming day of a moment: before the day's hour it is still the one before."""
        day = self.local(at_us).date() + _DAY  # clocks that are set back can show the date before again
        while _starts_us(self, day)[0] > at_us:
            day -= _DAY
        return day

    def shift_of(self, at_us: int) -> int:
        return self.part_of(at_us).shift

    def part_of(self, at_us: int) -> DayPart:
        """The gaming day of a moment and its shift."""
        day = self.day_of(at_us)
        return DayPart(day, sum(start_us <= at_us for start_us in _starts_us(self, day)))

    def period(self, day: date, shift: int = 0) -> Period:
        """The whole day, or one of its shifts."""
        _require_countable(day)
        if not 0 <= shift <= len(self.shifts):
            raise FloorRefused(FloorCode.BAD_PERIOD, variant="shift", shift=shift, most=len(self.shifts))
        ends_us = (*_starts_us(self, day), _starts_us(self, day + _DAY)[0])
        return Period(ends_us[0], ends_us[-1]) if shift == 0 else Period(ends_us[shift - 1], ends_us[shift])

    def moment_us(self, shown: datetime) -> int:
        """When the clocks of the floor show a time. The time has no zone of its own."""
        _require_countable(shown.date())
        return _first_us(self.zone, shown)


def clock_time(text: str) -> time | None:
    """Parse an hour such as 08:00; None for any other text."""
    try:
        at = time.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo is None and at.isoformat("minutes") == text else None


@lru_cache(512)
def _starts_us(gaming_day: GamingDay, day: date) -> tuple[int, ...]:
    """When the shifts of a day start. One that starts before the hour of the day is on the next date."""
    hours = [time.fromisoformat(text) for text in (gaming_day.starts, *gaming_day.shifts[1:])]
    return tuple(
        _first_us(gaming_day.zone, datetime.combine(day if hour >= hours[0] else day + _DAY, hour)) for hour in hours
    )


def _first_us(zone: str, shown: datetime) -> int:
    """When the clocks of a zone first show this time; if they skip it, when they do."""
    clocks = ZoneInfo(zone)

    def shows_us(fold: int) -> int:
        return (shown.replace(tzinfo=clocks, fold=fold) - _EPOCH) // _MICROSECOND

    def is_past(at_us: int) -> bool:
        return (_EPOCH + at_us * _MICROSECOND).astimezone(clocks).replace(tzinfo=None) >= shown

    before_us, after_us = shows_us(1), shows_us(0)
    if before_us >= after_us:
        return after_us
    while after_us - before_us > 1:  # they skip it: with the offset from before the skip it is after it
        middle_us = (before_us + after_us) // 2
        before_us, after_us = (before_us, middle_us) if is_past(middle_us) else (middle_us, after_us)
    return after_us


def _require_countable(day: date) -> None:
    if not FIRST_DAY <= day <= LAST_DAY:
        raise FloorRefused(FloorCode.BAD_PERIOD, variant="moment", text=day.isoformat())
