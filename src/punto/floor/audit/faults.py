"""What can be wrong with a journal, and where."""

from enum import StrEnum

from msgspec import Struct


class Wrong(StrEnum):
    """Kinds of faults. Programs may rely on these; messages are for people."""

    ENTRY_ALTERED = "entry_altered"
    """Its hash is not that of what it says and of the entry before it."""
    ENTRY_MISSING = "entry_missing"
    ENTRY_MOVED = "entry_moved"
    """It was not written where it stands."""
    NOT_AN_ENTRY = "not_an_entry"
    """A field holds what no entry of ours can hold."""
    ENTRY_BEYOND_HEAD = "entry_beyond_head"
    HEAD_DIFFERS = "head_differs"
    """The stream ends otherwise than the table of streams says."""
    TAIL_CUT = "tail_cut"
    """A head kept elsewhere vouches for entries that are not there."""
    HEAD_NOT_IN_STREAM = "head_not_in_stream"
    """A head kept elsewhere vouches for another entry."""

    STREAM_LOST = "stream_lost"
    STREAM_UNKNOWN = "stream_unknown"
    """Nobody has opened it."""
    CLOSING_DIFFERS = "closing_differs"
    TABLE_DIFFERS = "table_differs"
    """A table is not set up as it was created."""
    ACCOUNT_DIFFERS = "account_differs"
    FLOOR_RULES_DIFFER = "floor_rules_differ"

    DOES_NOT_REPLAY = "does_not_replay"
    JUDGED_OTHERWISE = "judged_otherwise"
    """The command, judged again, has another answer."""
    POSTINGS_UNBALANCED = "postings_unbalanced"
    LAW_DIFFERS = "law_differs"
    COMMAND_DOUBLED = "command_doubled"
    SNAPSHOT_DIFFERS = "snapshot_differs"

    COMMITMENT_DIFFERS = "commitment_differs"
    CARD_DIFFERS = "card_differs"
    """A card was shown that the sealed order, or a scanner's reading, has not there."""
    SHOE_NOT_SEALED = "shoe_not_sealed"
    SHOE_NOT_REVEALED = "shoe_not_revealed"
    SHOE_REVEALED_EARLY = "shoe_revealed_early"
    SHOE_LOST = "shoe_lost"


class Fault(Struct, frozen=True, omit_defaults=True):
    """Something wrong: in which stream, at which entry where it is one, and what."""

    stream: str
    version: int | None
    code: Wrong
    message: str

    @property
    def where(self) -> str:
        """The place in words."""
        return self.stream if self.version is None else f"{self.stream} entry {self.version}"


class Faulty(Exception):
    """A stream is not to be read on."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def faulty(stream: str, version: int | None, code: Wrong, message: str) -> Faulty:
    """The fault, to be raised."""
    return Faulty(Fault(stream, version, code, message))
