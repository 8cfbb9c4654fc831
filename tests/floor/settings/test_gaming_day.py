"""Gaming days and shifts, also where clocks are set forward or back."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.settings.floor_settings import FloorSettings, check_settings
from punto.floor.settings.gaming_day import FIRST_DAY, LAST_DAY, DayPart, GamingDay, Period
from tests.lanes import examples

HOUR_US = 3_600_000_000
DAY_US = 24 * HOUR_US
USUAL = GamingDay()
BERLIN = GamingDay("Europe/Berlin", "06:00", ("06:00", "14:00", "22:00"))
ZONES = (
    "Asia/Singapore",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kathmandu",  # 5:45 ahead
    "Australia/Lord_Howe",  # set by half an hour
    "America/St_Johns",  # set at 00:01 until 2011
    "America/Havana",  # set at midnight
    "Africa/Casablanca",  # set back for Ramadan
    "Pacific/Apia",  # skipped 30 December 2011
    "Antarctica/Troll",  # set by two hours
)


def at_us(text: str, zone: str = "Asia/Singapore") -> int:
    at = datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def length_us(period: Period) -> int:
    assert period.since_us is not None
    assert period.until_us is not None
    return period.until_us - period.since_us


def test_the_usual_day_runs_from_eight_to_eight_in_singapore() -> None:
    day = USUAL.period(date(2026, 11, 17))
    assert day == Period(at_us("2026-11-17T08:00"), at_us("2026-11-18T08:00"))
    assert USUAL.period(date(2026, 11, 17), 3) == Period(at_us("2026-11-18T00:00"), at_us("2026-11-18T08:00"))
    assert day.since_us == at_us("2026-11-17T00:00", "UTC")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("2026-11-17T08:00", DayPart(date(2026, 11, 17), 1)),
        ("2026-11-17T15:59:59.999999", DayPart(date(2026, 11, 17), 1)),
        ("2026-11-17T16:00", DayPart(date(2026, 11, 17), 2)),
        ("2026-11-17T23:59:59.999999", DayPart(date(2026, 11, 17), 2)),
        ("2026-11-18T00:00", DayPart(date(2026, 11, 17), 3)),
        ("2026-11-18T07:59:59.999999", DayPart(date(2026, 11, 17), 3)),
        ("2027-01-01T03:00", DayPart(date(2026, 12, 31), 3)),
        ("2027-01-01T08:00", DayPart(date(2027, 1, 1), 1)),
        ("2028-02-29T12:00", DayPart(date(2028, 2, 29), 1)),
    ],
)
def test_a_moment_belongs_to_one_day_and_shift(text: str, part: DayPart) -> None:
    at = at_us(text)
    assert USUAL.part_of(at) == part
    assert (USUAL.day_of(at), USUAL.shift_of(at)) == (part.day, part.shift)
    assert USUAL.local(at).isoformat().startswith(text)


def test_a_day_can_start_at_midnight_and_have_one_shift() -> None:
    midnight = GamingDay("Asia/Singapore", "00:00", ("00:00",))
    assert midnight.part_of(at_us("2026-12-31T23:59")) == DayPart(date(2026, 12, 31), 1)
    assert midnight.part_of(at_us("2027-01-01T00:00")) == DayPart(date(2027, 1, 1), 1)
    assert midnight.period(date(2027, 1, 1), 1) == midnight.period(date(2027, 1, 1))


def test_where_clocks_change_a_day_has_23_or_25_hours() -> None:
    lengths = {day: length_us(BERLIN.period(date(2026, *day))) // HOUR_US for day in ((3, 28), (3, 29), (10, 24))}
    assert lengths == {(3, 28): 23, (3, 29): 24, (10, 24): 25}
    assert length_us(BERLIN.period(date(2026, 10, 24), 3)) == 9 * HOUR_US
    assert length_us(BERLIN.period(date(2026, 10, 24), 2)) == 8 * HOUR_US


def test_a_shift_that_the_clocks_skip_starts_when_they_do() -> None:
    day = GamingDay("Europe/Berlin", "06:00", ("06:00", "02:30", "03:00"))
    skipped = at_us("2026-03-29T01:00", "UTC")
    periods = [day.period(date(2026, 3, 28), shift) for shift in (1, 2, 3)]
    assert periods[1] == Period(skipped, skipped)
    assert periods[2] == Period(skipped, at_us("2026-03-29T06:00", "Europe/Berlin"))
    assert day.shift_of(skipped - 1) == 1
    assert day.shift_of(skipped) == 3


def test_a_shift_whose_start_comes_twice_starts_the_first_time() -> None:
    day = GamingDay("Europe/Berlin", "06:00", ("06:00", "02:30"))
    first = at_us("2026-10-25T00:30", "UTC")
    assert day.period(date(2026, 10, 24), 2).since_us == first
    assert [day.shift_of(at) for at in (first - 1, first, first + HOUR_US // 2, first + HOUR_US)] == [1, 2, 2, 2]


def test_a_date_that_a_zone_skipped_is_short_or_empty() -> None:
    apia = GamingDay("Pacific/Apia", "00:00", ("00:00",))
    assert length_us(apia.period(date(2011, 12, 30))) == 0
    assert apia.day_of(at_us("2011-12-31T00:00", "Pacific/Apia")) == date(2011, 12, 31)
    assert apia.day_of(at_us("2011-12-31T00:00", "Pacific/Apia") - 1) == date(2011, 12, 29)


def test_clocks_set_back_over_midnight_stay_on_the_day_that_has_begun() -> None:
    day = GamingDay("America/St_Johns", "00:00", ("00:00",))
    begun = at_us("2010-11-07T00:00", "America/St_Johns")
    assert day.local(begun + 2 * HOUR_US // 60).date() == date(2010, 11, 6)
    assert day.day_of(begun + 2 * HOUR_US // 60) == date(2010, 11, 7)


@st.composite
def gaming_days(draw: st.DrawFn) -> GamingDay:
    quarters = draw(st.lists(st.integers(0, 95), min_size=1, max_size=6, unique=True))
    hours = sorted(f"{quarter // 4:02}:{quarter % 4 * 15:02}" for quarter in quarters)
    turn = draw(st.integers(0, len(hours) - 1))
    shifts = (*hours[turn:], *hours[:turn])
    return GamingDay(draw(st.sampled_from(ZONES)), shifts[0], shifts)


@settings(max_examples=examples(200), deadline=None)
@given(gaming_days(), st.dates(date(2005, 1, 1), date(2037, 12, 20)))
def test_days_and_shifts_follow_each_other_without_gap_or_overlap(day: GamingDay, first: date) -> None:
    check_settings(FloorSettings(gaming_day=day))
    days = [first + timedelta(days=n) for n in range(4)]
    wholes = [day.period(each) for each in days]
    parts = [[day.period(each, shift) for shift in range(1, len(day.shifts) + 1)] for each in days]
    for whole, shifts in zip(wholes, parts, strict=True):
        assert (shifts[0].since_us, shifts[-1].until_us) == (whole.since_us, whole.until_us)
    for before, after in pairwise([shift for shifts in parts for shift in shifts]):
        assert before.until_us == after.since_us
        assert length_us(before) >= 0


@settings(max_examples=examples(200), deadline=None)
@given(gaming_days(), st.integers(at_us("2005-01-01"), at_us("2037-12-20")))
def test_every_moment_is_in_its_own_day_and_shift(day: GamingDay, at: int) -> None:
    part = day.part_of(at)
    assert day.period(part.day).contains(at)
    assert day.period(part.day, part.shift).contains(at)
    assert abs(day.local(at).date() - part.day) <= timedelta(days=2)


@pytest.mark.parametrize("day", [FIRST_DAY, LAST_DAY])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])
def test_all_days_that_can_be_written_can_be_counted(day: date, zone: str) -> None:
    assert length_us(GamingDay(zone).period(day)) == DAY_US


@pytest.mark.parametrize(
    ("day", "shift", "variant"),
    [
        (FIRST_DAY - timedelta(days=1), 0, "moment"),
        (date.min, 0, "moment"),
        (date.max, 0, "moment"),
        (date(2026, 11, 17), 4, "shift"),
        (date(2026, 11, 17), -1, "shift"),
    ],
)
def test_other_days_and_shifts_are_refused(day: date, shift: int, variant: str) -> None:
    with pytest.raises(FloorRefused) as refused:
        USUAL.period(day, shift)
    assert (refused.value.code, refused.value.refusal.variant) == (FloorCode.BAD_PERIOD, variant)
    assert refused.value.message
