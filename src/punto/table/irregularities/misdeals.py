"""Dealing errors: extra, exposed, misplaced, face-up and simultaneous cards; and reconstruction.

A coup is decided by the order of its cards, so reconstruction only needs that order. A card drawn too early is dealt
next: in this round if the Table of Play calls for it, or else in the next one.
"""

from msgspec.structs import replace

from punto.rules.coup.cards import Card
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Clause, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import (
    Deciders,
    Decision,
    Evolvers,
    check_reason,
    coup_of,
    coup_with_exposed,
    established_bets,
    open_settings,
    this_round,
)
from punto.table.play.insuring import before_card_out_of_turn, interrupt_offer
from punto.table.play.opening import burn_due, check_card_in_shoe, count_seen, cut_card_events, mark_seen
from punto.table.play.options import options_events
from punto.table.play.pending import check_nothing_pending
from punto.table.play.places import check_dealing, check_face_down, side_of
from punto.table.play.raising import raise_card_not_in_shoe
from punto.table.play.voiding import check_hand, report_event, void_wrong_number
from punto.table.records.events import CardTurned, Event
from punto.table.records.findings import (
    CardsDrawnOutOfTurn,
    Hands,
    IrregularityRaised,
    IrregularityReported,
    OrderLost,
)
from punto.table.records.kinds import TOPICS, Irregularity
from punto.table.records.reports import (
    ReportDealingError,
    ReportExcessCard,
    ReportFaceUpCard,
    ReportSimultaneousCards,
    ReportWrongNumber,
    ReportWrongSide,
)
from punto.table.records.state import CarriedCard, Phase, Table, with_insurance, with_irregularities
from punto.table.refusals import TableCode, refuse


def report_excess_card(book: Rulebook, table: Table, command: ReportExcessCard) -> Decision:
    """The cards are dealt next. The players choose, unless an outcome is established."""
    if not command.cards:
        return refuse(book, TableCode.CARD_NEEDED, Topic.EXCESS_CARDS, variant="which")
    return _extra_cards(book, table, Irregularity.EXCESS_CARD, command)


def _extra_cards(
    book: Rulebook, table: Table, kind: Irregularity, command: ReportExcessCard | ReportWrongNumber
) -> Decision:
    """Extra cards, or a hand with a wrong number of cards. ``command.cards`` is empty if a card is missing instead."""
    refusal = _check_can_report(book, table) or check_reason(book, command.reason, needed=not command.reconstructable)
    if refusal := refusal or _check_raised_card(book, table, command.cards):
        return refusal
    drawn = draw_out_of_turn(book, table, command.cards) if command.cards else ()
    if isinstance(drawn, Refusal) or _is_raised(drawn):
        return drawn
    report = replace(report_event(book, table, kind, command.reason), reconstructable=command.reconstructable)
    if table.phase is not Phase.DEALING:  # no hand yet, and players can still withdraw their bets
        if command.reconstructable:
            return (report, *drawn)
        return refuse(book, TableCode.NOT_DEALING, Topic.EXCESS_CARDS, variant="no_hand")
    after = _after_draw(table, drawn)
    as_dealt = _hands(coup_of(book, table))
    if command.to is Side.PLAYER:
        as_dealt = replace(as_dealt, player=as_dealt.player + command.cards)
    elif command.to is Side.BANKER:
        as_dealt = replace(as_dealt, banker=as_dealt.banker + command.cards)
    report = _with_reconstruction(book, after, report, as_dealt)
    clauses, options = book.topics[Topic.EXCESS_OPTIONS], not report.established
    if not command.cards:  # a missing card is an ordinary dealing error
        clauses, options = (), True
    return (report, *drawn, *_consequences(book, after, report, clauses, options=options))


def _is_raised(drawn: tuple[Event, ...]) -> bool:
    return bool(drawn) and isinstance(drawn[0], IrregularityRaised)


def _check_raised_card(book: Rulebook, table: Table, cards: tuple[Card | None, ...]) -> Refusal | None:
    """Refuse a report that does not start with the card the table has raised."""
    raised = table.round.irregularities.raised if table.round else None
    if raised is None or raised.kind not in _REPORTS_OF_A_DRAW or (cards and cards[0] is raised.card):
        return None
    return refuse(
        book,
        TableCode.NOT_THE_NEXT_CARD,
        TOPICS[raised.kind],
        variant="raised_unseen" if raised.card is None else "raised",
        card=raised.card,
    )


def report_wrong_number(book: Rulebook, table: Table, command: ReportWrongNumber) -> Decision:
    """Reconstruct the hand as for extra cards, or void the round."""
    if refusal := check_hand(book, table) or check_reason(book, command.reason, needed=not command.reconstructable):
        return refusal
    if command.reconstructable:
        return _extra_cards(book, table, Irregularity.WRONG_NUMBER, command)
    return void_wrong_number(book, table, command)


