"""Rounds step by step, and what is compared with the table's own state at each of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from punto.catalogue.sentence import write
from punto.floor.journal.entry import NO_PREVIOUS_HASH, CommandRecord, Entry, EntryContext, event_of, follow
from punto.floor.journal.entry import write as write_record
from punto.floor.journal.round_record import Conditions, FeltStake
from punto.floor.journal.rounds import conditions_after, read_round
from punto.floor.reports.rounds.round_steps import NEW_TABLE, RoundStep, RoundSteps, StepFold, TableAt
from punto.floor.reports.rounds.step_reasons import card_reason, offer_reason
from punto.library import book
from punto.table import evolve
from punto.table.records.events import (
    BettingOpened,
    CardDealt,
    CardTurned,
    InsuranceMissed,
    InsuranceOffered,
    TableClosed,
)
from punto.table.records.state import Table, cards_in_order
from punto.table.revision import REVISION
from tests.floor.journals import START_US
from tests.golden.evening import read_asked, read_event
from tests.golden.recordings import golden


def golden_entries(name: str, contexts: Sequence[EntryContext] = (EntryContext(REVISION),)) -> list[Entry]:
    """The entries of a golden evening: each opening is a stream, and each command is its giver's.

    The commands take turns with ``contexts``.
    """
    evening = golden(name)
    rules, opening, entries = book(evening.book), 1, list[Entry]()
    for number, step in enumerate(evening.steps):
        events = [read_event(rules, text) for text in step.events]
        if not events:
            continue
        command, stream = read_asked(step.asked), f"t1/{opening}"
        last = entries[-1] if entries and entries[-1].stream == stream else None
        record = CommandRecord(
            START_US + number * 1_000_000,
            command.by,
            command.position,
            f"golden {number}",
            "",
            write_record(command),
            contexts[number % len(contexts)],
        )
        version, before = (last.version, last.hash) if last else (0, NO_PREVIOUS_HASH)
        entries += follow(stream, version, before, record, list(map(write_record, events)))
        opening += isinstance(events[-1], TableClosed)
    return entries


def each_round(entries: Sequence[Entry]) -> Iterator[RoundSteps]:
    """Every round of some streams, each looked for from where the one before starts."""
    for _, stream in groupby(entries, key=lambda entry: entry.stream):
        part, at = list(stream), NEW_TABLE
        calls = [event.round for event in map(event_of, part) if isinstance(event, BettingOpened)]
        for number in (0, *calls):
            fold = StepFold(number, at)
            all(map(fold.take, part[at.version :]))
            assert fold.found is not None
            at = TableAt(fold.found.steps[0].entry.version - 1, fold.found.before)
            yield fold.found


def check_steps(entries: Sequence[Entry]) -> Counter[str]:
    """All rounds have all entries, and every step is the table's; return what was compared."""
    seen = Counter[str]()
    rounds = list(each_round(entries))
    assert [step.entry for each in rounds for step in each.steps] == list(entries)
    state, conditions = Table(), Conditions()
    for each in rounds:
        for step in each.steps:
            if step.entry.version == 1:
                state, conditions = Table(), Conditions()
            assert step.event == event_of(step.entry)
            conditions = conditions_after(conditions, step.event)
            assert step.before == state
            state = evolve(state, step.event)
            assert step.after == state
            _check_money(step, seen)
            _check_felt(each, step, seen)
            _check_reasons(step, seen)
            if step is each.steps[0]:
                assert each.record.conditions == conditions
        assert each.record == read_round([step.entry for step in each.steps], each.record.conditions)
    return seen


def _check_money(step: RoundStep, seen: Counter[str]) -> None:
    assert sum(posted.change_minor for posted in step.postings) == 0
    running = dict(step.before.balances)
    for posted in step.postings:
        assert posted.before_minor == running.get(posted.account, 0)
        running[posted.account] = posted.after_minor
        assert posted.after_minor == posted.before_minor + posted.change_minor
        seen["posting"] += 1
    if not isinstance(step.event, TableClosed):
        assert {account: minor for account, minor in running.items() if minor} == step.after.balances


def _check_felt(each: RoundSteps, step: RoundStep, seen: Counter[str]) -> None:
    now = step.after.round
    if now is None or now.number != each.record.number:
        return
    assert step.felt.cards == now.cards
    if not now.over:  # what a settled coup leaves over is carried then, and still lies there
        assert step.felt.drawn_early == tuple(carried.card for carried in step.after.carried)
    lying = Counter[FeltStake]()
    if not now.over:
        lying.update(FeltStake(bet.who, bet.box, bet.bet, bet.stake_minor) for bet in now.bets.values())
        lying.update(FeltStake(bet.who, bet.box, bet.bet, bet.stake_minor) for bet in now.insurance.cover)
        seen["stake"] += len(lying)
    assert Counter(step.felt.stakes) == lying
    seen["card"] += len(now.cards)


def _check_reasons(step: RoundStep, seen: Counter[str]) -> None:
    card, offer = card_reason(step), offer_reason(step)
    assert (card is not None) is isinstance(step.event, CardDealt | CardTurned)
    assert (offer is not None) is isinstance(step.event, InsuranceOffered | InsuranceMissed)
    if card is not None:
        dealt = cards_in_order(step.after)[card.place - 1]
        assert (card.card, card.shoe, card.draw) == (dealt.card, dealt.shoe, dealt.draw)
        if isinstance(step.event, CardDealt):
            assert (card.hand, card.clauses) == (step.event.to, step.event.clauses)
        if card.why is not None:
            assert write(card.why, "en") != write(card.why, "zh")
            seen["third card"] += card.place > 4
    if isinstance(step.event, InsuranceOffered) and step.event.makes_good:
        assert offer is not None
        assert offer.late
        seen["late offer"] += 1
    if offer is not None:
        assert offer.missed is isinstance(step.event, InsuranceMissed)
        assert not (offer.late and offer.missed)
        seen["missed offer"] += offer.missed
    if offer is not None and offer.to is not None:
        seen["offer"] += 1
        now = step.before.round
        assert now is not None
        for bet in offer.to:
            assert now.bets[bet.who, bet.box, offer.side.value].stake_minor == bet.stake_minor
            assert bet.most_minor > 0
