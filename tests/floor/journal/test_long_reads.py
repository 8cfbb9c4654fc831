"""Long reads delay only other long reads."""

import asyncio
import threading

from punto.floor.database import open_database
from punto.floor.database.base import Transaction
from tests.waiting import DEADLINE_S


def test_a_long_read_keeps_no_other_waiting(database_url: str) -> None:
    begun, done = threading.Event(), threading.Event()

    def slow(transaction: Transaction) -> str:
        begun.set()
        assert done.wait(DEADLINE_S), "somebody waited for the long one"
        return str(transaction.rows("SELECT value FROM meta WHERE name = 'schema'")[0][0])

    def quick(transaction: Transaction) -> str:
        return str(transaction.rows("SELECT value FROM meta WHERE name = 'schema'")[0][0])

    async def evening() -> None:
        long = database.read(slow, long=True)
        assert await asyncio.to_thread(begun.wait, DEADLINE_S)
        told = await asyncio.wait_for(database.read(quick), DEADLINE_S)
        done.set()
        assert await long == told

    database = open_database(database_url)
    try:
        asyncio.run(evening())
    finally:
        done.set()
        database.close()
