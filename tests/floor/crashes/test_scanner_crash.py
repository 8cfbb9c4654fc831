"""A scanner at a floor that is killed or loses its database: acknowledged cards are kept, and none is half written."""

import pytest

from punto.floor.audit.verify import verify
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.entry import read_event
from punto.floor.shoes.scan_store import ScanResult
from punto.table.records.events import CardDealt
from tests.floor.cutting import wire_to
from tests.floor.playing import At, manual_table, running
from tests.floor.processes import Worker
from tests.floor.reading import NATURAL, Read
from tests.floor.running.test_floor import all_entries
from tests.floor.staff_floor import refused
from tests.waiting import run

pytestmark = pytest.mark.crash


@pytest.mark.parametrize("acknowledged", [1, 6, 11])
def test_a_floor_that_is_killed_has_every_card_that_it_acknowledged(database_url: str, acknowledged: int) -> None:
    """Killed between or during cards; the bridge posts its last card again and continues."""
    with Worker(database_url, module="tests.floor.crashes.scanner_worker") as worker:
        heard = 0
        while heard < acknowledged:
            heard = worker.hear()["draw"]
        worker.kill()
        heard = max([heard, *(line["draw"] for line in worker.rest())])

    async def whole() -> None:
        async with running(database_url) as floor:
            read = Read(At(floor, "t1", ids="after"))
            entries = await all_entries(floor, "t1/1")
            dealt = sum(isinstance(read_event(entry.event), CardDealt) for entry in entries)
            # each draw is stored with its card, or neither is
            assert [row[2] for row in await read.rows()] == list(range(1, dealt + 1))
            assert dealt in (heard, heard + 1)
            again = await read.do(heard, NATURAL[(heard - 1) % 4])
            assert (again.outcome, again.next) == (ScanResult.KNOWN, dealt + 1)
            assert verify(floor.database).faults == []

    run(whole())


@pytest.mark.parametrize(("where", "outcome"), [("before", ScanResult.TAKEN), ("after", ScanResult.KNOWN)])
def test_a_database_that_is_lost_while_a_card_is_written(postgres_url: str, where: str, outcome: ScanResult) -> None:
    async def whole() -> None:
        with wire_to(postgres_url) as wire:
            async with running(wire.url) as floor:
                read = Read(await manual_table(floor))
                await read.closed()
                await read.taken(1, "9s")
                wire.cut = where
                await refused(read.ask(2, "2d"), FloorCode.DATABASE_LOST)
                answer = await _again(read, 2, "2d")
                assert (answer, len(read.cards())) == (outcome, 2)
                assert [row[2:4] for row in await read.rows()] == [(1, "9s"), (2, "2d")]
                await read.taken(3, *NATURAL[2:])
                assert verify(floor.database).faults == []

    run(whole())


async def _again(read: Read, draw: int, card: str) -> ScanResult:
    """Retry like a bridge, until there is an answer."""
    for _ in range(20):
        try:
            return (await read.do(draw, card)).outcome
        except FloorRefused as trouble:
            if trouble.code is not FloorCode.DATABASE_LOST:
                raise
    raise AssertionError("the database never came back")
