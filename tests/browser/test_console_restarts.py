"""The server is killed in each moment of a round, and the console goes on; keys typed meanwhile count once."""

import os
import signal
import time
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from punto.rules.bets.insurance import Stage
from punto.table.play.restarting import ASKS_AFTER_US
from punto.table.records.ledger import COMMISSION, FLOAT, ROUNDING
from punto.table.records.positions import Position
from punto.table.records.reports import ReportRestart
from punto.table.records.state import Phase
from tests.browser.conftest import Troubles
from tests.browser.console import AT, AT_ONCE, CARDS_ONLY, TABLE, Console, Keys, hire, open_table
from tests.browser.line import CUT_LINE
from tests.browser.tables import minor
from tests.cli.running import punto
from tests.web.ports import free_port
from tests.web.process import Process, process
from tests.web.serving import NAMES, Server, server

MOMENTS = (
    ("betting", "_"),
    ("closed", "__"),
    ("cards", "__K2"),
    ("insurance_due", "__K2K3"),
    ("insurance", "__K2K3_"),
    ("insurance_due", "__K2K3_6"),
    ("insurance", "__K2K3_6_"),
    ("result", "__K2K3_6_4"),
)
"""The keys from ``ready`` to each moment of one round: Player 0, Banker 5, then 6 and 4."""
WITH_BETS = (
    ("betting", "1B1k~2P500~3/B300~", "", 3, 0),
    ("closed", "_", "", 3, 0),
    ("cards", "K2", "K2", 3, 0),
    ("insurance_due", "K3", "K2K3", 3, 0),
    ("insurance", "_", "K2K3", 3, 0),
    ("insurance", "i1~", "K2K3", 3, 1),
    ("insurance_due", "6", "K2K36", 3, 1),
    ("insurance", "_", "K2K36", 3, 1),
    ("insurance", "i2100~", "K2K36", 3, 2),
    ("result", "4", "K2K364", 3, 2),
    ("settlement", "_", "K2K364", 0, 0),
)
"""Each moment with the keys that lead to it from the one before, and the cards, bets and insurances on the felt."""
KILLED_BY_DAY = (0, 5, 10)
"""While bets are placed, after insurance was taken, and while payments are made."""
BETS = {("box 1", 1, "banker"): 1_000_00, ("box 2", 2, "player"): 500_00, ("behind box 3", 3, "banker"): 300_00}
INSURED = [("box 1", Stage.FOUR), ("box 2", Stage.THIRD)]
ON_AGAIN = """long => document.body.dataset.name === "restarted"
  || (!long && document.querySelectorAll("#stage .card:not(.slot)").length === 4)"""
"""The server is back. After a long absence it asks; it may also do so after a short one, on a slow machine."""
NO_LINE = f"{CUT_LINE}|50[0-9]"
LONG_S = ASKS_AFTER_US / 1_000_000 + 0.5
"""An absence after which the console asks."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A floor with a table that records cards only, and a dealer."""
    with server(str(tmp_path / "floor.db")) as running:
        hire(running, Position.DEALER)
        open_table(running, "commission-insurance", **CARDS_ONLY)
    return tmp_path


def flags(folder: Path, port: int) -> tuple[str, ...]:
    return ("--db", str(folder / "floor.db"), "--port", str(port))


@pytest.mark.nightly
def test_a_killed_server_comes_back_in_each_moment_and_the_round_goes_on(
    folder: Path, page: Page, troubles: Troubles
) -> None:
    troubles.excuse(NO_LINE)
    port = free_port()
    running = Process(folder, *flags(folder, port))
    try:
        console = Keys(page, running.url, TABLE)
        console.sign_in(NAMES[Position.DEALER])
        console.at("ready")
        typed = ""
        for moment, keys in MOMENTS:
            console.type(keys.removeprefix(typed))
            typed = keys
            console.at(moment)
            cards = [key for key in keys if key != "_"]
            console.shows(cards)
            shown = kill(page, running)
            running = Process(folder, *flags(folder, port))
            taken_over(page, shown)
            again(console, moment)
            console.shows(cards)
        console.type("_")
        console.at("ready")
        page.reload()
        console.at("ready")
        console.shows(["K", "2", "K", "3", "6", "4"])
    finally:
        running.kill()


