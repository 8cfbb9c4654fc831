"""``punto memo``: one page for a director, with the published figures, in both languages."""

import asyncio
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from punto.catalogue.sentence import say
from punto.cli import main
from punto.floor.journal.actor import Actor
from punto.floor.running.adopted_readings import adopt_reading
from punto.library import book, book_ids
from punto.odds import full_shoe, solve
from punto.odds.counting.turning import turning
from punto.rules.coup.cards import RANKS
from punto.rules.coup.space import ENDS
from punto.table.records.positions import Position
from tests.floor.playing import running
from tests.web.page_tree import read_html

EDGES = {
    "commission": {"banker": 1.0579, "player": 1.2351, "tie": 14.3596, "player_pair": 10.3614},
    "commission-insurance": {"banker": 1.0579, "player": 1.2351, "tie": 14.3596, "player_pair": 10.3614},
    "super-six-plus": {"super_six_plus": 16.6836},
    "da-hu-ying-xiong": {"banker": 1.4581, "tiger": 16.6836, "tiger_tie": 30.7354},
    "tiger-buffalo": {"small_tiger": 14.3325, "big_tiger": 15.2533},
}
"""Published house edges with eight decks, in percent."""
FAVOUR_BETTOR = {("four", 0, 5): 0.001185, ("four", 0, 6): 0.024389, ("four", 5, 6): 0.084397}
"""Published expectations of insurance on Banker in `commission-insurance`."""


def run(*arguments: str, status: int = 0) -> str:
    done = CliRunner().invoke(main, ["memo", *arguments])
    assert done.exit_code == status, done.output
    return done.stdout


