"""Pages agree with the journal, the books and the exact odds."""

import hashlib
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import httpx2
import msgspec
import pytest

from punto.board.results import read_marks
from punto.catalogue.values import write_money
from punto.floor.people import floor_facts
from punto.floor.people.floor_rules import FloorRules
from punto.floor.reports.theoretical_win import exact_edges
from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book, book_ids, readings
from punto.rules.coup.table_of_play import Side
from punto.rules.topics import Topic
from punto.table.records.positions import Position
from punto.web.pages.base.i18n import TRANSLATORS, clause_mark
from punto.web.views.visibility import Sight
from tests import marks
from tests.floor.play_money import set_rules
from tests.floor.playing import DEALER, MANAGER, SUPERVISOR, At, manual_table, player
from tests.table.tables import settings
from tests.web.page_tree import Element, read_page
from tests.web.serving import Server, server
from tests.web.watching import history

INSURED = ("As", "2s", "Ad", "3d", "5h", "9h")
"""Player 2, Banker 5: insurance on Banker is due; Player wins 7 to 4."""
ROUNDS = 25
LIMITS = {"main": {"min_minor": 25_00, "max_minor": 5_000_00}, "side": {"min_minor": 5_00, "max_minor": 500_00}}


def four_cards(number: int) -> list[str]:
    """Mostly a natural of Player, sometimes a tie, with at most eight of each card in a shoe."""
    ranks = "92K3" if number % 3 else "3355" if number % 2 else "4444"
    return [f"{rank}{'shdc'[(number + at) % 4]}" for at, rank in enumerate(ranks)]


class Played:
    """A table with insurance at which vera plays."""

    def __init__(self, running: Server) -> None:
        self.server = running
        limits = msgspec.convert(LIMITS, dict[str, Any])
        self.at = running.run(_table(running, limits))
        self.vera = running.client(running.visitor("vera"))
        self.dealer = running.by(Position.DEALER)
        self.do("buy_in", who="vera", amount_minor=5_000_00)
        self.do("sit", by_vera=True, who="vera", box=3)

    def do(self, command: str, *, by_vera: bool = False, **fields: Any) -> None:
        self.server.run(self.at.do(player("vera") if by_vera else DEALER, command, **fields))

    def bets(self, **stakes: int) -> None:
        self.do("open_betting")
        for bet, stake in stakes.items():
            assert self.server.run(self.at.bet("vera", stake, box=3, bet=bet)).refusal is None
        self.do("close_betting")

    def deal(self, *cards: str) -> None:
        for card in cards:
            self.do("deal_card", card=card)

    def page(self, path: str = "", client: httpx2.Client | None = None) -> Element:
        return read_page(client or self.vera, f"/tables/t1{path}")

    def state(self) -> dict[str, Any]:
        told: dict[str, Any] = self.server.client().get("/api/tables/t1").json()["state"]
        return told


async def _table(running: Server, limits: dict[str, Any]) -> At:
    at = await manual_table(running.floor, "t1", "commission-insurance", differential_minor=4_000_00)
    await at.do(SUPERVISOR, "change_settings", settings={**_settings(running), **limits})
    return at


def _settings(running: Server) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(running.floor.table("t1").state.settings)
    return told


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """The table after rounds of every kind, with no round open."""
    with server(str(tmp_path_factory.mktemp("truth") / "floor.db")) as running:
        table = Played(running)
        table.bets(banker=100_00, tie=5_00)
        table.deal(*INSURED[:4])
        table.do("open_insurance")
        table.do("take_insurance", by_vera=True, who="vera", box=3, stake_minor=10_00)
        table.do("close_insurance")
        table.deal(*INSURED[4:])
        table.do("settle")
        for number in range(ROUNDS):
            table.bets(**({"player": 25_00} if number % 2 else {"banker": 50_00}))
            table.deal(*four_cards(number))
            table.do("settle")
        yield table


# ---- history


def _settled(played: Played) -> list[dict[str, Any]]:
    """The results of vera's bets in the journal, newest round first."""
    events = [one["event"] for one in history(played.server, "t1", Sight.STAFF)]
    rounds = [event for event in events if event["event"] == "round_settled.1"]
    return [
        {"results": [result for result in event["results"] if result["who"] == "vera"], "winner": event["winner"]}
        for event in reversed(rounds)
    ]


