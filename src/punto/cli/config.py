"""``punto config``: print the settings a server would use, and where each comes from."""

from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from punto.cli._shared.terminal import json_option, print_json, print_table, refusing
from punto.cli.serve import server_options


class SettingOut(Struct):
    value: Any
    source: str


@click.command("config")
@server_options
@json_option
def command(file: Path | None, as_json: bool, **flags: Any) -> None:  # noqa: FBT001 - click's
    """Print the settings that `punto serve` would use.

    Takes the same options as `punto serve`. The last column shows where each setting comes from: a flag, the
    environment, punto.toml, or its default.
    """
    with refusing(as_json=as_json):
        from punto.web.config import printable_value, read_config  # noqa: PLC0415 - only this command needs it

        _, settings = read_config(flags, file=file)
    if as_json:
        print_json({setting.name: SettingOut(printable_value(setting), setting.source) for setting in settings})
    else:
        rows = [[setting.name, _as_text(printable_value(setting)), setting.source] for setting in settings]
        print_table(rows, ["setting", "value", "from"])


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else str(value)
