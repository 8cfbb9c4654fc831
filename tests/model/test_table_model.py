"""The table under random commands, legal and illegal, by random people: what must hold, holds after each of them."""

import random

import pytest
from hypothesis import HealthCheck, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test

from punto.rules.rulebook import Rulebook
from punto.table import next_step
from punto.table.commands import Command
from punto.table.decision import Decision
from punto.table.state import Phase
from tests.marks import books
from tests.model import walk
from tests.model.choices import PLAYING, Choices
from tests.model.evening import Evening


class Drawn:
    """Chance as hypothesis gives it, so that a failure shrinks."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def number(self, least: int, most: int) -> int:
        """Drawn."""
        return self._data.draw(st.integers(least, most))


class Seeded:
    """Chance from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - play, not secrets

    def number(self, least: int, most: int) -> int:
        """From the seed."""
        return self._random.randint(least, most)


class NotedEvening(Evening):
    """An evening whose commands stand in the report of a failure."""

    def do(self, command: Command) -> Decision:
        """Note it, then do it."""
        note(f"{command}")
        return super().do(command)


class TableMachine(RuleBasedStateMachine):
    """One evening, and all that may be asked of a table."""

    law: Rulebook

    def __init__(self) -> None:
        super().__init__()
        self.evening = NotedEvening(self.law)

    def _some(self, data: st.DataObject) -> Choices:
        some = Choices(self.law, Drawn(data))
        some.shoes = len(self.evening.events)  # a name that no shoe of this evening has had
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
    @precondition(lambda self: self.evening.table.round is not None and self.evening.table.round.offer_open)
    def insurance(self, data: st.DataObject) -> None:
        walk.insurance(self.evening, self._some(data))

    @rule(data=st.data())
    @precondition(lambda self: self.evening.table.phase is Phase.DEALING and self.evening.table.settings.face_down)
    def a_squeeze(self, data: st.DataObject) -> None:
        walk.a_squeeze(self.evening, self._some(data))

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
        """The evening once more, from its events."""
        self.evening.check_replay()


@pytest.mark.parametrize("rules", books())
def test_whatever_is_asked_of_a_table_money_cards_and_law_are_kept(rules: Rulebook) -> None:
    class Machine(TableMachine):
        law = rules

    profile = settings(max_examples=25, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Machine, settings=profile)


@pytest.mark.parametrize("rules", books())
def test_random_evenings_from_fixed_seeds(rules: Rulebook) -> None:
    for seed in range(5):
        wander(rules, seed, 200)


def wander(rules: Rulebook, seed: int, steps: int) -> Evening:
    """An evening of so many random moves."""
    evening, some = Evening(rules), Choices(rules, Seeded(seed))
    walk.open_with_people(evening, some)
    for _ in range(steps):
        some.pick(walk.MOVES)(evening, some)
        evening.check()
    evening.check_replay()
    return evening
