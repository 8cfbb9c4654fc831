"""Cards to places, cards turned; squeezing, and the waiver that comes with opening Banker's third card first."""

from msgspec.structs import replace

from punto.rules.coup import Coup
from punto.rules.rulebook import Rulebook
from punto.rules.stakes import MAIN_BETS
from punto.rules.table_of_play import Side, To
from punto.rules.topics import Topic
from punto.table.commands import (
    DealCard,
    GrantSqueeze,
    RefuseSqueeze,
    RequestSqueeze,
    SqueezeCard,
    TurnCard,
    WaiveThirdCardInsurance,
)
from punto.table.decision import Decision, coup_of, open_settings, this_round
from punto.table.events import (
    CardDealt,
    CardSqueezed,
    CardTurned,
    Event,
    SqueezeGranted,
    SqueezeRefused,
    SqueezeRequested,
    ThirdCardInsuranceWaived,
)
from punto.table.insuring import before_next_card
from punto.table.opening import card_not_in_shoe, cut_card, seen
from punto.table.refusals import Refusal, TableCode, refuse
from punto.table.seating import away
from punto.table.state import Phase, Round, Table


def not_dealing(book: Rulebook, table: Table) -> Refusal | None:
    """Why there are no cards to be dealt or turned."""
    if table.phase is Phase.DEALING:
        return None
    return refuse(book, TableCode.NOT_DEALING, "the bets have to be closed first", Topic.FIRST_FOUR)


def deal_card(book: Rulebook, table: Table, command: DealCard) -> Decision:
    """The next card of the coup, if the Table of Play wants one and nothing has to come before it."""
    if refusal := not_dealing(book, table):
        return refusal
    coup, settings = coup_of(book, table), open_settings(table)
    call = coup.next
    if call.to is To.NOBODY:
        return refuse(book, TableCode.COUP_FINISHED, "the Table of Play wants no more cards", Topic.TABLE_OF_PLAY)
    if call.to is To.UNKNOWN or hides_the_third(this_round(table)):
        return refuse(book, TableCode.CARD_TO_TURN, "a card has to be turned first", Topic.TABLE_OF_PLAY)
    if table.shoe is None or not table.shoe.left:
        return refuse(book, TableCode.SHOE_EMPTY, "the shoe has run out", Topic.SHOE_RUN_OUT)
    if settings.face_down and command.card is not None:
        detail = "cards are dealt face down here: deal it unseen, then turn it"
        return refuse(book, TableCode.CARD_FACE_UP, detail, Topic.FACE_UP)
    if not settings.face_down:
        if command.card is None:
            return refuse(book, TableCode.CARD_NEEDED, "cards are dealt face up here: say which it is")
        if refusal := card_not_in_shoe(book, table, command.card):
            return refusal
    before = before_next_card(book, table, coup)
    if isinstance(before, Refusal):
        return before
    place = len(coup.cards) + 1
    events: list[Event] = [*before, CardDealt(place, table.shoe.id, Side(call.to.value), call.clauses)]
    if command.card is not None:
        events.append(CardTurned(place, command.card))
    return (*events, *cut_card(table, 1))


def hides_the_third(now: Round) -> bool:
    """Player's third card lies face down, and nobody has waived what it may bring."""
    return len(now.cards) == 5 and now.cards[4] is None and not now.waived


def on_card_dealt(table: Table, event: CardDealt) -> Table:
    """A place with a card that nobody has seen."""
    now, shoe = this_round(table), table.shoe
    assert shoe is not None  # noqa: S101 - the card came out of one
    now = replace(now, cards=(*now.cards, None), shoes=(*now.shoes, event.shoe))
    return replace(table, round=now, shoe=replace(shoe, drawn=shoe.drawn + 1))


def turn_card(book: Rulebook, table: Table, command: TurnCard) -> Decision:
    """A card that lies face down is shown."""
    refusal = not_dealing(book, table) or _no_card_there(book, table, command.place)
    return refusal or card_not_in_shoe(book, table, command.card) or (CardTurned(command.place, command.card),)


def _no_card_there(book: Rulebook, table: Table, place: int) -> Refusal | None:
    cards = this_round(table).cards
    if 1 <= place <= len(cards) and cards[place - 1] is None:
        return None
    return refuse(book, TableCode.NO_CARD_THERE, f"no card lies face down at place {place}")


def squeeze_card(book: Rulebook, table: Table, command: SqueezeCard) -> Decision:
    """Whoever accepts the hand opens a card of it; which card it is, is not for a player to say."""
    refusal = not_dealing(book, table) or _no_card_there(book, table, command.place)
    if refusal := refusal or away(book, table, command.by):
        return refusal
    now = this_round(table)
    side = side_of(coup_of(book, table), command.place)
    if side is None or now.accepted.get(side) != command.by:
        return refuse(book, TableCode.NOT_YOUR_OWN, f"{command.by[:40]!r} does not accept that hand", Topic.SQUEEZE)
    if command.place in now.squeezed:
        return refuse(book, TableCode.NOTHING_TO_SQUEEZE, "that card has been opened", Topic.SQUEEZE)
    return (CardSqueezed(command.by, command.place),)


def on_card_squeezed(table: Table, event: CardSqueezed) -> Table:
    """Now it can be turned."""
    now = this_round(table)
    return replace(table, round=replace(now, squeezed=now.squeezed | {event.place}))


def side_of(coup: Coup, place: int) -> Side | None:
    """The hand that the card at a place belongs to, as far as anyone can tell."""
    if place <= 4:
        return Side.PLAYER if place % 2 else Side.BANKER
    to = coup.fifth.to if place == 5 else coup.sixth.to
    return Side(to.value) if to in (To.PLAYER, To.BANKER) else None


