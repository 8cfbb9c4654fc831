"""A browser for the tests, and the watch that is kept on every page: whatever goes wrong on it fails the test.

A test asks for ``page`` (a desk's screen) or ``phone``, or makes a page of any size with ``page_at``. Playwright marks
its event loop as running while it is in use, so ``asyncio.run`` works in every test but those that hold a browser:
they run such code in a thread.
"""

import asyncio
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple, TypeAlias
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from punto.library import book_ids
from punto.table.records.positions import Position
from tests.browser.chromium import find_chromium
from tests.browser.tables import Felt, felt
from tests.marks import rest_at_night
from tests.waiting import DEADLINE_S
from tests.web.serving import Server, server

SHOTS = Path(__file__).parent / "shots"
WANTED = "PUNTO_SHOTS"
"""Set this variable to save screenshots."""
DESK = (1280, 800)
PHONE = (390, 844)
HERE = ("127.0.0.1", "localhost")
"""The hosts that pages may contact. Others are not even looked up."""
GRAVE = ("serious", "critical")
SAVES_DATA = "Object.defineProperty(navigator, 'connection', {value: {saveData: true}, configurable: true})"
"""In a browser that saves data a table fetches no 52 faces ahead, which take a fifth of the time of a short test."""
expect.set_options(timeout=DEADLINE_S * 1_000)

PageAt: TypeAlias = Callable[[int, int], Page]
Axe: TypeAlias = Callable[[Page], list[str]]
Screenshot: TypeAlias = Callable[[Page, str], None]


@dataclass
class Troubles:
    """Problems on the pages of a test: console errors, script errors, policy violations and requests to other hosts."""

    seen: list[str] = field(default_factory=list)
    excused: list[str] = field(default_factory=list)
    over: bool = False
    """No more problems are recorded."""

    def excuse(self, pattern: str) -> None:
        """Ignore problems that match this pattern, because the test causes them on purpose."""
        self.excused.append(pattern)

    @property
    def left(self) -> list[str]:
        """Problems that no pattern excuses."""
        return [one for one in self.seen if not any(re.search(pattern, one) for pattern in self.excused)]

    def watch(self, context: BrowserContext) -> None:
        """Record all problems on pages of this context from now on."""
        context.on("console", self._on_console)
        context.on("weberror", lambda error: self.seen.append(f"script: {error.error}"))
        context.on("request", lambda request: self._on_asked(request.url))
        context.on("page", lambda page: page.on("websocket", lambda socket: self._on_asked(socket.url)))

    def _on_console(self, message: ConsoleMessage) -> None:
        # A breach of the content security policy is an error here as well.
        if message.type == "error" and not self.over:
            self.seen.append(f"console: {message.text} ({message.location['url']})")

    def _on_asked(self, url: str) -> None:
        if (host := urlsplit(url).hostname) and host not in HERE:
            self.seen.append(f"outside host: {url}")


class _Running(NamedTuple):
    browser: Browser
    loop: asyncio.AbstractEventLoop


@pytest.fixture(scope="session")
def _running() -> Iterator[_Running]:
    """One browser for all tests. Its event loop is marked as running only while a test uses the browser."""
    found = find_chromium()
    playing = sync_playwright().start()
    loop = asyncio.get_running_loop()
    try:
        browser = playing.chromium.launch(
            executable_path=found.program,
            env={**os.environ, **found.environment},
            # The sandbox needs rights that containers and root do not give. The only pages here are our own.
            chromium_sandbox=False,
            args=[f"--host-resolver-rules=MAP * ~NOTFOUND, {', '.join(f'EXCLUDE {host}' for host in HERE)}"],
        )
        asyncio._set_running_loop(None)
        yield _Running(browser, loop)
        asyncio._set_running_loop(loop)
        browser.close()
    finally:
        playing.stop()
        asyncio._set_running_loop(None)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A floor with a dealer, for the console."""
    with server(str(tmp_path_factory.mktemp("console") / "floor.db")) as made:
        made.by(Position.DEALER)
        yield made


@pytest.fixture
def chromium(_running: _Running) -> Iterator[Browser]:
    """The browser."""
    asyncio._set_running_loop(_running.loop)
    yield _running.browser
    asyncio._set_running_loop(None)


_WATCHING: list[Troubles] = []


def pytest_runtest_teardown() -> None:
    """Stop recording at the end of a test, because its server may stop before its page does."""
    for noted in _WATCHING:
        noted.over = True


@pytest.fixture
def troubles() -> Iterator[Troubles]:
    """Problems on the pages of this test. Any that is not excused fails the test."""
    noted = Troubles()
    _WATCHING.append(noted)
    yield noted
    _WATCHING.remove(noted)
    if noted.left:
        pytest.fail("on the page: " + "; ".join(noted.left), pytrace=False)


@pytest.fixture
def page_at(troubles: Troubles, chromium: Browser) -> Iterator[PageAt]:
    """Makes an empty page of this size, without animations and with its own cookies."""
    made: list[BrowserContext] = []

    def open_page(width: int, height: int) -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": height}, reduced_motion="reduce", timezone_id="UTC"
        )
        made.append(context)
        context.set_default_timeout(DEADLINE_S * 1_000)
        context.add_init_script(SAVES_DATA)
        troubles.watch(context)
        return context.new_page()

    yield open_page
    for context in made:
        context.close()


@pytest.fixture
def page(page_at: PageAt) -> Page:
    """A page on a desktop screen."""
    return page_at(*DESK)


@pytest.fixture
def phone(page_at: PageAt) -> Page:
    """A page on a phone."""
    return page_at(*PHONE)


@pytest.fixture(scope="session")
def axe() -> Axe:
    """Runs axe-core on a page and returns the serious accessibility problems."""
    source = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")

    def find(page: Page) -> list[str]:
        page.evaluate(source)
        found = page.evaluate("() => axe.run({resultTypes: ['violations']})")
        return [
            f"{fault['impact']} {fault['id']}: {fault['help']}, at {[node['target'] for node in fault['nodes']]}"
            for fault in found["violations"]
            if fault["impact"] in GRAVE
        ]

    return find


@pytest.fixture(scope="session")
def screenshot() -> Screenshot:
    """Saves a screenshot of a whole page under a name, for people to look at. Does nothing unless they want it."""

    def keep(page: Page, name: str) -> None:
        if WANTED in os.environ:
            page.screenshot(path=SHOTS / f"{name}.png", full_page=True)

    return keep


SOME_BOOKS = ("tiger-buffalo",)
"""A book with all that a book can have: enough for what the pages of all games do alike."""
some_games = pytest.mark.parametrize("game", rest_at_night(book_ids(), SOME_BOOKS), indirect=True)
"""Gives a test tables of these books, and of the others at night."""


@pytest.fixture(params=book_ids())
def game(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Felt]:
    """A table of each game."""
    with felt(tmp_path, request.param) as made:
        yield made


@pytest.fixture
def insured(tmp_path: Path) -> Iterator[Felt]:
    """A game with insurance."""
    with felt(tmp_path, "commission-insurance") as made:
        yield made
