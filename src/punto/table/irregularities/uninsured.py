"""Insurance that was not offered: offer it late while nobody has seen the next card, or return the bet."""

from msgspec.structs import replace

from punto.rules.bets.insurance import InsuranceLine
from punto.rules.bets.pay_lines import Result, decided
from punto.rules.coup.coup import Coup
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Code
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, check_reason, coup_of, open_settings, this_round
from punto.table.play.insuring import can_be_taken, current_line, insurance_room, points_at
from punto.table.play.pending import check_nothing_pending
from punto.table.play.seating import check_box, check_comer, update_people
from punto.table.records.events import InsuranceOffered
from punto.table.records.findings import UninsuredBetPutBack, UninsuredBetReturned
from punto.table.records.ledger import FELT, FLOAT, ROUNDING, chips, merge_postings, transfer
from punto.table.records.reports import OfferLateInsurance, ReturnUninsuredBets
from punto.table.records.state import MissedOffer, Phase, ReturnedBet, Round, Table, with_insurance
from punto.table.refusals import TableCode, refuse


def _missed_lines(book: Rulebook, now: Round, coup: Coup, side: Side) -> list[tuple[MissedOffer, InsuranceLine]]:
    """The offers on one side that were due and not made, with their lines by the points at that time."""
    assert book.insurance is not None  # noqa: S101 - only books with insurance have the topic
    lines = []
    for missed in now.insurance.missed:
        player, banker = missed.player, missed.banker
        if player is None or banker is None:
            player, banker = points_at(missed.stage, coup)
        line = book.insurance.line(missed.stage, player, banker)
        if line is not None and line.side is side:
            lines.append((missed, line))
    return lines


def offer_late_insurance(book: Rulebook, table: Table, _: OfferLateInsurance) -> Decision:
    """Make a missed offer while its line still shows: the next card is drawn, but nobody has seen it."""
    topic = Topic.LATE_INSURANCE
    now = table.round
    if table.phase is not Phase.DEALING or now is None or not now.insurance.missed:
        return refuse(book, TableCode.INSURANCE_NOT_MISSED, topic)
    if refusal := check_nothing_pending(book, table):
        return refusal
    coup = coup_of(book, table)
    if any(decided(book.bets[bet], coup) for bet in MAIN_BETS):
        return refuse(book, TableCode.BETS_DECIDED, Topic.UNINSURED_BET)
    line = None if now.insurance.offer_stands else current_line(book, table)
    if (
        line is None
        or not any(line is missed for _, missed in _missed_lines(book, now, coup, line.side))
        or not can_be_taken(book, table, line, late=True)
    ):
        return refuse(book, TableCode.NO_INSURANCE_DUE, Topic.UNINSURED_BET, variant="no_line")
    clauses = (line.clause, *book.topics[topic])
    return (InsuranceOffered(line.stage, line.side, line.odds_text, clauses, (line.stage,)),)


def return_uninsured_bets(book: Rulebook, table: Table, command: ReturnUninsuredBets) -> Decision:
    """Return a bet to a player who missed an offer that would have won, and that they could have taken."""
    topic, key = Topic.UNINSURED_BET, (command.who, command.box, command.side.value)
    now = table.round
    if now is None or now.irregularities.void or not now.insurance.missed:
        return refuse(book, TableCode.INSURANCE_NOT_MISSED, topic)
    refusal = check_nothing_pending(book, table) or check_reason(book, command.reason, needed=True)
    if refusal is not None:
        return refusal
    coup = coup_of(book, table)
    if coup.end is None:
        return refuse(book, TableCode.COUP_NOT_FINISHED, topic, variant="insurance")
    lines = _missed_lines(book, now, coup, command.side)
    if not lines:
        return refuse(book, TableCode.INSURANCE_NOT_MISSED, topic, variant="side", side=command.side)
    winning = [(missed, line) for missed, line in lines if line.verdicts[coup.end.winner].result is Result.WIN]
    if not winning:
        return refuse(book, TableCode.WOULD_NOT_HAVE_WON, topic)
    if open_settings(table).cards_only:
        return _return_by_hand(book, table, command)
    placed = now.bets.get(key)
    if placed is None or key in now.insurance.returned_uninsured:
        return refuse(
            book,
            TableCode.NO_SUCH_BET,
            topic,
            variant="uninsured",
            who=command.who[:40],
            side=command.side,
            box=command.box,
        )
    open_to = [line for missed, line in winning if command.who not in missed.forgone]
    if not open_to:
        return refuse(book, TableCode.INSURANCE_FORGONE, Topic.INSURANCE_FORGONE, who=command.who[:40])
    if not any(insurance_room(book, table, line, placed) for line in open_to):
        return refuse(book, Code.INSURANCE_ABOVE_CAP, Topic.INSURANCE_CAP, variant="no_room", who=command.who[:40])
    return (_return_event(book, now, command, placed.stake_minor),)


