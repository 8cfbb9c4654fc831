"""Five games in a real browser: sit, bet, insure, win, lose, tie. The page agrees with the journal."""

from playwright.sync_api import Page, expect

from punto.library import book
from punto.rules.refusals import Clause
from tests.browser.conftest import DESK, Axe, PageAt, Screenshot, some_games
from tests.browser.journal import balance, same_as_the_journal
from tests.browser.looking import sticks_out
from tests.browser.tables import (
    BANKER_INSURED,
    BANKER_WINS,
    NAME,
    PLAY_MONEY_MINOR,
    PLAYER_WINS,
    TIE,
    Felt,
    bet,
    choose_language,
    come_in,
    sit,
)


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


def test_repeat_places_what_lay_there_when_the_cards_came(insured: Felt, page: Page) -> None:
    """Bets that a ruling returned are not repeated. All bets of a void round are."""
    come_in(page, insured, "Ann")
    sit(page, 2)
    insured.open_betting()
    bet(page, "banker", 100_00)
    bet(page, "tie", 25_00)
    ruled = [{"who": "Ann", "box": 2, "bet": each} for each in ("banker", "tie")]
    insured.shift_manager("rule", reason="a misunderstanding", effect="return", bets=ruled)
    page.wait_for_selector(".area[data-bet=banker].push[data-stake='0']")
    bet(page, "banker", 500_00)
    insured.play(BANKER_WINS)
    for void in (True, False):
        insured.open_betting()
        expect(page.locator("#round")).to_have_text(str(insured.round.number))  # a tap counts for the round shown
        expect(page.locator("[data-do=repeat]")).to_be_enabled()
        page.locator("[data-do=repeat]").click()
        page.wait_for_selector(".area[data-bet=banker][data-stake='50000']")
        expect(page.locator("[data-do=repeat][data-waiting]")).to_have_count(0)  # no more bets are on their way
        if void:
            insured.shift_manager("rule", reason="a lamp fell", effect="void")
            expect(page.locator(".call .ground")).to_be_visible()
    insured.deal(("close_betting", {}))
    assert {key: placed.stake_minor for key, placed in insured.round.bets.items()} == {("Ann", 2, "banker"): 500_00}


def test_insurance_of_each_game_on_a_phone(game: Felt, phone: Page, axe: Axe, screenshot: Screenshot) -> None:
    come_in(phone, game, "Ann")
    assert sticks_out(phone) == []
    sit(phone, 2)
    assert sticks_out(phone) == []
    game.open_betting()
    bet(phone, "banker", 500_00)
    assert sticks_out(phone) == []
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
        assert sticks_out(phone) == []
        screenshot(phone, f"{game.game}-insurance-phone")
        phone.locator("[data-part='1']").click()
        most = int(sheet.get_attribute("data-most") or 0)
        phone.locator("[data-insure]").click()
        expect(sheet).to_be_hidden()
        assert [(covered.who, covered.stake_minor) for covered in game.round.insurance.cover] == [("Ann", most)]
        game.deal(("close_insurance", {}))
    game.finish()
    expect(phone.locator(".call .outcome")).to_be_visible()
    same_as_the_journal(phone, game, "Ann")
    assert axe(phone) == []
    assert sticks_out(phone) == []
    screenshot(phone, f"{game.game}-settled-phone")


def test_nothing_moves_for_who_wants_no_motion(insured: Felt, page: Page) -> None:
    come_in(page, insured, "Ann")
    sit(page, 1)
    insured.open_betting()
    bet(page, "banker", 100_00)
    insured.play(BANKER_WINS)
    expect(page.locator("#stage .card img")).to_have_count(4)
    expect(page.locator(".call .outcome")).to_be_visible()
    assert page.evaluate("document.getAnimations().map(each => each.animationName ?? each.transitionProperty)") == []


@some_games
def test_two_players_in_one_box(game: Felt, page: Page, page_at: PageAt) -> None:
    come_in(page, game, "Ann")
    sit(page, 2)
    other = page_at(*DESK)
    come_in(other, game, "Bo")
    other.locator("[data-stand='2'], [data-choose-box='2']").click()
    other.wait_for_selector(".areas[data-box='2']")
    other.wait_for_load_state()  # where boxes are chosen, it is another page
    game.open_betting()
    bet(page, "banker", 100_00)
    bet(other, "banker", 500_00)
    expect(page.locator(".area[data-bet=banker] .others")).to_contain_text("500")
    expect(other.locator(".area[data-bet=banker] .others")).to_contain_text("100")
    expect(page.locator("#box h2 small")).to_contain_text("Bo")
    game.play(BANKER_WINS)
    for each, who in ((page, "Ann"), (other, "Bo")):
        expect(each.locator(".call .outcome")).to_be_visible()
        same_as_the_journal(each, game, who)


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
    summary = book(insured.game).summary(Clause(number))
    expect(page.locator("#messages .toast")).to_contain_text(summary[:40])


def test_in_chinese(insured: Felt, page: Page, axe: Axe, screenshot: Screenshot) -> None:
    come_in(page, insured, "Ann")
    choose_language(page, "zh")
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
