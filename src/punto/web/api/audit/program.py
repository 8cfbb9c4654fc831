"""For auditors: which program runs, whether its files are unchanged, and how its clocks differ."""

import punto
from punto.floor.database.base import Transaction
from punto.floor.database.schema import VERSION
from punto.floor.house.positions import MAY_AUDIT
from punto.floor.running.build import packages
from punto.floor.running.program import ProgramCheck
from punto.floor.runtime.clocks import ComparedClocks, ProcessClock
from punto.table.revision import REVISION
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest
from punto.web.messages import Message


class ProgramCheckView(Message, frozen=True):
    """A comparison of the files with those that the process started from."""

    at_us: int
    by: str
    build: str
    """The digest of the program's files then."""
    settings: str
    """The digest of the configuration then."""
    same: bool
    changed: tuple[str, ...]
    """The files that differ; of many, the first."""


class ProcessClockView(Message, frozen=True):
    """A process of the floor and its clock."""

    process: str
    host: str
    release: str
    started_us: int
    ahead_us: int | None
    """How far it is ahead of the database's clock; null if the database has none of its own."""
    doubt_us: int | None
    """The difference may be so much larger or smaller."""


class ClocksView(Message, frozen=True):
    compared_us: int
    most_s: int
    """An alarm rings from this difference on; 0: never."""
    processes: tuple[ProcessClockView, ...]
    """This one first."""
    behind_record_us: int
    """How far the clock of this process is behind the last entry."""


class GeneratorView(Message, frozen=True):
    """The last test of the random numbers, at the start of the process or before a shoe was shuffled."""

    checked_us: int
    fault: str
    """The test that failed; empty if none did. Then virtual tables are out of play until the next start."""


class ProgramView(Message, frozen=True):
    """The process that answers, and the floor that it runs."""

    release: str
    revision: int
    """Of the engine's decisions."""
    schema: int
    """Of the database."""
    laws: dict[str, str]
    """By book, the hash of its law."""
    build: str
    """The digest of the program's files when the process started, as `punto digest` computes it."""
    packages_digest: str
    packages: dict[str, str]
    """By package that the program needs: its version and the digest of what its wheel contains."""
    settings_at_start: str
    settings: str
    """The digest of the configuration now. Every change of it is in the house's stream."""
    process: str
    user: str
    """The user of the operating system who started the process."""
    host: str
    started_us: int
    checked: ProgramCheckView | None
    """The last check of this process; null before the first."""
    clocks: ClocksView
    generator: GeneratorView
    earliest_us: int | None
    """The time of the first entry on record; null if there is none."""


async def get(call: HttpRequest) -> ProgramView:
    await call.service.floor.house_log.require(call.by, MAY_AUDIT, "read_program")
    return await program_view(call)


async def check(call: HttpRequest) -> ProgramView:
    await call.service.floor.house_log.require(call.by, MAY_AUDIT, "check_program")
    await call.service.program.check(call.by)
    return await program_view(call)


async def program_view(call: HttpRequest) -> ProgramView:
    service, floor = call.service, call.service.floor
    started, last = floor.started, service.program.last
    return ProgramView(
        release=punto.__version__,
        revision=REVISION,
        schema=VERSION,
        laws=started.laws,
        build=started.build,
        packages_digest=started.packages,
        packages=packages(),
        settings_at_start=started.settings,
        settings=await floor.configuration(),
        process=floor.process,
        user=started.user,
        host=started.host,
        started_us=floor.started_us,
        checked=None if last is None else _check_view(last),
        clocks=_clocks_view(service.clock_watch.last, (await service.floor_view.settings()).alarms.clock_differs_s),
        generator=GeneratorView(checked_us=floor.generator.checked_us, fault=floor.generator.fault or ""),
        earliest_us=await floor.database.read(_earliest_us),
    )


def _earliest_us(transaction: Transaction) -> int | None:
    rows = transaction.rows("SELECT at_us FROM entries ORDER BY id LIMIT 1")
    return int(rows[0][0]) if rows else None


def _check_view(check: ProgramCheck) -> ProgramCheckView:
    return ProgramCheckView(
        at_us=check.at_us,
        by=check.by,
        build=check.build,
        settings=check.settings,
        same=check.same,
        changed=check.changed,
    )


def _clocks_view(clocks: ComparedClocks, most_s: int) -> ClocksView:
    return ClocksView(
        compared_us=clocks.at_us,
        most_s=most_s,
        processes=tuple(map(_clock_view, (clocks.own, *clocks.others))),
        behind_record_us=clocks.behind_record_us,
    )


def _clock_view(clock: ProcessClock) -> ProcessClockView:
    return ProcessClockView(
        process=clock.process,
        host=clock.host,
        release=clock.release,
        started_us=clock.started_us,
        ahead_us=clock.ahead_us if clock.noted_us else None,
        doubt_us=clock.doubt_us if clock.noted_us else None,
    )


ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/program",
        get,
        "Get which program runs, its last check, the clocks of all processes, and the generator",
        ProgramView,
        tag="audit",
    ),
    Endpoint(
        "POST",
        "/api/program/check",
        check,
        "Compare the files of the program with those that it started from",
        ProgramView,
        cost=EXPENSIVE,
        tag="audit",
    ),
)
