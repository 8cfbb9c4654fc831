"""Rounds in which the order of cards is lost, people choose, and choices are put right in time or too late."""

from functools import cache

import pytest
from msgspec.structs import replace

from punto import book as read_book
from punto import book_ids
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table import next_step
from punto.table.records import commands, reports
from punto.table.records.correction_events import OptionCorrected
from punto.table.records.settings import Automation
from punto.table.records.state import Phase
from tests.marks import books
from tests.model import finishing, house, walk
from tests.model.choices import PLAYING, Choices, Seeded
from tests.model.evening import Evening
from tests.model.walk import MANAGER, SUPERVISOR

pytestmark = pytest.mark.sweep

WITH_OPTIONS = [book for book in book_ids() if read_book(book).topics[Topic.OPTIONS]]
ROUNDS = 90


@pytest.mark.parametrize("rules", books())
def test_choices_are_put_right_until_something_follows(rules: Rulebook) -> None:
    evening = the_evening(rules.id)
    corrected = [event for event in evening.events if isinstance(event, OptionCorrected)]
    assert bool(corrected) == bool(rules.topics[Topic.OPTIONS])


def test_choices_are_corrected_too_late_after_everything_that_ends_them() -> None:
    """Time that is called, a ruling on the order, a card and the settlement."""
    too_late = set().union(*(the_evening(book).books.choices.refused_after for book in WITH_OPTIONS))
    ending = {reports.CallTime, reports.RuleCardOrder, commands.DealCard, commands.TurnCard, commands.Settle}
    assert ending - too_late == set()


def test_the_order_of_cards_with_no_hand_is_ruled_first_however_it_is_reported() -> None:
    ruled_first = set().union(*(the_evening(book).books.choices.ruled_first for book in WITH_OPTIONS))
    assert {reports.ReportExcessCard, reports.ReportDealingError, reports.ReportWrongSide} - ruled_first == set()


def test_a_corrected_card_makes_an_order_matter_whether_people_were_asked_or_not() -> None:
    came = set[bool]().union(*(the_evening(book).books.choices.came_to_matter for book in WITH_OPTIONS))
    assert came == {False, True}


@cache
def the_evening(book: str) -> Evening:
    """Cached: one table per book."""
    rules = read_book(book)
    evening, some = Evening(rules), Choices(rules, Seeded(23))
    for number in range(ROUNDS):
        if number % 15 == 0:
            _settings(evening, some, number)
        if some.chance(3):
            house.come_and_go(evening, some, number)
        if evening.table.phase is Phase.READY and next_step(rules, evening.table) is None:
            evening.do(commands.LoadShoe(*SUPERVISOR, f"shoe before round {number}", 4))
        while evening.table.phase is Phase.READY:
            house.step(evening, some)
        house.bet(evening, some)
        _play(evening, some)
    evening.check_replay()
    return evening


def _settings(evening: Evening, some: Choices, number: int) -> None:
    chosen = replace(some.settings(evening.table.settings), automations=tuple(Automation), cut_card=14)
    chosen = replace(chosen, cards_only=False, payout_supervised_minor=None)
    kind = commands.ChangeSettings if number else commands.OpenTable
    asked_by = "ann" if chosen.no_insurance else ""
    assert not isinstance(evening.do(kind(*MANAGER, chosen, no_insurance_asked_by=asked_by)), Refusal)


def _play(evening: Evening, some: Choices) -> None:
    lost_at = some.number(1, 6)
    for step in range(200):
        if evening.table.phase not in PLAYING:
            return
        if evening.offer_stands:
            house.insure(evening, some)
        if step == lost_at:
            walk.an_order_is_lost(evening, some)
        if some.chance(3):
            walk.an_order_comes_to_matter(evening, some)
        if evening.table.phase in PLAYING:
            evening.do(finishing.forward(evening, some.pick))
        evening.check()
    raise AssertionError("the round does not end")
