"""An auditor verifies the journal and exports a period in a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from punto.web.http.auth import cookie_name
from tests.browser.conftest import PHONE, Axe, PageAt, Screenshot, Troubles
from tests.browser.looking import look_at, sticks_out
from tests.floor.audit.auditors import held_up, let_go
from tests.floor.audit.forging import tamper
from tests.floor.report_floor import reported
from tests.waiting import wait_until
from tests.web.serving import Server, server

HOSTILE = f"<script>alert(1)</script>'\"\u202e{'x' * 200}"
WIDE, TABLET = (1920, 1080), (1180, 820)


@pytest.fixture(scope="module")
def heads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("heads")


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory, heads: Path) -> Iterator[Server]:
    path = str(tmp_path_factory.mktemp("jobs") / "floor.db")
    reported(path)
    with server(path, heads_to=str(heads)) as served:
        wait_until(lambda: list(heads.glob("*.heads")), "a copy of the heads")
        served.token(Position.AUDITOR)
        yield served


def open_jobs(page: Page, floor: Server, language: str = "en") -> None:
    token = floor.token(Position.AUDITOR)
    page.context.add_cookies([{"name": cookie_name(floor.config), "value": token, "url": floor.url}])
    page.goto(f"{floor.url}/audit/jobs?lang={language}")


def test_an_auditor_verifies_stops_comes_back_and_exports(
    floor: Server, heads: Path, page: Page, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse("status of 400")
    open_jobs(page, floor)
    verify, exports = page.locator("#verify"), page.locator("#exports")
    expect(verify).to_contain_text("Nobody has verified the journal")
    expect(page.locator("#heads")).to_contain_text("The journal agrees with the earlier copies")
    pipe = held_up(heads)  # from now on a verification waits
    page.get_by_role("button", name="Verify now").focus()
    page.keyboard.press("Enter")
    expect(verify.get_by_role("progressbar")).to_be_visible()
    look_at(page, "audit-jobs-running", axe, screenshot)
    verify.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Verify now")).to_be_visible()
    expect(verify.locator(".unfinished")).to_contain_text("Stopped")  # where whoever started it looks, not folded away
    page.get_by_role("button", name="Verify now").click()
    expect(verify.get_by_role("progressbar")).to_be_visible()
    page.goto(f"{floor.url}/")
    open_jobs(page, floor)
    expect(verify.get_by_role("progressbar")).to_be_visible()  # it went on without the page
    let_go(pipe)
    expect(verify.locator(".verdict")).to_have_text("Sound")
    expect(verify.locator(".unfinished")).to_have_count(0)
    page.get_by_text("Earlier verifications").click()
    expect(verify.get_by_role("cell", name="Stopped")).to_be_visible()
    pipe.unlink()
    form = page.locator("form[data-job=export]")
    form.get_by_label("What").select_option("bets")
    form.get_by_label("From the gaming day").fill("2026-11-30")
    form.get_by_label("to", exact=True).fill("2026-11-01")
    form.get_by_role("button", name="Export").click()
    expect(page.locator("#export-wrong")).not_to_be_empty()
    form.get_by_label("From the gaming day").fill("2020-01-01")
    form.get_by_label("to", exact=True).fill("2099-01-01")
    form.get_by_role("button", name="Export").click()
    link = exports.get_by_role("link", name="Download")
    expect(link).to_be_visible()
    expect(page.locator("#export-wrong")).to_be_empty()
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == "punto-bets-2020-01-01-2099-01-01.csv"
    look_at(page, "audit-jobs", axe, screenshot)
    for width, height in (WIDE, TABLET):
        page.set_viewport_size({"width": width, "height": height})
        assert sticks_out(page) == []
        screenshot(page, f"page-audit-jobs-{width}")


def test_faults_are_shown_on_a_phone_in_chinese(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot
) -> None:
    tamper(floor.config.db, ("INSERT INTO streams (name, version, hash) VALUES (?, 0, '')", (HOSTILE,)))
    page = page_at(*PHONE)
    open_jobs(page, floor, "zh")
    page.get_by_role("button", name="立即核验").click()
    expect(page.locator("#verify .verdict")).to_contain_text("不完好")
    expect(page.locator("#verify tbody").first).to_contain_text("<script>alert(1)</script>")
    expect(page.locator("#verify tbody").first).to_contain_text("通知值班经理和监控")
    look_at(page, "audit-jobs-zh", axe, screenshot)
