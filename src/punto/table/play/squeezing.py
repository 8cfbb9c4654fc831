"""Squeezing: asking for a hand, the house's answer, opening the cards, and waiving third-card insurance."""

from collections.abc import Iterator

from msgspec.structs import replace

from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side, To
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, coup_of, open_settings, this_round
from punto.table.play.insuring import end_offer
from punto.table.play.pending import check_nothing_pending
from punto.table.play.places import check_dealing, check_face_down, side_of
from punto.table.play.seating import check_comer, check_here
from punto.table.records.commands import (
    GrantSqueeze,
    RefuseSqueeze,
    RequestSqueeze,
    SqueezeCard,
    WaiveThirdCardInsurance,
)
from punto.table.records.events import (
    CardSqueezed,
    Event,
    SqueezeGranted,
    SqueezeLapsed,
    SqueezeRefused,
    SqueezeRequested,
    ThirdCardInsuranceWaived,
)
from punto.table.records.kinds import SqueezeState
from punto.table.records.positions import Position
from punto.table.records.state import Phase, Round, Squeeze, Table, with_insurance
from punto.table.refusals import TableCode, refuse

# ---- who


def highest_bettor(table: Table, hand: Side | None = None) -> str | None:
    """The seated player with the highest Original Bet, at the lowest box if equal; of one hand, or of the table."""
    now = this_round(table)
    on = MAIN_BETS if hand is None else (hand,)
    bets = [p for p in now.bets.values() if p.seated and p.bet in on and p.who not in now.away]
    return min(bets, key=lambda p: (-p.stake_minor, p.box)).who if bets else None


def _may_ask(table: Table, side: Side) -> str | None:
    """The player who may ask to squeeze the hand."""
    return highest_bettor(table, side if open_settings(table).squeeze_by_hand else None)


def squeezer_of(now: Round, coup: Coup, place: int) -> str | None:
    """The player who has permission to squeeze the card."""
    side = side_of(coup, place)
    granted = (squeeze for squeeze in now.squeezes if squeeze.side is side and squeeze.state is SqueezeState.GRANTED)
    return next((squeeze.who for squeeze in granted if place >= squeeze.from_place), None)


def grants_at_once(table: Table, side: Side) -> bool:
    """The house has permitted the squeeze of the hand beforehand, by the settings or until the shoe ends."""
    return side in table.standing_squeezes or (table.settings is not None and table.settings.squeeze_granted)


def lapsed_squeezes(book: Rulebook, table: Table, *sides: Side) -> Iterator[SqueezeLapsed]:
    """The requests and permissions for these hands of players who do not have the highest bet."""
    for squeeze in this_round(table).squeezes:
        outbid = squeeze.state is not SqueezeState.LAPSED and squeeze.who != _may_ask(table, squeeze.side)
        if squeeze.side in sides and outbid:
            yield SqueezeLapsed(squeeze.who, squeeze.side, book.topics[Topic.SQUEEZE])


# ---- asking and answering


def _check_open(book: Rulebook, table: Table) -> Refusal | None:
    """Refuse before the call for bets and after the round."""
    if table.phase in (Phase.BETTING, Phase.DEALING):
        return check_nothing_pending(book, table)
    return refuse(book, TableCode.NO_ROUND, Topic.SQUEEZE)


def request_squeeze(book: Rulebook, table: Table, command: RequestSqueeze) -> Decision:
    """Only for cards that have not been dealt.

    While betting is open, several players may have asked for a hand: the close decides. After it, a request of the
    player who now has the highest bet ends the earlier one.
    """
    who, side = command.who, command.side
    if refusal := _check_open(book, table) or check_here(book, table, who):
        return refusal
    settings, now = open_settings(table), this_round(table)
    if not settings.face_down:
        return refuse(book, TableCode.NOT_FACE_DOWN, Topic.SQUEEZE)
    highest = _may_ask(table, side)
    if who != highest:
        return _not_the_highest(book, Topic.SQUEEZE, highest, side if settings.squeeze_by_hand else None)
    if any((each.who, each.side) == (who, side) and each.state is not SqueezeState.LAPSED for each in now.squeezes):
        return refuse(book, TableCode.HAND_ACCEPTED, Topic.SQUEEZE, side=side)
    if not _gets_a_card(coup_of(book, table), side):
        return refuse(book, TableCode.NOTHING_TO_SQUEEZE, Topic.SQUEEZE, variant="side", side=side)
    clauses = book.topics[Topic.SQUEEZE]
    events: list[Event] = [] if table.phase is Phase.BETTING else list(lapsed_squeezes(book, table, side))
    events.append(SqueezeRequested(who, side, clauses, from_place=len(now.cards) + 1))
    if grants_at_once(table, side):
        events.append(SqueezeGranted(who, side, clauses))
    return tuple(events)


