"""Whatever happens, insurance stays within the caps, and players who have forgone it take none.

The sums here are worked out from the books, in fractions, without the functions of the engine.
"""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from punto.rules.bets.insurance import Stage
from punto.rules.coup.cards import Card
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide, legal
from punto.table.records import commands, reports
from punto.table.records.commands import Command
from punto.table.records.events import InsuranceClosed, InsuranceFlagged, InsuranceOffered, InsuranceTaken
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from tests.marks import INSURED
from tests.table.tables import DEALER, MANAGER, SUPERVISOR, Evening, dealing

MAXIMUM, DIFFERENTIAL = 800_00, 600_00
BETS = {("ann", "banker"): 100_00, ("ann", "player"): 70_00, ("dan", "banker"): 33_33, ("eve", "player"): 250_00}


FOUR_CARDS = ("2s 2h 3d 4d", "2s 2h 3d 2d", "As 2s Ad 3d", "Ks 6d 5h Kc", "Kd Kh 2c 2h")
"""All with insurance, and more of it after some third cards."""
NEXT_CARDS = tuple(map(Card, ("Ac", "4h", "5s", "6c", "7d", "Kc")))


def _play(rules: Rulebook, seed: int) -> Evening:
    """A round with every kind of offer, in which people do what comes to their minds."""
    some = Random(seed)  # noqa: S311 - not for secrets
    bets = [(who, bet, stake) for (who, bet), stake in BETS.items()]
    limits = {"least": 1_00, "most": MAXIMUM, "differential_minor": DIFFERENTIAL}
    evening = dealing(rules, *bets, face_down=some.random() < 0.5, observing=some.random() < 0.5, **limits)
    evening.deal(some.choice(FOUR_CARDS))
    for _ in range(some.randint(1, 60)):
        if evening.table.phase is not Phase.DEALING:
            break
        command = _something(evening, some)
        if not isinstance(decide(rules, evening.table, command), Refusal):
            evening.do(command)
    return evening


def _something(evening: Evening, some: Random) -> Command:
    now = evening.table.round
    assert now is not None
    card = some.choice(NEXT_CARDS)
    down = [place for place, one in enumerate(now.cards, 1) if one is None]
    who, stake = some.choice(("ann", "dan", "eve")), some.choice((1, 5_00, 33_33, 100_00, 250_00))
    choices: list[Command] = [
        commands.DealCard(*DEALER, card),
        commands.DealCard(*DEALER, card, not_offered=True),
        commands.DealCard(*DEALER),
        commands.DealCard(*DEALER, not_offered=True),
        *(commands.TurnCard(*DEALER, place, card) for place in down),
        commands.OpenInsurance(*DEALER),
        commands.OpenInsurance(*DEALER),
        commands.TakeInsurance(who, Position.PLAYER, who, 1, stake),
        commands.TakeInsurance(who, Position.PLAYER, who, 1, stake),
        commands.CallInsurance(*DEALER, who, 1, some.choice((None, stake))),
        commands.CloseInsurance(*DEALER),
        reports.OfferLateInsurance(*MANAGER),
        reports.OfferLateInsurance(*MANAGER),
        reports.ReportInterruption(*SUPERVISOR),
        commands.Settle(*DEALER),
    ]
    return some.choice(choices)


def _require_caps(evening: Evening) -> None:
    offers, taken = list[InsuranceOffered](), list[tuple[InsuranceTaken, bool]]()
    forgone = set[str]()
    for event in evening.events:
        if isinstance(event, InsuranceOffered):
            offers.append(event)
        elif isinstance(event, InsuranceClosed):
            forgone |= set(event.forgone)
        elif isinstance(event, InsuranceTaken):
            assert event.who not in forgone
            late = any(one.makes_good and one.stage is event.stage for one in offers)
            taken.append((event, late))
            _require_cap(evening.rules, event, taken)


def _require_cap(rules: Rulebook, event: InsuranceTaken, taken: list[tuple[InsuranceTaken, bool]]) -> None:
    bet = BETS[event.who, event.side.value]
    mine = [(one, late) for one, late in taken if (one.who, one.side) == (event.who, event.side)]
    winnings = sum(Fraction(one.odds) * one.stake_minor for one, _ in mine)
    at_offer = sum(one.stake_minor for one, _ in mine if one.stage is event.stage)
    if rules.id == "commission-insurance":
        assert winnings <= bet
        return
    assert at_offer <= bet
    if event.odds == "10":
        assert at_offer <= Fraction(min(MAXIMUM, DIFFERENTIAL), 4)
    if any(late for _, late in mine):
        assert winnings <= bet


@pytest.mark.parametrize("rules", INSURED, ids=lambda rules: rules.id)
@given(seed=st.integers(0, 2**32))
def test_all_insurance_is_within_the_caps_and_players_who_have_forgone_take_none(rules: Rulebook, seed: int) -> None:
    _require_caps(_play(rules, seed))


@pytest.mark.parametrize("rules", INSURED, ids=lambda rules: rules.id)
def test_these_rounds_have_every_kind_of_offer(rules: Rulebook) -> None:
    """Or the test above would show little."""
    events = [event for seed in range(300) for event in _play(rules, seed).events]
    taken = [event for event in events if isinstance(event, InsuranceTaken)]
    kinds = {(stage, called) for stage in Stage for called in (True, False)}
    assert {(one.stage, one.called) for one in taken} == kinds
    assert any(one.forgone for one in events if isinstance(one, InsuranceClosed))
    late = [one for one in events if isinstance(one, InsuranceOffered) and one.makes_good]
    assert bool(late) == (rules.id != "commission-insurance")


@pytest.mark.parametrize("rules", INSURED, ids=lambda rules: rules.id)
@given(seed=st.integers(0, 2**32))
def test_the_largest_stake_listed_is_the_largest_that_plays(rules: Rulebook, seed: int) -> None:
    evening = _play(rules, seed)
    for move in legal(rules, evening.table, *DEALER):
        if isinstance(move.command, commands.CallInsurance) and move.most is not None:
            most = replace(move.command, stake_minor=move.most)
            assert not isinstance(decide(rules, evening.table, most), Refusal)
            more = decide(rules, evening.table, replace(move.command, stake_minor=move.most + 1))
            assert isinstance(more if isinstance(more, Refusal) else more[-1], Refusal | InsuranceFlagged)
