"""Verifications, exports and the heads kept elsewhere, at the auditor's desk. Progress comes live."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from markupsafe import Markup
from msgspec import Struct

from punto.catalogue.sentence import Language
from punto.floor.audit.faults import Fault, FaultCode
from punto.floor.audit.head_copies import HeadCopies
from punto.floor.audit.jobs.job_store import AuditJob, JobState, VerifySummary
from punto.floor.audit.jobs.jobs import MAX_FILE_BYTES
from punto.floor.house.positions import MAY_AUDIT
from punto.floor.journal.actor import Actor
from punto.floor.people import floor_facts
from punto.floor.reports.export import What
from punto.floor.reports.file_formats import Format
from punto.floor.settings.gaming_day import GamingDay
from punto.web.api.audit.jobs import file_name
from punto.web.http.context import Service
from punto.web.http.endpoint import Endpoint, HttpRequest, Raw
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of
from punto.web.pages.base.templates import Context, compile_templates, page, render, rendered
from punto.web.pages.live.floor_signal import Changed

JOBS_PATH = "/audit/jobs"
BYTES_A_KB, BYTES_A_MB = 1_000, 1_000_000
_OF_LISTS = frozenset({FaultCode.ROUNDS_DIFFER, FaultCode.SEALS_DIFFER})
"""Faults of tables that `punto rebuild` makes again from the journal."""


class Remedy(StrEnum):
    """What to do about a fault."""

    REBUILD = "rebuild"
    REPORT = "report"


class ShownFault(Struct, frozen=True):
    fault: Fault
    remedy: Remedy


class ShownJob(Struct, frozen=True):
    job: AuditJob
    at: datetime
    ended: datetime | None
    since: datetime | None
    """Of the period of an export, as the next."""
    until: datetime | None
    problem: str
    """Why it failed; empty if that is not known."""
    file: str
    """The name of its file; empty if it has none."""

    @property
    def runs(self) -> bool:
        return self.job.state is JobState.RUNNING

    @property
    def verified(self) -> VerifySummary | None:
        return self.job.result.verified

    @property
    def size(self) -> str:
        size = self.job.result.exported.size if self.job.result.exported else 0
        return f"{size / BYTES_A_KB:,.0f} kB" if size < BYTES_A_MB else f"{size / BYTES_A_MB:,.1f} MB"


class ShownHeads(Struct, frozen=True):
    place: str
    every_s: int
    copied: datetime | None
    fault: str
    contradicted: tuple[str, ...]


class VerifyPiece(Context, frozen=True, kw_only=True):
    template = "audit/jobs/verify.html"
    running: ShownJob | None
    last: ShownJob | None
    """The last one that has a result."""
    unfinished: ShownJob | None
    """A later one, if the newest of all ended without a result."""
    faults: tuple[ShownFault, ...]
    earlier: tuple[ShownJob, ...]


class HeadsPiece(Context, frozen=True, kw_only=True):
    template = "audit/jobs/heads.html"
    heads: ShownHeads | None


class ExportsPiece(Context, frozen=True, kw_only=True):
    template = "audit/jobs/exports.html"
    exports: tuple[ShownJob, ...]


class JobsPage(PageContext, frozen=True, kw_only=True):
    template = "audit/jobs.html"
    pieces: dict[str, Markup]
    whats: tuple[What, ...]
    formats: tuple[Format, ...]
    day: str
    """The last gaming day that is over."""
    daily: bool
    """Whether the server verifies by itself."""
    most: str
    """The size that a file can have."""
    live: str


class JobsScreen:
    def __init__(self, service: Service) -> None:
        self._service = service

    def changed(self) -> Changed:
        """Jobs of other servers are only seen in the database, so look again after a while."""
        return lambda: asyncio.sleep(floor_facts.REFRESH_S)

    async def pieces(self, actor: Actor | None, query: Mapping[str, str], language: Language) -> dict[str, str]:  # noqa: ARG002 - the page has none
        if actor is None or actor.position not in MAY_AUDIT:
            return {}
        return await self.draw(actor, language)

    async def draw(self, by: Actor, language: Language) -> dict[str, str]:
        """The HTML of each piece, by the id of its element."""
        found = await self._service.jobs.list(by)
        gaming_day = await self._service.floor_view.gaming_day()
        await compile_templates(VerifyPiece, HeadsPiece, ExportsPiece)
        verifications = [_shown(job, gaming_day, language) for job in found.verifications]
        exports = tuple(_shown(job, gaming_day, language) for job in found.exports)
        return {
            "verify": render(_verify_piece(verifications), language),
            "heads": render(HeadsPiece(heads=_heads(self._service.head_copies, gaming_day)), language),
            "exports": render(ExportsPiece(exports=exports), language),
        }


def _shown(job: AuditJob, gaming_day: GamingDay, language: Language) -> ShownJob:
    period = job.export.period if job.export else None
    return ShownJob(
        job=job,
        at=gaming_day.local(job.at_us),
        ended=gaming_day.local(job.ended_us) if job.ended_us else None,
        since=gaming_day.local(period.since_us) if period and period.since_us is not None else None,
        until=gaming_day.local(period.until_us) if period and period.until_us is not None else None,
        problem=job.result.problem[language] if job.result.problem else "",
        file=file_name(job) if job.file_until_us else "",
    )


def _verify_piece(verifications: Sequence[ShownJob]) -> VerifyPiece:
    running = next((each for each in verifications if each.runs), None)
    last = next((each for each in verifications if each.verified), None)
    newest = verifications[0] if verifications else None
    unfinished = newest if newest not in (running, last) else None
    faults = last.verified.faults if last and last.verified else ()
    return VerifyPiece(
        running=running,
        last=last,
        unfinished=unfinished,
        faults=tuple(ShownFault(fault, _remedy(fault)) for fault in faults),
        earlier=tuple(each for each in verifications if each not in (running, last, unfinished)),
    )


def _remedy(fault: Fault) -> Remedy:
    return Remedy.REBUILD if fault.code in _OF_LISTS else Remedy.REPORT


def _heads(copies: HeadCopies | None, gaming_day: GamingDay) -> ShownHeads | None:
    if copies is None:
        return None
    copied = gaming_day.local(copies.copied_us) if copies.copied_us else None
    return ShownHeads(copies.place, copies.every_s, copied, copies.fault, copies.contradicted)


def endpoints(screen: JobsScreen) -> list[Endpoint]:
    async def jobs(call: HttpRequest) -> Raw:
        pieces = await screen.draw(call.by, call.language)
        gaming_day = await call.service.floor_view.gaming_day()
        yesterday = gaming_day.day_of(call.service.floor.clock.now_us()) - timedelta(days=1)
        context = JobsPage(
            layout=layout_of(call, "audit", JOBS_PATH, gaming_day.zone),
            pieces={name: rendered(html) for name, html in pieces.items()},
            whats=tuple(What),
            formats=tuple(Format),
            day=yesterday.isoformat(),
            daily=call.service.config.verify_daily,
            most=f"{MAX_FILE_BYTES // BYTES_A_MB:,} MB",
            live=f"/live{JOBS_PATH}?lang={call.language}",
        )
        return await page(context, call.language)

    return [Endpoint("GET", JOBS_PATH, jobs, "Verifications, exports and heads kept elsewhere", query=PageQuery)]
