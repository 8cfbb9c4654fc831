"""The shifts of a gaming day in the forms of pages."""

from punto.floor.settings.gaming_day import GamingDay
from punto.web.pages.base.i18n import Translator


def shift_number(text: str) -> int:
    """What a form sends for a shift; 0, the whole day, for anything that is no number."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0


def name_shifts(gaming_day: GamingDay, t: Translator) -> tuple[tuple[int, str], ...]:
    """The numbers of the shifts, and their names with their hours."""
    starts = gaming_day.shifts
    ends = (*starts[1:], starts[0])
    return tuple(
        (at, t("reports.shift_hours", shift=at, start=start, end=end))
        for at, (start, end) in enumerate(zip(starts, ends, strict=True), 1)
    )
