"""Bets whose payout cannot be made in chips. The dealer can see them when they are placed."""

from collections.abc import Iterable

from msgspec import Struct

from punto.rules.bets.insurance import InsuranceLine
from punto.rules.bets.pay_lines import Result, Verdict
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
    return _odd(settings, (line.verdict for line in book.bets[bet].pays), stake_minor)


def odd_insurance_payouts(settings: Settings, line: InsuranceLine, stake_minor: int) -> tuple[OddPayout, ...]:
    """The same for insurance."""
    return _odd(settings, line.verdicts.values(), stake_minor)


def _odd(settings: Settings, verdicts: Iterable[Verdict], stake_minor: int) -> tuple[OddPayout, ...]:
    due = {
        verdict.odds_text: verdict.returned_minor(stake_minor, settings.rounding) - stake_minor
        for verdict in verdicts
        if verdict.result is Result.WIN
    }
    smallest, rounding = settings.smallest_chip_minor, settings.chip_rounding
    return tuple(
        OddPayout(odds, minor, in_chips_minor(minor, smallest, rounding))
        for odds, minor in due.items()
        if minor % smallest
    )
