"""What the referee says on every irregularity case, in both languages."""

from functools import cache

import pytest
from msgspec.structs import replace

from punto import book
from punto.catalogue.sentence import Language
from punto.rules.coup.cards import FACE_DOWN
from punto.table.referee.question import BetLaid, RefereeQuestion
from punto.web.messages.referee import RefereeRuling
from punto.web.words.ruling import rule_on
from punto.web.words.translator import TRANSLATORS
from tests.cases.irregularity_files import all_irregularities
from tests.catalogue.test_counts import ONE_OF_MANY
from tests.lanes import same_each_time
from tests.marks import rest_at_night
from tests.table.referee.questions import question_of

pytestmark = pytest.mark.sweep

ASKED = ("commission-insurance",) if same_each_time() else ("commission", "commission-insurance", "da-hu-ying-xiong")
"""A book with options; at night one without them, and one with late insurance."""
SAME: dict[Language, str] = {"en": "lead to the same", "zh": "结果相同"}
UNDECIDED: dict[Language, str] = {"en": "cannot be decided yet either", "zh": "同样尚未能决定"}


@cache
def rulings(language: Language) -> dict[str, RefereeRuling]:
    """By case, after each of its steps that is no card."""
    t, found = TRANSLATORS[language], dict[str, RefereeRuling]()
    for filed in all_irregularities():
        if filed.book not in ASKED:
            continue
        question = question_of(filed)
        for number, step in enumerate(question.happened, 1):
            if not isinstance(step, str):
                so_far = replace(question, happened=question.happened[:number])
                name = f"{filed.book}: {filed.case.name}, {number}"
                found[name] = rule_on(book(filed.book), so_far, t)
    return found


@pytest.mark.parametrize("language", rest_at_night(TRANSLATORS, ["en"]))
def test_every_step_has_a_title(language: Language) -> None:
    titles = {name: [step.title for step in ruling.steps] for name, ruling in rulings(language).items()}
    assert {name for name, each in titles.items() if any(set(title) <= set("? ") for title in each)} == set()


@pytest.mark.parametrize("language", TRANSLATORS)
def test_a_card_that_nobody_has_seen_is_titled_by_what_was_done(language: Language) -> None:
    """Here the shoe is empty: no card comes, and the round is void."""
    rules, t = book("commission"), TRANSLATORS[language]
    bets = (BetLaid(1, "banker", "100"),)
    question = RefereeQuestion(book=rules.id, layout="A", left=4, bets=bets, happened=("As 2s Ad 3d", FACE_DOWN))
    ruling = rule_on(rules, question, t)
    assert [step.title for step in ruling.steps] == [t("command.report_shoe_run_out")]


def test_nothing_says_one_of_many() -> None:
    said = [(name, text) for name, ruling in rulings("en").items() for text in _texts(ruling)]
    assert [(name, text) for name, text in said if ONE_OF_MANY.search(text)] == []


def _texts(ruling: RefereeRuling) -> list[str]:
    return [ruling.then, *(line for step in ruling.steps for line in step.follows), *(e.words for e in ruling.outcomes)]


@pytest.mark.parametrize("language", rest_at_night(TRANSLATORS, ["en"]))
def test_orders_that_are_only_undecided_are_not_said_to_lead_to_the_same(language: Language) -> None:
    several = [end for each in rulings(language).values() for end in each.outcomes if len(end.orders) > 1]
    assert {end.over for end in several} == {True, False}
    for end in several:
        assert (SAME[language] in end.words, UNDECIDED[language] in end.words) == (end.over, not end.over)


OF_A_SHOE: dict[Language, tuple[str, ...]] = {"en": ("shoe", "discard"), "zh": ("牌靴", "弃牌")}


@pytest.mark.parametrize("language", TRANSLATORS)
def test_at_a_continuous_shuffler_nothing_speaks_of_a_shoe_or_of_discarded_cards(language: Language) -> None:
    cases = {f"{filed.book}: {filed.case.name}" for filed in all_irregularities() if "continuous" in filed.table}
    said = [
        line for name, each in rulings(language).items() if name.rpartition(", ")[0] in cases for line in _all(each)
    ]
    spoken = [line.replace("'shoe'", "").replace("“shoe”", "").lower() for line in said]  # the name of the machine
    assert any("void" in line or "无效" in line for line in spoken)
    assert [line for line in spoken if any(word in line for word in OF_A_SHOE[language])] == []


def _all(ruling: RefereeRuling) -> list[str]:
    titles = [step.title for step in ruling.steps]
    aloud = [step.words.say for step in ruling.steps if step.words is not None]
    return [*titles, *aloud, *_texts(ruling), *(line for end in ruling.outcomes for line in end.notes)]
