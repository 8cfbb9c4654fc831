"""What a player looks up at the table: when a bet wins, the roads, the third-card chart, the keys, the settings."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from punto.library import book
from punto.web.pages.base.i18n import TRANSLATORS
from punto.web.pages.parts.bet_conditions import condition
from tests.browser.conftest import PHONE, Axe, PageAt, Screenshot
from tests.browser.looking import look_at, sticks_out
from tests.browser.tables import BANKER_WINS, Felt, bet, come_in, felt, sit

GAME = "tiger-buffalo"
LEAF = "#leaf[open]"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Felt]:
    """One table for all tests. Each ends with its round over."""
    with felt(tmp_path_factory.mktemp("look-up"), GAME) as made:
        yield made


def _menu(table: Felt) -> tuple[str, ...]:
    assert table.state.settings is not None
    return book(GAME).layouts[table.state.settings.layout].menu


def _close(page: Page) -> None:
    page.keyboard.press("Escape")
    expect(page.locator("#leaf")).to_be_hidden()


def test_a_looker_on_sees_the_whole_layout_and_when_each_bet_wins(
    table: Felt, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    page.goto(table.address)
    shown = page.locator(".area").evaluate_all("areas => areas.map((area) => area.dataset.bet)")
    assert sorted(shown) == sorted(_menu(table))
    for language in ("en", "zh"):
        page.goto(f"{table.address}?lang={language}")
        for each in _menu(table):
            page.locator(f"[data-info={each}]").click()
            leaf = page.locator(LEAF)
            expect(leaf).to_contain_text(
                condition(book(GAME).bets[each], TRANSLATORS["en" if language == "en" else "zh"])
            )
            expect(leaf.locator("a.clause").first).to_be_visible()
            expect(leaf.locator(".facts").last).to_contain_text("%")
            if each == "player_char_siu":
                assert axe(page) == []
                screenshot(page, f"info-{language}")
            _close(page)
        look_at(page, f"looking-on-{language}", axe, screenshot)


def test_a_long_press_asks_and_does_not_bet(table: Felt, page_at: PageAt) -> None:
    phone = page_at(*PHONE)
    come_in(phone, table, "Pia")
    sit(phone, 1)
    table.open_betting()
    bet(phone, "player", 25_00)
    area = phone.locator(".area[data-bet=banker]")
    touch = {"pointerType": "touch", "isPrimary": True, "bubbles": True}
    area.dispatch_event("pointerdown", touch)
    expect(phone.locator(LEAF)).to_contain_text("Banker wins")
    area.dispatch_event("pointerup", touch)
    area.dispatch_event("click")  # as the browser sends it when the finger is lifted
    _close(phone)
    bet(phone, "tie", 25_00)
    assert {key[2] for key in table.round.bets} == {"player", "tie"}
    table.play(BANKER_WINS)


def test_keys_bet_and_look_up(table: Felt, page: Page, axe: Axe, screenshot: Screenshot) -> None:
    come_in(page, table, "Kim")
    sit(page, 2)
    table.open_betting()
    for key, name in (("p", "player"), ("B", "banker"), ("t", "tie")):
        page.wait_for_selector(f".area[data-bet={name}][data-full]")
        page.keyboard.press(key)
        page.wait_for_selector(f".area[data-bet={name}][data-stake='2500']")
    page.locator(".area[data-bet=small_buffalo]").focus()
    page.keyboard.press("w")
    expect(page.locator(LEAF)).to_contain_text("Player wins on 6 with 2 cards")
    page.keyboard.press("p")  # goes nowhere while the leaf is open
    _close(page)
    page.keyboard.press("?")
    expect(page.locator(LEAF)).to_contain_text("repeat the side bets only")
    assert axe(page) == []
    screenshot(page, "keys")
    _close(page)
    table.play(BANKER_WINS)
    assert {result.bet: result.stake_minor for result in table.round.results if result.who == "Kim"} == {
        "player": 25_00,
        "banker": 25_00,
        "tie": 25_00,
    }


def test_the_roads_and_the_chart_follow_the_cards(table: Felt, page: Page, axe: Axe, screenshot: Screenshot) -> None:
    page.goto(table.address)
    page.locator("#chart > summary").click()
    for road in ("bead", "big", "big-eye-boy", "small", "cockroach-pig"):
        expect(page.locator(f"#roads svg.road.{road}")).to_be_visible()
    expect(page.locator("#roads .asked svg")).to_have_count(2)
    rounds = page.locator("#roads .tally .player dd")
    before = int(rounds.inner_text())
    table.open_betting()
    expect(page.locator("#chart .lit")).to_have_count(0)
    table.deal(("close_betting", {}))
    table.cards("2s 3d 2h 2c")
    expect(page.locator("#chart")).to_contain_text("Player has 4: Player draws")
    expect(page.locator("#chart .lit")).to_have_count(1)
    table.pass_insurance()
    table.cards("4h")
    expect(page.locator("#chart")).to_contain_text("Banker has 5, Player's third card counts 4: Banker draws")
    expect(page.locator("#chart .lit")).to_have_count(2)
    assert axe(page) == []
    screenshot(page, "chart")
    table.pass_insurance()
    table.cards("2d")
    table.deal(("settle", {}))
    expect(rounds).to_have_text(str(before + 1))


def test_settings_are_kept_and_less_motion_stops_animations(table: Felt, page: Page, axe: Axe) -> None:
    page.emulate_media(reduced_motion="no-preference")
    page.goto(table.address)
    moving = "() => getComputedStyle(document.querySelector('.card .leaf, .road .last')).animationName"
    page.locator("[data-leaf=settings]").click()
    expect(page.locator(f"{LEAF} [name=sound][value=off]")).to_be_checked()
    expect(page.locator(f"{LEAF} [name=motion][value=full]")).to_be_checked()
    assert axe(page) == []
    page.locator(f"{LEAF} [name=motion][value=less]").check()
    page.locator(f"{LEAF} [name=sound][value=on]").check()
    page.reload()
    page.locator("[data-leaf=settings]").click()
    expect(page.locator(f"{LEAF} [name=sound][value=on]")).to_be_checked()
    expect(page.locator(f"{LEAF} [name=motion][value=less]")).to_be_checked()
    assert page.evaluate(moving) == "none"
    page.locator(f"{LEAF} a[lang=zh]").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    page.goto(f"{table.address}?lang=en")


def test_a_way_back_to_the_table_from_every_page(table: Felt, page: Page) -> None:
    page.goto(table.address)
    expect(page.locator("#back")).to_be_hidden()
    for path in ("/", f"/rules/{GAME}", "/rules/readings", "/enter"):
        page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        page.goto(table.running.url + path)
        expect(page.locator("#back")).to_have_text("← Table Orchid")
        assert sticks_out(page) == []
        page.locator("#back").click()
        page.wait_for_url(table.address)
    for path in ("/history", "/odds", "/fairness"):
        page.goto(table.address + path)
        page.locator(".bar nav a:visible", has_text="Table").click()
        page.wait_for_url(table.address)


def test_a_first_visit_is_guided_until_the_first_result(table: Felt, page: Page) -> None:
    come_in(page, table, "Fay")
    expect(page.locator(".take .steps li")).to_have_count(3)
    page.locator(".arc [data-box='3']").click()
    page.wait_for_selector(".areas[data-box='3']")
    table.open_betting()
    expect(page.locator(".hint")).to_have_text("Choose a chip, then tap a bet.")
    expect(page.locator(".hint")).to_be_visible()
    bet(page, "player", 25_00)
    expect(page.locator(".hint")).to_have_text("Bet placed. Wait for the cards.")
    table.play(BANKER_WINS)
    page.wait_for_selector(".settled .area.lost")
    table.open_betting()
    page.wait_for_selector(".hint", state="attached")
    expect(page.locator(".hint")).to_be_hidden()
    table.play(BANKER_WINS)


def test_boxes_on_the_arc_are_buttons(table: Felt, page: Page) -> None:
    for name, box in (("Ned", 3), ("Ole", 4)):
        if box not in table.state.seats:
            table.seat(name, box)
    come_in(page, table, "Sue")
    page.locator(".arc [data-box='5']").click()
    page.wait_for_selector(".areas[data-box='5']")
    # a second box
    page.locator(".arc [data-box='6']").focus()
    page.keyboard.press("Enter")
    expect(page.locator(LEAF)).to_contain_text("Box 6")
    page.locator(f"{LEAF} [data-place=sit]").click()
    page.wait_for_selector(".areas[data-box='6']")
    assert {box for box, who in table.state.seats.items() if who == "Sue"} == {5, 6}
    # behind somebody else as well
    page.locator(".arc .taken[data-box='4']").click()
    page.locator(f"{LEAF} [data-place=stand]").click()
    page.wait_for_selector(".areas[data-box='4']")
    assert table.state.behind == {"Sue": frozenset({4})}
    # between the two, and nobody moves with two boxes
    page.locator(".arc [data-box='5']").click()
    page.wait_for_selector(".areas[data-box='5']")
    page.locator(".arc .taken[data-box='3']").click()
    expect(page.locator(f"{LEAF} [data-place=stand]")).to_be_visible()
    expect(page.locator(f"{LEAF} [data-place=move]")).to_be_hidden()
    _close(page)
    page.locator("#leaving summary").click()
    page.locator("[data-leave]").click()
    page.wait_for_selector(".take")


def test_a_player_moves_when_nothing_of_theirs_is_on_the_felt(table: Felt, page: Page) -> None:
    come_in(page, table, "Max")
    page.locator(".arc [data-box='5']").click()
    page.wait_for_selector(".areas[data-box='5']")
    table.open_betting()
    bet(page, "player", 25_00)
    page.wait_for_selector(".arc[data-staked]")
    page.locator(".arc [data-box='6']").click()
    expect(page.locator(f"{LEAF} [data-place=move]")).to_be_disabled()
    expect(page.locator(LEAF)).to_contain_text("You can move once they are settled.")
    _close(page)
    table.play(BANKER_WINS)
    page.wait_for_selector(".arc:not([data-staked])")
    page.locator(".arc [data-box='6']").click()
    page.locator(f"{LEAF} [data-place=move]").click()
    page.wait_for_selector(".areas[data-box='6']")
    assert [box for box, who in table.state.seats.items() if who == "Max"] == [6]


def test_a_low_window_has_the_other_boxes_beside_the_felt(table: Felt, page_at: PageAt) -> None:
    if 6 not in table.state.seats:
        table.seat("Pia", 6)
    page = page_at(844, 390)
    come_in(page, table, "Liv")
    page.locator("[data-sit='5']").click()
    page.wait_for_selector(".areas[data-box='5']")
    others = page.locator(".no-arc [data-take]")
    expect(others.filter(has_text="Box 5")).to_have_count(0)
    others.filter(has_text="Box 6").focus()
    page.keyboard.press("Enter")
    expect(page.locator(LEAF)).to_contain_text("Box 6")
    page.locator(f"{LEAF} [data-place=move]").click()
    page.wait_for_selector(".areas[data-box='6']")
    others.filter(has_text="Box 5").click()
    page.locator(f"{LEAF} [data-place=sit]").click()
    page.wait_for_selector(".areas[data-box='5']")
    assert [box for box, who in table.state.seats.items() if who == "Liv"] == [5]
    assert table.state.behind["Liv"] == {6}
    page.set_viewport_size({"width": 1366, "height": 650})
    expect(page.locator(".no-arc")).to_be_hidden()