_REPORTS_OF_A_DRAW = frozenset({Irregularity.EXCESS_CARD, Irregularity.WRONG_NUMBER, Irregularity.SIMULTANEOUS_CARDS})
"""A report of one of these resolves a draw that the table has raised."""


def _check_can_report(book: Rulebook, table: Table) -> Refusal | None:
    """Refuse while something else is pending than what the report resolves."""
    return check_nothing_pending(book, _without_raised_draw(table))


def _without_raised_draw(table: Table) -> Table:
    now = table.round
    raised = now.irregularities.raised if now is not None else None
    if now is None or raised is None or raised.kind not in _REPORTS_OF_A_DRAW:
        return table
    return replace(table, round=with_irregularities(now, raised=None))


def on_irregularity_reported(table: Table, event: IrregularityReported) -> Table:
    """Separate events carry out what follows from the report."""
    return _without_raised_draw(table) if event.kind in _REPORTS_OF_A_DRAW else table


def draw_out_of_turn(book: Rulebook, table: Table, cards: tuple[Card | None, ...]) -> tuple[Event, ...] | Refusal:
    """Draw cards too early. An open insurance offer closes; a due one is missed if a card is exposed."""
    shoe = table.shoe
    if shoe is None:
        return refuse(book, TableCode.NO_SHOE)
    if burn_due(table):
        return refuse(book, TableCode.NOT_BURNED)
    if len(cards) > shoe.left:
        return refuse(book, TableCode.SHOE_EMPTY, Topic.SHOE_RUN_OUT, variant="left", left=shoe.left)
    after = table
    for card in cards:
        if card is None:
            continue
        if refusal := check_card_in_shoe(book, after, card):
            if table.phase is not Phase.DEALING:
                return refusal
            now = this_round(table)
            if now.irregularities.raised:  # only one irregularity is raised at a time
                return refusal
            return raise_card_not_in_shoe(book, card, len(now.cards) + 1)
        after = mark_seen(after, card, shoe.id)
    before = before_card_out_of_turn(book, table, exposed=any(cards)) if table.phase is Phase.DEALING else ()
    return (*before, CardsDrawnOutOfTurn(shoe.id, cards), *cut_card_events(table, len(cards)))


def on_cards_drawn_out_of_turn(table: Table, event: CardsDrawnOutOfTurn) -> Table:
    shoe = table.shoe
    assert shoe is not None  # noqa: S101 - the cards came out of one
    first = shoe.drawn
    shoe = replace(shoe, drawn=first + len(event.cards))
    for card in event.cards:
        if card is not None:
            shoe = count_seen(shoe, card)
    now = table.round
    drawn_in = now.number if now is not None and not now.over else None
    drawn = (CarriedCard(card, event.shoe, draw, drawn_in) for draw, card in enumerate(event.cards, first))
    carried = (*table.carried, *drawn)
    return replace(table, shoe=shoe, carried=carried)


def _after_draw(table: Table, drawn: tuple[Event, ...]) -> Table:
    """The table with the cards drawn, for judging what follows."""
    draws = [event for event in drawn if isinstance(event, CardsDrawnOutOfTurn)]
    if not draws:
        return table
    after = on_cards_drawn_out_of_turn(table, draws[0])
    return replace(after, round=with_insurance(this_round(after), offer_open=False, offer_stands=False))


def _hands(coup: Coup) -> Hands:
    return Hands(coup.hand(Side.PLAYER).cards, coup.hand(Side.BANKER).cards)


def _with_reconstruction(
    book: Rulebook, table: Table, report: IrregularityReported, as_dealt: Hands
) -> IrregularityReported:
    """Add the hands as dealt and as they should be. If the order is not known, no outcome is established."""
    order_known = bool(report.reconstructable)
    return replace(
        report,
        as_dealt=as_dealt,
        should_be=_hands(coup_with_exposed(book, table)) if order_known else None,
        established=established_bets(book, table) if order_known else (),
        clauses=tuple(dict.fromkeys(report.clauses + book.topics[Topic.RECONSTRUCTION])),
    )


def _consequences(
    book: Rulebook,
    table: Table,
    report: IrregularityReported,
    clauses: tuple[Clause, ...],
    *,
    options: bool,
) -> tuple[Event, ...]:
    """The events after a report: a lost order if the cards cannot be reconstructed, and the players' options."""
    reconstructable = report.reconstructable is not False
    events: list[Event] = []
    places = len(this_round(table).cards) + len(table.carried)
    if not reconstructable and places > 1:
        if this_round(table).insurance.offer_stands:  # the points it was based on may change
            events.append(interrupt_offer(book, table))
        events.append(OrderLost(tuple(range(1, places + 1))))
    if options:
        events += options_events(book, table, report.kind, clauses, reconstructable=reconstructable)
    return tuple(events)


