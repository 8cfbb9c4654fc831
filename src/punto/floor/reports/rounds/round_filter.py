"""What a search for rounds asks for."""

from enum import StrEnum

from msgspec import Struct

from punto.floor.journal.round_marks import LEAST_POWER, NATURAL, MarkKind, mark_of, power_of

FAR = 2**62
"""After every time, version and key."""

ResultPlace = tuple[int, int]
"""When a round was opened, and the key of its row: the order of results."""


class AmountOf(StrEnum):
    STAKE = "stake"
    """A single bet or insurance."""
    PAYOUT = "payout"
    """What a player got for one, with the stake."""
    TOTAL = "total"
    """All stakes of the round."""


class RoundFilter(Struct, frozen=True, kw_only=True):
    """Which rounds to find. What is left at its default does not matter."""

    from_us: int = 0
    """When betting opened."""
    until_us: int = FAR
    """Not included."""
    table: str = ""
    dealer: str = ""
    """Anybody who gave a command as a dealer."""
    players: tuple[str, ...] = ()
    """Ids, places or names: one of them."""
    box: str = ""
    """As :func:`~punto.floor.journal.round_marks.printed_box` writes it."""
    bet: str = ""
    clause: str = ""
    kind: str = ""
    incident: int = 0
    outcome: str = ""
    natural: bool = False
    amount: AmountOf = AmountOf.STAKE
    least_minor: int = 0
    most_minor: int | None = None
    before: ResultPlace = (FAR, FAR)

    @property
    def concerns_one_bet(self) -> bool:
        """Whether the record must have one bet that fits all of it."""
        has_amount = self.amount is not AmountOf.TOTAL and (self.least_minor > 0 or self.most_minor is not None)
        return bool(self.box or self.bet or has_amount)

    def marks(self, dealer: str) -> list[str]:
        """All but those of players. ``dealer`` is the name as the journal has it."""
        wanted: list[tuple[MarkKind, object]] = [
            (MarkKind.TABLE, self.table),
            (MarkKind.DEALER, dealer),
            (MarkKind.BOX, self.box),
            (MarkKind.BET, self.bet),
            (MarkKind.CLAUSE, self.clause),
            (MarkKind.KIND, self.kind),
            (MarkKind.OUTCOME, self.outcome),
            (MarkKind.OUTCOME, NATURAL if self.natural else ""),
        ]
        marks = [mark_of(kind, value) for kind, value in wanted if value]
        power = power_of(self.least_minor)
        return [*marks, mark_of(MarkKind(self.amount), power)] if power >= LEAST_POWER else marks

    def contains(self, minor: int) -> bool:
        return self.least_minor <= minor and (self.most_minor is None or minor <= self.most_minor)
