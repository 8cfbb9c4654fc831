"""What a dealer types and sees at 1280 x 800: calls, standing places, chips, words to say, all keys, relief by PIN."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from punto.table.records.state import Phase
from tests.browser.conftest import Screenshot, Troubles
from tests.browser.console import PIN, Console, enrol, hire, open_table
from tests.waiting import wait_until
from tests.web.serving import NAMES, PASSWORD, Server

GAME = "commission-insurance"
FOCUS_AFTER_KEY = """() => document.addEventListener(
  "keyup", () => { document.body.dataset.focus = document.activeElement.tagName; }, { capture: true, once: true })"""
"""Notes where the focus is when the next key is up, before the browser draws anything."""


@pytest.fixture(autouse=True)
def _size(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})


def at_table(page: Page, running: Server, table: str, language: str = "en", **changes: Any) -> Console:
    """A dealer who has called for bets."""
    open_table(running, GAME, table, **changes)
    console = Console(page, running, table)
    console.sign_in(NAMES[Position.DEALER], language)
    console.press("Space")
    console.at("betting")
    return console


def did(page: Page, text: str) -> None:
    expect(page.locator("#did")).to_contain_text(text)


def test_called_insurance_counts_at_once_and_the_next_key_is_the_tables(page: Page, running: Server) -> None:
    console = at_table(page, running, "called")
    console.type("1B500_K2K3")
    console.at("insurance_due")
    console.type("_i1c7")  # the seven is Banker's third card
    console.dealt(5)
    (cover,) = console.round.insurance.cover
    assert cover.called
    assert [str(card) for card in console.round.cards][-1] == "7"


def test_a_chip_that_is_tapped_for_insurance_is_no_part_of_the_box(page: Page, running: Server) -> None:
    console = at_table(page, running, "insured chips", layout="A", boxes=12)
    console.type("1B5k~")
    console.placed(1)
    console.type("5/b5k~")
    console.placed(2)
    console.type("_K2K3_")
    console.at("insurance")
    for typed, chip, who in (("i1", 25_00, "box 1"), ("i5/", 500, "behind box 5")):
        console.type(typed)
        for times in (1, 2):
            page.locator(f"[data-chip='{chip}']").click()
            expect(page.locator("#entry .typed-amount")).to_have_text(f"{times * chip // 100}")
        console.tap("Enter")
        wait_until(lambda who=who, lies=2 * chip: covered(console).get(who) == lies, who)  # type: ignore[misc]
        console.synced()


def test_calling_where_nobody_may_insure_says_so_and_takes_no_key_away(page: Page, running: Server) -> None:
    console = at_table(page, running, "none")
    console.type("1B500_K2K3_")
    console.at("insurance")
    console.type("i2c")
    assert console.message() == "Nobody in this box may take this insurance."
    expect(page.locator("#entry")).to_be_empty()
    console.type("7")
    console.dealt(5)


def test_insurance_is_set_to_what_lies_there_as_a_bet_is(page: Page, running: Server) -> None:
    console = at_table(page, running, "set")
    console.type("1B5k_K2K3_")
    console.at("insurance")
    for typed, lies in (("i1200~", 200_00), ("i1500~", 500_00), ("i1100~", 100_00), ("i10~", 0)):
        console.type(typed)
        console.synced()
        wait_until(lambda lies=lies: insured(console) == lies, f"insurance of {lies}")  # type: ignore[misc]
    console.type("i1~")
    wait_until(lambda: insured(console) > 500_00, "the largest stake")
    console.synced()
    console.type("i1~")
    assert "Nothing to change" in console.message()


def insured(console: Console) -> int:
    return sum(each.stake_minor for each in console.round.insurance.cover)


def test_the_second_person_behind_a_box(page: Page, running: Server, screenshot: Screenshot) -> None:
    console = at_table(page, running, "behind")
    console.type("5/2p7k~")
    console.placed(1)
    console.type("5/p300~")
    console.placed(2)
    stakes = {who: placed.stake_minor for (who, _, _), placed in console.round.bets.items()}
    assert stakes == {"behind box 5/2": 7_000_00, "behind box 5": 300_00}
    console.synced()
    expect(page.locator(".box[data-box='5'] kbd")).to_have_text(["/", "/2"])
    did(page, "Behind box 5: 300 on Player.")
    screenshot(page, "keys-behind")


def test_insurance_of_the_second_person_behind_a_box(page: Page, running: Server) -> None:
    console = at_table(page, running, "behind_insured")
    console.type("5/b2k~")
    console.placed(1)
    console.type("5/2b3k~")
    console.placed(2)
    console.type("_K2K3_")
    console.at("insurance")
    console.type("i5/2b250~")
    wait_until(lambda: insured(console) == 250_00, "insurance")
    console.synced()
    console.type("i5/150~")
    wait_until(lambda: insured(console) == 400_00, "more insurance")
    cover = {each.who: each.stake_minor for each in console.round.insurance.cover}
    assert cover == {"behind box 5/2": 250_00, "behind box 5": 150_00}


def test_a_chip_that_is_tapped_comes_on_top_of_what_lies_there(
    page: Page, running: Server, screenshot: Screenshot
) -> None:
    console = at_table(page, running, "chips")
    console.type("3b500~")
    console.placed(1)
    console.synced()
    page.locator(".box[data-box='3']").click()
    page.locator("[data-chars='B']:visible").first.click()
    page.locator("[data-chip='10000']").click()
    page.locator("[data-chip='10000']").click()
    expect(page.locator("#entry .typed-amount")).to_have_text("700")
    screenshot(page, "keys-chips")
    console.tap("Enter")
    wait_until(lambda: [each.stake_minor for each in console.round.bets.values()] == [700_00], "700 on Banker")


def test_a_key_says_what_it_did_and_what_to_say_in_both_languages(
    page: Page, running: Server, screenshot: Screenshot
) -> None:
    console = at_table(page, running, "said")
    console.type("6p50~")
    console.placed(1)
    console.synced()
    did(page, "Box 6: 50 on Player.")
    console.type("m")
    say = page.locator("#now .moment:visible .say")
    expect(say.first).to_have_text("Box 6, the minimum is one hundred")
    expect(say.nth(1)).to_be_hidden()
    page.locator("[data-both]:visible").click()
    expect(say.nth(1)).to_have_text("6号位\N{FULLWIDTH COMMA}最低投注一百")
    expect(say.nth(1)).to_be_visible()
    screenshot(page, "keys-both")
    page.reload()
    expect(say.nth(1)).to_be_visible()
    console.type("*")
    did(page, "* does nothing here. ? lists all keys.")
    page.locator("[data-both]:visible").click()
    expect(say.nth(1)).to_be_hidden()


def test_the_question_mark_lists_all_keys_and_leads_to_the_card(
    page: Page, running: Server, screenshot: Screenshot
) -> None:
    console = at_table(page, running, "listed")
    console.type("3b")  # also in the middle of an entry
    console.press("?")
    listed = page.locator("#dialog .key-groups")
    expect(listed).to_be_visible()
    expect(listed).to_contain_text("The second person behind box 5 has 7,000 on Player")
    screenshot(page, "keys-list")
    assert page.locator("#dialog").evaluate("dialog => dialog.scrollHeight <= dialog.clientHeight")  # all at once
    console.press("Escape")
    console.type("500~")
    console.placed(1)
    page.goto(f"{running.url}/tables/listed/keys")
    expect(page.locator("main .key-groups")).to_contain_text("Take the last key back")
    expect(page.locator("main .codes")).to_contain_text("Banker Pair")
    screenshot(page, "keys-card")
    page.emulate_media(media="print")
    expect(page.locator(".bar")).to_be_hidden()
    screenshot(page, "keys-card-printed")


def test_enter_after_the_list_is_closed_is_the_tables(page: Page, running: Server) -> None:
    console = at_table(page, running, "closed list")
    console.type("3b500?")
    expect(page.locator("#dialog .key-groups")).to_be_visible()
    page.evaluate(FOCUS_AFTER_KEY)
    console.press("Escape")
    wait_until(lambda: page.locator("body").get_attribute("data-focus"), "the key up")
    assert page.locator("body").get_attribute("data-focus") == "BODY"  # a button would take the next Enter
    expect(page.locator("#dialog")).to_be_hidden()
    console.press("Enter")
    console.placed(1)


def test_one_space_stands_for_four_cards_face_down(page: Page, running: Server) -> None:
    console = at_table(page, running, "down", face_down=True)
    console.type("1B500_")
    console.at("closed")
    expect(page.locator(".space:visible")).to_contain_text("4 cards dealt, face down")
    console.press("Space")
    console.dealt(4)
    console.at("turn")
    assert console.round.cards == (None,) * 4
    did(page, "Card 1 is dealt to Player.")


def test_who_asks_for_the_squeeze_is_shown_and_a_standing_grant_is_given_and_ended(
    page: Page, running: Server, screenshot: Screenshot
) -> None:
    enrol(page, running, None)
    hire(running, Position.PIT_SUPERVISOR, pin=PIN)
    console = at_table(page, running, "squeezed", face_down=True)
    console.type("1B500~")
    console.placed(1)
    console.synced()
    console.type("z1b~")
    expect(page.locator(".box[data-box='1'] .asks")).to_have_text("asks for Banker")
    expect(page.locator("#now .moment:visible .why").last).to_have_text("Box 1 asks to squeeze Banker.")
    screenshot(page, "keys-squeeze-asked")
    console.type("g")
    approve(page)
    expect(page.locator("#now .moment:visible .say").first).to_have_text("Box 1 squeezes Banker")
    grant(console)
    approve(page)
    wait_until(lambda: {side.value for side in console.state.standing_squeezes} == {"player"}, "the grant")
    expect(page.locator("#now .moment:visible .why").last).to_contain_text("until the shoe ends")
    screenshot(page, "keys-squeeze-standing")
    grant(console)
    approve(page)
    wait_until(lambda: not console.state.standing_squeezes, "the end of the grant")


def grant(console: Console) -> None:
    """The dialog of the standing grant, for Player's hand."""
    console.synced()
    console.type("g")
    expect(console.page.locator("#dialog [data-pick]").first).to_be_visible()
    console.page.keyboard.press("1")
    console.page.keyboard.press("Enter")


