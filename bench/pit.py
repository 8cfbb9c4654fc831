"""The pit with many tables: its longest task in a real Chromium, and the bytes that its socket brings.

The server is a separate process on a new file. Its tables deal by themselves, about 70 rounds an hour each, with nobody
at them. The page is loaded and then watched. The browser itself counts the tasks that take more than 50 milliseconds,
while it loads the page and while it is watched.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec import to_builtins
from playwright.sync_api import Page, ViewportSize, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.browser.chromium import find_chromium
from tests.browser.tables import LAYOUTS

from console import PASSWORD, Staff, served
from punto.floor.demo.opening_tables import PlannedTable
from punto.floor.running.table_setup import Pace
from punto.table.records.settings import chosen_settings

TABLES = 200
WATCHED_S = 60.0
AIM_MS = 50
SIZE: ViewportSize = {"width": 1920, "height": 1080}
LONG_TASKS = """window.tasks = []; new PerformanceObserver((list) => {
  window.tasks.push(...list.getEntries().map((each) => each.duration));
}).observe({ type: "longtask", buffered: true })"""


def plan(tables: int) -> list[PlannedTable]:
    """Each is a little slower than the one before, so that they do not keep step."""
    games = list(LAYOUTS.items())
    planned = []
    for at in range(tables):
        game, (layout, boxes) = games[at % len(games)]
        pace = Pace(close_betting_s=25.0 + 10.0 * at / tables, deal_s=2.0, next_round_s=8.0)
        planned.append(PlannedTable(f"Table {at + 1:03}", game, layout, boxes, pace))
    return planned


def open_tables(staff: Staff, planned: Sequence[PlannedTable]) -> None:
    supervisor, manager = staff.hire("sue", "pit_supervisor"), staff.hire("max", "pit_manager")
    for table in planned:
        setup = to_builtins(table.setup)
        manager.post("/api/tables", json=setup).raise_for_status()
        command = {"command": "open_table.1", "settings": chosen_settings(table.settings), "float_minor": 1_000_000_00}
        content = {"id": f"open-{table.name}", "command": command}
        supervisor.post(f"/api/tables/{table.name}/commands", json=content).raise_for_status()


def take_tasks(page: Page) -> list[float]:
    """The long tasks since the last call, in milliseconds."""
    tasks: list[float] = page.evaluate("() => window.tasks.splice(0)")
    return tasks


def write_tasks(name: str, tasks: list[float]) -> None:
    longest = f"{len(tasks)} over {AIM_MS} ms, the longest {max(tasks):.0f} ms" if tasks else f"none over {AIM_MS} ms"
    print(f"{name:16} {longest} (aim: none)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=TABLES)
    parser.add_argument("--watched", type=float, default=WATCHED_S, help="seconds to watch the page")
    arguments = parser.parse_args()
    chromium = find_chromium()
    with tempfile.TemporaryDirectory() as directory, served(directory) as (url, password), sync_playwright() as play:
        open_tables(Staff(url, password), plan(arguments.tables))
        browser = play.chromium.launch(
            executable_path=chromium.program, env={**os.environ, **chromium.environment}, chromium_sandbox=False
        )
        page = browser.new_page(viewport=SIZE)
        page.add_init_script(LONG_TASKS)
        received: list[int] = []
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
        page.context.request.post(f"{url}/api/session", data={"name": "sue", "password": PASSWORD})
        page.goto(f"{url}/pit")
        page.wait_for_selector(".since:not(:empty)")
        page.wait_for_timeout(3_000)
        write_tasks("tasks loading", take_tasks(page))
        received.clear()
        page.wait_for_timeout(arguments.watched * 1_000)
        write_tasks("tasks watching", take_tasks(page))
        per_s = sum(received) / arguments.watched
        print(f"{'updates':16} {per_s:,.0f} bytes a second in {len(received) / arguments.watched:.1f} messages")
        browser.close()


if __name__ == "__main__":
    main()
