"""What follows from a dealing error: the hands as they should be, a lost order, a void round, the players' options.

A coup is decided by the order of its cards, so reconstruction only needs that order. Cards of which one lies with no
hand fall under the rule on cards drawn at the same time if nobody knows their order and the coup depends on it,
whatever was reported: the order is ruled, and then everybody chooses. If only cards of hands are in doubt, the players
choose first.
"""

from msgspec.structs import replace

from punto.rules.coup.cards import Face
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import coup_with_exposed, established_bets, this_round
from punto.table.irregularities.possible_orders import Possible, compare_orders, one_lies_with_no_hand
from punto.table.play.insuring import cut_offer_short, offer_in_doubt
from punto.table.play.options import SPARED, options_events
from punto.table.play.voiding import void_events
from punto.table.records.events import Event
from punto.table.records.findings import Hands, IrregularityReported, OrderLost
from punto.table.records.kinds import ERRORS_OF_NUMBER, Irregularity
from punto.table.records.state import Round, Table, cards_in_order, with_irregularities


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
    lost = possible not in (None, Possible.SAME_RESULT)
    simultaneous = possible is Possible.DIFFERENT_COUPS and one_lies_with_no_hand(table, in_doubt)
    judged = with_order_lost(table, in_doubt) if lost else table
    topics = (Topic.RECONSTRUCTION, *((Topic.SIMULTANEOUS_CARDS,) if simultaneous else ()))
    report = replace(
        report,
        should_be=hands(coup_with_exposed(book, table)) if report.reconstructable else None,
        established=established_bets(book, judged),
        same_in_any_order=possible is Possible.SAME_RESULT,
        clauses=tuple(dict.fromkeys(report.clauses + tuple(each for topic in topics for each in book.topics[topic]))),
    )
    if possible is Possible.NO_LAWFUL_ORDER:
        return (report, *void_events(book, table, Irregularity.WRONG_NUMBER, report.reason, drawn))
    events: list[Event] = [report, *drawn]
    if lost:
        events += [*doubt_offer(book, table, in_doubt), OrderLost(in_doubt, simultaneous)]
    if not simultaneous and not (unless_established and report.established):
        events += options_events(book, table, report.kind, clauses, reconstructable=bool(report.reconstructable))
    return tuple(events)


_OPTIONS = {
    Irregularity.EXCESS_CARD: Topic.EXCESS_OPTIONS,
    Irregularity.WRONG_SIDE: Topic.WRONG_SIDE,
    Irregularity.DEALING_ERROR: Topic.OPTIONS,
    Irregularity.SIMULTANEOUS_CARDS: Topic.SIMULTANEOUS_OPTIONS,
}
"""Reports that can leave an order in doubt although a card lies with no hand, and the topic of their options."""


def order_lost_by(now: Round) -> Irregularity:
    """The last report that can have left an order in doubt."""
    return next(kind for kind in reversed(now.irregularities.reported) if kind in _OPTIONS)


def rejudge_doubt(book: Rulebook, before: Table, after: Table) -> tuple[Event, ...]:
    """What a corrected card changes about cards whose order is lost and of which one lies with no hand.

    If their order turns out to decide the coup, it falls under the rule on cards drawn at the same time. If it turns
    out that one card was drawn and not two, no order is lost, and the players choose as the report says.
    """
    was, now = this_round(before).irregularities, this_round(after).irregularities
    if was.asked is not None or not was.order_lost or not one_lies_with_no_hand(before, was.order_lost):
        return ()
    if now.order_lost:
        matters = compare_orders(book, after, now.order_lost) is Possible.DIFFERENT_COUPS
        turns_out = matters and not was.order_lost_simultaneous
        return (OrderLost(now.order_lost, simultaneous=True),) if turns_out else ()
    kind = order_lost_by(this_round(after))
    if kind is Irregularity.SIMULTANEOUS_CARDS or not was.order_lost_simultaneous:
        return ()  # a single card is not drawn at the same time as another
    if kind is not Irregularity.DEALING_ERROR and established_bets(book, after):
        return ()
    return options_events(book, after, kind, book.topics[_OPTIONS[kind]], reconstructable=True)


def rejudge_established(book: Rulebook, after: Table) -> tuple[Event, ...]:
    """The options that a corrected card gives: the last error gave none, and by the right cards nothing is established.

    Of extra cards only while they wait to be dealt, and nothing after a settlement.
    """
    now = this_round(after)
    irregularities = now.irregularities
    ruled_first = irregularities.order_lost and irregularities.order_lost_simultaneous
    if not irregularities.spared or ruled_first or now.reversed_results is not None or established_bets(book, after):
        return ()
    kind = next(kind for kind in reversed(irregularities.reported) if kind in SPARED)
    if kind in ERRORS_OF_NUMBER and not any(card.drawn_in == now.number for card in after.carried):
        return ()
    return options_events(book, after, kind, book.topics[SPARED[kind]], reconstructable=not irregularities.order_lost)


def establishes(book: Rulebook, before: Table, after: Table) -> bool:
    """Whether a corrected card shows that an outcome was established, and that leaves none of the options given."""
    was = this_round(before).irregularities
    asked = was.asked
    if asked is None or asked.kind not in SPARED or was.simultaneous:
        return False
    if asked.kind is Irregularity.WRONG_NUMBER and not before.carried:  # a card was missing: options in any case
        return False
    if asked.kind is Irregularity.WRONG_SIDE and not asked.reconstructable:
        return False
    return not established_bets(book, before) and bool(established_bets(book, after))


def with_order_lost(table: Table, places: tuple[int, ...]) -> Table:
    """The table while nobody knows the order of these cards, for judging what is established."""
    return replace(table, round=with_irregularities(this_round(table), order_lost=places))


def doubt_offer(
    book: Rulebook, table: Table, places: tuple[int, ...], drawn: tuple[Face | None, ...] = ()
) -> tuple[Event, ...]:
    """End the insurance offer that can be taken, if the points it was based on are in doubt.

    If only later cards are in doubt and one of them has been seen, nobody knows whether it is the next. The cards
    ``drawn`` with them are not on the table yet.
    """
    insurance = this_round(table).insurance
    if not insurance.offer_stands:
        return ()
    if min(places) <= insurance.offered[-1].cards:
        return (offer_in_doubt(table),)
    faces = [*(card.card for card in cards_in_order(table)), *drawn]
    return cut_offer_short(book, table) if any(faces[place - 1] is not None for place in places) else ()
