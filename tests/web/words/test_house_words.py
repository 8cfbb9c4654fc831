"""Sentences of the house's record that depend on the fields of an event, and acts by their names."""

import re

import pytest
from msgspec.structs import replace

from punto.catalogue.sentence import Language, knows
from punto.floor.journal.audit_events import FiguresSeen
from punto.floor.journal.entry import COMMANDS_BY_TAG, tag
from punto.floor.journal.house_events import AuthorityRefused, ProposalMade
from punto.floor.people.approvals.proposed_acts import CreateAccount
from punto.table.records.commands import ChangeSettings
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.words.house_words import HouseNames, act_words, house_words
from tests.catalogue.sections import acts_of_house

T = TRANSLATORS["en"]
WORDS = HouseNames(T, {}, {"felt 1": "High limit"})


def test_a_look_at_a_round_names_its_table() -> None:
    assert house_words(FiguresSeen("round", "1-2", "felt 1"), WORDS) == "Looked at a round: 1-2 at table High limit."
    assert house_words(FiguresSeen("report", "2026-11-17", ""), WORDS) == "Looked at the report of a day: 2026-11-17."


def test_a_look_at_a_place_names_it_in_the_language() -> None:
    look = FiguresSeen("rating", "behind box 3", "felt 1")
    assert "box 3" in house_words(look, WORDS)
    assert "box" not in house_words(look, HouseNames(TRANSLATORS["zh"], {}, {}))


@pytest.mark.parametrize("language", TRANSLATORS)
def test_whatever_can_be_refused_or_proposed_has_words(language: Language) -> None:
    t, names = TRANSLATORS[language], {*acts_of_house(), *COMMANDS_BY_TAG, tag(CreateAccount)}
    words = {name: act_words(name, t) for name in names}
    assert len(names) > 100
    assert {name: text for name, text in words.items() if name in text or re.search("[a-z]_[a-z]", text)} == {}
    if language == "zh":
        assert {name: text for name, text in words.items() if not re.search("[\u4e00-\u9fff]", text)} == {}


def test_an_act_of_the_house_is_not_taken_for_the_command_of_the_same_name() -> None:
    assert knows("command.change_settings")
    assert act_words("change_settings", T) == "Change the settings of the floor"
    assert act_words(tag(ChangeSettings), T) == "Change the settings"
    proposed = ProposalMade("p1", "", tag(CreateAccount), "")
    assert house_words(proposed, WORDS) == "Proposed, for somebody else to approve: Create an account."


def test_a_refusal_names_its_table_if_it_has_one() -> None:
    refused = AuthorityRefused("felt 1", "dora", "dealer", tag(ChangeSettings), "not_authorised")
    what = "Change the settings."
    assert house_words(refused, WORDS) == f"'dora' was refused for lack of authority at table High limit: {what}"
    often = "'dora' was refused for lack of authority 3 times, the last time at table High limit: "
    assert house_words(replace(refused, times=3), WORDS) == often + what


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("GET /pit", "Open the page /pit"),
        ("GET /api/record", "Request GET /api/record"),
        ("POST /tables/{table}", "Request POST /tables/{table}"),
        ("of_a_client", "Something that this release does not know, 'of_a_client'"),
        ("", "Something that this release does not know, ''"),
    ],
)
def test_requests_and_what_a_client_made_up_are_quoted(name: str, words: str) -> None:
    refused = AuthorityRefused("", "dora", "dealer", name, "not_authorised")
    assert house_words(refused, WORDS) == f"'dora' was refused for lack of authority: {words}."
