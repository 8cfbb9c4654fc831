"""The story: dora deals to the wrong hands, sue approves the report, the players choose, the journal proves it."""

import subprocess
import sys
from html import escape
from pathlib import Path

from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.console import PIN, Console, enrol, hire, open_table
from tests.cli.running import ENVIRONMENT
from tests.demo.stage import Stage
from tests.waiting import DEADLINE_S
from tests.web.serving import NAMES, Server, server

TABLE, GAME = "Jade", "commission-insurance"
DORA, SUE = NAMES[Position.DEALER], NAMES[Position.PIT_SUPERVISOR]


def tell(stage: Stage, folder: Path) -> str:
    """Play the story on a floor in this folder. Returns what ``punto verify`` says at its end."""
    database = folder / "floor.db"
    with server(str(database)) as running:
        hire(running, Position.DEALER)
        hire(running, Position.PIT_SUPERVISOR, pin=PIN)
        open_table(running, GAME, TABLE)
        enrol(stage.page, running, TABLE)
        console = Console(stage.page, running, TABLE)
        _deal(stage, console)
        _misdeal(stage, console)
        _choose(stage, console)
        incident = _finish(stage, console)
        _look_up(stage, running, incident)
    verified = _verify(database)
    _show_verified(stage, verified)
    return verified


def _deal(stage: Stage, console: Console) -> None:
    console.sign_in(DORA)
    stage.show("A table with real cards and chips. Dora deals it from this screen: it says what to do and what to say.")
    console.press("Space")
    console.at("betting")
    stage.show("Betting is open. She enters a bet as box, letter, amount: 500 on Banker in box 1.")
    console.type("1B500~")
    console.placed(1)
    console.type("2P200~")
    console.placed(2)
    console.synced()
    stage.show("And 200 on Player in box 2. Space: no more bets.")
    console.press("Space")
    console.at("closed")
    console.type("92")
    console.dealt(2)
    console.shows(["9", "2"])
    stage.show("Two cards are out: a nine for Player, a two for Banker. But she has put each before the other hand.")


def _misdeal(stage: Stage, console: Console) -> None:
    page = console.page
    console.press("!")
    _at(page, "tiles")
    stage.show("One key, !, and the guide asks what one sees. What cannot be at this moment is grey and says why.")
    page.locator("[data-tile=wrong_side]").click()
    _at(page, "facts")
    stage.show("A card lies with the wrong hand. Which ones? She taps them on the felt.")
    page.locator("[data-fact=wrong] [data-place='1']").click()
    expect(page.locator("#follows")).to_be_visible()
    page.locator("[data-fact=wrong] [data-place='2']").click()
    expect(page.locator(".dealt").first).to_have_text("As dealt: Player 2; Banker 9.")
    expect(page.locator("#choosing li")).to_have_count(2)
    stage.show("Nothing is decided yet, but all that would follow is here: by which clause, who chooses, who approves.")
    page.locator("#go").click()
    expect(page.locator("#dialog .sign [name=name]")).to_be_visible()
    stage.show("The book wants a pit supervisor. Sue looks at what would follow and approves it here, by name and PIN.")
    page.locator("#dialog .sign [name=name]").fill(SUE)
    page.locator("#dialog .sign [name=pin]").fill(PIN)
    page.keyboard.press("Enter")
    expect(page.locator("#dialog")).to_be_hidden()
    _at(page, "options")


def _choose(stage: Stage, console: Console) -> None:
    page = console.page
    stage.show("Each player may go on or take all their bets back. The dealer reads out what is in the yellow box.")
    page.locator("#choosers .chooser.current .return").click()
    expect(page.locator("#choosers .chooser.chosen")).to_have_count(1)
    stage.show("Box 1 takes 500 back. Box 2 goes on.")
    page.locator("#choosers .chooser.current .continue").click()
    _at(page, "done")
    stage.show("Everybody has chosen. What was decided, by whom, what to say, and the number of the incident.")


def _finish(stage: Stage, console: Console) -> int:
    page = console.page
    incident = int(page.locator("[data-incident]").first.get_attribute("data-incident") or "0")
    page.locator("#go").click()
    page.wait_for_url(f"**/tables/{TABLE}/deal")
    console.at("cards")
    console.type("K3")
    console.dealt(4)
    console.at("result")
    stage.show("The cards lie as they should, and the round goes on: Player wins 9 to 5.")
    console.press("Space")
    console.at("settlement")
    stage.show("Space settles: what to take and what to pay, in the dealer's order. Only box 2 is paid.")
    return incident


def _look_up(stage: Stage, running: Server, incident: int) -> None:
    stage.page.goto(f"{running.url}/incidents/{incident}")
    expect(stage.page.locator("h1")).to_have_text("cards at the wrong side")
    stage.show("The incident as surveillance finds it: times, people, clauses, money, the felt before and after.")


def _verify(database: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "punto", "verify", "--db", str(database)],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=DEADLINE_S,
        check=False,
    )
    return f"$ punto verify\n{done.stdout}{done.stderr}"


def _show_verified(stage: Stage, verified: str) -> None:
    stage.page.goto("about:blank")  # no page of the floor
    stage.page.set_content(
        "<!doctype html><title>punto verify</title><style>body { margin: 0; padding: 48px; color: #f6efdc;"
        " background: #110e0c; font: 20px/1.6 monospace; } pre { white-space: pre-wrap; }</style>"
        f"<pre>{escape(verified)}</pre>"
    )
    stage.show("And punto verify proves from the first entry on that nobody has changed any of it.")


def _at(page: Page, step: str) -> None:
    expect(page.locator("#guide")).to_have_attribute("data-step", step)
    page.wait_for_load_state()
