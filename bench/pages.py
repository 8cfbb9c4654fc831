"""The pages: time from start to the first page, the size of a page and of its updates, and their cost in a browser.

The server is `punto serve` as `make run` starts it, a separate process on a new file with its five tables. A browser
loads the style sheets, the scripts and the card faces only once: their addresses contain their version.

In Chromium, without a graphics card, the lobby and a table where a player sits and bets are watched: the processor time
of all its processes, less that of an empty page, and the layout shift, both as the browser itself counts them. The
countdowns cost what the page uses less without them.
"""

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import websockets.sync.client
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.browser.chromium import find_chromium

STARTS = 5
WATCHED_S = 60.0
AIM_S = 2.0
TABLE = "Dahlia"  # has the longest menu
CPU_AIM = 0.03
SIZE: ViewportSize = {"width": 1366, "height": 768}
SHIFTS = """new PerformanceObserver((list) => {
  for (const each of list.getEntries()) if (!each.hadRecentInput) {
    window.shifted = (window.shifted ?? 0) + each.value;
    window.movedBy ??= {};
    for (const { node } of each.sources) {
      const name = node?.id || node?.className || node?.nodeName;
      window.movedBy[name] = (window.movedBy[name] ?? 0) + each.value;
    }
  }
}).observe({ type: "layout-shift", buffered: true })"""
BET = """() => document.querySelector(".area[data-bet=banker][aria-disabled=false][data-stake='0']")?.click()"""
NO_RINGS = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".ring { display: none !important; }");
  document.adoptedStyleSheets.push(sheet);
}"""


@contextmanager
def served(directory: str) -> Iterator[tuple[httpx2.Client, float]]:
    """Start a server and load its first page. Yields a client, and the seconds this took."""
    started_s = time.perf_counter()
    command = [
        sys.executable,
        "-m",
        "punto",
        "serve",
        "--port",
        "0",
        "--log",
        "warning",
        "--db",
        f"{directory}/floor.db",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = next(match[0] for line in process.stdout or () if (match := re.findall(r"http://\S+", line)))
        with httpx2.Client(base_url=address, trust_env=False) as client:
            client.get("/").raise_for_status()
            yield client, time.perf_counter() - started_s
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def measure_starts(starts: int) -> None:
    """Time from the start of the process to the last byte of the lobby, on a new and on an existing floor."""
    took_s = {"new floor": list[float](), "existing floor": list[float]()}
    for _ in range(starts):
        with tempfile.TemporaryDirectory() as directory:
            for times_s in took_s.values():
                with served(directory) as (_, seconds):
                    times_s.append(seconds)
    for name, times_s in took_s.items():
        median_s, max_s = statistics.median(times_s), max(times_s)
        print(f"first page, {name:17} {median_s:5.2f} s, at most {max_s:.2f} s (aim: {AIM_S})", flush=True)


def measure_bytes(watched_s: float) -> None:
    """Size of each page, of the files it loads, and of its updates over the socket."""
    with tempfile.TemporaryDirectory() as directory, served(directory) as (client, _):
        for path in ("/", f"/tables/{TABLE}", f"/tables/{TABLE}/board"):
            page = client.get(path).raise_for_status()
            assets = sorted(set(re.findall(r'(?:href|src)="(/static/[^"?]+(?:css|js|svg)\?[^"]+)"', page.text)))
            more = sum(len(client.get(asset).raise_for_status().content) for asset in assets)
            print(f"{path:24} {len(page.content):7,} bytes, and once {more:7,} in {len(assets)} files", flush=True)
        for path in ("/live/", f"/live/tables/{TABLE}"):
            sizes = updates(client, path, watched_s)
            rest = sizes[1:] or [0]
            median, largest = statistics.median(rest), max(rest)
            print(
                f"{path:24} first {sizes[0]:,} bytes, then {len(rest)} updates: median {median:,.0f}, most {largest:,}",
                flush=True,
            )


def updates(client: httpx2.Client, path: str, seconds: float) -> list[int]:
    """Sizes of the messages that a page's socket receives in this time."""
    address, sizes, until_s = urlsplit(str(client.base_url)), list[int](), time.monotonic() + seconds
    with websockets.sync.client.connect(f"ws://{address.netloc}{path}") as socket:
        while (left_s := until_s - time.monotonic()) > 0:
            try:
                sizes.append(len(str(socket.recv(timeout=left_s)).encode()))
            except TimeoutError:
                break
    return sizes


def processor_s(browser: Browser) -> float:
    """Processor time that all processes of the browser have used."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return sum(float(each["cpuTime"]) for each in processes)


def watch(browser: Browser, page: Page, seconds: float, *, bets: bool = False) -> float:
    """The part of a core that the browser uses in this time."""
    before_s, started_s = processor_s(browser), time.perf_counter()
    while (left_s := started_s + seconds - time.perf_counter()) > 0:
        if bets:
            page.evaluate(BET)
        page.wait_for_timeout(min(left_s, 1.0) * 1_000)
    return (processor_s(browser) - before_s) / (time.perf_counter() - started_s)


def sit_down(page: Page, url: str) -> None:
    page.context.request.post(f"{url}/api/visit", data={"name": "Bench"})
    page.goto(f"{url}/tables/{TABLE}")
    page.locator("[data-sit]").first.click()
    page.wait_for_selector(".areas .area")


def measure_browser(watched_s: float) -> None:
    """Processor time and layout shift of the lobby and of a table, in Chromium."""
    chromium = find_chromium()
    with tempfile.TemporaryDirectory() as directory, served(directory) as (client, _), sync_playwright() as play:
        url = str(client.base_url).rstrip("/")
        browser = play.chromium.launch(
            executable_path=chromium.program, env={**os.environ, **chromium.environment}, chromium_sandbox=False
        )
        page = browser.new_page(viewport=SIZE)
        page.add_init_script(SHIFTS)
        page.goto("about:blank")
        empty = watch(browser, page, watched_s / 4)
        for name in ("lobby", "table"):
            if name == "lobby":
                page.goto(url)
            else:
                sit_down(page, url)
            page.wait_for_timeout(2_000)
            page.evaluate("() => { window.shifted = 0; window.movedBy = {}; }")
            used = watch(browser, page, watched_s, bets=name == "table") - empty
            shifted, moved = page.evaluate("() => [window.shifted, window.movedBy]")
            page.evaluate(NO_RINGS)
            rings = max(0.0, used + empty - watch(browser, page, watched_s, bets=name == "table"))
            print(
                f"{name:24} {used:6.1%} of a core, its countdowns {rings:.1%} (aim: {CPU_AIM:.0%}); layout shift"
                f" {shifted:.4f} (aim: 0) {moved or ''}",
                flush=True,
            )
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=STARTS, help="number of starts")
    parser.add_argument("--watched", type=float, default=WATCHED_S, help="seconds to watch each page")
    arguments = parser.parse_args()
    os.chdir(Path(__file__).parents[1])
    measure_starts(arguments.starts)
    measure_bytes(arguments.watched)
    measure_browser(arguments.watched)


if __name__ == "__main__":
    main()
