"""The display board: roads, counts and offers match the rounds played, and it updates live."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect

from punto.board.layout import Square
from punto.board.results import Mark, read_marks
from punto.board.roads import Colour, Derived, Roads, roads
from punto.board.statistics import statistics
from punto.library import book
from punto.rules.coup.space import Winner
from punto.rules.coup.table_of_play import Side
from punto.rules.topics import Topic
from tests.browser.conftest import Axe, PageAt, Screenshot
from tests.browser.looking import look_at, sticks_out
from tests.browser.tables import Felt, add_table
from tests.web.serving import Server, server

WIDE, NARROW = 26, 13
"""Visible columns."""
EVENING = "T T P BBBBBBBBB Tb PPp B T P Bb PP BB P B P Tp B P B PP BBB P B P B P B P B P B P B P B"
"""Starts with ties; has a dragon that turns at the bottom, pairs, and more columns than fit."""
SHAPES = {Derived.BIG_EYE_BOY: "hollow", Derived.SMALL_ROAD: "solid", Derived.COCKROACH_PIG: "slash"}
KINDS = {Derived.BIG_EYE_BOY: "big-eye-boy", Derived.SMALL_ROAD: "small", Derived.COCKROACH_PIG: "cockroach-pig"}
BANKER_INSURED = "Ts 2d Th 3c"
ACROSS_THE_PIT_PX = 18


class Drawn(NamedTuple):
    """A mark and its square, counted in the visible columns."""

    classes: frozenset[str]
    column: int
    row: int


class Shoe:
    """Deals naturals for any result, with no card more often than eight decks contain it."""

    def __init__(self) -> None:
        self._drawn: Counter[str] = Counter()

    def _card(self, ranks: str) -> str:
        rank = min(ranks, key=lambda rank: self._drawn[rank])
        self._drawn[rank] += 1
        return f"{rank}{'shdc'[self._drawn[rank] % 4]}"

    def coup(self, mark: Mark) -> str:
        """Four cards with that result, with pairs exactly where the result has them."""
        wins, loses = {Winner.PLAYER: (0, 1), Winner.BANKER: (1, 0), Winner.TIE: (0, 0)}[mark.winner]
        hands = []
        for which, pair in ((wins, mark.player_pair), (loses, mark.banker_pair)):
            if pair:
                ranks = ("4", "4") if which == 0 else ("A", "A")
            elif mark.winner is Winner.TIE:
                ranks = ("8", "KQJT")
            else:
                ranks = ("89", "KQJT") if which == 0 else ("23", "KQJT")
            hands.append([self._card(choice) for choice in ranks])
        (first, third), (second, fourth) = hands
        return f"{first} {second} {third} {fourth}"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor for the tables of this file."""
    with server(str(tmp_path_factory.mktemp("board") / "floor.db")) as made:
        yield made


def in_sight(cells: Iterable[tuple[Square, set[str]]], columns: int) -> set[Drawn]:
    """The marks in the visible columns."""
    found = list(cells)
    first = max(0, max((place.column for place, _ in found), default=0) + 1 - columns)
    return {Drawn(frozenset(what), place.column - first, place.row) for place, what in found if place.column >= first}


