"""The page of a table tells players what went wrong, what is being done about it and what it means for them."""

from collections.abc import Iterator
from typing import Any

import pytest

from punto import book
from punto.catalogue.sentence import LANGUAGES, Language
from punto.floor.journal.actor import Actor
from punto.rules.topics import Topic
from punto.table.records.positions import Position
from punto.table.records.settings import BetLimits
from punto.web.pages.base.i18n import TRANSLATORS
from tests.floor.playing import DEALER, MANAGER, SUPERVISOR, At, manual_table, player
from tests.web.page_tree import read_page
from tests.web.serving import Server, server

SHIFT = Actor("sid", Position.SHIFT_MANAGER)
GAME = "commission-insurance"
TOPICS = book(GAME).topics


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("happening") / "floor.db")) as running:
        yield running


class Watched:
    """A table with two visitors who have bet, and the page as each of them sees it."""

    def __init__(self, served: Server, game: str = GAME, **changes: Any) -> None:
        self.name, self.served = served.next_id(), served
        limits: dict[str, Any] = {"main": BetLimits(5_00, 5_000_00), "differential_minor": 5_000_00}
        self.at: At = served.run(manual_table(served.floor, self.name, game, **limits, **changes))
        self.people = {}
        for who in ("vera", "olga", "stranger"):
            self.people[who] = served.client(served.visitor(f"{who}{self.name}"))
        self.do(DEALER, "open_betting")
        for box, who in ((3, f"vera{self.name}"), (4, f"olga{self.name}")):
            self.do(DEALER, "buy_in", who=who, amount_minor=5_000_00)
            self.do(player(who), "sit", who=who, box=box)
            self.do(player(who), "place_bet", who=who, box=box, bet="banker", stake_minor=100_00)

    def do(self, *command: Any, **fields: Any) -> None:
        self.served.run(self.at.do(*command, **fields))

    def deal(self, cards: str) -> None:
        for card in cards.split():
            self.do(DEALER, "deal_card", card=card)

    def read(self, who: str, language: str = "en") -> tuple[str, tuple[str, ...]]:
        """What the page says about trouble, and the clauses it cites."""
        page = read_page(self.people[who], f"/tables/{self.name}", language)
        told = next(iter(page.all("ul", "happenings")), None)
        if told is None:
            return "", ()
        return " ".join(line.words for line in told.all("li")), tuple(link.words for link in told.all("a", "clause"))

    def call(self, who: str) -> str:
        return read_page(self.people[who], f"/tables/{self.name}", "en").one("div", "call").words


def test_from_a_dealing_error_to_the_settlement(served: Server) -> None:
    table = Watched(served)
    vera = f"vera{table.name}"
    assert table.read("vera") == ("", ())
    table.do(DEALER, "close_betting")
    table.deal("2s 9d 3c Kh")
    table.do(SUPERVISOR, "report_dealing_error", reason="swept together", reconstructable=False)
    words, clauses = table.read("vera")
    assert words.startswith("There was an error in dealing.")
    assert "1 player is still choosing." in words
    assert "Then a supervisor decides which card came first." in words
    assert set(TOPICS[Topic.OPTIONS]) <= set(clauses)
    assert len(clauses) == len(set(clauses)), "each clause once"
    assert "2 players are still choosing." in table.read("stranger")[0]
    assert "swept" not in words, "the reason is for staff"
    assert "Players choose" in table.call("vera")
    table.do(player(vera), "choose_option", who=vera, choice="return")
    assert "You took 100 back." in table.read("vera")[0]
    table.do(SUPERVISOR, "call_time")
    words, _ = table.read("olga")
    assert "A supervisor decides which card came first." in words
    assert "Your bets play on." in words
    table.do(SUPERVISOR, "rule_card_order", order=[1, 2, 3, 4])
    assert "decides" not in table.read("olga")[0]
    assert "发牌有误" in table.read("olga", "zh")[0]
    table.do(DEALER, "settle")
    assert table.read("olga") == ("", ()), "it is over"
    assert "You took 100 back." in table.read("vera")[0]


