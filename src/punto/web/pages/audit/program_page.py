"""The program at the auditor's desk: what runs, whether it is unchanged, clocks, random numbers, and what is kept."""

from datetime import datetime

from msgspec import Struct

from punto.floor.clock import SECOND_US
from punto.floor.house.positions import MAY_AUDIT
from punto.floor.settings.gaming_day import GamingDay
from punto.web.api.audit.program import ProcessClockView, ProgramView, program_view
from punto.web.http.endpoint import Endpoint, HttpRequest, Raw
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of
from punto.web.pages.base.templates import page

PROGRAM_PATH = "/audit/program"


class ShownClock(Struct, frozen=True):
    process: str
    host: str
    release: str
    started: datetime
    ahead: str
    """In seconds, with a sign; empty if there is nothing to compare it with."""
    doubt: str
    off: bool
    """Whether it differs by more than the floor allows."""


class ProgramPage(PageContext, frozen=True, kw_only=True):
    template = "audit/program.html"
    program: ProgramView
    started: datetime
    checked: datetime | None
    clocks: tuple[ShownClock, ...]
    compared: datetime
    behind_record: str
    """In seconds; empty if it is not behind."""
    random_tested: datetime
    earliest: datetime | None


async def program(call: HttpRequest) -> Raw:
    await call.service.floor.house_log.require(call.by, MAY_AUDIT, "read_program")
    view, day = await program_view(call), await call.service.floor_view.gaming_day()
    clocks = view.clocks
    context = ProgramPage(
        layout=layout_of(call, "audit", PROGRAM_PATH, day.zone),
        program=view,
        started=day.local(view.started_us),
        checked=day.local(view.checked.at_us) if view.checked else None,
        clocks=tuple(_clock(each, day, clocks.most_s) for each in clocks.processes),
        compared=day.local(clocks.compared_us),
        behind_record=_seconds(clocks.behind_record_us) if clocks.behind_record_us else "",
        random_tested=day.local(view.generator.checked_us),
        earliest=None if view.earliest_us is None else day.local(view.earliest_us),
    )
    return await page(context, call.language)


def _clock(clock: ProcessClockView, day: GamingDay, most_s: int) -> ShownClock:
    ahead_us, doubt_us = clock.ahead_us, clock.doubt_us or 0
    return ShownClock(
        process=clock.process,
        host=clock.host,
        release=clock.release,
        started=day.local(clock.started_us),
        ahead="" if ahead_us is None else _seconds(ahead_us, signed=True),
        doubt=_seconds(doubt_us),
        off=ahead_us is not None and 0 < most_s * SECOND_US <= abs(ahead_us) - doubt_us,
    )


def _seconds(us: int, *, signed: bool = False) -> str:
    text = f"{us / SECOND_US:{'+' if signed else ''}.3f}"
    return text.replace("-", "\u2212")


ENDPOINTS = (Endpoint("GET", PROGRAM_PATH, program, "The program that runs, and its clocks", query=PageQuery),)
