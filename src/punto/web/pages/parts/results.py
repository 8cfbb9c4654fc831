"""Results of bets and amounts moved by rulings, as pages show them."""

from collections.abc import Iterable

from msgspec import Struct

from punto.rules.coup.coup import Coup
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.web.messages import Adjusted, Settled
from punto.web.pages.base.i18n import Translator
from punto.web.words.result_reasons import played, why


class ShownResult(Struct, frozen=True):
    """The result of one bet."""

    name: str
    stake_minor: int
    result: str
    gain_minor: int
    why: str
    played: str
    """Which part of the stake played; empty if all of it did."""
    reason: str
    """Empty unless the viewer is staff."""
    clauses: tuple[Clause, ...]


class ShownAdjustment(Struct, frozen=True):
    """An amount that a ruling paid or, if negative, took."""

    amount_minor: int
    reason: str
    """Empty unless the viewer is staff."""
    clauses: tuple[Clause, ...]


def show_adjustments(adjustments: Iterable[Adjusted]) -> tuple[ShownAdjustment, ...]:
    return tuple(ShownAdjustment(each.amount_minor, each.reason or "", each.clauses) for each in adjustments)


def gain_of(results: Iterable[Settled], adjustments: Iterable[ShownAdjustment]) -> int:
    """A player's total gain in a round, in the smallest unit."""
    of_bets_minor = sum(result.returned_minor - result.stake_minor for result in results)
    return of_bets_minor + sum(each.amount_minor for each in adjustments)


def show_results(
    rules: Rulebook, coup: Coup | None, results: Iterable[Settled], t: Translator
) -> tuple[ShownResult, ...]:
    """One result per bet, largest gain first."""
    shown = [
        ShownResult(
            name=t(f"bet.{result.bet}"),
            stake_minor=result.stake_minor,
            result=result.result.value,
            gain_minor=result.returned_minor - result.stake_minor,
            why=why(rules, coup, result, t),
            played=played(rules, result, t),
            reason=result.reason or "",
            clauses=result.clauses,
        )
        for result in results
    ]
    return tuple(sorted(shown, key=lambda outcome: -outcome.gain_minor))