def approve(page: Page) -> None:
    sign = page.locator("#dialog .sign")
    sign.locator("[name=name]").fill(NAMES[Position.PIT_SUPERVISOR])
    sign.locator("[name=pin]").fill(PIN)
    page.keyboard.press("Enter")
    expect(page.locator("#dialog")).to_be_hidden()


def test_a_dealer_is_relieved_with_badge_and_pin(
    page: Page, running: Server, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("403")  # a wrong PIN
    enrol(page, running, None)
    open_table(running, GAME, "relieved")
    dan = running.client(running.hired("Dan", Position.DEALER))
    set_pin = dan.put("/api/session/pin", json={"password": PASSWORD, "pin": PIN})
    assert set_pin.status_code == 204, set_pin.text
    running.hired("Dee", Position.DEALER)
    manager = hire(running, Position.PIT_MANAGER)
    assert manager.put("/api/duty/Dee", json={"table": "relieved"}).status_code == 204
    console = Console(page, running, "relieved")
    console.sign_in("Dee")
    console.at("ready")
    console.count()
    console.type("d")
    expect(page.locator("#dialog input").first).to_be_focused()
    console.type("Dan~")  # a scanner ends its line with Enter
    expect(page.locator("#dialog input[type=password]")).to_be_focused()
    screenshot(page, "keys-relief")
    console.type("111111~")
    expect(page.locator("#dialog .wrong")).to_be_visible()
    console.count()
    page.locator("#dialog input[type=password]").fill("")
    console.type(PIN)
    console.press("Enter")
    expect(page.locator(".c-who b")).to_have_text("Dan")
    assert console.count() == 7
    console.press("Space")
    console.at("betting")
    assert console.state.phase is Phase.BETTING
    lines = manager.get("/api/duty").json()["duty"]
    assert [(line["name"], line["relieves"]) for line in lines] == [("Dan", "Dee")]


def test_a_supervisor_who_gives_a_relief_stays_signed_in(page: Page, running: Server) -> None:
    enrol(page, running, None)
    open_table(running, GAME, "given relief")
    for name in ("Del", "Dot"):
        running.hired(name, Position.DEALER)
    manager = hire(running, Position.PIT_MANAGER)
    assert manager.put("/api/duty/Del", json={"table": "given relief"}).status_code == 204
    hire(running, Position.PIT_SUPERVISOR)
    console = Console(page, running, "given relief")
    console.sign_in(NAMES[Position.PIT_SUPERVISOR])
    console.at("ready")
    console.type("d")
    expect(page.locator("#dialog input")).to_have_count(1)
    expect(page.locator("#dialog")).to_contain_text("You stay signed in here")
    console.type("Dot~")
    expect(page.locator("#dialog")).to_be_hidden()
    page.reload()
    expect(page.locator(".c-who b")).to_have_text(NAMES[Position.PIT_SUPERVISOR])
    lines = [line for line in manager.get("/api/duty").json()["duty"] if line["table"] == "given relief"]
    assert [(line["name"], line["relieves"]) for line in lines] == [("Dot", "Del")]


def test_elsewhere_than_at_a_terminal_no_pin_is_asked_for(page: Page, running: Server) -> None:
    open_table(running, GAME, "elsewhere")
    console = Console(page, running, "elsewhere")
    console.sign_in(NAMES[Position.DEALER])
    console.at("ready")
    console.type("d")
    expect(page.locator("#dialog input")).to_have_count(1)


def covered(console: Console) -> dict[str, int]:
    return {each.who: each.stake_minor for each in console.round.insurance.cover}
