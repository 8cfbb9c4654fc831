"""The dealer's console: time from a key to the screen that shows what it did, in a real Chromium.

The server is a separate process on a new file. Each key of a cards-only round is pressed in the page, and counts as
shown with the frame after the page has drawn the table's answer. The same run measures the command alone, sent from the
page, so that the ratio says what the console adds: the live update and the drawing.
"""

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.browser.chromium import find_chromium

ROUNDS = 20
AIM_MS = 100.0
TABLE = "Bench"
PASSWORD = "a fine long evening"  # noqa: S105 - of a floor that is thrown away
ROUND = (" ", " ", "K", "2", "K", "3", "6", "4", " ")
TIMED = """async (key) => {
  while ("soon" in document.body.dataset) await new Promise((done) => setTimeout(done, 10)); // no step counts before
  const at = () => document.getElementById("moment").textContent;
  const before = at(), started = performance.now();
  const code = key === " " ? "Space" : `${/[0-9]/.test(key) ? "Digit" : "Key"}${key}`;
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true }));
  document.body.dispatchEvent(new KeyboardEvent("keyup", { key, code, bubbles: true }));
  while (at() === before) {
    if (performance.now() - started > 10000) throw new Error(`nothing happened at ${key}`);
    await new Promise((done) => setTimeout(done, 1));
  }
  await new Promise(requestAnimationFrame);
  return performance.now() - started;
}"""
ALONE = """async ({ table, command }) => {
  const id = crypto.randomUUID(), started = performance.now();
  const answer = await fetch(`/api/tables/${table}/commands`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ id, command }),
  });
  await answer.text();
  if (!answer.ok) throw new Error(answer.status);
  return performance.now() - started;
}"""


@contextmanager
def served(directory: str) -> Iterator[tuple[str, str]]:
    """Start a server. Yields its address and the administrator's one-time password."""
    command = [sys.executable, "-m", "punto", "serve", "--empty", "--port", "0", "--log", "warning"]
    arguments = [*command, "--db", f"{directory}/floor.db", "--commands-per-s", "1000"]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    try:
        password = ""
        for line in process.stdout or ():
            password = line.partition("one-time password: ")[2].strip() or password
            if match := re.search(r"http://\S+", line):
                yield match[0], password
                break
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


class Staff:
    """People of the floor, each with a client of their own."""

    def __init__(self, url: str, password: str) -> None:
        self._url = url
        self.administrator = self._signed_in("administrator", password)

    def hire(self, name: str, position: str) -> httpx2.Client:
        answer = self.administrator.post("/api/accounts", json={"name": name, "position": position})
        return self._signed_in(name, answer.raise_for_status().json()["password"])

    def _signed_in(self, name: str, once: str) -> httpx2.Client:
        client = httpx2.Client(base_url=self._url, trust_env=False)
        request = {"name": name, "password": once, "keep": "token"}
        token = client.post("/api/session", json=request).raise_for_status().json()["token"]
        client.headers["authorization"] = f"Bearer {token}"
        changed = client.post("/api/session/password", json={"before": once, "password": PASSWORD})
        changed.raise_for_status()
        return client


def open_table(staff: Staff) -> None:
    supervisor = staff.hire("sue", "pit_supervisor")
    manager = staff.hire("max", "pit_manager")
    setup = {"name": TABLE, "book": "commission", "shoes": "manual"}
    manager.post("/api/tables", json=setup).raise_for_status()
    limits = {"min_minor": 100_00, "max_minor": 10_000_00}
    settings = {"layout": "C", "boxes": 7, "main": limits, "cards_only": True, "faces_by_rank": True, "burn": False}
    commands: tuple[dict[str, Any], ...] = (
        {"command": "open_table.1", "settings": settings},
        {"command": "load_shoe.1", "shoe": "one", "decks": 8},
    )
    for command in commands:
        content = {"id": command["command"], "command": command}
        supervisor.post(f"/api/tables/{TABLE}/commands", json=content).raise_for_status()


def measure(page: Page, rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds of each key, and of each command alone."""
    keys, alone = [], []
    for _ in range(rounds):
        keys += [page.evaluate(TIMED, key) for key in ROUND]
        commands = ({"command": "open_betting.1"}, {"command": "cancel_round.1"})
        alone += [page.evaluate(ALONE, {"table": TABLE, "command": command}) for command in commands]
        page.wait_for_function("() => document.body.dataset.name === 'ready'")
    return keys, alone


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    chromium = find_chromium()
    with tempfile.TemporaryDirectory() as directory, served(directory) as (url, password), sync_playwright() as play:
        staff = Staff(url, password)
        open_table(staff)
        staff.hire("dora", "dealer")
        browser = play.chromium.launch(
            executable_path=chromium.program, env={**os.environ, **chromium.environment}, chromium_sandbox=False
        )
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.context.request.post(f"{url}/api/session", data={"name": "dora", "password": PASSWORD})
        page.goto(f"{url}/tables/{TABLE}/deal")
        page.wait_for_function("() => document.body.dataset.name === 'ready'")
        keys, alone = measure(page, rounds)
        browser.close()
    median, worst = statistics.median(keys), statistics.quantiles(keys, n=20)[-1]
    ratio = median / statistics.median(alone)
    within = sum(each <= AIM_MS for each in keys) / len(keys)
    print(f"key to screen   {median:5.1f} ms, 95% within {worst:.1f} ms ({len(keys)} keys)")
    print(f"                {ratio:5.1f} times the command alone")
    print(f"                {within:5.0%} within {AIM_MS:.0f} ms")


if __name__ == "__main__":
    main()
