"""Five games in a real browser: sit, bet, insure, win, lose, tie; and what the page says is what the journal says."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from punto.library import book, book_ids
from punto.rules.refusals import Clause
from punto.rules.table_of_play import Side
from punto.table.insuring import due_offer
from tests.browser.conftest import DESK, Axe, PageAt, Screenshot, Troubles
from tests.browser.tables import (
    MAXIMUM_MINOR,
    NAME,
    PLAY_MONEY_MINOR,
    Felt,
    bet,
    come_in,
    felt,
    felt_again,
    minor,
    sit,
)

BANKER_WINS, PLAYER_WINS, TIE = "2s 9d Kh Kc", "9s 2d Kh Kc", "9s 9d Kh Kc"
BANKER_INSURED = "Ks 2d Kh 3c"
"""Player has 0 and Banker 5: Banker is insured after four cards, where the book insures at all."""


@pytest.fixture(params=book_ids())
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Felt]:
    """A table of each game."""
    with felt(tmp_path, request.param) as made:
        yield made


@pytest.fixture
def insured(tmp_path: Path) -> Iterator[Felt]:
    """A table of one game, with insurance."""
    with felt(tmp_path, "commission-insurance") as made:
        yield made


def balance(page: Page) -> int:
    """What the page says one has."""
    return minor(page.locator("#balance").inner_text())


def results(page: Page) -> dict[str, tuple[str, int]]:
    """What the page says became of each bet: verdict and gain."""
    found = {}
    for each in page.locator("#side .results > li").all():
        name = each.locator(".bet").evaluate("node => node.firstChild.textContent").strip()
        found[name] = (each.locator(".verdict").inner_text(), minor(each.locator(".amount").inner_text()))
    return found


def same_as_the_journal(page: Page, table: Felt, who: str) -> None:
    """Balance, results and cards on the page against the state of the table."""
    rules = book(table.game)
    expect(page.locator("#balance")).to_have_attribute("data-minor", str(table.state.chips_minor(who)))
    assert balance(page) == table.state.chips_minor(who)
    names = {"win": "won", "lose": "lost", "push": "back"}
    said = {}
    for result in table.round.results:
        if result.who == who:
            name = rules.bets[result.bet].name if result.bet in rules.bets else "Banker Insurance"
            said[name] = (names[result.result], result.returned_minor - result.stake_minor)
    assert results(page) == said
    faces = page.locator("#stage .card img").evaluate_all("cards => cards.map(card => card.getAttribute('src'))")
    assert sorted(face.split("/")[-1][:2] for face in faces) == sorted(str(card) for card in table.round.cards if card)
    points = [page.locator(f".hand.{side} .points").inner_text().split()[0] for side in Side]
    coup = rules.coup(" ".join(str(card) for card in table.round.cards))
    assert points == [str(coup.hand(side).points) for side in Side]


def test_an_evening_of_each_game(game: Felt, page: Page, axe: Axe, screenshot: Screenshot) -> None:
    come_in(page, game, "Ann")
    screenshot(page, f"{game.game}-looking-on")
    sit(page, 2)
    assert game.state.seats == {2: "Ann"}
    assert balance(page) == PLAY_MONEY_MINOR

    # Banker wins
    game.open_betting()
    bet(page, "banker", 100_00)
    bet(page, "tie", 25_00, times=2)
    assert {key[2]: placed.stake_minor for key, placed in game.round.bets.items()} == {"banker": 100_00, "tie": 50_00}
    assert page.locator(".area").evaluate_all("areas => areas.map(area => area.dataset.bet).sort()") == sorted(
        book(game.game).layouts[game.state.settings.layout].menu  # type: ignore[union-attr]
    )
    assert axe(page) == []
    screenshot(page, f"{game.game}-betting")
    game.play(BANKER_WINS)
    expect(page.locator(".call .outcome")).to_contain_text("Banker wins")
    same_as_the_journal(page, game, "Ann")
    assert axe(page) == []
    screenshot(page, f"{game.game}-won")

    # Player wins: everything lost; then a tie: Banker comes back and Tie pays
    for cards, words in ((PLAYER_WINS, "Player wins"), (TIE, "Tie")):
        game.open_betting()
        expect(page.locator("[data-do=repeat]")).to_be_enabled()
        page.locator("[data-do=repeat]").click()
        page.wait_for_selector(".area[data-bet=tie][data-stake='5000']")
        page.wait_for_selector(".area[data-bet=banker][data-stake='10000']")
        game.play(cards)
        expect(page.locator(".call .outcome")).to_contain_text(words)
        same_as_the_journal(page, game, "Ann")


def test_insurance_of_each_game_on_a_phone(game: Felt, phone: Page, axe: Axe, screenshot: Screenshot) -> None:
    come_in(phone, game, "Ann")
    sit(phone, 2)
    game.open_betting()
    bet(phone, "banker", 500_00)
    screenshot(phone, f"{game.game}-betting-phone")
    game.deal(("close_betting", {}))
    game.cards(BANKER_INSURED)
    if book(game.game).insurance is None:
        expect(phone.locator(".call")).to_contain_text("Player draws")
        expect(phone.locator("#insurance")).to_have_count(0)
    else:
        game.deal(("open_insurance", {}))
        sheet = phone.locator("#insurance")
        expect(sheet).to_be_visible()
        assert axe(phone) == []
        screenshot(phone, f"{game.game}-insurance-phone")
        phone.locator("[data-part='1']").click()
        most = int(sheet.get_attribute("data-most") or 0)
        phone.locator("[data-insure]").click()
        expect(sheet).to_be_hidden()
        assert [(covered.who, covered.stake_minor) for covered in game.round.cover] == [("Ann", most)]
        game.deal(("close_insurance", {}))
    finish(game)
    expect(phone.locator(".call .outcome")).to_be_visible()
    same_as_the_journal(phone, game, "Ann")
    assert axe(phone) == []
    screenshot(phone, f"{game.game}-settled-phone")


def finish(table: Felt) -> None:
    """Sixes until the coup has enough, and the settlement; no insurance is taken on the way."""
    rules = book(table.game)
    while not (coup := rules.coup(" ".join(str(card) for card in table.round.cards))).finished:
        if due_offer(rules, table.state, coup):
            table.deal(("open_insurance", {}), ("close_insurance", {}))
        table.cards("6s")
    table.deal(("settle", {}))


def test_who_reloads_in_the_middle_finds_everything_as_it_stands(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 500_00)
    page.reload()
    page.wait_for_selector(".area[data-bet=banker][data-stake='50000']")
    insured.deal(("close_betting", {}))
    insured.cards(BANKER_INSURED)
    insured.deal(("open_insurance", {}))
    page.reload()
    expect(page.locator("#insurance")).to_be_visible()
    expect(page.locator(".hand.banker .points")).to_contain_text("5")
    assert page.locator("#stage .card img").count() == 4
    page.locator("[data-insure]").click()
    expect(page.locator("#insurance")).to_be_hidden()
    finish(insured)
    page.reload()
    same_as_the_journal(page, insured, "Ann")


def test_who_loses_the_line_comes_back_by_himself(tmp_path: Path, page: Page, troubles: Troubles) -> None:
    troubles.excuse("ERR_CONNECTION_REFUSED|WebSocket connection")
    with felt(tmp_path, "commission") as before:
        port = int(before.running.url.rpartition(":")[2])
        come_in(page, before, "Ann")
        sit(page, 3)
        before.open_betting()
        bet(page, "player", 25_00)
    expect(page.locator("#away")).to_be_visible()
    with felt_again(tmp_path, "commission", port) as after:
        # an open round that was interrupted before its cards is void, as the book has it where it has a clause on that
        expect(page.locator("#away")).to_be_hidden(timeout=20_000)
        expect(page.locator("#balance")).to_have_attribute("data-minor", str(after.state.chips_minor("Ann")))
        assert page.locator(".areas").get_attribute("data-box") == "3"


def test_two_players_in_one_box(insured: Felt, page: Page, page_at: PageAt) -> None:
    come_in(page, insured, "Ann")
    sit(page, 2)
    other = page_at(*DESK)
    come_in(other, insured, "Bo")
    other.locator("[data-stand='2']").click()
    other.wait_for_selector(".areas[data-box='2']")
    insured.open_betting()
    bet(page, "banker", 100_00)
    bet(other, "banker", 500_00)
    expect(page.locator(".area[data-bet=banker] .others")).to_contain_text("500")
    expect(other.locator(".area[data-bet=banker] .others")).to_contain_text("100")
    expect(page.locator("#box h2 small")).to_contain_text("Bo")
    insured.play(BANKER_WINS)
    for each, who in ((page, "Ann"), (other, "Bo")):
        expect(each.locator(".call .outcome")).to_be_visible()
        same_as_the_journal(each, insured, who)


def test_a_refused_bet_says_why_and_by_which_clause(
    insured: Felt, page: Page, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("status of 409")
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", MAXIMUM_MINOR)
    page.locator(".area[data-bet=banker]").click()
    toast = page.locator("#messages .refusal")
    expect(toast).to_contain_text("maximum")
    assert toast.locator(".clause").count() >= 1
    screenshot(page, "refused")
    assert insured.round.bets["Ann", 1, "banker"].stake_minor == MAXIMUM_MINOR
    page.keyboard.press("Escape")
    expect(toast).to_have_count(0)


def test_undo_clear_and_double(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 100_00)
    bet(page, "tie", 25_00)
    page.keyboard.press("d")
    page.wait_for_selector(".area[data-bet=tie][data-stake='5000']")
    page.wait_for_selector(".area[data-bet=banker][data-stake='20000']")
    page.keyboard.press("u")  # what was placed last: the felt is read from the top
    page.wait_for_selector(".area[data-bet=banker][data-stake='10000']")
    page.keyboard.press("c")
    page.wait_for_selector(".area[data-bet=banker][data-stake='0']")
    assert insured.round.bets == {}
    assert balance(page) == PLAY_MONEY_MINOR


def test_a_chip_is_dragged_to_a_bet(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    page.wait_for_selector(".area[data-bet=player]:not([disabled])")
    page.locator("[data-chip='10000']").drag_to(page.locator(".area[data-bet=player]"))
    page.wait_for_selector(".area[data-bet=player][data-stake='10000']")
    assert insured.round.bets["Ann", 1, "player"].stake_minor == 100_00


def test_all_of_it_by_the_keyboard_alone(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    page.locator("[data-sit='1']").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".areas[data-box='1']")
    insured.open_betting()
    page.wait_for_selector(".area[data-bet=banker]:not([disabled])")
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
    assert [covered.stake_minor for covered in insured.round.cover] == [20_50]


def test_hostile_names_are_shown_as_they_are(insured: Felt, page: Page, page_at: PageAt) -> None:
    name = "<img src=x onerror=alert(1)>\"'&"
    come_in(page, insured, name[:30])
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 100_00)
    other = page_at(*DESK)
    come_in(other, insured, "Bo")
    expect(other.locator("[data-stand='1'] small")).to_contain_text("<img")
    assert other.locator("img[src=x]").count() == 0


def test_the_clause_behind_a_result_is_told_on_demand(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 100_00)
    insured.play(BANKER_WINS)
    page.locator("#side .results summary").first.click()
    link = page.locator("#side .results .clause").first
    number = link.inner_text()
    link.click()
    summary = book(insured.game).clauses[Clause(number)].summary
    expect(page.locator("#messages .toast")).to_contain_text(summary[:40])


def test_in_chinese(insured: Felt, page: Page, axe: Axe, screenshot: Screenshot) -> None:
    come_in(page, insured, "Ann")
    page.locator(".tongue a[lang=zh]").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 100_00)
    insured.play(BANKER_WINS)
    expect(page.locator(".call .outcome")).to_contain_text("庄")
    assert "Banker" not in page.locator("#side").inner_text()
    assert axe(page) == []
    screenshot(page, "chinese")
    page.goto(f"{insured.running.url}/tables/{NAME}")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")


def test_who_only_looks_on_sees_no_names(insured: Felt, page: Page, page_at: PageAt) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 100_00)
    stranger = page_at(*DESK)
    stranger.goto(insured.address)
    expect(stranger.locator("#stage svg.arc")).to_contain_text("100")
    bet(page, "tie", 25_00)
    expect(stranger.locator("#stage svg.arc")).to_contain_text("125")
    assert "Ann" not in stranger.content()


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


def test_undo_after_a_reload_takes_back_a_chip(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 100_00, times=3)
    page.reload()
    page.locator("[data-do=undo]").click()
    page.wait_for_selector(".area[data-bet=banker][data-stake='20000']")
    assert insured.round.bets["Ann", 1, "banker"].stake_minor == 200_00


@pytest.mark.parametrize(
    ("written", "stake_minor"), [("1,2", None), ("2,5", None), ("1,050.50", 1_050_50), ("7.5", 7_50)]
)
def test_an_amount_is_read_as_it_is_written_or_not_at_all(
    written: str, stake_minor: int | None, insured: Felt, page: Page
) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 5_000_00)
    insured.deal(("close_betting", {}))
    insured.cards(BANKER_INSURED)
    insured.deal(("open_insurance", {}))
    expect(page.locator("#ins-p")).to_contain_text("a tie")
    page.locator("#ins-stake").fill(written)
    page.locator("[data-insure]").click()
    if stake_minor is None:
        expect(page.locator("#messages .refusal")).to_be_visible()
        assert insured.round.cover == ()
    else:
        expect(page.locator("#insurance")).to_be_hidden()
        assert [covered.stake_minor for covered in insured.round.cover] == [stake_minor]


def test_a_lost_answer_does_not_ask_twice_to_come_in(insured: Felt, page: Page, troubles: Troubles) -> None:
    troubles.excuse("ERR_FAILED")
    asked = []

    def lose(route: Route) -> None:
        asked.append(route.request.url)
        route.fetch()
        route.abort()

    page.route("**/api/visit", lose)
    page.goto(f"{insured.running.url}/enter")
    page.locator("[data-enter=visit] [name=name]").fill("Lost")
    page.locator("[data-enter=visit] button[type=submit]").click()
    expect(page.locator("[data-enter=visit] .wrong")).to_contain_text("does not answer")
    assert len(asked) == 1