def _not_the_highest(book: Rulebook, topic: Topic, highest: str | None, hand: Side | None = None) -> Refusal:
    if hand is None:
        return refuse(book, TableCode.NOT_THE_HIGHEST_BET, topic, variant="other" if highest else "none", who=highest)
    return refuse(
        book,
        TableCode.NOT_THE_HIGHEST_BET,
        topic,
        variant="other_on_hand" if highest else "none_on_hand",
        who=highest,
        side=hand,
    )


def _gets_a_card(coup: Coup, side: Side) -> bool:
    """A card may still be dealt to the hand."""
    return any(
        side_of(coup, place) in (side, None)
        for place in range(len(coup.cards) + 1, 7)
        if not (place > 4 and coup.fifth.to is To.NOBODY) and not (place > 5 and coup.sixth.to is To.NOBODY)
    )


def on_squeeze_requested(table: Table, event: SqueezeRequested) -> Table:
    """The request waits for the house."""
    now = _without(this_round(table), event.who, event.side)
    asked = Squeeze(event.who, event.side, event.from_place)
    return replace(table, round=replace(now, squeezes=(*now.squeezes, asked)))


def grant_squeeze(book: Rulebook, table: Table, command: GrantSqueeze) -> Decision:
    """Grant the latest request for the hand. A standing grant answers all of them, and needs none."""
    if refusal := _check_open(book, table):
        return refusal
    side, clauses = command.side, book.topics[Topic.SQUEEZE]
    asked = [each for each in this_round(table).squeezes if each.side is side and each.state is SqueezeState.ASKED]
    if not asked and (refusal := _check_without_request(book, table, command)):
        return refusal
    if not command.standing:
        return (SqueezeGranted(asked[-1].who, side, clauses),)
    return tuple(SqueezeGranted(who, side, clauses, standing=True) for who in [each.who for each in asked] or [""])


def _check_without_request(book: Rulebook, table: Table, command: GrantSqueeze) -> Refusal | None:
    """Refuse a grant for this round only, and a standing one without effect."""
    side = command.side
    if not open_settings(table).face_down:
        return refuse(book, TableCode.NOT_FACE_DOWN, Topic.SQUEEZE)
    if command.standing:
        at_once = grants_at_once(table, side)
        return refuse(book, TableCode.HAND_ACCEPTED, Topic.SQUEEZE, variant="standing", side=side) if at_once else None
    if side in this_round(table).accepted:
        return refuse(book, TableCode.HAND_ACCEPTED, Topic.SQUEEZE, variant="granted", side=side)
    return refuse(book, TableCode.NO_SQUEEZE_ASKED, Topic.SQUEEZE, side=side)


def on_squeeze_granted(table: Table, event: SqueezeGranted) -> Table:
    """``who`` is empty for a standing grant without a request: nobody gets the hand yet."""
    now = _with_state(this_round(table), event.who, event.side, SqueezeState.GRANTED)
    standing = table.standing_squeezes | {event.side} if event.standing else table.standing_squeezes
    return replace(table, round=now, standing_squeezes=standing)


def refuse_squeeze(book: Rulebook, table: Table, command: RefuseSqueeze) -> Decision:
    """Refuse the latest request for the hand, or end the standing grant of it."""
    if refusal := _check_open(book, table):
        return refusal
    if command.standing:
        if command.side not in table.standing_squeezes:
            return refuse(book, TableCode.NO_SQUEEZE_ASKED, Topic.SQUEEZE, variant="standing", side=command.side)
        return (SqueezeRefused("", command.side, book.topics[Topic.SQUEEZE], standing=True),)
    who = this_round(table).squeeze_requests.get(command.side)
    if who is None:
        return refuse(book, TableCode.NO_SQUEEZE_ASKED, Topic.SQUEEZE, side=command.side)
    return (SqueezeRefused(who, command.side, book.topics[Topic.SQUEEZE]),)


def on_squeeze_refused(table: Table, event: SqueezeRefused) -> Table:
    if event.standing:
        return replace(table, standing_squeezes=table.standing_squeezes - {event.side})
    return replace(table, round=_without(this_round(table), event.who, event.side))


def on_squeeze_lapsed(table: Table, event: SqueezeLapsed) -> Table:
    now = this_round(table)
    squeezes = (
        replace(each, state=SqueezeState.LAPSED, lapsed_from=each.state)
        if (each.who, each.side) == (event.who, event.side)
        else each
        for each in now.squeezes
    )
    return replace(table, round=replace(now, squeezes=tuple(squeezes)))


def _without(now: Round, who: str, side: Side) -> Round:
    return replace(now, squeezes=tuple(each for each in now.squeezes if (each.who, each.side) != (who, side)))


def _with_state(now: Round, who: str, side: Side, state: SqueezeState) -> Round:
    squeezes = (replace(each, state=state) if (each.who, each.side) == (who, side) else each for each in now.squeezes)
    return replace(now, squeezes=tuple(squeezes))


# ---- opening cards


