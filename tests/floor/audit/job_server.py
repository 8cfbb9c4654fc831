"""A server's jobs in a process of its own: ``python -m tests.floor.audit.job_server URL HEADS``.

Starts a verification, prints its id and waits to be killed.
"""

import asyncio
import json
import sys

from punto.floor.audit.jobs.jobs import Jobs, JobSource
from punto.floor.database import open_database
from punto.floor.running.floor import Floor
from punto.floor.settings.gaming_day import GamingDay
from tests.floor.audit.auditors import AUDE


async def gaming_day() -> GamingDay:
    return GamingDay()


async def main(url: str, heads: str) -> None:
    floor = await Floor.start(open_database(url))
    jobs = Jobs(floor.house_log, JobSource(db=url, heads=heads), gaming_day)
    job = await jobs.start(AUDE)
    sys.stdout.write(f"{json.dumps(job.id)}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
