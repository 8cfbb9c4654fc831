"""The referee's page, without its script: every tap is a link, and the address holds the whole question."""

import re
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from punto import book as read_book
from punto.library import book_ids
from punto.rules.money import write_amount
from punto.table.procedure.trouble.tiles import TileName
from punto.table.referee.laying import lay
from punto.table.referee.link import read_link, write_link
from punto.table.referee.outcomes import outcomes
from punto.table.referee.question import BetLaid, RefereeQuestion
from punto.web.pages.referee.examples import examples
from tests.web.page_tree import Element, read_page
from tests.web.serving import Server

ENDS = {
    "excess": "-100 +50",
    "wrong_number": "0 0",
    "wrong_side": "-100 +50",
    "face_up": "? ?",
    "at_once": "? ?",
    "dealing_error": "-100 +50",
    "options": "+95 -50 ? ? -100 +50",
    "wrong_cards": "0 0",
    "runs_out": "0 0",
    "stopped": "-100 +50",
    "interruption": "0 0",
    "late_bet": "? ?",
    "walks_away": "-60",
    "nothing_fits": "-100 +50",
}
"""By example what ``Reader.ends`` is, as docs/irregularities.md has it."""


class Reader:
    """Somebody who taps on what the page shows and knows nothing else."""

    def __init__(self, floor: Server, path: str = "/referee", language: str = "en") -> None:
        self.client, self.language, self.path = floor.client(), language, path
        self.page = self.go(path)

    def go(self, path: str) -> Element:
        self.path = path
        self.page = read_page(self.client, path, self.language).id("main")
        return self.page

    def tap(self, words: str) -> None:
        """A link whose label this is, or whose words start with it."""
        links = list(self.page.all("a"))
        found = [link for link in links if link.attributes.get("aria-label") == words]
        found += [link for link in links if f"{link.words} ".startswith(f"{words} ")]
        assert found, words
        self.go(found[0].attributes["href"])

    def see(self, tile: TileName) -> None:
        (link,) = (link for link in self.page.all("a") if link.attributes.get("data-tile") == tile)
        self.go(link.attributes["href"])

    def tell(self, **facts: str) -> None:
        """Fill in the form of the facts and send it, as a browser without scripts does."""
        form = next(form for form in self.page.all("form") if "data-facts" in form.attributes)
        kept = {each.attributes["name"]: each.attributes["value"] for each in form.all("input") if _is_kept(each)}
        self.go(f"/referee?{urlencode({**kept, **facts})}")

    @property
    def question(self) -> RefereeQuestion:
        """The question in the link that people share."""
        return read_link(parse_qs(urlsplit(self.page.id("link").attributes["href"]).query)["q"][0])

    @property
    def ends(self) -> str:
        """What everybody ends with if their bets play, in the order of the page; ?: the next cards decide."""
        rows = [row for table in self.page.all("table", "ends") for row in table.one("tbody").all("tr")]
        cells = [next(row.all("td")) for row in rows]
        shown = ["?" if "open" in cell.attributes.get("class", "") else cell.words for cell in cells]
        return " ".join(shown).replace("\N{MINUS SIGN}", "-")


def _is_kept(field: Element) -> bool:
    return field.attributes.get("type") == "hidden" and "name" in field.attributes


def test_a_round_is_laid_out_told_and_ruled_on_by_tapping(standing: Server) -> None:
    reader = Reader(standing)
    assert "Lay the cards in the order they were drawn" in reader.page.words
    reader.tap("Banker 1 to 1 less 5%")
    reader.tap("Box 2")
    reader.tap("Chip of 25")
    for _ in range(2):
        reader.tap("Player 1 to 1")
    for rank in "92K3":
        reader.tap(rank)
    assert reader.ends == "-100 +50"
    reader.see(TileName.WRONG_SIDE)
    assert reader.question.happened == ("9 2 K 3",)
    reader.tell(wrong="1.2.3.4")
    assert "Report cards at the wrong side" in reader.page.words
    assert "Who may: pit supervisor or above." in reader.page.words
    assert reader.ends == "-100 +50"
    reader.tell(wrong="1.2.3.4", order="lost", reason="swept together")
    assert reader.ends == "-100 +50 ? ? +95 -50"
    reader.tap("Box 1 takes the bets back")
    reader.tap("The rest play on")
    reader.tap("This order")
    assert reader.question == RefereeQuestion(
        book="commission-insurance",
        bets=(BetLaid(1, "banker", "100"), BetLaid(2, "player", "50")),
        happened=(
            "9 2 K 3",
            {
                "command": "report_wrong_side.1",
                "as_dealt": ["banker", "player", "banker", "player"],
                "reconstructable": False,
                "reason": "swept together",
            },
            {"command": "choose_option.1", "who": "box 1", "choice": "return"},
            {"command": "call_time.1"},
            {"command": "rule_card_order.1", "order": [1, 2, 3, 4]},
        ),
    )
    assert reader.ends == "0 +50"
    reader.tap("Take the last card or step back")
    assert len(reader.question.happened) == 4


def test_cards_that_nobody_has_seen_are_laid_and_turned(standing: Server) -> None:
    reader = Reader(standing)
    for _ in range(2):
        reader.tap("?")
    reader.tap("Turn card 1")
    assert "Tap the rank of card 1." in reader.page.words
    reader.tap("9")
    assert reader.question.happened == ("?? ??", {"command": "turn_card.1", "place": 1, "card": "9"})
    reader.tap("Dealt face up")
    assert reader.question == RefereeQuestion(book="commission-insurance")


