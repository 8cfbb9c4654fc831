"""The console in a browser: a felt table on a real server, a dealer who types or taps, and their keys counted."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
from playwright.sync_api import Page, expect

from punto.library import book
from punto.rules.topics import Topic
from punto.table.records.positions import Position
from punto.table.records.state import Round, Table
from punto.web.views.cursors import write_cursor
from tests.browser.tables import LAYOUTS
from tests.waiting import wait_until
from tests.web.serving import NAMES, PASSWORD, Server, server

TABLE = "Jade"
PIN = "274918"
TABLET = (1180, 820)
WIDE = (1920, 1080)
FELT: dict[str, Any] = {"observing": True, "faces_by_rank": True, "burn": False}
CARDS_ONLY: dict[str, Any] = {"cards_only": True, "faces_by_rank": True, "burn": False}

AT = "() => JSON.parse(document.getElementById('moment').textContent).at"
"""Which state of the table the screen shows."""
RESTED = """() => !("soon" in document.body.dataset)
  || document.querySelector("#lost:not([hidden]), .guide-page #away:not([hidden])") !== null"""
AT_ONCE = """keys => {
  for (const key of keys) {
    if (key.startsWith("#")) document.querySelector(`.box[data-box="${key.slice(1)}"]`).click();
    else for (const kind of ["keydown", "keyup"]) document.body.dispatchEvent(
      new KeyboardEvent(kind, { key, code: key === " " ? "Space" : "", bubbles: true, cancelable: true }));
  }
}"""
"""Types keys within one task of the browser, so that no answer can come between. ``#3`` is a tap on box 3."""


class Keys:
    """A console at one table of a server at an address. Every key and every tap counts."""

    def __init__(self, page: Page, url: str, table: str) -> None:
        self.page, self.url, self.table = page, url, table
        self.keys = 0

    def sign_in(self, name: str, language: str = "en") -> None:
        sign_in(self.page, self.url, name)
        self.page.goto(f"{self.url}/tables/{self.table}/deal?lang={language}")
        expect(self.page.locator("body")).to_have_attribute("data-name", re.compile(".+"))
        rested(self.page)

    # ---- keys and taps

    def press(self, *keys: str) -> None:
        """One key after the other, as fast as the browser takes them."""
        for key in keys:
            if key.endswith("Space"):
                rested(self.page)
            self.page.keyboard.press(key)
            self.keys += 1

    def type(self, text: str) -> None:
        """A key for each character: ``_`` for Space, ``~`` for Enter."""
        self.press(*({"_": "Space", "~": "Enter"}.get(each, each) for each in text))

    def tap(self, *names: str, of: str = "key") -> None:
        """Buttons by what they stand for: a ``key``, a ``rank``, a ``box``, or the ``chars`` they type."""
        for name in names:
            if name.endswith("Space"):
                rested(self.page)
            self.page.locator(f"[data-{of}='{name}']:not(dialog *):visible").first.click()
            self.keys += 1

    def count(self) -> int:
        """The keys since the last count."""
        counted, self.keys = self.keys, 0
        return counted

    # ---- what it shows

    def at(self, moment: str) -> None:
        """Wait for a moment."""
        expect(self.page.locator("body")).to_have_attribute("data-name", moment)

    @property
    def moment(self) -> str:
        return self.page.locator("body").get_attribute("data-name") or ""

    @property
    def now(self) -> str:
        return self.page.locator("#now .moment:visible h2").first.inner_text()

    @property
    def say(self) -> str:
        return self.page.locator("#now .moment:visible .say").inner_text()

    def cards(self) -> list[str]:
        """The face-up cards on the screen in the order drawn."""
        images = self.page.locator("#stage .card:not(.slot)").evaluate_all(
            "cards => cards.map(card => [Number(card.id.split('-')[1]), card.querySelector('img').getAttribute('src')])"
        )
        return [source.split("/")[-1].split(".")[0] for _, source in sorted(images)]

    def shows(self, cards: Sequence[str]) -> None:
        """Wait until these are the face-up cards on the screen."""
        wait_until(lambda: self.cards() == list(cards), f"the cards {' '.join(cards)}")

    def message(self) -> str:
        toast = self.page.locator("#messages .toast > div").first
        expect(toast).to_be_visible()
        return toast.inner_text()


