"""Dealing and turning cards."""

from msgspec.structs import replace

from punto.rules.coup.cards import Face
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side, To
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, coup_of, open_settings, this_round
from punto.table.play.bet_bounds import check_betting_open
from punto.table.play.insuring import before_next_card, end_offer
from punto.table.play.opening import burn_due, check_card_in_shoe, cut_card_events, mark_seen, with_drawn
from punto.table.play.pending import check_nothing_pending
from punto.table.play.places import check_dealing, check_face_down
from punto.table.play.raising import raise_card_not_in_shoe, raise_unwanted_draw
from punto.table.play.voiding import run_out_events
from punto.table.records.commands import DealCard, TurnCard
from punto.table.records.events import CardDealt, CardTurned, Event
from punto.table.records.positions import DEALER_UP, Position, in_order
from punto.table.records.state import Round, Table
from punto.table.refusals import TableCode, refuse

_HANDS = {To.PLAYER: Side.PLAYER, To.BANKER: Side.BANKER}


def deal_card(book: Rulebook, table: Table, command: DealCard) -> Decision:
    """Deal the next card. One that the Table of Play does not call for, or that the shoe cannot have, is raised."""
    if command.before_close:
        return _raise_before_close(book, table, command)
    if refusal := check_dealing(book, table):
        return refusal
    coup = coup_of(book, table)
    wanted = len(coup.cards) + 1
    if command.place not in (None, wanted):  # somebody else has entered it
        return refuse(book, TableCode.NOT_THE_NEXT_CARD, variant="place", place=command.place, wanted=wanted)
    return _deal_next(book, table, coup, command)


def _deal_next(book: Rulebook, table: Table, coup: Coup, command: DealCard) -> Decision:
    call, place = coup.next, len(coup.cards) + 1
    if call.to is To.NOBODY:
        return raise_unwanted_draw(book, command.card, place)
    if call.to is To.UNKNOWN or third_card_hidden(this_round(table)):
        return refuse(book, TableCode.CARD_TO_TURN, Topic.TABLE_OF_PLAY)
    if table.carried:
        return _deal_carried(book, table, coup, command)
    if table.shoe is None:
        return refuse(book, TableCode.NO_SHOE)
    if not table.shoe.left:
        return _deal_beyond_count(book, table, command, place)
    if burn_due(table):
        return refuse(book, TableCode.NOT_BURNED)
    if refusal := _check_card_given(book, table, command.card):
        return refusal
    if command.card is not None and check_card_in_shoe(book, table, command.card):
        return raise_card_not_in_shoe(book, command.card, place)
    before = before_next_card(book, table, coup, command)
    if isinstance(before, Refusal):
        return before
    events: list[Event] = [*before, CardDealt(place, table.shoe.id, _HANDS[call.to], call.clauses)]
    if command.card is not None:
        events.append(CardTurned(place, command.card))
    return (*events, *cut_card_events(table, 1))


def _deal_beyond_count(book: Rulebook, table: Table, command: DealCard, place: int) -> Decision:
    """By the count the shoe is empty. A card that came out all the same is raised; where none can, the round is void.

    Only a table that deals by itself voids the round: among people a supervisor reports it.
    """
    settings = open_settings(table)
    if command.card is not None or (settings.felt and settings.face_down):
        return raise_card_not_in_shoe(book, command.card, place)
    if command.position is Position.HOUSE and not settings.felt:
        return run_out_events(book, table, "")
    return refuse(book, TableCode.SHOE_EMPTY, Topic.SHOE_RUN_OUT, variant="felt" if settings.felt else "report")


