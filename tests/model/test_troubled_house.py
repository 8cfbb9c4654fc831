"""Automatic rounds with one irregularity after another."""

from functools import cache

import pytest
from msgspec.structs import replace

from punto import book as read_book
from punto import book_ids
from punto.rules.coup.cards import Card
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.settlement.stakes import MAIN_BETS
from punto.table import next_step
from punto.table.records import commands, findings, reports
from punto.table.records.commands import Command
from punto.table.records.events import BetFlagged, Event, InsuranceMissed, InsuranceOffered, MoneyEvent, SqueezeLapsed
from punto.table.records.kinds import TOPICS, Effect, Irregularity
from punto.table.records.positions import Position
from punto.table.records.settings import Automation
from punto.table.records.state import CARD_AT, Phase
from tests.marks import LATER, books
from tests.model import finishing, house, troubles, walk
from tests.model.choices import PLAYING, Choices, Seeded
from tests.model.evening import Evening
from tests.model.walk import DEALER, MANAGER, SUPERVISOR

pytestmark = pytest.mark.sweep

WRONG = {kind for kind in vars(findings).values() if isinstance(kind, type) and issubclass(kind, Event)}
WRONG -= {
    Event,
    MoneyEvent,
    findings.Finding,
    findings.MoneyFinding,
    findings.CardCorrected,
    findings.UninsuredBetPutBack,
    findings.InsuranceRejudged,
}
WRONG |= {InsuranceMissed, BetFlagged, SqueezeLapsed}
GROUNDS = {
    Irregularity.FOREIGN_CARD,
    Irregularity.CARD_COUNT,
    Irregularity.NOT_SHUFFLED,
    Irregularity.WRONG_NUMBER,
    Irregularity.INTERRUPTION,
    Irregularity.RULING,
}
GIVING_OPTIONS = {
    Irregularity.EXCESS_CARD,
    Irregularity.WRONG_SIDE,
    Irregularity.FACE_UP_CARD,
    Irregularity.SIMULTANEOUS_CARDS,
    Irregularity.DEALING_ERROR,
}

QUIET_ROUNDS = 45
"""Enough to use up a shoe of four decks, or nearly, without a cut card."""


@pytest.mark.parametrize("rules", books())
def test_rounds_in_which_everything_goes_wrong(rules: Rulebook) -> None:
    """The rounds are reproducible, and include a void round on every ground that people report."""
    evening = the_evening(rules.id)
    assert {kind for kind in GROUNDS if rules.topics[TOPICS[kind]]} - grounds(evening) == set()


def test_every_irregularity_happens_under_some_book() -> None:
    happened = {type(event) for book in book_ids() for event in the_evening(book).events}
    assert WRONG - happened == set()
    offers = [event for book in book_ids() for event in the_evening(book).events if isinstance(event, InsuranceOffered)]
    assert any(offer.makes_good for offer in offers), "a late offer"
    assert any(Irregularity.SHOE_RUN_OUT in grounds(the_evening(book)) for book in book_ids())


def grounds(evening: Evening) -> set[Irregularity]:
    """The grounds of all void rounds."""
    return {event.ground for event in evening.events if isinstance(event, findings.RoundVoided)}


@cache
def the_evening(book: str) -> Evening:
    """Cached: one table per book."""
    evening = Evening(read_book(book))
    troubled_house(evening, seed=8, rounds=range(110))
    return evening


def test_where_only_cards_are_recorded_everybody_is_asked_after_every_error() -> None:
    """The table calls time by itself, or somebody counts who took their bets back."""
    happened = list[Event]()
    for book in LATER:
        evening = Evening(read_book(book))
        troubled_house(evening, seed=8, rounds=range(QUIET_ROUNDS, QUIET_ROUNDS + 60), cards_only=True)
        happened += evening.events
    given = [event for event in happened if isinstance(event, findings.OptionsGiven)]
    closed = [event for event in happened if isinstance(event, findings.OptionsClosed)]
    assert all(event.by_hand for event in given)
    assert {event.kind for event in given} >= GIVING_OPTIONS
    assert {event.took_back is None for event in closed} == {True, False}


