"""Ways to bet: taps, keys, drags and every bet of a layout. Refusals say why."""

from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from playwright.sync_api import Page, expect

from punto.library import book, book_ids
from punto.rules.settlement.stakes import MAIN_BETS
from punto.rules.topics import Topic
from tests.browser.conftest import Axe, Screenshot, Troubles, some_games
from tests.browser.journal import balance, same_as_the_journal
from tests.browser.tables import (
    BANKER_INSURED,
    MAXIMUM_MINOR,
    PLAY_MONEY_MINOR,
    Felt,
    bet,
    come_in,
    felt,
    sit,
)


@some_games
def test_a_refused_bet_says_why_and_by_which_clause(
    game: Felt, page: Page, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("status of 409")
    come_in(page, game, "Ann")
    sit(page, 1)
    game.open_betting()
    bet(page, "banker", MAXIMUM_MINOR)
    page.locator(".area[data-bet=banker]").click()
    toast = page.locator("#messages .refusal")
    expect(toast).to_contain_text("Your box is full on Banker: it holds at most")
    assert toast.locator(".clause").all_inner_texts() == list(book(game.game).topics[Topic.LIMITS])
    screenshot(page, f"{game.game}-refused")
    assert game.round.bets["Ann", 1, "banker"].stake_minor == MAXIMUM_MINOR
    page.keyboard.press("Escape")
    expect(toast).to_have_count(0)
    assert balance(page) == PLAY_MONEY_MINOR - MAXIMUM_MINOR


@pytest.mark.parametrize("by_keyboard", [False, True])
def test_the_clause_of_a_refusal_says_what_it_is_about(
    insured: Felt, page: Page, axe: Axe, troubles: Troubles, *, by_keyboard: bool
) -> None:
    troubles.excuse("status of 409")
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", MAXIMUM_MINOR)
    page.locator(".area[data-bet=banker]").click()
    rules, (clause,) = book(insured.game), book(insured.game).topics[Topic.LIMITS]
    mark = page.locator("#messages .refusal").get_by_role("link", name=f"clause {clause}", exact=True)
    expect(mark).to_have_attribute("href", f"/rules/{insured.game}/{clause}")
    assert axe(page) == []
    if by_keyboard:
        mark.focus()
        page.keyboard.press("Enter")
    else:
        mark.click()
    toast = page.locator("#messages .toast")
    expect(toast.locator(".summary")).to_contain_text(rules.summary(clause))
    expect(toast).to_contain_text("Your box is full on Banker: it holds at most")
    expect(mark.first).to_be_focused()
    assert axe(page) == []
    mark.first.press("Enter")  # again: the summary is there once
    expect(mark.first).not_to_have_attribute("data-busy", "1")
    expect(toast.locator(".summary")).to_have_count(1)
    toast.locator(".summary a.clause").press("Enter")
    page.wait_for_url(f"**/rules/{insured.game}/{clause}")


def test_undo_clear_and_double(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 100_00)
    bet(page, "tie", 25_00)
    page.keyboard.press("d")
    page.wait_for_selector(".area[data-bet=tie][data-stake='5000']")
    page.wait_for_selector(".area[data-bet=banker][data-stake='20000']")
    page.keyboard.press("u")  # all that was doubled
    page.wait_for_selector(".area[data-bet=tie][data-stake='2500']")
    page.wait_for_selector(".area[data-bet=banker][data-stake='10000']")
    page.keyboard.press("c")
    page.wait_for_selector(".area[data-bet=banker][data-stake='0']")
    page.wait_for_selector(".area[data-bet=tie][data-stake='0']")
    expect(page.locator("#balance")).to_have_attribute("data-minor", str(PLAY_MONEY_MINOR))
    assert insured.round.bets == {}
    page.keyboard.press("u")  # clearing is an act as well
    page.wait_for_selector(".area[data-bet=tie][data-stake='2500']")
    page.wait_for_selector(".area[data-bet=banker][data-stake='10000']")
    page.keyboard.press("u")
    page.wait_for_selector(".area[data-bet=tie][data-stake='0']")
    assert {key[2]: placed.stake_minor for key, placed in insured.round.bets.items()} == {"banker": 100_00}


def test_a_chip_is_dragged_to_a_bet(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    page.wait_for_selector(".area[data-bet=player]:not([aria-disabled=true])")
    page.locator("[data-chip='10000']").drag_to(page.locator(".area[data-bet=player]"))
    page.wait_for_selector(".area[data-bet=player][data-stake='10000']")
    assert insured.round.bets["Ann", 1, "player"].stake_minor == 100_00


def test_all_of_it_by_the_keyboard_alone(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    page.locator("[data-sit='1']").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".areas[data-box='1']")
    insured.open_betting()
    page.wait_for_selector(".area[data-bet=banker]:not([aria-disabled=true])")
    page.keyboard.press("3")
    page.locator(".area[data-bet=banker]").focus()
    page.keyboard.press("Space")
    page.wait_for_selector(".area[data-bet=banker][data-stake='10000']")
    insured.deal(("close_betting", {}))
    insured.cards(BANKER_INSURED)
    insured.deal(("open_insurance", {}))
    expect(page.locator("#insurance")).to_be_visible()
    page.locator("#ins-stake").fill("20.50")
    page.locator("[data-insure]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#insurance")).to_be_hidden()
    assert [covered.stake_minor for covered in insured.round.insurance.cover] == [20_50]


def test_a_key_held_down_is_one_wish(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 25_00)
    for _ in range(20):  # a second press before the key is let go is the keyboard's repetition
        page.keyboard.down("d")
    page.keyboard.up("d")
    page.wait_for_selector(".area[data-bet=banker][data-stake='5000']")
    page.keyboard.press("d")
    page.wait_for_selector(".area[data-bet=banker][data-stake='10000']")
    assert insured.round.bets["Ann", 1, "banker"].stake_minor == 100_00


BY_DAY = {("tiger-buffalo", "A")}
"""A menu with every kind of bet."""


def layouts() -> list[ParameterSet]:
    """The first layout with each menu of a book."""
    firsts: dict[tuple[str, frozenset[str]], str] = {}
    for game in book_ids():
        for layout in book(game).layouts.values():
            firsts.setdefault((game, frozenset(layout.menu)), layout.id)
    return [
        pytest.param(game, layout, id=f"{game}-{layout}", marks=[] if (game, layout) in BY_DAY else pytest.mark.nightly)
        for (game, _), layout in firsts.items()
    ]


PAIRED = {"tie": "3s 3d 3h 3c", "banker": "Ks 2d Kh 2c 4s 2h"}
"""A tie on six, and Banker winning on six with three cards. Both have pairs."""


@pytest.mark.parametrize(("name", "layout"), layouts())
def test_every_bet_of_a_layout_is_tapped_and_settled(name: str, layout: str, tmp_path: Path, page: Page) -> None:
    with felt(tmp_path, name, layout=layout) as table:
        menu = book(name).layouts[layout].menu
        come_in(page, table, "Ann")
        sit(page, 1)
        for winner, cards in PAIRED.items():
            table.open_betting()
            for each in menu:
                bet(page, each, 25_00)
            assert {key[2]: placed.stake_minor for key, placed in table.round.bets.items()} == dict.fromkeys(
                menu, 25_00
            )
            table.play(cards)
            expect(page.locator(f".call.{winner} .outcome")).to_be_visible()
            same_as_the_journal(page, table, "Ann")
            marks = {"won": "win", "lost": "lose", "push": "push"}
            for mark, result in marks.items():
                shown = page.locator(f".area.{mark}").evaluate_all("areas => areas.map(area => area.dataset.bet)")
                assert sorted(shown) == sorted(each.bet for each in table.round.results if each.result == result)
            # the coup was chosen well: some bet beside Player and Banker wins in each
            assert {each.bet for each in table.round.results if each.result == "win"} - MAIN_BETS
