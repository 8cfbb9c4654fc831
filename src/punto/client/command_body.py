"""The JSON body of a command. The session tells the server who gives it, and in which position."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

from msgspec import NODEFAULT, structs

from punto.table.records.commands import ChangeSettings, Command, OpenTable, client_fields
from punto.table.records.positions import Position
from punto.table.records.settings import chosen_settings

P = ParamSpec("P")


def order(kind: Callable[Concatenate[str, Position, P], Command], *args: P.args, **fields: P.kwargs) -> dict[str, Any]:
    """The body of a command of this kind. A type checker finds missing and wrong fields.

    Fields at their defaults are left out, because servers of earlier releases do not know them all. So are settings in
    ``OpenTable``: the readings that the house has adopted set these. To state such a setting, add it to the body.

    >>> from punto.table.records.commands import PlaceBet
    >>> order(PlaceBet, who="ann", box=1, bet="player", stake_minor=100_00)
    {'command': 'place_bet.1', 'who': 'ann', 'box': 1, 'bet': 'player', 'stake_minor': 10000}
    """
    command = kind("", Position.PLAYER, *args, **fields)
    at_default = {field.encode_name for field in structs.fields(command) if _is_default(command, field)}
    body = {name: value for name, value in client_fields(command).items() if name not in at_default}
    if isinstance(command, OpenTable):
        body["settings"] = chosen_settings(command.settings)
    if isinstance(command, ChangeSettings) and command.settings.tray_par_minor is None:
        del body["settings"]["tray_par_minor"]  # those who change settings are not told it; null would remove it
    return body


def _is_default(command: Command, field: structs.FieldInfo) -> bool:
    default = field.default if field.default_factory is NODEFAULT else field.default_factory()
    return default is not NODEFAULT and bool(getattr(command, field.name) == default)
