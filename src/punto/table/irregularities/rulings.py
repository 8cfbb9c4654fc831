"""Rulings by a shift manager or above, and records of late bets and of errors found too late."""

from msgspec.structs import replace

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, check_reason, this_round
from punto.table.play.bet_bounds import check_on_layout
from punto.table.play.seating import check_amount, check_box, check_chips, check_known, update_people
from punto.table.play.voiding import check_round, void_events
from punto.table.records.events import Event
from punto.table.records.findings import IrregularityReported, LateBetRefused, Ruled
from punto.table.records.kinds import Effect, Irregularity, Late
from punto.table.records.ledger import (
    COMMISSION,
    FELT,
    FLOAT,
    MAX_AMOUNT_MINOR,
    MISPAID,
    ROUNDING,
    Posting,
    chip_changes,
    chips,
    merge_postings,
    transfer,
)
from punto.table.records.reports import ReportLateBet, ReportLaterError, Rule, RuledBet
from punto.table.records.state import BetKey, Phase, Round, Table, with_insurance, with_irregularities
from punto.table.refusals import TableCode, refuse, too_large


def rule(book: Rulebook, table: Table, command: Rule) -> Decision:
    """Decide something no clause covers. Cites nothing if the book has no clause on rulings.

    A settled round can be voided, and its bets returned, until betting opens for the next one.
    """
    refusal = check_reason(book, command.reason, needed=True) or _check_effect(book, command)
    if refusal := refusal or _check_round(book, table, command.effect):
        return refusal
    postings: tuple[Posting, ...] | Refusal = ()
    voided: tuple[Event, ...] = ()
    if command.effect is Effect.ADJUST:
        postings = _adjustment_postings(book, table, command.amounts)
    elif command.effect is Effect.RETURN:
        postings = _return_postings(book, this_round(table), command.bets)
    elif command.effect is Effect.VOID:
        voided = void_events(book, table, Irregularity.RULING, command.reason)
    if isinstance(postings, Refusal):
        return postings
    clauses, bets = book.topics[Topic.RULING], command.bets
    ruled = Ruled(command.effect, command.reason, command.by, command.position, clauses, bets, postings=postings)
    return (ruled, *voided)


def _check_effect(book: Rulebook, command: Rule) -> Refusal | None:
    """Refuse unless a return has bets, an adjustment has amounts, and other effects have neither."""
    wants_bets, wants_amounts = command.effect is Effect.RETURN, command.effect is Effect.ADJUST
    if bool(command.bets) == wants_bets and bool(command.amounts) == wants_amounts:
        return None
    return refuse(book, TableCode.NOTHING_RULED, Topic.RULING)


def _check_round(book: Rulebook, table: Table, effect: Effect) -> Refusal | None:
    """Refuse if the ruling has no round: one in play, or for a void or a return the one just settled."""
    settled = table.phase is Phase.READY and table.round is not None and table.round.settled
    if effect is Effect.ADJUST or (settled and effect is not Effect.CONTINUE):
        return None
    return check_round(book, table, Topic.RULING)


def _adjustment_postings(book: Rulebook, table: Table, amounts: dict[str, int]) -> tuple[Posting, ...] | Refusal:
    postings = []
    for who, amount_minor in amounts.items():
        if refusal := check_known(book, table, who):
            return refusal
        size = abs(amount_minor) if type(amount_minor) is int else amount_minor
        if refusal := check_amount(book, size):
            return refusal
        if size > MAX_AMOUNT_MINOR:
            return too_large(book, Topic.RULING)
        if amount_minor < 0 and (refusal := check_chips(book, table, who, size)):
            return refusal
        postings += [Posting(chips(who), amount_minor), Posting(FLOAT, -amount_minor)]
    return merge_postings(postings)


def _return_postings(book: Rulebook, now: Round, bets: tuple[RuledBet, ...]) -> tuple[Posting, ...] | Refusal:
    """After the settlement: take back what each bet won, its commission and its rounding, or pay back what it lost."""
    postings: list[Posting] = []
    for bet in dict.fromkeys(bets):
        stake_minor = _stake_minor(now, _key(bet))
        if not stake_minor or _key(bet) in now.insurance.returned_uninsured:
            return refuse(
                book,
                TableCode.NO_SUCH_BET,
                Topic.RULING,
                who=bet.who[:40],
                bet=bet.bet[:40],
                box=bet.box,
            )
        if now.paid is None:
            postings += transfer(FELT, chips(bet.who), stake_minor)
            continue
        results = [result for result in now.results if (result.who, result.box, result.bet) == _key(bet)]
        postings += transfer(FLOAT, chips(bet.who), stake_minor - sum(result.returned_minor for result in results))
        postings += transfer(COMMISSION, FLOAT, sum(result.commission_minor or 0 for result in results))
        postings += transfer(FLOAT, ROUNDING, sum(result.rounded_minor for result in results))
    return merge_postings(postings)


