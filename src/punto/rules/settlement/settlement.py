"""Settlement: from the stakes and the coup to what is returned, with the clauses."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from punto.rules.bets.insurance import InsuranceLine
from punto.rules.bets.pay_lines import Verdict
from punto.rules.coup.coup import Coup
from punto.rules.money import Rounding
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.cover import Cover
from punto.rules.settlement.differential import Played, within_limits
from punto.rules.settlement.stakes import (
    AnyInsuranceStake,
    AnyStake,
    InsuranceStake,
    Limits,
    Stake,
    bad_stake,
    require_box,
    require_copies,
    require_same_game,
)

Bet = TypeVar("Bet", bound=AnyStake)
Insured = TypeVar("Insured", bound=AnyInsuranceStake)
Laid = TypeVar("Laid")
T = TypeVar("T")


class SettledStake(Struct, Generic[Laid], frozen=True, gc=False):
    """The result of one stake."""

    stake: Laid
    stake_minor: int
    verdict: Verdict
    returned_minor: int
    """Everything returned to the player, stake included."""
    commission_minor: int | None
    """None where none is due."""
    played_minor: int | None
    """How much of the stake played under the differential limit; None if all of it did."""
    clauses: tuple[Clause, ...]
    insured_box: int | None = None
    """The box of an insured bet, where it has a number."""


class Settlement(Struct, frozen=True):
    """A settled round: a result for each stake, in order."""

    coup: Coup
    offers: tuple[InsuranceLine, ...]
    bets: list[SettledStake[Stake]]
    insurance: list[SettledStake[InsuranceStake]]


def settle(  # noqa: PLR0913 - a round has this many inputs
    book: Rulebook,
    coup: Coup,
    stakes: Sequence[Stake],
    insurance: Sequence[InsuranceStake] = (),
    *,
    layout: str | None = None,
    decks: int | None = None,
    limits: Limits | None = None,
    rounding: Rounding = Rounding.DOWN,
) -> Settlement:
    """Settle a round: everything, or nothing if anything is refused."""
    plays = within_limits(book, stakes, limits)
    bets = settle_bets(book, coup, stakes, layout, decks, plays, rounding, SettledStake[Stake])
    return Settlement(coup, book.offers(coup), bets, settle_insurance(book, coup, stakes, insurance, limits, rounding))


def settle_bets(  # noqa: PLR0913, PLR0917 - as above; positional because it is called very often
    book: Rulebook,
    coup: Coup,
    stakes: Sequence[Bet],
    layout: str | None,
    decks: int | None,
    plays: Played,
    rounding: Rounding,
    row: Callable[[Bet, int, Verdict, int, int | None, int | None, tuple[Clause, ...]], T],
) -> list[T]:
    """Settle the bets alone; ``row`` builds each result from the fields of :class:`SettledStake`."""
    menu = book.verdicts(layout)
    if coup.space is not book.space:
        require_same_game(book, coup)
    if decks is not None or len(coup.cards) > book.decks.most:
        require_copies(book, coup, decks)
    outcome = coup.outcome_index
    rows = []
    for index, stake in enumerate(stakes):
        stake_minor = stake.stake_minor
        if type(stake_minor) is not int or stake_minor <= 0:
            raise bad_stake(stake.who, stake.bet, stake_minor)
        if stake.box is not None:
            require_box(book, book.layout(layout), stake.box)
        column = menu.get(stake.bet)
        if column is None:
            raise book.not_on_menu(stake.bet, book.layout(layout))
        verdict = column[outcome] if isinstance(column, tuple) else column.verdict(coup)
        clauses, part_minor, unplayed_minor = verdict.clauses, stake_minor, 0
        if index in plays:
            part_minor, because = plays[index]
            clauses += because
            unplayed_minor = stake_minor - part_minor
        returned = unplayed_minor
        if verdict.numerator:
            returned += verdict.returned_minor(part_minor, rounding)
        commission = None if verdict.commission is None else verdict.commission_minor(part_minor, rounding)
        part = part_minor if unplayed_minor else None
        rows.append(row(stake, stake_minor, verdict, returned, commission, part, clauses))
    return rows


def settle_insurance(
    book: Rulebook,
    coup: Coup,
    stakes: Sequence[AnyStake],
    insurance: Sequence[Insured],
    limits: Limits | None,
    rounding: Rounding,
) -> list[SettledStake[Insured]]:
    """Settle the insurance alone."""
    if not insurance:
        return []
    cover = Cover(book, stakes, book.offers(coup), limits)
    settled = []
    for wanted in insurance:
        line, box = cover.take(wanted)
        verdict = line.verdicts[coup.winner]
        returned = verdict.returned_minor(wanted.stake_minor, rounding)
        settled.append(SettledStake(wanted, wanted.stake_minor, verdict, returned, None, None, verdict.clauses, box))
    return settled
