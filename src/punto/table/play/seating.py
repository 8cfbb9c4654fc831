"""People at the table: their chips, their boxes, and standing behind boxes."""

from collections.abc import Iterable

from msgspec.structs import replace

from punto.catalogue.values import Money
from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, open_settings
from punto.table.play.options import choice_events
from punto.table.play.staking import spend_postings
from punto.table.records.commands import BuyIn, CashOut, Leave, Sit, StandBehind
from punto.table.records.events import ChipsBought, ChipsCashed, PlayerLeft, PlayerSat, PlayerStood
from punto.table.records.identity import Place, exact_form, is_plain_name
from punto.table.records.kinds import BuyInKind, CashOutKind, Choice
from punto.table.records.ledger import (
    BROUGHT,
    FLOAT,
    MAX_AMOUNT_MINOR,
    MISPAID,
    VOUCHERS,
    Posting,
    chips,
    merge_postings,
    transfer,
)
from punto.table.records.names import MAX_NAME_LENGTH, is_name
from punto.table.records.positions import SUPERVISOR_UP, Position, in_order
from punto.table.records.settings import Settings
from punto.table.records.state import Table, bettors, cards_out
from punto.table.refusals import TableCode, refuse


def buy_in(book: Rulebook, table: Table, command: BuyIn) -> Decision:
    """Chips that are changed for others are those on record first, at a felt table, and otherwise brought.

    They never cover a debt there.
    """
    name = command.who
    if refusal := check_name(book, table, name) or check_amount(book, command.amount_minor):
        return refusal
    if refusal := check_not_abandoned(book, table, name):
        return refusal
    if command.amount_minor > MAX_AMOUNT_MINOR:
        return refuse(book, Code.AMOUNT_TOO_LARGE, variant="most", most=Money(MAX_AMOUNT_MINOR))
    most_minor = most_buy_in_minor(open_settings(table), command.position)
    if command.amount_minor > most_minor:
        positions, most = in_order(SUPERVISOR_UP), Money(most_minor)
        return refuse(book, TableCode.NOT_AUTHORISED, variant="buy_in", positions=positions, most=most)
    if command.kind is BuyInKind.CHIPS:
        brought_minor = command.amount_minor
        if open_settings(table).felt:  # elsewhere no chips lie there that could be changed
            on_record_minor = table.chips_minor(name)
            brought_minor = max(brought_minor - on_record_minor, 0) if on_record_minor >= 0 else 0
        postings = merge_postings(transfer(BROUGHT, chips(name), brought_minor))
        return (ChipsBought(name, command.kind, command.amount_minor, postings=postings),)
    source = VOUCHERS if command.kind is BuyInKind.VOUCHER else FLOAT
    return (ChipsBought(name, command.kind, postings=transfer(source, chips(name), command.amount_minor)),)


def most_buy_in_minor(settings: Settings, position: Position) -> int:
    """The largest amount that somebody in this position sells at once."""
    return _most_minor(settings.buy_in_supervised_minor, position)


def most_cash_out_minor(settings: Settings, position: Position) -> int:
    """The largest amount that somebody in this position buys back at once."""
    return _most_minor(settings.cash_out_supervised_minor, position)


def _most_minor(threshold_minor: int | None, position: Position) -> int:
    return MAX_AMOUNT_MINOR if threshold_minor is None or position is not Position.DEALER else threshold_minor


def on_chips_bought(table: Table, event: ChipsBought) -> Table:
    return table if event.who in table.people else replace(table, people=table.people | {event.who})


def check_amount(book: Rulebook, amount_minor: int) -> Refusal | None:
    """Refuse an amount that is not a positive integer."""
    if type(amount_minor) is int and amount_minor > 0:
        return None
    if type(amount_minor) is not int:
        return refuse(book, Code.NOT_AN_AMOUNT)
    return refuse(book, TableCode.AMOUNT_NOT_POSITIVE, amount=Money(max(amount_minor, -MAX_AMOUNT_MINOR)))


def check_name(book: Rulebook, table: Table, who: str) -> Refusal | None:
    """Refuse what cannot name a person: a bad name, or a place at a box that the table does not have."""
    if not is_name(who):
        return refuse(book, TableCode.BAD_NAME, most=MAX_NAME_LENGTH)
    place = Place.find(who)
    return check_box(book, table, place.box) if place else None


def check_known(book: Rulebook, table: Table, who: str) -> Refusal | None:
    """Refuse a plain name that is not at this table. Ids and places need no chips here."""
    if refusal := check_name(book, table, who):
        return refusal
    if who in table.people or not is_plain_name(who):
        return None
    return refuse(book, TableCode.UNKNOWN_PERSON, variant="named", who=who)


