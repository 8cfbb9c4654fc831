"""Extra cards: drawn in excess or exposed too early, or in a hand with a wrong number of cards.

A card drawn too early is dealt next: in this round if the Table of Play calls for it, or else in the next one. If the
round is void, it is discarded with the round.
"""

from msgspec.structs import replace

from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, check_reason, coup_of, coup_with_exposed, this_round
from punto.table.irregularities.reconstruction import error_events, hands
from punto.table.play.insuring import before_card_out_of_turn, on_insurance_closed
from punto.table.play.opening import burn_due, check_card_in_shoe, count_seen, cut_card_events, mark_seen, with_drawn
from punto.table.play.options import NO_FURTHER_ERROR, SPARED
from punto.table.play.pending import check_nothing_pending
from punto.table.play.raising import raise_card_not_in_shoe
from punto.table.play.voiding import check_hand, report_event, void_wrong_number
from punto.table.records.events import Event, InsuranceClosed
from punto.table.records.findings import CardsDrawnOutOfTurn, Hands, IrregularityRaised, IrregularityReported
from punto.table.records.kinds import TOPICS, CardUse, Irregularity
from punto.table.records.reports import ReportExcessCard, ReportWrongNumber
from punto.table.records.state import CarriedCard, Phase, RaisedIrregularity, Table, with_irregularities
from punto.table.refusals import TableCode, refuse


def report_excess_card(book: Rulebook, table: Table, command: ReportExcessCard) -> Decision:
    """The cards are dealt next. The players choose, unless an outcome is established.

    A hand with extra cards that cannot be reconstructed has a wrong number of cards. Extra cards with no hand whose
    order is lost and decides the coup wait for a ruling, and then the players choose.
    """
    if not command.cards:
        return refuse(book, TableCode.CARD_NEEDED, Topic.EXCESS_CARDS, variant="which")
    if command.to is not None and not command.reconstructable:
        if table.phase is Phase.BETTING:  # the cards belong to this round, not to the settled one
            return _no_hand(book)
        return _void_hand(book, table, command)
    return _extra_cards(book, table, Irregularity.EXCESS_CARD, command)


def _extra_cards(
    book: Rulebook, table: Table, kind: Irregularity, command: ReportExcessCard | ReportWrongNumber
) -> Decision:
    """Extra cards, or a hand with a wrong number of cards. ``command.cards`` is empty if a card is missing instead."""
    refusal = check_can_report(book, table) or check_reason(book, command.reason, needed=not command.reconstructable)
    if refusal := refusal or check_raised_card(book, table, command.cards):
        return refusal
    drawn = draw_out_of_turn(book, table, command.cards) if command.cards else ()
    if isinstance(drawn, Refusal) or is_raised(drawn):
        return drawn
    report = replace(report_event(book, table, kind, command.reason), reconstructable=command.reconstructable)
    if table.phase is not Phase.DEALING:  # no hand yet, and players can still withdraw their bets
        if command.reconstructable:
            return (report, *drawn)
        return _no_hand(book)
    report = replace(report, as_dealt=_as_dealt(book, table, command.cards, command.to))
    in_doubt = () if command.reconstructable else new_places(table, command.cards)
    after = after_draw(table, drawn)
    if not command.cards:  # a missing card is an ordinary dealing error
        return error_events(book, after, report, drawn, in_doubt, (), unless_established=False)
    clauses = book.topics[Topic.EXCESS_OPTIONS]
    return error_events(book, after, report, drawn, in_doubt, clauses, unless_established=True)


def _no_hand(book: Rulebook) -> Refusal:
    return refuse(book, TableCode.NOT_DEALING, Topic.EXCESS_CARDS, variant="no_hand")


def _as_dealt(book: Rulebook, table: Table, extra: tuple[Face | None, ...], to: Side | None) -> Hands:
    """The hands with the extra cards added to one of them."""
    dealt = hands(coup_of(book, table))
    if to is Side.PLAYER:
        return replace(dealt, player=dealt.player + extra)
    return dealt if to is None else replace(dealt, banker=dealt.banker + extra)


def new_places(table: Table, cards: tuple[Face | None, ...]) -> tuple[int, ...]:
    """The places that cards drawn now get."""
    first = len(this_round(table).cards) + len(table.carried) + 1
    return tuple(range(first, first + len(cards)))


def is_raised(drawn: tuple[Event, ...]) -> bool:
    return bool(drawn) and isinstance(drawn[0], IrregularityRaised)


def check_raised_card(book: Rulebook, table: Table, cards: tuple[Face | None, ...]) -> Refusal | None:
    """Refuse a report that does not start with the card the table has raised."""
    raised = _raised_draw(table)
    if raised is None or (cards and cards[0] == raised.card):
        return None
    return refuse(
        book,
        TableCode.NOT_THE_NEXT_CARD,
        TOPICS[raised.kind],
        variant="raised_unseen" if raised.card is None else "raised",
        card=raised.card,
    )


def report_wrong_number(book: Rulebook, table: Table, command: ReportWrongNumber) -> Decision:
    """Reconstruct the hand as for extra cards, or void the round.

    Before the close there is no hand: only a card that the table has raised can be reported.
    """
    raised = _raised_draw(table)
    if table.phase is Phase.BETTING and raised is not None and raised.kind is Irregularity.WRONG_NUMBER:
        return _extra_cards(book, table, Irregularity.WRONG_NUMBER, command)
    if not command.reconstructable:
        return _void_hand(book, table, command)
    return check_hand(book, table, command.cards) or _extra_cards(book, table, Irregularity.WRONG_NUMBER, command)


