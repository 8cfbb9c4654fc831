"""Correcting the course of a round: betting closed by a slip, and a round called by a slip."""

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.corrections.timing import SUPERVISORS, card_out, check_felt
from punto.table.decision import Deciders, Decision, check_reason, this_round
from punto.table.play.pending import check_nothing_pending
from punto.table.records.correction_events import BettingReopened, RoundCancelled
from punto.table.records.corrections import CancelRound, ReopenBetting
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode, refuse


def check_reopens(book: Rulebook, table: Table) -> Refusal | None:
    """Refuse to reopen betting before the close, and once a card is out."""
    if refusal := check_felt(book, table):
        return refusal
    if table.phase is not Phase.DEALING:
        return refuse(book, TableCode.NOT_DEALING, Topic.BETTING_CLOSED, variant="not_closed")
    if card_out(table):
        return refuse(book, TableCode.CARD_OUT, Topic.BETTING_CLOSED)
    return check_nothing_pending(book, table)


def reopen_betting(book: Rulebook, table: Table, command: ReopenBetting) -> Decision:
    """Bets lie as they are on record. A dealer reopens only while no bet was corrected since the close."""
    if refusal := check_reopens(book, table) or check_reason(book, command.reason):
        return refusal
    position = command.position
    if this_round(table).bets_corrected and position not in SUPERVISORS:
        return refuse(book, TableCode.NOT_AUTHORISED, variant="bet_corrected", positions=SUPERVISORS)
    return (BettingReopened(command.by, book.topics[Topic.BETTING_OPENS], command.reason),)


def check_cancels(book: Rulebook, table: Table) -> Refusal | None:
    """Refuse to cancel a round that has bets or cards."""
    if table.phase not in (Phase.BETTING, Phase.DEALING):
        return refuse(book, TableCode.NO_ROUND)
    now = this_round(table)
    if now.bets or now.at_close:
        return refuse(book, TableCode.ROUND_HAS_BETS)
    return refuse(book, TableCode.CARD_OUT, variant="cancel") if card_out(table) else None


def cancel_round(book: Rulebook, table: Table, _: CancelRound) -> Decision:
    """If nothing else happened in it, the round before can be corrected again."""
    if refusal := check_cancels(book, table):
        return refusal
    before = table.round_before
    return (RoundCancelled(this_round(table).number, None if before is None else before.round.number),)


DECIDERS: Deciders = {
    CancelRound: cancel_round,
    ReopenBetting: reopen_betting,
}
