"""``punto config``: which settings a server would be run with, and where each comes from."""

from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from punto.cli._shared.terminal import json_option, print_json, print_table, refusing
from punto.cli.serve import server_options


class SettingOut(Struct):
    """A setting in force."""

    value: Any
    source: str


@click.command("config")
@server_options
@json_option
def command(file: Path | None, as_json: bool, **flags: Any) -> None:  # noqa: FBT001 - click's
    """Print the settings in force and where each comes from: a flag, the environment, punto.toml, or built in."""
    with refusing(as_json=as_json):
        from punto.web.config import read_config, shown  # noqa: PLC0415 - only here

        _, settings = read_config(flags, file=file)
    if as_json:
        print_json({setting.name: SettingOut(shown(setting), setting.source) for setting in settings})
    else:
        rows = [[setting.name, _written(shown(setting)), setting.source] for setting in settings]
        print_table(rows, ["setting", "value", "from"])


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else str(value)
