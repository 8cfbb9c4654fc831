"""The case files: what they may say, and how they are read. README.md tells their readers the same."""

from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

CASES = Path(__file__).parent


class Row(Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """A stake, and what becomes of it."""

    who: str = "ann"
    stake: str
    box: int | None = None
    result: str | None = None
    odds: str | None = None
    returned: str | None = None
    cited: list[str] | None = None
    """None: any clauses will do, but some."""

    def settled(self) -> dict[str, Any]:
        """The row as it must come out, its clauses left out; what is not there must not be there."""
        return {
            "who": self.who,
            "box": self.box,
            "stake": f"{Decimal(self.stake):.2f}",
            "result": self.result,
            "odds": self.odds,
            "returned": self.returned,
        }


class Bet(Row, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """A bet."""

    bet: str
    seated: bool = True
    commission: str | None = None
    played: str | None = None

    def laid(self) -> dict[str, Any]:
        """The bet as it lies on the felt."""
        row = {"who": self.who, "bet": self.bet, "stake": self.stake, "seated": self.seated}
        return row if self.box is None else {**row, "box": self.box}

    def settled(self) -> dict[str, Any]:
        """As above."""
        return super().settled() | {"bet": self.bet, "commission": self.commission, "played": self.played}


class Insurance(Row, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Insurance."""

    side: str
    stage: str
    insures: int | None = None
    """The box it turns out to insure, where none is named."""

    def laid(self) -> dict[str, Any]:
        """The insurance as it was taken."""
        row = {"who": self.who, "side": self.side, "stage": self.stage, "stake": self.stake}
        return row if self.box is None else {**row, "box": self.box}

    def settled(self) -> dict[str, Any]:
        """As above."""
        box = self.box if self.insures is None else self.insures
        return super().settled() | {"bet": f"{self.side}_insurance", "stage": self.stage, "box": box}


class Offer(Struct, forbid_unknown_fields=True, frozen=True):
    """Insurance that the cards offer."""

    stage: str
    side: str
    odds: str


class Case(Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """One round, and what the book makes of it."""

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
    """None: not looked at."""

    error: str | None = None
    cited: list[str] = []
    says: str = ""
    """What the message has in it."""

    def __post_init__(self) -> None:
        """A case that would show nothing, or two things at once, is refused."""
        if not self.clauses and not self.readings:
            raise ValueError(f"{self.name!r} names no clause")
        if not self.name.isascii() or not self.name.isprintable():
            raise ValueError(f"{self.name!r} is to be plain ASCII: it names a test")
        settles = [self.player is not None, self.banker is not None]
        settles += [row.result is not None and row.returned is not None for row in self.rows]
        if self.error is None and not all(settles):
            raise ValueError(f"{self.name!r} lacks points, or a result and what is returned, or an error")
        told = any((*settles, self.natural, self.unused, self.offers is not None))
        if self.error is not None and told:
            raise ValueError(f"{self.name!r} is refused, so nothing can come of it")
        if self.error is None and (self.cited or self.says):
            raise ValueError(f"{self.name!r} is not refused, so no refusal says anything")

    @property
    def rows(self) -> list[Bet | Insurance]:
        """All stakes, in the order in which they are settled."""
        return [*self.bets, *self.insurance]

    def line(self, book: str, layout: str | None) -> bytes:
        """The round as ``punto settle`` takes it."""
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
    """A file of cases."""

    cases: list[Case]

    def __post_init__(self) -> None:
        """Names are how cases are found again."""
        names = Counter(case.name for case in self.cases)
        if twice := [name for name, times in names.items() if times > 1]:
            raise ValueError(f"used for more than one case: {twice}")


def read_cases(text: str) -> list[Case]:
    """The cases of a file; refused if it says anything that a case cannot say."""
    return msgspec.toml.decode(text, type=CaseFile).cases
