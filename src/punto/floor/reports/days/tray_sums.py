"""Sums over the trays of tables, their counts and slips, and the counts that are missing."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from punto.floor.chips.day_ledger import DayLedger
from punto.floor.chips.tray_record import SignedCount, SlipStep, TrayRecord, slip_number
from punto.floor.clock import SECOND_US
from punto.table.records.chips import CountPurpose, SlipKind

COUNT_WITHIN_US = 3_600 * SECOND_US
"""A count this long after a table opens or a period starts is that of the opener; the same before the end."""


class TraySums(Struct):
    """What lay in trays, and what counts found, in minor units. What moved is in the ledger of the same time."""

    opener: int = 0
    """What lay in the tray at the start, as it was counted or by the record, and floats of tables that were opened."""
    closer: int = 0
    owed: int = 0
    """By how much more players owe than at the start: it counts as won, and does not lie in the tray."""
    unexplained: int = 0
    """Found by counts after the opener."""
    opener_difference: int = 0
    """Found by the opener. It comes from before the period and is no part of its win."""
    uncounted_openers: int = 0
    """How many of the tables have an opener that is only on record: nobody counted it."""
    uncounted_closers: int = 0
    """The same of closers, and of trays that have changed since they were counted."""

    @classmethod
    def of(cls, record: TrayRecord) -> "TraySums":
        return cls(
            opener=record.opening_minor + record.floats_minor,
            closer=record.closing_minor,
            owed=record.owed_minor,
            unexplained=record.unexplained_minor,
            opener_difference=record.opener_difference_minor,
            uncounted_openers=int(record.opener is None),
            uncounted_closers=int(record.closer is None),
        )

    def add(self, other: "TraySums") -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def win(self, ledger: DayLedger) -> int:
        """What the trays gained beyond what was brought to them, by what people counted."""
        came = self.opener + ledger.fills_minor
        return self.closer + ledger.credits_minor + ledger.drop_minor + ledger.vouchers_minor - came

    def explained(self, ledger: DayLedger) -> int:
        """The same from the record of what was won, less what does not lie there, and what counts found."""
        return ledger.win_minor - self.owed + self.unexplained


class CountLine(Struct, frozen=True, kw_only=True):
    """A count of a tray."""

    table: str
    at_us: int
    purpose: CountPurpose
    counted_minor: int
    difference_minor: int
    """Negative if chips were missing."""
    signed_by: tuple[str, ...]
    alone: bool
    """Whether one person signed where the floor's rules want two."""


class SlipLine(Struct, frozen=True, kw_only=True):
    """A fill or a credit, at its last step in the period."""

    number: str
    kind: SlipKind
    amount_minor: int
    state: SlipStep
    at_us: int
    signed_by: tuple[str, ...]
    """At the step that moved its chips, if it was in the period."""


class MissingCount(Struct, frozen=True):
    """An opener or closer that nobody counted and signed."""

    table: str
    purpose: CountPurpose


def count_lines(table: str, counts: Iterable[SignedCount]) -> Iterator[CountLine]:
    for count in counts:
        yield CountLine(
            table=table,
            at_us=count.at_us,
            purpose=count.purpose,
            counted_minor=count.counted_minor,
            difference_minor=count.difference_minor,
            signed_by=count.signed_by,
            alone=count.alone,
        )


def slip_lines(table: str, record: TrayRecord) -> Iterator[SlipLine]:
    moved = {each.slip: each.signed_by for each in record.slips if each.moves}
    for step in {each.slip: each for each in record.slips}.values():
        yield SlipLine(
            number=slip_number(table, step.slip),
            kind=step.kind,
            amount_minor=step.amount_minor,
            state=step.step,
            at_us=step.at_us,
            signed_by=moved.get(step.slip, step.signed_by),
        )


def missing_purposes(counts: Iterable[SignedCount], start_us: int, end_us: int | None) -> list[CountPurpose]:
    """Which counts are missing of a table that was open from one moment to another; None: it still is."""
    opener, closer = False, end_us is None
    for count in counts:
        opener |= count.purpose is not CountPurpose.CLOSER and count.at_us <= start_us + COUNT_WITHIN_US
        closer |= count.purpose is not CountPurpose.OPENER and count.at_us >= (end_us or 0) - COUNT_WITHIN_US
    return [*([] if opener else [CountPurpose.OPENER]), *([] if closer else [CountPurpose.CLOSER])]
