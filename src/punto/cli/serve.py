"""``punto serve``: serve a floor over HTTP."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from punto.cli._shared.terminal import refusing
from punto.rules.refusals import needing

if TYPE_CHECKING:
    from punto.web.http.context import Service
    from punto.web.server.run import Ready


def server_options(function: Any) -> Any:
    """Add the server's settings as options. Options that are not given come from the environment or punto.toml."""
    for option in reversed(
        (
            click.option(
                "--config",
                "file",
                type=click.Path(path_type=Path),
                help="Settings file to use instead of ./punto.toml.",
            ),
            click.option("--db", help="Path of an SQLite file, or postgresql://..."),
            click.option(
                "--key-file", help="File with the floor's secret key. Default: punto.key beside an SQLite file."
            ),
            click.option("--host", help="Address to listen on. Default: this machine only."),
            click.option("--port", type=int, help="Port to listen on; 0 takes any free port."),
            click.option(
                "--origin",
                "origins",
                multiple=True,
                help="Another origin that pages may come from, such as https://punto.example. Repeatable.",
            ),
            click.option(
                "--host-name",
                "hosts",
                multiple=True,
                help="Another host name of the server, such as punto.example. Repeatable.",
            ),
            click.option("--secure/--plain", default=None, help="Whether the server is reached over https only."),
            click.option(
                "--proxy",
                "proxies",
                multiple=True,
                help="Address of a proxy whose forwarded client addresses are trusted. Repeatable.",
            ),
            click.option("--log", help="Log level: debug, info, warning or error."),
            click.option("--log-file", help="Log file. Default: standard error."),
            click.option("--commands-per-s", type=int, help="Maximum commands per second from one person."),
            click.option(
                "--accepted-per-min",
                type=int,
                help="Maximum accepted commands per minute from one player; ten times as many from staff or a machine.",
            ),
            click.option(
                "--accepted-per-min-from",
                type=int,
                help="Maximum accepted commands per minute from all players at one address.",
            ),
            click.option("--asks-per-s", type=int, help="Maximum requests per second from one address."),
            click.option("--sign-ins-per-min", type=int, help="Maximum sign-in attempts per minute from one address."),
            click.option("--sockets", type=int, help="Maximum open sockets; one in ten is reserved for staff."),
            click.option(
                "--sockets-each",
                type=int,
                help="Maximum sockets per person, and per address for everybody not signed in.",
            ),
            click.option("--lines", type=int, help="Maximum open connections; sockets are not among them."),
            click.option(
                "--lines-each",
                type=int,
                help="Maximum connections and sockets from one address; staff excepted.",
            ),
            click.option("--heads-to", help="Directory, or http(s) address, to copy the heads of all streams to."),
            click.option("--heads-every-s", type=int, help="Seconds between two copies of the heads."),
            click.option(
                "--verify-daily/--no-verify-daily",
                default=None,
                help="Whether to verify the whole journal once in each gaming day.",
            ),
            click.option(
                "--replay-kb-per-s",
                type=int,
                help="Maximum kilobytes of history per second that sockets send to one address, or to one employee.",
            ),
            click.option("--odds/--no-odds", default=None, help="Whether pages show exact odds."),
            click.option(
                "--metrics",
                help='Who may read the metrics: "staff" (and machines), "here" (also this machine), "all", or "off".',
            ),
            click.option("--empty", is_flag=True, default=None, help="Create a new floor without the demo tables."),
            click.option("--training/--no-training", default=None, help="Whether tables may deal from seeded shoes."),
            click.option(
                "--house-players", type=int, help="House players at each play-money table that runs by itself."
            ),
        )
    ):
        function = option(function)
    return function


@click.command("serve")
@server_options
def command(file: Path | None, **flags: Any) -> None:
    """Serve a floor over HTTP until ctrl-C.

    Settings come from flags, then environment variables such as PUNTO_PORT, then punto.toml; `punto config` shows
    which are used. Tables and rounds continue after a restart.

    A new floor gets five demo tables for play money, unless --empty is given. The first start prints the
    administrator's one-time password.

    \b
    Example:
      punto serve --db punto.db --port 8000
    """
    with refusing(as_json=False):
        with needing("serve"):
            from punto.web.config import read_config  # noqa: PLC0415
            from punto.web.server import json_logs  # noqa: PLC0415 - only a server needs all of this
            from punto.web.server.run import run  # noqa: PLC0415
        config, _ = read_config(flags, file=file)
        json_logs.set_up(config.log, config.log_file)
        run(config, _print_started)


def _print_started(service: "Service", ready: "Ready") -> None:
    if ready.password is not None:
        click.echo(f"Administrator's one-time password: {ready.password}")
    from punto.web.config import without_password  # noqa: PLC0415 - only a server needs it

    click.echo(f"Punto serves {without_password(service.config.db)} at {ready.address}")
    click.echo("Press ctrl-C to stop. Tables continue where they were at the next start.")
