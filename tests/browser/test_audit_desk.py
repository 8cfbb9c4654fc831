"""The auditor's desk in a browser: a day read on several screens in both languages, narrowed down and signed off."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import Axe, PageAt, Screenshot
from tests.browser.looking import look_at, sticks_out
from tests.floor.audit_day import DAY, HOSTILE, audited
from tests.web.serving import NAMES, PASSWORD, Server, server

OTHER_SIZES = {"wide": (1920, 1080), "tablet": (1180, 820), "upright": (768, 1024)}
WIDTH = "each => each.getBoundingClientRect().width"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = str(tmp_path_factory.mktemp("desk") / "floor.db")
    audited(path)
    with server(path) as served:
        served.token(Position.AUDITOR)
        yield served


def sign_in(page: Page, floor: Server) -> None:
    """As the auditor, who lands at the desk."""
    page.goto(f"{floor.url}/enter?lang=en&staff=1")
    page.get_by_label("Name", exact=True).fill(NAMES[Position.AUDITOR])
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{floor.url}/audit")


def test_a_day_is_read_narrowed_down_and_signed_off(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot
) -> None:
    page = page_at(1280, 800)
    sign_in(page, floor)
    expect(page.get_by_role("navigation", name="Pages of the desk").get_by_role("link")).to_have_count(6)
    for language in ("zh", "en"):
        page.goto(f"{floor.url}/audit?day={DAY}&lang={language}")
        look_at(page, f"audit-{language}", axe, screenshot)
        for name, (width, height) in OTHER_SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            assert sticks_out(page) == [], name
            screenshot(page, f"page-audit-{language}-{name}")
        page.set_viewport_size({"width": 768, "height": 1024})
        assert page.locator("table.exceptions > tbody > tr > td:nth-of-type(2)").first.evaluate(WIDTH) > 500
        assert page.locator(".bar nav").evaluate("nav => nav.scrollWidth - nav.clientWidth") <= 1
        page.set_viewport_size({"width": 1280, "height": 800})
    rows = page.locator("table.exceptions tbody tr")
    everything = rows.count()
    page.get_by_role("link", name="pro rata").click()
    page.wait_for_url("**kind=pro_rata#exceptions")
    expect(rows).to_have_count(1)
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == f"exceptions-{DAY}-0.csv"
    page.get_by_role("link", name="All kinds").click()
    page.wait_for_url(lambda address: "kind=" not in address)  # loaded, so that its script takes the form
    expect(rows).to_have_count(everything)
    sql = "UPDATE incidents SET waits = 'order' WHERE number = 1"
    floor.floor.database.writing(lambda transaction: transaction.change(sql)).result()
    page.reload()
    page.get_by_label("Note, if there is something to say").fill(HOSTILE)
    page.keyboard.press("Enter")
    asked = page.get_by_label("1 incident of this day is still open")
    expect(asked).to_be_focused()  # nothing is sent until it is answered
    look_at(page, "audit-open-incident", axe, screenshot)
    asked.check()
    page.get_by_role("button", name="Sign this day off").click()
    signed = page.locator(".signed-by")
    expect(signed).to_contain_text(f"{NAMES[Position.AUDITOR]}, auditor")
    expect(signed.locator("q")).to_have_text(HOSTILE)
    expect(page.get_by_role("button", name="Sign this day off")).to_have_count(0)
    look_at(page, "audit-signed", axe, screenshot)
    page.emulate_media(media="print")
    expect(signed).to_be_visible()
    for on_screen in (".tabs", ".desk .narrow-down", ".kinds"):
        expect(page.locator(on_screen)).to_be_hidden()
    screenshot(page, "page-audit-print")


def test_looks_are_read_and_lead_to_what_was_looked_at(
    floor: Server, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    sign_in(page, floor)
    page.goto(f"{floor.url}/audit?day={DAY}")
    page.get_by_role("link", name="Looks", exact=True).click()
    page.wait_for_url(f"{floor.url}/audit/looks")
    for language in ("zh", "en"):
        page.goto(f"{floor.url}/audit/looks?lang={language}")
        look_at(page, f"looks-{language}", axe, screenshot)
    page.get_by_label("Who looked").fill("nobody")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("No look fits.")).to_be_visible()
    page.get_by_role("link", name="Show all").click()
    page.wait_for_url(lambda address: "nobody" not in address)
    page.get_by_role("link", name=str(DAY)).first.click()
    page.wait_for_url(f"{floor.url}/audit?day={DAY}")
