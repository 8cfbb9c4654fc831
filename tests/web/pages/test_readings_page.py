"""The page of the readings: which are in force at this floor and since when, in both languages."""

from typing import Any

import pytest

from punto.catalogue.sentence import LANGUAGES, Language, say
from punto.library import readings
from punto.rules.interpretations import Reading
from punto.table.records.positions import SHIFT_MANAGER_UP, STAFF, Position
from tests.web.page_tree import read_page
from tests.web.serving import Server

PATH = "/rules/readings"


def _adopt(served: Server, reading: str, value: Any) -> int:
    body = {"value": value, "reason": "agreed with the regulator"}
    answer = served.by(Position.SHIFT_MANAGER).post(f"/api/readings/{reading}", json=body)
    assert answer.status_code == 200, answer.text
    since_us: int = answer.json()["since_us"]
    return since_us


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reading_is_shown_with_its_alternative_and_what_is_in_force(served: Server, language: Language) -> None:
    page = read_page(served.client(), PATH, language)
    for each in readings():
        shown = page.id(each.id)
        wanted = [each.title_in(language), each.text_in(language), each.alternative_in(language)]
        assert all(" ".join(text.split()) in shown.words for text in (*wanted, each.effect_in(language)) if text)
        codes = [code.words for code in shown.all("code")]
        if each.setting is None:
            assert codes == [each.id]
        else:
            assert codes == [each.id, each.setting.name]
            assert shown.one("p", "applies").words == " ".join(each.text_in(language).split())
            assert say("readings.never_adopted", language) in shown.words


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_house_adopted_is_shown_with_its_date_and_whether_it_is_by_the_book(
    served: Server, language: Language
) -> None:
    marked = say("readings.not_by_the_book", language)
    assert marked not in [each.words for each in read_page(served.client(), PATH, language).all("strong")]
    _adopt(served, "established", value=True)
    _adopt(served, "forgoing_insurance", value=False)
    page = read_page(served.client(), PATH, language)
    established, forgoing = page.id("established"), page.id("forgoing_insurance")
    applies = say("readings.applies", language)
    assert [each.words for each in established.all("strong")] == [applies, marked]
    assert [each.words for each in forgoing.all("strong")] == [applies]
    assert [code.words for code in forgoing.all("code")] == ["forgoing_insurance", "forgone_for_the_round"]
    facts = [each.words for each in forgoing.all("dd")]
    assert say("reading_value.forgone_for_the_round.false", language) in facts
    assert say("reading_value.forgone_for_the_round.true", language) in facts
    assert len(list(established.all("time"))) == len(list(forgoing.all("time"))) == 1
    assert "sid" not in established.words
    assert "agreed" not in established.words
    seen = read_page(served.by(Position.DEALER), PATH, language).id("established").words
    assert "sid" in seen
    assert "agreed with the regulator" in seen


@pytest.mark.parametrize("position", STAFF)
def test_the_form_is_for_shift_managers_and_above(served: Server, position: Position) -> None:
    page = read_page(served.by(position), PATH)
    forms = [form for form in page.all("form") if "data-adopt" in form.attributes]
    if position not in SHIFT_MANAGER_UP:
        assert forms == []
        return
    changeable = [each for each in readings() if each.setting is not None]
    assert [form.attributes["data-adopt"] for form in forms] == [f"/api/readings/{each.id}" for each in changeable]
    for each, form in zip(changeable, forms, strict=True):
        assert each.setting is not None
        options = [option.attributes["value"] for option in form.all("option")]
        assert len(options) == len(each.setting.values)
        marked = [option.words for option in form.all("option") if "not by the book" in option.words]
        assert len(marked) == len(each.setting.not_by_the_book)


def test_the_pages_of_books_and_clauses_lead_there(served: Server) -> None:
    for path in ("/rules/commission", "/rules/commission/1:pair"):
        assert PATH in [link.attributes.get("href") for link in read_page(served.client(), path).all("a")]


def _reading(reading_id: str) -> Reading:
    return next(each for each in readings() if each.id == reading_id)


@pytest.mark.parametrize("path", [PATH, "/rules/tiger-buffalo/5.3"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_that_applies_comes_first(served: Server, path: str, language: Language) -> None:
    forgoing, applies = _reading("forgoing_insurance"), say("readings.applies", language)
    ours, other = forgoing.text_in(language), forgoing.alternative_in(language)
    assert other is not None

    def words() -> str:
        return read_page(served.client(), path, language).id("main").words

    assert applies not in words()
    _adopt(served, forgoing.id, value=False)
    shown = words()
    assert shown.index(f"{applies} {other}") < shown.index(f"{say('readings.not_ours', language)} {ours}")
    assert say("reading_value.forgone_for_the_round.false", language) in shown
    _adopt(served, forgoing.id, value=True)
    assert applies not in words()


def test_a_clause_marks_a_value_that_is_not_by_the_book(served: Server) -> None:
    _adopt(served, "established", value=True)
    page = read_page(served.client(), "/rules/tiger-buffalo/5.4.1")
    assert "(not by the book)" in [each.words for each in page.all("strong")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_index_leads_to_every_reading_and_marks_the_changed_ones(served: Server, language: Language) -> None:
    _adopt(served, "cut_card", value=20)
    index = read_page(served.client(), PATH, language).one("nav", "index")
    links = [(link.attributes["href"], link.words) for link in index.all("a")]
    assert links == [(f"#{each.id}", each.title_in(language)) for each in readings()]
    changed = say("readings.changed", language)
    marked = [item.one("a").attributes["href"] for item in index.all("li") if changed in item.words]
    assert marked == ["#cut_card"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_value_to_choose_is_written_in_words(served: Server, language: Language) -> None:
    page = read_page(served.by(Position.SHIFT_MANAGER), PATH, language)
    options = list(page.all("option"))
    assert options
    assert [each.words for each in options if each.words.startswith(("true", "false", '"')) or "_" in each.words] == []
