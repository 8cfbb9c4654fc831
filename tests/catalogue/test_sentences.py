"""Every sentence of refusals and pages is in the catalogue, and its values fit."""

import ast
import pickle
import re
from collections import Counter
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

from punto import book
from punto.catalogue import en, zh
from punto.catalogue.sentence import AT_SHUFFLER, LANGUAGES, TO_PLAYER, Language, phrase, say, write
from punto.catalogue.values import Moment, Money, Odds
from punto.client.errors import answered
from punto.floor.errors import FloorCode, FloorRefused
from punto.rules.loader import BookError
from punto.rules.refusals import Code, Refusal, Refused, needing
from punto.table.refusals import TableCode, refuse
from punto.web.messages import Problem
from tests.catalogue.calls import ANY, ROOMS, Call, source_calls, template_calls
from tests.catalogue.sections import OPTIONAL, SECTIONS


def placeholders(template: str) -> set[str]:
    """The names of the values that a sentence needs."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def _in_sections() -> set[str]:
    names = set[str]().union(*SECTIONS.values())
    return names | {key for key in en.SENTENCES if key.partition(".")[0] in OPTIONAL}


@cache
def calls() -> list[Call]:
    return [*source_calls(), *template_calls()]


def _meant(key: str) -> list[str]:
    """The key itself, or all keys of its section."""
    section = key.removesuffix(ANY)
    return [each for each in en.SENTENCES if each.startswith(section)] if section != key else [key]


def test_the_source_has_hundreds_of_sentences_and_all_are_found() -> None:
    assert len(calls()) > 300
    rooms = {call.place.split("/")[0] for call in calls()}
    assert rooms >= {"rules", "table", "board", "odds", "floor", "web", "client"}
    assert {"lobby.title", "call.place_bets", "when.wins_by"} <= {key for call in calls() for key in call.keys}


def test_every_key_has_a_sentence_and_no_sentence_is_left_over() -> None:
    used = {key for call in calls() for key in call.keys if not key.endswith(ANY)} | _in_sections()
    ended = {key for key in en.SENTENCES if key.removesuffix(TO_PLAYER).removesuffix(AT_SHUFFLER) in used}
    assert sorted(used - en.SENTENCES.keys()) == []
    assert sorted(en.SENTENCES.keys() - used - ended) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_key_is_in_two_modules(language: str) -> None:
    """The later one would replace the earlier one without a word."""
    modules = [*(Path(en.__file__).parents[1] / language).glob("*.py")]
    assert len(modules) > 5
    keys = Counter(
        key.value
        for module in modules
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Dict)
        for key in node.keys
        if isinstance(key, ast.Constant)
    )
    assert [key for key, times in keys.items() if times > 1] == []


def test_a_key_made_from_a_variable_is_of_a_section_whose_names_are_known() -> None:
    made = {key.partition(".")[0]: call.place for call in calls() for key in call.keys if key.endswith(ANY)}
    assert {section: place for section, place in made.items() if section not in SECTIONS.keys() | OPTIONAL} == {}


def test_both_languages_have_the_same_sentences() -> None:
    assert sorted(en.SENTENCES.keys() - zh.SENTENCES.keys()) == []
    assert sorted(zh.SENTENCES.keys() - en.SENTENCES.keys()) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_needs_the_same_values_in_every_language(language: Language) -> None:
    sentences = LANGUAGES[language].SENTENCES
    differing = [key for key in en.SENTENCES if placeholders(sentences[key]) != placeholders(en.SENTENCES[key])]
    assert differing == []


def test_the_values_of_a_call_are_those_that_its_sentences_want() -> None:
    for place, keys, values in calls():
        wanted = [placeholders(en.SENTENCES[each]) for key in keys for each in _meant(key)]
        if "**" not in values:
            assert all(each <= values for each in wanted), place
            assert set[str]().union(*wanted) == values, place


@pytest.mark.parametrize("ending", [TO_PLAYER, AT_SHUFFLER])
def test_what_is_said_to_a_player_or_at_a_shuffler_needs_no_other_values(ending: str) -> None:
    keys = [key for key in en.SENTENCES if key.endswith(ending)]
    assert keys
    for key in keys:
        assert placeholders(en.SENTENCES[key]) <= placeholders(en.SENTENCES[key.removesuffix(ending)]), key


def test_no_sentence_at_a_shuffler_speaks_of_a_shoe() -> None:
    for language, word in (("en", "shoe"), ("zh", "靴")):
        sentences: dict[str, str] = LANGUAGES[language].SENTENCES  # type: ignore[index]
        said = {key: sentences[key] for key in sentences if key.endswith(AT_SHUFFLER)}
        bare = {key: re.sub(r"\{shoe|:shoe_problem\}", "", sentence) for key, sentence in said.items()}
        assert {key for key, sentence in bare.items() if word in sentence.lower()} == set()


def test_every_code_is_defined_once_and_has_a_sentence() -> None:
    codes = Counter(code.value for room in ROOMS for code in room)
    assert [code for code, times in codes.items() if times > 1] == []
    assert set(codes) - {key.partition(".")[0] for key in en.SENTENCES} == set()


def test_values_are_written_by_their_type() -> None:
    said = say("insurance_above_cap.more", odds=Odds("3/2"), most=Money(333_33))
    assert said == "At 3 to 2, at most 333.33 more insurance can be taken here."
    said = say("unknown_book", book="x'y", books=("a", "b", "c"))
    assert said == "There is no book 'x'y'. Use one of these: a, b, c."
    offers = tuple(phrase("phrase.offer", side=side, stage="four") for side in ("player", "banker"))
    said = say("insurance_not_offered.others", side="player", stage="third", offers=offers)
    assert said.endswith("offered Player insurance on four cards and Banker insurance on four cards.")
    said = say("not_in_book.topic", book="commission", subject="late_insurance")
    assert said == "Commission Baccarat has no rule about late insurance."
    assert say("too_few_cards.cards", cards=1, side="player") == "1 card is too few: Player takes another card."


@pytest.mark.parametrize(
    ("moment", "english", "chinese"),
    [
        ("2013-10-22", "22 October 2013", "2013年10月22日"),
        ("2023-11-07T08:00+08:00", "7 November 2023, 8:00 Singapore time", "2023年11月7日8:00（新加坡时间）"),  # noqa: RUF001
        ("2030-01-01T14:05+08:00", "1 January 2030, 14:05 Singapore time", "2030年1月1日14:05（新加坡时间）"),  # noqa: RUF001
    ],
)
def test_dates_are_written_in_the_language(moment: str, english: str, chinese: str) -> None:
    assert (write(Moment(moment)), write(Moment(moment), "zh")) == (english, chinese)


def test_quotation_marks_are_plain_and_only_control_characters_are_escaped() -> None:
    name = "a'b\"c\\d\n"
    assert say("unknown_account", name=name) == "There is no account named 'a'b\"c\\d\\n'."
    assert say("unknown_account", "zh", name=name) == "没有名为“a'b\"c\\d\\n”的账户。"


def test_a_number_is_written_by_the_format_of_its_placeholder() -> None:
    late = say("cluster_unreachable.too_late", address="tcp://x", seconds=2.5)
    assert late == "No Dask scheduler answered at 'tcp://x' within 2.5 seconds."
    assert say("too_large", most=65_536) == "The body is too long. It may have at most 65,536 bytes."


def test_an_id_without_a_sentence_is_written_as_it_is() -> None:
    assert say("not_in_book.differential", book="of_my_own") == "of_my_own has no differential limit."


def test_a_refusal_is_a_key_with_values_and_its_sentence_is_made_when_it_is_asked_for() -> None:
    unsayable = Refusal(Code.UNKNOWN_BOOK, "no_such_sentence")
    with pytest.raises(KeyError):
        assert unsayable.message
    rules = book("commission")
    refusal = refuse(rules, TableCode.BELOW_MINIMUM, variant="rest", least=Money(5))
    assert (refusal.code, refusal.key, refusal.topic) == ("below_minimum", "below_minimum.rest", None)
    assert refusal.values == {"least": 5}
    assert refusal.message == "What remains of the bet must be at least 0.05, or nothing."


def test_what_a_server_has_refused_is_said_in_its_own_words() -> None:
    refused = answered(Problem(code="of_a_later_release", message="no dice"), 409)
    assert (refused.status, refused.code) == (409, "of_a_later_release")
    assert refused.message == refused.refusal.message == refused.refusal.phrase == "no dice"


def test_a_missing_extra_is_refused_and_a_bug_of_ours_is_not() -> None:
    with pytest.raises(FloorRefused, match="This needs psycopg, ") as raised, needing("postgres", FloorRefused):
        raise ModuleNotFoundError(name="psycopg.sql")
    assert raised.value.message.endswith("pip install 'punto[postgres]'")
    with pytest.raises(ModuleNotFoundError), needing("serve"):
        raise ModuleNotFoundError(name="punto.web.gone")


def test_a_refusal_can_be_part_of_another_sentence() -> None:
    refusal = Refusal(TableCode.ROUND_OPEN)
    refused = FloorRefused(FloorCode.BAD_COMMAND, variant="not_opened", table="t1", reason=refusal.phrase)
    assert str(refused) == "Table 't1' cannot be opened. A round is open. Settle it first."


def test_what_guards_against_bad_text_swallows_no_refusal() -> None:
    with pytest.raises(Refused) as raised:
        book("x")
    assert not isinstance(raised.value, ValueError)
    assert (raised.value.code, raised.value.clauses, raised.value.topic) == (Code.UNKNOWN_BOOK, (), None)
    assert str(raised.value) == raised.value.message == raised.value.refusal.message


def test_a_refusal_is_the_same_in_another_process() -> None:
    from_server = answered(Problem(code="unknown_table", message="no table"), 404)
    for refused in (
        Refused(Code.UNKNOWN_BOOK, book="x", books=("a",)),
        FloorRefused(FloorCode.LOCKED_OUT, wait_s=60, minutes=1),
        BookError("x.toml", "bets", phrase("book_fault.missing")),
        from_server,
    ):
        again = pickle.loads(pickle.dumps(refused))  # noqa: S301 - made on the line
        assert (type(again), vars(again), str(again)) == (type(refused), vars(refused), str(refused))
    assert str(from_server) == "no table"