def squeeze_card(book: Rulebook, table: Table, command: SqueezeCard) -> Decision:
    """A player opens a card, or staff record it. Which card it is, the dealer or the shoe says.

    A felt table records the player who opened it, and cites the clause if they had no permission.
    """
    if refusal := check_dealing(book, table) or check_face_down(book, table, command.place):
        return refusal
    by_player = command.position is Position.PLAYER
    who = command.by if command.who is None and by_player else command.who
    if who is None:
        return refuse(book, TableCode.UNKNOWN_PERSON, Topic.SQUEEZE, variant="squeezed")
    if refusal := check_comer(book, table, who) or check_here(book, table, who):
        return refusal
    now, coup, settings = this_round(table), coup_of(book, table), open_settings(table)
    permitted = squeezer_of(now, coup, command.place) == who
    if not permitted and (by_player or not settings.felt):
        return _not_permitted(book, now, side_of(coup, command.place), who)
    if command.place in (now.squeezed if not command.laid_open else now.laid_open):
        return refuse(book, TableCode.NOTHING_TO_SQUEEZE, Topic.SQUEEZE, variant="opened")
    clauses = () if permitted or settings.cards_only else book.topics[Topic.SQUEEZE]  # who has the highest bet?
    squeezed = CardSqueezed(who, command.place, "" if by_player else command.by, clauses, command.laid_open)
    return (*end_offer(book, table), squeezed)


def _not_permitted(book: Rulebook, now: Round, side: Side | None, who: str) -> Refusal:
    if side is not None and now.accepted.get(side) == who:
        return refuse(book, TableCode.NOTHING_TO_SQUEEZE, Topic.SQUEEZE, variant="dealt_before")
    return refuse(book, TableCode.NOT_YOUR_OWN, Topic.SQUEEZE, variant="hand", by=who)


def on_card_squeezed(table: Table, event: CardSqueezed) -> Table:
    """The card can now be turned."""
    now, place = this_round(table), {event.place}
    laid_open = now.laid_open | place if event.laid_open else now.laid_open
    return replace(table, round=replace(now, squeezed=now.squeezed | place, laid_open=laid_open))


# ---- the waiver


def check_waives(book: Rulebook, table: Table) -> Refusal | None:
    """Refuse the waiver of the player with the highest bet."""
    highest = highest_bettor(table)
    if highest is None:
        return _not_the_highest(book, Topic.THIRD_CARD_WAIVER, None)
    if refusal := check_dealing(book, table) or check_here(book, table, highest):
        return refusal
    if not open_settings(table).face_down:
        return refuse(book, TableCode.NOT_FACE_DOWN, Topic.THIRD_CARD_WAIVER)
    return _check_waiver(book, table)


def _check_waiver(book: Rulebook, table: Table) -> Refusal | None:
    now, coup = this_round(table), coup_of(book, table)
    drawn = len(coup.cards)
    possible = not now.insurance.waived and (drawn == 4 or (drawn == 5 and coup.cards[4] is None))
    after = coup.draw(None) if drawn == 4 else coup
    if possible and coup.fifth.to is To.PLAYER and after.sixth.to is To.BANKER:
        return None
    return refuse(book, TableCode.WAIVER_NOT_POSSIBLE, Topic.THIRD_CARD_WAIVER)


def waive_third_card_insurance(book: Rulebook, table: Table, command: WaiveThirdCardInsurance) -> Decision:
    """Only if Player draws, and Banker draws whatever Player's third card is."""
    topic = Topic.THIRD_CARD_WAIVER
    settings = open_settings(table)
    if refusal := check_dealing(book, table) or check_here(book, table, command.who):
        return refusal
    if not settings.face_down:
        return refuse(book, TableCode.NOT_FACE_DOWN, topic)
    if settings.cards_only and (refusal := check_comer(book, table, command.who)):
        return refusal
    highest = highest_bettor(table)
    if command.who != highest and not settings.cards_only:
        return _not_the_highest(book, topic, highest)
    if refusal := _check_waiver(book, table):
        return refusal
    return (ThirdCardInsuranceWaived(command.who, book.topics[topic]),)


def on_third_card_insurance_waived(table: Table, _: ThirdCardInsuranceWaived) -> Table:
    """For all players, in this round."""
    return replace(table, round=with_insurance(this_round(table), waived=True))


DECIDERS: Deciders = {
    RequestSqueeze: request_squeeze,
    GrantSqueeze: grant_squeeze,
    RefuseSqueeze: refuse_squeeze,
    SqueezeCard: squeeze_card,
    WaiveThirdCardInsurance: waive_third_card_insurance,
}

EVOLVERS: Evolvers = {
    SqueezeRequested: on_squeeze_requested,
    SqueezeGranted: on_squeeze_granted,
    SqueezeRefused: on_squeeze_refused,
    SqueezeLapsed: on_squeeze_lapsed,
    CardSqueezed: on_card_squeezed,
    ThirdCardInsuranceWaived: on_third_card_insurance_waived,
}
