"""Jobs of a floor, for those who may start them."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from punto.floor.audit.jobs.job_store import AuditJob, JobState
from punto.floor.audit.jobs.jobs import Jobs, JobSource
from punto.floor.audit.kept_heads import KeptHeads
from punto.floor.database import open_database
from punto.floor.journal import streams
from punto.floor.journal.actor import Actor
from punto.floor.journal.audit_events import ExportMade, VerifyEnded
from punto.floor.journal.house_events import HOUSE, read_house_event
from punto.floor.running.floor import Floor
from punto.floor.settings.gaming_day import GamingDay
from punto.table.records.positions import Position
from tests.floor.staff_floor import SetClock
from tests.waiting import DEADLINE_S

AUDE = Actor("aude", Position.AUDITOR)
MAX = Actor("max", Position.PIT_MANAGER)


class Desk:
    """The jobs of one server."""

    def __init__(self, floor: Floor, clock: SetClock, url: str, heads: str, max_bytes: int) -> None:
        self.floor, self.clock = floor, clock
        source = JobSource(db=url, heads=heads, max_bytes=max_bytes)
        self.jobs = Jobs(floor.house_log, source, self._gaming_day)

    async def _gaming_day(self) -> GamingDay:
        return GamingDay()

    async def until(self, job: AuditJob, state: JobState) -> AuditJob:
        """Wait until it has ended, in this state."""

        async def ended() -> AuditJob:
            while (now := await self.jobs.find(AUDE, job.id)).state is JobState.RUNNING:
                await asyncio.sleep(0.01)
            return now

        over = await asyncio.wait_for(ended(), DEADLINE_S)
        assert over.state is state, over
        return over

    async def recorded(self) -> list[tuple[str, VerifyEnded | ExportMade]]:
        """Who, and what, of every verification and export in the house's stream."""
        entries = await self.floor.database.read(
            lambda transaction: streams.read(transaction, streams.head(transaction, HOUSE), 0)
        )
        events = [(entry.actor, read_house_event(entry.event)) for entry in entries]
        return [(by, event) for by, event in events if isinstance(event, VerifyEnded | ExportMade)]


@asynccontextmanager
async def desk(
    url: str, clock: SetClock | None = None, *, heads: str = "", max_bytes: int = 1 << 20
) -> AsyncIterator[Desk]:
    database, clock = open_database(url, create=False), clock or SetClock()
    try:
        floor = await Floor.start(database, clock)
        at = Desk(floor, clock, url, heads, max_bytes)
        try:
            yield at
        finally:
            await at.jobs.close()
    finally:
        await asyncio.to_thread(database.close)


def held_up(folder: Path) -> Path:
    """A file of heads that nobody can read before :func:`let_go`, so that a verification waits."""
    path = folder / "pipe.heads"
    os.mkfifo(path)
    return path


def let_go(pipe: Path) -> None:
    pipe.write_bytes(msgspec.json.encode(KeptHeads("heads.1", 0, {})))