def check_person(book: Rulebook, table: Table, who: str) -> Refusal | None:
    """Refuse a person who is not at this table."""
    if who in table.people:
        return None
    form = exact_form(who)
    if form is not None and form != who:
        return refuse(book, TableCode.UNKNOWN_PERSON, variant="form", who=who[:MAX_NAME_LENGTH], form=form)
    if Place.find(who) is not None:
        return refuse(book, TableCode.UNKNOWN_PERSON, variant="place", who=who)
    return refuse(book, TableCode.UNKNOWN_PERSON, who=who[:MAX_NAME_LENGTH])


def check_comer(book: Rulebook, table: Table, who: str) -> Refusal | None:
    """Refuse a person who is not at this table. At a felt table an id or a place may be new."""
    if open_settings(table).felt and not is_plain_name(who):
        return check_name(book, table, who)
    return check_person(book, table, who)


def check_not_away(book: Rulebook, table: Table, who: str) -> Refusal | None:
    """Refuse a player who left during the round, until it is over."""
    if table.round is None or table.round.over or who not in table.round.away:
        return None
    return refuse(book, TableCode.AWAY, Topic.WALKING_AWAY, who=who[:MAX_NAME_LENGTH])


def check_not_abandoned(book: Rulebook, table: Table, who: str) -> Refusal | None:
    """Refuse a place with chips or bets of the person who left it. They are not those of the next person there."""
    if who not in table.abandoned:
        return None
    left = Money(abs(table.chips_minor(who)))
    if has_stakes(table, who):
        return refuse(book, TableCode.CHIPS_LEFT_HERE, variant="bets", who=who)
    if not left:
        return refuse(book, TableCode.CHIPS_LEFT_HERE, variant="last_round", who=who)
    owed = table.chips_minor(who) < 0
    if open_settings(table).felt:
        return refuse(book, TableCode.CHIPS_LEFT_HERE, variant="owed_here" if owed else "held", who=who, chips=left)
    return refuse(book, TableCode.CHIPS_LEFT_HERE, variant="owed" if owed else "chips", who=who, chips=left)


def check_here(book: Rulebook, table: Table, who: str) -> Refusal | None:
    """Refuse a person who has left the round, or has left chips at their place."""
    return check_not_away(book, table, who) or check_not_abandoned(book, table, who)


def check_chips(book: Rulebook, table: Table, who: str, wanted_minor: int) -> Refusal | None:
    """Refuse to spend more chips than a player has."""
    if wanted_minor <= table.chips_minor(who):
        return None
    return refuse(book, TableCode.NOT_ENOUGH_CHIPS, who=who, chips=Money(table.chips_minor(who)))


def cash_out(book: Rulebook, table: Table, command: CashOut) -> Decision:
    """Only chips that are not staked. At a felt table they may come from elsewhere."""
    who, amount_minor = command.who, command.amount_minor
    if refusal := check_amount(book, amount_minor) or check_comer(book, table, who):
        return refusal
    if not open_settings(table).felt:
        refusal = check_chips(book, table, who, amount_minor)
    elif amount_minor > MAX_AMOUNT_MINOR:
        refusal = refuse(book, Code.AMOUNT_TOO_LARGE, variant="most", most=Money(MAX_AMOUNT_MINOR))
    most_minor = most_cash_out_minor(open_settings(table), command.position)
    if refusal is None and amount_minor > most_minor:
        positions, most = in_order(SUPERVISOR_UP), Money(most_minor)
        refusal = refuse(book, TableCode.NOT_AUTHORISED, variant="cash_out", positions=positions, most=most)
    target = VOUCHERS if command.kind is CashOutKind.VOUCHER else FLOAT
    return refusal or (ChipsCashed(who, command.kind, postings=spend_postings(table, who, target, amount_minor)),)


def on_chips_cashed(table: Table, event: ChipsCashed) -> Table:
    """A player without chips, place or stakes is removed."""
    return update_people(table, {event.who})


def update_people(table: Table, people: Iterable[str]) -> Table:
    """Keep these people at the table if they have a place, stakes, or chips above or below zero; else remove them.

    The place of somebody removed stays theirs while the last round can be corrected.
    """
    places = {*table.seats.values(), *table.behind}
    here = {who for who in people if table.chips_minor(who) or who in places or has_stakes(table, who)}
    removed = table.people.intersection(people) - here
    after = replace(table, people=table.people.difference(people) | here)
    return _forget(update_abandoned(after, removed | (here - table.people)), removed)


