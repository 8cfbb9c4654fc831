"""Checks whether the files of the running program are still those it started from."""

import asyncio
import logging

from msgspec import Struct

from punto.floor.errors import FloorRefused
from punto.floor.journal.actor import THE_HOUSE, AnyActor
from punto.floor.journal.audit_events import ProgramChecked
from punto.floor.running.build import changed_files, changed_package_files, digest_of, program_files
from punto.floor.running.floor import Floor

CHECK_EVERY_S = 86_400.0
CHECK_AGAIN_S = 60.0
"""If the database did not answer."""
MAX_CHANGED = 20
_LOG = logging.getLogger(__name__)


class ProgramCheck(Struct, frozen=True):
    at_us: int
    by: str
    build: str
    settings: str
    changed: tuple[str, ...]
    """At most ``MAX_CHANGED`` files."""

    @property
    def same(self) -> bool:
        return not self.changed


class Program:
    """Checks the files of this process every day and on demand. Every check is in the house's stream."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._checking = asyncio.Lock()
        self.last: ProgramCheck | None = None
        """The last check of this process; None before the first."""

    async def run(self) -> None:
        wait_s = CHECK_EVERY_S
        while True:
            await self._floor.clock.sleep(wait_s)
            try:
                await self.check(THE_HOUSE)
            except FloorRefused as refused:
                _LOG.warning("the check of the program is not on record: %s", refused.message)
                wait_s = CHECK_AGAIN_S
            else:
                wait_s = CHECK_EVERY_S

    async def check(self, by: AnyActor) -> ProgramCheck:
        """Read all files again and compare. A second person waits for the first, and gets a check of their own."""
        async with self._checking:
            build, changed = await asyncio.to_thread(_compare)
            settings = await self._floor.configuration()
            checked = ProgramCheck(self._floor.clock.now_us(), by.name, build, settings, tuple(changed[:MAX_CHANGED]))
            if changed:
                _LOG.error("the files of the program have changed", extra={"fields": {"changed": checked.changed}})
            event = ProgramChecked(self._floor.process, build, settings, checked.same, checked.changed)
            await self._floor.house_log.write(by, event)
            self.last = checked
        return checked


def _compare() -> tuple[str, list[str]]:
    files = program_files()
    return digest_of(files), [*changed_files(files), *changed_package_files()]
