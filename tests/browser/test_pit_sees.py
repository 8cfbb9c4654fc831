"""What the pit sees: what it approves, alarms by event, whole tiles, shoes to choose from, why gaming is stopped."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from punto.floor.house.alarm import AlarmKind, DueAlarm, Fact
from punto.table.records.positions import Position
from tests.browser.conftest import PHONE, Axe, PageAt, Screenshot, Troubles
from tests.browser.console import PIN, casino, enrol, hire, sign_in
from tests.browser.looking import sticks_out
from tests.waiting import wait_until
from tests.web.serving import NAMES, Server

TABLE, OTHER = "commission-insurance", "commission"
SIZES = {"1280": (1280, 800), "1366": (1366, 768), "1920": (1920, 1080), "phone": PHONE}
DORA, SUE, MAX = (NAMES[each] for each in (Position.DEALER, Position.PIT_SUPERVISOR, Position.PIT_MANAGER))
LONG = "Maximiliana-Theodora Featherstonehaugh"
CUT = """() => [...document.querySelectorAll(".p-table *")].filter((node) => {
  const style = getComputedStyle(node);
  const hides = [style.overflowX, style.overflowY].some((each) => each !== "visible");
  const out = node.getBoundingClientRect().right > node.closest(".p-table").getBoundingClientRect().right + 1;
  const cut = hides && (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1);
  return (out || cut || style.textOverflow === "ellipsis") && !node.closest(".vh");
}).map((node) => node.className + ": " + node.textContent)"""


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Server]:
    with casino(tmp_path, TABLE, OTHER) as running:
        for position in (Position.DEALER, Position.PIT_SUPERVISOR, Position.PIT_MANAGER, Position.AUDITOR):
            hire(running, position, pin=PIN if position is Position.PIT_SUPERVISOR else "")
        never = running.by(Position.SHIFT_MANAGER).put("/api/settings", json={"alarms": {"escalate_s": 0}})
        assert never.status_code == 200, never.text
        yield running


def looks_well(page: Page, name: str, axe: Axe, screenshot: Screenshot) -> None:
    screenshot(page, name)
    assert sticks_out(page) == [], name
    assert axe(page) == [], name


def give(floor: Server, table: str, command: str, position: Position = Position.DEALER, **fields: Any) -> None:
    given = floor.command(floor.by(position), table, command, **fields)
    assert given.status_code == 200, given.text


def propose(floor: Server, table: str, number: str, command: str, **fields: Any) -> None:
    proposal = {"id": number, "command": {"command": f"{command}.1", **fields}}
    made = floor.by(Position.DEALER).post(f"/api/tables/{table}/proposals", json=proposal)
    assert made.status_code == 201, made.text


def asked(page: Page, within: str) -> dict[str, str]:
    values: dict[str, str] = page.locator(f"{within} [data-asked]").evaluate_all(
        "all => Object.fromEntries(all.map(each => [each.dataset.asked, each.querySelector('dd').innerText]))"
    )
    return values


def test_whoever_closes_a_table_sees_closer_chips_and_shoes_in_the_queue_and_at_the_terminal(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    give(floor, TABLE, "buy_in", who="box 3", amount_minor=1_200_00)
    piles = [{"value_minor": 100_000, "count": 998}, {"value_minor": 2_500, "count": 12}]
    give(floor, TABLE, "count_tray", Position.PIT_SUPERVISOR, purpose="closer", piles=piles)
    propose(floor, TABLE, "closing", "close_table")
    wanted = {
        "closer": f"998 \N{MULTIPLICATION SIGN} 1,000, 12 \N{MULTIPLICATION SIGN} 25 = 998,300, "
        f"by {SUE}; \N{MINUS SIGN}500 off the record",
        "have_chips": "Box 3: 1,200",
        "not_counted": f"{TABLE} 1",
    }
    for name, size in SIZES.items():
        page = page_at(*size)
        sign_in(page, floor.url, SUE)
        for path, where in (("/pit", "queue"), ("/approvals", "approvals")):
            page.goto(f"{floor.url}{path}?lang=en")
            expect(page.locator("#proposal-closing .yes")).to_be_visible()
            assert asked(page, "#proposal-closing") == wanted
            looks_well(page, f"sees-{where}-{name}", axe, screenshot)
    for name, size in list(SIZES.items())[:3]:
        page = page_at(*size)
        enrol(page, floor, TABLE)
        sign_in(page, floor.url, DORA)
        page.goto(f"{floor.url}/tables/{TABLE}/deal?lang=en")
        page.locator(".c-waiting button").click()
        expect(page.locator("#dialog [name=pin]")).to_be_visible()
        assert asked(page, "#dialog") == wanted
        expect(page.locator("#dialog [type=submit]")).to_be_in_viewport()
        looks_well(page, f"sees-terminal-{name}", axe, screenshot)
    assert troubles.left == []


def test_whoever_opens_or_changes_a_table_sees_float_limits_and_thresholds(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot
) -> None:
    live = floor.floor.tables[OTHER].state.settings
    assert live is not None
    give(floor, OTHER, "close_table", Position.PIT_SUPERVISOR)
    settings = {"layout": live.layout, "boxes": 7, "main": {"min_minor": 50_00, "max_minor": 9_000_00}}
    settings |= {"observing": True, "buy_in_supervised_minor": 20_000_00, "tray_par_minor": 500_000_00}
    propose(floor, OTHER, "opening", "open_table", settings=settings, float_minor=300_000_00)
    changed = {**settings, "layout": floor.floor.tables[TABLE].state.settings.layout, "boxes": 7}  # type: ignore[union-attr]
    propose(floor, TABLE, "limits", "change_settings", settings={**changed, "differential_minor": 40_000_00})
    page = page_at(*SIZES["1280"])
    sign_in(page, floor.url, SUE)
    page.goto(f"{floor.url}/approvals?lang=en")
    expect(page.locator("#proposal-opening .yes")).to_be_visible()
    opening = asked(page, "#proposal-opening")
    assert opening["float_minor"] == "300,000"
    assert opening["main.min_minor"] == "50"
    assert opening["buy_in_supervised_minor"] == "20,000"
    assert opening["payout_supervised_minor"] == "\N{EN DASH}"
    assert asked(page, "#proposal-limits")["main.max_minor"] == "9,000 was 50,000"
    looks_well(page, "sees-opening", axe, screenshot)


PAID = DueAlarm(AlarmKind.BIG_PAYOUT, "1", TABLE, 1, 4, "box 3", {"box": 3, "bet": "banker", "amount_minor": 60_000_00})
MISSED = DueAlarm(AlarmKind.INSURANCE_MISSED, "2", TABLE, 1, 4, "banker", {"side": "banker", "stage": "four"})
OFF: dict[str, Fact] = {
    "purpose": "check",
    "counted_minor": 99_500,
    "expected_minor": 100_000,
    "difference_minor": -500,
}
COUNTED = DueAlarm(AlarmKind.TRAY_OFF, "3", OTHER, 1, 0, "", OFF)
PLAYED = DueAlarm(AlarmKind.PLAYED_WHILE_STOPPED, "4", TABLE, 1, 5, "", {"stop": 1})


def test_alarms_come_by_event_newest_urgent_first_and_one_key_answers_all_of_one(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    floor.run(floor.service.alarms.ring([PAID, MISSED, COUNTED, PLAYED]))
    for name, size in reversed(SIZES.items()):
        page = page_at(*size)
        sign_in(page, floor.url, SUE)
        page.goto(f"{floor.url}/pit?lang=en")
        groups = page.locator("#alarms article")
        expect(groups).to_have_count(3)
        assert [each.get_attribute("data-group") for each in groups.all()] == ["4", "3", "2 1"]
        looks_well(page, f"sees-alarms-{name}", axe, screenshot)
    page = page_at(*SIZES["1280"])
    sign_in(page, floor.url, SUE)
    page.goto(f"{floor.url}/pit?lang=en")
    groups = page.locator("#alarms article")
    expect(groups).to_have_count(3)
    for left in (2, 1):
        page.wait_for_timeout(600)
        page.keyboard.press("a")
        expect(groups).to_have_count(left)
    page.wait_for_timeout(600)
    page.keyboard.press("a")
    expect(groups).to_have_count(0)
    listed = floor.by(Position.AUDITOR).get("/api/alarms").json()["alarms"]
    assert [each["acknowledged_by"] for each in listed] == [SUE] * 4
    assert troubles.left == []


def test_nothing_on_a_tile_is_cut(floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot) -> None:
    floor.hired(LONG, Position.DEALER)
    manager = floor.by(Position.PIT_MANAGER)
    title = manager.put(f"/api/tables/{TABLE}/title", json={"title": "High limit salon of the Orchid Pavilion"})
    assert title.status_code == 200, title.text
    on = manager.put(f"/api/duty/{LONG}", json={"table": TABLE})
    assert on.status_code == 204, on.text
    give(floor, TABLE, "open_betting", Position.PIT_SUPERVISOR)
    for bet in ("player", "banker"):
        stake = {"who": "box 1", "box": 1, "bet": bet, "stake_minor": 12_345_678_25}
        give(floor, TABLE, "place_bet", Position.PIT_SUPERVISOR, **stake)
    for name, size in SIZES.items():
        page = page_at(*size)
        sign_in(page, floor.url, NAMES[Position.AUDITOR])
        page.goto(f"{floor.url}/pit?lang=en")
        expect(page.locator(".since").first).not_to_be_empty()
        tile = page.locator(".p-tile", has=page.locator(f"[data-tile='{TABLE}']"))
        expect(tile).to_contain_text("12,345,678.25")
        expect(tile).to_contain_text(LONG)
        screenshot(page, f"sees-tiles-{name}")
        assert page.evaluate(CUT) == [], name
        looks_well(page, f"sees-tiles-{name}", axe, screenshot)


def test_tray_and_par_are_for_those_who_never_count(floor: Server, page_at: PageAt) -> None:
    page = page_at(*SIZES["1920"])
    for name, shown in ((SUE, 0), (MAX, 0), (NAMES[Position.AUDITOR], 2)):
        sign_in(page, floor.url, name)
        page.goto(f"{floor.url}/pit?lang=en")
        expect(page.locator(".since").first).not_to_be_empty()
        expect(page.locator(".p-figures dt", has_text="Tray")).to_have_count(shown)
        page.context.clear_cookies()


def test_shoes_of_the_register_are_offered_where_one_is_loaded(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot
) -> None:
    pit = floor.by(Position.PIT_SUPERVISOR)
    for shoe in ("S-1", "S-2"):
        made = pit.post("/api/shoes", json={"shoe": shoe, "decks": 8, "maker": "Angel", "batch": "7"})
        assert made.status_code in (200, 201), made.text
    for step in ("inspected", "shuffled"):
        assert pit.post("/api/shoes/steps", json={"shoe": "S-1", "step": step, "note": ""}).status_code == 201
    for name, path in (("pit", f"/pit/tables/{OTHER}"), ("console", f"/tables/{OTHER}/deal")):
        page = page_at(*SIZES["1280"])
        sign_in(page, floor.url, SUE)
        page.goto(f"{floor.url}{path}?lang=en")
        expect(page.locator("kbd", has_text="N").first).to_be_visible()
        page.keyboard.press("n")
        picks = page.locator("#dialog .pick", has_text="S-")
        expect(picks).to_have_count(1)
        expect(picks).to_contain_text("S-1, 8 decks")
        looks_well(page, f"sees-shoes-{name}", axe, screenshot)
    page.locator("#dialog [type=submit]").click()
    wait_until(lambda: floor.floor.tables[OTHER].state.shoe.id == "S-1", "the shoe")  # type: ignore[union-attr]


def test_an_inspected_shoe_comes_back_in_the_browser(floor: Server, page_at: PageAt) -> None:
    give(floor, TABLE, "open_betting")
    give(floor, TABLE, "report_not_shuffled", Position.PIT_SUPERVISOR, reason="in order")
    old = f"{TABLE} 1"
    give(floor, TABLE, "inspect_shoe", Position.PIT_SUPERVISOR, shoe=old, reason="complete")
    page = page_at(*SIZES["1280"])
    sign_in(page, floor.url, SUE)
    page.goto(f"{floor.url}/pit/tables/{TABLE}?lang=en")
    expect(page.locator("#tile .since").first).not_to_be_empty()
    page.keyboard.press("n")
    expect(page.locator("#dialog .pick", has_text=old)).to_contain_text(f"inspected: back as {old}-2")
    page.locator("#dialog [type=submit]").click()
    state = floor.floor.tables[TABLE]
    wait_until(lambda: state.state.shoe is not None and state.state.shoe.id == f"{old}-2", "the shoe")
    assert state.state.taken_off[old] == "back"


def test_why_gaming_is_stopped_stands_whole_on_the_console_and_is_not_for_players(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    reason = "The fire brigade checks the whole of the building, floor by floor, and nobody is to stay. " * 2
    stopped = floor.by(Position.PIT_MANAGER).post("/api/stops", json={"scope": "all", "reason": reason.strip()})
    assert stopped.status_code in (200, 201), stopped.text
    for name, size in SIZES.items():
        page = page_at(*size)
        page.goto(f"{floor.url}/tables/{TABLE}?lang=en")
        expect(page.locator("body")).not_to_contain_text("fire brigade")
        looks_well(page, f"sees-stop-table-{name}", axe, screenshot)
        if size == PHONE:
            continue
        page = page_at(*size)
        sign_in(page, floor.url, DORA)
        page.goto(f"{floor.url}/tables/{TABLE}/deal?lang=en")
        banner = page.locator("#stops p").first
        expect(banner).to_contain_text(reason.strip())
        assert banner.evaluate("node => node.scrollHeight <= node.clientHeight + 1"), name
        looks_well(page, f"sees-stop-console-{name}", axe, screenshot)
    assert troubles.left == []


def test_times_of_a_rating_are_no_markup(floor: Server, page_at: PageAt) -> None:
    player = floor.by(Position.PIT_SUPERVISOR).post("/api/players", json={"name": "Ann"}).json()["id"]
    give(floor, OTHER, "sit", Position.PIT_SUPERVISOR, who=player, box=3)
    give(floor, OTHER, "open_betting")
    give(floor, OTHER, "place_bet", Position.PIT_SUPERVISOR, who=player, box=3, bet="player", stake_minor=100_00)
    give(floor, OTHER, "close_betting")
    for card in ("9s", "2h", "Kd", "3c"):
        give(floor, OTHER, "deal_card", card=card)
    give(floor, OTHER, "settle")
    page = page_at(*SIZES["1280"])
    sign_in(page, floor.url, MAX)
    page.goto(f"{floor.url}/pit/players?player={player}&lang=en")
    expect(page.locator(".sittings time")).to_have_count(2)
    assert "<time" not in page.locator("main").inner_text()
