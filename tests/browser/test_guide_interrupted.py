"""What comes in between: the wrong approver, another irregularity, a reload at every step, a server that is killed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import Troubles
from tests.browser.console import PIN, Console, Keys, enrol, hire, press_space
from tests.browser.felt_cases import Played, filed, play_on
from tests.browser.follower import ASK_PLAYERS, DONE, MAX_INPUTS, RULE_ORDER, SAY_WHAT, Follower
from tests.browser.test_console_restarts import NO_LINE, again, flags, kill, taken_over
from tests.cli.running import punto
from tests.web.ports import free_port
from tests.web.process import Process
from tests.web.serving import NAMES, Server, server

DORA, SUE = NAMES[Position.DEALER], NAMES[Position.PIT_SUPERVISOR]
ERROR, REASON = "Any other mistake in dealing", "Reason"
ORDER_LOST = "Four cards, some on the wrong side, and the order is lost: the players choose"
WRONG_SIDE = {
    "Tap each card that lies with the other hand": (
        "two, with Player; nine, with Banker; three, with Player; king, with Banker"
    ),
    "Is the order of the cards known?": "Lost",
    REASON: "the cards were mixed up",
    "order": "Player wins 9 to 5",
}
CHOICES = {"Box 1": "Continue", "Box 2": "Return"}


def staff(running: Server) -> None:
    hire(running, Position.DEALER)
    for position in (Position.PIT_SUPERVISOR, Position.SHIFT_MANAGER):
        hire(running, position, pin=PIN)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("interrupted") / "floor.db")) as made:
        staff(made)
        yield made


def at_console(page: Page, running: Server, table: str, name: str) -> Console:
    enrol(page, running, None)
    console = Console(page, running, table)
    console.sign_in(name)
    return console


def test_who_may_not_approve_it_decides_nothing(page: Page, running: Server, troubles: Troubles) -> None:
    troubles.excuse("403")
    case = filed("commission", "Anything else is a shift manager's ruling, without a clause")
    played = Played(running, "wrong-approver", case)
    console = at_console(page, running, played.name, DORA)
    knows = {"What is ruled?": "the round is void", REASON: "no rule covers it"}
    follower = Follower(page, "None of these: a shift manager rules", knows, {})
    follower.start()
    follower.follow(until=SAY_WHAT)
    while follower.knows:
        follower.tell()
    press_space(page)
    sign = page.locator("#dialog .sign")
    sign.locator("[name=name]").fill(SUE)
    sign.locator("[name=pin]").fill(PIN)
    page.keyboard.press("Enter")
    wrong = page.locator("#dialog .wrong")
    expect(wrong).to_contain_text("shift manager")
    assert not console.round.over
    follower.follow()
    assert console.round.irregularities.void
    assert follower.inputs <= MAX_INPUTS
    assert played.ends() == dict.fromkeys(("ann", "ben", "cat", "dan"), "0.00")


def test_two_irregularities_one_after_the_other(page: Page, running: Server) -> None:
    case = filed("super-six-plus", "After a second error in the same round the players choose again")
    played = Played(running, "one-after-another", case)
    console = at_console(page, running, played.name, DORA)
    first = Follower(page, ERROR, {REASON: "a card fell off the table"}, CHOICES)
    first.start()
    first.follow()
    console.type("TJ")
    console.dealt(4)
    console.synced()
    question, see = (
        "Which cards came out together and are not entered yet?",
        "Cards come out together: which was first?",
    )
    second = Follower(page, see, {question: "25", "order": "5"}, {"Box 1": "Continue"})
    second.start()
    second.follow()
    assert max(first.inputs, second.inputs) <= MAX_INPUTS
    assert len(first.incidents) == len(second.incidents) == 1
    assert first.incidents != second.incidents
    play_on(console, [])
    ends = played.ends()
    assert {who: ends[who] for who in case.case.ends} == case.case.ends


def test_two_irregularities_at_the_same_time(page: Page, running: Server) -> None:
    case = filed("da-hu-ying-xiong", "An interruption with four cards whose order is lost")
    played = Played(running, "at-the-same-time", case)
    console = at_console(page, running, played.name, SUE)
    lost = {REASON: "the cards were mixed up", "Is the order of the cards known?": "Lost"}
    first = Follower(page, ERROR, lost, dict.fromkeys(CHOICES, "Continue"))
    first.start()
    first.follow(until=RULE_ORDER)
    first.press("!")
    second = Follower(page, "The power fails, or the screens go dark", {}, {})
    second.follow()
    assert first.inputs + second.inputs <= MAX_INPUTS
    assert console.round.irregularities.void
    ends = played.ends()
    assert {who: ends[who] for who in case.case.ends} == case.case.ends


@pytest.mark.nightly
def test_a_reload_at_every_step_changes_nothing(page: Page, running: Server) -> None:
    case = filed("tiger-buffalo", ORDER_LOST)
    played = Played(running, "reloaded", case)
    console = at_console(page, running, played.name, SUE)
    follower = Follower(page, "A card lies with the wrong hand or person", WRONG_SIDE, CHOICES)
    follower.start()
    follower.follow(reloads=True)
    assert len(follower.steps) == 5, follower.steps
    assert follower.inputs <= MAX_INPUTS
    play_on(console, played.cards)
    ends = played.ends()
    assert {who: ends[who] for who in case.case.ends} == case.case.ends


@pytest.mark.nightly
def test_a_server_that_is_killed_at_every_step_changes_nothing(tmp_path: Path, page: Page, troubles: Troubles) -> None:
    """Where it is away for long, because the machine is slow, the table asks about that too."""
    troubles.excuse(NO_LINE)
    database = str(tmp_path / "floor.db")
    case = filed("commission-insurance", ORDER_LOST)
    with server(database) as running:
        staff(running)
        played = Played(running, "killed", case)
        before = Console(page, running, "killed").cursor
    port = free_port()
    serving = Process(tmp_path, *flags(tmp_path, port))
    try:
        console = Keys(page, serving.url, "killed")
        console.sign_in(SUE)
        taken_over(page, before)
        again(console, "result")
        knows = {"What is it?": "The cards on the felt are those on record", **WRONG_SIDE}
        follower = Follower(page, "A card lies with the wrong hand or person", knows, CHOICES)
        follower.start()
        for step in (SAY_WHAT, ASK_PLAYERS, RULE_ORDER, DONE):
            follower.follow(until=step)
            before = kill(page, serving, "#away")
            serving = Process(tmp_path, *flags(tmp_path, port))
            taken_over(page, before)
            expect(page.locator("#away")).to_be_hidden()
        follower.follow()
        assert follower.incidents
        again(console, "result")
        console.press("Space")
        console.at("settlement")
    finally:
        serving.kill()
    with server(database) as played.running:
        ends = played.ends()
    assert {who: ends[who] for who in case.case.ends} == case.case.ends
    checked = punto("verify", "--db", database)
    assert checked.returncode == 0, checked.stdout
