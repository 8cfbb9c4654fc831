"""``punto serve``: the floor over HTTP."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from punto.cli.terminal import refusing
from punto.floor.troubles import FloorCode, FloorRefused

if TYPE_CHECKING:
    from punto.web.server import Ready
    from punto.web.service import Service


def server_options(function: Any) -> Any:
    """The settings of a server as flags; one that is not given is left to the environment and the file."""
    for option in reversed(
        (
            click.option("--config", "file", type=click.Path(path_type=Path), help="In place of punto.toml here."),
            click.option("--db", help="The path of an SQLite file, or postgresql://..."),
            click.option("--host", help="Where to listen; on this machine alone unless told."),
            click.option("--port", type=int, help="0 takes any that is free."),
            click.option("--origin", "origins", multiple=True, help="A further origin that pages may come from."),
            click.option("--host-name", "hosts", multiple=True, help="A further name that the server goes by."),
            click.option("--secure/--plain", default=None, help="The server is reached by https alone, or not."),
            click.option("--proxy", "proxies", multiple=True, help="A proxy that is believed when it says who asks."),
            click.option("--log", help="debug, info, warning or error."),
            click.option("--log-file", help="Where the log goes; else to standard error."),
            click.option("--commands-per-s", type=int, help="From one session."),
            click.option("--asks-per-s", type=int, help="From one address."),
            click.option("--sign-ins-per-min", type=int, help="From one address."),
            click.option("--sockets", type=int, help="At once."),
            click.option("--sockets-each", type=int, help="At once, of one person."),
            click.option("--lines-each", type=int, help="Connections at once, from one address."),
            click.option("--odds/--no-odds", default=None, help="Pages show exact odds, or not."),
            click.option("--metrics", help="Who is told the figures: off, here (on this machine) or all."),
            click.option(
                "--empty", is_flag=True, default=None, help="A new floor has no tables, not one of each game."
            ),
            click.option("--house-players", type=int, help="At each table for play money that runs by itself."),
        )
    ):
        function = option(function)
    return function


@click.command("serve")
@server_options
def command(file: Path | None, **flags: Any) -> None:
    """Serve a floor over HTTP until ctrl-C; started again, it goes on where it was.

    Settings come from flags, from variables such as PUNTO_PORT, and from punto.toml, in this order; `punto config`
    says which are in force and from where.
    """
    with refusing(as_json=False):
        try:
            from punto.web import logs  # noqa: PLC0415 - only a server needs all of this
            from punto.web.config import read_config  # noqa: PLC0415
            from punto.web.server import run  # noqa: PLC0415
        except ModuleNotFoundError as error:
            message = f"a server needs {error.name}: pip install 'punto[serve]'"
            raise FloorRefused(FloorCode.EXTRA_MISSING, message) from error
        config, _ = read_config(flags, file=file)
        logs.set_up(config.log, config.log_file)
        run(config, _say)


def _say(service: "Service", ready: "Ready") -> None:
    """To who has started it, on standard output; the log is elsewhere."""
    if ready.password is not None:
        click.echo(f"Administrator's one-time password: {ready.password}")
    from punto.web.config import without_password  # noqa: PLC0415 - only a server needs it

    click.echo(f"Punto serves {without_password(service.config.db)} at {ready.address}")
    click.echo("Ctrl-C stops it; started again, it goes on where it was.")