def test_cards_whose_order_decides_are_ruled_before_anybody_chooses(served: Server) -> None:
    table = Watched(served)
    table.do(DEALER, "close_betting")
    table.deal("2s 4d 3c Kh")
    table.do(SUPERVISOR, "report_excess_card", cards=["5h", "4c"], reconstructable=False, reason="both fell")
    words, clauses = table.read("vera")
    assert "A supervisor decides which card came first. Then everybody with a bet chooses" in words.replace("5.10 ", "")
    assert set(TOPICS[Topic.SIMULTANEOUS_CARDS] + TOPICS[Topic.SIMULTANEOUS_OPTIONS]) <= set(clauses)
    table.do(SUPERVISOR, "rule_card_order", order=[6, 5])
    assert "Players choose" in table.call("vera")


def test_what_the_table_raises_and_a_void_round(served: Server) -> None:
    table = Watched(served)
    table.do(DEALER, "close_betting")
    table.deal("9s 2d Kh 3c 5h")
    words, clauses = table.read("vera")
    assert words.startswith("A card was drawn that was not needed, or was seen too early.")
    assert "The round waits for a supervisor." in words
    assert clauses == TOPICS[Topic.EXCESS_CARDS]
    assert "5h" not in words
    assert table.read("stranger") == (words, clauses)
    table.do(SUPERVISOR, "report_foreign_card", reason="a blue back")
    words, _ = table.read("vera")
    assert words.startswith("You got 100 back.")
    assert table.read("stranger") == ("", ())
    assert "void" in table.call("stranger")


def test_insurance_that_was_left_out(served: Server) -> None:
    topics = book("tiger-buffalo").topics
    table = Watched(served, "tiger-buffalo", face_down=True)
    table.do(DEALER, "close_betting")
    for _ in range(4):
        table.do(DEALER, "deal_card")
    for place, card in enumerate(("As", "2s", "Ad", "3d"), 1):  # Banker on five
        table.do(DEALER, "turn_card", place=place, card=card)
    table.do(DEALER, "deal_card", not_offered=True)
    words, clauses = table.read("vera")
    assert words.startswith("Insurance on Banker was not offered in time.")
    assert clauses == topics[Topic.UNINSURED_BET]
    table.do(MANAGER, "offer_late_insurance")
    words, clauses = table.read("vera")
    assert words.startswith("Insurance on Banker was left out. It is offered now.")
    assert clauses == topics[Topic.LATE_INSURANCE]


def test_what_a_ruling_moves_is_told_to_the_player_alone(served: Server) -> None:
    table = Watched(served)
    table.do(SHIFT, "rule", reason="a stack was knocked over", effect="adjust", amounts={f"vera{table.name}": 500})
    words, clauses = table.read("vera")
    assert words.startswith("By a ruling of the house you got 5.")
    assert clauses == TOPICS[Topic.RULING]
    assert "knocked" not in words
    assert table.read("olga") == ("", ())


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_only_cards_are_recorded_everybody_with_a_bet_is_told_to_choose(
    served: Server, language: Language
) -> None:
    name = served.next_id()
    limits: dict[str, Any] = {"main": BetLimits(5_00, 5_000_00), "differential_minor": 5_000_00}
    at: At = served.run(manual_table(served.floor, name, GAME, **limits, cards_only=True))
    for by, command, fields in (
        (DEALER, "open_betting", {}),
        (DEALER, "close_betting", {}),
        (DEALER, "deal_card", {"card": "9s"}),
        (SUPERVISOR, "report_dealing_error", {"reason": "a card fell"}),
    ):
        served.run(at.do(by, command, **fields))
    client, address = served.client(served.visitor(f"vera{name}")), f"/tables/{name}"
    told = next(read_page(client, address, language).all("ul", "happenings"))
    assert TRANSLATORS[language]("happening.ask") in told.words
    served.run(at.do(SUPERVISOR, "call_time", took_back=1))
    told = next(read_page(client, address, language).all("ul", "happenings"))
    assert TRANSLATORS[language]("happening.ask") not in told.words
