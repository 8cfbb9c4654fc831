"""A server that is killed or stopped at any moment of a round at a real shoe: nothing is void, the round goes on."""

import signal

import pytest
from msgspec.structs import replace

from punto.floor.audit.verify import verify
from punto.floor.clock import SystemClock
from punto.floor.database import open_database
from punto.floor.journal import streams
from punto.floor.journal.entry import read_event
from punto.floor.journal.replay import rebuild
from punto.floor.running.floor import Floor
from punto.floor.running.supervisor import Keeper
from punto.library import book, book_ids
from punto.table.records.findings import RestartRecorded
from punto.table.records.state import Phase, Restart, Table
from tests.floor.phases import Moment, moments, play_on
from tests.floor.playing import DEALER, At, running
from tests.floor.processes import Worker
from tests.floor.running.test_floor import all_entries
from tests.floor.running.test_restart import as_if_never_away
from tests.waiting import run

pytestmark = pytest.mark.crash

AWAY_S = 60


class LaterClock(SystemClock):
    """A minute later, so no test has to wait."""

    def now_us(self) -> int:
        return super().now_us() + AWAY_S * 1_000_000


def _standing(url: str) -> dict[str, tuple[streams.Head, Table]]:
    """The tables in the journal, while nobody runs them."""
    database = open_database(url, create=False)
    try:
        opened = database.reading(streams.openings).result()
        heads = {name: database.reading(lambda tx, of=name: streams.head(tx, f"{of}/1")).result() for name in opened}  # type: ignore[misc]
        return {
            name: (head, database.reading(lambda tx, at=head: rebuild(tx, at).state).result())  # type: ignore[misc]
            for name, head in heads.items()
        }
    finally:
        database.close()


@pytest.mark.parametrize(
    ("database_url", "number"),
    [
        pytest.param("sqlite", signal.SIGKILL, id="sqlite-kill -9"),
        pytest.param("sqlite", signal.SIGTERM, id="sqlite-SIGTERM"),
        pytest.param("postgres", signal.SIGKILL, id="postgres-kill -9"),
        # shows once more what a clean stop writes
        pytest.param("postgres", signal.SIGTERM, id="postgres-SIGTERM", marks=pytest.mark.nightly),
    ],
    indirect=["database_url"],
)
def test_a_server_that_goes_away_at_any_moment_of_a_round(database_url: str, number: signal.Signals) -> None:
    with Worker(database_url, module="tests.floor.crashes.restart_worker") as worker:
        said = worker.hear()
        worker.signal(number)
        worker.wait_ended(-number if number is signal.SIGKILL else 0)
        gone_us = SystemClock().now_us()
    standing = _standing(database_url)
    assert {name: [head.version, head.hash] for name, (head, _) in standing.items()} == said

    async def back() -> None:
        async with running(database_url, LaterClock()) as floor:
            keeper = Keeper(floor)
            while not all(live.held for live in floor.tables.values()):  # PostgreSQL may not have noticed yet
                await keeper.run_once()
            await keeper.stop()
            for rules in book_ids():
                for moment in moments(rules):
                    name = f"{rules}, {moment.value}"
                    await _check(floor, name, rules, moment, *standing[name], gone_us)
            assert verify(floor.database).faults == []

    run(back())


async def _check(
    floor: Floor, name: str, rules: str, moment: Moment, head: streams.Head, before: Table, gone_us: int
) -> None:
    """The table is as it was, waits for the dealer, and ends as if nothing had happened."""
    live = floor.table(name)
    entries = await all_entries(floor, f"{name}/1")
    last_us, written = entries[head.version - 1].at_us, entries[head.version :]
    if moment is Moment.READY:
        assert (live.state, written) == (before, [])
        return
    (recorded,) = (read_event(entry.event) for entry in written)
    assert isinstance(recorded, RestartRecorded)
    assert recorded.asks
    assert last_us <= recorded.from_us <= gone_us
    assert recorded.to_us >= recorded.from_us + AWAY_S * 1_000_000
    assert live.state == replace(before, restart=Restart(recorded.from_us, recorded.to_us))
    at = At(floor, name, f"after {name}")
    waits = await at.ask(DEALER, "settle")
    assert waits.refusal is not None
    await at.do(DEALER, "resume_round")
    assert live.state == before
    given = await play_on(at)
    assert live.state.phase is Phase.READY
    assert live.state == as_if_never_away(book(rules), before, given)
