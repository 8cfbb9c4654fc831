"""The sentence that says when a bet wins is true for every end of a coup and every pair pattern."""

from collections.abc import Iterator

import pytest

from punto.catalogue.sentence import Language
from punto.library import book, book_ids
from punto.rules.bets.condition import Condition
from punto.rules.bets.conditions import merge
from punto.rules.bets.pay_lines import PayLine, Result, Verdict, When, WhenPairs, covers
from punto.rules.coup.space import ENDS, PAIRS
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.parts.bet_conditions import clauses_of, condition, pay_table
from tests.web.page_tree import read_page
from tests.web.serving import Server, server

SAID = {
    ("commission", "player"): "Wins when Player wins; goes back when the hands tie.",
    ("commission", "banker_pair"): "Wins when Banker's first two cards are a pair.",
    ("da-hu-ying-xiong", "tiger"): "Wins when Banker wins on 6.",
    ("da-hu-ying-xiong", "tiger_pair"): "Wins when at least one hand starts with a pair.",
    ("tiger-buffalo", "tiger_buffalo"): "Wins when Banker wins on 6 or Player wins on 6.",
    ("tiger-buffalo", "player_char_siu"): "Wins when Player wins on 7, 8 or 9 by 1 point.",
}
BETS = [(game, bet) for game in book_ids() for bet in book(game).bets]


def _covered(whens: tuple[When | WhenPairs | Condition, ...], *, over_pairs: bool) -> list[bool]:
    lines = [PayLine(when, Verdict(Result.WIN, ())) for when in whens]
    return [any(covers(line, cell) for line in lines) for cell in (PAIRS if over_pairs else ENDS)]


@pytest.mark.parametrize(("game", "bet"), BETS)
def test_what_is_said_in_one_sentence_covers_what_each_line_covers(game: str, bet: str) -> None:
    rule = book(game).bets[bet]
    for result in (Result.WIN, Result.PUSH):
        whens = tuple(line.when for line in rule.pays if line.verdict.result is result)
        wanted = _covered(whens, over_pairs=rule.over_pairs)
        assert _covered(merge(whens), over_pairs=rule.over_pairs) == wanted


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("game", book_ids())
def test_no_two_bets_of_a_book_win_by_the_same_sentence(game: str, language: Language) -> None:
    t, rules = TRANSLATORS[language], book(game)
    said = [(condition(rule, t), pay_table(rule, t)) for rule in rules.bets.values()]
    assert len(set(said)) == len(rules.bets)
    assert all(clause in rules.clauses for rule in rules.bets.values() for clause in clauses_of(rule))


@pytest.mark.parametrize(("game", "bet"), SAID)
def test_a_sentence(game: str, bet: str) -> None:
    assert condition(book(game).bets[bet], TRANSLATORS["en"]) == SAID[game, bet]


def test_a_bet_that_pays_in_several_ways_says_each() -> None:
    lines = pay_table(book("da-hu-ying-xiong").bets["banker"], TRANSLATORS["en"])
    assert [(line.odds, line.when) for line in lines] == [
        ("1 to 2", "Banker wins on 6"),
        ("1 to 1", "Banker wins on any total but 6"),
    ]
    assert pay_table(book("commission").bets["banker"], TRANSLATORS["en"]) == ()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("conditions") / "floor.db")) as running:
        yield running


@pytest.mark.parametrize("game", book_ids())
def test_the_rules_page_says_when_each_bet_wins(served: Server, game: str) -> None:
    page = read_page(served.client(), f"/rules/{game}")
    rows = [row.words for row in next(iter(page.all("table", "odds"))).one("tbody").all("tr")]
    for bet, rule in book(game).bets.items():
        assert any(condition(rule, TRANSLATORS["en"]) in row for row in rows), bet
    assert "Player's third card counts 9" in page.id("chart").words
