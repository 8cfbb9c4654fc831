"""The ``punto`` command. Each subcommand is imported only when it is called, so all start quickly."""

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

import punto

_COMMANDS = (
    "backup",
    "config",
    "count",
    "coup",
    "export",
    "migrate",
    "odds",
    "replay",
    "restore",
    "roads",
    "rules",
    "serve",
    "session",
    "settle",
    "simulate",
    "staff",
    "verify",
)


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(f"punto.cli.{cmd_name}").command
        assert isinstance(command, click.Command)  # noqa: S101 - a slip of ours, not of the user's
        return command

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command. What the world does to our streams is said in words."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # a terminal without Chinese shows a question mark
                stream.reconfigure(errors="replace")
        if sys.stdout is None or sys.stdin is None:
            sys.exit("Error: punto needs an open standard input and output")
        try:
            return super().main(*args, **kwargs)
        except OSError as error:  # a full disk; click has seen to a closed pipe
            click.echo(f"Error: {error.strerror}", err=True)
            os._exit(2)  # what is buffered cannot be written either


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(punto.__version__, prog_name="punto")
def main() -> None:
    """Baccarat by the book: settle a round, explain a coup, know the odds, read the rules."""
