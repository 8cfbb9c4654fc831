"""The options that name a period: a gaming day and its shift, or from when to when."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click
from msgspec import Struct

from punto.floor.database.base import Database
from punto.floor.reports.moments import read_period
from punto.floor.settings.floor_settings import find_settings
from punto.floor.settings.gaming_day import Period


class PeriodWords(Struct, frozen=True):
    """A period as it was typed."""

    since: str | None
    until: str | None
    day: str | None
    shift: int

    def read(self, database: Database) -> Period:
        """The period on this floor, whose gaming day it depends on."""
        gaming_day = database.reading(find_settings).result().gaming_day
        return read_period(gaming_day, self.since, self.until, self.day, self.shift)


def period_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command, which gets them as ``period``."""

    @click.option("--day", help="A gaming day of the floor, such as 2026-11-17.")
    @click.option("--shift", default=0, metavar="N", help="Only this shift of the gaming day, counted from 1.")
    @click.option("--from", "since", help="First gaming day, or start time: the floor's, unless it has an offset.")
    @click.option("--to", "until", help="Last gaming day, or end time (not included).")
    @wraps(command)
    def with_period(since: str | None, until: str | None, day: str | None, shift: int, **others: Any) -> None:
        command(period=PeriodWords(since, until, day, shift), **others)

    return with_period
