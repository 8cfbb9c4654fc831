"""What could be reported, ruled or chosen now; the words and the cards are for people to fill in."""

from collections.abc import Iterator

from punto.rules.coup.table_of_play import Side
from punto.table.moves.option import Option, another_shoe
from punto.table.records import reports
from punto.table.records.kinds import Choice, Effect, Late
from punto.table.records.positions import Position
from punto.table.records.state import Table

TO_BE_STATED = "to be stated"


def irregular_options(table: Table, by: str, position: Position) -> Iterator[Option]:
    """One of each, with what is known filled in."""
    actor = (by, position)
    for kind in (
        reports.ReportInterruption,
        reports.ReportForeignCard,
        reports.ReportCardCount,
        reports.ReportNotShuffled,
        reports.CallTime,
        reports.OfferLateInsurance,
    ):
        yield Option(kind(*actor))
    for report in (reports.ReportWrongNumber, reports.ReportDealingError, reports.DismissIrregularity):
        yield Option(report(*actor, reason=TO_BE_STATED))
    yield Option(reports.ReportExcessCard(*actor, (None,)))
    yield Option(reports.ReportSimultaneousCards(*actor, (None, None)))
    yield Option(reports.ReplaceShoe(*actor, another_shoe(table), table.shoe.decks if table.shoe else 0))
    for effect in (Effect.CONTINUE, Effect.VOID):
        yield Option(reports.Rule(*actor, TO_BE_STATED, effect))
    for who in sorted(table.people):
        yield Option(reports.Rule(*actor, TO_BE_STATED, Effect.ADJUST, amounts={who: 1}))
    if table.round is not None:
        yield from _round_options(table, actor)


def _round_options(table: Table, actor: tuple[str, Position]) -> Iterator[Option]:
    now = table.round
    assert now is not None  # noqa: S101 - as asked for
    yield Option(reports.ReportLaterError(*actor, now.number - 1, TO_BE_STATED))
    yield Option(reports.RuleCardOrder(*actor, now.irregularities.order_lost))
    crossed = tuple(Side.PLAYER if place % 2 else Side.BANKER for place in range(len(now.cards)))
    yield Option(reports.ReportWrongSide(*actor, crossed))
    options = now.irregularities.options
    for who in options.asked if options else ():
        for choice in Choice:
            yield Option(reports.ChooseOption(*actor, who, choice))
    for who, box, bet in now.bets:
        yield Option(reports.ReportLateBet(*actor, who, box, bet, Late.WITHDRAWN, 1))
        yield Option(reports.Rule(*actor, TO_BE_STATED, Effect.RETURN, (reports.RuledBet(who, box, bet),)))
        if bet in set(Side):
            yield Option(reports.ReturnUninsuredBets(*actor, who, box, Side(bet), TO_BE_STATED))
