"""Two servers on one floor: each shows what happens at the other."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from punto.floor.running.live_table import MAX_TAIL
from tests.floor.playing import SUPERVISOR, At, manual_table
from tests.floor.servers import ROOT, PostgresServer, drop_database, new_database
from tests.waiting import DEADLINE_S
from tests.web.serving import server
from tests.web.watching import Line, end, events, history, line

pytestmark = pytest.mark.slow


@pytest.fixture
def postgres() -> Iterator[str]:
    """An empty database on a real PostgreSQL server."""
    if named := os.environ.get("PUNTO_TEST_POSTGRES"):
        url = new_database(named)
        yield url
        drop_database(named, url)
        return
    own = PostgresServer()
    try:
        yield new_database(own.url)
    finally:
        own.stop()


def test_what_is_done_at_one_server_is_seen_at_the_other(postgres: str, tmp_path: Path) -> None:
    words = ["serve", "--db", postgres, "--port", "0", "--empty", "--log-file", str(tmp_path / "log")]
    with server(postgres) as served:
        far = subprocess.Popen([sys.executable, "-m", "punto", *words], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        try:
            with line(served, url=_address(far)) as there, line(served) as here:
                at = served.run(manual_table(served.floor))
                for one in (there, here):
                    one.watch(after="1/0")
                assert _until(there, end(served.floor)) == _until(here, end(served.floor)) == history(served)
                before = len(history(served))
                served.run(_evening(at))
                told = _until(there, end(served.floor)), _until(here, end(served.floor))
                assert told[0] == told[1] == history(served)[before:]
        finally:
            far.send_signal(signal.SIGTERM)
            far.communicate(timeout=DEADLINE_S)
    assert far.returncode == 0


async def _evening(at: At) -> None:
    """Play a round with many bets, and reopen the table."""
    await at.do(SUPERVISOR, "open_betting")
    for _ in range(2 * MAX_TAIL):
        await at.bet("ann", 1_00)
    await at.do(SUPERVISOR, "close_betting")
    for card in ("9s", "2d", "Kh", "3c"):
        await at.do(SUPERVISOR, "deal_card", card=card)
    await at.do(SUPERVISOR, "settle")
    for _ in range(3):
        await at.do(SUPERVISOR, "close_table")
        await at.open()


def _until(one: Line, cursor: str) -> list[dict[str, object]]:
    return events(one.until(cursor))


def _address(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    for said in process.stdout:
        if found := re.search(r"http://[0-9.]+:[0-9]+", said):
            return found[0]
    raise AssertionError(f"it has ended: {process.wait()}")
