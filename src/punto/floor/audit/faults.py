"""The faults that `punto verify` reports."""

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import force_setattr

from punto.catalogue.printable import printable
from punto.floor.journal.fault_codes import FaultCode as FaultCode  # noqa: PLC0414 - others take it from here

if TYPE_CHECKING:
    from punto.floor.audit.hash_chain import Link


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