@pytest.mark.parametrize(
    "killed_after", [KILLED_BY_DAY, pytest.param(range(len(WITH_BETS)), marks=pytest.mark.nightly)], ids=["some", "all"]
)
def test_a_killed_server_keeps_bets_insurance_and_money(
    tmp_path: Path, page: Page, troubles: Troubles, killed_after: Container[int]
) -> None:
    troubles.excuse(NO_LINE)
    database = str(tmp_path / "floor.db")
    with server(database) as running:
        hire(running, Position.DEALER)
        open_table(running, "commission-insurance")
        before = running.floor.tables[TABLE].state.balances
    port = free_port()
    serving = Process(tmp_path, *flags(tmp_path, port))
    try:
        console = Keys(page, serving.url, TABLE)
        console.sign_in(NAMES[Position.DEALER])
        console.press("Space")
        console.at("betting")
        for number, (moment, keys, cards, bets, insured) in enumerate(WITH_BETS):
            console.type(keys)
            console.at(moment)
            console.shows(cards)
            expect(page.locator("#left .bet")).to_have_count(bets)
            expect(page.locator("#left .tag.insured")).to_have_count(insured)
            if number not in killed_after:
                continue
            left = page.locator("#left").inner_text()
            shown = kill(page, serving)
            serving = Process(tmp_path, *flags(tmp_path, port))
            if moment != "settlement":  # of a round that is over, nothing is recorded
                taken_over(page, shown)
            again(console, moment)
            page.reload()
            console.at(moment)
            assert page.locator("#left").inner_text() == left, moment
        taken, paid = (minor(page.locator(f"#sheet h3.{part} b").inner_text()) for part in ("take", "pay"))
        console.press("Shift+Space")
        console.at("ready")
    finally:
        serving.kill()
    with server(database, by_account=True) as running:
        after = running.floor.tables[TABLE].state
    assert after.round is not None
    assert {key: placed.stake_minor for key, placed in after.round.at_close.items()} == BETS
    assert [(cover.who, cover.stage) for cover in after.round.insurance.cover] == INSURED
    moved = [result.returned_minor - result.stake_minor for result in after.round.results]
    assert taken == -sum(each for each in moved if each < 0)
    assert paid == sum(each for each in moved if each > 0)
    assert sum(tray(after.balances)) - sum(tray(before)) == taken - paid
    assert sum(after.balances.values()) == 0
    checked = punto("verify", "--db", database)
    assert checked.returncode == 0, checked.stdout


def tray(balances: Mapping[str, int]) -> list[int]:
    """What the house has: its chips, commission and what was rounded."""
    return [balances.get(account, 0) for account in (FLOAT, COMMISSION, ROUNDING)]


def kill(page: Page, serving: Process, lost: str = "#lost") -> str:
    """Kill the server, and wait until the page has noticed. Returns which state of the table it shows."""
    serving.kill()
    expect(page.locator(lost)).to_be_visible()
    return str(page.evaluate(AT))


def taken_over(page: Page, before: str) -> None:
    """Wait until the next server has recorded its absence in the open round: it listens before it does so."""
    page.wait_for_function(f"before => ({AT})() !== before", arg=before)


def again(console: Keys, moment: str) -> None:
    """Wait for the line. Where the server was away for long, the dealer confirms the cards."""
    reached = "moment => ['restarted', moment].includes(document.body.dataset.name)"
    console.page.wait_for_function(f"{reached} && document.getElementById('lost').hidden", arg=moment)
    if console.moment == "restarted":
        console.press("Space")
    console.at(moment)


def test_after_a_long_absence_the_console_asks_whether_the_cards_are_still_these(
    folder: Path, page: Page, troubles: Troubles
) -> None:
    troubles.excuse(NO_LINE)
    port = free_port()
    with process(folder, *flags(folder, port)) as running:
        console = Keys(page, running.url, TABLE)
        console.sign_in(NAMES[Position.DEALER])
        console.type("__K2")
        expect(page.locator("#card-2 img")).to_be_visible()
    time.sleep(LONG_S)
    with process(folder, *flags(folder, port)) as running:
        console.at("restarted")
        console.shows(["K", "2"])
        console.press("p")
        page.locator("#dialog [data-open=correct_card]").click()
        page.locator("#dialog .pick").first.click()  # the last one
        page.locator("#dialog .card-typed").fill("3")
        page.keyboard.press("Enter")
        expect(page.locator("#dialog")).to_be_hidden()
        console.at("restarted")
        console.shows(["K", "3"])
        console.press("Space")
        console.at("cards")
        console.press("K")
        expect(page.locator("#card-3 img")).to_be_visible()


