"""The settlement sheet at the console: all of it in sight, and how far it is paid on record."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from punto.table.records.positions import Position
from tests.browser.conftest import PHONE, Axe, PageAt, Screenshot, Troubles
from tests.browser.console import TABLE, Console, Keys, hire, open_table
from tests.browser.looking import sticks_out
from tests.browser.test_console_restarts import NO_LINE, flags, kill
from tests.waiting import wait_until
from tests.web.ports import free_port
from tests.web.process import Process
from tests.web.serving import NAMES, Server, server

SIZES = ((1280, 800), (1366, 768), (1920, 1080))
BOXES = 14
LABELS = ("1", "2", "3", "5", "6", "7", "8", "9", "10", "11", "12", "14", "15", "16")
PLAYER_WINS, BANKER_WINS = "9 2 K K", "2 9 K K"
EIGHTEEN = tuple(range(1, BOXES + 1)), (1, 5, 9, 14)
"""Boxes with a bet of somebody seated, and with one of somebody behind."""
HIDDEN = """() => {
  const screen = { top: 0, left: 0, right: innerWidth, bottom: innerHeight };
  const cut = [];
  for (const part of document.querySelectorAll("#in-hand, #sheet :is([data-line], [data-line] .sum b, .token)")) {
    const at = part.getBoundingClientRect();
    let parent = part.parentElement;
    const frames = [screen];
    while (parent && parent !== document.body) {
      if (getComputedStyle(parent).overflow !== "visible") frames.push(parent.getBoundingClientRect());
      parent = parent.parentElement;
    }
    const whole = frames.every((each) => at.top >= each.top - 1 && at.bottom <= each.bottom + 1
      && at.left >= each.left - 1 && at.right <= each.right + 1);
    if (!whole || !at.height) cut.push(`${part.className}: ${part.textContent.trim().slice(0, 60)}`);
  }
  const over = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  const pairs = (boxes) => boxes.flatMap((one, place) => boxes.slice(place + 1).map((other) => [one, other]));
  const rows = [...document.querySelectorAll("#sheet [data-line]")];
  if (pairs(rows.map((row) => row.getBoundingClientRect())).some(([one, other]) => over(one, other))) cut.push("rows");
  for (const row of rows) {
    const parts = [...row.children].map((each) => each.getBoundingClientRect()).filter((each) => each.width);
    if (row.scrollWidth > row.clientWidth + 1 || pairs(parts).some(([one, other]) => over(one, other)))
      cut.push(`over itself: ${row.textContent.trim().slice(0, 60)}`);
  }
  return cut;
}"""
"""Lines of the sheet that are not whole on the screen."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("sheets") / "floor.db")) as made:
        hire(made, Position.DEALER)
        yield made


def settle(running: Server, table: str, cards: str, *bets: tuple[str, int, str, int]) -> None:
    """A round with these bets: who, box, bet and stake."""
    dealer = hire(running, Position.DEALER)

    def give(command: str, **fields: object) -> None:
        answer = running.command(dealer, table, command, **fields)
        assert answer.status_code == 200, answer.text

    give("open_betting")
    for who, box, bet, stake_minor in bets:
        give("place_bet", who=who, box=box, bet=bet, stake_minor=stake_minor)
    give("close_betting")
    for card in cards.split():
        give("deal_card", card=card)
    give("settle")


def bets_on(*bets: str) -> list[tuple[str, int, str, int]]:
    """Eighteen bets, on these in turn, with stakes that take many chips."""
    seated, behind = EIGHTEEN
    people = [*((f"box {box}", box) for box in seated), *((f"behind box {box}", box) for box in behind)]
    return [
        (who, box, bets[at % len(bets)], (77_500 + 12_500 * (at % 7)) if bets[at % len(bets)] != "tie" else 100_00)
        for at, (who, box) in enumerate(people)
    ]


@pytest.mark.parametrize(
    ("name", "cards", "bets"),
    [
        ("both", BANKER_WINS, ("banker", "player")),
        ("pays", BANKER_WINS, ("banker",)),
        ("pairs", "K 9 K K", ("player_pair", "banker", "tie")),
        ("takes", PLAYER_WINS, ("banker",)),
    ],
)
def test_eighteen_bets_in_fourteen_boxes_are_all_in_sight(
    running: Server, page: Page, axe: Axe, screenshot: Screenshot, name: str, cards: str, bets: tuple[str, ...]
) -> None:
    open_table(
        running, "tiger-buffalo", name, layout="K", boxes=BOXES, box_labels=LABELS, differential_minor=500_000_00
    )
    settle(running, name, cards, *bets_on(*bets))
    console = Console(page, running, name)
    console.sign_in(NAMES[Position.DEALER])
    console.at("settlement")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        expect(page.locator("#sheet [data-line]")).to_have_count(18)
        screenshot(page, f"sheet-{name}-{width}")
        assert page.evaluate(HIDDEN) == [], (name, width)
        assert sticks_out(page) == []
    assert axe(page) == []
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    screenshot(page, f"sheet-{name}-phone")
    assert sticks_out(page) == []


