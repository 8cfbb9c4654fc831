"""What follows from a dealing error: the hands as they should be, a lost order, a void round, the players' options.

A coup is decided by the order of its cards, so reconstruction only needs that order.
"""

from msgspec.structs import replace

from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import coup_with_exposed, established_bets, this_round
from punto.table.irregularities.possible_orders import Possible, compare_orders
from punto.table.play.options import options_events
from punto.table.play.voiding import void_events
from punto.table.records.events import Event, InsuranceClosed
from punto.table.records.findings import Hands, IrregularityReported, OrderLost
from punto.table.records.kinds import Irregularity
from punto.table.records.state import Table, with_irregularities


def hands(coup: Coup) -> Hands:
    return Hands(coup.hand(Side.PLAYER).cards, coup.hand(Side.BANKER).cards)


def error_events(
    book: Rulebook,
    table: Table,
    report: IrregularityReported,
    drawn: tuple[Event, ...],
    in_doubt: tuple[int, ...],
    clauses: tuple[Clause, ...],
    *,
    unless_established: bool,
) -> tuple[Event, ...]:
    """The events of a reported error: the report, the cards ``drawn`` by it, and what follows.

    ``table`` has the drawn cards. If the order of the cards ``in_doubt`` decides anything, a supervisor rules on it;
    if none is lawful, the round is void. With ``unless_established`` an established outcome leaves no options.
    """
    possible = compare_orders(book, table, in_doubt) if len(in_doubt) > 1 else None
    lost = possible in (Possible.DIFFERENT_RESULTS, Possible.NO_LAWFUL_ORDER)
    judged = with_order_lost(table, in_doubt) if lost else table
    report = replace(
        report,
        should_be=hands(coup_with_exposed(book, table)) if report.reconstructable else None,
        established=established_bets(book, judged),
        same_in_any_order=possible is Possible.SAME_RESULT,
        clauses=tuple(dict.fromkeys(report.clauses + book.topics[Topic.RECONSTRUCTION])),
    )
    events: list[Event] = [report, *drawn]
    if possible is Possible.NO_LAWFUL_ORDER:
        return (*events, *void_events(book, table, Irregularity.WRONG_NUMBER, report.reason))
    if lost:
        events += [*doubt_offer(table, in_doubt), OrderLost(in_doubt)]
    if not (unless_established and report.established):
        events += options_events(book, table, report.kind, clauses, reconstructable=bool(report.reconstructable))
    return tuple(events)


def with_order_lost(table: Table, places: tuple[int, ...]) -> Table:
    """The table while nobody knows the order of these cards, for judging what is established."""
    return replace(table, round=with_irregularities(this_round(table), order_lost=places))


def doubt_offer(table: Table, places: tuple[int, ...]) -> tuple[Event, ...]:
    """Close the insurance offer that can be taken, if the points it was based on are in doubt."""
    now = this_round(table)
    return (InsuranceClosed(),) if now.insurance.offer_stands and min(places) <= len(now.cards) else ()
