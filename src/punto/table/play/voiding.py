"""Void rounds: a bad shoe, an interruption, an empty shoe, a wrong number of cards."""

from msgspec.structs import replace

from punto.rules.bets.pay_lines import Result
from punto.rules.coup.cards import Face
from punto.rules.coup.table_of_play import To
from punto.rules.refusals import Clause, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import (
    Deciders,
    Decision,
    Evolvers,
    check_reason,
    coup_of,
    established_bets,
    open_settings,
    this_round,
)
from punto.table.play.insuring import current_line
from punto.table.play.opening import mark_taken_off, without_shoe
from punto.table.play.places import check_dealing
from punto.table.play.seating import update_people
from punto.table.play.settling import round_over
from punto.table.records.events import Event, InsuranceOffered, SettledBet
from punto.table.records.findings import (
    CardsDrawnOutOfTurn,
    Hands,
    IrregularityReported,
    RoundVoided,
    SettlementReversed,
    ShoeTakenOff,
)
from punto.table.records.kinds import NEW_SHOE, TOPICS, CardUse, Irregularity
from punto.table.records.ledger import FELT, Posting, chips, merge_postings
from punto.table.records.reports import (
    ReportCardCount,
    ReportForeignCard,
    ReportInterruption,
    ReportNotShuffled,
    ReportShoeRunOut,
)
from punto.table.records.state import Phase, Round, Table, bettors, stakes, with_insurance, with_irregularities
from punto.table.refusals import TableCode, refuse


def check_round(book: Rulebook, table: Table, topic: Topic) -> Refusal | None:
    """Refuse unless a round is being played."""
    if table.phase in (Phase.BETTING, Phase.DEALING):
        return None
    return refuse(book, TableCode.NO_ROUND, topic)


def report_event(book: Rulebook, table: Table, kind: Irregularity, reason: str) -> IrregularityReported:
    number = table.round.number if table.round else 0
    return IrregularityReported(kind, number, book.topics[TOPICS[kind]], reason)


def void_events(
    book: Rulebook, table: Table, ground: Irregularity, reason: str, drawn: tuple[Event, ...] = ()
) -> tuple[Event, ...]:
    """Return every bet of the round, decided or not, and all insurance, after reversing a settlement.

    Some irregularities take the shoe off too. The cards ``drawn`` belong to the round, so they come after the reversal.
    """
    now = this_round(table)
    drawn = tuple(
        replace(each, use=CardUse.DISCARDED) if isinstance(each, CardsDrawnOutOfTurn) else each for each in drawn
    )
    events: tuple[Event, ...] = ()
    if now.paid is not None:
        events = (settlement_reversed(now, now.paid, book.topics[TOPICS[ground]]),)
    clauses = dict.fromkeys(_ground_clauses(book, ground) + book.topics[Topic.VOID_RETURNS])
    by_hand = open_settings(table).cards_only
    void = RoundVoided(ground, now.number, tuple(clauses), reason, by_hand, postings=_return_postings(now))
    if ground in NEW_SHOE and table.shoe is not None:
        return (*events, *drawn, void, ShoeTakenOff(table.shoe.id, book.topics[TOPICS[ground]]))
    return (*events, *drawn, void)


def settlement_reversed(
    now: Round, paid: tuple[Posting, ...], clauses: tuple[Clause, ...], *, again: bool = False
) -> SettlementReversed:
    reversal = tuple(Posting(posting.account, -posting.amount_minor) for posting in paid)
    return SettlementReversed(now.number, clauses, again, postings=reversal)


def _ground_clauses(book: Rulebook, ground: Irregularity) -> tuple[Clause, ...]:
    if ground is Irregularity.INTERRUPTION:
        return book.topics[Topic.INTERRUPTION_VOIDS]
    if ground is Irregularity.RULING:
        return book.topics[Topic.RULING]
    return book.topics[TOPICS[ground]] + book.topics[Topic.VOID]


def _return_postings(now: Round) -> tuple[Posting, ...]:
    returns = [Posting(chips(who), stake_minor) for who, stake_minor in stakes(now)]
    return merge_postings([Posting(FELT, -sum(posting.amount_minor for posting in returns)), *returns])


def on_round_voided(table: Table, event: RoundVoided) -> Table:
    """The cards of the round are discarded, including those drawn too early in it."""
    now = this_round(table)
    void = with_irregularities(now, void=event.ground, raised=None, order_lost=(), options=None)
    void = with_insurance(void, offer_open=False, offer_stands=False)
    carried = tuple(card for card in table.carried if card.drawn_in != now.number)
    return update_people(round_over(replace(table, carried=carried), void), bettors(now))


def on_shoe_taken_off(table: Table, event: ShoeTakenOff) -> Table:
    """Another shoe may have replaced it already."""
    after = mark_taken_off(table, event.shoe)
    return without_shoe(after) if table.shoe is not None and table.shoe.id == event.shoe else after


_BAD_SHOE = {
    ReportForeignCard: Irregularity.FOREIGN_CARD,
    ReportCardCount: Irregularity.CARD_COUNT,
    ReportNotShuffled: Irregularity.NOT_SHUFFLED,
}


def report_bad_shoe(
    book: Rulebook, table: Table, command: ReportForeignCard | ReportCardCount | ReportNotShuffled
) -> Decision:
    """Void the round being played and take the shoe off. Settled rounds are not changed."""
    kind = _BAD_SHOE[type(command)]
    if refusal := check_reason(book, command.reason):
        return refusal
    report = report_event(book, table, kind, command.reason)
    if table.phase is not Phase.READY:
        return (report, *void_events(book, table, kind, command.reason))
    if table.shoe is None:
        return refuse(book, TableCode.NO_SHOE, TOPICS[kind])
    return (report, ShoeTakenOff(table.shoe.id, book.topics[TOPICS[kind]]))


