"""The invariants of a table hold under random commands, legal and illegal, by random people."""

from typing import get_args, get_type_hints

import pytest
from hypothesis import HealthCheck, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import next_step
from punto.table.decision import Decision
from punto.table.records import commands
from punto.table.records.commands import Command
from punto.table.records.findings import Hands
from punto.table.records.state import Phase
from punto.table.vocabulary import AnyCommand, AnyEvent
from tests.lanes import examples, same_each_time
from tests.marks import books
from tests.model import house, walk
from tests.model.choices import KINDS, PLAYING, Choices, Seeded
from tests.model.evening import Evening
from tests.model.walk import DEALER, MANAGER, SUPERVISOR

pytestmark = pytest.mark.sweep


class Drawn:
    """Randomness from hypothesis, which can shrink failures."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def number(self, least: int, most: int) -> int:
        return self._data.draw(st.integers(least, most))


class NotedEvening(Evening):
    """Notes its commands in hypothesis's report of a failure."""

    def do(self, command: Command) -> Decision:
        note(f"{command}")
        return super().do(command)


class TableMachine(RuleBasedStateMachine):
    """One table and everything that can happen at it."""

    law: Rulebook

    def __init__(self) -> None:
        super().__init__()
        self.evening = NotedEvening(self.law)

    def _some(self, data: st.DataObject) -> Choices:
        some = Choices(self.law, Drawn(data))
        some.shoes = len(self.evening.events)  # a name that no shoe of this table has had
        return some

    @initialize(data=st.data())
    def open_with_people(self, data: st.DataObject) -> None:
        walk.open_with_people(self.evening, self._some(data))

    @rule(data=st.data())
    def anything(self, data: st.DataObject) -> None:
        walk.anything(self.evening, self._some(data))

    @rule(data=st.data())
    def something_legal(self, data: st.DataObject) -> None:
        walk.something_legal(self.evening, self._some(data))

    @rule(data=st.data())
    @precondition(lambda self: self.evening.table.phase is Phase.BETTING)
    def a_bet(self, data: st.DataObject) -> None:
        walk.a_bet(self.evening, self._some(data))

    @rule(data=st.data())
    @precondition(lambda self: self.evening.offer_stands)
    def insurance(self, data: st.DataObject) -> None:
        walk.insurance(self.evening, self._some(data))

    @rule(data=st.data())
    @precondition(lambda self: self.evening.table.phase is Phase.BETTING)
    def people_change_their_bets(self, data: st.DataObject) -> None:
        walk.people_change_their_bets(self.evening, self._some(data))

    @rule(data=st.data())
    @precondition(lambda self: self.evening.table.phase in PLAYING and self.evening.face_down)
    def a_squeeze(self, data: st.DataObject) -> None:
        walk.a_squeeze(self.evening, self._some(data))

    @rule(data=st.data())
    def something_goes_wrong(self, data: st.DataObject) -> None:
        walk.something_goes_wrong(self.evening, self._some(data))

    @rule(data=st.data())
    @precondition(lambda self: self.evening.table.round is not None and self.evening.table.round.irregularities.options)
    def the_players_choose(self, data: st.DataObject) -> None:
        walk.the_players_choose(self.evening, self._some(data))

    @rule(data=st.data())
    def a_slip_is_corrected(self, data: st.DataObject) -> None:
        walk.a_slip_is_corrected(self.evening, self._some(data))

    @rule(data=st.data())
    @precondition(lambda self: self.evening.table.phase in PLAYING)
    def the_server_restarts(self, data: st.DataObject) -> None:
        walk.the_server_restarts(self.evening, self._some(data))

    @rule(data=st.data())
    def somebody_is_identified(self, data: st.DataObject) -> None:
        walk.somebody_is_identified(self.evening, self._some(data))

    @rule(data=st.data())
    @precondition(lambda self: next_step(self.law, self.evening.table) is not None)
    def a_step_by_itself(self, data: st.DataObject) -> None:
        walk.a_step_by_itself(self.evening, self._some(data))

    @rule(data=st.data())
    def the_dealer_goes_on(self, data: st.DataObject) -> None:
        walk.the_dealer_goes_on(self.evening, self._some(data))

    @rule(data=st.data())
    def legal_lists_all_that_is_accepted(self, data: st.DataObject) -> None:
        walk.legal_lists_all_that_is_accepted(self.evening, self._some(data))

    @rule(data=st.data())
    @precondition(lambda self: self.evening.table.phase in PLAYING)
    def the_round_can_be_finished(self, data: st.DataObject) -> None:
        walk.the_round_can_be_finished(self.evening, self._some(data))

    @invariant()
    def all_is_well(self) -> None:
        self.evening.check()

    def teardown(self) -> None:
        """Replay the table from its events."""
        self.evening.check_replay()