def test_what_is_kept_back_is_in_sight_on_a_full_sheet(running: Server, page: Page, screenshot: Screenshot) -> None:
    """Ann took away what she had won in a round that was voided. She wins less than she owes."""
    open_table(
        running, "tiger-buffalo", "owing", layout="K", boxes=BOXES, box_labels=LABELS, differential_minor=500_000_00
    )
    dealer, shift = hire(running, Position.DEALER), hire(running, Position.SHIFT_MANAGER)
    registered = hire(running, Position.PIT_SUPERVISOR).post("/api/players", json={"name": "Ann"})
    ann = registered.json()["id"]
    bought = running.command(dealer, "owing", "buy_in", who=ann, amount_minor=200_00)
    assert bought.status_code == 200, bought.text
    settle(running, "owing", BANKER_WINS, (ann, 1, "banker", 200_00))
    assert running.command(dealer, "owing", "leave", who=ann).status_code == 200
    ruled = running.command(shift, "owing", "rule", reason="smoke", effect="void")
    assert ruled.status_code == 200, ruled.text
    settle(running, "owing", BANKER_WINS, (ann, 1, "banker", 150_00), *bets_on("banker", "player")[1:])
    console = Console(page, running, "owing")
    console.sign_in(NAMES[Position.DEALER])
    console.at("settlement")
    keep = page.locator("#sheet section .keep")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        expect(page.locator("#sheet [data-line]")).to_have_count(19)
        screenshot(page, f"sheet-owing-{width}")
        assert [each.is_visible() for each in keep.all()] == [True, True], width
        assert page.evaluate(HIDDEN) == [], width
    while not page.locator("#in-hand .move.pay").count():
        before = len(done(page))
        console.press("Space")
        expect(page.locator("#sheet [data-line].done")).not_to_have_count(before)
    expect(page.locator("#sheet section.take [data-line]:not(.done)")).to_have_count(0)
    expect(page.locator("#sheet section.pay [data-line].done .keep")).to_have_count(1)


def test_few_lines_say_all_in_their_row(running: Server, page: Page, screenshot: Screenshot) -> None:
    open_table(running, "commission-insurance", "few", payout_supervised_minor=700_00)
    settle(running, "few", BANKER_WINS, ("box 1", 1, "banker", 775_00), ("box 2", 2, "player", 500_00))
    console = Console(page, running, "few")
    console.sign_in(NAMES[Position.DEALER])
    console.at("settlement")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        screenshot(page, f"sheet-few-{width}")
        assert page.evaluate(HIDDEN) == []
    take, pay = page.locator("#sheet section.take [data-line]"), page.locator("#sheet section.pay [data-line]")
    expect(take).to_have_count(1)
    expect(take).to_contain_text("500")
    for part in ("775 at", "736.25", "775 less 38.75", "a supervisor verifies"):
        expect(pay).to_contain_text(part)
    expect(page.locator("#in-hand")).to_contain_text("Take")
    console.press("Space")
    expect(page.locator("#in-hand")).to_contain_text("775 less 38.75")
    console.press("Space")
    console.at("ready")


def done(page: Page) -> list[str]:
    return page.locator("#sheet [data-line].done .no").all_inner_texts()


def test_how_far_it_is_paid_survives_a_reload_and_shows_at_a_second_terminal(
    running: Server, page: Page, page_at: PageAt
) -> None:
    open_table(running, "commission", "shared")
    bets = [(f"box {box}", box, "banker" if box % 2 else "player", 500_00) for box in range(1, 6)]
    settle(running, "shared", BANKER_WINS, *bets)
    console, other = Console(page, running, "shared"), page_at(1280, 800)
    console.sign_in(NAMES[Position.DEALER])
    Console(other, running, "shared").sign_in(NAMES[Position.DEALER])
    for marked in (["2"], ["2", "4"], ["2", "4", "5"]):
        console.press("Space")
        expect(page.locator("#sheet [data-line].done")).to_have_count(len(marked))
        expect(other.locator("#sheet [data-line].done")).to_have_count(len(marked))
        assert done(page) == done(other) == marked
        page.reload()
        console.at("settlement")
        assert done(page) == marked
        expect(page.locator("#sheet [data-line].current")).to_have_count(1)
    other.keyboard.press("Space")
    expect(page.locator("#sheet [data-line].done")).to_have_count(4)
    console.press("Shift+Space")
    console.at("ready")
    expect(other.locator("body")).to_have_attribute("data-name", "ready")
    page.reload()
    console.at("ready")


