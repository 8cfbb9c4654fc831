"""Two dealers at one table, a line that is cut, and cards that nobody has turned yet."""

import pytest
from playwright.sync_api import Page, expect

from punto.rules.coup.cards import RANKS, SUITS
from punto.table.records.positions import Position
from tests.browser.conftest import PageAt, Troubles
from tests.browser.console import CARDS_ONLY, TABLET, Console, open_table, sign_in
from tests.browser.line import CUT_LINE, Line
from tests.web.serving import NAMES, Server

DORA = NAMES[Position.DEALER]


def test_two_dealers_at_one_table_see_the_same_and_no_card_counts_twice(
    page: Page, page_at: PageAt, running: Server
) -> None:
    open_table(running, "commission", "two", **CARDS_ONLY)
    running.hired("ruth", Position.DEALER)
    first, second = Console(page, running, "two"), Console(page_at(*TABLET), running, "two")
    first.sign_in(DORA)
    second.sign_in("ruth")
    first.type("__9")
    expect(second.page.locator("#card-1 img")).to_be_visible()
    second.type("2")
    expect(first.page.locator("#card-2 img")).to_be_visible()
    first.type("K")
    first.dealt(3)
    second.synced()
    second.type("K")
    first.at("result")
    second.at("result")
    assert first.cards() == second.cards() == ["9", "2", "K", "K"] == [str(card) for card in first.round.cards]
    first.press("Space")
    second.at("ready")


def test_keys_of_a_cut_line_are_shown_and_count_once(page: Page, running: Server, troubles: Troubles) -> None:
    troubles.excuse(CUT_LINE)
    open_table(running, "commission", "cut", **CARDS_ONLY)
    with Line(running.url) as line:
        console = Console(page, running, "cut")
        console.url = line.url
        console.sign_in(DORA)
        console.type("__92")
        console.dealt(2)
        line.cut()
        expect(page.locator("#lost")).to_be_visible()
        console.type("KK")
        expect(page.locator("#lost [data-lost-keys]")).to_contain_text("K")
        line.mend()
        console.at("result")
        assert [str(card) for card in console.round.cards] == ["9", "2", "K", "K"]


def test_a_line_that_nobody_closes_and_nothing_passes_is_lost_too(
    page: Page, running: Server, troubles: Troubles
) -> None:
    troubles.excuse(CUT_LINE)
    open_table(running, "commission", "silent", **CARDS_ONLY)
    with Line(running.url) as line:
        console = Console(page, running, "silent")
        console.url = line.url
        console.sign_in(DORA)
        console.type("__92")
        console.at("cards")
        expect(page.locator("#card-2 img")).to_be_visible()
        line.silence()
        console.type("KK")
        expect(page.locator("#lost")).to_be_visible()
        line.mend()
        console.at("result")
        assert [str(card) for card in console.round.cards] == ["9", "2", "K", "K"]


@pytest.mark.parametrize("shoes", ["virtual", "manual"])
def test_a_card_face_down_is_in_no_page_and_in_no_frame(page: Page, running: Server, shoes: str) -> None:
    """The names of cards appear only when they are turned."""
    table = f"hidden-{shoes}"
    open_table(
        running, "commission-insurance", table, shoes, observing=False, face_down=True, faces_by_rank=False
    ) if shoes == "virtual" else open_table(running, "commission-insurance", table, face_down=True, faces_by_rank=False)
    frames: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: frames.append(str(data))))
    console = Console(page, running, table)
    console.sign_in(DORA)
    console.press("Space", "Space")
    console.at("closed")
    console.press("Space")  # for all four
    console.dealt(4)
    console.synced()
    assert console.round.cards == (None,) * 4
    faces = [f"cards/{rank}{suit}.svg" for rank in RANKS for suit in (*SUITS, "")]
    for source in (page.content(), *frames):
        assert [face for face in faces if face in source] == []
        assert '"card":"' not in source.replace("&#34;", '"').replace("&quot;", '"').replace('\\\\"', '"')
    assert page.locator("#stage .card.down").count() == 4


def test_a_player_cannot_open_the_console(page: Page, running: Server, troubles: Troubles) -> None:
    troubles.excuse("403")
    open_table(running, "commission", "closed-to-players", **CARDS_ONLY)
    running.hired("aude2", Position.AUDITOR)
    sign_in(page, running.url, "aude2")
    answer = page.goto(f"{running.url}/tables/closed-to-players/deal")
    assert answer is not None
    assert answer.status == 403
    answer = page.goto(f"{running.url}/tables/closed-to-players/deal/corrections")
    assert answer is not None
    assert answer.status == 403
