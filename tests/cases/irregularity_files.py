"""The cases of what goes wrong: what they may say, and how they are read. README.md tells their readers the same."""

from collections import Counter
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from tests.cases.case_files import CASES

EVERYTHING = "everything"


class Irregular(Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """One thing gone wrong, and how it ends."""

    name: str
    clauses: list[str] = []
    """All that the table cites: of what went wrong, of what followed, of what was refused."""
    shows: list[str] = []
    """Clauses that the case shows besides."""
    readings: list[str] = []

    table: str = ""
    decks: int = 8
    left: int | None = None
    """How many cards the shoe holds when the case begins."""
    before: list[str] = []
    bets: list[str]
    bets_close: bool = True
    happens: list[str]

    established: list[str] | str = []
    """The bets that were certain; ``everything`` where all of the layout were."""
    options: list[str] = []
    void: bool = False
    cards_kept: str = ""
    ends: dict[str, str]
    why: str

    def __post_init__(self) -> None:
        """A case that would show nothing, or not all that came of it, is refused."""
        if not self.clauses and not self.shows and not self.readings:
            raise ValueError(f"{self.name!r} names no clause")
        if not self.name.isascii() or not self.name.isprintable():
            raise ValueError(f"{self.name!r} is to be plain ASCII: it names a test")
        if isinstance(self.established, str) and self.established != EVERYTHING:
            raise ValueError(f"{self.name!r}: established is a list of bets, or {EVERYTHING!r}")
        bettors = {line.split()[-1 if " for " in line else 0] for line in self.bets}
        if missing := bettors - self.ends.keys():
            raise ValueError(f"{self.name!r} does not say what {', '.join(sorted(missing))} ends with")

    @property
    def shown(self) -> list[str]:
        """All clauses that the case shows."""
        return list(dict.fromkeys([*self.clauses, *self.shows]))


class IrregularityFile(Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """A file of such cases, all at one table if they do not say otherwise."""

    table: str
    cases: list[Irregular]

    def __post_init__(self) -> None:
        """Names are how cases are found again."""
        names = Counter(case.name for case in self.cases)
        if twice := [name for name, times in names.items() if times > 1]:
            raise ValueError(f"used for more than one case: {twice}")


class Filed(Struct, frozen=True):
    """A case with the book and the file it is of."""

    book: str
    path: Path
    table: str
    case: Irregular


def read_file(text: str) -> IrregularityFile:
    """A file, refused if it says anything that a case cannot say."""
    return msgspec.toml.decode(text, type=IrregularityFile)


@cache
def all_irregularities() -> tuple[Filed, ...]:
    """Every case of every book."""
    filed = []
    for path in sorted(CASES.glob("*/irregularities/*.toml")):
        file = read_file(path.read_text("utf-8"))
        filed += [Filed(path.parts[-3], path, f"{file.table} {case.table}".strip(), case) for case in file.cases]
    return tuple(filed)
