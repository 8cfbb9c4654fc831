"""Random reports, rulings and choices, fitting the table or not."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side
from punto.table.records import reports
from punto.table.records.commands import Command
from punto.table.records.kinds import Choice, Effect, Late
from punto.table.records.positions import Position
from punto.table.records.state import Round, Table

if TYPE_CHECKING:
    from tests.model.choices import Choices

By = tuple[str, Position]
HOSTILE_REASONS = ("", " ", "x" * 401, "two\nlines", "\u202e", "\0")


def reason(some: "Choices") -> str:
    return some.pick(HOSTILE_REASONS) if some.chance(8) else some.pick(("a slip of the hand", "名前", "x" * 400))


def _card(some: "Choices", table: Table) -> Face | None:
    """Mostly a card that may be in the shoe, sometimes an unseen one."""
    if some.chance(3):
        return None
    card, shoe = some.face(table), table.shoe
    for _ in range(3):
        if shoe is not None and not shoe.has_left(card):
            card = some.face(table)
    return card


def _cards(some: "Choices", table: Table, least: int) -> tuple[Face | None, ...]:
    most = 7 if some.chance(8) else 3
    return tuple(_card(some, table) for _ in range(some.number(0 if some.chance(8) else least, most)))


def _to(some: "Choices") -> Side | None:
    return None if some.chance(3) else some.side()


def _as_dealt(some: "Choices", table: Table) -> tuple[Side, ...]:
    cards = len((table.round or Round(0)).cards)
    return tuple(some.side() for _ in range(some.number(0, 7) if some.chance(6) else cards))


def _in_doubt(some: "Choices", table: Table) -> tuple[int, ...]:
    """Mostly all the cards that a report means by itself, sometimes a few of those that lie there."""
    now = table.round or Round(0)
    places = range(1, len(now.cards) + len(table.carried) + 1)
    if some.chance(2) or not places:
        return ()
    chosen = tuple(place for place in places if some.chance(2))
    return (*chosen, some.number(-1, 9)) if some.chance(8) else chosen


def _order(some: "Choices", table: Table) -> tuple[int, ...]:
    """The positions whose order is lost, in random order."""
    places = list((table.round or Round(0)).irregularities.order_lost)
    if some.chance(6):
        places += [some.number(0, 8)]
    order = []
    while places:
        order.append(places.pop(some.number(0, len(places) - 1)))
    return tuple(order)


def _subject(some: "Choices", table: Table) -> tuple[str, int, str]:
    """Mostly an existing bet."""
    bets = tuple((table.round or Round(0)).bets)
    return some.pick(bets) if bets and not some.chance(5) else (some.who(), some.box(), some.bet())


def _late(some: "Choices", by: By, table: Table) -> Command:
    who, box, bet = _subject(some, table)
    return reports.ReportLateBet(*by, who, box, bet, some.pick(tuple(Late)), some.amount())


def _uninsured(some: "Choices", by: By, table: Table) -> Command:
    who, box, bet = _subject(some, table)
    side = Side(bet) if bet in set(Side) else some.side()
    return reports.ReturnUninsuredBets(*by, who, box, side, reason(some))


def _choose(some: "Choices", by: By, table: Table) -> Command:
    """Mostly for a player who has to choose."""
    options = table.round.irregularities.options if table.round else None
    who = by[0] if by[1] is Position.PLAYER else some.who()
    if options is not None and options.waiting_for and by[1] is not Position.PLAYER:
        who = some.pick(options.waiting_for)
    return reports.ChooseOption(*by, who, some.pick(tuple(Choice)))


def _ruled_bets(some: "Choices", table: Table) -> tuple[reports.RuledBet, ...]:
    bets = [reports.RuledBet(*_subject(some, table)) for _ in range(some.number(1, 3))]
    cover = (table.round or Round(0)).insurance.cover
    if cover and some.chance(2):
        covered = some.pick(cover)
        bets.append(reports.RuledBet(covered.who, covered.box, f"{covered.side}_insurance"))
    return tuple(bets)


def _rule(some: "Choices", by: By, table: Table) -> Command:
    effect = some.pick((Effect.CONTINUE, Effect.RETURN, Effect.RETURN, Effect.ADJUST, Effect.ADJUST, Effect.VOID))
    ruled = reports.Rule(*by, reason(some), effect)
    bets, amounts = ruled.bets, ruled.amounts
    if (effect is Effect.RETURN) != some.chance(10):
        bets = _ruled_bets(some, table)
    if (effect is Effect.ADJUST) != some.chance(10):
        amounts = {some.who(): some.amount() * some.pick((1, -1)) for _ in range(some.number(1, 2))}
    return reports.Rule(*by, ruled.reason, effect, bets, amounts)


def _face_up(some: "Choices", by: By, table: Table) -> Command:
    now = table.round or Round(0)
    down = tuple(place for place, card in enumerate(now.cards, 1) if card is None)
    place = some.pick(down) if down and not some.chance(6) else some.number(-1, 8)
    return reports.ReportFaceUpCard(*by, place, some.face(table))


def off(table: Table) -> tuple[str, ...]:
    """Shoes that were taken off, and one that was not."""
    return (*table.taken_off, "shoe 0")


def _replace_shoe(some: "Choices", by: By, table: Table) -> Command:
    formerly = some.pick(("", "", *off(table)))
    return reports.ReplaceShoe(*by, some.shoe(), some.pick((4, 4, 8, 8, 3, 11)), now=some.chance(2), formerly=formerly)


def _restart(some: "Choices", by: By, _: Table) -> Command:
    from_us = some.pick((1_000_000, 9_000_000))
    return reports.ReportRestart(*by, from_us, from_us + some.pick((-1, 0, 4_999_999, 5_000_000, 60_000_000)))


MAKE: dict[type[Command], Callable[["Choices", By, Table], Command]] = {
    reports.ReportInterruption: lambda some, by, _: reports.ReportInterruption(*by, reason(some)),
    reports.ReportForeignCard: lambda some, by, _: reports.ReportForeignCard(*by, reason(some)),
    reports.ReportCardCount: lambda some, by, _: reports.ReportCardCount(*by, reason(some)),
    reports.ReportNotShuffled: lambda some, by, _: reports.ReportNotShuffled(*by, reason(some)),
    reports.ReportShoeRunOut: lambda some, by, _: reports.ReportShoeRunOut(*by, reason(some)),
    reports.ReportWrongNumber: lambda some, by, table: reports.ReportWrongNumber(
        *by, _cards(some, table, 0), some.chance(2), _to(some), reason(some)
    ),
    reports.ReportExcessCard: lambda some, by, table: reports.ReportExcessCard(
        *by, _cards(some, table, 1), _to(some), not some.chance(3), reason(some)
    ),
    reports.ReportWrongSide: lambda some, by, table: reports.ReportWrongSide(
        *by, _as_dealt(some, table), some.chance(2), not some.chance(3), reason(some), _in_doubt(some, table)
    ),
    reports.ReportFaceUpCard: _face_up,
    reports.ReportSimultaneousCards: lambda some, by, table: reports.ReportSimultaneousCards(
        *by, _cards(some, table, some.number(0, 2)), some.pick((0, 0, 1, 2, 3, 7, -1))
    ),
    reports.RuleCardOrder: lambda some, by, table: reports.RuleCardOrder(*by, _order(some, table)),
    reports.ReplaceShoe: _replace_shoe,
    reports.InspectShoe: lambda some, by, table: reports.InspectShoe(*by, some.pick(off(table)), reason(some)),
    reports.ReportDealingError: lambda some, by, table: reports.ReportDealingError(
        *by, reason(some), some.chance(2), _in_doubt(some, table)
    ),
    reports.DismissIrregularity: lambda some, by, _: reports.DismissIrregularity(*by, reason(some)),
    reports.ChooseOption: _choose,
    reports.CallTime: lambda some, by, _: reports.CallTime(*by, some.pick((None, None, 0, 1, 3))),
    reports.OfferLateInsurance: lambda _, by, __: reports.OfferLateInsurance(*by),
    reports.ReturnUninsuredBets: _uninsured,
    reports.ReportRestart: _restart,
    reports.ExchangeShoe: lambda some, by, _: reports.ExchangeShoe(*by, some.shoe(), some.pick((4, 4, 8, 8, 3, 11))),
    reports.ResumeRound: lambda _, by, __: reports.ResumeRound(*by),
    reports.ReportLateBet: _late,
    reports.ReportLaterError: lambda some, by, table: reports.ReportLaterError(
        *by, some.number(-1, (table.round or Round(0)).number), reason(some)
    ),
    reports.Rule: _rule,
}
"""One of each kind, valid or not."""


def lost_order(some: "Choices", by: By, table: Table) -> Command:
    """A report of two or more cards whose order nobody knows: cards in excess, or some that lie there."""
    now = table.round or Round(0)
    why = "nobody saw the order"
    if some.chance(2):
        return reports.ReportExcessCard(*by, (_card(some, table), _card(some, table)), None, False, why)  # noqa: FBT003
    drawn = len(now.cards) + len(table.carried)
    first = len(now.cards) + 1 if len(table.carried) > 1 and not some.chance(3) else some.number(1, max(drawn - 1, 1))
    places = (first, first + 1)
    if some.chance(3):
        crossed = tuple(Side.BANKER if place % 2 else Side.PLAYER for place in range(1, len(now.cards) + 1))
        return reports.ReportWrongSide(*by, crossed, reconstructable=False, reason=why, in_doubt=places)
    return reports.ReportDealingError(*by, why, reconstructable=False, in_doubt=places)


MISDEALS: tuple[type[Command], ...] = (
    reports.ReportExcessCard,
    reports.ReportWrongSide,
    reports.ReportFaceUpCard,
    reports.ReportSimultaneousCards,
    reports.ReportDealingError,
)
"""Reports after which a round continues."""

VOIDING: tuple[type[Command], ...] = (
    reports.ReportInterruption,
    reports.ReportForeignCard,
    reports.ReportCardCount,
    reports.ReportNotShuffled,
    reports.ReportShoeRunOut,
    reports.ReportWrongNumber,
)
"""Reports that mostly end a round."""
