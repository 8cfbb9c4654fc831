"""Stops, waiting proposals, a lost line, a new release and messages, alone and together, on every page of the staff.

Nothing lies over anything else, a tap hits what it is aimed at, and the next step stays in sight.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import Screenshot, Troubles
from tests.browser.console import CARDS_ONLY, enrol, hire, open_table, sign_in
from tests.browser.line import CUT_LINE
from tests.browser.looking import sticks_out
from tests.web.serving import NAMES, Server, server

SIZES = ((1280, 800), (1366, 768), (1440, 900), (1920, 1080), (390, 844))
MAX = NAMES[Position.PIT_MANAGER]
TABLES = ("betting", "cards", "settled", "tray")
TITLE = "High limit salon of the Orchid Pavilion"
GAMES = ("tiger-buffalo", "commission-insurance", "commission", "commission")
CONSOLES = (
    *(f"/tables/{table}/{page}" for table in TABLES for page in ("deal", "guide")),
    "/tables/cards/guide?see=wrong_cards",
)
PAGES = (
    *(
        "/",
        "/pit",
        f"/pit/tables/{TABLES[0]}",
        "/approvals",
        "/pit/stops",
        "/pit/shoes",
        "/pit/players",
        "/pit/reports",
    ),
    *("/pit/settings", "/incidents", "/audit", "/audit/rounds", "/audit/record", "/audit/jobs", "/audit/program"),
    *("/audit/looks", "/guide", "/me", "/referee", f"/tables/{TABLES[0]}", f"/tables/{TABLES[2]}/history"),
)
ON_TERMINALS = (*CONSOLES, "/pit", f"/pit/tables/{TABLES[0]}", "/approvals")
"""The pages that say that the session is locked, and are shown all the same."""
REASON = "smoke in the east wing, and nobody knows yet where it comes from; the fire brigade is on its way to the pit"
SCRIPT = """import(document.querySelector("script[src*='/punto.js']").src)"""
SAY = f"""() => {SCRIPT}.then((page) => page.say(
  "The minimum at this table is 100.00; the bet of box 3 on Banker is 50.00, so it does not play in this round.",
  {{ clauses: ["3.4.1", "5.1.2"], book: "commission" }}))"""
UPDATED = f"""() => {SCRIPT}.then((page) => page.hearRelease("99.0"))"""
LOCKED = f"""() => {SCRIPT}.then((page) => page.hearLocked(true))"""
FAULTS = """() => {
  const faults = [];
  const name = (node) => `${node.tagName}.${node.className} "${node.textContent.trim().slice(0, 30)}"`;
  const shown = (node) => node.checkVisibility({ visibilityProperty: true }) && node.getBoundingClientRect().height > 0;
  const inside = ({ top, left, bottom, right }) =>
    top >= -0.5 && left >= -0.5 && bottom <= innerHeight + 0.5 && right <= innerWidth + 0.5;
  const hits = (node) => {
    const box = [...node.getClientRects()].find((each) => each.width && each.height);
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return Boolean(hit) && [node, ...(node.labels ?? [])].some((each) => each.contains(hit));
  };

  // what a tap hits, once it was scrolled to
  const scrolled = () => [...document.querySelectorAll("*")].filter((node) => node.scrollTop);
  const before = new Map(scrolled().map((node) => [node, node.scrollTop]));
  const main = document.querySelector(".console-page > main");
  for (const node of document.querySelectorAll("a[href], button, input, select, textarea, summary")) {
    if (!shown(node) || node.disabled || getComputedStyle(node).pointerEvents === "none") continue;
    if (node.closest(".skip, .vh") || node.type === "hidden") continue;
    if (inside(node.getBoundingClientRect()) && hits(node)) continue;
    node.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    if (!hits(node)) faults.push(`a tap misses ${name(node)}`);
  }
  for (const node of scrolled()) node.scrollTop = before.get(node) ?? 0;

  // nothing overlaps
  const selectors = [".bars > *", ".messages > *", ".c-bar, .bar", ".c-left", ".c-stage", ".c-sheet", ".c-entry",
    ".c-tiles", ".c-pad", "#now .now-box", "#now .say-box", "#now .law", "#now .step", ".c-keys", ".g-told", ".g-acts",
    ".g-work", "body > main:not(.console)"];
  const boxes = document.querySelectorAll(selectors.join(", "));
  const visible = (node) => { // banners scroll where they are too many
    const box = node.getBoundingClientRect().toJSON();
    const bars = node.parentElement.closest(".console-page > .bars, .pit-page > .bars")?.getBoundingClientRect();
    return bars ? { ...box, top: Math.max(box.top, bars.top), bottom: Math.min(box.bottom, bars.bottom) } : box;
  };
  const regions = [...boxes].filter(shown).map((node) => [node, visible(node)]);
  const span = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
  const over = (a, b) => span(a, b, "left", "right") > 1 && span(a, b, "top", "bottom") > 1;
  for (const [at, [one, a]] of regions.entries())
    for (const [other, b] of regions.slice(at + 1)) {
      if (one.contains(other) || other.contains(one)) continue;
      // over what scrolls under it
      const sticky = [one, other].some((node) => getComputedStyle(node).position === "sticky");
      if (!sticky && over(a, b)) faults.push(`${name(one)} lies over ${name(other)}`);
    }

  // messages are over what the header says, not over its keys
  for (const toast of document.querySelectorAll(".toast"))
    for (const node of document.querySelectorAll("header a, header button"))
      if (shown(node) && !toast.contains(node) && over(toast.getBoundingClientRect(), node.getBoundingClientRect()))
        faults.push(`a message covers ${name(node)}`);

  // what the header says stands beside each other
  const words = document.querySelectorAll(".c-head h1, .c-head .round b, .c-head .round p, .c-head dd");
  const heads = [...words].filter(shown);
  const inks = heads.map((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [node, range.getBoundingClientRect()];
  });
  for (const [at, [one, a]] of inks.entries())
    for (const [other, b] of inks.slice(at + 1))
      if (one.closest(".pair") !== other.closest(".pair") && over(a, b))
        faults.push(`${name(one)} runs into ${name(other)}`);

  // where banners scroll, that gaming is stopped is seen at once
  const stop = document.querySelector("#stops p");
  if (stop && shown(stop) && main) {
    const bars = stop.closest(".bars").getBoundingClientRect();
    if (stop.getBoundingClientRect().bottom > bars.bottom + 1) faults.push("out of sight: gaming is stopped");
  }

  // now, and the next step
  if (main)
    for (const node of document.querySelectorAll("#now .now-box h2, #now .space")) {
      if (!shown(node)) continue;
      const box = node.getBoundingClientRect();
      const first = { ...box.toJSON(), bottom: Math.min(box.bottom, box.top + 24) };
      if (!inside(node.matches(".space") ? box : first)) faults.push(`out of sight: ${name(node)}`);
      const hit = document.elementFromPoint(box.left + box.width / 2, first.top + 12);
      if (!node.contains(hit)) faults.push(`covered: ${name(node)} by ${hit && name(hit)}`);
    }
  return faults;
}"""


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Four tables, each in another moment."""
    with server(str(Path(tmp_path_factory.mktemp("banners")) / "floor.db")) as running:
        dealer = hire(running, Position.DEALER)
        for table, game in zip(TABLES, GAMES, strict=True):
            open_table(running, game, table, **(CARDS_ONLY if table == "tray" else {}))

        for position in (Position.SHIFT_MANAGER, Position.ADMINISTRATOR):
            hire(running, position)
        titled = hire(running, Position.PIT_MANAGER).put("/api/tables/cards/title", json={"title": TITLE})
        assert titled.status_code == 200, titled.text

        def give(table: str, command: str, **fields: object) -> None:
            answer = running.command(dealer, table, command, **fields)
            assert answer.status_code == 200, answer.text

        for table in TABLES[:3]:
            give(table, "open_betting")
            for box in range(1, 6):
                give(table, "place_bet", who=f"box {box}", box=box, bet="banker", stake_minor=1_000_00)
                give(table, "place_bet", who=f"behind box {box}", box=box, bet="player", stake_minor=300_00)
        for table, cards in (("cards", "K2K3"), ("settled", "29KK")):
            give(table, "close_betting")
            for card in cards:
                give(table, "deal_card", card=card)
        give("settled", "settle")
        yield running


