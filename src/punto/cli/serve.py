"""``punto serve``: the floor over HTTP."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from punto.cli._shared.terminal import refusing
from punto.rules.refusals import needing

if TYPE_CHECKING:
    from punto.web.http.context import Service
    from punto.web.server.run import Ready


def server_options(function: Any) -> Any:
    """The settings of a server as flags; one that is not given is left to the environment and the file."""
    for option in reversed(
        (
            click.option("--config", "file", type=click.Path(path_type=Path), help="In place of punto.toml here."),
            click.option("--db", help="The path of an SQLite file, or postgresql://..."),
            click.option("--host", help="Where to listen; on this machine alone unless told."),
            click.option("--port", type=int, help="0 takes any that is free."),
            click.option(
                "--origin",
                "origins",
                multiple=True,
                help="A further origin that pages may come from, as https://punto.example.",
            ),
            click.option(
                "--host-name", "hosts", multiple=True, help="A further name that the server goes by, as punto.example."
            ),
            click.option("--secure/--plain", default=None, help="Reached by https alone; --plain: not."),
            click.option(
                "--proxy",
                "proxies",
                multiple=True,
                help="The address of a proxy that is believed when it says who asks.",
            ),
            click.option("--log", help="debug, info, warning or error."),
            click.option("--log-file", help="Where the log goes; none: to standard error."),
            click.option("--commands-per-s", type=int, help="Commands from one person."),
            click.option("--asks-per-s", type=int, help="Requests from one address."),
            click.option("--sign-ins-per-min", type=int, help="Tries to sign in or to enter, from one address."),
            click.option("--sockets", type=int, help="Sockets at once; one in ten is kept for the staff."),
            click.option(
                "--sockets-each",
                type=int,
                help="Sockets of one person, and of all together who are not signed in at one address.",
            ),
            click.option(
                "--lines-each", type=int, help="Connections from one address, and as many sockets, but for the staff's."
            ),
            click.option("--odds/--no-odds", default=None, help="Pages show exact odds; --no-odds: not."),
            click.option(
                "--metrics", help="Who is told the figures: here, who asks from this machine; all; off, nobody."
            ),
            click.option("--empty", is_flag=True, default=None, help="A floor that this start makes has no tables."),
            click.option(
                "--house-players", type=int, help="House players at each table that runs by itself for play money."
            ),
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
        with needing("serve"):
            from punto.web.config import read_config  # noqa: PLC0415
            from punto.web.server import json_logs  # noqa: PLC0415 - only a server needs all of this
            from punto.web.server.run import run  # noqa: PLC0415
        config, _ = read_config(flags, file=file)
        json_logs.set_up(config.log, config.log_file)
        run(config, _say)


def _say(service: "Service", ready: "Ready") -> None:
    """To who has started it, on standard output; the log is elsewhere."""
    if ready.password is not None:
        click.echo(f"Administrator's one-time password: {ready.password}")
    from punto.web.config import without_password  # noqa: PLC0415 - only a server needs it

    click.echo(f"Punto serves {without_password(service.config.db)} at {ready.address}")
    click.echo("Ctrl-C stops it; started again, it goes on where it was.")
