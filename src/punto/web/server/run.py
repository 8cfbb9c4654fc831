"""Run a server: start the floor, listen, keep the tables running and shut everything down cleanly."""

import asyncio
import gc
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import uvicorn
from starlette.routing import BaseRoute

from punto.floor.database import open_database
from punto.floor.demo import opening_tables
from punto.floor.demo.house_players import HousePlayers
from punto.floor.demo.opening_tables import PlannedTable
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.people.accounts.passwords import Passwords
from punto.floor.running.floor import Floor
from punto.floor.running.supervisor import Keeper
from punto.web.config import Config, settings_without_secrets
from punto.web.http.client_address import is_this_machine
from punto.web.http.context import Service
from punto.web.pages import page_routes
from punto.web.pages.base.handler import PageHandler
from punto.web.server.app import create_app
from punto.web.server.file_handles import raise_limit, report_loop_error, watch_handles
from punto.web.server.http_protocol import protocol_of
from punto.web.server.websocket_protocol import SocketProtocol

_LOG = logging.getLogger("punto.web")
VISITOR_CLEANUP_S = 60.0
SHUTDOWN_GRACE_S = 1
"""How long requests may take to finish when the server stops."""
BACKLOG = 1_024
GC_THRESHOLDS = (10_000, 20, 50)
"""High, because requests leave few reference cycles behind."""


class Ready:
    """The address of a server that listens."""

    def __init__(self, address: str, password: str | None) -> None:
        self.address = address
        self.password = password
        """One-time password of the first administrator; None if this start did not create one."""


async def serve(
    config: Config,
    ready: Callable[[Service, Ready], None] = lambda _, __: None,
    passwords: Passwords | None = None,
    stop_event: asyncio.Event | None = None,
    routes: Callable[[Service], Iterable[BaseRoute]] = page_routes,
    *,
    opening: Sequence[PlannedTable] = (),
    by_account: bool = True,
) -> None:
    """Serve until SIGTERM or Ctrl-C (noticed in the main thread only), or until ``stop_event`` is set.

    ``opening`` are the tables that a new floor gets. ``by_account`` is false for a program that acts on the floor by
    itself, besides the people who sign in: verify then does not hold the record against the accounts.
    """
    listening = _listen(config)
    warn_if_exposed(config)
    raise_limit(config)
    asyncio.get_running_loop().set_exception_handler(report_loop_error)
    try:
        database = open_database(config.db)
    except BaseException:
        listening.close()
        raise
    try:
        given = settings_without_secrets(config)
        floor = await Floor.start(
            database, key_file=config.key_file, training=config.training, server_settings=given, by_account=by_account
        )
        service = Service(floor, config, passwords)
        if opening and await opening_tables.is_new(floor):
            await opening_tables.set_up(floor, service.visitors, opening)
        password = await service.accounts.first_start()
        keeper, house_players = Keeper(floor), HousePlayers(floor, service.visitors, config.house_players)
        jobs = [keeper.run(), house_players.run(), _clean_up_visitors(service), watch_handles(), service.edges.run()]
        jobs += [service.alarm_watcher.run(), service.clock_watch.run(), service.program.run(), service.jobs.run()]
        jobs.append(service.return_watch.run())
        if service.head_copies is not None:
            jobs.append(service.head_copies.run())
        work = [asyncio.create_task(each) for each in jobs]
        stopping = asyncio.create_task((stop_event or asyncio.Event()).wait())
        server = _Server(_uvicorn_config(service, routes(service)))

        def stop() -> None:
            service.ready = False
            server.should_exit = True

        try:
            with _stop_on_signals(stop):  # before ``ready`` is called, because that may already stop the server
                ready(service, Ready(_address(config, listening), password))
                serving = asyncio.create_task(server.serve(sockets=[listening]))
                await asyncio.wait({serving, stopping, *work}, return_when=asyncio.FIRST_COMPLETED)
                stop()
                await serving
            for task in work:
                if task.done():
                    task.result()
        finally:
            stopping.cancel()
            for task in work:
                task.cancel()
            await asyncio.gather(stopping, *work, return_exceptions=True)
            await service.jobs.close()
            await keeper.stop()
            await floor.flush()
    finally:
        listening.close()
        await asyncio.to_thread(database.close)


def warn_if_exposed(config: Config) -> None:
    """Log a warning if other machines can reach the server and it is not set to https only."""
    if not config.secure and config.host != "localhost" and not is_this_machine(config.host):
        _LOG.warning("other machines can reach this server, and `secure` is off: serve it by https and set `secure`")


def _uvicorn_config(service: Service, routes: Iterable[BaseRoute]) -> uvicorn.Config:
    proxies = service.config.proxies
    return uvicorn.Config(
        create_app(service, routes, PageHandler),
        http=protocol_of(service.connections),
        ws=SocketProtocol,
        ws_max_size=16 * 1024,
        ws_per_message_deflate=False,  # the protocol has its own way
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        timeout_graceful_shutdown=SHUTDOWN_GRACE_S,
        limit_concurrency=None,
    )


class _Server(uvicorn.Server):
    """uvicorn's server without its signal handlers, which would end the process before the floor is shut down."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextmanager
def _stop_on_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` on SIGTERM and Ctrl-C. A second signal makes no difference."""
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
    # the protocol is given because asyncio sets TCP_NODELAY only on sockets it knows to be TCP
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((config.host, config.port))
        listening.listen(BACKLOG)  # now, because clients may connect as soon as ``ready`` is called
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


async def _clean_up_visitors(service: Service) -> None:
    """Sign out visitors whose sessions have expired, and free the boxes of idle ones."""
    while True:
        await asyncio.sleep(VISITOR_CLEANUP_S)
        try:
            await service.visitors.clear()
            await service.visitors.free_boxes()
        except FloorRefused as refused:  # tried again after the next wait
            _LOG.warning("could not sign out expired visitors: %s", refused.message)


def run(
    config: Config,
    ready: Callable[[Service, Ready], None],
    routes: Callable[[Service], Iterable[BaseRoute]] = page_routes,
) -> None:
    """Serve until stopped, on uvloop where it is installed."""
    opening = () if config.empty else opening_tables.TABLES

    def started(service: Service, address: Ready) -> None:
        _freeze_long_lived_objects()
        ready(service, address)

    try:
        import uvloop  # noqa: PLC0415 - not on every system
    except ImportError:
        asyncio.run(serve(config, started, routes=routes, opening=opening))
    else:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve(config, started, routes=routes, opening=opening))


def _freeze_long_lived_objects() -> None:
    """Exclude books and tables from garbage collection: scanning them costs a fifth of the time of every request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
