"""The guide as pages: who gets it, which step it shows, and that an address goes on by itself."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2
import pytest

from punto.catalogue.sentence import LANGUAGES
from punto.floor.journal.actor import THE_HOUSE
from punto.table.procedure.trouble.tiles import TileName
from punto.table.records.positions import Position
from punto.table.records.reports import ReportRestart
from punto.web.pages.base.i18n import TRANSLATORS
from tests.browser.console import add_table, open_table
from tests.web.page_tree import Element, read_page
from tests.web.serving import Server, server

INSURED = "commission-insurance"
Given = tuple[str, dict[str, Any]]


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("guide") / "floor.db")) as running:
        yield running


class Guide:
    """The guide of one table, read without a browser: links are followed, buttons give their commands."""

    def __init__(self, floor: Server, table: str, game: str = INSURED, **settings: Any) -> None:
        self.floor, self.table = floor, table
        self._clients: dict[Position, httpx2.Client] = {}
        self.address = f"/tables/{table}/guide"
        open_table(floor, game, table, **settings)

    def by(self, position: Position) -> httpx2.Client:
        if position not in self._clients:
            self._clients[position] = self.floor.by(position)
        return self._clients[position]

    def give(self, command: str, position: Position = Position.DEALER, **fields: Any) -> None:
        answer = self.floor.command(self.by(position), self.table, command, **fields)
        assert answer.status_code == 200, answer.text

    def bets(self, *bets: tuple[str, int, str, int]) -> None:
        self.give("open_betting")
        for who, box, bet, stake_minor in bets:
            self.give("place_bet", who=who, box=box, bet=bet, stake_minor=stake_minor)
        self.give("close_betting")

    def deal(self, cards: str) -> None:
        for card in cards.split():
            self.give("deal_card", card=card)

    def open(self, position: Position = Position.DEALER, /, **query: str) -> "Guide":
        """At the beginning, or at the address with these parameters changed."""
        path, _, had = self.address.partition("?")
        kept = dict(parse_qsl(had)) if query else {}
        given = f"?{urlencode({**kept, **query})}" if {**kept, **query} else ""
        answer = self.by(position).get(f"{path}{given}")
        if answer.status_code == 303:
            self.address = answer.headers["location"]
        else:
            assert answer.status_code == 200, answer.text
            self.address = f"{path}{given}"
        return self

    def page(self, position: Position = Position.DEALER, language: str = "en") -> Element:
        return read_page(self.by(position), self.address, language)

    def step(self, position: Position = Position.DEALER) -> str:
        return self.page(position).id("guide").attributes["data-step"]

    def go(self, position: Position) -> None:
        """Press the large button, which needs nobody else."""
        button = self.page(position).id("go")
        assert "data-needs" not in button.attributes, button.words
        self._send(json.loads(button.attributes["data-give"]), position)

    def propose(self, position: Position = Position.DEALER) -> str:
        """Press it where somebody else has to approve; returns the position that it names."""
        button = self.page(position).id("go")
        body = {"id": self.floor.next_id(), "command": json.loads(button.attributes["data-give"])}
        answer = self.by(position).post(f"/api/tables/{self.table}/proposals", json=body)
        assert answer.status_code in (200, 201), answer.text
        self.proposal = answer.json()["id"]
        return button.attributes["data-needs"]

    def approve(self, position: Position) -> None:
        address = f"/api/tables/{self.table}/proposals/{self.proposal}/approve"
        answer = self.by(position).post(address, json={})
        assert answer.status_code == 200, answer.text

    def incident(self) -> int:
        """The number of the table's last one."""
        answer = self.by(Position.PIT_SUPERVISOR).get("/api/incidents", params={"table": self.table})
        return int(answer.json()["incidents"][0]["number"])

    def _send(self, command: dict[str, Any], position: Position) -> None:
        body = {"id": self.floor.next_id(), "command": command}
        answer = self.by(position).post(f"/api/tables/{self.table}/commands", json=body)
        assert answer.status_code == 200, answer.text


THREE = (("box 1", 1, "banker", 1_000_00), ("box 2", 2, "player", 500_00), ("behind box 3", 3, "tie", 100_00))


# ---- who gets it, and where it begins


def test_it_is_for_those_who_run_tables(floor: Server) -> None:
    guide = Guide(floor, "who")
    for position in (Position.DEALER, Position.PIT_SUPERVISOR, Position.PIT_MANAGER):
        assert guide.open(position).step(position) == "tiles"
    assert floor.by(Position.AUDITOR).get(guide.address).status_code == 403
    answer = floor.client().get("/tables/who/guide")
    assert answer.headers["location"] == "/enter?to=%2Ftables%2Fwho%2Fguide"
    assert floor.by(Position.DEALER).get("/tables/none/guide").status_code == 404