def _stake_minor(now: Round, key: BetKey) -> int:
    """Of a bet, or of all insurance with this key."""
    placed = now.bets.get(key)
    insured_minor = sum(covered.stake_minor for covered in now.insurance.cover if covered.key == key)
    return insured_minor + (placed.stake_minor if placed else 0)


def _key(bet: RuledBet) -> BetKey:
    return bet.who, bet.box, bet.bet


def on_ruled(table: Table, event: Ruled) -> Table:
    """Returned bets leave the round, also a settled one. Players whose chips changed are at the table."""
    changed = chip_changes(event.postings).keys()
    now = table.round
    if now is None or (now.over and event.effect is not Effect.RETURN):
        return update_people(table, changed)
    returned = dict.fromkeys(map(_key, event.bets))  # in their order: the reversal has it too
    if now.paid is not None:  # as if the bets had been returned before the settlement
        stakes = [posting for key in returned for posting in transfer(chips(key[0]), FELT, _stake_minor(now, key))]
        for key in filter(now.mispaid.get, returned):  # handed over wrongly: no part of the settlement any more
            stakes += transfer(chips(key[0]), MISPAID, now.mispaid[key])
        results = tuple(result for result in now.results if (result.who, result.box, result.bet) not in returned)
        mispaid = {key: minor for key, minor in now.mispaid.items() if key not in returned}
        paid = merge_postings((*now.paid, *event.postings, *stakes))
        now = replace(now, paid=paid, results=results, mispaid=mispaid)
    bets = {key: placed for key, placed in now.bets.items() if key not in returned}
    cover = tuple(covered for covered in now.insurance.cover if covered.key not in returned)
    now = with_insurance(replace(now, bets=bets), cover=cover)
    raised = None if event.effect is Effect.CONTINUE else now.irregularities.raised
    return update_people(replace(table, round=with_irregularities(now, raised=raised)), changed)


def report_late_bet(book: Rulebook, table: Table, command: ReportLateBet) -> Decision:
    """Record the attempt. The bet plays as it was when betting closed."""
    topic = Topic.LATE_WITHDRAWAL if command.tried is Late.WITHDRAWN else Topic.BETTING_CLOSED
    if table.phase is not Phase.DEALING:
        return refuse(book, TableCode.NOT_DEALING, topic, variant="not_closed")
    refusal = check_amount(book, command.amount_minor) or check_box(book, table, command.box)
    if refusal is not None:
        return refusal
    if command.amount_minor > MAX_AMOUNT_MINOR:
        return too_large(book, topic)
    if refusal := check_on_layout(book, table, command.bet):
        return refusal
    exists = (command.who, command.box, command.bet) in this_round(table).bets
    if not exists and command.tried is not Late.PLACED:
        return refuse(book, TableCode.NO_SUCH_BET, topic, who=command.who[:40], bet=command.bet[:40], box=command.box)
    if refusal := check_known(book, table, command.who):
        return refusal
    return (
        LateBetRefused(command.who, command.box, command.bet, command.tried, command.amount_minor, book.topics[topic]),
    )


def on_late_bet_refused(table: Table, _: LateBetRefused) -> Table:
    """No state: the event is only a record."""
    return table


def report_later_error(book: Rulebook, table: Table, command: ReportLaterError) -> Decision:
    """The earlier round stays as it is. A ruling can correct a wrong payment."""
    now = table.round.number if table.round else 0
    if not 1 <= command.round < now:
        return refuse(book, TableCode.NOT_AN_EARLIER_ROUND, Topic.LATER_ERROR, round=command.round, present=now)
    if refusal := check_reason(book, command.reason, needed=True):
        return refusal
    clauses = book.topics[Topic.LATER_ERROR]
    return (IrregularityReported(Irregularity.LATER_ERROR, command.round, clauses, command.reason),)


DECIDERS: Deciders = {
    ReportLateBet: report_late_bet,
    ReportLaterError: report_later_error,
    Rule: rule,
}

EVOLVERS: Evolvers = {
    LateBetRefused: on_late_bet_refused,
    Ruled: on_ruled,
}
