"""Dealing errors: misplaced, face-up and simultaneous cards, and all others."""

from msgspec.structs import replace

from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import (
    Deciders,
    Decision,
    check_reason,
    coup_of,
    established_bets,
    open_settings,
    this_round,
)
from punto.table.irregularities.extra_cards import (
    after_draw,
    check_can_report,
    check_raised_card,
    draw_cards,
    draw_out_of_turn,
    is_raised,
    new_places,
)
from punto.table.irregularities.reconstruction import doubt_offer, error_events, hands, with_order_lost
from punto.table.play.insuring import cut_offer_short
from punto.table.play.opening import check_card_in_shoe
from punto.table.play.options import options_events
from punto.table.play.places import check_dealing, check_face_down, side_of
from punto.table.play.raising import raise_card_not_in_shoe
from punto.table.play.voiding import report_event
from punto.table.records.events import CardTurned, Event
from punto.table.records.findings import Hands, OrderLost
from punto.table.records.kinds import Irregularity
from punto.table.records.reports import (
    ReportDealingError,
    ReportFaceUpCard,
    ReportSimultaneousCards,
    ReportWrongSide,
)
from punto.table.records.state import Phase, Table
from punto.table.refusals import TableCode, refuse


def report_wrong_side(book: Rulebook, table: Table, command: ReportWrongSide) -> Decision:
    """The order in which the cards were drawn decides which hand they belong to."""
    refusal = check_dealing(book, table) or check_reason(book, command.reason, needed=not command.reconstructable)
    refusal = refusal or _check_in_doubt(book, table, command, Topic.WRONG_SIDE)
    if refusal := refusal or _check_sides(book, table, command):
        return refusal
    coup = coup_of(book, table)
    dealt_to = list(zip(coup.cards, command.as_dealt, strict=True))
    as_dealt = Hands(*(tuple(card for card, to in dealt_to if to is side) for side in (Side.PLAYER, Side.BANKER)))
    report = report_event(book, table, Irregularity.WRONG_SIDE, command.reason)
    where = book.topics[Topic.WRONG_PERSON if command.to_person else Topic.WRONG_AREA]
    report = replace(report, clauses=report.clauses + where, reconstructable=command.reconstructable, as_dealt=as_dealt)
    in_doubt: tuple[int, ...] = ()
    if not command.reconstructable:
        in_doubt = tuple(sorted(command.in_doubt)) or _cards_of_wrong_hands(book, table, command)
    clauses = book.topics[Topic.WRONG_SIDE]
    return error_events(book, table, report, (), in_doubt, clauses, unless_established=command.reconstructable)


def _right_sides(book: Rulebook, table: Table) -> tuple[Side | None, ...]:
    """The hand that each dealt card belongs to."""
    coup = coup_of(book, table)
    return tuple(side_of(coup, place) for place in range(1, len(coup.cards) + 1))


def _check_sides(book: Rulebook, table: Table, command: ReportWrongSide) -> Refusal | None:
    """Refuse unless there is a side for each card, at least one of them is wrong, and the person can have had it."""
    now = this_round(table)
    if command.to_person and not (now.accepted or now.squeezed):  # at a felt table anybody may have opened a card
        return refuse(book, TableCode.NOT_AS_DEALT, Topic.WRONG_PERSON, variant="person")
    right = _right_sides(book, table)
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
    return None


def _cards_of_wrong_hands(book: Rulebook, table: Table, command: ReportWrongSide) -> tuple[int, ...]:
    """The places of all cards that lie with a hand that was dealt a wrong card."""
    placed = list(zip(command.as_dealt, _right_sides(book, table), strict=True))
    wrong = {dealt for dealt, side in placed if side not in (dealt, None)}
    return tuple(place for place, (dealt, _) in enumerate(placed, 1) if dealt in wrong)


