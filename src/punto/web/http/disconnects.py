"""Work that is dropped when its client hangs up."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from punto.rules.refusals import Refused
from punto.web.http.endpoint import HttpRequest, Receive
from punto.web.http.errors import WebCode

T = TypeVar("T")


async def while_connected(call: HttpRequest, work: Coroutine[Any, Any, T]) -> T:
    """Do the work. If the client hangs up first, cancel it and refuse."""
    working, gone = asyncio.create_task(work), asyncio.create_task(_disconnect(call.receive))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Refused(WebCode.BAD_REQUEST, variant="gone")
        return working.result()
    finally:
        for task in (working, gone):
            task.cancel()
        await asyncio.gather(working, gone, return_exceptions=True)


async def _disconnect(receive: Receive) -> None:
    """Wait until the client hangs up. The body must have been read."""
    while (await receive())["type"] != "http.disconnect":
        pass
