"""What a machine's token may be used for."""

from enum import StrEnum

from msgspec import Struct

TOKEN_DAYS = 365
"""How long a token lasts unless somebody says otherwise."""


class TokenWork(StrEnum):
    """What a machine's token is for."""

    CARDS = "cards"
    """Post the cards of a real shoe at one table, nothing else."""
    COMMANDS = "commands"
    """Give the commands of its position at one table, and read there."""
    READ = "read"
    """Read, at one table or everywhere."""
    UNBOUND = ""
    """Anything that its position may do, anywhere: tokens of releases before 0.9.0, until they expire."""


class TokenBounds(Struct, frozen=True):
    work: TokenWork
    table: str = ""
    """Empty: every table, and the floor itself."""

    def allow(self, work: TokenWork | None, table: str) -> bool:
        """Whether the token may be used for this work at a table; ``work`` is None for what is for people only."""
        if self.work is TokenWork.UNBOUND:
            return True
        reads = work is TokenWork.READ and self.work is TokenWork.COMMANDS
        return (work is self.work or reads) and self.table in ("", table)
