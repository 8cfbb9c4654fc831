"""A round to step through in a browser: by keys, buttons, slider, list and address; for every role; on paper."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from punto.catalogue.values import write_money
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.table.records.positions import Position
from punto.web.http.auth import cookie_name
from tests.browser.conftest import Axe, PageAt, Screenshot, Troubles
from tests.browser.console import TABLET, WIDE, sign_in
from tests.browser.looking import look_at, sticks_out
from tests.browser.tables import BANKER_INSURED, Felt, add_table, let_visitors_in
from tests.floor.playing import SUPERVISOR, At
from tests.waiting import DEADLINE_S
from tests.web.incidents import troubled_table
from tests.web.serving import NAMES, Server, server

HOSTILE = "<img src=x onerror=alert(1)>\"'&\u05e9\u05dc\u05d5\u05dd " + "w" * 150
TROUBLED = "/tables/felt%201/rounds/1-2"
"""A card too many, a ruling, and a hostile note."""
LARGE = "/tables/Hall/rounds/1-1"
T0 = "2030-01-01T12:00:00Z"

DRAWN = """felt => ({
  cards: [...felt.querySelectorAll(".faces img")].map(card => card.getAttribute("src").split("/").pop().split(".")[0]),
  beside: [...felt.querySelectorAll(".early img")].map(card => card.getAttribute("src").split("/").pop().split(".")[0]),
  stakes: [...felt.querySelectorAll(".stake-line")].map(stake => stake.querySelector("b").textContent).sort(),
})"""

LINES = """cells => cells.map(cell => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return range.getClientRects().length;
})"""


@pytest.fixture(scope="module")
def orchid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Felt]:
    """A table for play money with a round, a felt table with incidents, and one with a large round."""
    with server(str(tmp_path_factory.mktemp("rounds") / "floor.db")) as running:
        table = add_table(running, "commission-insurance")
        let_visitors_in(running, table.name)
        assert running.visitor("Ann")  # before she has chips there, for then the name would be taken
        table.seat("Ann", 1)
        table.seat("Zoltan", 2)
        table.open_betting()
        table.bet("Ann", 1, "banker", 100_00)
        table.bet("Zoltan", 2, "banker", 333_00)
        table.deal(("close_betting", {}))
        table.cards(BANKER_INSURED)
        table.finish()
        troubled_table(running)
        _large_round(running)
        for position in (Position.DEALER, Position.AUDITOR, Position.SHIFT_MANAGER):
            running.token(position)
        yield table


def _large_round(running: Server) -> None:
    """Sixteen boxes, each with a registered player of a long name and two bets, and somebody behind it."""
    table = add_table(running, "tiger-buffalo", "Hall", layout="K", boxes=16, observing=True)
    at = At(running.floor, "Hall", "large")
    table.open_betting()
    for box in range(1, 17):
        player = running.run(
            running.service.players.register(THE_CONSOLE, f"Wolfeschlegelsteinhausen {box} {'Ü' * 10}")
        )
        running.run(at.do(SUPERVISOR, "sit", who=player.id, box=box))
        for who, bet, stake_minor in (
            (player.id, "banker", 1_250_00),
            (player.id, "tie", 75_00),
            (f"behind box {box}", "player", 500_00),
        ):
            running.run(at.do(SUPERVISOR, "place_bet", who=who, box=box, bet=bet, stake_minor=stake_minor))
    table.play("2s 9d Kh Kc")
    reason = {"effect": "adjust", "reason": HOSTILE, "amounts": {"behind box 1": 25_00}}
    ruled = running.command(running.by(Position.SHIFT_MANAGER), "Hall", "rule", **reason)
    assert ruled.status_code == 200, ruled.text


def as_staff(page: Page, running: Server, position: Position) -> None:
    sign_in(page, running.url, NAMES[position])


def opened(page: Page, address: str) -> int:
    """Open the page of a round, and return how many steps it has."""
    page.goto(address)
    expect(page.locator("#replay.stepping")).to_be_visible()
    return page.locator(".round-step").count()


def at_step(page: Page, place: int) -> None:
    """Wait until a step is the chosen one, everywhere on the page."""
    step = page.locator(".round-step").nth(place - 1)
    expect(page.locator("[data-place]")).to_have_text(re.compile(rf"^{place} / "))
    expect(step).to_be_visible()
    expect(page.locator(".round-step:visible")).to_have_count(1)
    expect(page.locator(".step-list [aria-current=step] .place")).to_have_text(str(place))
    expect(page.locator("[data-slider]")).to_have_value(str(place))
    expect(page.locator("[data-slider]")).to_have_attribute(
        "aria-valuetext", re.compile(f"^Step {place} of |^第{place}步")
    )
    expect(page).to_have_url(re.compile(rf"#{step.get_attribute('id')}$"))


def test_an_auditor_steps_through_with_keys_buttons_slider_and_list(
    orchid: Felt, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    as_staff(page, orchid.running, Position.AUDITOR)
    steps = opened(page, f"{orchid.running.url}{TROUBLED}")
    at_step(page, 1)
    page.keyboard.press("ArrowRight")
    at_step(page, 2)
    expect(page.locator("[data-announce]")).to_have_text(re.compile("^Step 2 of "))
    page.keyboard.press("End")
    at_step(page, steps)
    page.keyboard.press("ArrowRight")
    at_step(page, steps)
    page.keyboard.press("ArrowLeft")
    at_step(page, steps - 1)
    page.keyboard.press("Home")
    at_step(page, 1)
    for name, place in (("One step forward", 2), ("Last step", steps), ("One step back", steps - 1), ("First step", 1)):
        page.get_by_role("button", name=name, exact=True).click()
        at_step(page, place)
    page.locator("[data-slider]").fill("5")
    at_step(page, 5)
    page.locator("[data-slider]").focus()
    page.keyboard.press("ArrowRight")
    at_step(page, 6)
    page.locator(".step-list a").nth(3).click()
    at_step(page, 4)
    address = page.url
    page.locator(".skip").focus()
    page.keyboard.press("Enter")  # to the contents, at the same step
    expect(page).to_have_url(re.compile("#main$"))
    expect(page.locator("[data-place]")).to_have_text(re.compile("^4 / "))
    page.keyboard.press("ArrowRight")
    at_step(page, 5)
    assert opened(page, f"{orchid.running.url}{TROUBLED}") == steps
    at_step(page, 1)
    page.goto(address)
    at_step(page, 4)
    look_at(page, "round", axe, screenshot)
    opened(page, f"{orchid.running.url}{TROUBLED}?lang=zh")
    page.keyboard.press("End")
    at_step(page, steps)
    look_at(page, "round-chinese", axe, screenshot)


def test_the_felt_at_every_step_is_the_one_of_the_api(orchid: Felt, page: Page) -> None:
    as_staff(page, orchid.running, Position.DEALER)
    for path in (TROUBLED, "/tables/Orchid/rounds/1-1"):
        steps = opened(page, f"{orchid.running.url}{path}")
        replay = orchid.running.by(Position.DEALER).get(f"/api{path}").json()
        assert len(replay["steps"]) == steps
        for place, said in enumerate(replay["steps"], 1):
            at_step(page, place)
            felt = said["felt"]
            assert page.locator("[data-stage] figure").evaluate(DRAWN) == {
                "cards": [card or "back" for hand in felt["hands"] for card in hand["cards"]],
                "beside": [card or "back" for card in felt["beside"]],
                "stakes": sorted(write_money(stake["stake_minor"]) for stake in felt["stakes"]),
            }
            page.keyboard.press("ArrowRight")


def test_play_goes_on_by_itself_until_it_is_paused_and_to_the_end(orchid: Felt, page: Page) -> None:
    page.clock.install(time=T0)
    steps = opened(page, f"{orchid.address}/rounds/1-1")
    page.clock.pause_at("2030-01-01T13:00:00Z")
    play = page.locator("[data-go=play]")
    page.keyboard.press("Space")
    expect(play).to_have_accessible_name("Pause")
    page.clock.run_for(1_400)  # to the next step, and the address follows
    at_step(page, 2)
    page.clock.run_for(1_200)
    at_step(page, 3)
    page.keyboard.press("Space")
    expect(play).to_have_accessible_name("Play")
    page.clock.run_for(5_000)
    at_step(page, 3)
    page.get_by_label("Speed").select_option("Fast")
    play.click()
    page.clock.run_for(600)
    at_step(page, 4)
    page.keyboard.press("ArrowLeft")  # whoever moves takes over
    expect(play).to_have_accessible_name("Play")
    page.clock.run_for(600)
    at_step(page, 3)
    play.click()
    page.clock.run_for(500 * steps)
    at_step(page, steps)
    expect(play).to_have_accessible_name("Play")
    play.click()  # from the end it starts again
    page.clock.run_for(600)
    at_step(page, 2)


def test_players_and_the_public_find_and_read_what_is_for_them(
    orchid: Felt, page: Page, phone: Page, axe: Axe, screenshot: Screenshot
) -> None:
    running = orchid.running
    token, cookie = running.visitor("Bea"), cookie_name(running.config)
    opened(page, f"{orchid.address}/rounds/1-1")
    text = page.locator("main").inner_text()
    assert not any(name in text for name in ("Ann", "Zoltan", "333"))
    look_at(page, "round-public", axe, screenshot)
    phone.context.add_cookies([{"name": cookie, "value": token, "url": running.url}])
    orchid.seat("Bea", 3)
    orchid.open_betting()
    orchid.bet("Bea", 3, "player", 250_00)
    orchid.bet("Zoltan", 2, "banker", 444_00)
    orchid.play("9s 2d Kh Kc")
    phone.goto(f"{orchid.address}/history")
    phone.get_by_role("link", name=re.compile("^Round 2:")).click()
    phone.wait_for_url("**/rounds/1-2")
    expect(phone.locator("#replay.stepping")).to_be_visible()
    steps = phone.locator(".round-step").count()
    phone.locator("[data-go=last]").click()
    at_step(phone, steps)
    shared = phone.url
    phone.goto("about:blank")
    phone.goto(shared)  # as a friend opens it: at its top, with the controls and the felt in view
    at_step(phone, steps)
    expect(phone.locator("[data-stage] .two-hands")).to_be_in_viewport()
    assert phone.evaluate("scrollY") == 0
    expect(phone.locator(".round-step:visible .postings")).to_contain_text("+500")
    text = phone.locator("main").inner_text()
    assert not any(name in text for name in ("Ann", "Zoltan", "444"))
    assert sticks_out(phone) == []
    look_at(phone, "round-own", axe, screenshot)
    phone.goto(orchid.address)
    result = phone.locator(".your-results a").first
    expect(result).to_have_attribute("href", "/tables/Orchid/rounds/1-2")


@pytest.mark.nightly
def test_a_large_round_with_hostile_texts_stays_usable(
    orchid: Felt, page_at: PageAt, axe: Axe, screenshot: Screenshot
) -> None:
    page = page_at(*TABLET)
    as_staff(page, orchid.running, Position.SHIFT_MANAGER)
    steps = opened(page, f"{orchid.running.url}{LARGE}")
    assert steps > 70
    page.keyboard.press("End")
    at_step(page, steps)
    expect(page.locator(".round-step:visible q, .round-step:visible .lines-said")).to_contain_text(["w" * 150])
    for place, width, height in ((steps, *TABLET), (44, *WIDE), (44, 390, 844), (steps, 320, 640), (45, *TABLET)):
        page.set_viewport_size({"width": width, "height": height})
        page.locator("[data-slider]").fill(str(place))
        at_step(page, place)
        if width > 900:  # else the list is below
            expect(page.locator(".step-list [aria-current]")).to_be_in_viewport()
        assert sticks_out(page) == []
        assert page.locator(".funds td").evaluate_all(LINES) == [1] * page.locator(".funds td").count()
        screenshot(page, f"page-round-large-{width}-{place}")
    assert axe(page) == []


def test_paper_has_every_step_and_no_controls(orchid: Felt, page: Page, screenshot: Screenshot) -> None:
    as_staff(page, orchid.running, Position.AUDITOR)
    steps = opened(page, f"{orchid.running.url}{TROUBLED}")
    page.evaluate("window.print = () => { window.printed = true; }")
    page.get_by_role("button", name="Print").click()
    assert page.evaluate("window.printed")
    page.emulate_media(media="print")
    expect(page.locator(".round-step:visible")).to_have_count(steps)
    for hidden in ("[data-controls]", "[data-stage]", ".step-list", ".links"):
        expect(page.locator(hidden)).to_be_hidden()
    screenshot(page, "page-round-paper")
    (sheets,) = re.findall(rb"/Count (\d+)", page.pdf(prefer_css_page_size=True))
    assert 1 <= int(sheets) <= 6


def test_without_a_script_every_step_is_there_in_order(orchid: Felt, chromium: Browser, troubles: Troubles) -> None:
    context = chromium.new_context(java_script_enabled=False)
    context.set_default_timeout(DEADLINE_S * 1_000)
    troubles.watch(context)
    page = context.new_page()
    page.goto(f"{orchid.address}/rounds/1-1")
    steps = page.locator(".round-step")
    assert steps.count() > 8
    for step in steps.all():
        expect(step).to_be_visible()
    expect(page.locator("[data-controls]")).to_be_hidden()
    expect(page.locator("[data-print]")).to_be_hidden()
    context.close()