def _void_hand(book: Rulebook, table: Table, command: ReportExcessCard | ReportWrongNumber) -> Decision:
    """Void the round, settled or not. The extra cards have left the shoe and are discarded with the round."""
    refusal = check_hand(book, table, command.cards) or check_reason(book, command.reason, needed=True)
    raised = _raised_draw(table)
    if command.cards:
        refusal = refusal or check_raised_card(book, table, command.cards)
    if refusal is not None:
        return refusal
    cards = command.cards or (() if raised is None else (raised.card,))
    drawn = draw_cards(book, table, cards) if cards and _shoe_is_in_play(table) else ()
    if isinstance(drawn, Refusal) or is_raised(drawn):
        return drawn
    as_dealt = None if command.to is None else _as_dealt(book, table, cards, command.to)
    return void_wrong_number(book, table, command.reason, drawn, as_dealt)


def _shoe_is_in_play(table: Table) -> bool:
    """The cards of this round came from the shoe on the table: it was not changed after the settlement."""
    now = this_round(table)
    return not now.over or (table.shoe is not None and table.shoe.id in now.shoes)


_REPORTS_OF_A_DRAW = frozenset({Irregularity.EXCESS_CARD, Irregularity.WRONG_NUMBER, Irregularity.SIMULTANEOUS_CARDS})
"""A report of one of these resolves a draw that the table has raised."""


def check_can_report(book: Rulebook, table: Table) -> Refusal | None:
    """Refuse while something else is pending than what the report resolves."""
    return check_nothing_pending(book, _without_raised_draw(table))


def _raised_draw(table: Table) -> RaisedIrregularity | None:
    """The draw that the table has raised and a report has not resolved."""
    raised = table.round.irregularities.raised if table.round is not None else None
    return raised if raised is not None and raised.kind in _REPORTS_OF_A_DRAW else None


def _without_raised_draw(table: Table) -> Table:
    if _raised_draw(table) is None:
        return table
    return replace(table, round=with_irregularities(this_round(table), raised=None))


def on_irregularity_reported(table: Table, event: IrregularityReported) -> Table:
    """Separate events carry out what follows from the report."""
    after = _without_raised_draw(table) if event.kind in _REPORTS_OF_A_DRAW else table
    now = after.round
    if now is None or now.over or now.number != event.round:
        return after
    reported, spared = (*now.irregularities.reported, event.kind), now.irregularities.spared
    if event.kind not in NO_FURTHER_ERROR:
        goes_on = event.kind is Irregularity.WRONG_SIDE and not event.reconstructable  # whatever is established
        spared = event.kind in SPARED and bool(event.established) and not goes_on
    return replace(after, round=with_irregularities(now, reported=reported, spared=spared))


def draw_out_of_turn(book: Rulebook, table: Table, cards: tuple[Face | None, ...]) -> tuple[Event, ...] | Refusal:
    """Draw cards too early. If a card is exposed, an insurance offer is cut short, or missed if it was due."""
    drawn = draw_cards(book, table, cards)
    if isinstance(drawn, Refusal) or is_raised(drawn) or table.phase is not Phase.DEALING:
        return drawn
    return (*before_card_out_of_turn(book, table, exposed=any(cards)), *drawn)


def draw_cards(book: Rulebook, table: Table, cards: tuple[Face | None, ...]) -> tuple[Event, ...] | Refusal:
    """Count cards as drawn. A card that cannot be in the shoe is raised instead."""
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
    return (CardsDrawnOutOfTurn(shoe.id, cards, _use(book, table)), *cut_card_events(table, len(cards)))


def _use(book: Rulebook, table: Table) -> CardUse:
    """What becomes of cards drawn now, unless the round is void."""
    over = table.phase is Phase.READY or (table.phase is Phase.DEALING and coup_with_exposed(book, table).finished)
    return CardUse.NEXT_ROUND if over else CardUse.THIS_ROUND


def on_cards_drawn_out_of_turn(table: Table, event: CardsDrawnOutOfTurn) -> Table:
    shoe = table.shoe
    assert shoe is not None  # noqa: S101 - the cards came out of one
    first = shoe.drawn
    shoe = with_drawn(table, shoe, len(event.cards))
    for card in event.cards:
        if card is not None:
            shoe = count_seen(shoe, card)
    now = table.round
    drawn_in = now.number if now is not None and not now.over else None
    drawn = (CarriedCard(card, event.shoe, draw, drawn_in) for draw, card in enumerate(event.cards, first))
    carried = (*table.carried, *drawn)
    return replace(table, shoe=shoe, carried=carried)


def after_draw(table: Table, drawn: tuple[Event, ...]) -> Table:
    """The table with the cards drawn, for judging what follows."""
    for event in drawn:
        if evolver := _OF_A_DRAW.get(type(event)):
            table = evolver(table, event)
    return table


_OF_A_DRAW: Evolvers = {
    CardsDrawnOutOfTurn: on_cards_drawn_out_of_turn,
    InsuranceClosed: on_insurance_closed,
}

DECIDERS: Deciders = {
    ReportWrongNumber: report_wrong_number,
    ReportExcessCard: report_excess_card,
}

EVOLVERS: Evolvers = {
    IrregularityReported: on_irregularity_reported,
    CardsDrawnOutOfTurn: on_cards_drawn_out_of_turn,
}
