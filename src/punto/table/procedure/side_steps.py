"""What people may do beside the next step, asked of the table itself: no command is judged to find out."""

from collections.abc import Callable

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table.corrections.rounds import check_cancels, check_reopens
from punto.table.irregularities.uninsured import late_offer
from punto.table.play.calling import check_called, check_not_called
from punto.table.play.shoe_records import check_cut_card_in
from punto.table.play.squeezing import check_waives
from punto.table.records.commands import Command, CutCardOut, WaiveThirdCardInsurance
from punto.table.records.corrections import CancelRound, ReopenBetting
from punto.table.records.pit_calls import AnswerCall, CallPit
from punto.table.records.reports import OfferLateInsurance
from punto.table.records.state import Table


def _check_late_offer(book: Rulebook, table: Table) -> Refusal | None:
    offer = late_offer(book, table)
    return offer if isinstance(offer, Refusal) else None


_CHECKS: dict[type[Command], Callable[[Rulebook, Table], Refusal | None]] = {
    CallPit: check_not_called,
    AnswerCall: check_called,
    CutCardOut: check_cut_card_in,
    CancelRound: check_cancels,
    ReopenBetting: check_reopens,
    WaiveThirdCardInsurance: check_waives,
    OfferLateInsurance: _check_late_offer,
}
SIDE_STEPS = tuple(_CHECKS)


def is_possible(book: Rulebook, table: Table, kind: type[Command]) -> bool:
    """Whether somebody may give one of ``SIDE_STEPS`` now, at a table that is open under this law."""
    if kind.topic is not None and not book.has(kind.topic):
        return False
    if kind.about_bets and table.settings is not None and table.settings.cards_only:
        return False
    return _CHECKS[kind](book, table) is None
