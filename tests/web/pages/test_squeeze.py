"""What a player's page says about squeezing, from the call for bets to the cards."""

# ruff: noqa: RUF001 - Chinese has punctuation of its own

from pathlib import Path
from typing import Any

from tests.floor.playing import DEALER, SUPERVISOR, betting_table, player
from tests.web.page_tree import Element, read_page
from tests.web.serving import Server, server

SETTINGS: dict[str, Any] = {"face_down": True, "least": 1_00, "differential_minor": 5_000_00}


class Squeezing:
    """A face-down table where vera and wu play on screens."""

    def __init__(self, served: Server, **changes: Any) -> None:
        self.served = served
        self.at = served.run(betting_table(served.floor, "t1", "commission-insurance", **SETTINGS, **changes))
        self.pages = {who: served.client(served.visitor(who)) for who in ("vera", "wu")}
        for box, who in enumerate(self.pages, 3):
            self.do(DEALER, "buy_in", who=who, amount_minor=1_000_00)
            self.do(player(who), "sit", who=who, box=box)

    def do(self, *command: Any, **fields: Any) -> None:
        self.served.run(self.at.do(*command, **fields))

    def bet(self, who: str, stake_minor: int) -> None:
        box = list(self.pages).index(who) + 3
        self.do(player(who), "place_bet", who=who, box=box, bet="banker", stake_minor=stake_minor)

    def page(self, who: str, language: str = "en") -> Element:
        return read_page(self.pages[who], "/tables/t1", language)

    def may_ask(self, who: str) -> list[str]:
        buttons = self.page(who).id("stage").all("button")
        return [each.attributes["data-ask-squeeze"] for each in buttons if "data-ask-squeeze" in each.attributes]

    def notes(self, who: str, language: str = "en") -> list[str]:
        notes = self.page(who, language).id("squeeze-notes")  # also without a note: a live region
        assert notes.attributes["role"] == "status"
        return [each.words for each in notes.all("p")]

    def to_open(self, who: str) -> list[str]:
        return [each.attributes["data-squeeze"] for each in self.page(who).id("stage").all("button", "squeeze")]


def test_the_highest_bettor_asks_during_betting_and_is_told_what_becomes_of_it(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as served:
        table = Squeezing(served)
        table.bet("vera", 100_00)
        assert (table.may_ask("vera"), table.may_ask("wu")) == (["player", "banker"], [])
        table.do(player("vera"), "request_squeeze", who="vera", side="banker")
        assert (table.may_ask("vera"), table.may_ask("wu")) == (["player"], [])
        assert table.notes("vera") == ["You have asked to squeeze Banker's cards. Wait for the answer."]
        assert table.notes("vera", "zh") == ["您已申请眯庄牌，请等候答复。"]
        assert table.notes("wu") == []
        table.do(SUPERVISOR, "grant_squeeze", side="banker")
        granted = ["You may squeeze Banker's cards if you have the highest bet when betting closes."]
        assert table.notes("vera") == granted
        assert table.notes("vera", "zh") == ["停止下注时，如您的注额最高，庄牌由您眯牌。"]
        table.bet("wu", 200_00)
        table.do(player("wu"), "request_squeeze", who="wu", side="banker")
        assert (table.notes("vera"), table.may_ask("vera")) == (granted, [])
        assert table.notes("wu") == ["You have asked to squeeze Banker's cards. Wait for the answer."]
        hand = table.pages["wu"].get("/api/tables/t1").json()["state"]["round"]["banker"]
        assert (hand["accepted_by"], hand["asked_by"], hand["squeeze_from"]) == ("vera", "wu", 1)
        assert [(each["who"], each["state"]) for each in hand["squeezes"]] == [("vera", "granted"), ("wu", "asked")]
        table.do(SUPERVISOR, "refuse_squeeze", side="banker")
        table.do(DEALER, "close_betting")
        lapsed = "You can no longer squeeze Banker's cards: you do not have the highest bet."
        assert (table.notes("vera"), table.notes("wu")) == ([lapsed], [])
        assert table.notes("vera", "zh") == ["您不能再眯庄牌：您的注额不是最高。"]
        assert (table.may_ask("vera"), table.may_ask("wu")) == ([], ["player", "banker"])


def test_only_cards_dealt_after_the_request_can_be_opened(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as served:
        table = Squeezing(served)
        table.bet("vera", 100_00)
        table.do(DEALER, "close_betting")
        table.do(DEALER, "deal_card")
        table.do(player("vera"), "request_squeeze", who="vera", side="player")
        table.do(SUPERVISOR, "grant_squeeze", side="player", standing=True)
        for _ in range(3):
            table.do(DEALER, "deal_card")
        assert table.notes("vera") == ["You squeeze Player's cards that were dealt after you asked."]
        assert (table.to_open("vera"), table.to_open("wu")) == (["3"], [])
        table.do(DEALER, "squeeze_card", place=3, who="vera")
        assert table.to_open("vera") == []
        for place, card in enumerate(("9s", "2d", "Kh", "3c"), 1):
            table.do(DEALER, "turn_card", place=place, card=card)
        table.do(DEALER, "settle")
        assert table.notes("vera") == []
        table.do(DEALER, "open_betting")
        table.bet("wu", 100_00)
        assert table.notes("wu") == ["Squeezing Player's cards is granted at once."]
        state = table.pages["wu"].get("/api/tables/t1").json()["state"]
        assert state["standing_squeezes"] == ["player"]


def test_the_view_says_that_the_settings_grant_every_squeeze(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as served:
        table = Squeezing(served, squeeze_granted=True)
        table.bet("vera", 100_00)
        table.do(player("vera"), "request_squeeze", who="vera", side="player")
        table.do(DEALER, "close_betting")
        table.do(DEALER, "deal_card")
        table.do(DEALER, "squeeze_card", place=1, who="vera")
        state = table.pages["vera"].get("/api/tables/t1").json()["state"]
        assert state["standing_squeezes"] == ["player", "banker"]
        assert state["round"]["player"]["opened"] == [1]