def _all_history(played: Played) -> list[Element]:
    found, page = list[Element](), played.page("/history")
    while True:
        found += page.all("section", "panel")
        older = [link.attributes["href"] for link in page.all("a") if link.attributes["href"].startswith("?before=")]
        if not older:
            return found
        page = played.page(f"/history{older[0]}")


def test_the_history_is_the_journals(played: Played) -> None:
    shown, settled = _all_history(played), _settled(played)
    assert len(shown) == len(settled) == ROUNDS + 1
    for number, section, event in zip(range(ROUNDS + 1, 0, -1), shown, settled, strict=True):
        assert section.one("h2").words.startswith(f"Round {number}: ")
        wanted = sorted(
            (
                write_money(result["stake_minor"]),
                _signed(result["returned_minor"] - result["stake_minor"]),
                tuple(result["clauses"]),
            )
            for result in event["results"]
        )
        bets = sorted(
            (
                details.one("span", "bet").one("small").words,
                details.one("span", "amount").words,
                tuple(link.words for link in details.all("a", "clause")),
            )
            for details in section.all("details")
        )
        assert bets == wanted
        gain = sum(result["returned_minor"] - result["stake_minor"] for result in event["results"])
        assert section.one("h3").words == f"Your bets {_signed(gain)}"


def _signed(minor: int) -> str:
    return ("+" if minor > 0 else "") + write_money(minor)


def test_every_result_in_the_history_has_its_look(played: Played) -> None:
    shown = {details.attributes["class"] for section in _all_history(played) for details in section.all("details")}
    assert shown == {"won", "lost", "push"}
    page = played.page("/history")
    sheets = [link.attributes["href"] for link in page.all("link") if link.attributes["rel"] == "stylesheet"]
    styles = "".join(played.vera.get(sheet).text for sheet in sheets)
    assert [look for look in shown if f".results .{look} " not in styles] == []


def test_the_history_shows_the_cards_and_says_why(played: Played) -> None:
    first = _all_history(played)[-1]
    hands = {strip.one("span").words: strip for strip in first.all("p", "strip")}
    cards = {
        name: re.findall(r"cards/(..)\.svg", " ".join(image.attributes["src"] for image in strip.all("img")))
        for name, strip in hands.items()
    }
    coup = book("commission-insurance").coup(" ".join(INSURED))
    assert cards == {
        "Player": [str(card) for card in coup.hand(Side.PLAYER).cards],
        "Banker": [str(card) for card in coup.hand(Side.BANKER).cards],
    }
    assert first.one("h2").words.startswith("Round 1: Player wins 7 to 4")
    by_name = {details.one("span", "bet").words.split(" ")[0]: details for details in first.all("details")}
    assert by_name["Tie"].one("span", "verdict").words == "lost"
    insured = [details.words for details in first.all("details") if "Banker Insurance" in details.words]
    assert len(insured) == 1
    assert "won" in insured[0]
    assert "Taken after four cards. Banker loses, so the insurance pays." in insured[0]
    assert "Player wins 7 to 4." in insured[0]


def test_the_totals_of_a_page_are_those_of_its_rounds(played: Played) -> None:
    settled = _settled(played)[:20]
    totals = [dd.words for dd in played.page("/history").one("section", "totals").all("dd")]
    staked = sum(result["stake_minor"] for event in settled for result in event["results"])
    returned = sum(result["returned_minor"] for event in settled for result in event["results"])
    gains = [sum(one["returned_minor"] - one["stake_minor"] for one in event["results"]) for event in settled]
    won, lost, even = (sum(test) for test in zip(*((gain > 0, gain < 0, gain == 0) for gain in gains), strict=True))
    assert totals == [
        f"20 {won} won, {lost} lost, {even} even",
        write_money(staked),
        write_money(returned),
        f"{_signed(returned - staked)} SGD",
    ]
    assert min(won, lost, even) > 0
    assert list(played.page("/history", played.dealer).all("section", "totals")) == []


def test_the_gains_add_up_to_the_balance(played: Played) -> None:
    results = [result for event in _settled(played) for result in event["results"]]
    gain = sum(result["returned_minor"] - result["stake_minor"] for result in results)
    assert played.server.floor.table("t1").state.chips_minor("vera") == 5_000_00 + gain


def test_the_staff_see_everybodys_rounds_and_others_none_but_their_own(played: Played) -> None:
    assert {
        section.one("h3").words.split()[0] for section in played.page("/history", played.dealer).all("section")
    } == {"vera"}
    wilma = played.server.client(played.server.visitor("wilma"))
    page = played.page("/history", wilma)
    assert list(page.all("section")) == []
    assert "You have no settled bets at this table yet." in page.one("main").words