@pytest.mark.parametrize("rules", books())
def test_invariants_hold_under_any_commands(rules: Rulebook) -> None:
    class Machine(TableMachine):
        law = rules

    profile = settings(
        max_examples=examples(8),
        derandomize=same_each_time(),
        stateful_step_count=40,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Machine, settings=profile)


@pytest.mark.parametrize("rules", books())
def test_random_evenings_from_fixed_seeds(rules: Rulebook) -> None:
    for seed in range(examples(2)):
        wander(rules, seed, 120)


def wander(rules: Rulebook, seed: int, steps: int) -> Evening:
    evening, some = Evening(rules), Choices(rules, Seeded(seed))
    walk.open_with_people(evening, some)
    for _ in range(steps):
        some.pick(walk.MOVES)(evening, some)
        evening.check()
    evening.check_replay()
    return evening


@pytest.mark.parametrize("rules", books())
def test_many_rounds_that_run_by_themselves(rules: Rulebook) -> None:
    full_house(rules, seed=300, rounds=examples(150))


def full_house(rules: Rulebook, seed: int, rounds: int) -> Evening:
    """Rounds run by automations, with people who come, bet, insure and leave; at the end nobody is left."""
    evening, some = Evening(rules), Choices(rules, Seeded(seed))
    chosen = house.by_itself(some, None)
    opening = commands.OpenTable(*MANAGER, chosen, 10**6, no_insurance_asked_by="ann" if chosen.no_insurance else "")
    assert not isinstance(evening.do(opening), Refusal)
    largest = 0
    for number in range(rounds):
        if number % 20 == 19:
            chosen = house.by_itself(some, evening.table.settings)
            changed = commands.ChangeSettings(*MANAGER, chosen, "ann" if chosen.no_insurance else "")
            assert not isinstance(evening.do(changed), Refusal)
        house.come_and_go(evening, some, number)
        shoe, settings = evening.table.shoe, evening.table.settings
        other = shoe is not None and settings is not None and shoe.continuous != settings.continuous
        if other or next_step(rules, evening.table) is None:  # the shoe has ended
            evening.do(commands.LoadShoe(*SUPERVISOR, f"shoe before round {number}", some.pick((4, 6, 8))))
        house.play(evening, some)
        evening.check()
        largest = max(largest, len(repr(evening.table)))
    assert evening.books.cards.rounds == rounds
    for who in sorted(evening.table.people):
        evening.do(commands.Leave(*DEALER, who))
        evening.do(commands.CashOut(*SUPERVISOR, who, evening.table.chips_minor(who)))
    evening.check()
    evening.check_replay()
    assert not evening.table.people
    assert set(evening.table.balances) <= {"bank", "float", "commission", "rounding", "vouchers", "brought", "mispaid"}
    assert largest < 40_000, "a table remembers one round and the people at it"
    return evening


def test_no_event_has_room_for_a_card_that_nobody_has_seen() -> None:
    with_cards = {kind.__name__ for kind in get_args(AnyEvent) if "Face" in str(get_type_hints(kind))}
    seen = {"CardTurned", "CardsBurned", "BettingOpened", "IrregularityRaised", "CardsDrawnOutOfTurn", "CardCorrected"}
    assert with_cards == seen
    assert all("Face | None" in str(get_type_hints(Hands)[hand]) for hand in Hands.__struct_fields__)


def test_the_model_gives_every_command() -> None:
    assert set(KINDS) == set(get_args(AnyCommand))