def test_insurance_is_taken_where_it_is_due(standing: Server) -> None:
    reader = Reader(standing)
    reader.tap("Banker 1 to 1 less 5%")
    for rank in "A233":
        reader.tap(rank)
    reader.tap("Chip of 25")
    reader.tap("Banker Insurance 2 to 1")
    for rank in "5K":
        reader.tap(rank)
    assert reader.ends == "-50"


def test_a_bet_is_taken_off_and_a_step_that_cannot_be_is_taken_back(standing: Server) -> None:
    reader = Reader(standing)
    reader.tap("Standing")
    reader.tap("Tie 8 to 1")
    assert list(reader.question.bets) == [BetLaid(1, "tie", "100", seated=False)]
    reader.tap("Take off: Behind box 1, Tie")
    assert list(reader.question.bets) == []
    question = RefereeQuestion(book="commission", happened=("9 2", {"command": "call_time.1"}))
    reader.go(f"/referee?q={write_link(question)}")
    assert "This cannot be" in reader.page.words
    reader.tap("Take the last card or step back")
    assert "This cannot be" not in reader.page.words


@pytest.mark.parametrize("book", book_ids())
def test_a_question_is_asked_in_another_book(standing: Server, book: str) -> None:
    question = RefereeQuestion(book="tiger-buffalo", bets=(BetLaid(1, "banker", "100"),), happened=("9 2 K 3",))
    reader = Reader(standing, f"/referee?q={write_link(question)}&book={book}&layout=A")
    assert reader.question == RefereeQuestion(book=book, bets=question.bets, happened=question.happened)
    assert reader.ends == "-100"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_examples_end_as_the_page_on_irregularities_says(standing: Server, language: str) -> None:
    start = Reader(standing, language=language)
    links = [link.attributes["href"] for link in start.page.one("section", "examples").all("a")]
    shown = examples("x")
    assert len(links) == len(shown)
    for example, href in zip(shown, links, strict=True):
        reader = Reader(standing, href, language)
        assert not list(reader.page.all("div", "refused")), example.tile
        if example.tile in ENDS:
            assert reader.ends == ENDS[example.tile], example.tile


def test_there_is_an_example_for_every_book_that_has_more_than_rulings() -> None:
    assert {example.question.book for example in examples("x")} == {*book_ids()} - {"commission"}
    assert {example.tile for example in examples("x")} <= {*TileName}


def test_the_page_and_the_engine_agree_to_the_cent(standing: Server) -> None:
    for example in examples("x"):
        rules = read_book(example.question.book)
        ends = [end.minor for outcome in outcomes(rules, lay(rules, example.question)) for end in outcome.ends]
        reader = Reader(standing, f"/referee?q={write_link(example.question)}")
        written = ["?" if minor is None else f"{'+' if minor > 0 else ''}{_money(minor)}" for minor in ends]
        assert reader.ends.split() == written


def _money(minor: int) -> str:
    return write_amount(minor).removesuffix(".00")


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("q=2abc", "a later release made it"),
        ("q=1AAAA", "damaged"),
        ("q=" + "1" * 5_000, "longer than 4,000 characters"),
        (f"q={write_link(RefereeQuestion(book='poker'))}", "poker"),
        (f"q={write_link(RefereeQuestion(book='commission', layout='Z'))}", "'Z'"),
        (f"q={write_link(RefereeQuestion(book='commission', table={'boxes': 10**9}))}", "boxes"),
        (f"q={write_link(RefereeQuestion(book='commission', table={'boxes': 'x'}))}", "not valid"),
        (f"q={write_link(RefereeQuestion(book='commission', happened=('Z',)))}", "'Z'"),
    ],
)
def test_a_link_that_is_no_question_is_refused_in_words(standing: Server, query: str, says: str) -> None:
    answer = standing.client().get(f"/referee?{query}", headers={"accept": "text/html"})
    assert answer.status_code in (400, 404, 409)
    assert re.search(r"<!doctype html>", answer.text)
    assert says in answer.text.replace("&#39;", "'")


def test_names_in_a_link_are_text_and_nothing_else(standing: Server) -> None:
    name = '<img src=x onerror="alert(1)">'
    question = RefereeQuestion(book="commission", bets=(BetLaid(1, "banker", "100", name),), happened=("9 2 K 3",))
    reader = Reader(standing, f"/referee?q={write_link(question)}")
    assert name in reader.page.words
    assert not [image for image in reader.page.all("img") if image.attributes.get("src") == "x"]


def test_where_no_bets_are_laid_everybody_with_a_bet_is_asked(standing: Server) -> None:
    asked = RefereeQuestion(book="tiger-buffalo", happened=("A 2 3 3 5",))
    reader = Reader(standing, f"/referee?q={write_link(asked)}")
    assert not list(reader.page.all("div", "step")), "nobody asks about insurance"
    reader.see(TileName.DEALING_ERROR)
    reader.tell(reason="a card fell")
    assert "Everybody with a bet chooses: play on, or take it back." in reader.page.words
    assert "Say: There was an error in dealing. Everybody with a bet" in reader.page.words
    reader.tap("All have answered: time is called")
    assert [step["command"] for step in reader.question.happened if isinstance(step, dict)][-1] == "call_time.1"
    assert "plays on" in reader.page.words
