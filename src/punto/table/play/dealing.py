"""Dealing, turning and squeezing cards, and waiving third-card insurance."""

from msgspec.structs import replace

from punto.rules.coup.cards import Card
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side, To
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, coup_of, open_settings, this_round
from punto.table.play.insuring import before_next_card, end_offer
from punto.table.play.opening import burn_due, check_card_in_shoe, cut_card_events, mark_seen
from punto.table.play.places import check_dealing, check_face_down, side_of
from punto.table.play.raising import raise_card_not_in_shoe, raise_unwanted_draw
from punto.table.play.seating import check_here
from punto.table.play.voiding import run_out_events
from punto.table.records.commands import (
    DealCard,
    GrantSqueeze,
    RefuseSqueeze,
    RequestSqueeze,
    SqueezeCard,
    TurnCard,
    WaiveThirdCardInsurance,
)
from punto.table.records.events import (
    CardDealt,
    CardSqueezed,
    CardTurned,
    Event,
    SqueezeGranted,
    SqueezeRefused,
    SqueezeRequested,
    ThirdCardInsuranceWaived,
)
from punto.table.records.state import Round, Table, with_insurance
from punto.table.refusals import TableCode, refuse


def deal_card(book: Rulebook, table: Table, command: DealCard) -> Decision:
    """Deal the next card. A card the Table of Play does not call for is raised; an empty shoe voids the round."""
    if refusal := check_dealing(book, table):
        return refusal
    coup = coup_of(book, table)
    call, place = coup.next, len(coup.cards) + 1
    if call.to is To.NOBODY:
        return raise_unwanted_draw(book, command.card, place)
    if call.to is To.UNKNOWN or third_card_hidden(this_round(table)):
        return refuse(book, TableCode.CARD_TO_TURN, Topic.TABLE_OF_PLAY)
    if table.carried:
        return _deal_carried(book, table, coup, command)
    if table.shoe is None or not table.shoe.left:
        return raise_card_not_in_shoe(book, command.card, place) if command.card else run_out_events(book, table)
    if burn_due(table):
        return refuse(book, TableCode.NOT_BURNED)
    if refusal := _check_card_given(book, table, command.card):
        return refusal
    if command.card is not None and check_card_in_shoe(book, table, command.card):
        return raise_card_not_in_shoe(book, command.card, place)
    before = before_next_card(book, table, coup, command)
    if isinstance(before, Refusal):
        return before
    events: list[Event] = [*before, CardDealt(place, table.shoe.id, Side(call.to.value), call.clauses)]
    if command.card is not None:
        events.append(CardTurned(place, command.card))
    return (*events, *cut_card_events(table, 1))


def _check_card_given(book: Rulebook, table: Table, card: Card | None) -> Refusal | None:
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
    return replace(table, round=now, shoe=replace(shoe, drawn=shoe.drawn + 1))


def turn_card(book: Rulebook, table: Table, command: TurnCard) -> Decision:
    """Turn a card face up. This ends an insurance offer."""
    if refusal := check_dealing(book, table) or check_face_down(book, table, command.place):
        return refusal
    now = this_round(table)
    if check_card_in_shoe(book, table, command.card, now.shoes[command.place - 1]):
        return raise_card_not_in_shoe(book, command.card, command.place)
    turned = CardTurned(command.place, command.card)
    return (*end_offer(book, table), turned)


def squeeze_card(book: Rulebook, table: Table, command: SqueezeCard) -> Decision:
    """A player squeezes a card. They do not say which card it is: the dealer or the shoe does."""
    refusal = check_dealing(book, table) or check_face_down(book, table, command.place)
    if refusal := refusal or check_here(book, table, command.by):
        return refusal
    now = this_round(table)
    side = side_of(coup_of(book, table), command.place)
    if side is None or now.accepted.get(side) != command.by:
        return refuse(book, TableCode.NOT_YOUR_OWN, Topic.SQUEEZE, variant="hand", by=command.by[:40])
    if command.place in now.squeezed:
        return refuse(book, TableCode.NOTHING_TO_SQUEEZE, Topic.SQUEEZE, variant="opened")
    squeezed = CardSqueezed(command.by, command.place)
    return (*end_offer(book, table), squeezed)


def on_card_squeezed(table: Table, event: CardSqueezed) -> Table:
    """The card can now be turned."""
    now = this_round(table)
    return replace(table, round=replace(now, squeezed=now.squeezed | {event.place}))


def on_card_turned(table: Table, event: CardTurned) -> Table:
    """Each card is counted once, in its own shoe."""
    now = this_round(table)
    cards = (*now.cards[: event.place - 1], event.card, *now.cards[event.place :])
    after = replace(table, round=replace(now, cards=cards))
    return after if event.again else mark_seen(after, event.card, now.shoes[event.place - 1])


def highest_bettor(table: Table) -> str | None:
    """The seated player with the highest Original Bet; of equal bets, the one at the lowest box."""
    now = this_round(table)
    bets = [p for p in now.bets.values() if p.seated and p.bet in MAIN_BETS and p.who not in now.away]
    return min(bets, key=lambda p: (-p.stake_minor, p.box)).who if bets else None


