"""What pages and the API show where cards are entered by rank alone and boxes have labels."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx2
import pytest

from punto.rules.coup.cards import RANKS, Face
from punto.table.records.positions import Position
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.base.static_files import static
from punto.web.pages.parts.words import card_name
from tests.cli.running import punto
from tests.floor.playing import DEALER, SUPERVISOR, At, betting_table, player
from tests.web.page_tree import Element, read_page
from tests.web.serving import Server, server

GAME = "commission-insurance"
LABELS = ("1", "2", "3", "5", "A", "B")
CARDS = ("9", "2", "K", "3c")
"""Player wins 9 to 5. The last card was entered with its suit."""


class Felt(NamedTuple):
    served: Server
    vera: httpx2.Client
    path: Path


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Felt]:
    """A settled round. Vera, a visitor, sits at box 4 (label 5); somebody sits at box 5 and somebody behind it."""
    path = tmp_path_factory.mktemp("felt") / "floor.db"
    with server(str(path)) as running:
        at = running.run(betting_table(running.floor, "t1", GAME, boxes=6, box_labels=LABELS, faces_by_rank=True))
        vera = running.visitor("vera")
        running.run(_play(at))
        yield Felt(running, running.client(vera), path)


async def _play(at: At) -> None:
    for who, box, bet in (("vera", 4, "player"), ("box 5", 5, "banker"), ("behind box 5", 5, "banker")):
        await at.do(DEALER, "buy_in", who=who, amount_minor=500_00)
        await at.do(DEALER, "stand_behind" if who.startswith("behind") else "sit", who=who, box=box)
        await at.do(player(who), "place_bet", who=who, box=box, bet=bet, stake_minor=100_00)
    await at.do(DEALER, "close_betting")
    for card in CARDS:
        await at.do(DEALER, "deal_card", card=card)
    await at.do(DEALER, "settle")


@pytest.fixture
def vera(floor: Felt) -> httpx2.Client:
    return floor.vera


def _cards(page: Element) -> dict[str, list[tuple[str, str]]]:
    """By hand, the picture of each card and its words for screen readers."""
    return {
        hand.attributes["aria-label"]: [
            (re.sub(r".*cards/(.*)\.svg.*", r"\1", image.attributes["src"]), image.attributes["alt"])
            for image in hand.all("img", "face")
        ]
        for hand in page.all("section", "hand")
    }


# ---- cards


@pytest.mark.parametrize("address", ["/tables/t1", "/tables/t1/board"])
@pytest.mark.parametrize(
    ("language", "shown"),
    [
        (
            "en",
            {"Player": [("9", "nine"), ("K", "king")], "Banker": [("2", "two"), ("3c", "three of clubs")]},
        ),
        ("zh", {"闲": [("9", "9"), ("K", "K")], "庄": [("2", "2"), ("3c", "梅花3")]}),
    ],
)
def test_a_rank_is_a_card_without_a_suit(
    vera: httpx2.Client, address: str, language: str, shown: dict[str, list[tuple[str, str]]]
) -> None:
    assert _cards(read_page(vera, address, language)) == shown


def test_the_history_shows_both_hands_and_says_why(vera: httpx2.Client) -> None:
    page = read_page(vera, "/tables/t1/history", "en")
    hands = {
        strip.one("span").words: [image.attributes["alt"] for image in strip.all("img")]
        for strip in page.all("p", "strip")
    }
    assert hands == {"Player": ["nine", "king"], "Banker": ["two", "three of clubs"]}
    assert "Player wins 9 to 5." in page.one("ol", "results").words


@pytest.mark.parametrize("face", [*map(str, Face), "back"])
def test_every_face_has_a_picture(vera: httpx2.Client, face: str) -> None:
    picture = vera.get(static(f"cards/{face}.svg"))
    assert picture.status_code == 200
    assert picture.headers["content-type"].startswith("image/svg+xml")


def test_every_rank_has_words_in_both_languages() -> None:
    for language in ("en", "zh"):
        words = [card_name(rank, TRANSLATORS[language]) for rank in RANKS]
        assert len({*words}) == len(RANKS)
        assert all(words)


def test_the_api_gives_cards_as_they_were_entered(floor: Felt) -> None:
    dealer = floor.served.by(Position.DEALER)
    state = dealer.get("/api/tables/t1").json()["state"]
    assert state["settings"]["box_labels"] == [*LABELS]
    assert state["round"]["player"]["cards"] == ["9", "K"]
    assert state["round"]["banker"]["cards"] == ["2", "3c"]
    events = dealer.get("/api/tables/t1/events?most=500").json()["events"]
    turned = [each["event"]["card"] for each in events if each["event"]["event"] == "card_turned.1"]
    assert turned == [*CARDS]
    (summary,) = dealer.get("/api/tables/t1/rounds").json()["rounds"]
    assert summary["cards"] == [*CARDS]
    assert floor.served.client().get("/api/tables/t1").json()["state"]["round"]["player"]["cards"] == ["9", "K"]


# ---- boxes


@pytest.mark.parametrize(("language", "box"), [("en", "box {}"), ("zh", "{}号位")])
def test_the_felt_and_the_lobby_show_labels(vera: httpx2.Client, language: str, box: str) -> None:
    page = read_page(vera, "/tables/t1", language)
    arc = page.one("svg", "arc")
    assert [text.words for text in arc.all("text", "no")] == [*LABELS]
    assert [box.format(label) in title.words for title, label in zip(arc.all("title"), LABELS, strict=True)] == [
        True
    ] * 6
    assert page.id("box-h").words.casefold().startswith(box.format("5"))
    assert page.one("div", "areas").attributes["data-box"] == "4"  # commands have the number
    seats = read_page(vera, "/", language).one("ol", "seats")
    assert [each.words.split()[0] for each in seats.all("li")] == [*LABELS]


def test_people_named_by_a_place_are_shown_by_its_label(floor: Felt) -> None:
    page = read_page(floor.served.by(Position.DEALER), "/tables/t1/history", "en")
    assert [heading.words.rpartition(" ")[0] for heading in page.all("h3")] == ["vera", "Box A", "Behind box A"]


def test_the_history_keeps_the_labels_of_its_time(tmp_path: Path) -> None:
    with server(str(tmp_path / "floor.db")) as running:
        at = running.run(betting_table(running.floor, "t1", GAME, boxes=6, box_labels=LABELS, faces_by_rank=True))
        running.run(_play(at))
        running.run(at.do(SUPERVISOR, "close_table"))
        running.run(at.open(GAME, boxes=6, box_labels=tuple("uvwxyz")))
        page = read_page(running.by(Position.DEALER), "/tables/t1/history", "en")
        assert "Box A" in page.words
        (summary,) = running.by(Position.DEALER).get("/api/tables/t1/rounds").json()["rounds"]
        assert summary["box_labels"] == [*LABELS]


def test_a_refusal_at_the_table_names_the_label(vera: httpx2.Client) -> None:
    body = {"id": "sit-vera-5", "command": {"command": "sit.1", "who": "vera", "box": 5}}
    answer = vera.post("/api/tables/t1/commands", json=body)
    assert answer.status_code == 409
    assert answer.json()["error"]["message"] == "Box A is taken. Choose another box."


# ---- replay and export


def test_a_replay_shows_ranks_and_says_which_labels_the_boxes_have(floor: Felt) -> None:
    done = punto("replay", "--db", str(floor.path), "t1", "1")
    assert (done.returncode, done.stderr) == (0, b"")
    words = done.stdout.decode()
    assert "The boxes are labelled 1, 2, 3, 5, A, B\n" in words
    assert "card 3 is K" in words
    assert "Player 9 K (9), Banker 2 3c (5)" in words
    assert "vera, box 4, player 100.00" in words


def test_an_export_has_ranks_and_the_numbers_of_boxes(floor: Felt, tmp_path: Path) -> None:
    for what, column, values in (("rounds", "cards", {"9 2 K 3c"}), ("bets", "box", {"4", "5"})):
        path = tmp_path / f"{what}.csv"
        done = punto("export", "--db", str(floor.path), "--what", what, "--out", str(path))
        assert (done.returncode, done.stderr) == (0, b""), done.stderr
        with path.open(newline="") as file:
            assert {row[column] for row in csv.DictReader(file)} == values
