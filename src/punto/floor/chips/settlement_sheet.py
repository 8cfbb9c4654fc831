"""The settlement sheet: what a dealer takes and pays after a round, in the order of the hands, with the chips."""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from punto.floor.chips.chip_set import ChipCount, ChipSet
from punto.rules.bets.insurance import Stage, insurance_name
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.records.events import SettledBet
from punto.table.records.settings import BoxEnd, Settings


class Move(StrEnum):
    """Which way chips go."""

    TAKE = "take"
    PAY = "pay"


class SheetLine(Struct, frozen=True):
    """One bet or one insurance. A bet that is returned lies untouched and has no line."""

    move: Move
    box: int
    who: str
    bet: str
    stage: Stage | None
    """Of an insurance."""
    stake_minor: int
    """0 in a line of a correction."""
    odds: str | None
    """``a`` or ``a/b``; None unless the bet wins."""
    winnings_minor: int
    """At these odds, before the commission."""
    commission_minor: int
    rounded_minor: int
    """What the smallest chip adds to the payment; negative if it takes something off."""
    moved_minor: int
    """What the dealer takes off the felt, or hands over beside the stake."""
    chips: tuple[ChipCount, ...]
    """For ``moved_minor``; empty if the dealer takes the whole stake."""
    left_minor: int
    """What no chips of the floor can pay."""


def settlement_sheet(
    book: Rulebook, settings: Settings, results: Iterable[SettledBet], chip_set: ChipSet
) -> tuple[SheetLine, ...]:
    """Everything to take, then everything to pay.

    ``settings`` are those of the round: see :func:`punto.table.records.state.as_played`.
    """
    lines = [line for result in results if (line := _line(result, chip_set)) is not None]
    return _in_order(book, settings, lines)


def _line(result: SettledBet, chip_set: ChipSet) -> SheetLine | None:
    moved_minor = result.returned_minor - result.stake_minor
    if result.result is Result.PUSH or not moved_minor:
        return None
    commission_minor = result.commission_minor or 0
    rounded_minor = result.rounded_minor
    pays = result.result is Result.WIN
    whole = moved_minor == -result.stake_minor
    payment = chip_set.fewest(0 if whole else abs(moved_minor))
    return SheetLine(
        Move.PAY if pays else Move.TAKE,
        result.box,
        result.who,
        result.bet,
        result.stage,
        result.stake_minor,
        result.odds if pays else None,
        moved_minor - rounded_minor + commission_minor if pays else 0,
        commission_minor,
        rounded_minor,
        abs(moved_minor),
        payment.chips,
        payment.left_minor,
    )


def _in_order(book: Rulebook, settings: Settings, lines: list[SheetLine]) -> tuple[SheetLine, ...]:
    """Takes from one end of the table to the other, then pays the way back; in a box the bet nearest the player first.

    Lines of one bet keep their order.
    """
    near = _nearness(book, settings.layout)
    upwards = settings.takes_from is BoxEnd.FIRST

    def place(line: SheetLine) -> tuple[bool, int, int]:
        pays = line.move is Move.PAY
        return pays, line.box if upwards is not pays else -line.box, near.get(line.bet, len(near))

    return tuple(sorted(lines, key=place))


def _nearness(book: Rulebook, layout: str) -> dict[str, int]:
    """The bets from the player's edge of the felt to the dealer's: the menu's order, each insurance with its side."""
    order: list[str] = []
    for bet in book.layout(layout).menu:
        order.append(bet)
        if bet in set(Side):
            order.append(insurance_name(Side(bet)))
    return {bet: at for at, bet in enumerate(order)}