def troubled_house(evening: Evening, seed: int, rounds: range, *, cards_only: bool = False) -> None:
    """Rounds with little trouble to the end of a shoe, then rounds full of it."""
    some = Choices(evening.rules, Seeded(seed))
    for number in rounds:
        if evening.table.phase is Phase.CLOSED or number % 20 == 0:
            _settings(evening, some, number, cards_only=cards_only)
        if some.chance(2):
            house.come_and_go(evening, some, number)
        one_in = 10**6 if number < QUIET_ROUNDS else 6
        _round(evening, some, number, one_in)
        _afterwards(evening, some, one_in)
        evening.check()
    evening.check_replay()


def _settings(evening: Evening, some: Choices, number: int, *, cards_only: bool) -> None:
    """All automations; no cut card ends the first shoe."""
    chosen = replace(some.settings(evening.table.settings), automations=tuple(Automation))
    observing = chosen.observing and number > 0
    threshold_minor = some.payout_threshold(observing=observing, cards_only=cards_only)
    staked = chosen.established_by_staked_bets and not cards_only
    chosen = replace(chosen, observing=observing, cards_only=cards_only, payout_supervised_minor=threshold_minor)
    chosen = replace(chosen, established_by_staked_bets=staked)
    if number < QUIET_ROUNDS:
        chosen = replace(chosen, cut_card=0, rounds_after_cut_card=99)
    kind = commands.OpenTable if evening.table.phase is Phase.CLOSED else commands.ChangeSettings
    asked_by = "ann" if chosen.no_insurance else ""
    assert not isinstance(evening.do(kind(*MANAGER, chosen, no_insurance_asked_by=asked_by)), Refusal)


