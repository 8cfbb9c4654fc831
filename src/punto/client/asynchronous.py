"""The client for who waits in an event loop. Method by method the same as the other one."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from punto.client.errors import ClientRefused
from punto.client.httpx_adapter import replied, spoken, unanswered
from punto.client.requests import Core
from punto.client.retry import Lost, Reply, Request, Talk, Wait
from punto.client.subscription import MAX_SERVER_MESSAGE, NotTold, Subscription
from punto.rules.refusals import needing
from punto.web.messages import Cursor, Moved

P = ParamSpec("P")
T = TypeVar("T")


def _awaited(
    talk: Callable[Concatenate[Core, P], Talk[T]],
) -> "Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]":
    """A talk as a method to be awaited."""

    @wraps(talk)
    def method(self: "AsyncClient", /, *said: P.args, **fields: P.kwargs) -> Coroutine[Any, Any, T]:
        return self._do(talk(self._core, *said, **fields))

    return method


class AsyncClient:
    """A floor, over HTTP. Close it, or use it in a ``async with`` statement.

    Whatever can be asked again without harm is asked until it is answered, but no longer than ``patience_s``.
    """

    def __init__(
        self, url: str, token: str | None = None, *, patience_s: float = 60.0, timeout_s: float = 10.0
    ) -> None:
        with needing("client", ClientRefused):
            import httpx2  # noqa: PLC0415 - of the extra
        self._core = Core(url, token, patience_s)
        self._http = httpx2.AsyncClient(timeout=timeout_s)
        self._lost = httpx2.TransportError

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the lines; a session goes on."""
        await self._http.aclose()

    def with_token(self, token: str) -> Self:
        """Go on as whose token this is."""
        self._core.take_token(token)
        return self

    @property
    def token(self) -> str | None:
        """Of the session: who has it can go on with it."""
        return self._core.token

    enter = _awaited(Core.enter)
    sign_in = _awaited(Core.sign_in)
    change_password = _awaited(Core.change_password)
    session = _awaited(Core.session)
    sign_out = _awaited(Core.sign_out)
    tables = _awaited(Core.tables)
    table = _awaited(Core.table)
    create_table = _awaited(Core.create_table)
    legal = _awaited(Core.legal)
    events = _awaited(Core.events)
    rounds = _awaited(Core.rounds)
    shoes = _awaited(Core.shoes)
    give = _awaited(Core.give)
    sit = _awaited(Core.sit)
    stand_behind = _awaited(Core.stand_behind)
    leave = _awaited(Core.leave)
    bet = _awaited(Core.bet)
    withdraw = _awaited(Core.withdraw)
    insure = _awaited(Core.insure)
    play_money = _awaited(Core.play_money)

    async def watch(
        self, table: str, after: Cursor | None = None, *, state: bool = True
    ) -> AsyncGenerator[Moved, None]:
        """What happens at a table from now on, or from after a cursor: each event once and in order, without end.

        A lost line is connected again, and goes on after the last that was told.
        """
        with needing("client", ClientRefused):
            from websockets.asyncio.client import connect  # noqa: PLC0415 - of the extra
            from websockets.exceptions import WebSocketException  # noqa: PLC0415 - as above
        core = self._core
        line = Subscription(table, after, core.patience_s, state=state)
        while True:
            try:
                async with connect(
                    core.live_url, additional_headers=core.headers, max_size=MAX_SERVER_MESSAGE
                ) as socket:
                    await socket.send(line.asked())
                    while True:
                        yield line.heard(await socket.recv())
            except (OSError, EOFError, WebSocketException, NotTold) as trouble:
                wait_s = line.lost(trouble)
            await asyncio.sleep(wait_s)

    async def _do(self, talk: Talk[T]) -> T:
        reply: Reply | Lost | None = None
        while True:
            try:
                step = talk.send(reply)
            except StopIteration as stop:
                answer: T = stop.value
                return answer
            if isinstance(step, Wait):
                await asyncio.sleep(step.seconds)
                reply = None
            else:
                reply = await self._send(step)

    async def _send(self, request: Request) -> Reply | Lost:
        try:
            return replied(await self._http.request(**spoken(self._core, request)))
        except self._lost as trouble:
            return unanswered(trouble)