def _return_by_hand(book: Rulebook, table: Table, command: ReturnUninsuredBets) -> Decision:
    """Record that a bet goes back which is not on record."""
    who, box, side, topic = command.who, command.box, command.side, Topic.UNINSURED_BET
    if refusal := check_box(book, table, box) or check_comer(book, table, who):
        return refusal
    if (who, box, side.value) in this_round(table).insurance.returned_by_hand:
        return refuse(book, TableCode.NO_SUCH_BET, topic, variant="uninsured", who=who, side=side, box=box)
    clauses = book.topics[topic]
    return (UninsuredBetReturned(who, box, side, 0, command.reason, command.by, clauses, by_hand=True, postings=()),)


def _return_event(book: Rulebook, now: Round, command: ReturnUninsuredBets, stake_minor: int) -> UninsuredBetReturned:
    who, box, side = command.who, command.box, command.side
    if now.paid is None:
        postings = transfer(FELT, chips(who), stake_minor)
    else:  # pay only what the settlement did not return
        settled = next(r for r in now.results if (r.who, r.box, r.bet) == (who, box, side))
        lost_minor = stake_minor - settled.returned_minor
        rounded = transfer(FLOAT, ROUNDING, settled.rounded_minor)
        postings = merge_postings((*transfer(FLOAT, chips(who), lost_minor), *rounded))
    clauses = book.topics[Topic.UNINSURED_BET]
    return UninsuredBetReturned(who, box, side, stake_minor, command.reason, command.by, clauses, postings=postings)


def on_uninsured_bet_returned(table: Table, event: UninsuredBetReturned) -> Table:
    """Remove the bet; after a settlement, add the event's postings to what was paid."""
    now = this_round(table)
    key = (event.who, event.box, event.side.value)
    if event.by_hand:
        by_hand = now.insurance.returned_by_hand | {key}
        return replace(table, round=with_insurance(now, returned_by_hand=by_hand))
    returned = ReturnedBet(now.bets[key], event.reason, event.found_by)
    now = with_insurance(now, returned_uninsured={**now.insurance.returned_uninsured, key: returned})
    if now.paid is None:
        bets = {other: placed for other, placed in now.bets.items() if other != key}
        return replace(table, round=replace(now, bets=bets))
    paid = merge_postings((*now.paid, *event.postings))
    return update_people(replace(table, round=replace(now, paid=paid)), {event.who})


def on_uninsured_bet_put_back(table: Table, event: UninsuredBetPutBack) -> Table:
    now = this_round(table)
    key = (event.who, event.box, event.side.value)
    returned = {other: each for other, each in now.insurance.returned_uninsured.items() if other != key}
    bets = {**now.bets, key: now.insurance.returned_uninsured[key].placed}
    return replace(table, round=with_insurance(replace(now, bets=bets), returned_uninsured=returned))


DECIDERS: Deciders = {
    OfferLateInsurance: offer_late_insurance,
    ReturnUninsuredBets: return_uninsured_bets,
}

EVOLVERS: Evolvers = {
    UninsuredBetReturned: on_uninsured_bet_returned,
    UninsuredBetPutBack: on_uninsured_bet_put_back,
}
