"""What happened to a table's tray in a period: counts, fills, credits, what was sold and bought back, and the win.

The win by count is what the tray has gained, apart from what came and went. It differs from the win by rounds by what
rulings paid, by wrong payments, by what players still owe, and by what counts found and nobody can explain. All of it
is from the entries, so the two always differ by exactly that.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import asdict

from punto.floor.chips.day_ledger import DayLedger
from punto.floor.journal.entry import Entry, context_of, event_of, read_command
from punto.floor.settings.gaming_day import Period
from punto.table.records.chips import (
    ChipPile,
    CountPurpose,
    SlipKind,
    SlipReceived,
    SlipRequested,
    SlipSent,
    SlipVoided,
    TrayCounted,
    total_minor,
)
from punto.table.records.events import Event, MoneyEvent, TableOpened
from punto.table.records.ledger import (
    FLOAT,
    Posting,
    owed_minor,
    player_of,
    post,
    tray_minor,
)

_MOVES = ('"postings":[[', *(f'"event":"{name}' for name in ("slip_", "tray_counted", "chips_bought", "table_opened")))
"""Every entry that this needs has one of these."""


class SlipStep(StrEnum):
    REQUESTED = "requested"
    SENT = "sent"
    RECEIVED = "received"
    VOID = "void"


class SignedCount(Struct, frozen=True):
    at_us: int
    stream: str
    version: int
    purpose: CountPurpose
    piles: tuple[ChipPile, ...]
    counted_minor: int
    expected_minor: int
    signed_by: tuple[str, ...]
    """Those who counted."""
    alone: bool
    """Whether one person counted where two should have."""

    @property
    def difference_minor(self) -> int:
        return self.counted_minor - self.expected_minor


class SlipEntry(Struct, frozen=True):
    """One step of a slip."""

    at_us: int
    slip: int
    kind: SlipKind
    step: SlipStep
    amount_minor: int
    signed_by: tuple[str, ...]
    alone: bool
    reason: str = ""
    """Of a void one."""

    @property
    def moves(self) -> bool:
        """Whether chips reach or leave the tray with it, before two people."""
        return self.step is (SlipStep.RECEIVED if self.kind is SlipKind.FILL else SlipStep.SENT)


class TrayRecord(DayLedger, kw_only=True):
    """What moved in the period, and what lies in the tray at both ends."""

    opening_minor: int = 0
    """What lay in the tray at the start: what the opener counted, or else what was on record."""
    opener: SignedCount | None = None
    """The count behind ``opening_minor``; None if nobody counted since chips last moved."""
    opener_difference_minor: int = 0
    """What the opener found more than was on record. It comes from before, and is in no other figure."""
    closing_minor: int = 0
    closer: SignedCount | None = None
    """The count behind ``closing_minor``; None if chips moved afterwards, or nobody counted."""
    floats_minor: int = 0
    """Put into the tray when the table opened, after ``opening_minor``."""
    owed_minor: int = 0
    """By how much more players owe now than at the start."""
    unexplained_minor: int = 0
    """What counts found more than was on record, without ``opener_difference_minor``. Negative: it is missing."""
    counts: tuple[SignedCount, ...] = ()
    slips: tuple[SlipEntry, ...] = ()

    @property
    def win_by_count_minor(self) -> int:
        came_minor = self.opening_minor + self.floats_minor + self.fills_minor
        return self.closing_minor + self.credits_minor + self.drop_minor + self.vouchers_minor - came_minor

    @property
    def difference_minor(self) -> int:
        """Win by count less win by rounds: always the sum of what explains it and of what nobody can explain."""
        return self.win_by_count_minor - self.win_by_rounds_minor

    @property
    def explained_minor(self) -> int:
        return self.rulings_minor + self.mispaid_minor - self.owed_minor

    @property
    def counted(self) -> bool:
        """Whether people counted at both ends. Else the win by count is only what is on record."""
        return self.opener is not None and self.closer is not None


class TrayFold:
    """Takes the entries of a table in their order, from the start of an opening, and keeps the figures of one period.

    Entries before the period say what lies in the tray when it starts. Entries after it change nothing. Without
    ``debts`` nobody owes chips in these entries: then bets can be left out, and they can start with any count.
    """

    def __init__(self, period: Period, *, debts: bool = True) -> None:
        self._period = period
        self.debts = debts
        self._balances: dict[str, int] = {}
        self._known = False
        """Whether an opening has been read."""
        self._tray_minor = 0
        self._opening_minor = self._floats_minor = self._opener_difference_minor = 0
        self._count: SignedCount | None = None
        """The last one, while no chips have moved since."""
        self._opener: SignedCount | None = None
        self._moved = False
        """Whether chips moved in the period, or were counted."""
        self._ledger = DayLedger()
        self._owed_minor = self._unexplained_minor = 0
        self._counts: list[SignedCount] = []
        self._slips: list[SlipEntry] = []

    def feed(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self.take(entry)

    def take(self, entry: Entry) -> None:
        since_us, until_us = self._period.since_us, self._period.until_us
        if until_us is not None and entry.at_us >= until_us:
            return
        if any(move in entry.event for move in _MOVES):
            self._take(entry, event_of(entry), counts=since_us is None or entry.at_us >= since_us)

    def _take(self, entry: Entry, event: Event, *, counts: bool) -> None:
        if isinstance(event, TrayCounted) and not self._known:
            self._known, self._balances, self._tray_minor = True, {FLOAT: event.expected_minor}, event.expected_minor
        before_minor, owed_before = self._tray_minor, owed_minor(self._balances)
        if isinstance(event, TableOpened):
            before_minor = self._open(entry, event, counts=counts)
        elif isinstance(event, MoneyEvent):
            self._balances = self._post(self._balances, event.postings)
            self._tray_minor = tray_minor(self._balances)
        moved_minor = self._tray_minor - before_minor
        if isinstance(event, TrayCounted):
            self._counted(entry, event, counts=counts)
        elif moved_minor:
            self._count, self._moved = None, self._moved or (counts and not isinstance(event, TableOpened))
        if not counts:
            self._opening_minor, self._opener = self._tray_minor, self._count
            return
        if (step := _step(entry, event)) is not None:
            self._slips.append(step)
        if isinstance(event, TableOpened):
            self._floats_minor += moved_minor
            return
        self._owed_minor += owed_minor(self._balances) - owed_before
        self._ledger.post(event)

    def _open(self, entry: Entry, event: TableOpened, *, counts: bool) -> int:
        """What lay in the tray before its float was put there."""
        self._balances = self._post({}, event.postings)
        before_minor, self._tray_minor = self._tray_minor, tray_minor(self._balances)
        if self._known:
            return before_minor
        self._known = True
        if entry.command:
            before_minor = self._tray_minor - read_command(entry.command).float_minor
        if counts:
            self._opening_minor = before_minor
        return before_minor

    def _post(self, balances: dict[str, int], postings: Sequence[Posting]) -> dict[str, int]:
        after = post(balances, postings)
        return after if self.debts else {name: minor for name, minor in after.items() if player_of(name) is None}

    def _counted(self, entry: Entry, event: TrayCounted, *, counts: bool) -> None:
        count = SignedCount(
            entry.at_us,
            entry.stream,
            entry.version,
            event.purpose,
            event.piles,
            event.counted_minor,
            event.expected_minor,
            *_signed(entry),
        )
        self._count = count
        if not counts:
            return
        self._counts.append(count)
        if self._moved:
            self._unexplained_minor += event.difference_minor
            return
        self._opener, self._moved, self._floats_minor = count, True, 0
        self._opening_minor, self._opener_difference_minor = event.counted_minor, event.difference_minor

    @property
    def record(self) -> TrayRecord:
        return TrayRecord(
            opening_minor=self._opening_minor,
            opener=self._opener,
            opener_difference_minor=self._opener_difference_minor,
            closing_minor=self._tray_minor,
            closer=self._count,
            floats_minor=self._floats_minor,
            counts=tuple(self._counts),
            slips=tuple(self._slips),
            owed_minor=self._owed_minor,
            unexplained_minor=self._unexplained_minor,
            **asdict(self._ledger),
        )


def tray_record(entries: Iterable[Entry], period: Period) -> TrayRecord:
    """The record of a period. The entries start with an opening before its end, as :class:`TrayFold` takes them."""
    fold = TrayFold(period)
    fold.feed(entries)
    return fold.record


def _signed(entry: Entry) -> tuple[tuple[str, ...], bool]:
    """Who signed, and whether alone."""
    context = context_of(entry)
    return tuple(name for name in (context.proposed_by, entry.actor) if name), context.alone


def _step(entry: Entry, event: Event) -> SlipEntry | None:
    match event:
        case SlipRequested():
            step, amount_minor = SlipStep.REQUESTED, total_minor(event.piles)
        case SlipSent():
            step, amount_minor = SlipStep.SENT, event.amount_minor
        case SlipReceived():
            step, amount_minor = SlipStep.RECEIVED, event.amount_minor
        case SlipVoided():
            step, amount_minor = SlipStep.VOID, event.amount_minor
        case _:
            return None
    reason = event.reason if isinstance(event, SlipVoided) else ""
    return SlipEntry(entry.at_us, event.slip, event.kind, step, amount_minor, *_signed(entry), reason)


def slip_number(table: str, slip: int) -> str:
    """As printed on the slip.

    >>> slip_number("Orchid", 17)
    'Orchid-000017'
    """
    return f"{table}-{slip:06}"
