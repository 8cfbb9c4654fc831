"""Commands as a client gives them: all but who gives them and in which position, for that says the session."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

from punto.table.records.commands import Command, client_fields
from punto.table.records.positions import Position

P = ParamSpec("P")


def order(kind: Callable[Concatenate[str, Position, P], Command], *said: P.args, **fields: P.kwargs) -> dict[str, Any]:
    """A command of this kind, with its fields as the kind has them: a type checker sees what is missing or wrong.

    >>> from punto.table.records.commands import PlaceBet
    >>> order(PlaceBet, who="ann", box=1, bet="player", stake_minor=100_00)
    {'command': 'place_bet.1', 'who': 'ann', 'box': 1, 'bet': 'player', 'stake_minor': 10000}
    """
    return client_fields(kind("", Position.PLAYER, *said, **fields))