def _forget(table: Table, removed: frozenset[str]) -> Table:
    """Somebody else can have these names now, except places that are still reserved."""
    return replace(table, gone=table.gone | (removed - table.abandoned))


def update_abandoned(table: Table, left: Iterable[str] = ()) -> Table:
    """Add the places of people who have left, and free the places where nothing is left."""
    places = (who for who in table.abandoned.union(left) if Place.find(who))
    return replace(table, abandoned=frozenset(who for who in places if _holds_something(table, who)))


def _holds_something(table: Table, who: str) -> bool:
    """Chips, a debt, or bets in a round that is open or can still be corrected."""
    now = table.round
    in_round = now is not None and now.irregularities.void is None and who in bettors(now)
    return in_round or table.chips_minor(who) != 0


def has_stakes(table: Table, who: str) -> bool:
    """Whether a player has a bet or insurance in a round that is not over."""
    if table.round is None or table.round.over:
        return False
    return who in bettors(table.round)


def check_box(book: Rulebook, table: Table, box: int) -> Refusal | None:
    """Refuse a box that the table does not have."""
    settings = open_settings(table)
    if 1 <= box <= settings.boxes:
        return None
    return refuse(
        book,
        Code.UNKNOWN_BOX,
        Topic.BOXES,
        variant="labelled" if settings.box_labels else "table",
        box=box,
        most=settings.boxes,
    )


def check_place(book: Rulebook, who: str, wanted: Place) -> Refusal | None:
    """Refuse another place to a person who is named by a place."""
    named = Place.find(who)
    if named is None or replace(named, number=1) == wanted:
        return None
    return refuse(
        book, TableCode.WRONG_PLACE, variant="standing" if wanted.behind else "seated", who=who, box=wanted.box
    )


def sit(book: Rulebook, table: Table, command: Sit) -> Decision:
    """A box must be free. A person can sit at several boxes."""
    refusal = check_comer(book, table, command.who) or check_box(book, table, command.box)
    refusal = refusal or check_place(book, command.who, Place(command.box))
    if refusal := refusal or check_here(book, table, command.who):
        return refusal
    there = table.seats.get(command.box)
    if there == command.who:
        return refuse(book, TableCode.ALREADY_THERE, variant="seated", who=there, box=command.box)
    if there is not None:
        return refuse(book, TableCode.BOX_TAKEN, Topic.SEATED_PLAYER, who=there, box=command.box)
    return (PlayerSat(command.who, command.box),)


def on_player_sat(table: Table, event: PlayerSat) -> Table:
    """A player who sits down no longer stands behind the box, and their bets there count as seated."""
    stood = table.behind.get(event.who, frozenset()) - {event.box}
    behind = {who: boxes for who, boxes in table.behind.items() if who != event.who}
    if stood:
        behind[event.who] = stood
    now = table.round
    if now is not None and not now.over:
        bets = {
            key: replace(placed, seated=True) if key[:2] == (event.who, event.box) else placed
            for key, placed in now.bets.items()
        }
        now = replace(now, bets=bets)
    people = table.people | {event.who}
    return replace(table, seats={**table.seats, event.box: event.who}, behind=behind, people=people, round=now)


def stand_behind(book: Rulebook, table: Table, command: StandBehind) -> Decision:
    """Behind any box, for when somebody sits there and bets."""
    refusal = check_comer(book, table, command.who) or check_box(book, table, command.box)
    refusal = refusal or check_place(book, command.who, Place(command.box, behind=True))
    if refusal := refusal or check_here(book, table, command.who):
        return refusal
    if command.box in table.behind.get(command.who, ()) or table.seats.get(command.box) == command.who:
        return refuse(
            book, TableCode.ALREADY_THERE, Topic.STANDING_PLAYER, variant="standing", who=command.who, box=command.box
        )
    return (PlayerStood(command.who, command.box),)


def on_player_stood(table: Table, event: PlayerStood) -> Table:
    """A player can stand behind several boxes."""
    boxes = table.behind.get(event.who, frozenset()) | {event.box}
    return replace(table, behind={**table.behind, event.who: boxes}, people=table.people | {event.who})


