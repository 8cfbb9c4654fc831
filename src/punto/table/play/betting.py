"""Betting: opening, placing, raising, withdrawing, rejecting, closing."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from punto.catalogue.sentence import phrase
from punto.catalogue.values import Money
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.differential import within_limits
from punto.rules.settlement.stakes import MAIN_BETS, Limits
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, open_settings, staff_clauses, this_round
from punto.table.play.limits import Bets, box_total, excess, limit_flags, limits_of, rejections, standing_total
from punto.table.play.opening import burn_due, check_between_rounds, shoe_ended
from punto.table.play.pending import check_nothing_pending
from punto.table.play.seating import check_amount, check_box, check_here, check_person, update_abandoned
from punto.table.play.squeezing import lapsed_squeezes
from punto.table.play.stake_correction import with_brought, with_played
from punto.table.records.commands import (
    AdviseMinimum,
    CloseBetting,
    OpenBetting,
    PlaceBet,
    RejectExcess,
    WithdrawBet,
)
from punto.table.records.events import (
    BetFlag,
    BetFlagged,
    BetPlaced,
    BetRejected,
    BettingClosed,
    BettingOpened,
    BetWithdrawn,
    Event,
    LimitFlagged,
    MinimumAdvised,
    PlayedBet,
)
from punto.table.records.ledger import FELT, chips, transfer
from punto.table.records.settings import Settings
from punto.table.records.state import BetKey, Phase, PlacedBet, Round, Table
from punto.table.refusals import TableCode, refuse


def open_betting(book: Rulebook, table: Table, _: OpenBetting) -> Decision:
    """Start a round, if the shoe has not ended."""
    if refusal := check_between_rounds(book, table):
        return refusal
    shoe, settings = table.shoe, open_settings(table)
    if shoe is None:
        return refuse(book, TableCode.NO_SHOE)
    if burn_due(table):
        return refuse(book, TableCode.NOT_BURNED)
    if not shoe.left and not table.carried:
        return refuse(book, TableCode.SHOE_EMPTY, Topic.SHOE_RUN_OUT)
    if shoe_ended(table):
        return refuse(book, TableCode.SHOE_ENDED)
    last = shoe.cut_card_out and shoe.rounds_since_cut_card + 1 == settings.rounds_after_cut_card
    number = 1 + (table.round.number if table.round else 0)
    carried = tuple(carried.card for carried in table.carried)
    return (BettingOpened(number, last, book.topics[Topic.BETTING_OPENS], carried),)


def on_betting_opened(table: Table, event: BettingOpened) -> Table:
    shoe = table.shoe
    if shoe is not None and shoe.cut_card_out:
        shoe = replace(shoe, rounds_since_cut_card=shoe.rounds_since_cut_card + 1)
    now = Round(event.round, last=event.last, after_cut_card=shoe is not None and shoe.cut_card_out)
    return update_abandoned(replace(table, phase=Phase.BETTING, shoe=shoe, round=now, gone=frozenset()))


class Bounds(Struct, frozen=True, gc=False):
    """The smallest and largest amount a player can add to a bet now, and what limits the largest."""

    seated: bool
    least_minor: int
    most_minor: int
    set_by: TableCode
    room_minor: int | None = None
    """What the differential limit allows without rejecting standing players' bets; None if it does not apply."""


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
    return any(carried.card is not None and carried.drawn_in == now.number for carried in table.carried)