def test_a_line_that_is_not_done_after_all_is_on_the_sheet_again(running: Server, page: Page) -> None:
    open_table(running, "commission", "unmarked")
    bets = [(f"box {box}", box, "banker" if box % 2 else "player", 500_00) for box in range(1, 4)]
    settle(running, "unmarked", BANKER_WINS, *bets)
    console = Console(page, running, "unmarked")
    console.sign_in(NAMES[Position.DEALER])
    for marked in (["2"], ["2", "3"]):
        console.press("Space")
        expect(page.locator("#sheet [data-line].done .no")).to_have_text(marked)
    take_back(console, "Box 3")
    expect(page.locator("#sheet [data-line].done .no")).to_have_text(["2"])
    expect(page.locator("#did")).to_contain_text(
        "Not done after all, on the settlement sheet of round 1: Box 3, Banker: 475 paid."
    )
    console.press("Shift+Space")
    console.at("ready")
    take_back(console, "Box 1")  # also once all seemed done
    console.at("settlement")
    expect(page.locator("#sheet [data-line].done .no")).to_have_text(["2", "3"])
    console.press("Space")
    console.at("ready")


def take_back(console: Console, place: str) -> None:
    console.press("p")
    console.page.locator("#dialog").get_by_text("A line of the sheet is not done after all").click()
    console.page.locator("#dialog label").filter(has_text=place).click()
    console.press("Enter")
    expect(console.page.locator("#dialog")).to_be_hidden()


def test_a_killed_server_comes_back_with_the_same_lines_marked(tmp_path: Path, page: Page, troubles: Troubles) -> None:
    troubles.excuse(NO_LINE)
    with server(str(tmp_path / "floor.db")) as running:
        hire(running, Position.DEALER)
        open_table(running, "commission-insurance")
        bets = [(f"box {box}", box, "banker" if box % 2 else "player", 500_00) for box in range(1, 6)]
        settle(running, TABLE, BANKER_WINS, *bets)
    port = free_port()
    serving = Process(tmp_path, *flags(tmp_path, port))
    try:
        console = Keys(page, serving.url, TABLE)
        console.sign_in(NAMES[Position.DEALER])
        for marked in (["2"], ["2", "4"]):
            console.at("settlement")
            console.press("Space")
            expect(page.locator("#sheet [data-line].done")).to_have_count(len(marked))
            kill(page, serving)
            serving = Process(tmp_path, *flags(tmp_path, port))
            expect(page.locator("#lost")).to_be_hidden()
            assert done(page) == marked
            page.evaluate("sessionStorage.clear()")
            page.reload()
            console.at("settlement")
            assert done(page) == marked
        console.press("Shift+Space")
        console.at("ready")
        kill(page, serving)
        serving = Process(tmp_path, *flags(tmp_path, port))
        page.evaluate("sessionStorage.clear()")
        expect(page.locator("#lost")).to_be_hidden()
        page.reload()
        console.at("ready")
    finally:
        serving.kill()


def test_a_line_done_elsewhere_in_the_same_moment_is_not_marked_twice(running: Server, page: Page) -> None:
    open_table(running, "commission", "twice")
    bets = [(f"box {box}", box, "player", 500_00) for box in (1, 2)]
    settle(running, "twice", BANKER_WINS, *bets)
    console = Console(page, running, "twice")
    console.sign_in(NAMES[Position.DEALER])
    line = {"who": "box 1", "box": 1, "bet": "player", "amount_minor": -500_00}
    dealer = hire(running, Position.DEALER)
    assert running.command(dealer, "twice", "mark_paid", lines=[line]).status_code == 200
    refused = running.command(dealer, "twice", "mark_paid", lines=[line])
    assert refused.json()["error"]["code"] == "nothing_to_pay", refused.text
    wait_until(lambda: done(page) == ["1"], "the line")
    console.press("Space")
    console.at("ready")
