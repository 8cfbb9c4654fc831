"""The faults that `punto verify` reports."""

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import force_setattr

from punto.catalogue.printable import printable

if TYPE_CHECKING:
    from punto.floor.audit.hash_chain import Link


class FaultCode(StrEnum):
    """Programs may rely on these codes. The messages may change."""

    ENTRY_ALTERED = "entry_altered"
    """Its hash does not match its content and the entry before it."""
    ENTRY_MISSING = "entry_missing"
    ENTRY_MOVED = "entry_moved"
    """It was not written at this position."""
    NOT_AN_ENTRY = "not_an_entry"
    """A column has a value that no entry can have."""
    ENTRY_BEYOND_HEAD = "entry_beyond_head"
    HEAD_DIFFERS = "head_differs"
    """The end of the stream differs from the `streams` table."""
    TAIL_CUT = "tail_cut"
    """A head saved outside the database proves entries that are missing."""
    HEAD_NOT_IN_STREAM = "head_not_in_stream"
    """A head saved outside the database belongs to a different entry."""
    NOT_SIGNED = "not_signed"
    """No signature with the floor's key covers the entry: somebody else appended it."""
    NOT_AS_SIGNED = "not_as_signed"
    """The entry is not the one that was signed."""
    SIGNATURE_LOST = "signature_lost"
    """A signature is missing or cannot be one."""
    SCHEMA_DIFFERS = "schema_differs"
    """A table, column, index or trigger is not as this release creates it."""

    STREAM_LOST = "stream_lost"
    STREAM_UNKNOWN = "stream_unknown"
    """The house's stream has no record of opening it."""
    CLOSING_DIFFERS = "closing_differs"
    TABLE_DIFFERS = "table_differs"
    """A table's setup is not the one it was created with."""
    ACCOUNT_DIFFERS = "account_differs"
    PLAYER_DIFFERS = "player_differs"
    """The register of players differs from the house's stream."""
    FLOOR_RULES_DIFFER = "floor_rules_differ"
    SESSION_DIFFERS = "session_differs"
    """A session that the house did not open, or not like this."""
    TERMINAL_DIFFERS = "terminal_differs"
    """A terminal that nobody enrolled, or not like this."""
    CHIP_SET_DIFFERS = "chip_set_differs"
    SETTINGS_DIFFER = "settings_differ"
    """The settings of the floor differ from the last change in the house's stream."""
    PROPOSAL_DIFFERS = "proposal_differs"
    """The table `proposals` differs from the house's stream."""
    COUNTS_DIFFER = "counts_differ"
    """A count that two people signed, or a first count that waits, differs from the house's stream."""
    DUTY_DIFFERS = "duty_differs"
    """The table `duty` differs from the house's stream."""
    SHOE_STEPS_DIFFER = "shoe_steps_differ"
    """The table `shoe_steps` differs from the house's stream."""
    STOPS_DIFFER = "stops_differ"
    """The table `stops` differs from the house's stream."""
    LOOKS_DIFFER = "looks_differ"
    """The table `looks` differs from the house's stream."""
    ALARMS_DIFFER = "alarms_differ"
    """The table `alarms` differs from the house's stream."""
    JOBS_DIFFER = "jobs_differ"
    """A result in the table `jobs` differs from the house's stream."""
    SIGN_OFFS_DIFFER = "sign_offs_differ"
    """The table `day_sign_offs` differs from the house's stream."""
    READINGS_DIFFER = "readings_differ"
    """The readings in force differ from those adopted in the house's stream."""

    DOES_NOT_REPLAY = "does_not_replay"
    JUDGED_OTHERWISE = "judged_otherwise"
    """Deciding the command again gives a different result."""
    POSTINGS_UNBALANCED = "postings_unbalanced"
    LAW_DIFFERS = "law_differs"
    REVISION_DIFFERS = "revision_differs"
    """It names another revision of the engine than the one that was running."""
    ROUND_DIFFERS = "round_differs"
    """It names another round than the last that was called."""
    HAPPENED_LATER = "happened_later"
    """It says that it happened after it was entered."""
    RECOVERY_DIFFERS = "recovery_differs"
    """The house's record of a takeover differs from the table's stream."""
    COMMAND_DOUBLED = "command_doubled"
    SNAPSHOT_DIFFERS = "snapshot_differs"
    ROUNDS_DIFFER = "rounds_differ"
    """The table `rounds` differs from the journal."""
    INCIDENTS_DIFFER = "incidents_differ"
    """A number in the journal is not the one that follows, or the table `incidents` differs from the journal."""
    SEALS_DIFFER = "seals_differ"
    """The table `seals` differs from the house's stream."""

    COMMITMENT_DIFFERS = "commitment_differs"
    CARD_DIFFERS = "card_differs"
    """A card differs from the sealed order, or from what a scanner read."""
    SHOE_NOT_SEALED = "shoe_not_sealed"
    SHOE_NOT_REVEALED = "shoe_not_revealed"
    SHOE_REVEALED_EARLY = "shoe_revealed_early"
    SHOE_NOT_ENDED = "shoe_not_ended"
    """A card of it was shown after the floor was restored from a backup."""
    SHOE_LOST = "shoe_lost"
    ORDER_DIFFERS = "order_differs"
    """A revealed order of a machine is not the one whose turn it was, or other cards were out than it says."""

    PACK_ALTERED = "pack_altered"
    """A pack is not as it was written."""
    PACK_HIDES = "pack_hides"
    """A pack leaves out an entry of its own round, or part of a command that it shows."""
    PACK_DIFFERS = "pack_differs"
    """What a pack says beside its entries is not what they give."""
    NOT_COVERED = "not_covered"
    """None of the given heads proves the round of a pack."""


class Fault(Struct, frozen=True, omit_defaults=True):
    """``version`` is None if the fault is not in a single entry.

    Texts from the database may be hostile: what is not printable is escaped, so that no terminal obeys it.
    """

    stream: str
    version: int | None
    code: FaultCode
    message: str

    def __post_init__(self) -> None:
        force_setattr(self, "stream", printable(self.stream))
        force_setattr(self, "message", printable(self.message))

    @property
    def where(self) -> str:
        return self.stream if self.version is None else f"{self.stream} entry {self.version}"


class FaultFound(Exception):
    """Raised at a fault after which the stream cannot be read further."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def require(link: "Link", holds: bool, code: FaultCode, words: str) -> None:  # noqa: FBT001 - reads as a sentence
    """Raise at an entry unless something holds."""
    if not holds:
        raise fault_found(link.entry.stream, link.entry.version, code, words)


def fault_found(stream: str, version: int | None, code: FaultCode, message: str) -> FaultFound:
    return FaultFound(Fault(stream, version, code, message))