def bet_bounds(book: Rulebook, table: Table, who: str, box: int, bet: str) -> Bounds | Refusal:
    """How much a player can bet there now, or why they cannot bet at all."""
    if refusal := check_betting_open(book, table, Topic.BETTING_CLOSED):
        return refusal
    settings, bets = open_settings(table), this_round(table).bets
    refusal = check_box(book, table, box) or check_person(book, table, who) or check_here(book, table, who)
    if refusal is not None:
        return refusal
    if refusal := check_on_layout(book, table, bet):
        return refusal
    if not settings.observing and card_exposed(table):
        return refuse(book, TableCode.CARD_EXPOSED, Topic.EXCESS_OPTIONS)
    seated = table.seats.get(box) == who
    if not seated and book.has(Topic.STANDING_PLAYER):
        if box not in table.behind.get(who, ()):
            return refuse(book, TableCode.NOT_AT_BOX, Topic.STANDING_PLAYER, variant="box", who=who, box=box)
        if not any(placed.box == box and placed.seated for placed in bets.values()):
            return refuse(book, TableCode.NO_SEATED_BET, Topic.STANDING_PLAYER, box=box)
    whole = Bounds(seated, 1, table.chips_minor(who), TableCode.NOT_ENOUGH_CHIPS)
    return whole if settings.observing else _enforced_bounds(settings, bets, (who, box, bet), whole)


def _enforced_bounds(settings: Settings, bets: Bets, key: BetKey, bounds: Bounds) -> Bounds:
    """The bounds at a table that enforces its limits. A seated player's bet displaces those of standing players."""
    _, box, bet = key
    limits, differential = limits_of(settings, bet), settings.differential_minor
    staked = bets[key].stake_minor if key in bets else 0
    least = max((limits.min_minor or 0) - staked, 1)
    most, set_by, without_rejecting = bounds.most_minor, bounds.set_by, None
    on_bet = box_total(bets, box, bet)
    if limits.max_minor is not None and limits.max_minor - on_bet < most:
        most, set_by = limits.max_minor - on_bet, TableCode.ABOVE_MAXIMUM
    if differential is not None and bet in MAIN_BETS:
        other = Side.BANKER if bet == Side.PLAYER else Side.PLAYER
        gives_way = standing_total(bets, box, bet) if bounds.seated else 0
        without_rejecting = differential + box_total(bets, box, other) - on_bet
        room = without_rejecting + gives_way
        if room < most:
            most, set_by = room, TableCode.DIFFERENTIAL_EXCEEDED
    return Bounds(bounds.seated, least, most, set_by, without_rejecting)


