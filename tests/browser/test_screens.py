"""What a player needs is on the screen and under nothing, at sixteen sizes from a phone to a desk, in every phase.

Each check asks the browser what is really seen: an element counts if points of it are on top at their places.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest
from playwright.sync_api import Page, expect

from punto.floor.running.table_setup import Pace
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book, book_ids
from punto.rules.topics import Topic
from tests.browser.conftest import PageAt, Screenshot
from tests.browser.looking import sticks_out
from tests.browser.tables import BANKER_INSURED, LAYOUTS, Felt, add_table, come_in, let_visitors_in, synced
from tests.marks import BOOKS, rest_at_night
from tests.web.serving import Server, server

SIZES = ((390, 664), (320, 568), (667, 375), (768, 1024), (1180, 820), (1366, 768))
MORE_SIZES = (
    *((375, 667), (360, 640), (390, 844), (683, 384), (844, 390), (820, 1180), (834, 1194), (960, 540)),
    *((1280, 800), (1920, 1080)),
)
SOME_BOOKS = ("da-hu-ying-xiong", "tiger-buffalo")
"""With side bets on one side, and with the most of them."""
DESK_PX = 1_121
"""From this width on, the roads and what else there is are beside the felt."""
WITH_ROAD = (("commission", (390, 664)), ("tiger-buffalo", (390, 844)), ("tiger-buffalo", (834, 1194)))
SOME_SQUEEZED = ("super-six-plus",)
Sizes: TypeAlias = tuple[tuple[int, int], ...]
BETS = ".area, .pick, .move, #balance"
HANDS = "#stage .hand h2, #stage .card:not(.place)"
RESULT = ".call .outcome, #call-score, #own-result > b"
SEATS = ".take h2, .pick-seat .button"
MAINS = ".area.main"
BESIDE = ".study .road, .your-results h2, .own-place a, .leaving summary"
INSURING = "#insurance [data-insure], #insurance [data-dismiss], #ins-stake, #insurance .part, #ins-h, #insurance p"
PEELING = "#peeling .peel, #peeling [data-lay-open], #peel-h"

HIDDEN = """(selector) => {
  const points = [[0.5, 0.5], [0.5, 0.12], [0.5, 0.88], [0.12, 0.5], [0.88, 0.5]];
  const fault = (node) => {
    const box = node.getBoundingClientRect();
    if (box.top < -0.5 || box.left < -0.5 || box.bottom > innerHeight + 0.5 || box.right > innerWidth + 0.5)
      return `is out of the window: ${box.left}, ${box.top} to ${box.right}, ${box.bottom}`;
    const own = node.closest(".spot, .hand, .pick") ?? node;
    for (const [x, y] of points) {
      const top = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y);
      if (!own.contains(top) && !top?.contains(node)) return `is under ${top?.id || top?.className}`;
    }
    return "";
  };
  const nodes = [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility());
  if (!nodes.length) return [`no ${selector}`];
  const named = (node) => [node.id || node.className, node.dataset.bet, node.textContent.trim().slice(0, 20)];
  return nodes.map((node) => [fault(node), ...named(node)]).filter(([what]) => what).map((each) => each.join(" "));
}"""
"""What cannot be seen. A card may lie on another of its hand, and chips on their bet."""
WORDS = """() => [...document.querySelectorAll(".area")].flatMap((area) => {
  const zoom = Number(getComputedStyle(document.body).getPropertyValue("--zoom") || 1);
  const shown = (selector) => [...area.querySelectorAll(selector)].filter(
    (node) => node.checkVisibility({ visibilityProperty: true }));
  const inkOf = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  const around = area.getBoundingClientRect();
  const isCut = (ink) => ink.top < around.top - 1 || ink.bottom > around.bottom + 1
    || ink.left < around.left - 1 || ink.right > around.right + 1;
  const overlap = (a, b) =>
    a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
  const chips = shown(".sum, .won-by, .insured-for").map((node) => node.getBoundingClientRect());
  return shown(".name, .pays").map((node) => [node, inkOf(node)]).flatMap(([node, ink]) => [
    ...(isCut(ink) ? [`${area.dataset.bet}: ${node.textContent} is cut`] : []),
    ...(chips.some((chip) => overlap(ink, chip)) ? [`${area.dataset.bet}: chips on ${node.textContent}`] : []),
    ...(around.height / zoom > 230 ? [`${area.dataset.bet} is ${around.height} high`] : []),
  ]);
})"""
LAID_OUT = """() => {
  const inkOf = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  const texts = [...document.querySelectorAll("main *")].flatMap((node) => [...node.childNodes])
    .filter((node) => node.nodeType === 3 && node.data.trim() && !node.parentElement.closest(".vh, .sheet, script"))
    .filter((node) => node.parentElement.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
  const covered = [...document.querySelectorAll(".ask-squeeze.late")].flatMap((ask) => texts
    .filter((text) => !ask.contains(text) && overlap(inkOf(text), ask.getBoundingClientRect()))
    .map((text) => `the squeeze is asked for over ${text.data.trim()}`));

  const empty = document.querySelector(".none-yet");
  const road = document.querySelector(".road.big").getBoundingClientRect();
  const ink = empty && inkOf(empty);
  const spilled = empty && (ink.top < road.top - 1 || ink.bottom > road.bottom + 1 || ink.right > road.right + 1);

  const each = document.querySelector(".own-result .each");
  const line = each?.parentElement.getBoundingClientRect();
  const parts = [...each?.getClientRects() ?? []];
  const seen = parts.filter((part) => part.top < line.bottom - 3);
  const cut = seen.length && (seen.length < parts.length || seen[0].left < line.left - 1);
  return [...covered, ...(spilled ? ["the words of an empty road are not on it"] : []),
    ...(cut ? ["some bets of the result are left out"] : [])];
}"""
"""Nothing to tap lies on words, an empty road is there and says so, and the bets of a result are all there or none."""
PLACES = """() => [...document.querySelectorAll(".area")].map((node) => node.getBoundingClientRect())
  .map(({ left, top, width, height }) => [left, top, width, height].map(Math.round).join())"""
ROAD_IN_SIGHT = """() => [...document.querySelectorAll(".study .road")].some((road) => {
  const box = road.getBoundingClientRect();
  return box.height > 60 && box.top > 0 && box.bottom <= innerHeight + 1;
})"""


class Looks:
    """Looks at a page in windows of several sizes."""

    def __init__(self, page: Page, sizes: Sizes, name: str, screenshot: Screenshot) -> None:
        self._page, self._sizes, self._name, self._screenshot = page, sizes, name, screenshot
        self._places: dict[tuple[int, int], list[str]] = {}
        self.faults: list[str] = []

    def at(self, phase: str, *seen: str, words: bool = True, desk: str = BESIDE) -> None:
        """In each window these elements are seen, no words of a bet are cut or covered, and no bet has moved.

        ``desk`` are more that are seen where there is room beside the felt.
        """
        for size in self._sizes:
            self._page.set_viewport_size({"width": size[0], "height": size[1]})
            self._page.evaluate("scrollTo(0, 0)")
            all_seen = (*seen, desk) if size[0] >= DESK_PX else seen
            found = [each for selector in all_seen for each in self._page.evaluate(HIDDEN, selector)]
            found += [*sticks_out(self._page), *self._page.evaluate(LAID_OUT)]
            if words:
                found += self._page.evaluate(WORDS)
                places = self._page.evaluate(PLACES)
                found += [] if self._places.setdefault(size, places) == places else ["the bets have moved"]
            self.faults += [f"{self._name} {phase} at {size[0]}x{size[1]}: {each}" for each in found]
            self._screenshot(self._page, f"screen-{size[0]}x{size[1]}-{self._name}-{phase}")


@pytest.fixture(scope="module")
def screens(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tables of these tests."""
    with server(str(tmp_path_factory.mktemp("screens") / "floor.db")) as running:
        yield running


SQUEEZED: dict[str, Any] = {
    "shoes": ShoeKind.VIRTUAL,
    "pace": Pace(turn_s=0.0, settle_s=600.0, squeeze_s=600.0),
    "face_down": True,
    "squeeze_granted": True,
    "automations": ["turn", "squeeze", "settle"],
}
BOX = 2


def enter(table: Felt, page: Page, language: str) -> str:
    """Come in as a player without a place."""
    let_visitors_in(table.running, *table.running.floor.tables)
    player = f"Ann {len(table.running.floor.tables)}"
    come_in(page, table, player)
    table.open_betting()
    page.goto(f"{table.address}?lang={language}")
    synced(page, table)
    return player


def play_at(table: Felt, page: Page, language: str, player: str = "") -> None:
    """Sit and bet on everything, with many chips on Banker, so that the stack is high."""
    player = player or enter(table, page, language)
    table.seat(player, BOX)
    for each in book(table.game).layouts[LAYOUTS[table.game][0]].menu:
        table.bet(player, BOX, each, 1_250_00 if each == "banker" else 25_00)
    page.goto(f"{table.address}?lang={language}")
    synced(page, table)


lanes = pytest.mark.parametrize(
    ("language", "sizes"),
    [
        pytest.param("en", SIZES, id="en"),
        pytest.param("zh", SIZES, id="zh", marks=pytest.mark.nightly),
        pytest.param("en", MORE_SIZES, id="en-more", marks=pytest.mark.nightly),
        pytest.param("zh", MORE_SIZES, id="zh-more", marks=pytest.mark.nightly),
    ],
)


@lanes
@pytest.mark.parametrize("game", rest_at_night(book_ids(), SOME_BOOKS))
def test_player_banker_and_the_result_are_seen_in_every_phase(
    game: str, language: str, sizes: Sizes, screens: Server, page_at: PageAt, screenshot: Screenshot
) -> None:
    table = add_table(screens, game, f"{game} {language} {sizes[0][0]}")
    page = page_at(*sizes[0])
    player = enter(table, page, language)
    looks = Looks(page, sizes, f"{game}-{language}", screenshot)
    looks.at("choosing", SEATS, words=False, desk=MAINS)
    play_at(table, page, language, player)
    looks.at("betting", BETS, "#stage .hand h2", ".call > .words")
    table.deal(("close_betting", {}))
    table.cards(BANKER_INSURED)
    if book(game).insurance is not None:
        table.deal(("open_insurance", {}))
        expect(page.locator("#insurance")).to_be_visible()
        looks.at("insurance", INSURING, HANDS, words=False)
        page.locator("#insurance [data-dismiss]").click()
        looks.at("insurance-passed", BETS, HANDS, ".reopen")
        table.deal(("close_insurance", {}))
    table.cards("6s")
    synced(page, table)
    looks.at("dealing", BETS, HANDS, ".call > .words")
    table.finish()
    synced(page, table)
    expect(page.locator("#stage .card img")).to_have_count(len(table.round.cards))
    looks.at("result", BETS, HANDS, RESULT)
    assert not looks.faults, "\n".join(looks.faults)


@pytest.mark.parametrize("game", SOME_BOOKS)
def test_what_is_insured_is_marked_beside_the_name_of_its_bet(
    game: str, screens: Server, page_at: PageAt, screenshot: Screenshot
) -> None:
    table = add_table(screens, game, f"{game} insured")
    sizes = (*SIZES, (360, 640), (683, 384))
    page = page_at(*sizes[0])
    play_at(table, page, "en")
    table.deal(("close_betting", {}))
    table.cards(BANKER_INSURED)
    table.deal(("open_insurance", {}))
    page.locator("#insurance [data-insure]").click()
    looks = Looks(page, sizes, game, screenshot)
    expect(page.locator(".insured-for")).to_be_visible()
    table.deal(("close_insurance", {}))
    synced(page, table)
    looks.at("insured", BETS, HANDS, ".insured-for", ".area.main .stack .sum")
    table.finish()
    synced(page, table)
    looks.at("insured-result", BETS, HANDS, RESULT)
    assert not looks.faults, "\n".join(looks.faults)


@lanes
@pytest.mark.parametrize(
    "game", rest_at_night((each.id for each in BOOKS if each.topics[Topic.SQUEEZE]), SOME_SQUEEZED)
)
def test_both_hands_and_the_cards_to_peel_are_seen(
    game: str, language: str, sizes: Sizes, screens: Server, page_at: PageAt, screenshot: Screenshot
) -> None:
    table = add_table(screens, game, f"{game} {language} {sizes[0][0]} squeezed", **SQUEEZED)
    page = page_at(*sizes[0])
    play_at(table, page, language)
    looks = Looks(page, sizes, f"{game}-{language}", screenshot)
    looks.at("before-squeeze", BETS, "#stage .hand h2", "[data-ask-squeeze]")
    page.locator("[data-ask-squeeze=banker]").click()
    expect(page.locator("[data-ask-squeeze=banker]")).to_have_count(0)
    table.deal(("close_betting", {}), *[("deal_card", {})] * 4)
    expect(page.locator("[data-peel]")).to_have_count(2)
    expect(page.locator(".hand.player img")).to_have_count(2)
    looks.at("squeeze", PEELING, HANDS, words=False)
    assert not looks.faults, "\n".join(looks.faults)


@pytest.mark.parametrize(("game", "size"), WITH_ROAD)
def test_a_road_is_on_the_first_screen_where_there_is_room(
    game: str, size: tuple[int, int], screens: Server, page_at: PageAt
) -> None:
    table = add_table(screens, game, f"{game} with a road {size[0]}x{size[1]}")
    page = page_at(*size)
    play_at(table, page, "en")
    assert page.evaluate(ROAD_IN_SIGHT)


FONT_SIZES = """(root) => {
  const sheet = new CSSStyleSheet();  // the content security policy allows no style in the page
  sheet.replaceSync(`html { font-size: ${root}px; }`);
  document.adoptedStyleSheets = [sheet];
  const words = (node) => [...node.childNodes].some((each) => each.nodeType === 3 && each.data.trim());
  return [...document.querySelectorAll("body *")].filter((node) => words(node) && !node.closest("svg, script"))
    .map((node) => [node.className || node.nodeName, (parseFloat(getComputedStyle(node).fontSize) / root).toFixed(3)]);
}"""


@pytest.mark.parametrize("size", [(390, 664), (667, 375), (1180, 820)])
def test_all_words_grow_with_the_font_size_of_the_browser(
    size: tuple[int, int], screens: Server, page_at: PageAt
) -> None:
    table = add_table(screens, "tiger-buffalo", f"large words {size[0]}")
    page = page_at(*size)
    play_at(table, page, "en")
    usual, larger = page.evaluate(FONT_SIZES, 16), page.evaluate(FONT_SIZES, 20)
    chips = ("chip ",)  # what is printed on a chip grows with the chip
    grown = [(name, share) for name, share in larger if not name.startswith(chips)]
    assert grown == [(name, share) for name, share in usual if not name.startswith(chips)]
    assert len(grown) > 100
