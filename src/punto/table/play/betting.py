"""Betting: opening, placing, raising, withdrawing, rejecting, closing."""

from collections.abc import Iterator

from msgspec.structs import replace

from punto.catalogue.values import Money
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.differential import within_limits
from punto.rules.settlement.stakes import MAIN_BETS, Limits
from punto.rules.topics import Topic
from punto.table.decision import (
    Deciders,
    Decision,
    Evolvers,
    is_recorded,
    open_settings,
    staff_clauses,
    this_round,
)
from punto.table.play.bet_bounds import (
    bet_bounds,
    card_exposed,
    check_betting_open,
    check_on_layout,
    has_seated_bet,
    no_room,
)
from punto.table.play.limits import (
    Bets,
    above_maximum,
    bets_after,
    beyond_share,
    excess,
    limit_flags,
    limits_of,
    pro_rata,
    rejections,
)
from punto.table.play.opening import burn_due, check_between_rounds, shoe_ended
from punto.table.play.payouts import not_verified_events
from punto.table.play.pending import check_nothing_pending
from punto.table.play.seating import check_amount, check_box, check_here, update_abandoned
from punto.table.play.shuffler import begin_round, few_cards, has_cards, put_back_events
from punto.table.play.squeezing import lapsed_squeezes
from punto.table.play.stake_correction import with_played
from punto.table.play.staking import stake_postings, with_brought
from punto.table.records.commands import (
    AdviseMinimum,
    CloseBetting,
    ConfirmBets,
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
    BetsConfirmed,
    BettingClosed,
    BettingOpened,
    BetWithdrawn,
    ConfirmedBet,
    LimitFlagged,
    MinimumAdvised,
    PlayedBet,
)
from punto.table.records.ledger import FELT, chips, transfer
from punto.table.records.settings import Settings
from punto.table.records.state import BetKey, Phase, PlacedBet, Raise, Round, RoundBefore, Table
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
    if not has_cards(table):
        return refuse(book, TableCode.SHOE_EMPTY, Topic.SHOE_RUN_OUT)
    if shoe_ended(table):
        return refuse(book, TableCode.SHOE_ENDED)
    last = shoe.cut_card_out and shoe.rounds_since_cut_card + 1 == settings.rounds_after_cut_card
    number = table.round.next_number if table.round else 1
    carried = tuple(carried.card for carried in table.carried)
    opened = BettingOpened(number, last, book.topics[Topic.BETTING_OPENS], carried, few_cards(table))
    return (*not_verified_events(table), *put_back_events(book, table), opened)


def on_betting_opened(table: Table, event: BettingOpened) -> Table:
    shoe = begin_round(table)
    if shoe is not None and shoe.cut_card_out:
        shoe = replace(shoe, rounds_since_cut_card=shoe.rounds_since_cut_card + 1)
    now = Round(event.round, last=event.last, after_cut_card=shoe is not None and shoe.cut_card_out)
    before = _round_before(table)
    called = replace(table, phase=Phase.BETTING, shoe=shoe, round=now, round_before=before, gone=frozenset())
    return update_abandoned(called)


def _round_before(table: Table) -> RoundBefore | None:
    """The last round, if it can be corrected until the call. The cards of a machine do not come back."""
    now = table.round
    if now is None or not now.settled or table.at_shuffler:
        return None
    return RoundBefore(now, table.gone, table.abandoned)


def place_bet(book: Rulebook, table: Table, command: PlaceBet) -> Decision:
    """Accept a bet within the bounds. If a seated player needs the room, standing players' bets are rejected.

    At a felt table every bet that lies there is recorded, and flagged where other tables refuse it.
    """
    recorded = is_recorded(table, command.position)
    bounds = bet_bounds(book, table, command.who, command.box, command.bet, recorded=recorded)
    if isinstance(bounds, Refusal):
        return bounds
    stake = command.stake_minor
    if refusal := check_amount(book, stake):
        return refusal
    if stake > bounds.most_minor:
        return no_room(book, table, bounds, command)
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
        assumed=command.assumed and recorded and (before is None or before.assumed),
        postings=stake_postings(table, command.who, stake),
    )
    settings = open_settings(table)
    if settings.felt:
        bets, after = this_round(table).bets, this_round(on_bet_placed(table, placed)).bets
        flags = (*_bet_flags(book, table, placed), *limit_flags(book, settings, bets, after, command.box))
        return (placed, *flags) if bounds.comes is None else (bounds.comes, placed, *flags)
    if bounds.room_minor is None or stake <= bounds.room_minor:
        return (placed,)
    bets, over = this_round(table).bets, stake - bounds.room_minor
    return (placed, *_rejection_events(book, settings, bets, command.box, (command.bet, over), seated_too=False))


