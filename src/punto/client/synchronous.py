"""The client for who waits in a thread."""

import time
from collections.abc import Callable, Generator
from functools import wraps
from typing import Concatenate, ParamSpec, Self, TypeVar

from punto.client.errors import ClientRefused
from punto.client.httpx_adapter import replied, spoken, unanswered
from punto.client.requests import Core
from punto.client.retry import Lost, Reply, Request, Talk, Wait
from punto.client.subscription import MAX_SERVER_MESSAGE, NotTold, Subscription
from punto.rules.refusals import needing
from punto.web.messages import Cursor, Moved

P = ParamSpec("P")
T = TypeVar("T")


def _now(talk: Callable[Concatenate[Core, P], Talk[T]]) -> "Callable[Concatenate[Client, P], T]":
    """A talk as a method that returns when it is over."""

    @wraps(talk)
    def method(self: "Client", /, *said: P.args, **fields: P.kwargs) -> T:
        return self._do(talk(self._core, *said, **fields))

    return method


class Client:
    """A floor, over HTTP. Close it, or use it in a ``with`` statement.

    Whatever can be asked again without harm is asked until it is answered, but no longer than ``patience_s``.
    """

    def __init__(
        self, url: str, token: str | None = None, *, patience_s: float = 60.0, timeout_s: float = 10.0
    ) -> None:
        with needing("client", ClientRefused):
            import httpx2  # noqa: PLC0415 - of the extra
        self._core = Core(url, token, patience_s)
        self._http = httpx2.Client(timeout=timeout_s)
        self._lost = httpx2.TransportError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the lines; a session goes on."""
        self._http.close()

    def with_token(self, token: str) -> Self:
        """Go on as whose token this is."""
        self._core.take_token(token)
        return self

    @property
    def token(self) -> str | None:
        """Of the session: who has it can go on with it."""
        return self._core.token

    enter = _now(Core.enter)
    sign_in = _now(Core.sign_in)
    change_password = _now(Core.change_password)
    session = _now(Core.session)
    sign_out = _now(Core.sign_out)
    tables = _now(Core.tables)
    table = _now(Core.table)
    create_table = _now(Core.create_table)
    legal = _now(Core.legal)
    events = _now(Core.events)
    rounds = _now(Core.rounds)
    shoes = _now(Core.shoes)
    give = _now(Core.give)
    sit = _now(Core.sit)
    stand_behind = _now(Core.stand_behind)
    leave = _now(Core.leave)
    bet = _now(Core.bet)
    withdraw = _now(Core.withdraw)
    insure = _now(Core.insure)
    play_money = _now(Core.play_money)

    def watch(self, table: str, after: Cursor | None = None, *, state: bool = True) -> Generator[Moved, None, None]:
        """What happens at a table from now on, or from after a cursor: each event once and in order, without end.

        A lost line is connected again, and goes on after the last that was told.
        """
        with needing("client", ClientRefused):
            from websockets.exceptions import WebSocketException  # noqa: PLC0415 - of the extra
            from websockets.sync.client import connect  # noqa: PLC0415 - as above
        core = self._core
        line = Subscription(table, after, core.patience_s, state=state)
        while True:
            try:
                with connect(core.live_url, additional_headers=core.headers, max_size=MAX_SERVER_MESSAGE) as socket:
                    socket.send(line.asked())
                    while True:
                        yield line.heard(socket.recv())
            except (OSError, EOFError, WebSocketException, NotTold) as trouble:
                wait_s = line.lost(trouble)
            time.sleep(wait_s)

    def _do(self, talk: Talk[T]) -> T:
        reply: Reply | Lost | None = None
        while True:
            try:
                step = talk.send(reply)
            except StopIteration as stop:
                answer: T = stop.value
                return answer
            if isinstance(step, Wait):
                time.sleep(step.seconds)
                reply = None
            else:
                reply = self._send(step)

    def _send(self, request: Request) -> Reply | Lost:
        try:
            return replied(self._http.request(**spoken(self._core, request)))
        except self._lost as trouble:
            return unanswered(trouble)
