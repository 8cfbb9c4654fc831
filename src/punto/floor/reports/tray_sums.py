"""The tray of a table in a period: what lay in it, what came and went, and the win that follows from it.

Every change of the tray on record has one cause, so the win by count is explained to the last cent by the rounds,
rulings, wrong payments, and what counts found missing.
"""

from collections import Counter

from msgspec import Struct

from punto.floor.clock import SECOND_US
from punto.floor.journal.entry import Entry, context_of
from punto.floor.settings.gaming_day import Period
from punto.table.records.chips import (
    CountPurpose,
    SlipKind,
    SlipReceived,
    SlipRequested,
    SlipSent,
    SlipVoided,
    TrayCounted,
    total_minor,
)
from punto.table.records.events import ChipsBought, ChipsCashed, Event, MoneyEvent, TableClosed, TableOpened
from punto.table.records.findings import Ruled
from punto.table.records.kinds import BuyInKind, CashOutKind, Effect
from punto.table.records.ledger import FLOAT, MISPAID, owed_minor, player_of, tray_minor

COUNT_WITHIN_US = 3_600 * SECOND_US
"""A table that stays open is counted within this time of the start and of the end of a period."""

_OPENER, _CLOSER = CountPurpose.OPENER, CountPurpose.CLOSER


class TraySums(Struct):
    """Amounts in minor units. Those that explain the win are negative if the tray lost by them."""

    opener: int = 0
    """What lay in the tray at the start: as it was counted, or by the record."""
    closer: int = 0
    """The same at the end."""
    fills: int = 0
    """Also the float with which a table was opened again."""
    credits: int = 0
    drop: int = 0
    """Cash for chips, less chips for cash."""
    vouchers: int = 0
    """Vouchers for chips, less chips for vouchers."""
    rounds: int = 0
    """Settlements, as they changed the tray in the period."""
    rulings: int = 0
    mispaid: int = 0
    """Wrong payments, and what players came to owe."""
    unexplained: int = 0
    """Found by counts after the opener."""
    opener_difference: int = 0
    """Found by counts of the opener: it is no part of the win."""

    def add(self, other: "TraySums") -> None:
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def win(self) -> int:
        """By count."""
        return self.closer + self.credits + self.drop + self.vouchers - self.opener - self.fills

    @property
    def explained(self) -> int:
        return self.rounds + self.rulings + self.mispaid + self.unexplained


class CountLine(Struct, frozen=True, kw_only=True):
    """A count of a tray."""

    table: str
    at_us: int
    purpose: CountPurpose
    counted_minor: int
    difference_minor: int
    """Negative if chips were missing."""
    counted_by: tuple[str, ...]
    """Who signed it, first the one who counted first."""
    alone: bool
    """Whether one person signed where the floor's rules want two."""


class SlipLine(Struct, frozen=True, kw_only=True):
    """A fill or a credit."""

    table: str
    number: int
    kind: SlipKind
    amount_minor: int
    state: str
    """`requested`, `sent`, `received` or `void`."""
    at_us: int
    """When it came to this state."""
    by: str


class MissingCount(Struct, frozen=True):
    """An opener or closer that nobody counted and signed."""

    table: str
    purpose: CountPurpose