def on_card_turned(table: Table, event: CardTurned) -> Table:
    """A card that everybody has seen."""
    now = this_round(table)
    cards = (*now.cards[: event.place - 1], event.card, *now.cards[event.place :])
    shoe = table.shoe
    if shoe is not None and now.shoes[event.place - 1] == shoe.id:  # copies are counted per shoe
        shoe = seen(table, event.card)
    return replace(table, round=replace(now, cards=cards), shoe=shoe)


def highest_bettor(table: Table) -> str | None:
    """The seated player with the highest Original Bet, at the lowest box where two are equal."""
    now = this_round(table)
    bets = [p for p in now.bets.values() if p.seated and p.bet in MAIN_BETS and p.who not in now.away]
    return min(bets, key=lambda p: (-p.stake_minor, p.box)).who if bets else None


def _may_squeeze(book: Rulebook, table: Table, who: str, topic: Topic) -> Refusal | None:
    if refusal := not_dealing(book, table) or away(book, table, who):
        return refusal
    if not open_settings(table).face_down:
        return refuse(book, TableCode.NOT_FACE_DOWN, "cards are dealt face up here", topic)
    highest = highest_bettor(table)
    if who != highest:
        detail = (
            f"the highest bet of a seated player is {highest!r}'s" if highest else "no seated player has bet on a hand"
        )
        return refuse(book, TableCode.NOT_THE_HIGHEST_BET, detail, topic)
    return None


def request_squeeze(book: Rulebook, table: Table, command: RequestSqueeze) -> Decision:
    """By the highest bettor, for a hand that nobody accepts yet."""
    if refusal := _may_squeeze(book, table, command.who, Topic.SQUEEZE):
        return refusal
    now = this_round(table)
    if command.side in now.accepted or now.asked.get(command.side) == command.who:
        detail = f"the {command.side} hand has been asked for already"
        return refuse(book, TableCode.HAND_ACCEPTED, detail, Topic.SQUEEZE)
    if not _has_unseen(coup_of(book, table), command.side):
        detail = f"no card of the {command.side} hand is left to squeeze"
        return refuse(book, TableCode.NOTHING_TO_SQUEEZE, detail, Topic.SQUEEZE)
    return (SqueezeRequested(command.who, command.side, book.topics[Topic.SQUEEZE]),)


def _has_unseen(coup: Coup, side: Side) -> bool:
    """A card of the hand lies face down or may still come to it."""
    return any(
        side_of(coup, place) in (side, None) and (place > len(coup.cards) or coup.cards[place - 1] is None)
        for place in range(1, 7)
        if not (place > 4 and coup.fifth.to is To.NOBODY) and not (place > 5 and coup.sixth.to is To.NOBODY)
    )


def on_squeeze_requested(table: Table, event: SqueezeRequested) -> Table:
    """The house has to answer."""
    now = this_round(table)
    return replace(table, round=replace(now, asked={**now.asked, event.side: event.who}))


def _asked(book: Rulebook, table: Table, side: Side) -> str | Refusal:
    if refusal := not_dealing(book, table):
        return refusal
    who = this_round(table).asked.get(side)
    if who is None:
        return refuse(book, TableCode.NO_SQUEEZE_ASKED, f"nobody asks for the {side} hand", Topic.SQUEEZE)
    return who


def grant_squeeze(book: Rulebook, table: Table, command: GrantSqueeze) -> Decision:
    """The house permits."""
    who = _asked(book, table, command.side)
    return who if isinstance(who, Refusal) else (SqueezeGranted(who, command.side, book.topics[Topic.SQUEEZE]),)


def on_squeeze_granted(table: Table, event: SqueezeGranted) -> Table:
    """One person accepts each hand."""
    now = _answered(this_round(table), event.side)
    return replace(table, round=replace(now, accepted={**now.accepted, event.side: event.who}))


def refuse_squeeze(book: Rulebook, table: Table, command: RefuseSqueeze) -> Decision:
    """The house does not permit."""
    who = _asked(book, table, command.side)
    return who if isinstance(who, Refusal) else (SqueezeRefused(who, command.side, book.topics[Topic.SQUEEZE]),)


def on_squeeze_refused(table: Table, event: SqueezeRefused) -> Table:
    """Asked and answered."""
    return replace(table, round=_answered(this_round(table), event.side))


def _answered(now: Round, answered: Side) -> Round:
    return replace(now, asked={side: who for side, who in now.asked.items() if side is not answered})


def waive_third_card_insurance(book: Rulebook, table: Table, command: WaiveThirdCardInsurance) -> Decision:
    """Only where Player draws and Banker draws whatever Player's third card is."""
    if refusal := _may_squeeze(book, table, command.who, Topic.THIRD_CARD_WAIVER):
        return refusal
    now, coup = this_round(table), coup_of(book, table)
    drawn = len(coup.cards)
    possible = not now.waived and (drawn == 4 or (drawn == 5 and coup.cards[4] is None))
    after = coup.draw(None) if drawn == 4 else coup
    if not (possible and coup.fifth.to is To.PLAYER and after.sixth.to is To.BANKER):
        detail = "it needs both third cards to be certain and Player's not to be seen yet"
        return refuse(book, TableCode.WAIVER_NOT_POSSIBLE, detail, Topic.THIRD_CARD_WAIVER)
    return (ThirdCardInsuranceWaived(command.who, book.topics[Topic.THIRD_CARD_WAIVER]),)


def on_third_card_insurance_waived(table: Table, _: ThirdCardInsuranceWaived) -> Table:
    """For all players, for this round."""
    return replace(table, round=replace(this_round(table), waived=True))
