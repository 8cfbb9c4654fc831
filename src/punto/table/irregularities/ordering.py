"""Cards whose order is lost: a pit supervisor rules on it, and can replace the shoe."""

from msgspec.structs import replace

from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, open_settings, this_round
from punto.table.irregularities.possible_orders import is_lawful
from punto.table.irregularities.reconstruction import order_lost_by
from punto.table.play.opening import check_new_shoe, mark_back, mark_taken_off, new_shoe
from punto.table.play.options import options_events
from punto.table.play.pending import check_nothing_pending, order_topic, write_places
from punto.table.play.rejudging import on_insurance_rejudged, rejudge_insurance
from punto.table.records.findings import CardOrderRuled, InsuranceRejudged, OrderLost, ShoeReplaced
from punto.table.records.reports import ReplaceShoe, RuleCardOrder
from punto.table.records.state import Phase, Table, cards_on_table, with_insurance, with_irregularities
from punto.table.refusals import TableCode, refuse


def on_order_lost(table: Table, event: OrderLost) -> Table:
    """The round waits for a ruling."""
    now = this_round(table)
    after = with_irregularities(
        now,
        order_lost=event.places,
        order_lost_simultaneous=event.simultaneous,
        simultaneous=now.irregularities.simultaneous or event.simultaneous,
        asked=None,
    )
    return replace(table, round=after)


def rule_card_order(book: Rulebook, table: Table, command: RuleCardOrder) -> Decision:
    """The order decides the coup. Under the rule on cards drawn at the same time, the players then choose."""
    now = table.round
    if now is None or not now.irregularities.order_lost:
        return refuse(book, TableCode.NO_ORDER_LOST, Topic.SIMULTANEOUS_CARDS)
    if now.irregularities.options is not None:  # players choose before they know the order
        return check_nothing_pending(book, table) or ()
    topic = order_topic(now)
    if tuple(sorted(command.order)) != now.irregularities.order_lost:
        return refuse(book, TableCode.NOT_AN_ORDER, topic, places=write_places(now.irregularities.order_lost))
    if not is_lawful(book, table, command.order):
        return refuse(book, TableCode.NOT_AN_ORDER, Topic.TABLE_OF_PLAY, variant="unlawful")
    ruled = CardOrderRuled(command.order, book.topics[topic])
    after = on_card_order_ruled(table, ruled)
    rejudged = rejudge_insurance(book, table, after, command.order)
    if topic is not Topic.SIMULTANEOUS_CARDS:
        return (ruled, *rejudged)
    for event in rejudged:
        if isinstance(event, InsuranceRejudged):  # may leave a player without a stake
            after = on_insurance_rejudged(after, event)
    clauses = book.topics[Topic.SIMULTANEOUS_OPTIONS]
    return (ruled, *rejudged, *options_events(book, after, order_lost_by(now), clauses, reconstructable=True))


def on_card_order_ruled(table: Table, event: CardOrderRuled) -> Table:
    """Rearrange the cards of those places. A squeezed card stays squeezed at its new place.

    ``InsuranceRejudged`` follows if this changes anything about insurance. Journals before revision 3 do not have it:
    there, offers on cards whose order was lost otherwise than by drawing them at the same time can be made again.
    """
    now = this_round(table)
    dealt = len(now.cards)
    cards = [*cards_on_table(now), *table.carried]
    moves = dict(zip(sorted(event.order), event.order, strict=True))
    cards = [cards[moves.get(place, place) - 1] for place in range(1, len(cards) + 1)]
    places = range(1, dealt + 1)
    if not now.irregularities.order_lost_simultaneous:
        offered = tuple(stage for stage in now.insurance.offered if stage.cards < min(event.order))
        now = with_insurance(now, offered=offered)
    now = replace(
        with_irregularities(now, order_lost=()),
        cards=tuple(place.card for place in cards[:dealt]),
        shoes=tuple(place.shoe for place in cards[:dealt]),
        draws=tuple(place.draw for place in cards[:dealt]),
        squeezed=frozenset(to for to in places if moves.get(to, to) in now.squeezed),
        laid_open=frozenset(to for to in places if moves.get(to, to) in now.laid_open),
    )
    return replace(table, round=now, carried=tuple(cards[dealt:]))


def replace_shoe(book: Rulebook, table: Table, command: ReplaceShoe) -> Decision:
    """Only after cards were drawn at the same time in this round."""
    topic, now = Topic.REPLACE_SHOE, table.round
    if table.phase is not Phase.DEALING or now is None or not now.irregularities.simultaneous:
        return refuse(book, TableCode.NOT_SIMULTANEOUS, topic)
    refusal = check_new_shoe(book, table, command.shoe, command.decks, command.formerly)
    if refusal is not None:
        return refusal
    new = (command.shoe, command.decks, command.now, book.topics[topic], command.formerly)
    return (ShoeReplaced(*new, open_settings(table).continuous),)


def on_shoe_replaced(table: Table, event: ShoeReplaced) -> Table:
    """If replaced now, the rest of the old shoe is discarded; its seen cards are still needed."""
    shoe, now, old = new_shoe(event), this_round(table), table.shoe
    assert old is not None  # noqa: S101 - the cards came out of one
    table = mark_back(mark_taken_off(table, old.id), event.formerly)
    if not event.now:
        return replace(table, next_shoe=shoe)
    after = with_irregularities(now, replaced_shoes=(old, *now.irregularities.replaced_shoes))
    return replace(table, shoe=shoe, next_shoe=None, standing_squeezes=frozenset(), round=after)


DECIDERS: Deciders = {
    RuleCardOrder: rule_card_order,
    ReplaceShoe: replace_shoe,
}

EVOLVERS: Evolvers = {
    OrderLost: on_order_lost,
    CardOrderRuled: on_card_order_ruled,
    ShoeReplaced: on_shoe_replaced,
}