# ---- the board and the lobby


def test_the_board_draws_the_results_of_the_shoe(played: Played) -> None:
    page, marks = played.page("/board", played.server.client()), read_marks(" ".join(played.state()["marks"]))
    assert len(marks) == ROUNDS + 1
    bead = [mark.attributes["class"].split()[1] for mark in page.one("svg", "bead").all("g", "mark")]
    assert bead == [mark.winner.value for mark in marks]
    tally = page.one("dl", "tally")
    for winner in ("banker", "player", "tie"):
        told = sum(mark.winner.value == winner for mark in marks)
        assert tally.one("div", winner).one("dd").words == str(told)
    kinds = [svg.attributes["class"] for svg in page.all("svg", "road")]
    assert kinds == [f"road {kind}" for kind in ("bead", "big", "big-eye-boy", "small", "cockroach-pig", "ask", "ask")]


def test_the_board_says_the_limits_and_what_prevails(played: Played) -> None:
    page, rules = played.page("/board", played.server.client()), book("commission-insurance")
    assert (
        page.one("dl", "limits").words
        == "Player, Banker 25 to 5,000 Other bets 5 to 500 Largest gap between Player and Banker, per box 4,000"
    )
    notice = page.one("p", "notice")
    assert "The actual result at the table prevails." in notice.words
    assert [link.words for link in notice.all("a")] == list(rules.topics[Topic.DISPLAY])


def test_the_lobby_shows_the_table_as_it_is(played: Played) -> None:
    state = played.state()
    card = read_page(played.server.client(), "/").id("table-1")
    assert card.one("h2").words == "Commission Baccarat with Insurance Table t1"
    boxes = {item.words.split()[0]: item.attributes["class"] for item in card.one("ol", "seats").all("li")}
    assert {box for box, look in boxes.items() if look == "taken"} == set(state["seats"])
    assert len(boxes) == state["settings"]["boxes"]
    assert "Player, Banker 25 to 5,000 Other bets 5 to 500" in card.words
    mine = read_page(played.vera, "/").id("table-1")
    assert [item.words for item in mine.all("li", "mine")] == ["3 yours"]


def test_the_lobby_tells_of_play_money(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floor_facts, "REFRESH_S", 0.0)
    visitors = played.server.service.visitors
    before = played.server.run(visitors.rules())
    assert "Play money" not in read_page(played.server.client(), "/").id("table-1").words
    allowed = FloorRules(visitors=True, buy_in_minor=1_234_00, tables=("t1",))
    played.server.run(set_rules(visitors, allowed))
    assert "Play money 1,234" in read_page(played.server.client(), "/").id("table-1").words
    played.server.run(set_rules(visitors, before))


@pytest.mark.parametrize(
    ("stakes", "differential_minor", "shown"),
    [
        ({"banker": 700_00, "player": 500_00}, 200_00, "Banker 200"),
        ({"banker": 500_00, "player": 700_00, "tie": 50_00}, -200_00, "Player 200"),
        ({"tie": 50_00}, 0, "0"),
    ],
)
def test_the_differential_of_the_table_is_beside_its_limits(
    served: Server, stakes: dict[str, int], differential_minor: int, shown: str
) -> None:
    table = Played(served)
    table.bets(**stakes)
    assert table.state()["round"]["differential_minor"] == differential_minor
    words = table.page().id("side").words
    assert f"Largest gap between Player and Banker, per box 4,000 Gap at the whole table now {shown}" in words


def test_without_bets_on_the_felt_there_is_no_differential(served: Server) -> None:
    table = Played(served)
    table.do("open_betting")
    assert table.state()["round"]["differential_minor"] is None
    assert "Gap at the whole table now 0 " in table.page().id("side").words


# ---- insurance of the moment


