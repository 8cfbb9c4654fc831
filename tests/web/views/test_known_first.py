"""What known first cards are worth is shown to the pit alone, and only before betting opens."""

# ruff: noqa: RUF001 - Chinese has punctuation of its own

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from punto import book
from punto.odds import shoe_without
from punto.odds.exact.known_cards import solve_known
from punto.odds.figures import bet_figures
from punto.rules.coup.cards import read_card, read_cards
from punto.table.records.positions import SUPERVISOR_UP, Position
from punto.table.records.settings import BetLimits
from tests.floor.playing import DEALER, SUPERVISOR, At, betting_table
from tests.web.page_tree import read_page
from tests.web.serving import STAFFED, Server, server

NATURAL, KNOWN = "9s 2d Kh 3c", "8h"
LIMITS = {"differential_minor": 50_000_00, "main": BetLimits(min_minor=25_00, max_minor=50_000_00)}


@pytest.fixture
def floor(tmp_path: Any) -> Iterator[Server]:
    with server(str(tmp_path / "floor.db")) as running:
        yield running


async def deal(at: At, cards: str) -> None:
    await at.do(DEALER, "close_betting")
    for card in cards.split():
        await at.do(DEALER, "deal_card", card=card)


def carried_over(floor: Server, drawn: list[str | None]) -> At:
    """A round was a natural, and more cards were drawn."""
    at = floor.run(betting_table(floor.floor, "t1", "tiger-buffalo", burn=False, **LIMITS))
    floor.run(deal(at, NATURAL))
    floor.run(at.do(SUPERVISOR, "report_excess_card", cards=drawn))
    floor.run(at.do(DEALER, "settle"))
    return at


def state(floor: Server, position: Position | None) -> dict[str, Any]:
    client = floor.client() if position is None else floor.by(position)
    return dict(client.get("/api/tables/t1").json()["state"])


def test_the_pit_is_told_what_it_is_worth_and_nobody_else(floor: Server) -> None:
    carried_over(floor, [KNOWN])
    for position in (None, Position.PLAYER, *STAFFED):
        seen = state(floor, position)
        assert seen["carried"] == [KNOWN]  # it lies on the table for all to see
        assert ("known_first" in seen) == (position in SUPERVISOR_UP), position
        page = (floor.client() if position is None else floor.by(position)).get("/tables/t1").text
        assert ("known-first" in page) == (position in SUPERVISOR_UP), position


def test_it_is_exact_for_every_bet_of_the_layout(floor: Server) -> None:
    carried_over(floor, [KNOWN])
    rules = book("tiger-buffalo")
    told = state(floor, Position.PIT_SUPERVISOR)["known_first"]
    seen = [card for card in read_cards(f"{NATURAL} {KNOWN}") if card]
    dealt = solve_known(rules, read_cards(KNOWN), shoe_without(rules, rules.decks.most, seen))
    assert dealt is not None
    menu = rules.layouts[next(iter(rules.layouts))].menu
    expected = {bet: bet_figures(rules.bets[bet], dealt).edge for bet in menu}
    assert {each["bet"]: Fraction(each["edge"]) for each in told["bets"]} == expected
    assert all(each["edge_float"] == float(expected[each["bet"]]) for each in told["bets"])
    assert told["best"] == min(expected, key=expected.__getitem__) == "player"
    assert (told["cards"], told["clauses"]) == ([KNOWN], ["5.7"])


def test_a_card_face_down_before_it_is_null(floor: Server) -> None:
    carried_over(floor, [None, KNOWN])
    assert state(floor, Position.PIT_MANAGER)["known_first"]["cards"] == [None, KNOWN]


def test_cards_face_down_are_worth_nothing(floor: Server) -> None:
    carried_over(floor, [None])
    assert "known_first" not in state(floor, Position.PIT_MANAGER)