def test_its_address_says_where_the_story_begins(floor: Server) -> None:
    guide = Guide(floor, "since").open()
    assert urlsplit(guide.address).query == "since=1%2F2"
    answer = floor.by(Position.DEALER).get("/tables/since/guide?since=7/2")  # of another opening of the table
    assert answer.headers["location"] == guide.address
    assert floor.by(Position.DEALER).get("/tables/since/guide?since=x").status_code == 303


def test_without_a_table_it_asks_at_which_one(floor: Server) -> None:
    Guide(floor, "which")
    add_table(floor, "commission", "closed")
    page = read_page(floor.by(Position.PIT_SUPERVISOR), "/guide", "en")
    names = {each.attributes["data-table"] for each in page.id("which").all("a")}
    assert {"which", "closed"} <= names
    assert floor.by(Position.AUDITOR).get("/guide").status_code == 403
    closed = read_page(floor.by(Position.DEALER), "/tables/closed/guide?since=1/0", "en")
    assert closed.id("guide").attributes["data-step"] == "tiles"


@pytest.mark.parametrize("path", ["/pit", "/approvals", "/me", "/"])
def test_every_staff_screen_has_the_way_to_it(floor: Server, path: str) -> None:
    assert read_page(floor.by(Position.PIT_SUPERVISOR), path, "en").id("to-guide").attributes["href"] == "/guide"


# ---- every tile in every state of a round


def _states(floor: Server) -> Iterator[Guide]:
    """A table of each kind of trouble, and of none."""
    for name, game, cards, reports in (
        ("fresh", INSURED, None, ()),
        ("four", "tiger-buffalo", "9 2 9 2", ()),
        ("raised", "da-hu-ying-xiong", "9 2 9 2 5", ()),
        ("two", "super-six-plus", "9 2", ()),
        ("old", "commission", "9 2 9 2 5", ()),
        ("options", INSURED, "9 2", (("report_dealing_error", {"reason": "a fall"}),)),
        ("order", INSURED, "9 2", (("report_simultaneous_cards", {"cards": ["3", "4"]}),)),
    ):
        guide = Guide(floor, name, game)
        if cards is not None:
            guide.bets(*THREE[:2])
            guide.deal(cards)
        for command, fields in reports:
            guide.give(command, Position.PIT_SUPERVISOR, **fields)
        yield guide


def test_every_tile_can_be_opened_in_every_state_in_both_languages(floor: Server) -> None:
    for guide in _states(floor):
        guide.open()
        for language in LANGUAGES:
            for see in ("", "tiles", *TileName):
                guide.open(see=see)
                page = guide.page(Position.PIT_SUPERVISOR, language)
                assert page.id("now-words").words, (guide.table, see)


def test_facts_that_make_no_sense_are_asked_for_again(floor: Server) -> None:
    guide = Guide(floor, "hostile")
    guide.bets(*THREE)
    guide.deal("9 2")
    for facts in (
        {"see": "excess", "cards": "5x"},
        {"see": "excess", "cards": "." * 5000},
        {"see": "nonsense", "cards": "5"},
        {"see": "wrong_side", "sides": "9.9"},
        {"see": "nothing_fits", "effect": "adjust", "amounts": "1e9 box 1", "reason": "x"},
        {"see": "earlier_round", "round": "-1", "reason": "x"},
        {"row": "99", "drawn": "1.1.x"},
    ):
        page = guide.open().open(**facts).page()
        assert not [each for each in page.all() if each.attributes.get("id") == "go"], facts


def test_a_card_of_a_sealed_shoe_is_reported_without_naming_it(floor: Server) -> None:
    guide = Guide(floor, "sealed", shoes="virtual", face_down=True, faces_by_rank=False)
    guide.bets(*THREE)
    guide.give("deal_card")
    guide.give("deal_card")
    guide.open().open(see="face_up", place="2")
    assert "not shown before" in guide.page().id("guide").words
    guide.go(Position.DEALER)
    assert guide.step() in ("options", "done")


# ---- the way through


