"""The ``punto`` command. Each subcommand is imported only when it is called, to keep start-up quick."""

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

import punto

_SECTIONS = {
    "Rules and settling": ("rules", "book", "coup", "settle", "referee", "roads"),
    "Odds": ("odds", "count", "memo", "simulate", "session"),
    "Running a floor": ("serve", "config", "staff", "players"),
    "Audit and backup": (
        *("verify", "digest", "replay", "pack", "report", "export"),
        *("backup", "restore", "migrate", "rebuild"),
    ),
}
_COMMANDS = tuple(name for names in _SECTIONS.values() for name in names)


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(f"punto.cli.{cmd_name}").command
        assert isinstance(command, click.Command)  # noqa: S101 - a bug in punto, not a user error
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by section. ``limit`` keeps each summary on one line of 80 columns."""
        limit = 80 - max(map(len, _COMMANDS)) - 4
        for section, names in _SECTIONS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(section):
                formatter.write_dl([(name, each.get_short_help_str(limit)) for name, each in commands if each])

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command. Trouble with standard input or output ends in a message, not a traceback."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # a terminal without Chinese shows question marks
                stream.reconfigure(errors="replace")
        if sys.stdout is None or sys.stdin is None:
            sys.exit("Error: punto needs an open standard input and output")
        try:
            return super().main(*args, **kwargs)
        except OSError as error:  # such as a full disk; click handles a closed pipe
            click.echo(f"Error: {error.strerror}", err=True)
            os._exit(2)  # a normal exit would flush the buffers and fail again


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(punto.__version__, prog_name="punto")
@click.option(
    "--books",
    "folder",
    metavar="DIR",
    help="A folder of rulebooks of your own, by their ids. Default: the one that PUNTO_BOOKS names.",
)
def main(folder: str | None) -> None:
    """Run baccarat tables by the book: settle rounds, explain coups, compute odds, serve tables.

    GAME in the commands is the id of a rulebook, such as commission, or the path of one; `punto rules` lists them.
    """
    if folder is None:
        return
    from punto.cli._shared.terminal import refusing  # noqa: PLC0415 - keeps the start quick
    from punto.library import BOOKS_FOLDER, put_on_shelf  # noqa: PLC0415

    with refusing(as_json=False):
        put_on_shelf(Path(folder))
    os.environ[BOOKS_FOLDER] = str(Path(folder).resolve())  # for the processes that a server starts