class Pages:
    """One browser, at all pages one after the other."""

    def __init__(self, page: Page, floor: Server, screenshot: Screenshot) -> None:
        self.page, self.floor, self.screenshot = page, floor, screenshot
        self.faults: list[str] = []

    def open(self, path: str) -> None:
        self.page.goto(f"{self.floor.url}{path}{'&' if '?' in path else '?'}lang=en")
        if path in CONSOLES and path.endswith("deal"):
            expect(self.page.locator("#now .moment:visible")).to_have_count(1)

    def look(self, path: str, state: str) -> None:
        """At every size; on pages that simply scroll, one state alone at the narrowest and at one desk."""
        for width, height in SIZES if path in CONSOLES or state == "all" else (SIZES[0], SIZES[-1]):
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.evaluate("scrollTo(0, 0)")
            found = [*self.page.evaluate(FAULTS), *sticks_out(self.page)]
            self.faults += [f"{path}, {state}, {width}x{height}: {fault}" for fault in found]
            self.screenshot(self.page, f"banners-{re.sub('[/?=]', '-', path.strip('/')) or 'lobby'}-{state}-{width}")

    def lose(self) -> None:
        """The browser notices at once that it has no network."""
        self.page.context.set_offline(True)
        lost = self.page.locator("#lost, body:not(.console-page) #away, .guide-page #away")
        if self.page.evaluate("'console' in document.body.dataset || 'live' in document.body.dataset"):
            expect(lost.locator("visible=true")).to_have_count(1)