def test_an_address_goes_on_by_itself_to_the_end(floor: Server) -> None:
    guide = Guide(floor, "through")
    guide.bets(*THREE)
    guide.deal("2 2 2 2")
    guide.open().open(see="dealing_error", reason="a card fell off the table")
    page = guide.page()
    assert page.id("who-may").words == "pit supervisor or above"
    assert "Box 1: play on, or take 1,000 back." in page.id("choosing").words
    assert guide.propose() == "pit_supervisor"
    guide.approve(Position.PIT_SUPERVISOR)
    assert guide.step() == guide.step(Position.PIT_MANAGER) == "options"
    assert "1,000 goes back" in guide.page().id("chooser-1").words
    guide.give("choose_option", who="box 1", choice="return")
    assert "takes all bets back" in guide.page().id("chooser-1").words
    guide.go(Position.PIT_SUPERVISOR)  # the rest continue
    page = guide.page()
    assert page.id("guide").attributes["data-step"] == "done"
    assert "proposed by dora, approved by sue (pit supervisor)" in page.id("done").words
    assert [each.attributes["href"] for each in page.id("done").all("a")] == [f"/incidents/{guide.incident()}"]
    assert page.id("go").attributes["href"] == "/tables/through/deal"
    assert guide.open(see="tiles", since="1/99").step() == "tiles"


def test_where_only_cards_are_recorded_everybody_is_asked_until_time_is_called(floor: Server) -> None:
    guide = Guide(floor, "by_hand", cards_only=True)
    aloud = "There was an error in dealing. Everybody with a bet: play on, or take it back."
    guide.give("open_betting")
    guide.give("close_betting")
    guide.deal("9 2")
    guide.open().open(see="dealing_error", reason="a card fell off the table")
    page = guide.page(Position.PIT_SUPERVISOR)
    assert "Everybody with a bet chooses" in page.id("follows").words
    assert "until time is called" in page.id("then").words
    guide.go(Position.PIT_SUPERVISOR)
    console = read_page(guide.by(Position.DEALER), "/tables/by_hand/deal", "en")
    assert aloud in console.words
    pit = read_page(guide.by(Position.PIT_SUPERVISOR), "/pit", "en")
    assert "Everybody with a bet is asked, then time is called" in pit.id("tiles").words
    page = guide.page()
    assert page.id("guide").attributes["data-step"] == "options"
    assert page.id("now-words").words == "Ask everybody with a bet: play on, or take it back?"
    assert page.id("say").words == aloud
    assert page.one("p", "say-other").words == TRANSLATORS["zh"]("aloud.ask")
    assert page.id("who-may").words == "pit supervisor or above"
    assert page.id("go").attributes["data-needs"] == "pit_supervisor"
    for unreadable in ("many", "1001", "-1"):
        page = guide.open(see="options", took_back=unreadable).page()
        assert "How many players took their bets back, if you know" in page.id("missing").words
        assert not list(page.all("button", "space"))
    guide.open(see="options", took_back="2").go(Position.PIT_SUPERVISOR)
    page, told = guide.page(), "2 players took their bets back, settled by hand. All other bets play on."
    assert page.id("guide").attributes["data-step"] == "done"
    assert told in page.id("done").words
    assert page.id("say").words == "Time, please. All other bets play on."
    guide.deal("K 3")
    guide.give("settle")
    supervisor = guide.by(Position.PIT_SUPERVISOR)
    assert told in read_page(supervisor, f"/incidents/{guide.incident()}", "en").words
    assert told in read_page(supervisor, "/tables/by_hand/rounds/1-1", "en").words


FALLEN = {"cards": ["K", "3"], "reconstructable": False, "reason": "both fell"}


@pytest.mark.parametrize(
    ("table", "report", "fields"),
    [("tapped", "report_simultaneous_cards", {"cards": ["K", "3"]}), ("fallen", "report_excess_card", FALLEN)],
)
def test_the_order_of_cards_is_chosen_by_the_cards_and_the_money_shows_after_it(
    floor: Server, table: str, report: str, fields: dict[str, Any]
) -> None:
    """However it is reported that nobody knows their order."""
    guide = Guide(floor, table)
    guide.bets(*THREE[:2])
    guide.deal("9 2")
    guide.give(report, Position.PIT_SUPERVISOR, **fields)
    page = guide.open().page()
    assert "Once the order is ruled, everybody with a bet chooses." in page.id("guide").words
    assert page.id("guide").attributes["data-step"] == "order"
    orders = {each.attributes["data-order"]: each.words for each in page.id("orders").all("a")}
    assert orders.keys() == {"3.4", "4.3"}
    for words in ("Player wins 9 to 5", "staked 1,000", "More cards are needed"):
        assert words not in page.id("guide").words
    page = guide.open(drawn="3").page()
    (chosen,) = page.id("orders").all("a")
    assert chosen.attributes["data-order"] == "3.4"
    assert "Player wins 9 to 5" in chosen.words
    assert "Box 1: staked 1,000, gets 0." in chosen.words
    page = guide.open(drawn="4").page()  # the last card names itself
    drawn = {each.attributes["data-place"]: each.attributes["data-drawn"] for each in page.id("doubtful").all("a")}
    assert drawn == {"4": "1", "3": "2"}
    (chosen,) = page.id("orders").all("a")
    assert chosen.attributes["data-order"] == "4.3"
    assert "More cards are needed" in chosen.words
    assert guide.propose() == "pit_supervisor"
    guide.approve(Position.PIT_SUPERVISOR)
    assert guide.step() == "options"