def _no_room(book: Rulebook, table: Table, bounds: Bounds, command: PlaceBet) -> Refusal:
    bet, room = command.bet, Money(max(bounds.most_minor, 0))
    if bounds.set_by is TableCode.NOT_ENOUGH_CHIPS:
        return refuse(book, TableCode.NOT_ENOUGH_CHIPS, who=command.who, chips=room)
    only_box = [box for box, who in table.seats.items() if who == command.who] == [command.box]
    box = phrase("phrase.only_box" if only_box else "phrase.box", box=command.box)
    if bounds.set_by is TableCode.ABOVE_MAXIMUM:
        return refuse(
            book,
            TableCode.ABOVE_MAXIMUM,
            Topic.LIMITS,
            variant="room" if room else "full",
            box=box,
            bet=bet,
            room=room,
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


def place_bet(book: Rulebook, table: Table, command: PlaceBet) -> Decision:
    """Accept a bet within the bounds. If a seated player needs the room, standing players' bets are rejected."""
    bounds = bet_bounds(book, table, command.who, command.box, command.bet)
    if isinstance(bounds, Refusal):
        return bounds
    stake = command.stake_minor
    if refusal := check_amount(book, stake):
        return refusal
    if stake > bounds.most_minor:
        return _no_room(book, table, bounds, command)
    if stake < bounds.least_minor:
        return refuse(
            book,
            TableCode.BELOW_MINIMUM,
            Topic.BELOW_MINIMUM,
            variant="stake",
            bet=command.bet,
            least=Money(bounds.least_minor),
            stake=Money(stake),
        )
    before = this_round(table).bets.get((command.who, command.box, command.bet))
    placed = BetPlaced(
        command.who,
        command.box,
        command.bet,
        stake + (before.stake_minor if before else 0),
        bounds.seated,
        command.by,
        staff_clauses(book, table, command.by, command.who, on_behalf=command.on_behalf),
        postings=transfer(chips(command.who), FELT, stake),
    )
    settings = open_settings(table)
    if settings.observing:
        bets, after = this_round(table).bets, this_round(on_bet_placed(table, placed)).bets
        flags = limit_flags(book, settings, bets, after, command.box)
        return (placed, *_exposed_flags(book, table, command), *flags)
    if bounds.room_minor is None or stake <= bounds.room_minor:
        return (placed,)
    bets, over = this_round(table).bets, stake - bounds.room_minor
    return (placed, *_rejection_events(book, settings, bets, command.box, (command.bet, over), seated_too=False))


def _exposed_flags(book: Rulebook, table: Table, command: PlaceBet) -> tuple[BetFlagged, ...]:
    if not card_exposed(table):
        return ()
    clauses = book.topics[Topic.EXCESS_OPTIONS]
    return (BetFlagged(command.who, command.box, command.bet, BetFlag.CARD_EXPOSED, clauses),)


def _rejection_events(
    book: Rulebook, settings: Settings, bets: Bets, box: int, too_much: tuple[str, int], *, seated_too: bool
) -> tuple[BetRejected, ...]:
    side, over_minor = too_much
    least, clauses = settings.main.min_minor or 0, book.topics[Topic.DIFFERENTIAL]
    return tuple(rejections(bets, box, side, over_minor, least, clauses, seated_too=seated_too))


def on_bet_placed(table: Table, event: BetPlaced) -> Table:
    """Record the bet. A raised bet keeps its order."""
    now = this_round(table)
    key = (event.who, event.box, event.bet)
    before = now.bets.get(key)
    order = before.order if before else now.last_order + 1
    placed = PlacedBet(event.who, event.bet, event.stake_minor, event.box, event.seated, event.placed_by, order)
    now = with_brought(now, event.who, event.postings)
    return replace(table, round=replace(now, bets={**now.bets, key: placed}, last_order=max(now.last_order, order)))


def _no_such_bet(book: Rulebook, command: WithdrawBet | AdviseMinimum) -> Refusal:
    return refuse(book, TableCode.NO_SUCH_BET, who=command.who[:40], bet=command.bet[:40], box=command.box)


def withdraw_bet(book: Rulebook, table: Table, command: WithdrawBet) -> Decision:
    """Return the bet, and whatever exceeds the differential limit on the other side as a result."""
    if refusal := check_betting_open(book, table, Topic.LATE_WITHDRAWAL):
        return refusal
    if refusal := check_here(book, table, command.who):
        return refusal
    key = (command.who, command.box, command.bet)
    settings, bets = open_settings(table), this_round(table).bets
    placed = bets.get(key)
    if placed is None:
        return _no_such_bet(book, command)
    if refusal := check_amount(book, command.amount_minor):
        return refusal
    left = placed.stake_minor - command.amount_minor
    if left < 0:
        return refuse(book, TableCode.NO_SUCH_BET, variant="less", stake=Money(placed.stake_minor))
    least = limits_of(settings, command.bet).min_minor or 0
    if 0 < left < least and not settings.observing:
        return refuse(book, TableCode.BELOW_MINIMUM, Topic.BELOW_MINIMUM, variant="rest", least=Money(least))
    postings = transfer(FELT, chips(command.who), command.amount_minor)
    clauses = staff_clauses(book, table, command.by, command.who)
    withdrawn = BetWithdrawn(*key, left, command.by, clauses, postings=postings)
    after = this_round(_reduce_bet(table, withdrawn)).bets
    if settings.observing:
        return (withdrawn, *limit_flags(book, settings, bets, after, command.box))
    too_much = excess(after, command.box, settings.differential_minor)
    return (withdrawn, *_rejection_events(book, settings, after, command.box, too_much, seated_too=True))


def _reduce_bet(table: Table, event: BetWithdrawn | BetRejected) -> Table:
    """Lower a bet, or remove it."""
    now = this_round(table)
    key = (event.who, event.box, event.bet)
    bets = {**now.bets}
    if event.stake_minor:
        bets[key] = replace(bets[key], stake_minor=event.stake_minor)
    else:
        del bets[key]
    return replace(table, round=replace(now, bets=bets))


on_bet_withdrawn = _reduce_bet
on_bet_rejected = _reduce_bet


def on_flagged(table: Table, _: LimitFlagged | BetFlagged) -> Table:
    """No state: the event is only a record."""
    return table


def reject_excess(book: Rulebook, table: Table, command: RejectExcess) -> Decision:
    """Return what exceeds the differential limit."""
    if refusal := check_betting_open(book, table, Topic.DIFFERENTIAL):
        return refusal
    if refusal := check_box(book, table, command.box):
        return refusal
    settings, bets = open_settings(table), this_round(table).bets
    too_much = excess(bets, command.box, settings.differential_minor)
    rejected: tuple[Event, ...] = _rejection_events(book, settings, bets, command.box, too_much, seated_too=True)
    if not rejected:
        return refuse(book, TableCode.NO_EXCESS, Topic.DIFFERENTIAL, box=command.box)
    return rejected


def advise_minimum(book: Rulebook, table: Table, command: AdviseMinimum) -> Decision:
    if refusal := check_betting_open(book, table, Topic.BELOW_MINIMUM):
        return refusal
    placed = this_round(table).bets.get((command.who, command.box, command.bet))
    if placed is None:
        return _no_such_bet(book, command)
    if placed.stake_minor >= (limits_of(open_settings(table), command.bet).min_minor or 0):
        return refuse(book, TableCode.NOT_BELOW_MINIMUM, Topic.BELOW_MINIMUM)
    clauses = book.topics[Topic.BELOW_MINIMUM]
    return (MinimumAdvised(command.who, command.box, command.bet, clauses),)


def on_minimum_advised(table: Table, _: MinimumAdvised) -> Table:
    """No state: the event is only a record."""
    return table


def close_betting(book: Rulebook, table: Table, _: CloseBetting) -> Decision:
    """Close betting. At an observing table this also decides how much of each bet plays.

    Requests to squeeze lapse if somebody else now has the highest bet.
    """
    if refusal := check_betting_open(book, table, Topic.BETTING_CLOSED) or check_nothing_pending(book, table):
        return refusal
    played = bets_beyond_limits(book, open_settings(table), this_round(table).bets)
    closed = BettingClosed(book.topics[Topic.BETTING_CLOSED], tuple(played))
    return (closed, *lapsed_squeezes(book, table, *Side))


def bets_beyond_limits(book: Rulebook, settings: Settings, bets: Bets) -> Iterator[PlayedBet]:
    """At an observing table, how much plays of each bet beyond a limit, if these bets lie there at the close.

    A book without clauses on limits plays every bet as it lies.
    """
    if not settings.observing or not book.has(Topic.BELOW_MINIMUM):
        return
    limits = Limits(settings.main.min_minor, settings.main.max_minor, settings.differential_minor)
    plays = within_limits(book, list(bets.values()), limits)
    for index, placed in enumerate(bets.values()):
        if index in plays:
            part, clauses = plays[index]
            yield PlayedBet(placed.who, placed.box, placed.bet, part, clauses)
        elif placed.bet not in MAIN_BETS and placed.stake_minor < (settings.side.min_minor or 0):
            clauses = book.topics[Topic.BELOW_MINIMUM_PLAYS]
            yield PlayedBet(placed.who, placed.box, placed.bet, placed.stake_minor, clauses)


def on_betting_closed(table: Table, event: BettingClosed) -> Table:
    now = with_played(this_round(table), event.played) if event.played else this_round(table)
    return replace(table, phase=Phase.DEALING, round=replace(now, at_close=now.bets))


DECIDERS: Deciders = {
    OpenBetting: open_betting,
    PlaceBet: place_bet,
    WithdrawBet: withdraw_bet,
    RejectExcess: reject_excess,
    AdviseMinimum: advise_minimum,
    CloseBetting: close_betting,
}

EVOLVERS: Evolvers = {
    BettingOpened: on_betting_opened,
    BetPlaced: on_bet_placed,
    BetWithdrawn: on_bet_withdrawn,
    BetRejected: on_bet_rejected,
    LimitFlagged: on_flagged,
    BetFlagged: on_flagged,
    MinimumAdvised: on_minimum_advised,
    BettingClosed: on_betting_closed,
}