def as_json(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


@pytest.mark.parametrize("game", book_ids())
def test_it_has_the_published_figures(game: str) -> None:
    memo = as_json(game, "--decks", "8", "--shoes", "0")
    assert (memo["game"], memo["decks"], memo["cards"], memo["turning"]) == (game, 8, 416, None)
    assert {bet: round(memo["bets"][bet]["edge_float"] * 100, 4) for bet in EDGES[game]} == EDGES[game]
    assert list(memo["bets"]) == list(book(game).bets)
    assert len(memo["insurance_favours_bettor"]) == (12 if game == "commission-insurance" else 0)
    assert (memo["insurance_cells"] > 0) == (book(game).insurance is not None)


def test_the_insurance_that_favours_the_bettor_is_the_published_one() -> None:
    cells = as_json("commission-insurance", "--decks", "8", "--shoes", "0")["insurance_favours_bettor"]
    found = {(cell["stage"], cell["player"], cell["banker"]): cell for cell in cells}
    for where, expectation in FAVOUR_BETTOR.items():
        assert found[where]["side"] == "banker"
        assert round(-found[where]["edge_float"], 6) == expectation
    assert all(Fraction(cell["edge"]) < 0 for cell in cells)


@pytest.mark.parametrize("game", ["commission", "tiger-buffalo"])
def test_all_first_cards_together_are_worth_nothing(game: str) -> None:
    memo = as_json(game, "--decks", "8", "--shoes", "0")
    known = memo["known_first"]
    assert list(known) == list(RANKS)
    for bet, figures in memo["bets"].items():
        assert sum(Fraction(known[rank][bet]["edge"]) for rank in RANKS) / 13 == Fraction(figures["edge"])
    best = {rank: -min(known[rank][bet]["edge_float"] for bet in ("player", "banker")) for rank in RANKS}
    assert max(best, key=best.__getitem__) == "9"
    assert round(best["9"], 4) == 0.2153


def test_shoes_are_dealt_as_the_counter_deals_them() -> None:
    memo = as_json(
        "tiger-buffalo", "--decks", "8", "--shoes", "20", "--seed", "3", "--cut-card", "60", "--cut-card", "14"
    )
    dealt = turning(book("tiger-buffalo"), (14, 60), decks=8, shoes=20, seed=3)
    assert (memo["turning"]["shoes"], memo["turning"]["seed"]) == (20, 3)
    assert [cut["cut_card"] for cut in memo["turning"]["cuts"]] == [14, 60]
    for cut, expected in zip(memo["turning"]["cuts"], dealt.cuts, strict=True):
        assert cut["rounds"] == expected.rounds
        assert cut["any_bet"]["share"] == expected.any_bet.share
        assert {bet: each["share"] for bet, each in cut["bets"].items()} == {
            bet: each.share for bet, each in expected.bets.items()
        }


@pytest.mark.parametrize(("decks", "cuts"), [("4", [14, 26, 52, 104]), ("8", [14, 26, 52, 104, 156])])
def test_without_a_cut_card_the_usual_ones_are_shown(decks: str, cuts: list[int]) -> None:
    memo = as_json("commission", "--decks", decks, "--shoes", "2")
    assert [cut["cut_card"] for cut in memo["turning"]["cuts"]] == cuts


def test_the_other_reading_of_a_bet_changes_its_edge() -> None:
    memo = as_json("tiger-buffalo", "--decks", "8", "--shoes", "0")
    changes = {each["id"]: {edge["bet"]: Fraction(edge["edge"]) for edge in each["edges"]} for each in memo["readings"]}
    rules = book("tiger-buffalo")
    fresh = solve(rules, full_shoe(rules, 8))
    with_one = sum(weight for end, weight in zip(ENDS, fresh.ends, strict=True) if end.player == 1)
    assert changes["wu_dalang_wins_the_round"] == {"wu_dalang": 1 - Fraction(151 * with_one, fresh.total)}
    tie = Fraction(memo["bets"]["tie"]["hit"])
    assert changes["side_bets_lose_on_a_tie"] == {
        bet: Fraction(memo["bets"][bet]["edge"]) - tie for bet in ("player_char_siu", "banker_char_siu")
    }
    assert all(
        not edges for reading, edges in changes.items() if "wu_dalang" not in reading and "side_bets" not in reading
    )


READINGS = {
    "side_bets_lose_on_a_tie": {"tiger-buffalo"},
    "wu_dalang_wins_the_round": {"tiger-buffalo"},
    "ties_that_pay_insurance": {"da-hu-ying-xiong", "tiger-buffalo"},
    "insurance_not_offered": {"da-hu-ying-xiong", "tiger-buffalo"},
    "forgoing_insurance": {"commission-insurance", "da-hu-ying-xiong", "tiger-buffalo"},
    "cut_card": set(book_ids()),
}


def test_a_reading_is_listed_where_its_alternative_changes_something() -> None:
    listed = {game: {each["id"] for each in as_json(game, "--shoes", "0")["readings"]} for game in book_ids()}
    for reading, games in READINGS.items():
        assert {game for game, ids in listed.items() if reading in ids} == games, reading


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("game", ["commission-insurance", "tiger-buffalo", "super-six-plus"])
def test_the_page_says_it_in_both_languages(game: str, language: Any) -> None:
    html = run(game, "--decks", "8", "--shoes", "2", "--language", language)
    page = read_html(html)
    assert page.one("html").attributes["lang"] == language
    words = page.one("body").words
    rules = book(game)
    assert say("memo.title", language, game=rules.title_in(language)) in words
    assert all(say(f"bet.{bet}", language) in words for bet in rules.bets)
    assert all(text in words for text in ("1.2351%", "+21.53", rules.law_hash))
    headings = [each.words for each in page.all("h2")]
    assert headings == [
        say(f"memo.{name}", language) for name in ("edges", "insurance", "first", "turning", "readings")
    ]
    marked = [each.words for each in page.all("td", "bettor")]
    assert ("8.44%" in marked) == (game == "commission-insurance")
    assert "http" not in html
    assert "<script" not in html


def test_no_shoes_no_section_about_them() -> None:
    page = read_html(run("commission", "--shoes", "0"))
    assert say("memo.turning") not in [each.words for each in page.all("h2")]


def test_it_is_written_to_a_file(tmp_path: Path) -> None:
    target = tmp_path / "memo.html"
    assert run("commission", "--shoes", "0", "--output", str(target)) == ""
    assert target.read_text(encoding="utf-8") == run("commission", "--shoes", "0")
    memo = json.loads(run("commission", "--shoes", "0", "--json", "--output", str(tmp_path / "other.html")))
    assert memo["game"] == "commission"
    assert (tmp_path / "other.html").read_text(encoding="utf-8") == target.read_text(encoding="utf-8")
    refused = json.loads(run("commission", "--shoes", "0", "--json", "--output", str(tmp_path), status=2))
    assert refused["error"]["code"] == "not_writable"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("nonsense",), "unknown_book"),
        (("commission", "--decks", "3"), "decks_out_of_range"),
        (("commission", "--shoes", "-1"), "out_of_range"),
        (("commission", "--shoes", "2", "--cut-card", "4"), "out_of_range"),
    ],
)
def test_what_is_impossible_is_refused(arguments: tuple[str, ...], code: str) -> None:
    assert json.loads(run(*arguments, "--json", status=2))["error"]["code"] == code


def test_the_readings_of_a_floor(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")

    async def adopt() -> None:
        async with running(url) as floor:
            by = Actor("sid", Position.SHIFT_MANAGER)
            await adopt_reading(floor.house_log, by, "cut_card", 20, "new shoes")

    asyncio.run(adopt())
    memo = as_json("commission", "--shoes", "0", "--db", url)
    values = {
        each["id"]: (each["setting"], each["ours"], each["in_force"], each["adopted"]) for each in memo["readings"]
    }
    assert values["cut_card"] == ("cut_card", 14, 20, True)
    assert values["burn_cards"] == ("burn", True, True, False)
    assert say("memo.reading_adopted", setting="cut_card", value="20") in run("commission", "--shoes", "0", "--db", url)