def test_it_goes_when_betting_opens_and_when_the_shoe_is_changed(floor: Server) -> None:
    at = carried_over(floor, [KNOWN])
    pit = floor.by(Position.PIT_SUPERVISOR)
    assert "known_first" in state(floor, Position.PIT_SUPERVISOR)
    floor.run(at.do(SUPERVISOR, "load_shoe", shoe="another", decks=8))
    assert "known_first" not in state(floor, Position.PIT_SUPERVISOR)
    floor.run(at.do(DEALER, "open_betting"))
    floor.run(deal(at, NATURAL))
    floor.run(at.do(SUPERVISOR, "report_excess_card", cards=[KNOWN]))
    floor.run(at.do(DEALER, "settle"))
    assert "known_first" in state(floor, Position.PIT_SUPERVISOR)
    floor.run(at.do(DEALER, "open_betting"))
    assert "known_first" not in state(floor, Position.PIT_SUPERVISOR)
    assert "known-first" not in pit.get("/tables/t1").text


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            ("The next round's first card is known", "this card", "17.38% on Player.", "eight of hearts"),
        ),
        ("zh", ("下一局的首张牌已知", "待用牌", "下注者投注闲有17.38%的优势。", "红心8")),
    ],
)
def test_the_page_says_it_to_the_pit(floor: Server, language: str, words: tuple[str, ...]) -> None:
    carried_over(floor, [KNOWN])
    panel = read_page(floor.by(Position.PIT_SUPERVISOR), "/tables/t1", language).id("known-first")
    *said, card = words
    assert all(text in panel.words for text in said)
    assert [each.attributes["alt"] for each in panel.all("img")] == [card]


def test_several_cards_are_said_as_several(floor: Server) -> None:
    carried_over(floor, [None, KNOWN])
    panel = read_page(floor.by(Position.PIT_SUPERVISOR), "/tables/t1").id("known-first")
    assert "first cards are known" in panel.words
    assert "these cards" in panel.words
    assert [each.attributes["alt"] for each in panel.all("img")] == ["a card face down", "eight of hearts"]


WORTH = {
    **dict.fromkeys("A234TJQK", (Fraction(25, 1000), Fraction(60, 1000))),
    **dict.fromkeys("56", (Fraction(5, 1000), Fraction(15, 1000))),
    "7": (Fraction(65, 1000), Fraction(75, 1000)),
    "8": (Fraction(165, 1000), Fraction(175, 1000)),
    "9": (Fraction(2145, 10000), Fraction(2155, 10000)),
}
"""By rank, what the better of Player and Banker is worth with eight decks, as the reading of left-over cards says."""


@pytest.mark.parametrize("rank", WORTH)
@pytest.mark.parametrize("game", ["commission-insurance", "da-hu-ying-xiong"])
def test_a_known_first_card_is_worth_what_the_reading_says(game: str, rank: str) -> None:
    rules, first = book(game), (read_card(f"{rank}s"),)
    dealt = solve_known(rules, first, shoe_without(rules, 8, first))
    assert dealt is not None
    least, most = WORTH[rank]
    assert least <= -min(bet_figures(rules.bets[bet], dealt).edge for bet in ("player", "banker")) <= most


PLAYER_FIRST = "Exposed and carried over: Player's first card"


@pytest.mark.parametrize("path", ["/tables/t1", "/tables/t1/board"])
def test_everybody_sees_an_exposed_card_and_who_gets_it_until_it_is_dealt(floor: Server, path: str) -> None:
    at = carried_over(floor, [KNOWN])

    def shown(language: str = "en") -> list[tuple[str, str]]:
        page = read_page(floor.client(), path, language)
        notices = [line for notice in page.all("div", "carried") for line in notice.all("p")]
        return [(line.words, next(iter(line.all("img"))).attributes["alt"]) for line in notices]

    assert shown() == [(PLAYER_FIRST, "eight of hearts")]
    assert shown("zh") == [("已亮出的待用牌：闲家第一张牌", "红心8")]
    floor.run(at.do(DEALER, "open_betting"))
    assert shown() == [(PLAYER_FIRST, "eight of hearts")]
    floor.run(at.do(DEALER, "close_betting"))
    assert shown() == [(PLAYER_FIRST, "eight of hearts")]
    floor.run(at.do(DEALER, "deal_card"))
    assert shown() == []


def test_cards_face_down_are_not_shown_and_each_exposed_one_says_where_it_goes(floor: Server) -> None:
    carried_over(floor, [None, KNOWN, "2c", "3d", "4c"])
    head = read_page(floor.client(), "/tables/t1").id("head")
    assert [each.attributes["alt"] for each in head.all("img")] == [
        "eight of hearts",
        "two of clubs",
        "three of diamonds",
        "four of clubs",
    ]
    places = ("Banker's first card", "Player's second card", "Banker's second card", "dealt later")
    assert all(f"carried over: {place}" in head.words for place in places)


def test_a_card_exposed_while_betting_is_open_is_not_one_carried_over(floor: Server) -> None:
    at = floor.run(betting_table(floor.floor, "t1", "tiger-buffalo", burn=False, **LIMITS))
    floor.run(at.do(SUPERVISOR, "report_excess_card", cards=[KNOWN]))
    assert state(floor, None)["carried"] == [KNOWN]
    assert [each.words for each in read_page(floor.client(), "/tables/t1").all("p") if "carried" in each.words] == []
