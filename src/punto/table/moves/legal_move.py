"""A command that would be accepted now."""

from msgspec import Struct

from punto.table.play.opening import shoes_in_use
from punto.table.records.commands import Command
from punto.table.records.state import Table


class LegalMove(Struct, frozen=True):
    """A command that would be accepted as it is. Its amount is the smallest allowed and ``most`` the largest.

    ``most`` is None if the command has no amount. Withdrawing part of a bet, down to the table's minimum, and
    withdrawing all of it are two moves.

    A felt table records more than this: insurance above ``most``, which is flagged, and people who are new at a box. Of
    those only the bets of ``box N`` at its free box are listed.
    """

    command: Command
    most: int | None = None
    ends_with_minor: int | None = None
    """For ``return_uninsured_bets``: everything the player gets back in this round if the bet is returned."""


def another_shoe(table: Table) -> str:
    """A name that a new shoe may have."""
    used = shoes_in_use(table) | table.taken_off.keys()
    return next(name for number in range(len(used) + 1) if (name := f"another shoe {number + 1}") not in used)
