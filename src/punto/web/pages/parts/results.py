"""What became of bets."""

from collections.abc import Iterable

from msgspec import Struct

from punto.rules.coup.coup import Coup
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.web.messages import Adjusted, Settled
from punto.web.pages.base.i18n import Translator
from punto.web.pages.parts.reasons import why


class ShownResult(Struct, frozen=True):
    """What became of one of my bets."""

    name: str
    stake_minor: int
    result: str
    gain_minor: int
    why: str
    reason: str
    """Empty for all but the staff."""
    clauses: tuple[Clause, ...]


class ShownAdjustment(Struct, frozen=True):
    """What a ruling paid or, below zero, took."""

    amount_minor: int
    reason: str
    """Empty for all but the staff."""
    clauses: tuple[Clause, ...]


def adjustments_shown(adjustments: Iterable[Adjusted]) -> tuple[ShownAdjustment, ...]:
    """In the order of the rulings."""
    return tuple(ShownAdjustment(each.amount_minor, each.reason or "", each.clauses) for each in adjustments)


def gain_of(results: Iterable[Settled], adjustments: Iterable[ShownAdjustment]) -> int:
    """What a round comes to for one player, in the smallest unit."""
    of_bets_minor = sum(result.returned_minor - result.stake_minor for result in results)
    return of_bets_minor + sum(each.amount_minor for each in adjustments)


def outcomes_of(
    rules: Rulebook, coup: Coup | None, results: Iterable[Settled], t: Translator
) -> tuple[ShownResult, ...]:
    """Bet by bet, the largest gain first."""
    found = [
        ShownResult(
            name=t(f"bet.{result.bet}"),
            stake_minor=result.stake_minor,
            result=result.result.value,
            gain_minor=result.returned_minor - result.stake_minor,
            why=why(rules, coup, result, t),
            reason=result.reason or "",
            clauses=result.clauses,
        )
        for result in results
    ]
    return tuple(sorted(found, key=lambda outcome: -outcome.gain_minor))
