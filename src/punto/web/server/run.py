"""Run a server: start the floor, keep its tables running, listen; and shut all of it down cleanly."""

import asyncio
import gc
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.routing import BaseRoute

from punto.floor.database import open_database
from punto.floor.demo import opening_tables
from punto.floor.demo.house_players import HousePlayers
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.people.passwords import Passwords
from punto.floor.running.floor import Floor
from punto.floor.running.supervisor import Keeper
from punto.web.config import Config
from punto.web.http.client_address import is_here
from punto.web.http.context import Service
from punto.web.pages import page_routes
from punto.web.pages.base.handler import PageDoor
from punto.web.server.app import create_app
from punto.web.server.http_protocol import protocol_of
from punto.web.server.websocket_protocol import SocketProtocol

_LOG = logging.getLogger("punto.web")
CLEAR_S = 60.0
"""How often visitors whose time is over are signed out."""
GRACE_S = 1
"""How long requests may take to finish when the server stops."""
BACKLOG = 1_024
COLLECT = (10_000, 20, 50)
"""Thresholds of the garbage collector: requests leave few cycles behind."""


class Ready:
    """What a server reports once it listens."""

    def __init__(self, address: str, password: str | None) -> None:
        self.address = address
        self.password = password
        """The one-time password of the first administrator, where this start has created one."""


async def serve(
    config: Config,
    ready: Callable[[Service, Ready], None] = lambda _, __: None,
    passwords: Passwords | None = None,
    ended: asyncio.Event | None = None,
    routes: Callable[[Service], Iterable[BaseRoute]] = page_routes,
    *,
    opening: bool = False,
) -> None:
    """Serve until SIGTERM or ctrl-C; in another thread than the main one, until ``ended`` is set.

    With ``opening``, a new floor gets its opening tables.
    """
    listening = _listen(config)
    warned(config)
    try:
        database = open_database(config.db)
    except BaseException:
        listening.close()
        raise
    try:
        floor = await Floor.start(database)
        service = Service(floor, config, passwords)
        if opening and await opening_tables.is_new(floor):
            await opening_tables.set_up(floor, service.visitors)
        password = await service.accounts.first_start()
        keeper, company = Keeper(floor), HousePlayers(floor, service.visitors, config.house_players)
        work = [asyncio.create_task(each) for each in (keeper.run(), company.run(), _clear(service))]
        told = asyncio.create_task((ended or asyncio.Event()).wait())
        server = _Server(_uvicorn_config(service, routes(service)))

        def stop() -> None:
            service.ready = False
            server.should_exit = True

        try:
            with _told_to_stop(stop):  # before ``ready`` is called, which might stop it
                ready(service, Ready(_address(config, listening), password))
                serving = asyncio.create_task(server.serve(sockets=[listening]))
                await asyncio.wait({serving, told, *work}, return_when=asyncio.FIRST_COMPLETED)
                stop()
                await serving
            for task in work:
                if task.done():
                    task.result()
        finally:
            told.cancel()
            for task in work:
                task.cancel()
            await asyncio.gather(told, *work, return_exceptions=True)
            await keeper.stop()
            await floor.flush()
    finally:
        listening.close()
        await asyncio.to_thread(database.close)


def warned(config: Config) -> None:
    """Warn if other machines can reach a server that is not https only."""
    if not config.secure and config.host != "localhost" and not is_here(config.host):
        _LOG.warning("others can reach this server, and nothing says that it is by https alone: see `secure`")


def _uvicorn_config(service: Service, routes: Iterable[BaseRoute]) -> uvicorn.Config:
    proxies = service.config.proxies
    return uvicorn.Config(
        create_app(service, routes, PageDoor),
        http=protocol_of(service.lines),
        ws=SocketProtocol,
        ws_max_size=16 * 1024,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        timeout_graceful_shutdown=GRACE_S,
        limit_concurrency=None,
    )


class _Server(uvicorn.Server):
    """uvicorn's, without its signal handlers: they would end the process before the floor is shut down."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield


@contextmanager
def _told_to_stop(stop: Callable[[], None]) -> Iterator[None]:
    """SIGTERM and ctrl-C stop the server; a second one makes no difference."""
    if threading.current_thread() is not threading.main_thread():  # signals reach the main thread only
        yield
        return
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)
    for each in signals:
        loop.add_signal_handler(each, stop)
    try:
        yield
    finally:
        for each in signals:
            loop.remove_signal_handler(each)


def _listen(config: Config) -> socket.socket:
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    # with the protocol named: asyncio sets TCP_NODELAY only where it can tell that a socket is TCP
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((config.host, config.port))
        listening.listen(BACKLOG)  # at once: clients may connect as soon as ``ready`` is called
    except OSError as error:
        listening.close()
        raise FloorRefused(
            FloorCode.BAD_CONFIG,
            variant="listen",
            host=config.host,
            port=config.port,
            reason=error.strerror or str(error),
        ) from error
    return listening


def _address(config: Config, listening: socket.socket) -> str:
    host = f"[{config.host}]" if ":" in config.host else config.host
    return f"http://{host}:{listening.getsockname()[1]}"


async def _clear(service: Service) -> None:
    """Sign out visitors whose time is over, and free the boxes of idle ones."""
    while True:
        await asyncio.sleep(CLEAR_S)
        try:
            await service.visitors.clear()
            await service.visitors.free_boxes()
        except FloorRefused as refused:  # tried again the next time
            _LOG.warning("visitors could not be seen out: %s", refused.message)


def run(
    config: Config,
    ready: Callable[[Service, Ready], None],
    routes: Callable[[Service], Iterable[BaseRoute]] = page_routes,
) -> None:
    """Serve on uvloop where it is installed."""

    def settled(service: Service, where: Ready) -> None:
        _spare_the_collector()
        ready(service, where)

    try:
        import uvloop  # noqa: PLC0415 - not on every system
    except ImportError:
        asyncio.run(serve(config, settled, routes=routes, opening=not config.empty))
    else:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve(config, settled, routes=routes, opening=not config.empty))


def _spare_the_collector() -> None:
    """Freeze what stays for good, books and tables: collecting it again and again costs a fifth of every request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT)
