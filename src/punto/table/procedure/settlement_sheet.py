"""The settlement sheet: what a dealer takes and pays after a round, in the order of the hands, with the chips."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from punto.rules.bets.insurance import Stage, insurance_name
from punto.rules.bets.pay_lines import Result
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.play.payouts import kept_stakes, moves_chips
from punto.table.procedure.chip_set import ChipCount, ChipSet
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
    kept_minor: int = 0
    """Of ``moved_minor``, what stays in the tray, or goes there from a stake, because the player owes it.

    Whoever something is taken from so gets nothing for what they win.
    """

    @property
    def handed_minor(self) -> int:
        """What the dealer takes off the felt, or really hands over."""
        return self.moved_minor if self.move is Move.TAKE else self.moved_minor - self.kept_minor

    @property
    def key(self) -> tuple[str, int, str, Stage | None]:
        return self.who, self.box, self.bet, self.stage


def settlement_sheet(
    book: Rulebook,
    settings: Settings,
    results: Sequence[SettledBet],
    chip_set: ChipSet,
    owed: Mapping[str, int] = MappingProxyType({}),
) -> tuple[SheetLine, ...]:
    """Everything to take, then everything to pay.

    ``settings`` are those of the round: see :func:`punto.table.records.state.as_played`. ``owed`` by player: the record
    sets it off against what they get, so it is kept back from what they win, and then from stakes that go back.
    """
    lines = [_line(result, chip_set) for result in in_order(book, settings, results)]
    for who, owed_minor in owed.items():
        _keep_back(lines, who, owed_minor, chip_set)
    for result, kept_minor in kept_stakes(results, owed):
        _take_from_stake(lines, result, kept_minor, chip_set)
    return tuple(lines)


def _keep_back(lines: list[SheetLine], who: str, owed_minor: int, chip_set: ChipSet) -> None:
    for at, line in enumerate(lines):
        if line.move is Move.PAY and line.who == who and owed_minor:
            kept_minor = min(owed_minor, line.moved_minor)
            payment = chip_set.fewest(line.moved_minor - kept_minor)
            lines[at] = replace(line, kept_minor=kept_minor, chips=payment.chips, left_minor=payment.left_minor)
            owed_minor -= kept_minor


def _take_from_stake(lines: list[SheetLine], result: SettledBet, kept_minor: int, chip_set: ChipSet) -> None:
    """What is taken of a stake that would go back: a line of its own after the takes, or more of a take."""
    key, takes = (result.who, result.box, result.bet, result.stage), [line for line in lines if line.move is Move.TAKE]
    at = next((at for at, line in enumerate(takes) if line.key == key), len(takes))
    moved_minor = kept_minor + (lines.pop(at).moved_minor if at < len(takes) else 0)
    chips = chip_set.fewest(0 if moved_minor == result.stake_minor else moved_minor)
    what = (Move.TAKE, result.box, result.who, result.bet, result.stage, result.stake_minor, None)
    lines.insert(at, SheetLine(*what, 0, 0, 0, moved_minor, chips.chips, chips.left_minor, kept_minor))


def _line(result: SettledBet, chip_set: ChipSet) -> SheetLine:
    moved_minor = result.returned_minor - result.stake_minor
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


def in_order(book: Rulebook, settings: Settings, results: Sequence[SettledBet]) -> list[SettledBet]:
    """The results that move chips: takes from one end of the table to the other, then pays the way back.

    In a box the bet nearest the player comes first. Lines of one bet keep their order.
    """
    near = _nearness(book, settings.layout)
    upwards = settings.takes_from is BoxEnd.FIRST

    def place(result: SettledBet) -> tuple[bool, int, int]:
        pays = result.result is Result.WIN
        return pays, result.box if upwards is not pays else -result.box, near.get(result.bet, len(near))

    return sorted(filter(moves_chips, results), key=place)


def _nearness(book: Rulebook, layout: str) -> dict[str, int]:
    """The bets from the player's edge of the felt to the dealer's: the menu's order, each insurance with its side."""
    order: list[str] = []
    for bet in book.layout(layout).menu:
        order.append(bet)
        if bet in set(Side):
            order.append(insurance_name(Side(bet)))
    return {bet: at for at, bet in enumerate(order)}