def place_of_bettor(book: Rulebook, table: Table, who: str, box: int) -> PlayerSat | PlayerStood | Refusal | None:
    """How somebody whose bet lies in a box came to it; None if they are there, or need no place there.

    Somebody named by a box sits there, everybody else stands. If the book asks for no place, only somebody who is named
    by this one has it.
    """
    there = table.seats.get(box)
    if there == who or box in table.behind.get(who, ()):
        return None
    named = Place.find(who)
    if there is not None and named is not None and replace(named, number=1) == Place(box):
        return refuse(book, TableCode.BOX_TAKEN, Topic.SEATED_PLAYER, variant="bettor", who=there, box=box)
    if not book.has(Topic.STANDING_PLAYER) and (named is None or named.box != box):
        return None
    sits = named is not None and not named.behind
    refusal = check_place(book, who, Place(box, behind=not sits))
    return refusal or (PlayerSat(who, box) if sits else PlayerStood(who, box))


def leave(book: Rulebook, table: Table, command: Leave) -> Decision:
    """Stakes stay until the round is settled. A player with options plays on.

    Somebody named by a place can leave it before they sat down. At a felt table chips that were held for somebody
    leave with them.
    """
    if command.who not in table.people:
        return refuse(book, TableCode.UNKNOWN_PERSON, variant="leave", who=command.who[:MAX_NAME_LENGTH])
    felt = open_settings(table).felt
    if refusal := (check_not_away if felt else check_here)(book, table, command.who):
        return refusal
    staked = has_stakes(table, command.who)
    has_place = command.who in table.seats.values() or command.who in table.behind or Place.find(command.who)
    if not staked and not has_place and not (felt and table.chips_minor(command.who)):
        return refuse(book, TableCode.NOT_AT_BOX, variant="nowhere", who=command.who)
    clauses = book.topics[Topic.WALKING_AWAY] if staked else ()
    postings = _take_along(table, command.who, staked=staked) if felt else ()
    left = PlayerLeft(command.who, staked, clauses, postings=postings)
    now = table.round
    if now is None or not now.irregularities.must_choose(command.who):
        return (left,)
    return (*choice_events(book, table, command.who, Choice.CONTINUE, command.by), left)


def _take_along(table: Table, who: str, *, staked: bool) -> tuple[Posting, ...]:
    """The chips in a player's hands leave with them. A debt is lost, unless stakes may still make up for it."""
    chips_minor = table.chips_minor(who)
    if chips_minor < 0 and staked:
        return ()
    return merge_postings(transfer(chips(who), BROUGHT if chips_minor > 0 else MISPAID, chips_minor))


def gone_events(table: Table, who: str, owed_minor: int) -> tuple[PlayerLeft, ...]:
    """A correction at a felt table changed the chips of somebody who had left.

    They took their chips along, except ``owed_minor``, which the dealer would pay them: it is held for them. If it is
    negative, nobody can collect it any more.
    """
    lost_minor = min(owed_minor, 0)
    taken = transfer(chips(who), BROUGHT, table.chips_minor(who) - owed_minor)
    postings = merge_postings((*taken, *transfer(chips(who), MISPAID, lost_minor)))
    return (PlayerLeft(who, away=False, postings=postings),) if postings else ()


def on_player_left(table: Table, event: PlayerLeft) -> Table:
    """A player with stakes keeps their box until the round is settled."""
    now = table.round
    if now is None:
        return remove_people(table, frozenset({event.who}))
    now = replace(now, squeezes=tuple(squeeze for squeeze in now.squeezes if squeeze.who != event.who))
    if event.away:
        left = {event.who: cards_out(table), **now.left}  # once is enough, also in a round that was reopened
        now = replace(now, away=now.away | {event.who}, left=left)
        return update_abandoned(replace(table, round=now), {event.who})
    return remove_people(replace(table, round=now), frozenset({event.who}))


def remove_people(table: Table, people: frozenset[str]) -> Table:
    """Take these people's places away, and forget those without chips."""
    seats = {box: who for box, who in table.seats.items() if who not in people}
    behind = {who: boxes for who, boxes in table.behind.items() if who not in people}
    left = frozenset(who for who in people if not table.chips_minor(who))
    after = replace(table, seats=seats, behind=behind, people=table.people - left)
    return _forget(update_abandoned(after, people), table.people & left)


DECIDERS: Deciders = {
    BuyIn: buy_in,
    CashOut: cash_out,
    Sit: sit,
    StandBehind: stand_behind,
    Leave: leave,
}

EVOLVERS: Evolvers = {
    ChipsBought: on_chips_bought,
    ChipsCashed: on_chips_cashed,
    PlayerSat: on_player_sat,
    PlayerStood: on_player_stood,
    PlayerLeft: on_player_left,
}