def test_who_could_have_insured_is_listed_with_what_each_ends_with(floor: Server) -> None:
    guide = Guide(floor, "uninsured")
    guide.bets(("box 1", 1, "banker", 100_00), ("box 2", 2, "banker", 60_00), ("box 3", 3, "player", 10_00))
    guide.deal("A 2 3 3")
    guide.give("deal_card", card="5", not_offered=True)
    guide.give("deal_card", card="K", not_offered=True)
    guide.open().open(see="uninsured", what="return_bet")
    outcomes = guide.page().id("outcomes").words
    assert "Box 1, Banker: 100" in outcomes
    assert "Box 2, Banker: 60" in outcomes
    assert "Box 3" not in outcomes
    assert "Box 1: 0 before, 100 after." in outcomes
    guide.open(bet="1:banker:box 1", reason="the player had asked for it")
    assert guide.propose() == "pit_manager"
    guide.approve(Position.PIT_MANAGER)
    assert guide.step() == "facts"  # somebody else may be owed too
    assert "Box 1" not in guide.page().id("outcomes").words
    assert not [each for each in guide.page().all("button") if each.attributes.get("data-key") == "Space"]
    nobody_else = next(each for each in guide.page().all("button") if each.attributes.get("data-key") == "N")
    assert "Nobody (else) had meant to insure: settle" in nobody_else.words
    assert json.loads(nobody_else.attributes["data-give"])["command"] == "settle.1"
    assert nobody_else.attributes["data-needs"] == "pit_manager"
    guide.give("settle", Position.PIT_MANAGER)
    assert guide.step() == "done"
    assert "Settle" in guide.page().words