@pytest.mark.parametrize(
    ("number", "away_s"),
    [
        pytest.param(signal.SIGKILL, LONG_S, id="SIGKILL-long"),
        pytest.param(signal.SIGTERM, 0.0, id="SIGTERM-short"),
        pytest.param(signal.SIGKILL, 0.0, id="SIGKILL-short", marks=pytest.mark.nightly),
        pytest.param(signal.SIGTERM, LONG_S, id="SIGTERM-long", marks=pytest.mark.nightly),
    ],
)
def test_keys_typed_while_the_server_restarts_are_kept_and_count_once(
    folder: Path, page: Page, troubles: Troubles, number: signal.Signals, away_s: float
) -> None:
    troubles.excuse(f"{NO_LINE}|409")  # a card that the table does not take before the restart is answered
    port = free_port()
    running = Process(folder, *flags(folder, port))
    try:
        console = Keys(page, running.url, TABLE)
        console.sign_in(NAMES[Position.DEALER])
        console.type("__K")
        console.shows(["K"])
        os.kill(running.pid, number)
        console.type("2")  # perhaps before the page knows
        running.wait()
        running.kill()  # closes its files
        expect(page.locator("#lost")).to_be_visible()
        console.type("45")
        expect(page.locator("#lost")).to_contain_text("4 5")
        time.sleep(away_s)
        shown = str(page.evaluate(AT))
        running = Process(folder, *flags(folder, port))
        taken_over(page, shown)
        page.wait_for_function(ON_AGAIN, arg=away_s > 0)
        if console.moment == "restarted":
            expect(page.locator("#lost")).to_contain_text("4 5 They are entered after Space.", use_inner_text=True)
            console.press("Space")
        console.shows(["K", "2", "4", "5"])
        expect(page.locator("#lost")).to_be_hidden()
        expect(page.locator("#messages .toast")).to_have_count(0)
    finally:
        running.kill()


def test_escape_drops_the_keys_that_were_kept_and_says_which(folder: Path, page: Page, troubles: Troubles) -> None:
    troubles.excuse(f"{NO_LINE}|409")  # a card that the table does not take before the restart is answered
    port = free_port()
    running = Process(folder, *flags(folder, port))
    try:
        console = Keys(page, running.url, TABLE)
        console.sign_in(NAMES[Position.DEALER])
        console.type("__K2")
        console.shows(["K", "2"])
        shown = kill(page, running)
        console.type("45")
        time.sleep(LONG_S)
        running = Process(folder, *flags(folder, port))
        taken_over(page, shown)
        console.at("restarted")
        expect(page.locator("#lost")).to_contain_text("4 5")
        console.press("Escape")
        assert console.message() == "Not sent: 4 5"
        console.press("Space")
        console.at("cards")
        console.shows(["K", "2"])
    finally:
        running.kill()


# ---- what is kept, key by key: the absence is put on record, and nothing is killed

WITH_SUITS: dict[str, Any] = {"faces_by_rank": False}


def at_table(page: Page, running: Server, table: str, **changes: Any) -> Console:
    open_table(running, "commission-insurance", table, **changes)
    console = Console(page, running, table)
    console.sign_in(NAMES[Position.DEALER])
    console.at("ready")
    return console


def record_absence(running: Server, table: str) -> None:
    command = ReportRestart("house", Position.HOUSE, 0, ASKS_AFTER_US)
    answer = running.run(running.floor.give(running.floor.table(table), running.next_id(), command))
    assert answer.refusal is None, answer.refusal


def absent_before_the_next_command(page: Page, running: Server, table: str) -> None:
    """The next command reaches a server that was away meanwhile, before the page knows."""

    def overtake(route: Route) -> None:
        record_absence(running, table)
        route.continue_()

    page.route("**/commands", overtake, times=1)


def asks(console: Console, kept: str) -> None:
    console.at("restarted")
    expect(console.page.locator("#lost")).to_contain_text(f"{kept} They are entered after Space.", use_inner_text=True)
    expect(console.page.locator("body")).not_to_have_attribute("data-soon", "")  # the line is up, so Space counts


