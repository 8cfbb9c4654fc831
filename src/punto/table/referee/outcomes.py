"""What everybody ends with: for each choice players have, and for each order the cards can have had."""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table.engine import handle
from punto.table.irregularities.possible_orders import Order, lawful_orders
from punto.table.records.commands import Command, DealCard, Settle
from punto.table.records.kinds import Choice
from punto.table.records.positions import Position
from punto.table.records.reports import CallTime, ChooseOption, RuleCardOrder
from punto.table.records.state import Phase, Table
from punto.table.referee.laying import GIVER, LaidRound, give


class PlayerEnd(Struct, frozen=True):
    """What somebody has won at the end, in the smallest unit; negative if they have lost."""

    who: str
    minor: int | None
    """With their bets played. None: cards that are not out yet decide it."""
    back_minor: int | None = None
    """If they take their bets back; None if they have no such choice."""


class PossibleEnd(Struct, frozen=True):
    """One way in which the round can end."""

    orders: tuple[Order, ...]
    """The orders of the cards in doubt that lead to it; empty if none is in doubt."""
    table: Table
    """After the first of these orders."""
    over: bool
    """Whether everything is decided."""
    ends: tuple[PlayerEnd, ...]


class _End(Struct, frozen=True):
    order: Order
    table: Table
    back: Mapping[str, int]


def outcomes(book: Rulebook, laid: LaidRound) -> tuple[PossibleEnd, ...]:
    """How the round can end from here, if nothing else happens than what must; nothing where a step was refused.

    Of more than ``MAX_COMPARED`` cards in doubt, not all orders are tried.
    """
    if laid.refusal is not None:
        return ()
    people = _people(laid)
    found: dict[object, PossibleEnd] = {}
    for end in _ends(book, laid, laid.table, (), {}):
        ends = tuple(PlayerEnd(who, _minor(laid, end.table, who), end.back.get(who)) for who in people)
        same = (_result(book, end.table), ends)
        known = found.get(same, PossibleEnd((), end.table, _is_over(end.table), ends))
        found[same] = replace(known, orders=(*known.orders, end.order)) if end.order else known
    return tuple(found.values())


def _result(book: Rulebook, table: Table) -> object:
    """What tells one end from another, besides what everybody ends with."""
    now = table.round
    if now is None or not now.over or now.irregularities.void is not None:
        return _is_over(table)
    coup = Coup.of(book.space, now.cards)
    return tuple(coup.hand(side).points for side in Side)


def _minor(laid: LaidRound, table: Table, who: str) -> int | None:
    return laid.change_minor(who, table) if _is_known(table, who) else None


def _people(laid: LaidRound) -> list[str]:
    """Everybody with a stake in a round of the question, in the order of their first bets."""
    placed = (step.before.round.bets for step in laid.steps if step.before.round is not None)
    bets = [key[0] for each in placed for key in each]
    last = laid.table.round
    return list(dict.fromkeys([*bets, *((key[0] for key in last.bets) if last else ())]))


def _is_over(table: Table) -> bool:
    return table.round is not None and table.round.over


def _is_known(table: Table, who: str) -> bool:
    """Whether what somebody ends with is decided: the round is over, or they have nothing on the felt."""
    now = table.round
    return now is None or now.over or all(key[0] != who for key in now.bets)


def _ends(book: Rulebook, laid: LaidRound, table: Table, order: Order, back: Mapping[str, int]) -> Iterator[_End]:
    """Play on: everybody who can choose plays on, every order is ruled once, and cards already drawn are dealt."""
    while (command := _next(book, table)) is not None:
        if isinstance(command, RuleCardOrder):
            now = table.round
            assert now is not None  # noqa: S101 - cards of it are in doubt
            for each in lawful_orders(book, table, now.irregularities.order_lost):
                ruled, _, decision = give(book, table, RuleCardOrder(GIVER, Position.PIT_SUPERVISOR, each))
                if not isinstance(decision, Refusal):
                    yield from _ends(book, laid, ruled, each, back)
            return
        if isinstance(command, CallTime):
            back = {**back, **_taken_back(book, laid, table)}
        table, decision = handle(book, table, command)
        if isinstance(decision, Refusal):
            break
    yield _End(order, table, back)


def _next(book: Rulebook, table: Table) -> Command | None:
    """What comes next if nobody adds anything; None if it is over, or people or cards have to come first."""
    now, staff = table.round, (GIVER, Position.PIT_SUPERVISOR)
    if now is None or now.over or table.phase is not Phase.DEALING or now.irregularities.raised is not None:
        return None
    if now.irregularities.options is not None:
        return CallTime(*staff)
    if now.irregularities.order_lost:
        return RuleCardOrder(*staff, now.irregularities.order_lost)
    settle = Settle(GIVER, Position.PIT_MANAGER)  # who settles also where a bet could go back for want of insurance
    if not isinstance(handle(book, table, settle)[1], Refusal):
        return settle
    return DealCard(*staff) if table.carried and table.carried[0].card is not None else None


def _taken_back(book: Rulebook, laid: LaidRound, table: Table) -> dict[str, int]:
    """By player who has yet to choose, what they end with if they take their bets back."""
    now = table.round
    options = now.irregularities.options if now is not None else None
    waiting = options.waiting_for if options is not None else ()
    taken = {who: give(book, table, ChooseOption(who, Position.PLAYER, who, Choice.RETURN))[0] for who in waiting}
    return {who: laid.change_minor(who, after) for who, after in taken.items()}