@pytest.mark.parametrize("language", ["en", "zh"])
def test_missed_insurance_that_would_have_won_says_what_is_owed_to_whom_and_who_decides(
    floor: Server, language: str
) -> None:
    guide = Guide(floor, f"owed {language}")
    guide.bets(("box 1", 1, "banker", 100_00), ("behind box 2", 2, "banker", 60_00), ("box 3", 3, "player", 10_00))
    guide.deal("A 2 3 3")
    guide.give("deal_card", card="5", not_offered=True)
    guide.give("deal_card", card="K", not_offered=True)
    guide.open()
    assert guide.step() == "facts"  # it opens where the table waits
    page = guide.page(language=language)
    assert page.id("guide").attributes["data-lamp"]  # the pit is called
    words = page.id("now").words
    assert "100" in words
    assert "60" in words
    assert "5.13" in page.id("clauses").words
    if language == "en":
        assert "Stop: insurance that was not offered would have won" in words
        assert "Box 1: 100 on Banker goes back, if they had meant to insure it." in words
        assert "Behind box 2: 60 on Banker goes back, if they had meant to insure it." in words
        assert "Take and pay nothing before the pit manager has decided." in words
        assert "pit manager or above" in page.id("who-may").words
    body = {"id": floor.next_id(), "command": {"command": "settle.1"}}
    answer = guide.by(Position.DEALER).post(f"/api/tables/{guide.table}/commands", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_authorised")
    assert answer.json()["error"]["clauses"] == ["5.13"]


def test_another_shoe_is_the_step_after_a_shoe_was_taken_off(floor: Server) -> None:
    guide = Guide(floor, "shoe")
    guide.bets(*THREE)
    guide.deal("9 2")
    guide.open().open(see="wrong_cards", what="foreign_card")
    assert "Round 1 is void" in guide.page().id("follows").words
    guide.go(Position.PIT_SUPERVISOR)
    page = guide.page()
    assert page.id("guide").attributes["data-step"] == "shoe"
    assert page.id("go").attributes["data-open"] == "shoe"
    assert page.id("say").words == "This round is void. All bets are returned."
    guide.give("load_shoe", Position.PIT_SUPERVISOR, shoe="shoe 2", decks=8)
    assert guide.step() == "done"


def test_shoes_of_the_register_are_offered_where_one_is_replaced(served: Server) -> None:
    guide = Guide(served, "another shoe")
    guide.bets(*THREE[:2])
    guide.deal("9 2")
    guide.give("report_simultaneous_cards", Position.PIT_SUPERVISOR, cards=["K", "3"])
    guide.open().open(see=TileName.AT_ONCE, what="replace_shoe")
    assert "fact-which" not in asked(guide)  # there is no register, so any name will do
    pit = guide.by(Position.PIT_SUPERVISOR)
    for shoe, decks in (("G-1", 8), ("G-2", 6), ("G-3", 8), ("G-4", 1)):
        made = pit.post("/api/shoes", json={"shoe": shoe, "decks": decks, "maker": "Angel", "batch": "7"})
        assert made.status_code in (200, 201), made.text
        for step in ("inspected", "shuffled") if shoe != "G-3" else ():  # it is not fit for use
            assert pit.post("/api/shoes/steps", json={"shoe": shoe, "step": step, "note": ""}).status_code == 201
    page = guide.page()
    assert [each.attributes["value"] for each in page.id("fact-which").all("input")] == [
        "shoe:G-2",
        "shoe:G-1",
        "other",
    ]
    assert not asked(guide) & {"fact-shoe", "fact-decks"}
    assert sent(guide) == {"shoe": "G-2", "decks": 6}
    guide.open(which="shoe:G-1")
    assert sent(guide) == {"shoe": "G-1", "decks": 8}
    guide.open(which="other", shoe="ours", decks="7")
    assert sent(guide) == {"shoe": "ours", "decks": 7}
    guide.open(which="shoe:G-3")
    assert "data-missing" in guide.page().id("fact-which").attributes
    guide.open(which="shoe:G-2").go(Position.PIT_SUPERVISOR)
    next_shoe = served.floor.tables["another shoe"].state.next_shoe
    assert next_shoe is not None
    assert (next_shoe.id, next_shoe.decks) == ("G-2", 6)


def asked(guide: Guide) -> set[str]:
    return {each.attributes.get("id", "") for each in guide.page().all("fieldset")}


def sent(guide: Guide) -> dict[str, Any]:
    body = json.loads(guide.page().id("go").attributes["data-give"])
    return {name: body[name] for name in ("shoe", "decks")}


def test_a_card_that_came_before_its_offer_is_dealt_once(floor: Server) -> None:
    guide = Guide(floor, "card out", "tiger-buffalo")
    guide.bets(*THREE[:2])
    guide.deal("A 2 3 3")
    guide.open().open(see="uninsured", what="card_out", card="5")
    assert "refused" not in guide.page().id("preview").attributes["class"]
    guide.go(Position.DEALER)
    assert guide.step() == "done"  # and not the same question again


def test_what_nobody_decided_is_no_end_of_the_guide(floor: Server) -> None:
    guide = Guide(floor, "noticed")
    guide.bets(*THREE)
    guide.deal("9 2")
    guide.open()
    guide.deal("K 3")
    restart = ReportRestart(THE_HOUSE.name, THE_HOUSE.position, 0, 1)  # too short to ask anybody
    assert floor.run(floor.floor.give(floor.floor.table("noticed"), floor.next_id(), restart)).refusal is None
    assert guide.step() == "tiles"
    guide.give("settle")
    guide.give("load_shoe", Position.PIT_SUPERVISOR, shoe="noticed 2", decks=8)
    assert guide.step() == "tiles"


def test_after_a_restart_players_choose_and_an_order_waits_for_the_dealer(floor: Server) -> None:
    for name, report, step in (
        ("chosen", ("report_dealing_error", {"reason": "a fall"}), "options"),
        ("ruled", ("report_simultaneous_cards", {"cards": ["3", "4"]}), "tiles"),
    ):
        guide = Guide(floor, name)
        guide.bets(*THREE[:2])
        guide.deal("9 2")
        guide.open()
        guide.give(report[0], Position.PIT_SUPERVISOR, **report[1])
        restart = ReportRestart(THE_HOUSE.name, THE_HOUSE.position, 0, 9_000_000)
        answer = floor.run(floor.floor.give(floor.floor.table(name), floor.next_id(), restart))
        assert answer.refusal is None
        assert guide.step() == step
    space = guide.page().id("go").attributes["href"]
    assert space.endswith("see=server_away")
    guide.address = space
    guide.go(Position.DEALER)
    assert guide.step() == "order"
