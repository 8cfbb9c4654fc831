"""What moved at a table, by its kind: the one place where win and drop are added up.

Tile, alarms, ratings, trays and reports all read it, so they agree. An event says itself what kind of movement it is
(:attr:`~punto.table.records.events.MoneyEvent.money`); here are only the sums.
"""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from punto.table.records.chips import SlipReceived, SlipSent
from punto.table.records.events import ChipsBought, ChipsCashed, Event, MoneyEvent
from punto.table.records.kinds import MoneyKind
from punto.table.records.ledger import COMMISSION, FLOAT, MISPAID, ROUNDING, chip_changes, from_tray

_WON = frozenset({FLOAT, COMMISSION, ROUNDING})
_NAMED = {COMMISSION: "commission_minor", ROUNDING: "rounding_minor", MISPAID: "mispaid_minor"}
_GAME = frozenset({MoneyKind.PLAY, MoneyKind.RULING})
_SUMS = {
    MoneyKind.CASH_IN: "cash_in_minor",
    MoneyKind.CASH_OUT: "cash_out_minor",
    MoneyKind.VOUCHER_IN: "vouchers_in_minor",
    MoneyKind.VOUCHER_OUT: "vouchers_out_minor",
    MoneyKind.CHANGE: "changed_minor",
    MoneyKind.FILL: "fills_minor",
    MoneyKind.CREDIT: "credits_minor",
}
_OUT = frozenset({MoneyKind.CASH_OUT, MoneyKind.VOUCHER_OUT})


class DayLedger(Struct, kw_only=True):
    """Amounts are in the smallest unit. The house's gains are positive."""

    fills_minor: int = 0
    credits_minor: int = 0
    cash_in_minor: int = 0
    """Chips sold for cash."""
    cash_out_minor: int = 0
    vouchers_in_minor: int = 0
    """Chips sold for vouchers."""
    vouchers_out_minor: int = 0
    changed_minor: int = 0
    """Colour changes. They move nothing."""
    win_by_rounds_minor: int = 0
    """With commission and rounding: the stakes that were decided less what went back."""
    commission_minor: int = 0
    rounding_minor: int = 0
    """Both are part of ``win_by_rounds_minor``. Negative: more was handed out than was due."""
    rulings_minor: int = 0
    """Of rulings that adjust. Negative: they paid."""
    mispaid_minor: int = 0
    """Of wrong payments, and debts that nobody can collect. Negative: they were handed out."""

    @property
    def drop_minor(self) -> int:
        """Cash alone, less what was paid out in cash."""
        return self.cash_in_minor - self.cash_out_minor

    @property
    def vouchers_minor(self) -> int:
        return self.vouchers_in_minor - self.vouchers_out_minor

    @property
    def box_drop_minor(self) -> int:
        """Everything that was given for chips, nothing off for what was paid out: what Singapore calls the drop."""
        return self.cash_in_minor + self.vouchers_in_minor + self.changed_minor

    @property
    def win_minor(self) -> int:
        """By rounds, with rulings and wrong payments. What a player owes counts as won until nobody can collect it."""
        return self.win_by_rounds_minor + self.rulings_minor + self.mispaid_minor

    def post(self, event: Event) -> None:
        if not isinstance(event, MoneyEvent):
            return
        kind = event.money
        if kind in _GAME:
            self._post_game(event)
        elif name := _SUMS.get(kind):
            self._add(name, amount_of(event))

    def _post_game(self, event: MoneyEvent) -> None:
        won = "rulings_minor" if event.money is MoneyKind.RULING else "win_by_rounds_minor"
        for account, minor in ((each.account, each.amount_minor) for each in event.postings):
            if account in _WON:
                self._add(won, minor)
            if account in _NAMED:
                self._add(_NAMED[account], minor)

    def _add(self, name: str, minor: int) -> None:
        setattr(self, name, getattr(self, name) + minor)

    def add(self, other: "DayLedger") -> None:
        for name in DayLedger.__struct_fields__:
            self._add(name, getattr(other, name))


def amount_of(event: MoneyEvent) -> int:
    """What was bought, changed, cashed, filled or credited."""
    match event:
        case ChipsBought() if event.money is MoneyKind.CHANGE:
            return event.changed_minor
        case SlipSent() | SlipReceived():
            return event.amount_minor
    given_minor = from_tray(event.postings)  # when cashing also for chips that nobody sold here
    return -given_minor if event.money in _OUT else given_minor


# ---- by player


class PaymentKind(StrEnum):
    """Of a player. The names are those of exports."""

    BOUGHT = "bought"
    CASHED = "cashed"
    VOUCHER = "voucher"
    """Either way."""
    CHANGED = "changed"
    ADJUSTED = "adjusted"
    """By a ruling or a wrong payment, and debts that nobody can collect: what a player has beside the bets."""


_PAYMENTS = {
    MoneyKind.CASH_IN: PaymentKind.BOUGHT,
    MoneyKind.CASH_OUT: PaymentKind.CASHED,
    MoneyKind.VOUCHER_IN: PaymentKind.VOUCHER,
    MoneyKind.VOUCHER_OUT: PaymentKind.VOUCHER,
    MoneyKind.CHANGE: PaymentKind.CHANGED,
}


def payments(event: Event) -> Iterator[tuple[str, PaymentKind, int]]:
    """Player, kind and amount; negative if taken from the player. A reversed settlement takes corrections back."""
    if not isinstance(event, MoneyEvent):
        return
    if (kind := _PAYMENTS.get(event.money)) is not None:
        amount_minor = amount_of(event)
        assert isinstance(event, ChipsBought | ChipsCashed)  # noqa: S101 - the only events of these kinds
        yield event.who, kind, -amount_minor if event.money in _OUT else amount_minor
    elif event.money is MoneyKind.RULING:
        yield from ((who, PaymentKind.ADJUSTED, minor) for who, minor in chip_changes(event.postings).items())
    elif (who := getattr(event, "who", "")) and (minor := mispaid_minor(event)):
        yield who, PaymentKind.ADJUSTED, minor


def mispaid_minor(event: MoneyEvent) -> int:
    """What players have by it above what was due."""
    return -sum(posting.amount_minor for posting in event.postings if posting.account == MISPAID)