class Console(Keys):
    """A console, and the table behind it."""

    def __init__(self, page: Page, running: Server, table: str = TABLE) -> None:
        super().__init__(page, running.url, table)
        self.running = running

    @property
    def state(self) -> Table:
        return self.running.floor.tables[self.table].state

    @property
    def round(self) -> Round:
        assert self.state.round is not None
        return self.state.round

    @property
    def cursor(self) -> str:
        """Which state of the table the server has."""
        live = self.running.floor.tables[self.table]
        return write_cursor(live.openings, live.head.version if live.head else 0)

    def placed(self, bets: int) -> None:
        """Wait until this many bets are on record."""
        wait_until(lambda: self.state.round is not None and len(self.round.bets) == bets, f"bet {bets}")

    def dealt(self, cards: int) -> None:
        """Wait until this many cards are on record."""
        wait_until(lambda: self.state.round is not None and len(self.round.cards) == cards, f"card {cards}")

    def synced(self) -> None:
        """Wait until the screen shows the table as it is on the server."""
        wait_until(lambda: self.page.evaluate(AT) == self.cursor, "the table on the screen")


def rested(page: Page) -> None:
    """Wait until a step that cannot be taken back would be taken. While the line is lost, keys are only kept."""
    page.wait_for_function(RESTED)


def press_space(page: Page) -> None:
    """The next step, as a press of its own."""
    rested(page)
    page.keyboard.press("Space")


def sign_in(page: Page, url: str, name: str) -> None:
    answer = page.context.request.post(f"{url}/api/session", data={"name": name, "password": PASSWORD})
    assert answer.ok, answer.text()


def enrol(page: Page, running: Server, table: str | None = TABLE) -> str:
    """Make the browser a terminal, by a pit manager who signs in there and out again."""
    hire(running, Position.PIT_MANAGER)
    sign_in(page, running.url, NAMES[Position.PIT_MANAGER])
    answer = page.context.request.post(f"{running.url}/api/terminals", data={"table": table, "title": "Console"})
    assert answer.ok, answer.text()
    page.context.request.delete(f"{running.url}/api/session")
    return str(answer.json()["id"])


def hire(running: Server, position: Position, *, pin: str = "") -> httpx2.Client:
    """Somebody in a position, with a PIN if wanted."""
    client = running.by(position)
    if pin:
        answer = client.put("/api/session/pin", json={"password": PASSWORD, "pin": pin})
        assert answer.status_code == 204, answer.text
    return client


def asked(page: Page) -> None:
    """Wait until the page has asked again after the last fact, so that nothing moves under a tap."""
    expect(page.locator("form[data-asking]")).to_have_count(0)


def sign_by_pin(page: Page, name: str, pin: str = PIN) -> None:
    """Approve what the dialog shows, with name and PIN."""
    sign = page.locator("#dialog .sign")
    sign.locator("[name=name]").fill(name)
    sign.locator("[name=pin]").fill(pin)
    page.keyboard.press("Enter")
    expect(page.locator("#dialog")).to_be_hidden()


def add_table(running: Server, game: str, name: str = TABLE, shoes: str = "manual") -> None:
    """A table that is closed."""
    manager = hire(running, Position.PIT_MANAGER)
    answer = manager.post("/api/tables", json={"name": name, "book": game, "shoes": shoes})
    assert answer.status_code == 201, answer.text


def open_table(running: Server, game: str, name: str = TABLE, shoes: str = "manual", **changes: Any) -> None:
    """A table of a game, made and opened over the API, with a shoe."""
    add_table(running, game, name, shoes)
    layout, boxes = LAYOUTS[game]
    settings: dict[str, Any] = {
        "layout": layout,
        "boxes": boxes,
        "main": {"min_minor": 100_00, "max_minor": 50_000_00},
        "side": {"min_minor": 25_00, "max_minor": 5_000_00},
        **({"differential_minor": 40_000_00} if book(game).topics[Topic.LIMITS_DISPLAYED] else {}),
        **FELT,
        **changes,
    }
    supervisor = hire(running, Position.PIT_SUPERVISOR)
    given = running.command(supervisor, name, "open_table", settings=settings, float_minor=1_000_000_00)
    assert given.status_code == 200, given.text
    given = running.command(supervisor, name, "load_shoe", shoe=f"{name} 1", decks=book(game).decks.most)
    assert given.status_code == 200, given.text


@contextmanager
def casino(directory: Path, *games: str, **changes: Any) -> Iterator[Server]:
    """A server with a felt table of each game, named after it."""
    with server(str(directory / "floor.db")) as running:
        for game in games:
            open_table(running, game, game, **changes)
        yield running
