"""Command ids: who may use which, and whether one was accepted before.

Clients choose their own ids. The house derives its ids from the state, so two processes choose the same one. An
accepted command gets the same answer for ever, and no other command may use its id. The database is searched for an id
only if a command is refused or conflicts, so a new command costs no query.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from punto.floor.database.base import Transaction
from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.journal.entry import ENTRY_COLUMNS, Entry, read_command, tag
from punto.floor.journal.stream_name import StreamName
from punto.table.records.commands import Command
from punto.table.records.positions import Position

MAX_COMMAND_ID = 100
HOUSE_ID, DEALER_ID, RECOVERY_ID, SCAN_ID, PROPOSAL_ID = "house:", "auto:", "recovery:", "scan:", "proposal:"
"""Prefixes of ids that no client uses: the house, the automatic dealer, recovery, scanned cards, approved proposals."""
COUNT_ID = f"{PROPOSAL_ID}count/"
"""Of a tray that two people counted. No proposal has a slash in its id."""
IDLE_ID = f"{HOUSE_ID}idle:"
"""Of the commands by which the house frees the boxes of players who do nothing."""
HOUSE_PREFIXES = (HOUSE_ID, DEALER_ID, RECOVERY_ID, SCAN_ID, PROPOSAL_ID)
MAX_EVENTS_A_COMMAND = 1_000


def require_client_id(command_id: str) -> None:
    """Refuse an id that a client may not use."""
    if not (0 < len(command_id) <= MAX_COMMAND_ID and command_id.isprintable()):
        raise FloorRefused(FloorCode.BAD_COMMAND_ID, variant="form", most=MAX_COMMAND_ID)
    if command_id.startswith(HOUSE_PREFIXES):
        raise FloorRefused(FloorCode.BAD_COMMAND_ID, variant="house", prefixes=HOUSE_PREFIXES)


def is_scan_id(command_id: str) -> bool:
    """Whether a scanned card led to this command."""
    return command_id.startswith(SCAN_ID)


def is_idle_id(command_id: str) -> bool:
    """Whether the house gave this command because a player did nothing."""
    return command_id.startswith(IDLE_ID)


# ---- accepted commands


class AcceptedCommand(Struct, frozen=True):
    """A command that was accepted, and its entries."""

    entries: tuple[Entry, ...]

    @property
    def command(self) -> Command:
        command: Command = read_command(self.entries[0].command or "")
        return command

    def is_repeated_by(self, table: str, command: Command) -> bool:
        """Whether a command is the accepted one.

        The giver's position may differ: it can change in between. But a visitor and a member of staff of the same name
        are two people. Both commands are compared as today's types read them, not as texts: a field that an older
        record lacks has its default.
        """
        accepted = self.command
        same_table = StreamName.parse(self.entries[0].stream).table == table
        same_kind = (command.position is Position.PLAYER) is (accepted.position is Position.PLAYER)
        return same_table and same_kind and replace(command, position=accepted.position) == accepted


def complete_repetition(body: Mapping[str, Any], accepted: Command) -> dict[str, Any]:
    """A command as a client repeats it, with what it leaves out taken from the accepted one.

    So neither a field that is new since then nor a default that has changed makes a repetition another command. A card
    that is null was left to the shoe, so it counts as left out.
    """
    return _complete(body, accepted) if body.get("command") == tag(type(accepted)) else dict(body)


def _complete(fields: Mapping[str, Any], record: Struct) -> dict[str, Any]:
    completed = {name: value for name, value in fields.items() if name != "card" or value is not None}
    for name in record.__struct_fields__:
        recorded = getattr(record, name)
        if name not in completed:
            completed[name] = to_builtins(recorded)
        elif isinstance(recorded, Struct) and isinstance(completed[name], Mapping):
            completed[name] = _complete(completed[name], recorded)
    return completed


def find_accepted(transaction: Transaction, command_id: str) -> AcceptedCommand | None:
    rows = transaction.rows(_SELECT, (command_id,))
    return AcceptedCommand(tuple(Entry(*row) for row in rows)) if rows else None


_SELECT = (
    f"SELECT s.name, {', '.join(f'e.{column}' for column in ENTRY_COLUMNS)}"  # noqa: S608 - our own names
    " FROM entries AS f JOIN streams AS s ON s.id = f.stream JOIN entries AS e ON e.stream = f.stream"
    f" AND e.version >= f.version AND e.version < f.version + {MAX_EVENTS_A_COMMAND} AND e.command_id = f.command_id"
    " WHERE f.command_id = ? AND f.part = 0 ORDER BY e.version"
)
