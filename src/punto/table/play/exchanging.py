"""The house exchanges a sealed shoe during a round, because somebody may know the order of its cards."""

from msgspec.structs import replace

from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, open_settings, this_round
from punto.table.play.opening import check_new_shoe, new_shoe, with_drawn
from punto.table.play.voiding import check_round
from punto.table.records.findings import ShoeExchanged
from punto.table.records.reports import ExchangeShoe
from punto.table.records.state import CarriedCard, Table, cards_on_table, with_irregularities
from punto.table.refusals import TableCode, refuse


def exchange_shoe(book: Rulebook, table: Table, command: ExchangeShoe) -> Decision:
    """The cards that were turned stay where they are, and so does every bet."""
    refusal = check_round(book, table, Topic.INTERRUPTION)
    if refusal := refusal or check_new_shoe(book, table, command.shoe, command.decks):
        return refusal
    if table.shoe is None:
        return refuse(book, TableCode.NO_SHOE)
    unseen = tuple(place for place, held in enumerate(_cards(table), 1) if held.card is None)
    machine = open_settings(table).continuous
    return (ShoeExchanged(command.shoe, command.decks, table.shoe.id, unseen, machine),)


def on_shoe_exchanged(table: Table, event: ShoeExchanged) -> Table:
    """The old shoe stays known while its cards are on the table: each card is counted in its own shoe."""
    now, old, cards = this_round(table), table.shoe, _cards(table)
    assert old is not None  # noqa: S101 - it was exchanged
    for draw, place in enumerate(event.dealt_again):
        cards[place - 1] = replace(cards[place - 1], shoe=event.shoe, draw=draw)
    dealt = len(now.cards)
    now = replace(
        with_irregularities(now, replaced_shoes=(old, *now.irregularities.replaced_shoes)),
        shoes=tuple(held.shoe for held in cards[:dealt]),
        draws=tuple(held.draw for held in cards[:dealt]),
        squeezed=now.squeezed.difference(event.dealt_again),
        laid_open=now.laid_open.difference(event.dealt_again),
    )
    shoe = with_drawn(table, new_shoe(event), len(event.dealt_again))
    carried = tuple(cards[dealt:])
    return replace(table, shoe=shoe, next_shoe=None, standing_squeezes=frozenset(), carried=carried, round=now)


def _cards(table: Table) -> list[CarriedCard]:
    """The cards of the round by place, then those drawn too early."""
    return [*cards_on_table(this_round(table)), *table.carried]


DECIDERS: Deciders = {ExchangeShoe: exchange_shoe}

EVOLVERS: Evolvers = {ShoeExchanged: on_shoe_exchanged}
