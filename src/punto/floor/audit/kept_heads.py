"""Heads saved outside the database. A hash chain alone cannot show that its last entries were removed."""

import os
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from punto.floor.errors import FloorCode, FloorRefused


class KeptHead(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    hash: str


class KeptHeads(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The heads of all streams at one moment."""

    punto: Literal["heads.1"]
    at_us: int
    streams: dict[str, KeptHead]
    public_key: str = ""
    """With which the signatures of the journal are checked; empty in those of earlier releases."""


def read_heads(path: Path) -> KeptHeads:
    try:
        return msgspec.json.decode(path.read_bytes(), type=KeptHeads)
    except OSError as error:
        raise FloorRefused(FloorCode.BAD_HEADS, variant="file", path=path, reason=error.strerror) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FloorRefused(FloorCode.BAD_HEADS, variant="unreadable", path=path, reason=str(error)) from error


def read_heads_in(path: Path) -> list[KeptHeads]:
    """The heads in a file, or in every file of a directory whose name ends in ``.heads``, oldest first."""
    if not path.is_dir():
        return [read_heads(path)]
    return sorted(map(read_heads, path.glob("*.heads")), key=lambda heads: heads.at_us)


def read_given_heads(path: Path) -> list[KeptHeads]:
    """Those that somebody wants to compare with: refused if there are none, for then nothing would be compared."""
    if not (kept := read_heads_in(path)):
        raise FloorRefused(FloorCode.BAD_HEADS, variant="none", path=path)
    return kept


def write_heads(path: Path, heads: KeptHeads) -> None:
    """Replace the file atomically."""
    draft = path.with_name(f"{path.name}.part")
    try:
        with draft.open("wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(heads), indent=1) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise FloorRefused(FloorCode.BAD_HEADS, variant="file", path=path, reason=error.strerror) from error
