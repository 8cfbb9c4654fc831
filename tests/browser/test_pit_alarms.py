"""Alarms on the page of the pit: read, heard, counted in the title, and acknowledged by name."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.floor.house.alarm import AlarmKind, DueAlarm
from punto.table.records.positions import Position
from tests.browser.conftest import PHONE, Axe, PageAt, Screenshot, Troubles
from tests.browser.console import TABLET, WIDE, casino, hire, sign_in
from tests.browser.looking import sticks_out
from tests.waiting import wait_until
from tests.web.serving import NAMES, Server

TABLE = "commission-insurance"
SUE, AUDE = NAMES[Position.PIT_SUPERVISOR], NAMES[Position.AUDITOR]
BIG = DueAlarm(AlarmKind.BIG_BUY_IN, "1", TABLE, 1, 3, "box 3", {"amount_minor": 60_000_00})
MISSED = DueAlarm(AlarmKind.INSURANCE_MISSED, "2", TABLE, 1, 4, "banker", {"side": "banker", "stage": "four"})
UNSOUND = DueAlarm(AlarmKind.NOT_SOUND, "3", subject="house/7", values={"faults": 1})
LATER = DueAlarm(AlarmKind.PLAYED_WHILE_STOPPED, "4", TABLE, 1, 5, "", {"stop": 1})
TONES = """() => {
  window.tones = 0;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) { window.tones += 1; return start.apply(this, when); };
}"""


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Server]:
    with casino(tmp_path, TABLE) as running:
        for position in (Position.PIT_SUPERVISOR, Position.AUDITOR):
            hire(running, position)
        never = running.by(Position.SHIFT_MANAGER).put("/api/settings", json={"alarms": {"escalate_s": 0}})
        assert never.status_code == 200, never.text  # alarms that escalate by themselves would come in between
        yield running


def ring(floor: Server, *due: DueAlarm) -> None:
    floor.run(floor.service.alarms.ring(due))


def looks_well(page: Page, name: str, axe: Axe, screenshot: Screenshot) -> None:
    assert sticks_out(page) == [], name
    assert axe(page) == [], name
    screenshot(page, name)


def acknowledged_by(floor: Server, number: int) -> tuple[str, str]:
    listed = floor.by(Position.AUDITOR).get("/api/alarms").json()["alarms"]
    (alarm,) = (each for each in listed if each["number"] == number)
    return alarm["acknowledged_by"], alarm["note"]


def escalated(floor: Server, number: int) -> bool:
    """Let what is a second old escalate, and say whether this one has."""
    floor.run(floor.service.alarms.escalate(1))
    return any(alarm.number == number and alarm.escalated_us for alarm in floor.run(floor.service.alarms.all_open()))


def test_a_supervisor_hears_and_acknowledges_alarms(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot, troubles: Troubles
) -> None:
    ring(floor, BIG, MISSED, UNSOUND)
    page = page_at(*WIDE)
    sign_in(page, floor.url, SUE)
    page.goto(f"{floor.url}/pit?lang=en")
    alarms = page.locator("#alarms article")
    expect(alarms).to_have_count(3)
    assert [each.get_attribute("data-group") for each in alarms.all()] == ["3", "2", "1"]
    expect(page).to_have_title("(3) Pit · Punto")
    expect(alarms.last).to_contain_text("60,000")
    looks_well(page, "pit-alarms", axe, screenshot)

    # silent until it is chosen, and then for what is new
    page.evaluate(TONES)
    sound = page.get_by_role("button", name="Sound")
    expect(sound).to_have_attribute("aria-pressed", "false")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("tones") == 1
    ring(floor, LATER)
    expect(alarms).to_have_count(4)
    wait_until(lambda: page.evaluate("tones") == 5, "four tones for an urgent alarm")
    expect(page).to_have_title("(4) Pit · Punto")

    # one with its button and a note
    page.locator("#alarm-3 input").fill("all confirmed")
    page.locator("#alarm-3 button").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#alarm-3")).to_have_count(0)
    expect(page).to_have_title("(3) Pit · Punto")
    assert acknowledged_by(floor, 3) == (SUE, "all confirmed")

    # nobody answers, and it is heard again, though it cannot become more severe
    for number in (1, 2):
        assert floor.by(Position.PIT_SUPERVISOR).post(f"/api/alarms/{number}/acknowledge", json={}).status_code == 200
    expect(alarms).to_have_count(1)
    wait_until(lambda: escalated(floor, 4), "an urgent alarm that nobody has answered")
    expect(page.locator("#alarm-4")).to_contain_text("nobody has answered")
    wait_until(lambda: page.evaluate("tones") > 5, "tones for an alarm that nobody has answered")

    page.reload()
    expect(page.locator("#alarms article")).to_have_count(1)
    expect(page.get_by_role("button", name="Sound")).to_have_attribute("aria-pressed", "true")
    assert troubles.left == []


@pytest.mark.parametrize("size", [TABLET, PHONE], ids=["tablet", "phone"])
def test_an_auditor_reads_them_in_chinese(
    floor: Server, page_at: PageAt, axe: Axe, screenshot: Screenshot, size: tuple[int, int], troubles: Troubles
) -> None:
    ring(floor, BIG, MISSED, UNSOUND)
    page = page_at(*size)
    sign_in(page, floor.url, AUDE)
    page.goto(f"{floor.url}/pit?lang=zh")
    expect(page.locator("#alarms article")).to_have_count(3)
    expect(page.locator("#alarms")).to_contain_text("紧急")
    expect(page.locator("#alarms form")).to_have_count(0)
    looks_well(page, f"pit-alarms-zh-{size[0]}", axe, screenshot)
    assert troubles.left == []
