"""How a table changes when a card turns out to be another one."""

from msgspec.structs import replace

from punto.table.decision import Evolvers, this_round
from punto.table.play.opening import change_shoe, count_seen, find_shoe, uncount_seen
from punto.table.records.findings import CardCorrected
from punto.table.records.state import CarriedCard, Shoe, Table, cards_in_order, cards_out, with_irregularities


def on_card_corrected(table: Table, event: CardCorrected) -> Table:
    """Replace the card wherever it lies, and its count. Cards that are no longer dealt, or now are, change over."""

    def recount(shoe: Shoe) -> Shoe:
        shoe = uncount_seen(shoe, event.was)
        shoe = replace(shoe, drawn=shoe.drawn - 1) if event.card is None else count_seen(shoe, event.card)
        if event.burned_unseen is not None:
            drawn = shoe.drawn + event.burned_unseen - shoe.burned_unseen
            shoe = replace(shoe, burned_card=event.card, burned_unseen=event.burned_unseen, drawn=drawn)
        return replace(shoe, cut_card_out=shoe.cut_card_out and not event.cut_card_in)

    still_last = event.card is not None and table.last_entered == (event.shoe, event.draw)
    entered = table.last_entered if still_last else None
    after = replace(change_shoe(table, event.shoe, recount), last_entered=entered)
    if event.place is None:
        return _with_draws_moved(table, after, event)
    carried = tuple(_corrected(card, event) for card in after.carried if not _was_not_drawn(card, event))
    after = replace(after, carried=carried)
    now = after.round
    if now is None:
        return after
    lying = [_corrected(card, event) for card in cards_in_order(table) if not _was_not_drawn(card, event)]
    after = _with_order_lost(after, len(lying))
    dealt = len(now.cards) if event.dealt is None else event.dealt
    after = _with_dealt(after, lying, dealt, moved=event.dealt is not None)
    return _with_leavers_before(after) if event.card is None else after


def _with_draws_moved(before: Table, after: Table, event: CardCorrected) -> Table:
    """More or fewer cards were burned, so the later ones were drawn later or earlier."""
    shoe = find_shoe(before, event.shoe)
    moved = 0 if shoe is None or event.burned_unseen is None else event.burned_unseen - shoe.burned_unseen
    carried = tuple(
        replace(card, draw=card.draw + moved) if card.shoe == event.shoe else card for card in after.carried
    )
    now = after.round
    if now is not None:
        places = zip(now.shoes, now.draws, strict=True)
        now = replace(now, draws=tuple(draw + moved if name == event.shoe else draw for name, draw in places))
    return replace(after, carried=carried, round=now)


def _is_corrected(card: CarriedCard, event: CardCorrected) -> bool:
    return (card.shoe, card.draw) == (event.shoe, event.draw)


def _was_not_drawn(card: CarriedCard, event: CardCorrected) -> bool:
    return event.card is None and _is_corrected(card, event)


def _corrected(card: CarriedCard, event: CardCorrected) -> CarriedCard:
    return replace(card, card=event.card) if _is_corrected(card, event) else card


def _with_order_lost(table: Table, lying: int) -> Table:
    """A card that was never drawn has no place in the order."""
    now = this_round(table)
    lost = tuple(place for place in now.irregularities.order_lost if place <= lying)
    if lost == now.irregularities.order_lost:
        return table
    return replace(table, round=with_irregularities(now, order_lost=lost if len(lost) > 1 else ()))


def _with_dealt(table: Table, lying: list[CarriedCard], dealt: int, *, moved: bool) -> Table:
    """The first cards are those of the coup; with ``moved``, the others are carried."""
    now, cards = this_round(table), lying[:dealt]
    now = replace(
        now,
        cards=tuple(card.card for card in cards),
        shoes=tuple(card.shoe for card in cards),
        draws=tuple(card.draw for card in cards),
        squeezed=frozenset(place for place in now.squeezed if place <= dealt),
        laid_open=frozenset(place for place in now.laid_open if place <= dealt),
    )
    return replace(table, round=now, carried=tuple(lying[dealt:]) if moved else table.carried)


def _with_leavers_before(table: Table) -> Table:
    """Who left after a card that was never drawn has left before the next one."""
    now, out = this_round(table), cards_out(table)
    return replace(table, round=replace(now, left={who: min(cards, out) for who, cards in now.left.items()}))


EVOLVERS: Evolvers = {
    CardCorrected: on_card_corrected,
}