def test_whatever_stands_above_a_page_touches_nothing(
    page: Page, floor: Server, screenshot: Screenshot, troubles: Troubles
) -> None:
    troubles.excuse(CUT_LINE)
    pages = Pages(page, floor, screenshot)
    enrol(page, floor, None)
    sign_in(page, floor.url, MAX)
    for path in (*CONSOLES, *PAGES):
        pages.open(path)
        pages.look(path, "nothing")
        page.evaluate(SAY)
        pages.look(path, "message")
        page.locator("#messages .shut").click()
        page.evaluate(UPDATED)
        pages.look(path, "updated")
        page.locator("#updated [data-later]").click()
        pages.lose()
        pages.look(path, "lost")
        page.context.set_offline(False)
    propose(floor)
    for path in (*CONSOLES, *PAGES):
        pages.open(path)
        if path in CONSOLES:
            expect(page.locator("#waiting button")).to_have_count(2)
        pages.look(path, "waiting")
    stop(floor)
    for path in (*CONSOLES, *PAGES):
        pages.open(path)
        expect(page.locator("#stops p")).to_have_count(3)
        page.evaluate(SAY)
        page.evaluate(UPDATED)
        if path in CONSOLES:
            expect(page.locator("#waiting button")).to_have_count(2)
        pages.lose()
        page.evaluate(LOCKED)
        if path in ON_TERMINALS:
            expect(page.locator("#locked-bar")).to_be_visible()
        pages.look(path, "all")
        page.context.set_offline(False)
    assert not pages.faults, "\n".join(pages.faults)


def propose(floor: Server) -> None:
    """Two proposals wait at every table."""
    dealer = hire(floor, Position.DEALER)
    for table in TABLES:
        for number in range(2):
            command = {"command": "rule.1", "effect": "adjust", "reason": f"r{number}", "amounts": {"box 1": 100}}
            answer = dealer.post(f"/api/tables/{table}/proposals", json={"id": f"{table}{number}", "command": command})
            assert answer.status_code == 201, answer.text


def stop(floor: Server) -> None:
    """All gaming, one game and one person are stopped."""
    manager = hire(floor, Position.SHIFT_MANAGER)
    for scope, of in (("all", ""), ("game", "commission"), ("staff", NAMES[Position.ADMINISTRATOR])):
        answer = manager.post("/api/stops", json={"scope": scope, "of": of, "reason": REASON})
        assert answer.status_code == 201, answer.text
