"""The house's record in a browser: settings, limits, positions and rules that were changed, and what was refused."""

import re
from collections.abc import Iterator

import pytest

from punto.floor.journal.house_events import FloorStarted
from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.library import book_ids
from punto.table.records.positions import Position
from tests.browser.conftest import Axe, PageAt, Screenshot
from tests.browser.looking import look_at, sticks_out
from tests.floor.play_money import set_rules
from tests.web.serving import NAMES, PASSWORD, Server, server

RAW = re.compile("[a-z]_[a-z]|_minor")
LINES = """each => {
  const text = document.createRange();
  text.selectNodeContents(each);
  return text.getClientRects().length;
}"""
SETTINGS = {
    "gaming_day": {"zone": "Asia/Macau", "starts": "06:00", "shifts": ["06:00", "18:00"]},
    "large_cash_minor": 10_000_00,
    "complaints": "Guest Services\n10 Example Road",
    "alarms": {"big_bet_minor": 20_000_00, "round_s": 240, "dealer_on_min": 80, "tray_low_percent": 30, "late_bets": 0},
}
CHIPS = [{"value_minor": 5_00, "colour": "red"}, {"value_minor": 100_00, "colour": "turquoise"}]
OPENED = {"layout": "A", "boxes": 7, "main": {"min_minor": 100_00}}
CHANGED = {
    "layout": "A",
    "boxes": 7,
    "main": {"min_minor": 200_00, "max_minor": 50_000_00},
    "private": True,
    "house": "pit_manager",
    "rounding": "up",
    "takes_from": "last",
    "cut_card": 20,
    "burn": False,
}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("record") / "floor.db")) as served:
        sid, pit, dora = (served.by(each) for each in (Position.SHIFT_MANAGER, Position.PIT_MANAGER, Position.DEALER))
        served.token(Position.AUDITOR)
        setup = {"name": "felt 1", "book": "commission", "shoes": "manual", "decks": 8}
        done = [
            sid.post("/api/tables", json=setup),
            sid.put("/api/settings", json=SETTINGS),
            sid.put("/api/chips", json={"chips": CHIPS}),
            sid.post("/api/readings/who_may_squeeze", json={"value": True, "reason": "as posted at the tables"}),
            pit.put("/api/tables/felt 1/title", json={"title": "Orchid"}),
            served.command(pit, "felt 1", "open_table", settings=OPENED),
            served.command(pit, "felt 1", "change_settings", settings=CHANGED),
        ]
        assert [each.text for each in done if each.status_code >= 400] == []
        served.run(set_rules(served.service.visitors, FloorRules(visitors=True, buy_in_minor=1_000_00, boxes=3)))
        served.run(served.service.accounts.assign(THE_CONSOLE, NAMES[Position.DEALER], Position.PIT_SUPERVISOR))
        served.run(served.service.accounts.assign(THE_CONSOLE, NAMES[Position.DEALER], Position.DEALER))
        asked = ("/api/rounds", "/api/record", "/api/accounts", "/audit/program", "/audit/jobs")
        refused = [
            *(dora.get(path) for path in asked),
            dora.put("/api/settings", json={"tray_chips": 1}),
            dora.post("/api/accounts", json={"name": "zed"}),
            dora.post("/api/stops", json={"scope": "all", "reason": "no"}),
            served.command(dora, "felt 1", "change_settings", settings=OPENED),
            served.client(served.hired("olga", None)).get("/pit"),
            served.client(served.machine()).get("/api/record"),
        ]
        assert [each.status_code for each in refused] == [403] * len(refused)
        other = FloorStarted("0.10.1", "a" * 64, dict.fromkeys(book_ids(), "b" * 64), "c" * 64, "d" * 64)
        served.run(served.floor.house_log.write(THE_CONSOLE, other))
        yield served


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_record_is_read_in_words(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot, language: str
) -> None:
    page = page_at(1280, 800)
    page.goto(f"{floor.url}/enter?lang=en&staff=1")
    page.get_by_label("Name", exact=True).fill(NAMES[Position.AUDITOR])
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{floor.url}/audit")
    for group in ("settings", "refusals", "accounts", "program"):
        page.goto(f"{floor.url}/audit/record?group={group}&lang={language}")
        rows = page.locator("table.record-of-house > tbody > tr > td:nth-of-type(1)")
        assert rows.count() > 0
        assert [words for words in rows.all_inner_texts() if RAW.search(words)] == []
        look_at(page, f"record-{group}-{language}", axe, screenshot)
        page.set_viewport_size({"width": 390, "height": 844})
        amounts = page.locator(".changes td").filter(has_text=re.compile("^[0-9,]+$"))
        assert {each.evaluate(LINES) for each in amounts.all()} <= {1}, "no amount is broken"
        page.set_viewport_size({"width": 768, "height": 1024})
        assert sticks_out(page) == []
        screenshot(page, f"page-record-{group}-{language}-upright")
