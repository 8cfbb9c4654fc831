"""Void rounds: the grounds, an interruption, a shoe that has run out; before settlement, and once after it."""

from msgspec.structs import replace

from punto.rules.refusals import Clause, Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.decision import Deciders, Decision, Evolvers, check_reason, established_bets, open_settings, this_round
from punto.table.play.insuring import current_line
from punto.table.play.seating import update_people
from punto.table.play.settling import round_over
from punto.table.records.events import Event, InsuranceOffered
from punto.table.records.findings import IrregularityReported, RoundVoided, SettlementReversed, ShoeTakenOff
from punto.table.records.kinds import NEW_SHOE, TOPICS, Irregularity
from punto.table.records.ledger import FELT, Posting, chips, merge_postings
from punto.table.records.reports import (
    ReportCardCount,
    ReportForeignCard,
    ReportInterruption,
    ReportNotShuffled,
    ReportWrongNumber,
)
from punto.table.records.state import Phase, Round, Table, bettors, stakes, with_insurance, with_irregularities
from punto.table.refusals import TableCode, refuse


def check_round(book: Rulebook, table: Table, topic: Topic) -> Refusal | None:
    """Why there is nothing to be void or to be continued."""
    if table.phase in (Phase.BETTING, Phase.DEALING):
        return None
    return refuse(book, TableCode.NO_ROUND, topic)


def report_event(book: Rulebook, table: Table, kind: Irregularity, reason: str) -> IrregularityReported:
    """The report that goes before what follows from it."""
    number = table.round.number if table.round else 0
    return IrregularityReported(kind, number, book.topics[TOPICS[kind]], reason)


def void_events(book: Rulebook, table: Table, ground: Irregularity, reason: str) -> tuple[Event, ...]:
    """Every bet of the round goes back, decided or not, insurance too; after some grounds the shoe goes."""
    now = this_round(table)
    clauses = dict.fromkeys(_ground_clauses(book, ground) + book.topics[Topic.VOID_RETURNS])
    void = RoundVoided(ground, now.number, tuple(clauses), reason, postings=_return_postings(now))
    if ground in NEW_SHOE and table.shoe is not None:
        return (void, ShoeTakenOff(table.shoe.id, book.topics[TOPICS[ground]]))
    return (void,)


def _ground_clauses(book: Rulebook, ground: Irregularity) -> tuple[Clause, ...]:
    if ground is Irregularity.INTERRUPTION:
        return book.topics[Topic.INTERRUPTION_VOIDS]
    if ground is Irregularity.RULING:
        return book.topics[Topic.RULING]
    return book.topics[TOPICS[ground]] + book.topics[Topic.VOID]


def _return_postings(now: Round) -> tuple[Posting, ...]:
    back = [Posting(chips(who), stake_minor) for who, stake_minor in stakes(now)]
    return merge_postings([Posting(FELT, -sum(posting.amount_minor for posting in back)), *back])


def on_round_voided(table: Table, event: RoundVoided) -> Table:
    """Its cards are discarded, and with them those drawn in it before their time."""
    now = this_round(table)
    void = with_irregularities(now, void=event.ground, raised=None, order_lost=(), options=None)
    void = with_insurance(void, offer_open=False)
    carried = tuple(card for card in table.carried if card.drawn_in != now.number)
    return update_people(round_over(replace(table, carried=carried), void), bettors(now))


def on_shoe_taken_off(table: Table, event: ShoeTakenOff) -> Table:
    """Another has to be loaded, if none has taken its place already."""
    if table.shoe is None or table.shoe.id != event.shoe:
        return table
    return replace(table, shoe=None, carried=())


_BAD_SHOE = {
    ReportForeignCard: Irregularity.FOREIGN_CARD,
    ReportCardCount: Irregularity.CARD_COUNT,
    ReportNotShuffled: Irregularity.NOT_SHUFFLED,
}