class TrayFold:
    """Follows the tray of one table through its openings, in their order, and adds up what falls into a period."""

    def __init__(self, table: str, period: Period) -> None:
        self.sums = TraySums()
        self.counts: list[CountLine] = []
        self.slips: dict[int, SlipLine] = {}
        """By number, as the period left them."""
        self.missing: list[MissingCount] = []
        self._table, self._period = table, period
        self._balances: Counter[str] = Counter()
        self._debts = False
        self._started = False
        """Whether the opener is known."""
        self._opener_due = False
        """Whether nobody has counted the tray yet since the table was opened, or since the period started."""
        self._fresh = self._counted = self._open = False
        """Whether the table was opened, or the tray counted, and nothing has changed the tray since."""
        self._counted_us = 0

    def open(self, *, debts: bool) -> None:
        """Go on with another opening. Without ``debts`` nobody ever owes anything in it, so bets do not matter."""
        self._debts = debts

    def take(self, entry: Entry, event: Event) -> None:
        """Apply the next entry. The first of an opening is the one that opened the table, or a count."""
        until_us = self._period.until_us
        if until_us is not None and entry.at_us >= until_us:
            return
        inside = self._period.contains(entry.at_us)
        if inside:
            self._start(event)
            self._list(entry, event)
        if isinstance(event, TableClosed):
            self._open = False
            if inside:
                self._miss(opener=self._opener_due, closer=not self._counted)
        if isinstance(event, MoneyEvent):
            self._move(entry, event, inside=inside)

    def finish(self, now_us: int) -> TraySums:
        """The sums of the period; of one that is not over, so far."""
        if not self._started:
            self._begin()
        self.sums.closer = tray_minor(self._balances)
        self._miss(opener=self._opener_due, closer=self._open and not self._counted and self._closer_due(now_us))
        return self.sums

    def _miss(self, *, opener: bool, closer: bool) -> None:
        self._opener_due = False
        due = [purpose for purpose, is_due in ((_OPENER, opener), (_CLOSER, closer)) if is_due]
        self.missing += [MissingCount(self._table, purpose) for purpose in due]

    def _closer_due(self, now_us: int) -> bool:
        until_us = self._period.until_us
        return until_us is not None and until_us <= now_us and self._counted_us < until_us - COUNT_WITHIN_US

    def _start(self, event: Event) -> None:
        if not self._started and not isinstance(event, TableOpened):
            self._begin()

    def _begin(self) -> None:
        """The table was open when the period started."""
        self._started, self._opener_due = True, not self._counted
        self.sums.opener = tray_minor(self._balances)

    def _list(self, entry: Entry, event: Event) -> None:
        if isinstance(event, TrayCounted):
            self.counts.append(_count(self._table, entry, event))
            if event.purpose is _OPENER or entry.at_us < (self._period.since_us or 0) + COUNT_WITHIN_US:
                self._opener_due = False
        if isinstance(event, SlipRequested | SlipSent | SlipReceived | SlipVoided):
            self.slips[event.slip] = _slip(self._table, entry, event)

    def _move(self, entry: Entry, event: MoneyEvent, *, inside: bool) -> None:
        opened, counted = isinstance(event, TableOpened), isinstance(event, TrayCounted)
        before, wrong_before = tray_minor(self._balances), self._wrong
        if opened:
            self._balances, self._open = Counter(), True
        elif isinstance(event, TrayCounted) and not self._open:  # everything before it is left out
            self._balances, self._open = Counter({FLOAT: event.expected_minor}), True
            before = event.expected_minor
        for posting in event.postings:
            if self._debts or player_of(posting.account) is None:
                self._balances[posting.account] += posting.amount_minor
        change = tray_minor(self._balances) - before
        if inside:
            self._add(event, change, 0 if opened else self._wrong - wrong_before)
        if opened or counted or change:
            self._fresh, self._counted = opened, counted
        if counted:
            self._counted_us = entry.at_us

    @property
    def _wrong(self) -> int:
        return self._balances[MISPAID] - owed_minor(self._balances)

    def _add(self, event: MoneyEvent, change: int, wrongly: int) -> None:
        sums = self.sums
        sums.mispaid += wrongly
        change -= wrongly
        match event:
            case TableOpened():
                if self._started:
                    sums.fills += change
                else:
                    sums.opener = tray_minor(self._balances)
                self._started = self._opener_due = True
            case TrayCounted(purpose=CountPurpose.OPENER) if self._fresh:
                sums.opener_difference += change
                sums.opener += change
            case TrayCounted():
                sums.unexplained += change
            case SlipSent() | SlipReceived() if event.kind is SlipKind.FILL:
                sums.fills += change
            case SlipSent() | SlipReceived():
                sums.credits -= change
            case ChipsBought(kind=BuyInKind.VOUCHER) | ChipsCashed(kind=CashOutKind.VOUCHER):
                sums.vouchers -= change
            case ChipsBought() | ChipsCashed():
                sums.drop -= change
            case Ruled(effect=Effect.ADJUST):
                sums.rulings += change
            case _:
                sums.rounds += change


def _slip(table: str, entry: Entry, event: SlipRequested | SlipSent | SlipReceived | SlipVoided) -> SlipLine:
    return SlipLine(
        table=table,
        number=event.slip,
        kind=event.kind,
        amount_minor=total_minor(event.piles) if isinstance(event, SlipRequested) else event.amount_minor,
        state=_STATES[type(event)],
        at_us=entry.at_us,
        by=entry.actor,
    )


_STATES: dict[type[Event], str] = {
    SlipRequested: "requested",
    SlipSent: "sent",
    SlipReceived: "received",
    SlipVoided: "void",
}


def _count(table: str, entry: Entry, event: TrayCounted) -> CountLine:
    context = context_of(entry)
    signed = (context.proposed_by, entry.actor) if context.proposed_by else (entry.actor,)
    return CountLine(
        table=table,
        at_us=entry.at_us,
        purpose=event.purpose,
        counted_minor=event.counted_minor,
        difference_minor=event.difference_minor,
        counted_by=signed,
        alone=context.alone,
    )
