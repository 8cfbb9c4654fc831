"""The format of the case files; README.md describes it."""

from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

CASES = Path(__file__).parent


class Row(Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """A stake and its expected outcome."""

    who: str = "ann"
    stake: str
    box: int | None = None
    result: str | None = None
    odds: str | None = None
    returned: str | None = None
    cited: list[str] | None = None
    """None: at least one clause, whichever."""

    def settled(self) -> dict[str, Any]:
        """The expected result without its clauses; a None must be missing there."""
        return {
            "who": self.who,
            "box": self.box,
            "stake": f"{Decimal(self.stake):.2f}",
            "result": self.result,
            "odds": self.odds,
            "returned": self.returned,
        }


class Bet(Row, forbid_unknown_fields=True, kw_only=True, frozen=True):
    bet: str
    seated: bool = True
    commission: str | None = None
    played: str | None = None

    def laid(self) -> dict[str, Any]:
        row = {"who": self.who, "bet": self.bet, "stake": self.stake, "seated": self.seated}
        return row if self.box is None else {**row, "box": self.box}

    def settled(self) -> dict[str, Any]:
        return super().settled() | {"bet": self.bet, "commission": self.commission, "played": self.played}


class Insurance(Row, forbid_unknown_fields=True, kw_only=True, frozen=True):
    side: str
    stage: str
    insures: int | None = None
    """The expected box if ``box`` is None."""

    def laid(self) -> dict[str, Any]:
        row = {"who": self.who, "side": self.side, "stage": self.stage, "stake": self.stake}
        return row if self.box is None else {**row, "box": self.box}

    def settled(self) -> dict[str, Any]:
        box = self.box if self.insures is None else self.insures
        return super().settled() | {"bet": f"{self.side}_insurance", "stage": self.stage, "box": box}


class Offer(Struct, forbid_unknown_fields=True, frozen=True):
    stage: str
    side: str
    odds: str


class Case(Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    name: str
    clauses: list[str]
    readings: list[str] = []
    layouts: list[str] = []
    """The round is played on each of them."""
    decks: int | None = None
    limits: dict[str, str] | None = None
    cards: str
    bets: list[Bet]
    insurance: list[Insurance] = []

    player: int | None = None
    banker: int | None = None
    natural: bool = False
    unused: str = ""
    offers: list[Offer] | None = None
    """None: not checked."""

    error: str | None = None
    cited: list[str] = []
    says: str = ""
    """A part of the refusal's message."""

    def __post_init__(self) -> None:
        """Refuse a case that shows nothing, or contradicts itself."""
        if not self.clauses and not self.readings:
            raise ValueError(f"{self.name!r} names no clause")
        if not self.name.isascii() or not self.name.isprintable():
            raise ValueError(f"{self.name!r} must be plain ASCII, because it names a test")
        settles = [self.player is not None, self.banker is not None]
        settles += [row.result is not None and row.returned is not None for row in self.rows]
        if self.error is None and not all(settles):
            raise ValueError(f"{self.name!r} lacks points, or a result and what is returned, or an error")
        has_outcome = any((*settles, self.natural, self.unused, self.offers is not None))
        if self.error is not None and has_outcome:
            raise ValueError(f"{self.name!r} is refused, so it cannot have an outcome")
        if self.error is None and (self.cited or self.says):
            raise ValueError(f"{self.name!r} is not refused, so it cannot have `cited` or `says`")

    @property
    def rows(self) -> list[Bet | Insurance]:
        """All stakes in the order of their results."""
        return [*self.bets, *self.insurance]

    def line(self, book: str, layout: str | None) -> bytes:
        """The round as a line for ``punto settle``."""
        line: dict[str, Any] = {
            "game": book,
            "cards": self.cards.split(),
            "bets": [bet.laid() for bet in self.bets],
            "insurance": [insured.laid() for insured in self.insurance],
        }
        optional = {"layout": layout, "decks": self.decks, "limits": self.limits}
        line |= {key: value for key, value in optional.items() if value is not None}
        return msgspec.json.encode(line)


class CaseFile(Struct, forbid_unknown_fields=True, frozen=True):
    cases: list[Case]

    def __post_init__(self) -> None:
        """Refuse a name used twice: names identify cases."""
        names = Counter(case.name for case in self.cases)
        if twice := [name for name, times in names.items() if times > 1]:
            raise ValueError(f"used for more than one case: {twice}")


def read_cases(text: str) -> list[Case]:
    return msgspec.toml.decode(text, type=CaseFile).cases
