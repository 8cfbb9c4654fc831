"""A command that would be accepted now, for screens to build on."""

from msgspec import Struct

from punto.table.play.opening import shoes_in_use
from punto.table.records.commands import Command
from punto.table.records.state import Table


class LegalMove(Struct, frozen=True):
    """A command that would be accepted as it stands, and how far its amount may go.

    Its amount is the least; where ``most`` is None it has none to choose. A bet may be withdrawn in part, down to
    the table's minimum, or whole: two moves.
    """

    command: Command
    most: int | None = None


def another_shoe(table: Table) -> str:
    """A name that no shoe at the table has."""
    used = shoes_in_use(table)
    return next(name for number in range(len(used) + 1) if (name := f"another shoe {number + 1}") not in used)
