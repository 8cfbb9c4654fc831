"""The first of two blind counts of a tray, as it is stored until somebody else has counted.

What was counted is encrypted with the floor's key, and the house's stream has a commitment to it: whoever can only
write to the database can neither read a count nor plant one.
"""

import logging
from collections.abc import Iterable, Sequence
from hashlib import sha256
from secrets import token_hex

import msgspec
from msgspec import Struct, field

from punto.floor.clock import DAY_US
from punto.floor.database.base import Transaction
from punto.floor.house.projection import Delete, Operation, Projection, Put, Stored
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, text_start
from punto.floor.journal.fault_codes import FaultCode
from punto.floor.journal.house_events import HOUSE, FloorRestored, HouseEvent, read_house_event
from punto.floor.journal.pit_events import CountsAgreed, CountsDiffered, FirstCountMade
from punto.floor.names.names import fold
from punto.floor.secret_key import NotOpened, SecretKey
from punto.table.records.chips import ChipPile, CountPurpose

SELECT_COUNTS = "SELECT at_table, stream, id, actor, at_us, purpose, piles, tray_minor FROM counts"
_PILES = msgspec.json.Decoder(tuple[ChipPile, ...])
_ABOUT_COUNTS = (text_start(FirstCountMade), text_start(CountsAgreed), text_start(CountsDiffered))
_LOG = logging.getLogger(__name__)


class CountsTable(Projection):
    """What it stores is sealed: :mod:`punto.floor.audit.checks.counts` opens it with the floor's key."""

    table = "counts"
    thing = "first count of the tray of"
    fault = FaultCode.COUNTS_DIFFER
    key = ("at_table",)
    derived = ("stream", "id", "actor")
    stored = ("at_us", "purpose", "piles", "tray_minor")
    complete = False
    kinds = (FirstCountMade, CountsAgreed, CountsDiffered, FloorRestored)

    def apply(self, event: HouseEvent, entry: Entry) -> Iterable[Operation]:
        match event:
            case FirstCountMade():
                row = {"at_table": event.table, "stream": event.stream, "id": event.count, "actor": entry.actor}
                yield Put(row, anew=True)
            case CountsAgreed() | CountsDiffered():
                yield Delete({"at_table": event.table})
            case FloorRestored():
                yield Delete({})


class FirstCount(Struct, frozen=True):
    table: str
    stream: str
    id: str
    by: str
    at_us: int
    purpose: CountPurpose
    piles: tuple[ChipPile, ...]
    tray_minor: int
    """What was on record in the tray then. If it changes before the second count, this one is void."""
    nonce: str = field(default_factory=lambda: token_hex(32))

    def is_by(self, name: str) -> bool:
        return fold(name) == fold(self.by)

    @property
    def commitment(self) -> str:
        return count_commitment(self.nonce, self.stream, self.id, self.purpose, self.piles, self.tray_minor)

    def made(self, key: SecretKey) -> Stored:
        """The event, with what is stored of the count."""
        plain = f"{self.nonce}\n{write_piles(self.piles)}".encode()
        about = (self.table, self.stream, self.id, self.by, self.at_us, self.purpose, self.tray_minor)
        columns = {"at_us": self.at_us, "purpose": self.purpose, "tray_minor": self.tray_minor}
        piles = key.seal(plain, _about(about)).hex()
        return Stored(FirstCountMade(self.table, self.stream, self.id, self.commitment), {**columns, "piles": piles})


def write_piles(piles: Sequence[ChipPile]) -> str:
    return msgspec.json.encode(piles).decode()


def count_commitment(
    nonce: str, stream: str, count_id: str, purpose: str, piles: Sequence[ChipPile], tray_minor: int
) -> str:
    """SHA-256 over all of these, one per line."""
    return sha256(
        "\n".join((nonce, stream, count_id, purpose, write_piles(piles), str(tray_minor))).encode()
    ).hexdigest()


def open_count(row: Sequence[object], key: SecretKey) -> FirstCount | None:
    """A row of :data:`SELECT_COUNTS`; None if this key has not sealed it so."""
    *about, purpose, sealed, tray_minor = row
    try:
        plain = key.open(bytes.fromhex(str(sealed)), _about((*about, purpose, tray_minor))).decode()
        nonce, _, piles = plain.partition("\n")
        values = (*about, purpose, _PILES.decode(piles), tray_minor, nonce)
        return msgspec.convert(dict(zip(FirstCount.__struct_fields__, values, strict=True)), FirstCount)
    except (NotOpened, ValueError):  # includes what msgspec raises
        return None


def _about(values: Sequence[object]) -> bytes:
    return "\n".join(("count", *map(str, values))).encode()


def find_count(transaction: Transaction, key: SecretKey, table: str, stream: str) -> FirstCount | None:
    """The count that waits for a second one in this opening of a table. One that was planted or is over is none."""
    rows = transaction.rows(f"{SELECT_COUNTS} WHERE at_table = ? AND stream = ?", (table, stream))
    count = open_count(rows[0], key) if rows else None
    if rows and (count is None or not _waits(transaction, count)):
        _LOG.error("the first count of the tray of %s was not made on this floor, or was put back", table)
        return None
    return count


def _waits(transaction: Transaction, count: FirstCount) -> bool:
    """Whether the last that the house's stream says about counts of the table is that this one was made."""
    for entry in streams.read_back(transaction, streams.head(transaction, HOUSE)):
        if entry.event.startswith(_ABOUT_COUNTS):
            event = read_house_event(entry.event)
            assert isinstance(event, FirstCountMade | CountsAgreed | CountsDiffered)  # noqa: S101 - by its start
            if event.table == count.table:
                return isinstance(event, FirstCountMade) and event.commitment == count.commitment
        if entry.at_us < count.at_us - DAY_US:  # clocks may be set back, but not by a day
            break
    return False
