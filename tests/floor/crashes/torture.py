"""The last part of ``make nightly``: a long crash campaign with power cuts, and a journal of a million entries.

It is not part of ``make test`` and runs as long as it is given.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tests.floor.crashes.campaign import Campaign
from tests.floor.long_journals import lengthen
from tests.floor.playing import betting_table, running
from tests.floor.servers import PostgresServer, new_database

REST_EVERY = 25
"""Kills between two checks of everything from the first entry."""
POWER_CUT_EVERY = 4
EARLY_EVERY = 5
EARLY_LINES = 50
"""Sometimes the floor is killed while it recovers."""
MILLION = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.floor.crashes.torture", description=__doc__)
    parser.add_argument("--kills", type=int, default=300, help="of the floor, on each database (300)")
    parser.add_argument("--lines", type=int, default=600, help="the longest life between two, in lines it says (600)")
    parser.add_argument("--entries", type=int, default=MILLION, help="of the long journal (1000000)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the moments (the time)")
    wanted = parser.parse_args()
    _show(f"seed {wanted.seed}\n")
    with tempfile.TemporaryDirectory(prefix="punto-torture-") as directory:
        _campaign("SQLite", str(Path(directory) / "floor.db"), wanted, None)
        server = PostgresServer()
        try:
            _campaign("PostgreSQL", new_database(server.url), wanted, server)
            for name, url in (("SQLite", str(Path(directory) / "long.db")), ("PostgreSQL", new_database(server.url))):
                asyncio.run(_long_journal(name, url, wanted.entries))
        finally:
            server.stop()


def _campaign(name: str, url: str, wanted: argparse.Namespace, server: PostgresServer | None) -> None:
    def power_cut() -> None:
        assert server is not None
        server.kill()
        server.start()

    with Campaign(url, wanted.seed, lambda line: _show(f"\r\033[K{name}: {line}")) as campaign:
        asyncio.run(campaign.set_up())
        for number in range(1, wanted.kills + 1):
            if number % EARLY_EVERY == 0:
                campaign.die_early(EARLY_LINES)
            else:
                campaign.live_and_die(wanted.lines, power_cut if server and number % POWER_CUT_EVERY == 0 else None)
            if number % REST_EVERY == 0 or number == wanted.kills:
                campaign.come_to_rest()
                _show("\n")


async def _long_journal(name: str, url: str, entries: int) -> None:
    _show(f"{name}: writing {entries:,} entries ...")
    async with running(url) as floor:
        await betting_table(floor)
        state = lengthen(floor.database, "t1/1", floor.table("t1").state, entries)
    async with running(url) as floor:
        assert floor.table("t1").state == state
    _show(f"\r\033[K{name}: a table with {entries:,} entries is back\n")


def _show(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
