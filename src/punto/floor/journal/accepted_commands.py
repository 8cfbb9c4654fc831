"""Was this command id accepted before? If it was, the same command gets the same answer, and no other may use the id.

Asked where something stands in the way of a command, so that a command nobody has given before costs no question.
"""

from msgspec import Struct
from msgspec.structs import replace

from punto.floor.database.base import Transaction
from punto.floor.journal.entry import ENTRY_COLUMNS, Entry, read_command
from punto.floor.journal.stream_name import StreamName
from punto.table.records.commands import Command

MAX_EVENTS_A_COMMAND = 1_000


class AcceptedCommand(Struct, frozen=True):
    """A command id that was accepted, by the entries that came of it."""

    entries: tuple[Entry, ...]

    @property
    def command(self) -> Command:
        """The command as it was accepted."""
        command: Command = read_command(self.entries[0].command or "")
        return command

    def is_repeated_by(self, table: str, command: Command) -> bool:
        """Whether a command is the one that was accepted; the position its giver holds may have changed since."""
        accepted = self.command
        same_table = StreamName.parse(self.entries[0].stream).table == table
        return same_table and replace(command, position=accepted.position) == accepted


def find_accepted(transaction: Transaction, command_id: str) -> AcceptedCommand | None:
    """The command that was accepted with this id."""
    rows = transaction.rows(_SELECT, (command_id,))
    return AcceptedCommand(tuple(Entry(*row) for row in rows)) if rows else None


_SELECT = (
    f"SELECT s.name, {', '.join(f'e.{column}' for column in ENTRY_COLUMNS)}"  # noqa: S608 - our own names
    " FROM entries AS f JOIN streams AS s ON s.id = f.stream JOIN entries AS e ON e.stream = f.stream"
    f" AND e.version >= f.version AND e.version < f.version + {MAX_EVENTS_A_COMMAND} AND e.command_id = f.command_id"
    " WHERE f.command_id = ? AND f.part = 0 ORDER BY e.version"
)
