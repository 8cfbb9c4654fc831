"""Rounds with several random slips, all corrected at random moments, end as without them."""

import random

import pytest

from punto.rules.coup.cards import Card, read_card
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide, evolve
from punto.table.records import commands, corrections
from punto.table.records.commands import Command
from punto.table.records.correction_events import BetCorrected
from punto.table.records.positions import Position
from punto.table.records.state import BetKey, Table
from tests.marks import BOOKS
from tests.table.corrections.slips import OFFER, end_of, felt
from tests.table.tables import DEALER, MANAGER, SUPERVISOR, Evening, box_of

PEOPLE = ("ann", "ben", "cat", "dan", "eve")
AMOUNTS = (5_00, 100_00, 333_33, 1_000_00)
Bets = dict[BetKey, int]


def _bets(some: random.Random) -> Bets:
    """Ann and ben have a bet on each side, so that an offer is due on any record."""
    wanted = [(who, bet) for who in PEOPLE for bet in ("banker", "player", "tie")]
    always = {(who, bet) for who in ("ann", "ben") for bet in ("banker", "player")}
    chosen = [each for each in wanted if each in always or some.random() < 0.5]
    return {(who, box_of(who), bet): some.choice(AMOUNTS) for who, bet in chosen}


def _round(rules: Rulebook, bets: Bets, cards: list[str], slips: random.Random | None = None) -> Evening:
    """A round with these bets, in which ben always takes insurance; with slips, all are corrected."""
    limit = None if rules.id == "commission" else 800_00
    evening = felt(rules, differential_minor=limit)
    fixes: list[Command] = []
    for (who, box, bet), stake in bets.items():
        typed = slips.choice((stake, *AMOUNTS)) if slips else stake
        evening.do(commands.PlaceBet(who, Position.PLAYER, who, box, bet, typed))
        if typed != stake:
            fixes.append(corrections.CorrectBet(*SUPERVISOR, who, box, bet, stake))
    evening.close_betting()
    for card in cards:
        _correct_some(evening, fixes, slips)
        if not isinstance(decide(rules, evening.table, commands.Settle(*MANAGER)), Refusal):
            break
        if not isinstance(decide(rules, evening.table, OFFER), Refusal):
            evening.do(OFFER)
            _insure(evening, fixes, slips)
        evening.do(commands.DealCard(*DEALER, read_card(card)))
    evening.settle()
    for fix in fixes:
        evening.do(fix)
    return evening


def _correct_some(evening: Evening, fixes: list[Command], slips: random.Random | None) -> None:
    while fixes and slips and slips.random() < 0.3:
        evening.do(fixes.pop(0))


def _insure(evening: Evening, fixes: list[Command], slips: random.Random | None) -> None:
    assert evening.table.round is not None
    stage, side = evening.table.round.insurance.offered[-1], evening.table.round.insurance.offer_side
    stake = 20
    typed = slips.choice((20, 1, 35)) if slips else stake
    assert ("ben", 2, side) in evening.table.round.bets
    evening.do(commands.TakeInsurance(*DEALER, "ben", 2, typed))
    if typed != stake:
        fixes.append(corrections.CorrectInsurance(*SUPERVISOR, stage, "ben", 2, stake))


@pytest.mark.parametrize("rules", BOOKS, ids=lambda rules: rules.id)
def test_all_slips_corrected_leave_no_trace_in_the_money(rules: Rulebook) -> None:
    corrected = 0
    for seed in range(60):
        some = random.Random(seed)  # noqa: S311 - repeatable, not secret
        bets = _bets(some)
        cards = [str(card) for card in some.sample(list(Card), 7)]
        right, wrong = _round(rules, bets, cards), _round(rules, bets, cards, some)
        assert end_of(wrong) == end_of(right), seed
        replayed = Table()
        for event in wrong.events:
            replayed = evolve(replayed, event)
        assert replayed == wrong.table
        corrected += len(wrong.happened(BetCorrected))
    assert corrected > 60
