"""Random corrections of what was entered, fitting the table or not."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Face
from punto.table.records import corrections
from punto.table.records.commands import Command
from punto.table.records.kinds import Choice
from punto.table.records.positions import Position
from punto.table.records.state import BetKey, Round, Table, cards_in_order
from tests.model.troubles import reason

if TYPE_CHECKING:
    from tests.model.choices import Choices

By = tuple[str, Position]


def _named_card(some: "Choices", table: Table) -> tuple[str, int]:
    """Mostly a card of the round or the last one; also the burned card, a raised one, and one that does not exist."""
    lying = [(card.shoe, card.draw) for card in cards_in_order(table)]
    if lying and not some.chance(4):
        return lying[-1] if some.chance(3) else some.pick(lying)
    shoe = table.shoe
    name = shoe.id if shoe is not None and not some.chance(8) else some.pick(("", "nonesuch", "x" * 5000))
    drawn = 0 if shoe is None else shoe.drawn
    return name, some.pick((0, drawn, drawn, drawn - 1, 10**30, -1))


def _right_card(some: "Choices", table: Table) -> Face | None:
    return None if some.chance(4) else some.face(table)


def _bet(some: "Choices", table: Table) -> BetKey:
    """Mostly a bet that lay there."""
    lay = tuple((table.round or Round(0)).at_close)
    return some.pick(lay) if lay and not some.chance(4) else (some.bettor(), some.box(), some.bet())


def _stake(some: "Choices") -> int:
    return 0 if some.chance(4) else some.amount()


def _corrected_bet(some: "Choices", by: By, table: Table) -> Command:
    who, box, bet = _bet(some, table)
    return corrections.CorrectBet(*by, who, box, bet, _stake(some), reason(some))


def _insurance(some: "Choices", by: By, table: Table) -> Command:
    """Mostly a stake of somebody with a bet, at an offer that was made or missed."""
    insurance = (table.round or Round(0)).insurance
    stages = (*insurance.offered, *(missed.stage for missed in insurance.missed))
    stage = some.pick(stages) if stages and not some.chance(6) else some.pick(tuple(Stage))
    offered = some.pick((None, None, True, False))
    if some.chance(3):
        return corrections.CorrectInsurance(*by, stage, offered=offered, reason=reason(some))
    who, box, _ = _bet(some, table)
    return corrections.CorrectInsurance(*by, stage, who, box, _stake(some), offered, reason(some))


def _option(some: "Choices", by: By, table: Table) -> Command:
    """Mostly the other choice of somebody who chose."""
    chosen = (table.round or Round(0)).irregularities.choices
    who = by[0] if by[1] is Position.PLAYER else some.who()
    if chosen and by[1] is not Position.PLAYER and not some.chance(6):
        who = some.pick(tuple(chosen))
    return corrections.CorrectOption(*by, who, some.pick(tuple(Choice)))


def _payment(some: "Choices", by: By, table: Table) -> Command:
    """Mostly for a bet that was settled."""
    results = (table.round or Round(0)).results
    paid, recovered = _stake(some), 0 if some.chance(2) else _stake(some)
    if not results or some.chance(6):
        who, box, bet = _bet(some, table)
        return corrections.CorrectPayment(*by, who, box, bet, paid, reason(some), recovered)
    result = some.pick(results)
    if some.chance(2):
        paid, recovered = result.returned_minor + some.number(0, 300), some.number(0, 100)
    return corrections.CorrectPayment(*by, result.who, result.box, result.bet, paid, reason(some), recovered)


MAKE: dict[type[Command], Callable[["Choices", By, Table], Command]] = {
    corrections.CorrectCard: lambda some, by, table: corrections.CorrectCard(
        *by, *_named_card(some, table), _right_card(some, table), reason(some)
    ),
    corrections.CorrectBet: _corrected_bet,
    corrections.CorrectInsurance: _insurance,
    corrections.CorrectOption: _option,
    corrections.CorrectPayment: _payment,
    corrections.ReopenBetting: lambda some, by, _: corrections.ReopenBetting(*by, reason(some)),
    corrections.CancelRound: lambda _, by, __: corrections.CancelRound(*by),
}
"""One of each kind, valid or not."""

MOSTLY: tuple[type[Command], ...] = (
    corrections.CorrectCard,
    corrections.CorrectCard,
    corrections.CorrectBet,
    corrections.CorrectInsurance,
    corrections.CorrectPayment,
)
"""Slips that people make in a round with bets and cards."""
