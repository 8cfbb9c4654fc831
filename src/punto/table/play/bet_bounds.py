"""How much a player can bet now, or why they cannot bet at all."""

from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.sentence import phrase
from punto.catalogue.values import Money
from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.decision import open_settings, this_round
from punto.table.play.limits import Bets, box_totals, limits_of, room_beside
from punto.table.play.seating import check_box, check_comer, check_here, check_person, place_of_bettor
from punto.table.records.commands import PlaceBet
from punto.table.records.events import PlayerSat, PlayerStood
from punto.table.records.ledger import MAX_AMOUNT_MINOR
from punto.table.records.settings import Settings
from punto.table.records.state import BetKey, Phase, Table
from punto.table.refusals import TableCode, refuse


class Bounds(Struct, frozen=True, gc=False):
    """The smallest and largest amount a player can add to a bet now, and what limits the largest."""

    seated: bool
    least_minor: int
    most_minor: int
    set_by: TableCode | Code
    room_minor: int | None = None
    """What the differential limit allows without rejecting standing players' bets; None if it does not apply."""
    comes: PlayerSat | PlayerStood | None = None
    """At a felt table, how somebody who was not at the box came to it."""


def check_betting_open(book: Rulebook, table: Table, closed: Topic) -> Refusal | None:
    """Refuse before the call for bets, and after the close by the clauses on the topic ``closed``."""
    if table.phase is Phase.BETTING:
        return None
    if table.phase is Phase.READY:
        return refuse(book, TableCode.BETTING_NOT_OPEN, Topic.BETTING_OPENS)
    withdrawal = closed is Topic.LATE_WITHDRAWAL
    return refuse(book, TableCode.BETTING_NOT_OPEN, closed, variant="withdrawal" if withdrawal else "closed")


def check_on_layout(book: Rulebook, table: Table, bet: str) -> Refusal | None:
    """Refuse a bet that the table's layout does not offer."""
    layout = book.layouts[open_settings(table).layout]
    return None if bet in layout.menu else book.not_on_layout(bet, layout).refusal


def card_exposed(table: Table) -> bool:
    """A card drawn in this round is exposed, or raised. A card carried over from an earlier round does not count."""
    now = this_round(table)
    raised = now.irregularities.raised
    if raised is not None and raised.card is not None:
        return True
    if not table.carried:
        return False
    return any(carried.card is not None and carried.drawn_in == now.number for carried in table.carried)


def bet_bounds(
    book: Rulebook, table: Table, who: str, box: int, bet: str, *, recorded: bool = False
) -> Bounds | Refusal:
    """How much a player can bet there now, or why they cannot bet at all.

    ``recorded``: the bet lies on the felt already.
    """
    if refusal := check_betting_open(book, table, Topic.BETTING_CLOSED):
        return refusal
    settings, bets = open_settings(table), this_round(table).bets
    check_bettor = check_comer if recorded else check_person
    refusal = check_box(book, table, box) or check_bettor(book, table, who) or check_here(book, table, who)
    if refusal := refusal or check_on_layout(book, table, bet):
        return refusal
    if recorded:
        return _felt_bounds(book, table, who, box)
    if not settings.felt and card_exposed(table):
        return refuse(book, TableCode.CARD_EXPOSED, Topic.EXCESS_OPTIONS)
    seated = table.seats.get(box) == who
    if not seated and book.has(Topic.STANDING_PLAYER):
        if box not in table.behind.get(who, ()):
            return refuse(book, TableCode.NOT_AT_BOX, Topic.STANDING_PLAYER, variant="box", who=who, box=box)
        if not has_seated_bet(bets, box):
            if box not in table.seats:
                return refuse(book, TableCode.NO_SEATED_BET, Topic.STANDING_PLAYER, variant="empty", box=box)
            return refuse(book, TableCode.NO_SEATED_BET, Topic.STANDING_PLAYER, box=box)
    whole = Bounds(seated, 1, table.chips_minor(who), TableCode.NOT_ENOUGH_CHIPS)
    return whole if settings.felt else _enforced_bounds(book, settings, bets, (who, box, bet), whole)