def run_out_events(book: Rulebook, table: Table, reason: str) -> tuple[Event, ...]:
    """Void the round because a card is needed and the shoe is empty."""
    kind = Irregularity.SHOE_RUN_OUT
    return (report_event(book, table, kind, reason), *void_events(book, table, kind, reason))


def report_shoe_run_out(book: Rulebook, table: Table, command: ReportShoeRunOut) -> Decision:
    """Void the round, if a card is needed. At a felt table the shoe may be empty whatever the count says."""
    topic = Topic.SHOE_RUN_OUT
    if refusal := check_dealing(book, table) or check_reason(book, command.reason):
        return refusal
    to, shoe = coup_of(book, table).next.to, table.shoe
    if to is To.NOBODY or table.carried:
        return refuse(book, TableCode.SHOE_NOT_EMPTY, topic, variant="carried" if table.carried else "no_card_needed")
    if to is To.UNKNOWN:
        return refuse(book, TableCode.CARD_TO_TURN, Topic.TABLE_OF_PLAY)
    if shoe is None:
        return refuse(book, TableCode.NO_SHOE, topic)
    if shoe.left and not open_settings(table).felt:
        return refuse(book, TableCode.SHOE_NOT_EMPTY, topic, left=shoe.left)
    return run_out_events(book, table, command.reason)


def check_hand(book: Rulebook, table: Table, extra: tuple[Face | None, ...] = ()) -> Refusal | None:
    """Refuse unless a hand was dealt, or has extra cards, and the next round has not started."""
    topic, now = Topic.WRONG_NUMBER_OF_CARDS, table.round
    if table.phase is Phase.BETTING:
        return refuse(book, TableCode.TOO_LATE, topic)
    if now is None or now.irregularities.void or now.cancelled or not (now.cards or extra):
        return refuse(book, TableCode.NO_ROUND, topic, variant="no_hand")
    return None


def void_wrong_number(
    book: Rulebook, table: Table, reason: str, drawn: tuple[Event, ...], as_dealt: Hands | None
) -> tuple[Event, ...]:
    """Void a round that cannot be reconstructed, also one that is settled; ``drawn`` is the draw of its extra cards."""
    kind = Irregularity.WRONG_NUMBER
    report = replace(report_event(book, table, kind, reason), reconstructable=False, as_dealt=as_dealt)
    return (report, *void_events(book, table, kind, reason, drawn))


def on_settlement_reversed(table: Table, event: SettlementReversed) -> Table:
    """The stakes are on the felt again. If a player has spent the winnings, their chips go below zero."""
    now = this_round(table)
    # players who had left are gone or back
    reopened = replace(now, paid=None, results=(), mispaid={}, away=frozenset())
    after = replace(table, round=reopened)
    if event.again:
        dealt = {*zip(now.shoes, now.draws, strict=True)}
        carried = tuple(card for card in table.carried if (card.shoe, card.draw) not in dealt)  # left over by the coup
        before = now.insurance.returned_uninsured.items()
        returned = {key: each for key, each in before if key not in now.bets}  # the others were after the settlement
        reopened = with_insurance(reopened, returned_uninsured=returned)
        reopened = replace(reopened, reversed_results=_results_as_left(now))
        after = replace(table, phase=Phase.DEALING, carried=carried, round=reopened)
        if now.settings is not None:
            after = replace(after, settings=now.settings, next_settings=table.settings)
    return update_people(after, bettors(now))


def _results_as_left(now: Round) -> tuple[SettledBet, ...]:
    """The results with what players really had afterwards: the stake, of a bet that was returned.

    Its result stays: a lost bet was taken, whatever lay there. What was handed over wrongly counts for the first result
    of the bet.
    """
    mispaid, results = {**now.mispaid}, []
    for result in now.results:
        key = (result.who, result.box, result.bet)
        left = result
        if key in now.insurance.returned_uninsured:
            left = replace(result, returned_minor=result.stake_minor)
        results.append(replace(left, returned_minor=left.returned_minor + mispaid.pop(key, 0)))
    without_result = (SettledBet(*key, 0, Result.PUSH, minor, ()) for key, minor in mispaid.items())
    return (*results, *without_result)  # those had been returned


def report_interruption(book: Rulebook, table: Table, command: ReportInterruption) -> Decision:
    """Void the round, unless an outcome is established. While betting is open, none is."""
    refusal = check_round(book, table, Topic.INTERRUPTION) or check_reason(book, command.reason)
    if refusal is not None:
        return refusal
    kind, now = Irregularity.INTERRUPTION, this_round(table)
    report = report_event(book, table, kind, command.reason)
    established = established_bets(book, table) if table.phase is Phase.DEALING else ()
    if not established:
        return (report, *void_events(book, table, kind, command.reason))
    clauses = (*report.clauses, *book.topics[Topic.INTERRUPTION_GOES_ON])
    goes_on = replace(report, clauses=clauses, established=established)
    line = current_line(book, table) if now.insurance.offer_stands else None
    if line is None:
        return (goes_on,)
    return (goes_on, InsuranceOffered(line.stage, line.side, line.odds_text, (line.clause,)))


DECIDERS: Deciders = {
    ReportInterruption: report_interruption,
    ReportForeignCard: report_bad_shoe,
    ReportCardCount: report_bad_shoe,
    ReportNotShuffled: report_bad_shoe,
    ReportShoeRunOut: report_shoe_run_out,
}

EVOLVERS: Evolvers = {
    SettlementReversed: on_settlement_reversed,
    RoundVoided: on_round_voided,
    ShoeTakenOff: on_shoe_taken_off,
}
