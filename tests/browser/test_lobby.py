"""The lobby: every game, what happens there now, and live updates."""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Page, expect

from punto.floor.running.table_setup import Pace
from punto.library import book, book_ids
from tests.browser.conftest import Axe, Screenshot
from tests.browser.looking import look_at
from tests.browser.tables import LAYOUTS, PLAY_MONEY_MINOR, Felt, add_table, choose_language, let_visitors_in
from tests.web.serving import Server, server

NAMES = {game: f"T{number}" for number, game in enumerate(book_ids(), 1)}
TEN_MINUTES = Pace(close_betting_s=600.0)


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Felt]]:
    """A table of each game. By default, betting is closed by hand."""
    with server(str(tmp_path_factory.mktemp("lobby") / "floor.db")) as running:
        tables = {game: add_table(running, game, name) for game, name in NAMES.items()}
        let_visitors_in(running, *NAMES.values())
        yield tables


@pytest.fixture
def nobody_there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor without tables."""
    with server(str(tmp_path_factory.mktemp("empty") / "floor.db")) as running:
        yield running


def card_of(page: Page, table: Felt) -> Locator:
    """A table in the lobby."""
    return page.locator("li.table").filter(has=page.get_by_text(f"Table {table.name}"))


def test_all_five_games_and_what_happens_there(
    floor: dict[str, Felt], page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    page.goto(next(iter(floor.values())).running.url)
    page.evaluate("window.sameAsEver = true")
    expect(page.locator("li.table")).to_have_count(len(NAMES))
    for game, table in floor.items():
        card = card_of(page, table)
        expect(card.locator("h2 a")).to_have_text(book(game).title.partition(" (")[0])
        expect(card.locator(".seats li.free")).to_have_count(LAYOUTS[game][1])
        expect(card.locator(".facts")).to_contain_text("25 to 5,000")
        expect(card.locator(".facts")).to_contain_text(f"Play money{PLAY_MONEY_MINOR // 100:,}")
        expect(card.locator(".mark")).to_have_count(0)

    # one of them is played at, from behind; the page stays where it is
    table = floor["super-six-plus"]
    card = card_of(page, table)
    table.seat("Zoe", 3)
    expect(card.locator(".seats li.taken")).to_have_text("3 taken")
    table.open_betting()
    expect(card.locator(".now")).to_have_text("Place your bets, please · round 1")
    expect(card.locator(".now")).to_have_class("now betting")
    table.bet("Zoe", 3, "banker", 100_00)
    table.play("2s 9d Kh Kc")
    expect(card.locator(".now")).to_contain_text("庄 Banker wins 9 to 2")
    expect(card.locator(".road .mark.banker")).to_have_count(1)
    assert page.locator(".mark").count() == 1  # at no other table
    assert "Zoe" not in page.content()
    assert page.evaluate("window.sameAsEver")  # never reloaded
    look_at(page, "lobby", axe, screenshot)

    # in the other language
    choose_language(page, "zh")
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Lobby")
    table.open_betting()
    now = page.locator("li.table", has_text=table.name).locator(".now")
    expect(now).to_contain_text("请下注")
    assert "Banker" not in page.locator("main").inner_text()
    look_at(page, "lobby-chinese", axe, screenshot)
    table.play("9s 9d Kh Kc")
    expect(now).to_contain_text("和")


def test_one_s_own_table_and_a_countdown(floor: dict[str, Felt], page: Page) -> None:
    running = floor["commission"].running
    table = add_table(running, "commission", "T9", pace=TEN_MINUTES, automations=["close_betting"])
    let_visitors_in(running, *NAMES.values(), table.name)
    page.context.request.post(f"{running.url}/api/visit", data={"name": "Ann"})
    page.goto(running.url)
    card = card_of(page, table)
    table.seat("Ann", 2)
    expect(card.locator(".seats li.mine")).to_have_text("2 yours")
    expect(card.locator(".foot a")).to_contain_text("Back to your table")
    assert card.locator(".ring").count() == 0
    table.open_betting()
    expect(card.locator(".ring text")).to_have_text(re.compile("^(600|5[0-9][0-9])$"))
    expect(card.locator(".ring.soon")).to_have_count(0)
    card.locator(".ring").evaluate("ring => { ring.dataset.until -= 590000; }")
    expect(card.locator(".ring text")).to_have_text(re.compile("^(10|[0-9])$"))
    card.locator(".ring").evaluate("ring => { ring.dataset.until -= 6000; }")
    expect(card.locator(".ring.soon")).to_have_count(1)
    table.play("2s 9d Kh Kc")
    expect(card.locator(".ring")).to_have_count(0)
    card.locator(".foot a").click()
    page.wait_for_url(table.address)


def test_a_floor_with_no_tables_says_so_until_there_is_one(
    nobody_there: Server, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    page.goto(nobody_there.url)
    expect(page.locator("main")).to_contain_text("There are no tables yet.")
    look_at(page, "lobby-empty", axe, screenshot)
    table = add_table(nobody_there, "tiger-buffalo", "New")
    expect(card_of(page, table).locator("h2 a")).to_have_text("Tiger Buffalo")
    expect(page.locator("main")).not_to_contain_text("There are no tables")


def test_a_void_round_has_room_on_its_card(insured: Felt, page: Page, axe: Axe) -> None:
    insured.open_betting()
    insured.deal(("close_betting", {}))
    insured.pit("report_foreign_card", reason="a joker in the shoe")
    page.goto(insured.running.url)
    expect(page.locator(".table .void")).to_contain_text("A card was found that does not belong to the shoe.")
    parts = page.locator(".table .felt > *").evaluate_all(
        "parts => parts.map(part => part.getBoundingClientRect()).map(box => [box.top, box.bottom])"
    )
    assert len(parts) == 6
    assert all(above[1] <= below[0] for above, below in pairwise(sorted(parts))), parts
    assert axe(page) == []