def test_insurance_of_the_moment_is_on_the_board_and_with_the_odds(served: Server) -> None:
    table = Played(served)
    table.bets(banker=100_00)
    table.deal(*INSURED[:4])
    assert list(table.page("/board").all("div", "lammer")) == []
    assert "No insurance is on offer at the moment." in table.page("/odds").id("moment").words
    table.do("open_insurance")
    offer = table.state()["round"]["offer"]
    board, odds = table.page("/board"), table.page("/odds").id("moment")
    assert board.one("div", "lammer").one("b").words == f"{offer['odds']} to 1"
    panel = board.one("section", "offer")
    assert "Insurance on Banker" in panel.words
    assert "Player 2, Banker 5" in panel.words
    assert [link.words for link in panel.all("a")] == offer["clauses"]
    assert f"Insurance on Banker pays {offer['odds']} to 1." in odds.words
    edge = re.search(r"cards seen: (\N{MINUS SIGN}?[\d.]+)%", odds.words)
    assert edge is not None
    full = exact_edges("commission-insurance", 8).insurance
    cell = next(
        value for (stage, side, *points), value in full.items() if (stage, side, points) == ("four", "banker", [2, 5])
    )
    # four cards of 416 make little difference, but some
    assert abs(float(edge.group(1)) - float(cell) * 100) < 3
    assert edge.group(1) != f"{float(cell) * 100:.2f}"


@marks.clause("tiger-buffalo", "4.2.2")
@pytest.mark.parametrize(
    ("language", "notice", "accepted"),
    [
        ("en", "No insurance is offered at this table.", "By taking a place you accept this."),
        ("zh", "本桌不提供保险。", "入座即表示接受。"),
    ],
)
def test_the_table_and_the_lobby_say_that_there_is_no_insurance(
    served: Server, language: str, notice: str, accepted: str
) -> None:
    table = served.run(manual_table(served.floor, "t1", "tiger-buffalo", private=True, no_insurance=True))
    for client in (served.client(), served.client(served.visitor("vera"))):
        lobby, page = (read_page(client, f"{path}?lang={language}") for path in ("/", "/tables/t1"))
        assert lobby.one("main").words.count(notice) == 1
        head = page.id("head")
        assert notice in head.words
        assert [link.words for link in head.all("a")][-1:] == list(book("tiger-buffalo").topics[Topic.NO_INSURANCE])
        assert "ann" not in head.words  # who asked is not for players
    assert accepted in page.one("main").words  # before a visitor takes a place
    insured = settings(book("tiger-buffalo"), private=True, least=1, differential_minor=1_000_000_00)
    served.run(table.do(SUPERVISOR, "change_settings", settings=msgspec.to_builtins(insured)))
    for path in ("/", "/tables/t1"):
        assert notice not in read_page(client, f"{path}?lang={language}").one("main").words


def test_only_staff_see_who_asked_for_a_table_without_insurance(served: Server) -> None:
    served.run(manual_table(served.floor, "t1", "tiger-buffalo", private=True, no_insurance=True))

    def opening(client: httpx2.Client) -> dict[str, Any]:
        event: dict[str, Any] = client.get("/api/tables/t1/events?after=1/0").json()["events"][0]["event"]
        assert event["settings"]["no_insurance"]
        return event

    assert opening(served.by(Position.DEALER))["no_insurance_asked_by"] == "ann"
    for client in (served.client(), served.client(served.visitor("vera"))):
        assert "no_insurance_asked_by" not in opening(client)


@marks.clause("tiger-buffalo", "4.2.2")
def test_a_table_without_insurance_says_so(served: Server) -> None:
    served.run(manual_table(served.floor, "t1", "tiger-buffalo", private=True, no_insurance=True))
    board, odds = (read_page(served.client(), f"/tables/t1/{page}") for page in ("board", "odds"))
    assert "No insurance is offered at this table." in board.one("aside").words
    cited = [link.words for link in board.one("aside").all("a")]
    assert cited == list(book("tiger-buffalo").topics[Topic.NO_INSURANCE])
    assert "No insurance is offered at this table." in odds.one("main").words
    assert len(list(odds.all("table"))) == 1


# ---- odds