def drawn(road: Locator) -> set[Drawn]:
    """The marks on a road of the page."""
    told = road.locator(".mark").evaluate_all("""marks => marks.map((mark) => {
      const box = mark.querySelector("circle:not([class]), line:not([class])").getBBox();
      const kinds = [...mark.children].flatMap((part) => part.getAttribute("class") ?? []);
      const named = [...mark.classList].filter((name) => !["mark", "last"].includes(name));
      return [[...named, ...kinds], box.x + box.width / 2, box.y + box.height / 2];
    })""")
    assert all(x % 20 == y % 20 == 10 for _, x, y in told)
    found = {Drawn(frozenset(classes), int(x // 20), int(y // 20)) for classes, x, y in told}
    assert len(found) == len(told)
    return found


def decorations(mark: Mark, ties: int = 0) -> set[str]:
    """The decorations of a mark besides its colour."""
    found = {"letter", "pair-banker"} if mark.banker_pair else {"letter"}
    found |= {"pair-player"} if mark.player_pair else set()
    return found | ({"tie-slash"} if ties else set()) | ({"tie-count"} if ties > 1 else set())


def looks(colour: Colour, shape: str) -> set[str]:
    """A mark of a derived road: blue is told by a dot too."""
    return {colour.value, shape} | ({"dot"} if colour is Colour.BLUE else set())


def same_as_the_rounds(page: Page, played: str) -> None:
    """Compares everything on the board with these results."""
    marks = read_marks(played)
    found: Roads = roads(marks)
    beads = ((bead.place, {bead.mark.winner.value} | decorations(bead.mark)) for bead in found.bead_plate)
    assert drawn(page.locator(".road.bead")) == in_sight(beads, WIDE)
    big = in_sight(
        (
            (cell.place, {cell.mark.winner.value, "hollow"} | decorations(cell.mark, cell.ties))
            for cell in found.big_road.cells
        ),
        WIDE,
    )
    assert drawn(page.locator(".road.big")) == big
    for road, shape in SHAPES.items():
        cells = in_sight(((cell.place, looks(cell.colour, shape)) for cell in found.derived[road]), NARROW)
        assert drawn(page.locator(f".road.{KINDS[road]}")) == cells
    for at, side in enumerate((Side.BANKER, Side.PLAYER)):
        asked = {
            Drawn(frozenset(looks(colour, SHAPES[road])), column, 0)
            for column, (road, colour) in enumerate(found.ask[side].items())
            if colour is not None
        }
        assert drawn(page.locator(".asked .road").nth(at)) == asked
    counted = statistics(marks)
    assert page.locator(".tally dd").all_inner_texts() == [
        str(counted.banker), str(counted.player), str(counted.tie)
    ]  # fmt: skip
    assert page.locator(".counts li").all_inner_texts() == [
        f"Banker pairs {counted.banker_pair}", f"Player pairs {counted.player_pair}", f"Rounds {counted.rounds}"
    ]  # fmt: skip


def test_an_evening_on_the_board(
    running: Server, page: Page, page_at: PageAt, axe: Axe, screenshot: Screenshot
) -> None:
    table, shoe = add_table(running, "commission-insurance", "Evening", differential_minor=3_000_00), Shoe()
    table.seat("Zoe", 1)
    page.goto(f"{table.address}/board")
    same_as_the_rounds(page, "")
    look_at(page, "board-empty", axe, screenshot)
    marks = read_marks(EVENING)
    for number, mark in enumerate(marks, 1):
        table.open_betting()
        table.bet("Zoe", 1, "banker", 25_00)
        table.play(shoe.coup(mark))
        if number in (2, 3, 12, len(marks)):  # ties alone, the first decision, the foot of the dragon, the end
            expect(page.locator(".counts")).to_contain_text(f"Rounds {number}")
            if number == 2:
                expect(page.locator(".road.big .mark.tie.waiting .tie-count")).to_have_text("2")
            else:
                same_as_the_rounds(page, " ".join(map(str, marks[:number])))

    # the insurance of the moment comes and goes
    expect(page.locator(".lammer")).to_have_count(0)
    table.open_betting()
    table.bet("Zoe", 1, "banker", 100_00)
    table.deal(("close_betting", {}))
    table.cards(BANKER_INSURED)
    table.deal(("open_insurance", {}))
    offer = page.locator("#now .panel.offer")
    expect(offer).to_contain_text("Player 0, Banker 5. Insurance on Banker pays")
    offered = table.running.floor.tables[table.name].rules
    line = next(
        each
        for each in offered.insurance.lines  # type: ignore[union-attr]
        if each.side is Side.BANKER and 0 in each.player and 5 in each.banker
    )
    expect(offer.locator(".lammer b")).to_have_text(f"{line.odds.numerator} to {line.odds.denominator}")
    expect(offer.locator(".clause")).to_have_text(line.clause)
    assert "Zoe" not in page.content()
    assert page.locator(".notice .clause").all_inner_texts() == list(offered.topics[Topic.DISPLAY])
    expect(page.locator(".notice")).to_contain_text("The actual result at the table prevails.")
    look_at(page, "board", axe, screenshot)
    readable_across_the_pit(page_at, table, screenshot)
    table.deal(("close_insurance", {}))
    expect(offer).to_have_count(1)  # until the next card
    table.cards("Kd")
    expect(offer).to_have_count(0)


def readable_across_the_pit(page_at: PageAt, table: Felt, screenshot: Screenshot) -> None:
    """Checks the size of text on the large screen."""
    screen = page_at(1920, 1080)
    screen.goto(f"{table.address}/board")
    parts = (".limits dd", ".limits dt", ".tally dd", ".tally dt", ".counts li", ".notice", ".verdict-line", ".offer p")
    for part in parts:
        sizes = screen.locator(part).evaluate_all("all => all.map((each) => getComputedStyle(each).fontSize)")
        assert sizes, part
        assert min(float(size.removesuffix("px")) for size in sizes) >= ACROSS_THE_PIT_PX, (part, sizes)
    assert sticks_out(screen) == []
    screenshot(screen, "page-board-pit")
    assert screen.evaluate("document.documentElement.scrollHeight") <= 1080
    screenshot(screen, "page-board-pit")


def test_where_no_insurance_is_offered_the_board_says_so(
    running: Server, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    table = add_table(running, "tiger-buffalo", "Private", private=True, no_insurance=True)
    page.goto(f"{table.address}/board")
    notice = page.locator("#now .panel", has_text="No insurance is offered at this table.")
    assert notice.locator(".clause").all_inner_texts() == list(book("tiger-buffalo").topics[Topic.NO_INSURANCE])
    table.open_betting()
    table.deal(("close_betting", {}))
    table.cards(BANKER_INSURED)
    expect(page.locator(".verdict-line")).to_contain_text("Player draws a third card")
    expect(notice).to_be_visible()
    expect(page.locator(".lammer")).to_have_count(0)
    look_at(page, "board-no-insurance", axe, screenshot)


def test_the_board_in_chinese(running: Server, page: Page, axe: Axe, screenshot: Screenshot) -> None:
    table, shoe = add_table(running, "super-six-plus", "Chinese"), Shoe()
    page.goto(f"{table.address}/board?lang=zh")
    for mark in read_marks("B B P T B"):
        table.open_betting()
        table.play(shoe.coup(mark))
    expect(page.locator(".road.bead .mark")).to_have_count(5)
    expect(page.locator(".tally")).to_contain_text("庄")
    expect(page.locator(".verdict-line")).to_contain_text("庄")
    expect(page.locator(".road.bead text").first).to_have_text("庄")
    assert [word for word in ("Banker", "Player", "Road", "Counts") if word in page.locator("main").inner_text()] == []
    look_at(page, "board-chinese", axe, screenshot)