def _check_may_squeeze(book: Rulebook, table: Table, who: str, topic: Topic) -> Refusal | None:
    if refusal := check_dealing(book, table) or check_here(book, table, who):
        return refusal
    if not open_settings(table).face_down:
        return refuse(book, TableCode.NOT_FACE_DOWN, topic)
    highest = highest_bettor(table)
    if who != highest:
        return refuse(book, TableCode.NOT_THE_HIGHEST_BET, topic, variant="other" if highest else "none", who=highest)
    return None


def request_squeeze(book: Rulebook, table: Table, command: RequestSqueeze) -> Decision:
    """Only the highest bettor can ask, and only for a hand that nobody squeezes yet."""
    if refusal := _check_may_squeeze(book, table, command.who, Topic.SQUEEZE):
        return refusal
    now = this_round(table)
    if command.side in now.accepted or now.squeeze_requests.get(command.side) == command.who:
        return refuse(book, TableCode.HAND_ACCEPTED, Topic.SQUEEZE, side=command.side)
    if not _has_hidden_card(coup_of(book, table), command.side):
        return refuse(book, TableCode.NOTHING_TO_SQUEEZE, Topic.SQUEEZE, variant="side", side=command.side)
    return (SqueezeRequested(command.who, command.side, book.topics[Topic.SQUEEZE]),)


def _has_hidden_card(coup: Coup, side: Side) -> bool:
    """A card of the hand is face down or may still be dealt."""
    return any(
        side_of(coup, place) in (side, None) and (place > len(coup.cards) or coup.cards[place - 1] is None)
        for place in range(1, 7)
        if not (place > 4 and coup.fifth.to is To.NOBODY) and not (place > 5 and coup.sixth.to is To.NOBODY)
    )


def on_squeeze_requested(table: Table, event: SqueezeRequested) -> Table:
    """The request waits for the house."""
    now = this_round(table)
    return replace(table, round=replace(now, squeeze_requests={**now.squeeze_requests, event.side: event.who}))


def _squeeze_requester(book: Rulebook, table: Table, side: Side) -> str | Refusal:
    if refusal := check_dealing(book, table):
        return refusal
    who = this_round(table).squeeze_requests.get(side)
    if who is None:
        return refuse(book, TableCode.NO_SQUEEZE_ASKED, Topic.SQUEEZE, side=side)
    return who


def grant_squeeze(book: Rulebook, table: Table, command: GrantSqueeze) -> Decision:
    who = _squeeze_requester(book, table, command.side)
    return who if isinstance(who, Refusal) else (SqueezeGranted(who, command.side, book.topics[Topic.SQUEEZE]),)


def on_squeeze_granted(table: Table, event: SqueezeGranted) -> Table:
    """One player squeezes each hand."""
    now = _without_request(this_round(table), event.side)
    return replace(table, round=replace(now, accepted={**now.accepted, event.side: event.who}))


def refuse_squeeze(book: Rulebook, table: Table, command: RefuseSqueeze) -> Decision:
    who = _squeeze_requester(book, table, command.side)
    return who if isinstance(who, Refusal) else (SqueezeRefused(who, command.side, book.topics[Topic.SQUEEZE]),)


def on_squeeze_refused(table: Table, event: SqueezeRefused) -> Table:
    return replace(table, round=_without_request(this_round(table), event.side))


def _without_request(now: Round, side: Side) -> Round:
    requests = {other: who for other, who in now.squeeze_requests.items() if other is not side}
    return replace(now, squeeze_requests=requests)


def waive_third_card_insurance(book: Rulebook, table: Table, command: WaiveThirdCardInsurance) -> Decision:
    """Only if Player draws, and Banker draws whatever Player's third card is."""
    if refusal := _check_may_squeeze(book, table, command.who, Topic.THIRD_CARD_WAIVER):
        return refusal
    now, coup = this_round(table), coup_of(book, table)
    drawn = len(coup.cards)
    possible = not now.insurance.waived and (drawn == 4 or (drawn == 5 and coup.cards[4] is None))
    after = coup.draw(None) if drawn == 4 else coup
    if not (possible and coup.fifth.to is To.PLAYER and after.sixth.to is To.BANKER):
        return refuse(book, TableCode.WAIVER_NOT_POSSIBLE, Topic.THIRD_CARD_WAIVER)
    return (ThirdCardInsuranceWaived(command.who, book.topics[Topic.THIRD_CARD_WAIVER]),)


def on_third_card_insurance_waived(table: Table, _: ThirdCardInsuranceWaived) -> Table:
    """For all players, in this round."""
    return replace(table, round=with_insurance(this_round(table), waived=True))


DECIDERS: Deciders = {
    RequestSqueeze: request_squeeze,
    GrantSqueeze: grant_squeeze,
    RefuseSqueeze: refuse_squeeze,
    WaiveThirdCardInsurance: waive_third_card_insurance,
    DealCard: deal_card,
    SqueezeCard: squeeze_card,
    TurnCard: turn_card,
}

EVOLVERS: Evolvers = {
    SqueezeRequested: on_squeeze_requested,
    SqueezeGranted: on_squeeze_granted,
    SqueezeRefused: on_squeeze_refused,
    CardSqueezed: on_card_squeezed,
    ThirdCardInsuranceWaived: on_third_card_insurance_waived,
    CardDealt: on_card_dealt,
    CardTurned: on_card_turned,
}
