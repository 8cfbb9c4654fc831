"""The golden sessions as they were recorded: all of them in one compressed file, listed beside it.

The list has a line for each, with the hash of its events. Lines are only ever added.
"""

import hashlib
import io
import tarfile
from functools import cache
from pathlib import Path

from punto.table.revision import REVISION
from tests.golden.evening import FOLDER, Evening, read_evening

ARCHIVE, LIST = "recordings.tar.xz", "recordings.txt"


@cache
def recordings(folder: Path = FOLDER) -> dict[str, str]:
    """The text of every recording by its name, such as ``commission/evening-2``, in the order of books and names."""
    if not (folder / ARCHIVE).exists():
        return {}
    with tarfile.open(folder / ARCHIVE) as archive:
        files = {member.name: archive.extractfile(member) for member in archive.getmembers()}
        return {name: file.read().decode() for name, file in files.items() if file is not None}


@cache
def golden(name: str) -> Evening:
    return read_evening(recordings()[name])


def list_line(name: str, evening: Evening) -> str:
    """What the list says of a recording."""
    events = "\n".join(event for step in evening.steps for event in step.events)
    return f"{name} revision {evening.revision} {hashlib.sha256(events.encode()).hexdigest()}"


def add_recording(folder: Path, name: str, text: str) -> None:
    """Add a recording to the archive and to the list; one that is there is never changed."""
    texts = {**recordings(folder)}
    if name in texts:
        raise ValueError(f"{name} is recorded: a golden session is never edited, write another one")
    line = list_line(name, read_evening(text))
    texts[name] = text
    write_archive(folder, texts)
    with (folder / LIST).open("a", encoding="utf-8", newline="\n") as file:
        file.write(f"{line}\n")
    recordings.cache_clear()


def write_archive(folder: Path, texts: dict[str, str]) -> None:
    """The same texts always give the same bytes."""
    with tarfile.open(folder / ARCHIVE, "w:xz", preset=9) as archive:
        for name, text in sorted(texts.items(), key=lambda item: item[0].split("/")):
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))


DECIDED_ALIKE = frozenset({4, REVISION})
"""Revisions whose golden sessions this engine decides as they were, except for these files."""

DECIDED_OTHERWISE = frozenset(
    {
        # A call for bets by a slip, cancelled, gives back the round before. The four that follow it: the same.
        "commission/evening-6",
        "commission-insurance/evening-8",
        "da-hu-ying-xiong/evening-6",
        "super-six-plus/evening-6",
        "tiger-buffalo/evening-6",
        # An empty shoe voids nothing by itself: a supervisor reports it.
        "commission/evening-8",
        # The refusal to offer insurance where the table has none now cites the clause on that, 4.2.2.
        "commission-insurance/evening-10",
        # Missed insurance that would have won is decided by a pit manager before a felt table settles.
        "commission-insurance/evening-11",
        # The same.
        "commission-insurance/evening-13",
        # At a table that records cards only the players have their options after a dealing error too.
        "commission-insurance/evening-9",
        # No late offer while the cards showing give one of their own: the refusal cites 5.13.1, which leads there.
        "da-hu-ying-xiong/evening-8",
        # The same; and the refusal where the table has no insurance cites 4.2.2.
        "da-hu-ying-xiong/evening-9",
        # Excess cards whose order is lost and matters fall under 5.10: everybody has the options after the ruling.
        "super-six-plus/evening-8",
        # No late offer while the cards showing give one of their own: the refusal cites 5.13.1, which leads there.
        "tiger-buffalo/evening-8",
        # The same; and the refusal where the table has no insurance cites 4.2.2.
        "tiger-buffalo/evening-9",
    }
)
"""Files of revision 4 that revision 5 decides otherwise. They and all older ones are replayed by their events alone."""


def _listed() -> dict[str, int]:
    """The revision of each recording by its name."""
    lines = (FOLDER / LIST).read_text(encoding="utf-8").splitlines()
    revisions = {name: int(revision) for name, _, revision, _ in map(str.split, lines)}
    return dict(sorted(revisions.items(), key=lambda item: item[0].split("/")))


_REVISIONS = _listed()
ALL = tuple(_REVISIONS)
"""The names of all recordings, in the order of books and names."""
REPEATED_BEFORE = 4
"""The evenings of earlier revisions are recorded again in this one."""
NEWEST = tuple(name for name, revision in _REVISIONS.items() if revision >= REPEATED_BEFORE)
"""The newest recording of each evening."""
DECIDED = tuple(name for name in NEWEST if _REVISIONS[name] in DECIDED_ALIKE and name not in DECIDED_OTHERWISE)
"""Those whose commands this revision of the engine decides as they were."""