def test_a_kept_step_that_cannot_be_taken_back_is_taken_and_its_bounce_is_not(
    page: Page, running: Server, troubles: Troubles
) -> None:
    troubles.excuse(NO_LINE)
    console = at_table(page, running, "final", **CARDS_ONLY)
    console.type("__29KK")
    console.at("result")
    page.context.set_offline(True)
    expect(page.locator("#lost")).to_be_visible()
    page.evaluate(AT_ONCE, [" ", " "])
    record_absence(running, "final")
    page.context.set_offline(False)
    asks(console, "Space Space")
    console.press("Space")
    console.at("ready")
    assert console.message().startswith("Not taken: it came too soon")
    assert (console.state.phase, console.round.settled) == (Phase.READY, True)


def test_a_card_is_kept_with_its_suit(page: Page, running: Server, troubles: Troubles) -> None:
    troubles.excuse("409")
    console = at_table(page, running, "suited", **WITH_SUITS)
    console.type("__")
    console.at("closed")
    absent_before_the_next_command(page, running, "suited")
    page.evaluate(AT_ONCE, [*"0h9c"])
    asks(console, "TH 9 C")
    console.press("Space")
    expect(page.locator("#card-2 img")).to_be_visible()
    assert [str(card) for card in console.round.cards] == ["Th", "9c"]


def test_a_rank_without_its_suit_is_kept(page: Page, running: Server) -> None:
    console = at_table(page, running, "half a card", **WITH_SUITS)
    console.type("__4")
    expect(page.locator("body")).to_have_attribute("data-rank", "4")
    record_absence(running, "half a card")
    asks(console, "4")
    console.press("Space")
    expect(page.locator("body")).to_have_attribute("data-rank", "4")
    console.type("h")
    console.dealt(1)
    assert [str(card) for card in console.round.cards] == ["4h"]


@pytest.mark.parametrize(
    ("before", "typed", "kept", "rest"),
    [("_", "3b5", "3 B 5", "00~"), ("__", "e3b5", "E 3 B 5", "00~")],
    ids=["bet", "lay there"],
)
def test_a_bet_that_is_half_typed_is_kept(
    page: Page, running: Server, before: str, typed: str, kept: str, rest: str
) -> None:
    table = f"half {typed}"
    console = at_table(page, running, table)
    console.type(before + typed)
    expect(page.locator("#entry .typed-amount")).to_have_text("5")
    record_absence(running, table)
    asks(console, kept)
    console.press("Space")
    expect(page.locator("#entry .typed-amount")).to_have_text("5")
    console.type(rest)
    console.placed(1)
    assert [(bet.box, bet.bet, bet.stake_minor) for bet in console.round.bets.values()] == [(3, "banker", 500_00)]


def test_the_card_of_a_question_and_what_was_typed_after_it_are_kept(
    page: Page, running: Server, troubles: Troubles
) -> None:
    troubles.excuse("409")
    console = at_table(page, running, "asked")
    console.type("_1b500~2p500_K2K")
    console.dealt(3)
    page.evaluate(AT_ONCE, [*"364"])
    expect(page.locator("#ask-offer")).to_be_visible()
    absent_before_the_next_command(page, running, "asked")
    console.type("y")
    asks(console, "6 4")
    console.press("Space")
    expect(page.locator("#ask-offer [data-card]")).to_have_text("4")
    assert [str(card) for card in console.round.cards] == ["K", "2", "K", "3", "6"]


def test_a_question_that_is_open_keeps_its_card(page: Page, running: Server) -> None:
    console = at_table(page, running, "open question")
    console.type("_1b500~2p500_K2K")
    console.dealt(3)
    page.evaluate(AT_ONCE, [*"364"])
    expect(page.locator("#ask-offer")).to_be_visible()
    record_absence(running, "open question")
    asks(console, "6 4")
    console.press("Space")
    expect(page.locator("#ask-offer [data-card]")).to_have_text("6")


def test_the_guide_says_which_kept_keys_were_not_sent(page: Page, running: Server, troubles: Troubles) -> None:
    troubles.excuse(NO_LINE)
    console = at_table(page, running, "guided", **CARDS_ONLY)
    console.type("__K2")
    console.dealt(2)
    page.context.set_offline(True)
    expect(page.locator("#lost")).to_be_visible()
    console.type("45")
    record_absence(running, "guided")
    page.context.set_offline(False)
    asks(console, "4 5")
    console.press("!")
    page.wait_for_url("**/guide**")
    assert console.message() == "Not sent: 4 5"
    page.reload()
    expect(page.locator("#guide")).to_be_visible()
    expect(page.locator("#messages .toast")).to_have_count(0)
