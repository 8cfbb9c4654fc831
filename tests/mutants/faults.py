"""Reads the list of faults."""

from pathlib import Path

import msgspec
from msgspec import Struct

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "punto"


class Fault(Struct, frozen=True, forbid_unknown_fields=True):
    """One place in the source, and what stands there by mistake."""

    path: str
    right: str
    wrong: str
    found_in: str

    def put_into(self, text: str) -> str:
        assert text.count(self.right) == 1, f"{self.path}: not there once: {self.right}"
        return text.replace(self.right, self.wrong)


class _Faults(Struct, forbid_unknown_fields=True):
    fault: list[Fault]


def faults() -> list[Fault]:
    return msgspec.toml.decode((Path(__file__).parent / "faults.toml").read_bytes(), type=_Faults).fault
