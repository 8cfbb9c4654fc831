"""The program at the auditor's desk, how to complain, and a page that notices a server of another release."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

import punto
from punto.floor.demo.opening_tables import TABLES
from punto.table.records.positions import Position
from punto.web.http.auth import cookie_name
from tests.browser.conftest import Axe, Screenshot
from tests.browser.looking import look_at
from tests.web.serving import Server, server

HOSTILE = '<script>alert(1)</script> "quoted" ' + "x" * 200


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("program") / "floor.db"), opening=TABLES[:1]) as running:
        yield running


def sign_in(page: Page, floor: Server, position: Position) -> None:
    cookie = {"name": cookie_name(floor.config), "value": floor.token(position), "url": floor.url}
    page.context.add_cookies([cookie])  # type: ignore[list-item]


# ---- the program


def test_an_auditor_has_the_program_checked(floor: Server, page: Page, axe: Axe, screenshot: Screenshot) -> None:
    sign_in(page, floor, Position.AUDITOR)
    page.goto(f"{floor.url}/audit/program?lang=en")
    expect(page.get_by_role("heading", name="Check of the files")).to_be_visible()
    expect(page.locator("#main")).to_contain_text("Not checked since the start.")
    expect(page.locator("#main")).to_contain_text(floor.floor.started.build)
    expect(page.get_by_role("link", name="Program")).to_have_attribute("aria-current", "page")
    with page.expect_navigation():
        page.get_by_role("button", name="Check now").click()
    expect(page.locator("#main")).to_contain_text("All files are as they were at the start.")
    expect(page.locator("#main")).to_contain_text("Checked by aude:")
    look_at(page, "program", axe, screenshot)
    page.goto(f"{floor.url}/audit/program?lang=zh")
    expect(page.locator("#main")).to_contain_text("所有文件与启动时相同。")
    look_at(page, "program-zh", axe, screenshot)


# ---- complaints


def test_a_player_reads_how_to_complain_about_a_round(
    floor: Server, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    page.goto(f"{floor.url}/?lang=en")
    page.get_by_role("contentinfo").get_by_role("link", name="Complaints").click()
    page.wait_for_url(f"{floor.url}/complaints")
    expect(page.get_by_role("heading", name="Complaints")).to_be_visible()
    expect(page.get_by_role("heading", name="The round in question")).to_have_count(0)
    page.goto(f"{floor.url}/complaints?round=/tables/Orchid/rounds/2-17")
    link = page.get_by_role("link", name="Table Orchid, round 2-17")
    expect(link).to_have_attribute("href", "/tables/Orchid/rounds/2-17")
    expect(page.locator("#main")).to_contain_text("Ask any member of staff")
    sid = floor.by(Position.SHIFT_MANAGER)
    contacts = {"complaints": f"Desk 4, level B1\n{HOSTILE}", "regulator": "Gaming authority\n+65 6000 0000"}
    assert sid.put("/api/settings", json=contacts).status_code == 200
    page.reload()
    expect(page.locator("address").first).to_contain_text("Desk 4, level B1")
    expect(page.locator("address").first).to_contain_text(HOSTILE)
    look_at(page, "complaints", axe, screenshot)
    page.goto(f"{floor.url}/complaints?round=/tables/Orchid/rounds/2-17&lang=zh")
    expect(page.locator("#main")).to_contain_text("+65 6000 0000")
    look_at(page, "complaints-zh", axe, screenshot)


def test_a_shift_manager_writes_the_contacts(floor: Server, page: Page, axe: Axe, screenshot: Screenshot) -> None:
    sign_in(page, floor, Position.SHIFT_MANAGER)
    page.goto(f"{floor.url}/pit/settings?lang=en")
    contacts = page.locator("[data-settings=contacts]")
    contacts.get_by_label("To the house").fill("Guest relations\n24 hours")
    contacts.get_by_label("To the authority").fill("")
    with page.expect_navigation():
        contacts.get_by_role("button", name="Save").click()
    expect(contacts.get_by_label("To the house")).to_have_value("Guest relations\n24 hours")
    look_at(page, "settings-contacts", axe, screenshot)
    settings = floor.run(floor.service.floor_view.settings())
    assert (settings.complaints, settings.regulator) == ("Guest relations\n24 hours", "")


# ---- another release


LOADED_EARLIER = """
const loads = Number(sessionStorage.getItem('loads')) + 1;
sessionStorage.setItem('loads', loads);
document.addEventListener('readystatechange', () => { // before the scripts of the page run
  const words = document.getElementById('words');
  if (document.readyState === 'interactive' && loads <= TIMES) words.dataset.release = '0.9.7';
});
"""


def loaded(page: Page) -> int:
    """How often the page was loaded, as it counts itself."""
    return int(page.evaluate("Number(sessionStorage.getItem('loads'))"))


def open_earlier(page: Page, floor: Server, path: str, times: int = 9) -> Locator:
    """Open a page as an earlier release gave it, the first ``times`` times that it is loaded; returns the notice."""
    sign_in(page, floor, Position.PIT_MANAGER)
    page.add_init_script(LOADED_EARLIER.replace("TIMES", str(times)))
    page.goto(f"{floor.url}/{path}")
    return page.locator("#updated")


@pytest.mark.parametrize("path", ["?lang=en", "tables/Orchid", "tables/Orchid/deal", "pit", "complaints"])
def test_a_page_says_that_punto_was_updated_and_waits(
    floor: Server, page: Page, path: str, axe: Axe, screenshot: Screenshot
) -> None:
    updated = open_earlier(page, floor, path)
    if path == "complaints":  # it has no live updates: it notices with its next request
        page.locator("a[data-clause]").first.click()
        expect(page.locator("#messages .toast")).to_be_visible()
    expect(updated).to_be_visible()
    assert loaded(page) == 1
    assert axe(page) == []
    screenshot(page, f"updated-{path.replace('/', '-').removeprefix('?')}")
    updated.get_by_role("button", name="Later").click()
    expect(updated).to_be_hidden()
    assert loaded(page) == 1


def test_it_is_loaded_again_when_somebody_wants_it(floor: Server, page: Page) -> None:
    updated = open_earlier(page, floor, "?lang=zh", times=1)
    expect(updated).to_be_visible()
    expect(updated).to_contain_text("Punto已更新。")
    with page.expect_navigation():
        updated.get_by_role("button", name="重新载入").click()
    expect(page.locator("#words")).to_have_attribute("data-release", punto.__version__)
    expect(page.get_by_role("contentinfo")).to_contain_text(f"Punto {punto.__version__}")
    counted = floor.client().get("/metrics").text
    assert 'punto_client_mismatches_total{client="older"}' in counted


def test_a_board_loads_itself_again_once(floor: Server, page: Page) -> None:
    updated = open_earlier(page, floor, "tables/Orchid/board")
    expect(updated).to_be_visible()  # still of the earlier release, so it says so and does no more
    assert loaded(page) == 2