def report_wrong_side(book: Rulebook, table: Table, command: ReportWrongSide) -> Decision:
    """The order in which the cards were drawn decides which hand they belong to."""
    refusal = check_dealing(book, table) or check_reason(book, command.reason, needed=not command.reconstructable)
    if refusal is not None:
        return refusal
    coup = coup_of(book, table)
    right = tuple(side_of(coup, place) for place in range(1, len(coup.cards) + 1))
    if len(command.as_dealt) != len(right):
        return refuse(
            book,
            TableCode.NOT_AS_DEALT,
            Topic.WRONG_SIDE,
            variant="count",
            cards=len(right),
            given=len(command.as_dealt),
        )
    if all(side in (dealt, None) for dealt, side in zip(command.as_dealt, right, strict=True)):
        return refuse(book, TableCode.NOT_AS_DEALT, Topic.WRONG_SIDE, variant="right")
    dealt_to = list(zip(coup.cards, command.as_dealt, strict=True))
    as_dealt = Hands(*(tuple(card for card, to in dealt_to if to is side) for side in (Side.PLAYER, Side.BANKER)))
    report = report_event(book, table, Irregularity.WRONG_SIDE, command.reason)
    where = book.topics[Topic.WRONG_PERSON if command.to_person else Topic.WRONG_AREA]
    report = replace(report, clauses=report.clauses + where, reconstructable=command.reconstructable)
    report = _with_reconstruction(book, table, report, as_dealt)
    return (report, *_consequences(book, table, report, book.topics[Topic.WRONG_SIDE], options=not report.established))


def report_face_up_card(book: Rulebook, table: Table, command: ReportFaceUpCard) -> Decision:
    """Turn the card. The players choose, unless an outcome is established."""
    if refusal := check_dealing(book, table):
        return refusal
    if not open_settings(table).face_down:
        return refuse(book, TableCode.NOT_FACE_DOWN, Topic.FACE_UP)
    if refusal := check_face_down(book, table, command.place):
        return refusal
    now = this_round(table)
    if check_card_in_shoe(book, table, command.card, now.shoes[command.place - 1]):
        return raise_card_not_in_shoe(book, command.card, command.place)
    cards = (*now.cards[: command.place - 1], command.card, *now.cards[command.place :])
    after = replace(table, round=replace(now, cards=cards))
    established = established_bets(book, after)
    report = replace(report_event(book, table, Irregularity.FACE_UP_CARD, ""), established=established)
    events: list[Event] = [report, CardTurned(command.place, command.card)]
    if now.insurance.offer_stands:
        events.insert(1, interrupt_offer(book, table))
    if not established:
        events += options_events(book, after, report.kind, book.topics[Topic.FACE_UP], reconstructable=True)
    return tuple(events)


def report_simultaneous_cards(book: Rulebook, table: Table, command: ReportSimultaneousCards) -> Decision:
    """The cards wait for a ruling on their order. The players choose after the ruling."""
    if table.phase is not Phase.DEALING:
        return refuse(book, TableCode.NOT_DEALING, Topic.SIMULTANEOUS_CARDS, variant="close_first")
    if refusal := _check_can_report(book, table) or _check_raised_card(book, table, command.cards):
        return refusal
    if len(command.cards) < 2:
        return refuse(book, TableCode.CARD_NEEDED, Topic.SIMULTANEOUS_CARDS, variant="two")
    drawn = draw_out_of_turn(book, table, command.cards)
    if isinstance(drawn, Refusal) or _is_raised(drawn):
        return drawn
    first = len(this_round(table).cards) + len(table.carried) + 1
    places = tuple(range(first, first + len(command.cards)))
    report = replace(
        report_event(book, table, Irregularity.SIMULTANEOUS_CARDS, ""), established=established_bets(book, table)
    )
    return (report, *drawn, OrderLost(places, simultaneous=True))


def report_dealing_error(book: Rulebook, table: Table, command: ReportDealingError) -> Decision:
    """The players choose, even if an outcome is established."""
    refusal = check_dealing(book, table) or check_reason(book, command.reason, needed=True)
    if refusal is not None:
        return refusal
    report = report_event(book, table, Irregularity.DEALING_ERROR, command.reason)
    report = replace(report, reconstructable=command.reconstructable)
    report = _with_reconstruction(book, table, report, _hands(coup_of(book, table)))
    return (report, *_consequences(book, table, report, (), options=True))


DECIDERS: Deciders = {
    ReportWrongNumber: report_wrong_number,
    ReportExcessCard: report_excess_card,
    ReportWrongSide: report_wrong_side,
    ReportFaceUpCard: report_face_up_card,
    ReportSimultaneousCards: report_simultaneous_cards,
    ReportDealingError: report_dealing_error,
}

EVOLVERS: Evolvers = {
    IrregularityReported: on_irregularity_reported,
    CardsDrawnOutOfTurn: on_cards_drawn_out_of_turn,
}
