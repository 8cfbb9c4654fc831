"""What is happening at a table where something went wrong, as players read it: in plain words, with the clause."""

from collections.abc import Iterator

from msgspec import Struct

from punto.catalogue.sentence import Phrase, phrase
from punto.catalogue.values import Money
from punto.floor.journal.round_record import WentBack
from punto.rules.refusals import Clause
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.play.insuring import is_offered_to
from punto.table.play.pending import order_topic
from punto.table.procedure.ruling_mark import mark_ruling
from punto.table.records.kinds import TOPICS, Choice
from punto.table.records.state import Phase, Round, Table
from punto.web.messages import Adjusted, Me, RoundView, TableView
from punto.web.pages.base.i18n import Translator


class ToldLine(Struct, frozen=True):
    text: str
    clauses: tuple[Clause, ...]
    """Those that no line before it has cited."""


_Line = tuple[Phrase, tuple[Clause, ...]]


def what_happens(rules: Rulebook, table: Table, view: TableView, me: Me | None, t: Translator) -> tuple[ToldLine, ...]:
    """What went wrong in this round, what is being done about it, and what it means for the viewer.

    Empty if nothing went wrong. The announcement says that a round is void, and why; the sheet of somebody who chooses,
    between what. No card is named, and nobody whom the viewer may not see: ``view`` is cut for them.
    """
    now, seen = table.round, view.round
    if now is None or seen is None or table.phase is Phase.CLOSED:
        return ()
    name = me.name if me else ""
    lines: list[_Line] = []
    if not now.over:
        lines += [*_reported(rules, now), *_waiting(rules, table, now, name), *_insurance(rules, now, name)]
    lines += [*_own(rules, now, seen, name), *_ruled(me.adjustments if me else ())]
    told: list[ToldLine] = []
    for words, clauses in lines:
        cited = {clause for line in told for clause in line.clauses}
        told.append(ToldLine(t.write(words), tuple(clause for clause in clauses if clause not in cited)))
    return tuple(told)


def _reported(rules: Rulebook, now: Round) -> Iterator[_Line]:
    for kind in dict.fromkeys(now.irregularities.reported):
        yield phrase(f"happened.{kind}"), rules.topics[TOPICS[kind]]


def _waiting(rules: Rulebook, table: Table, now: Round, me: str) -> Iterator[_Line]:
    """What the round waits for."""
    found, topics = now.irregularities, rules.topics
    if found.raised is not None:
        yield phrase(f"happened.{found.raised.kind}"), topics[TOPICS[found.raised.kind]]
        yield phrase("happening.raised"), ()
    if found.options is not None:
        others = len({*found.options.waiting_for} - {me})
        if found.options.by_hand:
            yield phrase("happening.ask"), topics[Topic.OPTIONS]
        elif others:
            yield phrase("happening.others_choose", players=others), topics[Topic.OPTIONS]
    if found.order_lost:
        later = found.options is not None
        yield phrase("happening.order_later" if later else "happening.order"), topics[order_topic(now)]
        if found.order_lost_simultaneous:
            yield phrase("happening.then_choose"), topics[Topic.SIMULTANEOUS_OPTIONS]
    if table.restart is not None:
        yield phrase("happening.restart"), topics[Topic.INTERRUPTION]


def _insurance(rules: Rulebook, now: Round, me: str) -> Iterator[_Line]:
    """An offer that was made to others concerns only the players it did not reach."""
    insurance, topics = now.insurance, rules.topics
    late = insurance.offer_late and insurance.offer_stands and is_offered_to(now, me)
    if late and insurance.offer_side is not None:
        yield phrase("happening.late_offer", side=insurance.offer_side), topics[Topic.LATE_INSURANCE]
    for missed in insurance.missed:
        if missed.players and me not in missed.players:
            continue
        yield phrase("happening.missed", side=missed.side), topics[Topic.UNINSURED_BET]


def _own(rules: Rulebook, now: Round, seen: RoundView, me: str) -> Iterator[_Line]:
    """What went back to the viewer and why, or that they play on after an error.

    The announcement cites the clauses of a void round.
    """
    mine = [result for result in seen.results if me and result.who == me and result.went_back is not None]
    for why in dict.fromkeys(result.went_back for result in mine):
        back = [result for result in mine if result.went_back is why]
        amount = Money(sum(result.returned_minor for result in back))
        cited = () if why is WentBack.VOID else (clause for result in back for clause in result.clauses)
        clauses, words = tuple(dict.fromkeys(cited)), phrase(f"back.{why}", amount=amount)
        yield mark_ruling(words, clauses) if why is WentBack.RULING else words, clauses
    plays = any(bet.who == me for bet in seen.bets) and not now.over and not now.irregularities.must_choose(me)
    if plays and seen.choices.get(me) is Choice.CONTINUE:
        yield phrase("happening.plays_on"), rules.topics[Topic.OPTIONS]


def _ruled(adjustments: tuple[Adjusted, ...]) -> Iterator[_Line]:
    for each in adjustments:
        amount = Money(abs(each.amount_minor))
        words = phrase("happening.paid" if each.amount_minor > 0 else "happening.taken", amount=amount)
        yield mark_ruling(words, each.clauses), each.clauses
