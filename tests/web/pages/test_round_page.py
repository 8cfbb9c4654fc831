"""The page of a round: every step with what the API says about it, cut to who looks, and found from other pages."""

from collections.abc import Iterator
from typing import Any

import httpx2
import msgspec
import pytest
from msgspec.structs import replace

from punto.catalogue.sentence import Language
from punto.catalogue.values import write_money
from punto.floor.settings.gaming_day import GamingDay
from punto.library import book
from punto.table.records.positions import Position
from punto.web.messages import RoundReplay
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.parts.words import card_name
from punto.web.pages.rounds.endpoint import headline
from punto.web.pages.rounds.shown_steps import show_steps
from tests.floor.playing import DEALER, At, betting_table, player
from tests.web.incidents import PLAYER, troubled_table
from tests.web.page_tree import Element, read_page
from tests.web.serving import NAMES, Server, server

EN = TRANSLATORS["en"]
FELT = "felt 1"
HOSTILE = "<script>alert('x')</script>\"&\u05e9\u05dc\u05d5\u05dd " + "w" * 150
ROUNDS = tuple(f"/tables/felt%201/rounds/1-{number}" for number in range(4))


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A felt table with incidents, whose last ruling has a hostile note; and a table for play money with a round."""
    with server(str(tmp_path_factory.mktemp("rounds") / "floor.db")) as served:
        at = served.run(betting_table(served.floor))
        served.token(Position.PLAYER)  # before Vera has chips there, and play money is for that table alone
        served.run(_play(at))
        served.run(_insured(served.run(betting_table(served.floor, "t2", "commission-insurance"))))
        troubled_table(served, FELT)
        ruled = served.command(
            served.by(Position.SHIFT_MANAGER), FELT, "rule", effect="adjust", reason=HOSTILE, amounts={"box 2": 5_00}
        )
        assert ruled.status_code == 200, ruled.text
        yield served


async def _play(at: At) -> None:
    """Vera wins on Banker, Ben loses on Player."""
    for who, box, bet, stake_minor in (("vera", 3, "banker", 100_00), ("ben", 4, "player", 77_00)):
        await at.do(DEALER, "buy_in", who=who, amount_minor=500_00)
        await at.do(player(who), "sit", who=who, box=box)
        await at.do(player(who), "place_bet", who=who, box=box, bet=bet, stake_minor=stake_minor)
    await at.do(DEALER, "close_betting")
    for card in ("2s", "9d", "Kh", "Kc"):
        await at.do(DEALER, "deal_card", card=card)
    await at.do(DEALER, "settle")


async def _insured(at: At) -> None:
    """Ann and Ben bet on Banker, who has 5 against 0; Ann takes insurance, and the round is still in play."""
    for who, stake_minor in (("ann", 100_00), ("ben", 70_00)):
        assert (await at.bet(who, stake_minor, box=("ann", "ben").index(who) + 1, bet="banker")).refusal is None
    await at.do(DEALER, "close_betting")
    for card in ("Ks", "2d", "Kh", "3c"):
        await at.do(DEALER, "deal_card", card=card)
    await at.do(DEALER, "open_insurance")
    await at.do(player("ann"), "take_insurance", who="ann", box=1, stake_minor=10_00)


def read(client: httpx2.Client, path: str, language: str = "en") -> tuple[Element, dict[str, Any]]:
    """The page of a round, and what the API says about it."""
    answer = client.get(f"/api{path}", headers={"accept-language": language})
    assert answer.status_code == 200, answer.text
    return read_page(client, path, language).one("main"), answer.json()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("path", ROUNDS)
def test_every_step_is_on_the_page_as_the_api_has_it(floor: Server, path: str, language: Language) -> None:
    page, replay = read(floor.by(Position.AUDITOR), path, language)
    steps = list(page.all("li", "round-step"))
    assert [step.attributes["id"] for step in steps] == [f"step-{each['version']}" for each in replay["steps"]]
    links = page.one("nav", "step-list").all("a")
    assert [link.attributes["href"] for link in links] == [f"#{step.attributes['id']}" for step in steps]
    t, felt = TRANSLATORS[language], None
    for step, said in zip(steps, replay["steps"], strict=True):
        assert all(" ".join(line.split()) in step.words for line in said["lines"])
        assert all(name in step.words for name in (said["by"], said["proposed_by"], said["terminal"]) if name)
        assert (said["card"] or {"why": ""})["why"] in step.words
        marks = {mark.attributes["href"].rsplit("/", 1)[1].replace("%3A", ":") for mark in step.all("a", "clause")}
        assert marks >= set(said["clauses"])
        money = [
            [cell.words for cell in row.all("td")] for table in step.all("table", "postings") for row in _rows(table)
        ]
        assert money == [
            [write_money(each["before_minor"]), _signed(each["change_minor"]), write_money(each["after_minor"])]
            for each in said["postings"]
        ]
        figures = list(step.all("figure"))
        assert len(figures) == (said["felt"] != felt)
        felt = said["felt"]
        for figure in figures:
            cards = [card for hand in felt["hands"] for card in hand["cards"]] + felt["beside"]
            names = [t("card.face_down") if card is None else card_name(card, t) for card in cards]
            assert [image.attributes["alt"] for image in figure.all("img")] == names
            stakes = [b.words for b in figure.all("b", "num")]
            assert sorted(stakes) == sorted(write_money(stake["stake_minor"]) for stake in felt["stakes"])


def _rows(table: Element) -> Iterator[Element]:
    return table.one("tbody").all("tr")


def _signed(minor: int) -> str:
    return f"{'+' if minor > 0 else ''}{write_money(minor)}"


def test_staff_see_people_reasons_incidents_and_funds(floor: Server) -> None:
    page, replay = read(floor.by(Position.PIT_SUPERVISOR), ROUNDS[1])
    assert page.one("h1").words == "Round 1: Banker wins 5 to 3"
    assert f"Proposed by {NAMES[Position.DEALER]}; approved by {NAMES[Position.PIT_SUPERVISOR]}" in page.words
    hrefs = [link.attributes["href"] for link in page.all("a")]
    assert {"/incidents/1", "/tables/felt%201/rounds/1-0", "/tables/felt%201/rounds/1-2"} <= set(hrefs)
    assert f"/api{ROUNDS[1]}" in hrefs
    assert f"/api{ROUNDS[1]}/pack" in hrefs
    funds = page.one("section", "funds")
    assert PLAYER in funds.words
    rows = [[cell.words for cell in row.all("td")] for row in funds.one("tbody").all("tr")]
    assert len(rows) == len(replay["funds"])
    # The stake that came back was brought along, and those of box 2 and behind box 5 were lost.
    assert rows == [["0", "100", "0", "100"], ["0", "50", _signed(-50_00), "0"], ["0", "10", _signed(-10_00), "0"]]
    dealers, _ = read(floor.by(Position.DEALER), ROUNDS[1])
    assert f"/api{ROUNDS[1]}/pack" not in [link.attributes["href"] for link in dealers.all("a")]


def test_a_round_in_play_says_so_and_a_hostile_note_is_only_text(floor: Server) -> None:
    page, _ = read(floor.by(Position.AUDITOR), ROUNDS[3])
    assert "w" * 150 in page.words
    assert "<script>alert('x')</script>" in page.words
    assert list(page.all("script")) == []


def test_players_see_their_own_bets_and_nobody_elses(floor: Server) -> None:
    page, _ = read(floor.by(Position.PLAYER), "/tables/t1/rounds/1-1")
    assert page.one("h1").words == "Round 1: Banker wins 9 to 2"
    assert "ben" not in page.words
    assert "77" not in page.words
    assert "+195" in page.words
    assert "You see your own bets and money." in page.words
    (funds,) = page.one("section", "funds").one("tbody").all("tr")
    assert [cell.words for cell in funds.all("td")] == ["0", "+595", "595"]
    assert page.one("table", "results-of").one("tbody").words.startswith("Banker")


def test_the_public_sees_cards_and_clauses_and_no_money(floor: Server) -> None:
    for path in ("/tables/t1/rounds/1-1", ROUNDS[1]):
        page, _ = read(floor.client(), path)
        assert len(list(page.all("figure"))) >= 4
        assert list(page.all("a", "clause"))
        assert not any(name in page.words for name in ("vera", "ben", PLAYER, NAMES[Position.DEALER]))
        for css in ("boxes", "moved", "funds"):
            assert list(page.all("", css)) == []
        assert "Bets, names and money are shown to players for their own, and to the staff." in page.words


def test_insurance_is_shown_with_its_odds_and_to_whom_it_was_offered(floor: Server) -> None:
    page, _ = read(floor.by(Position.DEALER), "/tables/t2/rounds/1-1")
    assert page.one("h1").words == "Round 1: in play"
    assert "Reload the page to see what has happened since." in page.words
    offered = page.one("div", "offered")
    assert "Player 0, Banker 5. Insurance on Banker pays 2 to 1." in offered.words
    assert [[cell.words for cell in row.children if isinstance(cell, Element)] for row in _rows(offered)] == [
        ["ann, box 1", "100", "50"],
        ["ben, box 2", "70", "35"],
    ]
    public, _ = read(floor.client(), "/tables/t2/rounds/1-1")
    assert list(public.one("div", "offered").all("table")) == []


def test_chances_are_for_staff_and_of_a_round_in_play_for_the_pit(floor: Server) -> None:
    def shown(client: httpx2.Client, path: str) -> list[str]:
        return [each.one("dl").words for each in read(client, path)[0].all("div", "chances")]

    over, in_play = "/tables/t1/rounds/1-1", "/tables/t2/rounds/1-1"
    auditor, supervisor = floor.by(Position.AUDITOR), floor.by(Position.PIT_SUPERVISOR)
    assert shown(auditor, over)[0] == "Player 44.62% Banker 45.86% Tie 9.52%"
    assert shown(supervisor, over) == shown(auditor, over)
    assert shown(auditor, in_play) == []
    assert len(shown(supervisor, in_play)) > 8
    for path in (over, in_play):
        assert shown(floor.client(), path) == []
        assert shown(floor.by(Position.PLAYER), path) == []


def test_a_round_of_a_law_that_this_release_does_not_have_shows_its_cards_in_no_hand(floor: Server) -> None:
    path = "/api/tables/t1/rounds/1-1"
    replay = msgspec.json.decode(floor.by(Position.PLAYER).get(path).content, type=RoundReplay)
    steps = tuple(
        replace(
            step, felt=replace(step.felt, hands=(), beside=tuple(c for hand in step.felt.hands for c in hand.cards))
        )
        for step in replay.steps
    )
    other = replace(replay, steps=steps)
    assert headline(other, EN) == "Round 1: Banker wins"
    shown = show_steps(book("commission"), other, GamingDay(), EN, {})
    assert shown[-1].results[0].why == ""
    assert [len(step.felt.beside) for step in shown if step.felt][-1] == 4


def test_a_number_alone_leads_to_the_permanent_address(floor: Server) -> None:
    answer = floor.by(Position.AUDITOR).get("/tables/felt%201/rounds/2?lang=zh")
    assert (answer.status_code, answer.headers["location"]) == (303, ROUNDS[2])
    for path in ("/tables/felt%201/rounds/99", "/tables/felt%201/rounds/9-1", "/tables/felt%201/rounds/x"):
        assert floor.client().get(path).status_code == 404


def test_wherever_a_round_is_named_it_is_a_link(floor: Server) -> None:
    supervisor = floor.by(Position.PIT_SUPERVISOR)
    for path, wanted in {
        "/tables/felt%201/history": {ROUNDS[1], ROUNDS[2], ROUNDS[3]},
        "/incidents": {ROUNDS[1], ROUNDS[2], ROUNDS[3]},
        "/incidents/1": {ROUNDS[1]},
        "/pit": {ROUNDS[3], "/tables/t1/rounds/1-1", "/tables/t2/rounds/1-1"},
        "/pit/tables/felt%201": {ROUNDS[3]},
        "/tables/felt%201/deal": {ROUNDS[3]},
    }.items():
        links = {link.attributes.get("href", "") for link in read_page(supervisor, path).all("a")}
        assert {link for link in links if "/rounds/" in link} == wanted, path
    vera = floor.by(Position.PLAYER)
    for path in ("/tables/t1", "/tables/t1/history"):
        links = {link.attributes.get("href", "") for link in read_page(vera, path).all("a")}
        assert "/tables/t1/rounds/1-1" in links