def has_seated_bet(bets: Bets, box: int) -> bool:
    return any(placed.box == box and placed.seated for placed in bets.values())


def _felt_bounds(book: Rulebook, table: Table, who: str, box: int) -> Bounds | Refusal:
    """The bounds of a bet that lies on the felt, also of somebody whom nobody knows."""
    comes = place_of_bettor(book, table, who, box)
    if isinstance(comes, Refusal):
        return comes
    seated = table.seats.get(box) == who or isinstance(comes, PlayerSat)
    return Bounds(seated, 1, MAX_AMOUNT_MINOR, Code.AMOUNT_TOO_LARGE, comes=comes)


def _enforced_bounds(book: Rulebook, settings: Settings, bets: Bets, key: BetKey, bounds: Bounds) -> Bounds:
    """The bounds at a table that enforces its limits. A seated player's bet displaces those of standing players."""
    _, box, bet = key
    limits, differential = limits_of(settings, bet), settings.differential_minor
    staked = bets[key].stake_minor if key in bets else 0
    least = max((limits.min_minor or 0) - staked, 1)
    most, set_by, without_rejecting = bounds.most_minor, bounds.set_by, None
    on_bet, other_side, standing = box_totals(bets, box, bet)
    if limits.max_minor is not None and limits.max_minor - on_bet < most:
        most, set_by = limits.max_minor - on_bet, TableCode.ABOVE_MAXIMUM
    beside = room_beside(book, bets, box, bet)
    if beside is not None and beside < most:
        most, set_by = beside, TableCode.SHARE_EXCEEDED
    if differential is not None and bet in MAIN_BETS:
        gives_way = standing if bounds.seated else 0
        without_rejecting = differential + other_side - on_bet
        room = without_rejecting + gives_way
        if room < most:
            most, set_by = room, TableCode.DIFFERENTIAL_EXCEEDED
    return Bounds(bounds.seated, least, most, set_by, without_rejecting)


def no_room(book: Rulebook, table: Table, bounds: Bounds, command: PlaceBet) -> Refusal:
    bet, room = command.bet, Money(max(bounds.most_minor, 0))
    if bounds.set_by is Code.AMOUNT_TOO_LARGE:
        return refuse(book, Code.AMOUNT_TOO_LARGE, variant="most", most=room)
    if bounds.set_by is TableCode.NOT_ENOUGH_CHIPS:
        return refuse(book, TableCode.NOT_ENOUGH_CHIPS, who=command.who, chips=room)
    only_box = [box for box, who in table.seats.items() if who == command.who] == [command.box]
    box = phrase("phrase.only_box" if only_box else "phrase.box", box=command.box)
    limit = book.bets[bet].limit
    if bounds.set_by is TableCode.SHARE_EXCEEDED and limit is not None:
        refusal = refuse(
            book,
            TableCode.SHARE_EXCEEDED,
            variant="room" if room else "full",
            box=box,
            bet=bet,
            room=room,
            of=limit.of,
            share=str(limit.share or ""),
        )
        return replace(refusal, clauses=(limit.clause,))
    if bounds.set_by is TableCode.ABOVE_MAXIMUM:
        return refuse(
            book,
            TableCode.ABOVE_MAXIMUM,
            Topic.LIMITS,
            variant="room" if room else "full",
            box=box,
            bet=bet,
            room=room,
            most=Money(limits_of(open_settings(table), bet).max_minor or 0),
        )
    return refuse(
        book,
        TableCode.DIFFERENTIAL_EXCEEDED,
        Topic.DIFFERENTIAL,
        variant="room" if room else "full",
        box=box,
        bet=bet,
        room=room,
        most=Money(open_settings(table).differential_minor or 0),
    )
