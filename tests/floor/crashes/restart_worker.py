"""A server with a table with a real shoe at each moment of a round.

It prints the head of each table, and runs until it is killed or asked to stop.
"""

import asyncio
import json
import sys

from punto.floor.people.accounts.passwords import Passwords
from punto.library import book_ids
from punto.web.config import Config
from punto.web.http.context import Service
from punto.web.server.run import Ready, serve
from tests.floor.phases import moments, table_at
from tests.floor.staff_floor import CHEAP


async def main(url: str) -> None:
    """Serve, with the tables set up when the server listens."""
    tasks, failed = list[asyncio.Task[None]](), asyncio.Event()

    def ready(service: Service, _: Ready) -> None:
        setting_up = asyncio.create_task(_set_up(service))
        setting_up.add_done_callback(lambda task: failed.set() if task.exception() else None)
        tasks.append(setting_up)

    config = Config(db=url, port=0, empty=True, house_players=0, log="error")
    await serve(config, ready, Passwords(CHEAP), failed, by_account=False)
    for task in tasks:
        task.result()


async def _set_up(service: Service) -> None:
    floor = service.floor
    for rules in book_ids():
        for moment in moments(rules):
            await table_at(floor, moment, rules, f"{rules}, {moment.value}")
    heads = {name: live.head for name, live in floor.tables.items()}
    print(json.dumps({name: (head.version, head.hash) for name, head in heads.items() if head}), flush=True)  # noqa: T201 - its output


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
