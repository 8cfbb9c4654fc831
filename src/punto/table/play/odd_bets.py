"""Bets whose payout cannot be made in chips. The dealer can see them when they are placed."""

from msgspec import Struct

from punto.rules.bets.pay_lines import Result
from punto.rules.money import in_chips_minor
from punto.rules.rulebook import Rulebook
from punto.table.records.settings import Settings


class OddPayout(Struct, frozen=True):
    """The winnings of a bet at one of its odds, after commission."""

    odds: str | None
    due_minor: int
    handed_minor: int
    """What is handed over, in whole chips."""


def odd_payouts(book: Rulebook, settings: Settings, bet: str, stake_minor: int) -> tuple[OddPayout, ...]:
    """The payouts of a bet that are not whole chips, if all of the stake plays."""
    due = {
        line.verdict.odds_text: line.verdict.returned_minor(stake_minor, settings.rounding) - stake_minor
        for line in book.bets[bet].pays
        if line.verdict.result is Result.WIN
    }
    smallest, rounding = settings.smallest_chip_minor, settings.chip_rounding
    return tuple(
        OddPayout(odds, minor, in_chips_minor(minor, smallest, rounding))
        for odds, minor in due.items()
        if minor % smallest
    )
