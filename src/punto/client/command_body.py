"""The JSON body of a command. The session tells the server who gives it, and in which position."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

from punto.table.records.commands import Command, client_fields
from punto.table.records.positions import Position

P = ParamSpec("P")


def order(kind: Callable[Concatenate[str, Position, P], Command], *args: P.args, **fields: P.kwargs) -> dict[str, Any]:
    """The body of a command of this kind. A type checker finds missing and wrong fields.

    ``round`` is left out if it is None, because servers before 0.6.0 do not know it.

    >>> from punto.table.records.commands import PlaceBet
    >>> order(PlaceBet, who="ann", box=1, bet="player", stake_minor=100_00)
    {'command': 'place_bet.1', 'who': 'ann', 'box': 1, 'bet': 'player', 'stake_minor': 10000}
    """
    body = client_fields(kind("", Position.PLAYER, *args, **fields))
    return {name: value for name, value in body.items() if name != "round" or value is not None}
