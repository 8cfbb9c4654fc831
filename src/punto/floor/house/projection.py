"""What a table of the database shows of the house's stream.

A projection says which rows an event adds, changes and removes. The writer does that in the transaction that appends
the event, ``verify`` does it in a temporary database, and compares.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from msgspec import Struct

from punto.floor.journal.entry import Entry
from punto.floor.journal.event_base import HouseEvent
from punto.floor.journal.fault_codes import FaultCode

Values = Mapping[str, Any]
"""By column."""


class Not(Struct, frozen=True):
    """In a condition: any other value."""

    value: object


class AtMost(Struct, frozen=True):
    """In a condition: this value or a lower one."""

    value: int


class Uncompared(Struct, frozen=True):
    """A value that the stream does not say: it is written, but not compared."""

    value: object = None


NOT_SAID = Uncompared()


class Put(Struct, frozen=True):
    row: Values
    """Its key is new to the table."""
    anew: bool = False
    """Whether it takes the place of a row with the same key."""
    counted: str = ""
    """The column that counts all rows from 1."""


class Update(Struct, frozen=True):
    where: Values
    values: Values
    needed: bool = True
    """Whether the event is impossible if no row fits."""


class Delete(Struct, frozen=True):
    """An empty condition fits all rows."""

    where: Values


class Need(Struct, frozen=True):
    """The event is impossible unless a table has a row that fits."""

    table: str
    where: Values


class Lack(Struct, frozen=True):
    """The event is impossible if a table has a row that fits."""

    table: str
    where: Values


Operation = Put | Update | Delete | Need | Lack


class Projection(ABC):
    """A table of the database. Its columns are of three kinds.

    Those that are *derived* are compared. Those that are *stored* are not in the stream, which has commitments to them:
    what :meth:`compared` makes of them is compared. Others are *volatile*: they change without an event.
    """

    table: ClassVar[str]
    thing: ClassVar[str]
    """What a row is, for the words of a fault."""
    fault: ClassVar[FaultCode]
    key: ClassVar[tuple[str, ...]]
    derived: ClassVar[tuple[str, ...]] = ()
    """Besides the key."""
    committed: ClassVar[tuple[str, ...]] = ()
    """Names of what :meth:`compared` adds."""
    stored: ClassVar[tuple[str, ...]] = ()
    volatile: ClassVar[tuple[str, ...]] = ()
    complete: ClassVar[bool] = True
    """Whether a row that is missing is a fault."""
    ordered: ClassVar[str] = ""
    """The column of the database that numbers the rows as they were written, with gaps. The key is then their place."""
    kinds: ClassVar[tuple[type[HouseEvent], ...]]

    @abstractmethod
    def apply(self, event: Any, entry: Entry) -> Iterable[Operation]:
        """What an event does to the rows. Raises ``ValueError`` for one that is impossible."""

    def compared(self, row: dict[str, Any]) -> Values | None:
        """What is compared of a stored row; None for one that the stream says nothing about."""
        return row

    def fault_of(self, key: tuple[Any, ...]) -> FaultCode:  # noqa: ARG002 - of one kind, unless it says otherwise
        return self.fault

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the database."""
        own = () if self.ordered else self.key
        return (*own, *self.derived, *self.stored, *self.volatile)

    @property
    def compared_columns(self) -> tuple[str, ...]:
        return (*self.key, *self.derived, *self.committed)


class Stored(Struct, frozen=True):
    """An event, and what is stored with it that the stream has no more than a commitment to."""

    event: HouseEvent
    columns: Values


def condition(where: Values) -> tuple[str, tuple[object, ...]]:
    """In SQL, with its values."""
    parts = list(_parts(where))
    return " AND ".join(part for part, _ in parts) or "1 = 1", tuple(value for _, value in parts)


def _parts(where: Values) -> Iterator[tuple[str, object]]:
    for column, value in where.items():
        match value:
            case Not():
                yield f"{column} <> ?", value.value
            case AtMost():
                yield f"{column} <= ?", value.value
            case _:
                yield f"{column} = ?", value
