"""Irregularities that the table detects by itself. The round waits until somebody resolves them."""

from msgspec.structs import replace

from punto.rules.coup.cards import Face
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, check_reason, this_round
from punto.table.records.findings import IrregularityDismissed, IrregularityRaised
from punto.table.records.kinds import TOPICS, Irregularity
from punto.table.records.reports import DismissIrregularity
from punto.table.records.state import RaisedIrregularity, Table, with_irregularities
from punto.table.refusals import TableCode, refuse

RAISED: dict[Irregularity, str] = {
    Irregularity.CARD_COUNT: "report_card_count",
    Irregularity.FOREIGN_CARD: "report_foreign_card",
    Irregularity.EXCESS_CARD: "report_excess_card",
    Irregularity.WRONG_NUMBER: "report_wrong_number",
}
"""The kinds that a table can raise, and the command that resolves each, without its version."""


def raise_card_not_in_shoe(book: Rulebook, card: Face | None, place: int) -> tuple[IrregularityRaised, ...]:
    """All copies of the card have been seen, or the shoe is empty by the count: it has too many cards or a foreign one.

    A card that nobody has seen is None.
    """
    if book.has(Topic.CARD_COUNT):
        return _raise(book, Irregularity.CARD_COUNT, card, place)
    return _raise(book, Irregularity.FOREIGN_CARD, card, place)


def raise_unwanted_draw(book: Rulebook, card: Face | None, place: int) -> tuple[IrregularityRaised, ...]:
    """A card was drawn that the Table of Play does not call for, or that came before the close of betting."""
    if book.has(Topic.EXCESS_CARDS):
        return _raise(book, Irregularity.EXCESS_CARD, card, place)
    return _raise(book, Irregularity.WRONG_NUMBER, card, place)


def _raise(book: Rulebook, kind: Irregularity, card: Face | None, place: int) -> tuple[IrregularityRaised, ...]:
    return (IrregularityRaised(kind, RAISED[kind], book.topics[TOPICS[kind]], card, place),)


def on_irregularity_raised(table: Table, event: IrregularityRaised) -> Table:
    raised = RaisedIrregularity(event.kind, event.report, event.card)
    entered = None if table.shoe is None else (table.shoe.id, table.shoe.drawn)
    return replace(table, round=with_irregularities(this_round(table), raised=raised), last_entered=entered)


def dismiss_irregularity(book: Rulebook, table: Table, command: DismissIrregularity) -> Decision:
    now = table.round
    raised = now.irregularities.raised if now is not None else None
    if raised is None:
        return refuse(book, TableCode.NOTHING_RAISED)
    return check_reason(book, command.reason, needed=True) or (IrregularityDismissed(raised.kind, command.reason),)


def on_irregularity_dismissed(table: Table, _: IrregularityDismissed) -> Table:
    return replace(table, round=with_irregularities(this_round(table), raised=None))


DECIDERS: Deciders = {
    DismissIrregularity: dismiss_irregularity,
}

EVOLVERS: Evolvers = {
    IrregularityRaised: on_irregularity_raised,
    IrregularityDismissed: on_irregularity_dismissed,
}
