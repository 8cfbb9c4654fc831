"""Rounds in which slips are corrected at every moment, also after the settlement."""

from functools import cache

import pytest
from msgspec.structs import replace

from punto import book as read_book
from punto import book_ids
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.table import next_step
from punto.table.records import commands, correction_events, corrections, findings, reports
from punto.table.records.commands import Command
from punto.table.records.events import Event, MoneyEvent, RoundSettled
from punto.table.records.settings import Automation
from punto.table.records.state import Phase
from tests.marks import books
from tests.model import finishing, house, trays, troubles, walk
from tests.model.choices import PLAYING, Choices, Seeded
from tests.model.evening import Evening
from tests.model.walk import DEALER, HOUSE, MANAGER, SUPERVISOR

pytestmark = pytest.mark.sweep

CORRECTED = {kind for kind in vars(correction_events).values() if isinstance(kind, type) and issubclass(kind, Event)}
CORRECTED = (CORRECTED - {Event, MoneyEvent}) | {
    findings.CardCorrected,
    findings.InsuranceRejudged,
    findings.SettlementReversed,
}


@pytest.mark.parametrize("rules", books())
def test_rounds_in_which_everything_is_entered_wrongly(rules: Rulebook) -> None:
    again = [event for event in the_evening(rules.id).events if isinstance(event, RoundSettled) and event.differences]
    assert again, "something was paid or collected"


def test_every_correction_happens_under_some_book() -> None:
    happened = {type(event) for book in book_ids() for event in the_evening(book).events}
    assert CORRECTED - happened == set()


@pytest.mark.parametrize("rules", books())
def test_what_a_cancelled_call_gives_back_is_corrected_like_any_other_round(rules: Rulebook) -> None:
    evening, some = Evening(rules), Choices(rules, Seeded(5))
    corrected = 0
    for number in range(24):
        if number % 8 == 0:
            _settings(evening, some, number)
        _begin(evening, some, number)
        _finish(evening, some)
        before = evening.table
        if evening.accepts(commands.OpenBetting(*DEALER)):
            evening.do(commands.OpenBetting(*DEALER))
            if some.chance(2):
                evening.do(commands.CloseBetting(*DEALER))
            if some.chance(4):
                _tray(evening, some)
            evening.do(corrections.CancelRound(*DEALER))
            evening.check()
        cancelled = len(evening.events)
        for _ in range(3):
            _afterwards(evening, some)
            _finish(evening, some)
        now = evening.table.round
        if before.round is not None and now is not None and before.round.number == now.number:
            corrected += any(type(event) in CORRECTED for event in evening.events[cancelled:])
    evening.check_replay()
    assert corrected > 4


@cache
def the_evening(book: str) -> Evening:
    """Cached: one table per book."""
    return corrected_house(read_book(book), seed=22, rounds=60)


def corrected_house(rules: Rulebook, seed: int, rounds: int) -> Evening:
    evening, some = Evening(rules), Choices(rules, Seeded(seed))
    for number in range(rounds):
        if number % 15 == 0:
            _settings(evening, some, number)
        if some.chance(2):
            house.come_and_go(evening, some, number)
        _begin(evening, some, number)
        _finish(evening, some)
        for _ in range(some.number(0, 3)):
            _afterwards(evening, some)
            _finish(evening, some)  # the right cards may want another one
    evening.check_replay()
    return evening


def _settings(evening: Evening, some: Choices, number: int) -> None:
    """Mostly a felt table, where there is more to correct."""
    chosen = replace(some.settings(evening.table.settings), automations=tuple(Automation), cut_card=14)
    observing, cards_only = not some.chance(4), some.chance(10)
    threshold_minor = some.payout_threshold(observing=observing, cards_only=cards_only)
    chosen = replace(chosen, observing=observing, cards_only=cards_only, payout_supervised_minor=threshold_minor)
    chosen = replace(chosen, established_by_staked_bets=False)
    kind = commands.ChangeSettings if number else commands.OpenTable
    asked_by = "ann" if chosen.no_insurance else ""
    decision = evening.do(kind(*MANAGER, chosen, no_insurance_asked_by=asked_by))
    assert not isinstance(decision, Refusal), decision


def _begin(evening: Evening, some: Choices, number: int) -> None:
    if evening.table.phase is Phase.READY and next_step(evening.rules, evening.table) is None:
        evening.do(commands.LoadShoe(*SUPERVISOR, f"shoe before round {number}", 4))
    while evening.table.phase is Phase.READY:
        house.step(evening, some)
    house.bet(evening, some)


def _finish(evening: Evening, some: Choices) -> None:
    for _ in range(200):
        if evening.table.phase not in PLAYING:
            return
        _go_on(evening, some)
        evening.check()
    raise AssertionError("the round does not end")


def _go_on(evening: Evening, some: Choices) -> None:
    """A step forward, and at any moment a slip, a correction, a restart or an irregularity."""
    if evening.offer_stands:
        house.insure(evening, some)
    if evening.face_down and some.chance(10):
        house.squeeze(evening, some)
    if some.chance(3):
        walk.a_slip_is_corrected(evening, some)
    if (evening.books.offers.made or evening.books.offers.missed) and some.chance(2):
        evening.do(some.command(corrections.CorrectInsurance, *SUPERVISOR, evening.table))
        evening.check()
    if some.chance(15):
        _go_wrong(evening, some)
    if some.chance(40):
        evening.do(some.command(reports.ReportRestart, *HOUSE, evening.table))
    if some.chance(40):
        walk.somebody_is_identified(evening, some)
    if some.chance(8):
        _tray(evening, some)
    if some.chance(12):
        finishing.check_round_can_be_finished(evening, some.pick)
    if evening.table.phase in PLAYING:
        command = finishing.forward(evening, some.pick)
        missed = isinstance(command, commands.OpenInsurance) and some.chance(3)
        cards = evening.lawful_cards()
        if missed and cards:
            command = commands.DealCard(*DEALER, None if evening.face_down else some.pick(cards), not_offered=True)
        evening.do(command)


def _tray(evening: Evening, some: Choices) -> None:
    """A step of a fill or a credit, a count, or chips for something else than cash."""
    kinds: tuple[type[Command], ...] = (*trays.MAKE, commands.BuyIn, commands.CashOut)
    evening.do(some.command(some.pick(kinds), *SUPERVISOR, evening.table))
    evening.check()


def _go_wrong(evening: Evening, some: Choices) -> None:
    """A dealing error, the players' choices, and other choices than were entered."""
    evening.do(some.command(some.pick(troubles.MISDEALS), *MANAGER, evening.table))
    walk.the_players_choose(evening, some)
    for _ in range(3):
        evening.do(some.command(corrections.CorrectOption, *SUPERVISOR, evening.table))
        evening.check()


def _afterwards(evening: Evening, some: Choices) -> None:
    """A correction after the settlement, the return of an uninsured bet, a ruling, or somebody who leaves."""
    if some.chance(8):
        for who in sorted(evening.table.people):
            if some.chance(4):
                evening.do(commands.Leave(*DEALER, who))
    if some.chance(2):
        _tray(evening, some)
    if some.chance(6):
        evening.do(some.command(reports.Rule, *MANAGER, evening.table))
    for who, box, bet in tuple(evening.books.settled):
        if bet in MAIN_BETS:
            evening.do(reports.ReturnUninsuredBets(*MANAGER, who, box, Side(bet), "nobody offered it"))
    walk.a_slip_is_corrected(evening, some)
    evening.check()