def _bet_flags(book: Rulebook, table: Table, placed: BetPlaced) -> Iterator[BetFlagged]:
    """What other tables refuse about a bet, besides the limits."""
    key = (placed.who, placed.box, placed.bet)
    if card_exposed(table):
        yield BetFlagged(*key, BetFlag.CARD_EXPOSED, book.topics[Topic.EXCESS_OPTIONS])
    stands = not placed.seated and book.has(Topic.STANDING_PLAYER)
    if stands and not has_seated_bet(this_round(table).bets, placed.box):
        yield BetFlagged(*key, BetFlag.NO_SEATED_BET, book.topics[Topic.STANDING_PLAYER])


def _rejection_events(
    book: Rulebook,
    settings: Settings,
    bets: Bets,
    box: int,
    too_much: tuple[str, int],
    topic: Topic = Topic.DIFFERENTIAL,
    *,
    seated_too: bool,
) -> tuple[BetRejected, ...]:
    bet, over_minor = too_much
    least, clauses = limits_of(settings, bet).min_minor or 0, book.topics[topic]
    return tuple(rejections(bets, box, bet, over_minor, least, clauses, seated_too=seated_too))


def on_bet_placed(table: Table, event: BetPlaced) -> Table:
    """Record the bet. A raised bet keeps its order; what was added gets the next."""
    now = this_round(table)
    key = (event.who, event.box, event.bet)
    before, order = now.bets.get(key), now.last_order + 1
    placed = PlacedBet(
        event.who,
        event.bet,
        event.stake_minor,
        event.box,
        event.seated,
        event.placed_by,
        before.order if before else order,
        assumed=event.assumed,
        raises=(*before.raises, Raise(order, event.stake_minor - before.stake_minor)) if before else (),
    )
    after = replace(now, bets={**now.bets, key: placed}, last_order=order)
    after = with_brought(after, event.who, event.postings)
    people = table.people if event.who in table.people else table.people | {event.who}
    return replace(table, people=people, round=after)


def confirm_bets(book: Rulebook, table: Table, command: ConfirmBets) -> Decision:
    """Until the round is over: nobody looks at a felt that has been cleared."""
    if table.phase not in (Phase.BETTING, Phase.DEALING):
        return refuse(book, TableCode.NO_ROUND, Topic.BETS_OFFERED)
    if command.box is not None and (refusal := check_box(book, table, command.box)):
        return refusal
    assumed = [placed for placed in this_round(table).bets.values() if placed.assumed]
    found = tuple(
        ConfirmedBet(placed.who, placed.box, placed.bet) for placed in assumed if command.box in (None, placed.box)
    )
    return (BetsConfirmed(found),) if found else refuse(book, TableCode.NOTHING_ASSUMED, Topic.BETS_OFFERED)


def on_bets_confirmed(table: Table, event: BetsConfirmed) -> Table:
    now = this_round(table)
    keys = {(each.who, each.box, each.bet) for each in event.bets}

    def confirm(bets: Bets) -> dict[BetKey, PlacedBet]:
        return {key: replace(placed, assumed=False) if key in keys else placed for key, placed in bets.items()}

    return replace(table, round=replace(now, bets=confirm(now.bets), at_close=confirm(now.at_close)))


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
    if 0 < left < least and not settings.felt:
        return refuse(book, TableCode.BELOW_MINIMUM, Topic.BELOW_MINIMUM, variant="rest", least=Money(least))
    postings = transfer(FELT, chips(command.who), command.amount_minor)
    clauses = staff_clauses(book, table, command.by, command.who)
    withdrawn = BetWithdrawn(*key, left, command.by, clauses, postings=postings)
    after = this_round(_reduce_bet(table, withdrawn)).bets
    if settings.felt:
        return (withdrawn, *limit_flags(book, settings, bets, after, command.box))
    too_much = excess(after, command.box, settings.differential_minor)
    rejected = _rejection_events(book, settings, after, command.box, too_much, seated_too=True)
    return (withdrawn, *rejected, *beyond_share(book, bets_after(after, rejected), command.box))


def _reduce_bet(table: Table, event: BetWithdrawn | BetRejected) -> Table:
    """Lower a bet by its newest chips, or remove it. Somebody has looked at what is left of it."""
    now = this_round(table)
    key = (event.who, event.box, event.bet)
    bets = {**now.bets}
    if event.stake_minor:
        bets[key] = replace(bets[key].restaked(event.stake_minor), assumed=False)
    else:
        del bets[key]
    return replace(table, round=replace(now, bets=bets))


