"""The asynchronous client. It has the same methods as the synchronous one."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from punto.client.errors import ClientRefused
from punto.client.httpx_adapter import released, request_arguments, to_lost, to_reply
from punto.client.requests import Core
from punto.client.retry import Exchange, Lost, Reply, Request, Wait
from punto.client.subscription import MAX_SERVER_MESSAGE_BYTES, Subscription, TemporarilyStopped
from punto.rules.refusals import needing
from punto.web.messages import Cursor, Moved

P = ParamSpec("P")
T = TypeVar("T")


def _async_method(
    exchange: Callable[Concatenate[Core, P], Exchange[T]],
) -> "Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]":
    """Turn a method of ``Core`` into a method that can be awaited."""

    @wraps(exchange)
    def method(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, T]:
        return self._run(exchange(self._core, *args, **kwargs))

    return method


class AsyncClient:
    """A floor, over HTTP. Close it, or use it in an ``async with`` statement.

    Requests that are safe to repeat are repeated until they are answered, for at most ``patience_s`` seconds.
    """

    def __init__(
        self, url: str, token: str | None = None, *, patience_s: float = 60.0, timeout_s: float = 10.0
    ) -> None:
        with needing("client", ClientRefused):
            import httpx2  # noqa: PLC0415 - needs the extra
        self._core = Core(url, token, patience_s)
        self._http = httpx2.AsyncClient(timeout=timeout_s)
        self._lost = httpx2.TransportError

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections. The session stays open."""
        await self._http.aclose()

    def with_token(self, token: str) -> Self:
        """Continue as the holder of this token."""
        self._core.take_token(token)
        return self

    @property
    def token(self) -> str | None:
        """The session's token. Another client can continue the session with it."""
        return self._core.token

    @property
    def server_release(self) -> str | None:
        """The release of the server; None before its first answer, and if it is before 0.10.0."""
        return self._core.server_release

    enter = _async_method(Core.enter)
    sign_in = _async_method(Core.sign_in)
    unlock = _async_method(Core.unlock)
    change_password = _async_method(Core.change_password)
    session = _async_method(Core.session)
    sign_out = _async_method(Core.sign_out)
    tables = _async_method(Core.tables)
    table = _async_method(Core.table)
    create_table = _async_method(Core.create_table)
    legal = _async_method(Core.legal)
    sensible = _async_method(Core.sensible)
    preview = _async_method(Core.preview)
    referee = _async_method(Core.referee)
    events = _async_method(Core.events)
    rounds = _async_method(Core.rounds)
    replay = _async_method(Core.replay)
    shoes = _async_method(Core.shoes)
    orders = _async_method(Core.orders)
    give = _async_method(Core.give)
    sit = _async_method(Core.sit)
    stand_behind = _async_method(Core.stand_behind)
    leave = _async_method(Core.leave)
    bet = _async_method(Core.bet)
    withdraw = _async_method(Core.withdraw)
    insure = _async_method(Core.insure)
    pass_insurance = _async_method(Core.pass_insurance)
    play_money = _async_method(Core.play_money)

    async def watch(
        self, table: str, after: Cursor | None = None, *, state: bool = True
    ) -> AsyncGenerator[Moved, None]:
        """Yield what happens at a table, from now on or after a cursor: each event once, in order, without end.

        If the connection is lost, it is opened again and continues after the last event received.
        """
        with needing("client", ClientRefused):
            from websockets.asyncio.client import connect  # noqa: PLC0415 - needs the extra
            from websockets.exceptions import WebSocketException  # noqa: PLC0415 - needs the extra
        core = self._core
        subscription = Subscription(table, after, core.patience_s, state=state)
        while True:
            try:
                async with connect(
                    core.live_url, additional_headers=core.headers, max_size=MAX_SERVER_MESSAGE_BYTES
                ) as socket:
                    core.hear_release(released(socket.response))
                    await socket.send(subscription.watch_message())
                    while True:
                        yield subscription.receive(await socket.recv())
            except (OSError, EOFError, WebSocketException, TemporarilyStopped) as error:
                wait_s = subscription.wait_s_after(error)
            await asyncio.sleep(wait_s)

    async def _run(self, exchange: Exchange[T]) -> T:
        reply: Reply | Lost | None = None
        while True:
            try:
                step = exchange.send(reply)
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
            reply = to_reply(await self._http.request(**request_arguments(self._core, request)))
        except self._lost as error:
            return to_lost(error)
        self._core.hear_release(reply.release)
        return reply
