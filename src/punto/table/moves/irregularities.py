"""Reports, rulings and choices that could be given now. People fill in the reasons and the cards."""

from collections.abc import Iterator

from msgspec.structs import replace

from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table.decision import open_settings
from punto.table.irregularities.extra_cards import check_can_report
from punto.table.irregularities.possible_orders import lawful_orders
from punto.table.moves.legal_move import LegalMove, another_shoe
from punto.table.records import reports
from punto.table.records.identity import Place
from punto.table.records.kinds import Choice, Effect, Late
from punto.table.records.positions import Position
from punto.table.records.state import Table

TO_BE_STATED = "to be stated"


def irregular_moves(book: Rulebook, table: Table, by: str, position: Position) -> Iterator[LegalMove]:
    """One command of each kind, with the fields that are known."""
    actor = (by, position)
    for kind in (
        reports.ReportInterruption,
        reports.ReportForeignCard,
        reports.ReportCardCount,
        reports.ReportNotShuffled,
        reports.ReportShoeRunOut,
        reports.CallTime,
        reports.OfferLateInsurance,
        reports.ResumeRound,
    ):
        yield LegalMove(kind(*actor))
    yield LegalMove(reports.ReportRestart(*actor, 0, 0))
    for report in (reports.ReportWrongNumber, reports.ReportDealingError, reports.DismissIrregularity):
        yield LegalMove(report(*actor, reason=TO_BE_STATED))
    excess = reports.ReportExcessCard(*actor, (None,))
    if table.shoe is None or check_can_report(book, table) is not None:
        # nothing can be drawn or decided now, but a hand may have had too many cards
        excess = replace(excess, to=Side.PLAYER, reconstructable=False, reason=TO_BE_STATED)
    yield LegalMove(excess)
    yield LegalMove(reports.ReportSimultaneousCards(*actor, (None, None)))
    yield LegalMove(reports.ReplaceShoe(*actor, another_shoe(table), table.shoe.decks if table.shoe else 0))
    for shoe in table.taken_off:
        yield LegalMove(reports.InspectShoe(*actor, shoe, TO_BE_STATED))
    for effect in (Effect.CONTINUE, Effect.VOID):
        yield LegalMove(reports.Rule(*actor, TO_BE_STATED, effect))
    for who in sorted(table.people):
        yield LegalMove(reports.Rule(*actor, TO_BE_STATED, Effect.ADJUST, amounts={who: 1}))
    if table.round is not None:
        yield from _round_moves(book, table, actor)


def _round_moves(book: Rulebook, table: Table, actor: tuple[str, Position]) -> Iterator[LegalMove]:
    now = table.round
    assert now is not None  # noqa: S101 - the caller checked
    yield LegalMove(reports.ReportLaterError(*actor, now.number - 1, TO_BE_STATED))
    lost = now.irregularities.order_lost
    if lost and (order := next(lawful_orders(book, table, lost), None)) is not None:
        yield LegalMove(reports.RuleCardOrder(*actor, order))
    crossed = tuple(Side.PLAYER if place % 2 else Side.BANKER for place in range(len(now.cards)))
    yield LegalMove(reports.ReportWrongSide(*actor, crossed))
    options = now.irregularities.options
    for who in options.waiting_for if options else ():
        for choice in Choice:
            yield LegalMove(reports.ChooseOption(*actor, who, choice))
    if open_settings(table).cards_only:
        for side in Side:
            yield LegalMove(reports.ReturnUninsuredBets(*actor, str(Place(1)), 1, side, TO_BE_STATED))
    for who, box, bet in now.bets:
        yield LegalMove(reports.ReportLateBet(*actor, who, box, bet, Late.WITHDRAWN, 1))
        yield LegalMove(reports.Rule(*actor, TO_BE_STATED, Effect.RETURN, (reports.RuledBet(who, box, bet),)))
        if bet in set(Side):
            yield LegalMove(reports.ReturnUninsuredBets(*actor, who, box, Side(bet), TO_BE_STATED))