on_bet_withdrawn = _reduce_bet
on_bet_rejected = _reduce_bet


def on_flagged(table: Table, _: LimitFlagged | BetFlagged) -> Table:
    """No state: the event is only a record."""
    return table


def reject_excess(book: Rulebook, table: Table, command: RejectExcess) -> Decision:
    """Return what exceeds the differential limit, or the maximum of one bet.

    Less on one side can put the other above the differential limit, which is flagged.
    """
    box, bet = command.box, command.bet
    refusal = check_betting_open(book, table, Topic.DIFFERENTIAL) or check_box(book, table, box)
    if refusal is None and bet is not None:
        refusal = check_on_layout(book, table, bet)
    if refusal is not None:
        return refusal
    settings, bets = open_settings(table), this_round(table).bets
    too_much: tuple[str, int]
    if bet is None:
        topic, too_much = Topic.DIFFERENTIAL, excess(bets, box, settings.differential_minor)
    else:
        topic, too_much = Topic.LIMITS, (bet, above_maximum(settings, bets, box, bet))
    rejected = _rejection_events(book, settings, bets, box, too_much, topic, seated_too=True)
    if not rejected:
        if bet is None:
            return refuse(book, TableCode.NO_EXCESS, topic, box=box)
        return refuse(book, TableCode.NO_EXCESS, topic, variant="maximum", box=box, bet=bet)
    return (*rejected, *limit_flags(book, settings, bets, bets_after(bets, rejected), box))


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
    """Close betting. At a felt table this also decides how much of each bet plays.

    Requests to squeeze lapse if somebody else now has the highest bet.
    """
    if refusal := check_betting_open(book, table, Topic.BETTING_CLOSED) or check_nothing_pending(book, table):
        return refusal
    played = bets_beyond_limits(book, open_settings(table), this_round(table).bets)
    closed = BettingClosed(book.topics[Topic.BETTING_CLOSED], tuple(played))
    return (closed, *lapsed_squeezes(book, table, *Side))


def bets_beyond_limits(book: Rulebook, settings: Settings, bets: Bets) -> Iterator[PlayedBet]:
    """At a felt table, how much plays of each bet beyond a limit, if these bets lie there at the close.

    A book without clauses on limits plays every bet as it lies.
    """
    if not settings.felt:
        return
    beyond = {
        (each.who, each.box, each.bet): PlayedBet(each.who, each.box, each.bet, each.stake_minor, each.clauses)
        for box in dict.fromkeys(placed.box for placed in bets.values())
        for each in beyond_share(book, bets, box)
    }
    yield from beyond.values()
    if not book.has(Topic.BELOW_MINIMUM):
        return
    limits = Limits(settings.main.min_minor, settings.main.max_minor, settings.differential_minor)
    plays = within_limits(book, list(bets.values()), limits)
    for index, placed in enumerate(bets.values()):
        if index in plays:
            part, clauses = plays[index]
            why = None if part == placed.stake_minor else pro_rata(settings, bets, placed.box)
            yield PlayedBet(placed.who, placed.box, placed.bet, part, clauses, why)
        elif (placed.who, placed.box, placed.bet) in beyond:
            continue
        elif placed.bet not in MAIN_BETS and placed.stake_minor < (settings.side.min_minor or 0):
            clauses = book.topics[Topic.BELOW_MINIMUM_PLAYS]
            yield PlayedBet(placed.who, placed.box, placed.bet, placed.stake_minor, clauses)


def on_betting_closed(table: Table, event: BettingClosed) -> Table:
    now = with_played(this_round(table), event.played) if event.played else this_round(table)
    return replace(table, phase=Phase.DEALING, round=replace(now, at_close=now.bets))


DECIDERS: Deciders = {
    OpenBetting: open_betting,
    PlaceBet: place_bet,
    ConfirmBets: confirm_bets,
    WithdrawBet: withdraw_bet,
    RejectExcess: reject_excess,
    AdviseMinimum: advise_minimum,
    CloseBetting: close_betting,
}

EVOLVERS: Evolvers = {
    BettingOpened: on_betting_opened,
    BetPlaced: on_bet_placed,
    BetsConfirmed: on_bets_confirmed,
    BetWithdrawn: on_bet_withdrawn,
    BetRejected: on_bet_rejected,
    LimitFlagged: on_flagged,
    BetFlagged: on_flagged,
    MinimumAdvised: on_minimum_advised,
    BettingClosed: on_betting_closed,
}
