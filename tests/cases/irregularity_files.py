"""The format of the irregularity case files; README.md describes it."""

from collections import Counter
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from tests.cases.case_files import CASES

EVERYTHING = "everything"
EVERYBODY = "everybody"
"""Instead of the players who choose: everybody with a bet, where only cards are recorded."""


class Irregular(Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    name: str
    clauses: list[str] = []
    """All clauses that the table cites, including those of refusals."""
    shows: list[str] = []
    """Clauses that the case shows without the table citing them."""
    readings: list[str] = []

    table: str = ""
    decks: int = 8
    left: int | None = None
    """Number of cards in the shoe at the start."""
    before: list[str] = []
    bets: list[str]
    bets_close: bool = True
    happens: list[str]

    established: list[str] | str = []
    """The decided bets, or ``everything`` for all bets of the layout."""
    options: list[str] = []
    void: bool = False
    cards_kept: str = ""
    commission: str = ""
    """The change of the house's commission; empty if the case does not say."""
    ends: dict[str, str]
    why: str

    def __post_init__(self) -> None:
        """Refuse a case that shows nothing or leaves out a bettor's result."""
        if not self.clauses and not self.shows and not self.readings:
            raise ValueError(f"{self.name!r} names no clause")
        if not self.name.isascii() or not self.name.isprintable():
            raise ValueError(f"{self.name!r} must be plain ASCII, because it names a test")
        if isinstance(self.established, str) and self.established != EVERYTHING:
            raise ValueError(f"{self.name!r}: established is a list of bets, or {EVERYTHING!r}")
        bettors = {line.split()[-1 if " for " in line else 0] for line in self.bets}
        if missing := bettors - self.ends.keys():
            raise ValueError(f"{self.name!r} does not say what {', '.join(sorted(missing))} ends with")

    @property
    def shown(self) -> list[str]:
        return list(dict.fromkeys([*self.clauses, *self.shows]))


class IrregularityFile(Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Cases that share the table's settings; a case can add its own."""

    table: str
    cases: list[Irregular]

    def __post_init__(self) -> None:
        """Refuse a name used twice: names identify cases."""
        names = Counter(case.name for case in self.cases)
        if twice := [name for name, times in names.items() if times > 1]:
            raise ValueError(f"used for more than one case: {twice}")


class Filed(Struct, frozen=True):
    book: str
    path: Path
    table: str
    case: Irregular


def read_file(text: str) -> IrregularityFile:
    return msgspec.toml.decode(text, type=IrregularityFile)


@cache
def all_irregularities() -> tuple[Filed, ...]:
    filed = []
    for path in sorted(CASES.glob("*/irregularities/*.toml")):
        file = read_file(path.read_text("utf-8"))
        filed += [Filed(path.parts[-3], path, f"{file.table} {case.table}".strip(), case) for case in file.cases]
    return tuple(filed)