def _raise_before_close(book: Rulebook, table: Table, command: DealCard) -> Decision:
    """A card came out while betting was open. It is raised as a card too many, or as one that the shoe cannot have."""
    if command.position is Position.HOUSE:
        people, position = in_order(DEALER_UP), command.position
        return refuse(book, TableCode.NOT_AUTHORISED, Topic.EXCESS_CARDS, positions=people, position=position)
    if refusal := check_betting_open(book, table, Topic.BETTING_CLOSED) or check_nothing_pending(book, table):
        return refusal
    card, place = command.card, len(table.carried) + 1
    settings = open_settings(table)
    if table.shoe is None or not table.shoe.left:
        if card is None and not (settings.felt and settings.face_down):
            return refuse(book, TableCode.SHOE_EMPTY, Topic.SHOE_RUN_OUT, variant="left", left=0)
        return raise_card_not_in_shoe(book, card, place)
    if refusal := _check_card_given(book, table, card):
        return refusal
    if card is not None and check_card_in_shoe(book, table, card):
        return raise_card_not_in_shoe(book, card, place)
    return raise_unwanted_draw(book, card, place)


def _check_card_given(book: Rulebook, table: Table, card: Face | None) -> Refusal | None:
    if open_settings(table).face_down:
        if card is None:
            return None
        return refuse(
            book, TableCode.CARD_FACE_UP, Topic.FACE_UP, variant="report" if book.has(Topic.FACE_UP) else "deal"
        )
    if card is None:
        return refuse(book, TableCode.CARD_NEEDED, variant="face_up")
    return None


def _deal_carried(book: Rulebook, table: Table, coup: Coup, command: DealCard) -> Decision:
    """Deal the card that was drawn too early."""
    carried, place, call = table.carried[0], len(coup.cards) + 1, coup.next
    if carried.card is not None and command.card not in (None, carried.card):
        return refuse(book, TableCode.NOT_THE_NEXT_CARD, Topic.RECONSTRUCTION, variant="carried", card=carried.card)
    if carried.card is None:
        if refusal := _check_card_given(book, table, command.card):
            return refusal
        if command.card is not None and check_card_in_shoe(book, table, command.card, carried.shoe):
            return raise_card_not_in_shoe(book, command.card, place)
    before = before_next_card(book, table, coup, command)
    if isinstance(before, Refusal):
        return before
    dealt = CardDealt(place, carried.shoe, Side(call.to.value), call.clauses, carried=True)
    card = carried.card or command.card
    if card is None:
        return (*before, dealt)
    return (*before, dealt, CardTurned(place, card, again=carried.card is not None))


def third_card_hidden(now: Round) -> bool:
    """Player's third card is face down, and third-card insurance is not waived, so Banker has to wait."""
    return len(now.cards) == 5 and now.cards[4] is None and not now.insurance.waived


def on_card_dealt(table: Table, event: CardDealt) -> Table:
    """The card is face down until ``CardTurned``."""
    now, shoe = this_round(table), table.shoe
    assert shoe is not None  # noqa: S101 - the card came out of one
    draw = table.carried[0].draw if event.carried else shoe.drawn
    now = replace(now, cards=(*now.cards, None), shoes=(*now.shoes, event.shoe), draws=(*now.draws, draw))
    if event.carried:
        return replace(table, round=now, carried=table.carried[1:])
    return replace(table, round=now, shoe=with_drawn(table, shoe, 1))


def turn_card(book: Rulebook, table: Table, command: TurnCard) -> Decision:
    """Turn a card face up. This ends an insurance offer."""
    if refusal := check_dealing(book, table) or check_face_down(book, table, command.place):
        return refusal
    now = this_round(table)
    if check_card_in_shoe(book, table, command.card, now.shoes[command.place - 1]):
        return raise_card_not_in_shoe(book, command.card, command.place)
    turned = CardTurned(command.place, command.card, order_unseen=command.order_unseen)
    return (*end_offer(book, table), turned)


def on_card_turned(table: Table, event: CardTurned) -> Table:
    """Each card is counted once, in its own shoe."""
    now = this_round(table)
    cards = (*now.cards[: event.place - 1], event.card, *now.cards[event.place :])
    at = event.place - 1
    after = replace(table, round=replace(now, cards=cards), last_entered=(now.shoes[at], now.draws[at]))
    return after if event.again else mark_seen(after, event.card, now.shoes[at])


DECIDERS: Deciders = {
    DealCard: deal_card,
    TurnCard: turn_card,
}

EVOLVERS: Evolvers = {
    CardDealt: on_card_dealt,
    CardTurned: on_card_turned,
}
