"""Chips that come to a table's tray from the cage and go back there, and counts of the tray.

Accounts hold totals; only slips and counts hold denominations.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from punto.table.records.commands import Command
from punto.table.records.events import Event, MayMoveMoney, MoneyEvent
from punto.table.records.kinds import MoneyKind
from punto.table.records.positions import DEALER_UP, SUPERVISOR_UP, Position

MAX_PILE_MINOR = 10**11
MAX_PILE_COUNT = 100_000
MAX_PILES = 20
"""As many denominations as a floor can have."""


class SlipKind(StrEnum):
    FILL = "fill"
    """Chips from the cage to the tray."""
    CREDIT = "credit"
    """Chips from the tray to the cage."""


class CountPurpose(StrEnum):
    OPENER = "opener"
    CLOSER = "closer"
    CHECK = "check"


class ChipPile(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """All chips of one denomination."""

    value_minor: Annotated[int, Meta(ge=1, le=MAX_PILE_MINOR)]
    count: Annotated[int, Meta(ge=1, le=MAX_PILE_COUNT)]


Piles = Annotated[tuple[ChipPile, ...], Meta(max_length=MAX_PILES)]


def total_minor(piles: Iterable[ChipPile]) -> int:
    return sum(pile.value_minor * pile.count for pile in piles)


class Slip(Struct, frozen=True):
    """A slip that is neither received nor void."""

    number: int
    kind: SlipKind
    piles: tuple[ChipPile, ...]
    sent: bool = False

    @property
    def amount_minor(self) -> int:
        return total_minor(self.piles)

    @property
    def moves_next(self) -> bool:
        """Whether its next step moves chips into the tray or out of it."""
        return self.sent is (self.kind is SlipKind.FILL)


# ---- commands


class RequestSlip(Command, frozen=True, tag="request_slip.1"):
    """Ask for chips from the cage (a fill), or to send chips back to it (a credit)."""

    may: ClassVar[frozenset[Position]] = DEALER_UP

    kind: SlipKind
    piles: Piles


class SendSlip(Command, frozen=True, tag="send_slip.1"):
    """Say that the chips of a slip have left the cage, or for a credit the tray."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP

    slip: int


class ReceiveSlip(Command, frozen=True, tag="receive_slip.1"):
    """Say that the chips of a slip have reached the tray, or for a credit the cage."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP

    slip: int


class VoidSlip(Command, frozen=True, tag="void_slip.1"):
    """Void a slip whose chips have not reached or left the tray."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP

    slip: int
    reason: str


class CountTray(Command, frozen=True, tag="count_tray.1"):
    """Record what lies in the tray."""

    may: ClassVar[frozenset[Position]] = SUPERVISOR_UP

    purpose: CountPurpose
    piles: Piles


# ---- events


class SlipRequested(Event, frozen=True, tag="slip_requested.1"):
    """A fill or a credit was asked for. The slips of a table are numbered without a gap, over all its openings."""

    slip: int
    kind: SlipKind
    piles: tuple[ChipPile, ...]


class SlipSent(MayMoveMoney, frozen=True, tag="slip_sent.1"):
    """The chips of a slip are on their way. Those of a credit have left the tray."""

    slip: int
    kind: SlipKind
    amount_minor: int

    @property
    def money(self) -> MoneyKind:
        return MoneyKind.CREDIT if self.kind is SlipKind.CREDIT else MoneyKind.ON_ITS_WAY


class SlipReceived(MayMoveMoney, frozen=True, tag="slip_received.1"):
    """The chips of a slip have arrived. Those of a fill are in the tray."""

    slip: int
    kind: SlipKind
    amount_minor: int

    @property
    def money(self) -> MoneyKind:
        return MoneyKind.FILL if self.kind is SlipKind.FILL else MoneyKind.ON_ITS_WAY


class SlipVoided(Event, frozen=True, tag="slip_voided.1"):
    """A slip is void. Its chips have not moved, or have gone back to the cage."""

    slip: int
    kind: SlipKind
    amount_minor: int
    reason: str


class TrayCounted(MoneyEvent, frozen=True, tag="tray_counted.1"):
    """The tray was counted. From now on what was counted is on record as what lies there."""

    purpose: CountPurpose
    piles: tuple[ChipPile, ...]
    counted_minor: int
    expected_minor: int
    """What was on record before."""

    @property
    def money(self) -> MoneyKind:
        return MoneyKind.COUNT

    @property
    def difference_minor(self) -> int:
        """Negative if chips are missing."""
        return self.counted_minor - self.expected_minor
