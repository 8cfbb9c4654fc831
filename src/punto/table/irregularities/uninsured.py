"""Insurance that was not offered: offer it late while nobody has seen the next card, or return the bet."""

from msgspec.structs import replace

from punto.catalogue.values import Odds
from punto.rules.bets.insurance import InsuranceLine
from punto.rules.bets.pay_lines import decided
from punto.rules.coup.coup import Coup
from punto.rules.refusals import Code, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, check_reason, coup_of, open_settings, this_round
from punto.table.play.claims import missed_lines, winning_lines
from punto.table.play.insuring import (
    can_be_taken,
    current_line,
    due_offer,
    largest_stake,
    no_offer_due,
    players_with_room,
)
from punto.table.play.pending import check_nothing_pending
from punto.table.play.seating import check_box, check_comer, update_people
from punto.table.records.events import InsuranceOffered
from punto.table.records.findings import UninsuredBetPutBack, UninsuredBetReturned
from punto.table.records.ledger import FELT, FLOAT, ROUNDING, chips, merge_postings, transfer
from punto.table.records.reports import OfferLateInsurance, ReturnUninsuredBets
from punto.table.records.state import MissedOffer, Phase, ReturnedBet, Round, Table, as_played, with_insurance
from punto.table.refusals import TableCode, refuse


def offer_late_insurance(book: Rulebook, table: Table, _: OfferLateInsurance) -> Decision:
    offer = late_offer(book, table)
    return offer if isinstance(offer, Refusal) else (offer,)


def late_offer(book: Rulebook, table: Table) -> InsuranceOffered | Refusal:
    """Make a missed offer while its line still shows: the next card is drawn, but nobody has seen it."""
    topic = Topic.LATE_INSURANCE
    now = table.round
    if open_settings(table).no_insurance:
        return no_offer_due(book, table)
    if table.phase is not Phase.DEALING or now is None or not now.insurance.missed:
        return refuse(book, TableCode.INSURANCE_NOT_MISSED, topic)
    if refusal := check_nothing_pending(book, table):
        return refusal
    coup = coup_of(book, table)
    if any(decided(book.bets[bet], coup) for bet in MAIN_BETS):
        return refuse(book, TableCode.BETS_DECIDED, Topic.UNINSURED_BET)
    line = current_line(book, table)
    if line is not None and (now.insurance.offer_stands or line is due_offer(book, table, coup)):
        return _has_own_offer(book, now, line)
    missed = None if line is None else _missed_on(book, now, coup, line)
    if line is None or missed is None or not _reaches_somebody(book, table, line, missed):
        return refuse(book, TableCode.NO_INSURANCE_DUE, Topic.UNINSURED_BET, variant="no_line")
    clauses, players = (line.clause, *book.topics[topic]), tuple(sorted(missed.players))
    return InsuranceOffered(line.stage, line.side, line.odds_text, clauses, (line.stage,), players)


def _has_own_offer(book: Rulebook, now: Round, line: InsuranceLine) -> Refusal:
    """The cards now showing have an offer of their own, to be made or taken as usual."""
    return refuse(
        book,
        TableCode.NO_INSURANCE_DUE,
        Topic.LATE_INSURANCE,
        variant="stands" if now.insurance.offer_stands else "own_offer",
        side=line.side,
        odds=Odds(line.odds_text),
    )


def _missed_on(book: Rulebook, now: Round, coup: Coup, line: InsuranceLine) -> MissedOffer | None:
    return next((missed for missed, other in missed_lines(book, now, coup, line.side) if other is line), None)


def _reaches_somebody(book: Rulebook, table: Table, line: InsuranceLine, missed: MissedOffer) -> bool:
    if missed.players:
        return bool(missed.players & players_with_room(book, table, line, late=True))
    return can_be_taken(book, table, line, late=True)


def return_uninsured_bets(book: Rulebook, table: Table, command: ReturnUninsuredBets) -> Decision:
    """Return a bet to a player who missed an offer that would have won, and that they could have taken."""
    topic, key = Topic.UNINSURED_BET, (command.who, command.box, command.side.value)
    now = table.round
    if now is None or now.irregularities.void or not now.insurance.missed:
        if open_settings(as_played(table)).no_insurance:
            return refuse(book, TableCode.INSURANCE_NOT_MISSED, Topic.NO_INSURANCE, variant="none_here")
        return refuse(book, TableCode.INSURANCE_NOT_MISSED, topic)
    refusal = check_nothing_pending(book, table) or check_reason(book, command.reason, needed=True)
    if refusal is not None:
        return refusal
    coup = coup_of(book, table)
    if coup.end is None:
        return refuse(book, TableCode.COUP_NOT_FINISHED, topic, variant="insurance")
    if not missed_lines(book, now, coup, command.side):
        return refuse(book, TableCode.INSURANCE_NOT_MISSED, topic, variant="side", side=command.side)
    winning = winning_lines(book, now, coup, command.side)
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
    open_to = [line for missed, line in winning if missed.is_open_to(command.who)]
    if not open_to:
        return _not_missed_by(book, command.who, [missed for missed, _ in winning])
    if not any(largest_stake(book, table, line, placed) for line in open_to):
        return refuse(book, Code.INSURANCE_ABOVE_CAP, Topic.INSURANCE_CAP, variant="no_room", who=command.who[:40])
    return (_return_event(book, now, command, placed.stake_minor),)


def _not_missed_by(book: Rulebook, who: str, missed: list[MissedOffer]) -> Refusal:
    """The player has forgone insurance, or was offered what others were not."""
    if any(who in each.forgone for each in missed):
        return refuse(book, TableCode.INSURANCE_FORGONE, Topic.INSURANCE_FORGONE, who=who[:40])
    return refuse(book, TableCode.INSURANCE_NOT_MISSED, Topic.UNINSURED_BET, variant="offered", who=who[:40])


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