@pytest.mark.parametrize("game", book_ids())
def test_the_odds_are_the_exact_ones(served: Server, game: str) -> None:
    served.run(served.floor.create_table(MANAGER, TableSetup("t1", game, ShoeKind.VIRTUAL, 6)))
    layout = list(book(game).layouts)[-1]
    at = At(served.floor, "t1")
    served.run(at.open(game, layout=layout, boxes=book(game).layouts[layout].most_boxes or 7))
    page, edges, rules = read_page(served.client(), "/tables/t1/odds"), exact_edges(game, 6), book(game)
    bets, *insurance = page.all("table")
    shown = {
        row.one("th").words.split(" 闲")[0].split(" 庄")[0].split(" 和")[0]: list(row.all("td"))[2].one("strong").words
        for row in bets.one("tbody").all("tr")
    }
    menu = rules.layouts[layout].menu
    assert shown == {rules.bets[bet].name: f"{float(edges.bets[bet]) * 100:.2f}%" for bet in menu}
    cells = [
        (int(row.one("th").words), int(next(row.all("td")).words), list(row.all("td"))[2].words, row)
        for table in insurance
        for row in table.one("tbody").all("tr")
    ]
    told = sorted(
        (player, banker, f"{float(edge) * 100:.2f}%".replace("-", "\N{MINUS SIGN}"), edge < 0)
        for (_, _, player, banker), edge in edges.insurance.items()
    )
    favours = "in your favour"
    assert told == sorted(
        (player, banker, words.removesuffix(favours).strip(), words.endswith(favours))
        for player, banker, words, _ in cells
    )
    for _, _, words, row in cells:
        assert ("yours" in row.attributes["class"].split()) == words.endswith(favours)


# ---- fairness


def test_a_shoe_can_be_checked_from_the_page(served: Server) -> None:
    served.run(served.floor.create_table(MANAGER, TableSetup("v", "commission", ShoeKind.VIRTUAL)))
    at = At(served.floor, "v")
    served.run(at.open())
    for name in ("v 1", "v 2"):
        served.run(at.do(SUPERVISOR, "load_shoe", shoe=name, decks=8))
    second, first = served.client().get("/api/tables/v/shoes").json()["shoes"]
    page = read_page(served.client(), "/tables/v/fairness")
    assert [heading.words for heading in page.all("h2")] == ["How it works", "Shoe v 2, in play", "Shoe v 1, over"]
    in_play = next(each for each in page.all("section") if each.one("h2").words == "Shoe v 2, in play")
    assert [code.words for code in in_play.all("code")] == [second["commitment"]]  # and nothing of its cards
    assert list(in_play.all("img")) == []

    shoe = next(section for section in page.all("section") if "data-shoe" in section.attributes)
    sealed, nonce, cards, command = (code.words for code in shoe.all("code", "hash"))
    assert (sealed, nonce, cards) == (first["commitment"], first["nonce"], first["cards"])
    assert len(cards.split()) == 416
    assert hashlib.sha256(f"{nonce}\n{cards}".encode()).hexdigest() == sealed
    checked = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True)
    assert checked.stdout.split()[0] == sealed
    images = [image.attributes["src"] for image in shoe.all("img")]
    assert [source.split("/")[-1][:2] for source in images] == cards.split()[: len(images)]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (ShoeKind.MANUAL, "from a real shoe"),
        (ShoeKind.SEEDED, "training table"),
        (ShoeKind.VIRTUAL, "check it yourself"),
    ],
)
def test_the_page_says_where_the_cards_come_from(served: Server, kind: ShoeKind, words: str) -> None:
    served.run(served.floor.create_table(MANAGER, TableSetup("t1", "commission", kind, seed="7")))
    page = read_page(served.client(), "/tables/t1/fairness")
    assert words in page.one("main").words
    assert (len(list(page.all("section"))) == 0) == (kind is ShoeKind.MANUAL)


# ---- the rules


@pytest.mark.parametrize("game", book_ids())
def test_a_book_is_shown_clause_by_clause(served: Server, game: str) -> None:
    rules, client = book(game), served.client()
    page = read_page(client, f"/rules/{game}")
    rows = {row.one("th").words: row for row in page.all("tr") if list(row.all("td"))}
    for clause in rules.clauses.values():
        assert " ".join(rules.summary(clause.id).split()) in rows[clause_mark(clause.id, TRANSLATORS["en"])].words
    for reading in readings():
        text = " ".join(reading.text.split())
        assert (text in page.one("main").words) == bool(reading.clauses(rules))
    for bet in rules.bets.values():
        assert any(name.startswith(bet.name) for name in rows)


def test_a_clause_has_a_page_of_its_own(served: Server) -> None:
    rules, client = book("tiger-buffalo"), served.client()
    for clause in rules.clauses.values():
        page = read_page(client, f"/rules/tiger-buffalo/{clause.id}")
        assert page.one("h1").words == f"Tiger Buffalo, clause {clause.id}"
        assert " ".join(rules.summary(clause.id).split()) in page.id("clause").words
        for reading in readings():
            said = " ".join(reading.text.split()) in page.one("main").words
            assert said == (clause.id in reading.clauses(rules))