def report_bad_shoe(
    book: Rulebook, table: Table, command: ReportForeignCard | ReportCardCount | ReportNotShuffled
) -> Decision:
    """The round being played is void; between rounds what is settled stands. Either way the shoe goes."""
    kind = _BAD_SHOE[type(command)]
    if refusal := check_reason(book, command.reason):
        return refusal
    report = report_event(book, table, kind, command.reason)
    if table.phase is not Phase.READY:
        return (report, *void_events(book, table, kind, command.reason))
    if table.shoe is None:
        return refuse(book, TableCode.NO_SHOE, TOPICS[kind])
    return (report, ShoeTakenOff(table.shoe.id, book.topics[TOPICS[kind]]))


def run_out_events(book: Rulebook, table: Table) -> tuple[Event, ...]:
    """A card is needed and there is none."""
    kind = Irregularity.SHOE_RUN_OUT
    return (report_event(book, table, kind, ""), *void_events(book, table, kind, ""))


def check_hand(book: Rulebook, table: Table) -> Refusal | None:
    """Why no hand can have a wrong number of cards: none was dealt, or another round has begun."""
    topic, now = Topic.WRONG_NUMBER_OF_CARDS, table.round
    if table.phase is Phase.BETTING:
        return refuse(book, TableCode.TOO_LATE, topic)
    if now is None or now.irregularities.void or not now.cards:
        return refuse(book, TableCode.NO_ROUND, topic, variant="no_hand")
    return None


def void_wrong_number(book: Rulebook, table: Table, command: ReportWrongNumber) -> Decision:
    """The cards cannot be reconstructed: void, even when settled, until the next call for bets."""
    kind, now = Irregularity.WRONG_NUMBER, this_round(table)
    report = replace(report_event(book, table, kind, command.reason), reconstructable=False)
    void = void_events(book, table, kind, command.reason)
    if now.paid is None:
        return (report, *void)
    back = tuple(Posting(posting.account, -posting.amount_minor) for posting in now.paid)
    return (report, SettlementReversed(now.number, report.clauses, postings=back), *void)


def on_settlement_reversed(table: Table, _: SettlementReversed) -> Table:
    """The stakes lie on the felt again. A player who has spent the winnings owes them: their chips are below zero."""
    now = this_round(table)
    reopened = replace(now, paid=None, results=(), away=frozenset())  # whoever had left is gone, or back
    return update_people(replace(table, round=reopened), bettors(now))


def report_interruption(book: Rulebook, table: Table, command: ReportInterruption) -> Decision:
    """Void, unless an outcome is established; on four cards and more one is, as far as the menu goes."""
    refusal = check_round(book, table, Topic.INTERRUPTION) or check_reason(book, command.reason)
    if refusal is not None:
        return refusal
    kind, now = Irregularity.INTERRUPTION, this_round(table)
    report = report_event(book, table, kind, command.reason)
    certain = established_bets(book, table) if now.cards else ()
    by_count = len(now.cards) >= 4 and not open_settings(table).established_by_staked_bets
    if not certain and not by_count:
        return (report, *void_events(book, table, kind, command.reason))
    clauses = (*report.clauses, *book.topics[Topic.INTERRUPTION_GOES_ON])
    goes_on = replace(report, clauses=clauses, established=certain)
    line = current_line(book, table) if now.insurance.offer_open else None
    if line is None:
        return (goes_on,)
    return (goes_on, InsuranceOffered(line.stage, line.side, line.odds_text, (line.clause,)))


DECIDERS: Deciders = {
    ReportInterruption: report_interruption,
    ReportForeignCard: report_bad_shoe,
    ReportCardCount: report_bad_shoe,
    ReportNotShuffled: report_bad_shoe,
}

EVOLVERS: Evolvers = {
    SettlementReversed: on_settlement_reversed,
    RoundVoided: on_round_voided,
    ShoeTakenOff: on_shoe_taken_off,
}
