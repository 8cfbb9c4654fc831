"""The dialogs of the console: opening and closing the table, shoes, people, corrections and relief."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from punto.table.records.positions import Position
from punto.table.records.state import Phase
from tests.browser.conftest import Axe
from tests.browser.console import CARDS_ONLY, PIN, Console, add_table, enrol, hire, open_table, sign_by_pin
from tests.web.serving import NAMES, Server, server

DORA, SUE = NAMES[Position.DEALER], NAMES[Position.PIT_SUPERVISOR]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("dialogs") / "floor.db")) as made:
        hire(made, Position.DEALER)
        hire(made, Position.PIT_SUPERVISOR, pin=PIN)
        yield made


def at_console(page: Page, running: Server, table: str, language: str = "en") -> Console:
    """A dealer at a terminal of the table."""
    enrol(page, running, table)
    console = Console(page, running, table)
    console.sign_in(DORA, language)
    return console


def dialog(page: Page) -> Locator:
    return page.locator("#dialog")


def pick(page: Page, text: str) -> None:
    dialog(page).locator(".pick", has_text=text).click()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_table_is_opened_supplied_with_a_shoe_and_closed_by_keyboard(
    page: Page, running: Server, axe: Axe, language: str
) -> None:
    table = f"open-{language}"
    add_table(running, "commission-insurance", table)
    console = at_console(page, running, table, language)
    console.at("closed_table")
    console.press("Space")
    expect(dialog(page).locator("form")).to_be_visible()
    dialog(page).locator("[data-field='settings.main.min_minor'] input").fill("100")
    dialog(page).locator("[data-field='settings.differential_minor'] input").fill("40k")
    assert axe(page) == []
    console.press("Enter")
    sign_by_pin(page, SUE)
    console.at("shoe")
    assert console.state.settings is not None
    assert console.state.settings.main.min_minor == 100_00
    assert console.state.settings.differential_minor == 40_000_00
    console.press("Space")
    dialog(page).locator("[data-field=shoe] input").fill(f"Jade {language}")
    console.press("Enter")
    assert axe(page) == []
    sign_by_pin(page, SUE)
    console.at("burn")
    assert console.state.shoe is not None
    assert console.state.shoe.id == f"Jade {language}"
    console.press("5", "t")
    dialog(page).locator("[data-open=close_table]").wait_for()
    console.press("2", "Enter")
    sign_by_pin(page, SUE)
    console.at("closed_table")
    assert console.state.phase is Phase.CLOSED


def test_people_are_seated_and_buy_in_by_touch(page: Page, running: Server) -> None:
    open_table(running, "commission-insurance", "seats")
    console = at_console(page, running, "seats")
    console.tap("S")
    dialog(page).locator("[data-open=sit]").click()
    pick(page, "Box 3")
    dialog(page).locator("[type=submit]").click()
    expect(dialog(page)).to_be_hidden()
    console.tap("B")
    pick(page, "Box 3")
    for digit in "5k":
        dialog(page).locator(f".pad [data-put='{digit}']").click()
    pick(page, "voucher")
    dialog(page).locator("[type=submit]").click()
    expect(dialog(page)).to_be_hidden()
    assert console.state.seats == {3: "box 3"}
    assert console.state.chips_minor("box 3") == 5_000_00
    assert console.state.balances["vouchers"] == -5_000_00
    console.tap("S")
    dialog(page).locator("[data-open=leave]").click()
    dialog(page).locator("[type=submit]").click()  # the only one is chosen already
    expect(dialog(page)).to_be_hidden()
    assert console.state.seats == {}


def test_keys_typed_before_the_dialog_is_there_are_meant_for_it(page: Page, running: Server) -> None:
    open_table(running, "commission-insurance", "fast")
    console = at_console(page, running, "fast")
    console.type("b2")
    page.locator("#dialog [data-field=amount_minor] input:focus").wait_for()
    console.type("1k~")
    expect(dialog(page)).to_be_hidden()
    assert console.state.chips_minor("box 2") == 1_000_00
    assert console.state.phase is Phase.READY


def test_what_is_missing_or_wrong_is_said_in_the_dialog(page: Page, running: Server) -> None:
    open_table(running, "commission-insurance", "wrong")
    console = at_console(page, running, "wrong")
    console.press("b")
    dialog(page).locator("form").wait_for()
    console.press("Enter")
    expect(dialog(page).locator(".wrong")).to_have_text("Something is missing: Who")
    console.press("1")
    console.type("12x~")
    expect(dialog(page).locator(".wrong")).to_have_text("12x is not an amount.")
    console.press("Escape")
    expect(dialog(page)).to_be_hidden()
    assert console.state.people == frozenset()


def test_the_last_card_is_corrected_by_the_dealer_and_an_earlier_one_by_a_supervisor(
    page: Page, running: Server
) -> None:
    open_table(running, "commission", "cards", **CARDS_ONLY)
    console = at_console(page, running, "cards")
    console.type("__929")
    expect(page.locator("#card-3 img")).to_be_visible()
    console.press("p")
    dialog(page).locator("[data-open=correct_card]").wait_for()
    console.press("1")
    pick(page, "Card 3")
    dialog(page).locator(".ranks [data-put=K]").click()
    dialog(page).locator("[type=submit]").click()
    expect(dialog(page)).to_be_hidden()
    assert [str(card) for card in console.round.cards] == ["9", "2", "K"]
    console.press("p")
    dialog(page).locator("[data-open=correct_card]").wait_for()
    console.press("1")
    pick(page, "Card 1")
    dialog(page).locator(".card-typed").fill("8")
    dialog(page).locator("[data-fill='misheard']").click()
    console.press("Enter")
    expect(dialog(page).locator(".follows")).to_contain_text("was really the eight")
    sign_by_pin(page, SUE)
    expect(page.locator("#card-1 img")).to_have_attribute("alt", "eight")
    assert [str(card) for card in console.round.cards] == ["8", "2", "K"]


def test_a_round_called_by_a_slip_is_cancelled_and_a_close_by_a_slip_undone(page: Page, running: Server) -> None:
    open_table(running, "commission", "slips", **CARDS_ONLY)
    console = at_console(page, running, "slips")
    console.type("__")
    console.at("closed")
    console.press("p")
    dialog(page).locator("[data-open=reopen_betting]").click()
    dialog(page).locator("[type=submit]").click()
    expect(dialog(page)).to_be_hidden()
    console.at("betting")
    console.press("p")
    dialog(page).locator("[data-open=cancel_round]").click()
    dialog(page).locator("[type=submit]").click()
    console.at("ready")
    assert console.round.cancelled


def test_relief_puts_another_dealer_on_record_and_asks_them_to_sign_in(page: Page, running: Server) -> None:
    open_table(running, "commission", "relief", **CARDS_ONLY)
    running.hired("ruth", Position.DEALER)
    manager = hire(running, Position.PIT_MANAGER)
    assert manager.put(f"/api/duty/{DORA}", json={"table": "relief"}).status_code == 204
    console = at_console(page, running, "relief")
    console.press("d")
    dialog(page).locator("[data-field=name] input").fill("ruth")
    console.press("Enter", "Enter")  # without a PIN
    page.wait_for_url("**/enter?to=%2Ftables%2Frelief%2Fdeal")
    on_duty = [line["name"] for line in manager.get("/api/duty").json()["duty"] if line["table"] == "relief"]
    assert on_duty == ["ruth"]
    manager.delete("/api/duty/ruth")


def test_a_shoe_that_is_named_is_not_the_one_that_was_offered(page: Page, running: Server) -> None:
    """What is typed chooses the answer for any other shoe, and another answer leaves it out."""
    open_table(running, "commission-insurance", "named")
    pit = hire(running, Position.PIT_SUPERVISOR)
    made = pit.post("/api/shoes", json={"shoe": "six", "decks": 6, "maker": "Angel", "batch": "7"})
    assert made.status_code == 201, made.text
    for step in ("inspected", "shuffled"):
        assert pit.post("/api/shoes/steps", json={"shoe": "six", "step": step}).status_code == 201
    console = Console(page, running, "named")
    console.sign_in(SUE)
    console.at("ready")
    for named, shoe in ((True, ("ours", 8)), (False, ("six", 6))):
        console.press("n")
        dialog(page).locator("[data-field=shoe] input").fill("ours")
        expect(dialog(page).locator("[data-field=''] input").last).to_be_checked()
        if not named:
            pick(page, "six")
        dialog(page).locator("[type=submit]").click()
        expect(dialog(page)).to_be_hidden()
        console.synced()
        assert console.state.shoe is not None
        assert (console.state.shoe.id, console.state.shoe.decks) == shoe
