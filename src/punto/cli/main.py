"""The ``punto`` command. Each subcommand is imported only when it is called, so all start quickly."""

from importlib import import_module

import click

import punto

_COMMANDS = ("coup", "rules", "settle")


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(f"punto.cli.{cmd_name}").command
        assert isinstance(command, click.Command)  # noqa: S101 - a slip of ours, not of the user's
        return command


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(punto.__version__, prog_name="punto")
def main() -> None:
    """Baccarat by the book: settle a round, explain a coup, read the rules."""