def _round(evening: Evening, some: Choices, number: int, one_in: int) -> None:
    if evening.table.phase is Phase.READY and next_step(evening.rules, evening.table) is None:
        evening.do(commands.LoadShoe(*SUPERVISOR, f"shoe before round {number}", 4))
    while evening.table.phase is Phase.READY:
        house.step(evening, some)
    house.bet(evening, some)
    if evening.face_down and some.chance(3):
        house.squeeze(evening, some)
    if number >= QUIET_ROUNDS and some.chance(4):
        evening.do(reports.ReportExcessCard(*MANAGER, (some.face(evening.table),)))
        house.bet(evening, some)  # with a card of the round exposed
    if number >= QUIET_ROUNDS and number % 3 == 0:
        _end_it(evening, some, number // 3)
    for _ in range(200):
        if evening.table.phase not in PLAYING:
            return
        _go_on(evening, some, one_in, insured_too=number >= QUIET_ROUNDS)
        evening.check()
        if some.chance(6):
            _make_good(evening)
    raise AssertionError("the round does not end")


def _go_on(evening: Evening, some: Choices, one_in: int, *, insured_too: bool) -> None:
    """One irregularity, or one step forward; sometimes somebody is identified before."""
    if some.chance(20):
        walk.somebody_is_identified(evening, some)
    if evening.offer_stands:
        house.insure(evening, some)
    if evening.face_down and some.chance(10):
        house.squeeze(evening, some)
    if insured_too and evening.books.insurance and some.chance(3):
        _trouble_for_the_insured(evening, some)
    elif some.chance(one_in):
        _trouble(evening, some)
    elif evening.check_step(some.pick) is None:
        walk.the_players_choose(evening, some)
        if evening.table.phase in PLAYING:
            evening.do(finishing.forward(evening, some.pick))
    else:
        _step(evening, some, one_in)


def _end_it(evening: Evening, some: Choices, turn: int) -> None:
    """One ground after another: an interruption during betting, the others after a few steps."""
    kinds: tuple[type[Command], ...] = (*troubles.VOIDING, reports.Rule)
    kind = kinds[turn % len(kinds)]
    for _ in range(0 if kind is reports.ReportInterruption else some.number(2, 5)):
        if evening.table.phase in PLAYING and evening.check_step(some.pick) is not None:
            _step(evening, some, 10**6)
    if kind is reports.Rule:
        evening.do(reports.Rule(*MANAGER, "nobody knows what happened", Effect.VOID))
    else:
        evening.do(kind(*MANAGER, reason="as found"))  # type: ignore[call-arg]
    evening.check()


def _trouble(evening: Evening, some: Choices) -> None:
    if some.chance(4):
        evening.do(
            commands.DealCard(*DEALER, None if evening.face_down else some.face(evening.table))
        )  # whether the coup needs it or not
    else:
        walk.something_goes_wrong(evening, some)
    now = evening.table.round
    if now is not None and now.irregularities.simultaneous and some.chance(2):
        evening.do(some.command(reports.ReplaceShoe, *SUPERVISOR, evening.table))
    if evening.table.phase in PLAYING:
        finishing.check_round_can_be_finished(evening, some.pick)


def _trouble_for_the_insured(evening: Evening, some: Choices) -> None:
    """A problem while insurance is in play, which shares the fate of the bets."""
    kinds: tuple[type[Command], ...] = (reports.ReportForeignCard, reports.ReportDealingError)
    evening.do(some.pick(kinds)(*MANAGER, reason="as found"))  # type: ignore[call-arg]
    evening.check()
    walk.the_players_choose(evening, some)


def _step(evening: Evening, some: Choices, one_in: int) -> None:
    """An automatic step, except for a missed offer of insurance or an impossible card."""
    command = evening.check_step(some.pick)
    assert command is not None
    if isinstance(command, commands.OpenInsurance) and some.chance(2):
        cards = evening.lawful_cards()
        card = None if evening.face_down or not cards else some.pick(cards)
        command = commands.DealCard(*DEALER, card, not_offered=True)
    elif isinstance(command, commands.DealCard | commands.TurnCard) and command.card and some.chance(one_in):
        command = replace(command, card=some.pick(_seen_too_often(evening) or (command.card,)))
    evening.do(command)
    if isinstance(command, commands.DealCard) and command.not_offered:
        _offer_late(evening)


def _offer_late(evening: Evening) -> None:
    """While nobody has seen the next card, the missed offer is made late, and everybody takes as much as they can."""
    if isinstance(evening.do(reports.OfferLateInsurance(*MANAGER)), Refusal):
        return
    for stake in list(evening.books.stakes.values()):
        evening.do(commands.CallInsurance(*DEALER, stake.who, stake.box or 0))


def _seen_too_often(evening: Evening) -> tuple[Card, ...]:
    shoe = evening.table.shoe
    return tuple(card for card, at in CARD_AT.items() if shoe is not None and shoe.seen[at] == shoe.decks)


def _make_good(evening: Evening) -> None:
    """Every player who missed an offer says that they meant to insure."""
    now = evening.table.round
    for who, box, bet in now.bets if now is not None and now.insurance.missed else ():
        if bet in MAIN_BETS:
            evening.do(reports.ReturnUninsuredBets(*MANAGER, who, box, Side(bet), "as the player says"))
            evening.check()


def _afterwards(evening: Evening, some: Choices, one_in: int) -> None:
    """What is found after the round: a player who has cashed out, or a miscounted hand."""
    now = evening.table.round
    assert now is not None
    _make_good(evening)
    if not some.chance(one_in):
        return
    for who in sorted(evening.table.people):
        if some.chance(4):
            evening.do(commands.Leave(who, Position.PLAYER, who))
        if some.chance(2):
            evening.do(commands.CashOut(*SUPERVISOR, who, evening.table.chips_minor(who)))
        evening.check()
    evening.do(reports.ReportWrongNumber(*MANAGER, reason="a hand of four cards"))
    evening.check()
    if some.chance(2):
        kind = some.pick(tuple(troubles.MAKE))
        evening.do(some.command(kind, *MANAGER, evening.table))