def _check_in_doubt(
    book: Rulebook, table: Table, command: ReportWrongSide | ReportDealingError, topic: Topic
) -> Refusal | None:
    """Refuse ``in_doubt`` if it does not name two or more cards of the table, or if their order is known."""
    places = command.in_doubt
    if not places:
        return None
    if command.reconstructable:
        return refuse(book, TableCode.NOT_AN_ORDER, topic, variant="known")
    cards = len(this_round(table).cards) + len(table.carried)
    if len(places) < 2 or len(set(places)) < len(places) or not all(1 <= place <= cards for place in places):
        return refuse(book, TableCode.NOT_AN_ORDER, topic, variant="in_doubt", cards=cards)
    return None


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
        events[1:1] = cut_offer_short(book, table)
    if not established:
        events += options_events(book, after, report.kind, book.topics[Topic.FACE_UP], reconstructable=True)
    return tuple(events)


def report_simultaneous_cards(book: Rulebook, table: Table, command: ReportSimultaneousCards) -> Decision:
    """The cards wait for a ruling on their order. The players choose after the ruling."""
    if table.phase is not Phase.DEALING:
        return refuse(book, TableCode.NOT_DEALING, Topic.SIMULTANEOUS_CARDS, variant="close_first")
    refusal = check_can_report(book, table) or check_raised_card(book, table, command.cards)
    if refusal := refusal or _check_together(book, table, command):
        return refusal
    # cards that are already dealt are in doubt, so no offer on their points is due
    draw = draw_cards if command.entered else draw_out_of_turn
    drawn = draw(book, table, command.cards) if command.cards else ()
    if isinstance(drawn, Refusal) or is_raised(drawn):
        return drawn
    dealt = len(this_round(table).cards)
    places = (*range(dealt - command.entered + 1, dealt + 1), *new_places(table, command.cards))
    established = established_bets(book, with_order_lost(after_draw(table, drawn), places))
    report = replace(report_event(book, table, Irregularity.SIMULTANEOUS_CARDS, ""), established=established)
    closes = doubt_offer(book, table, places, command.cards) if command.entered else ()
    return (report, *closes, *drawn, OrderLost(places, simultaneous=True))


def _check_together(book: Rulebook, table: Table, command: ReportSimultaneousCards) -> Refusal | None:
    """Refuse fewer than two cards, and cards that cannot have been drawn together."""
    dealt = len(this_round(table).cards)
    if not 0 <= command.entered <= dealt:
        return refuse(book, TableCode.NOT_AS_DEALT, Topic.SIMULTANEOUS_CARDS, variant="entered", cards=dealt)
    if len(command.cards) + command.entered < 2:
        return refuse(book, TableCode.CARD_NEEDED, Topic.SIMULTANEOUS_CARDS, variant="two")
    if command.cards and command.entered and table.carried:
        return refuse(book, TableCode.NOT_AS_DEALT, Topic.SIMULTANEOUS_CARDS, variant="between")
    return None


def report_dealing_error(book: Rulebook, table: Table, command: ReportDealingError) -> Decision:
    """The players choose, even if an outcome is established."""
    refusal = check_dealing(book, table) or check_reason(book, command.reason, needed=True)
    if refusal := refusal or _check_in_doubt(book, table, command, Topic.OPTIONS):
        return refusal
    coup = coup_of(book, table)
    report = replace(
        report_event(book, table, Irregularity.DEALING_ERROR, command.reason),
        reconstructable=command.reconstructable,
        as_dealt=hands(coup),
    )
    all_dealt = tuple(range(1, len(coup.cards) + 1))
    in_doubt = () if command.reconstructable else tuple(sorted(command.in_doubt)) or all_dealt
    return error_events(book, table, report, (), in_doubt, (), unless_established=False)


DECIDERS: Deciders = {
    ReportWrongSide: report_wrong_side,
    ReportFaceUpCard: report_face_up_card,
    ReportSimultaneousCards: report_simultaneous_cards,
    ReportDealingError: report_dealing_error,
}
