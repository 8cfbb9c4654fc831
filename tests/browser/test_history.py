"""The history page: only the player's own rounds, newest first, in pages, and equal to the journal."""

import re
from collections.abc import Iterator
from itertools import cycle, islice
from typing import NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect

from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, read_event
from punto.library import book
from punto.rules.coup.table_of_play import Side
from punto.table.records.events import BettingOpened, CardTurned, RoundSettled
from punto.web.http.auth import cookie_name
from tests.browser.conftest import Axe, Screenshot
from tests.browser.looking import look_at
from tests.browser.tables import NAME, Felt, choose_language, come_in, felt, minor

ROUNDS, ON_A_PAGE = 24, 20
COUPS = ("2s 9d Kh Kc", "9c 2h Qd Qs", "8s 8d Jh Jc", "2d 9h Ts Td")
VERDICTS = {"win": "won", "lose": "lost", "push": "returned"}


class Told(NamedTuple):
    """A round, as read from the page or from the journal."""

    number: int
    cards: tuple[str, ...]
    bets: frozenset[tuple[str, int, str, int]]
    """Name, stake, result and gain."""


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Felt]:
    with felt(tmp_path_factory.mktemp("history"), "commission-insurance") as made:
        yield made


@pytest.fixture(scope="module")
def anns_token(floor: Felt) -> str:
    """The token of Ann, a visitor."""
    return floor.running.visitor("Ann")


@pytest.fixture(scope="module")
def evening(floor: Felt, anns_token: str) -> Felt:
    """Ann bets in every round, Zoltan in every other; nobody in the fifth."""
    table = floor
    assert anns_token  # before she has chips there, for then the name would be taken
    table.seat("Ann", 1)
    table.seat("Zoltan", 2)
    for number, cards in enumerate(islice(cycle(COUPS), ROUNDS), 1):
        table.open_betting()
        if number != 5:
            table.bet("Ann", 1, "banker", 100_00)
            table.bet("Ann", 1, "tie", 10_00 + number * 50)
            if number % 2:
                table.bet("Zoltan", 2, "player", 333_00)
        table.play(cards)
    return table


def journal_of(table: Felt, who: str) -> list[Told]:
    """The rounds in which a player had bets, from the journal, newest first."""
    live = table.running.floor.tables[NAME]

    def entries(transaction: Transaction) -> list[Entry]:
        head = streams.find(transaction, live.stream_of(live.openings))
        assert head is not None
        return streams.read(transaction, head, 0)

    found: list[Told] = []
    number, cards = 0, list[str]()
    for entry in live.database.reading(entries).result():
        match event := read_event(entry.event):
            case BettingOpened():
                number, cards = event.round, []
            case CardTurned():
                cards.append(str(event.card))
            case RoundSettled():
                bets = frozenset(
                    (
                        book(table.game).bets[result.bet].name,
                        result.stake_minor,
                        VERDICTS[result.result],
                        result.returned_minor - result.stake_minor,
                    )
                    for result in event.results
                    if result.who == who
                )
                found += [Told(number, by_hand(table.game, cards), bets)] if bets else []
    return found[::-1]


def by_hand(game: str, cards: list[str]) -> tuple[str, ...]:
    """Player's cards, then Banker's."""
    coup = book(game).coup(" ".join(cards))
    return tuple(str(card) for side in (Side.PLAYER, Side.BANKER) for card in coup.hand(side).cards)


def read(panel: Locator) -> Told:
    """Read a round from the page."""
    bets = set()
    for line in panel.locator(".results > li").all():
        name = line.locator(".bet").evaluate("node => node.firstChild.textContent").strip()
        verdict, gain = line.locator(".verdict").inner_text(), line.locator(".amount").inner_text()
        bets.add((name, minor(line.locator(".bet small").inner_text()), verdict, minor(gain)))
    faces = panel.locator(".strip img").evaluate_all("cards => cards.map((card) => card.getAttribute('src'))")
    gained = minor(panel.locator("h3 .num").inner_text())
    assert gained == sum(bet[3] for bet in bets)
    return Told(
        int(panel.locator("h2").inner_text().split(":")[0].removeprefix("Round ")),
        tuple(face.split("/")[-1][:2] for face in faces),
        frozenset(bets),
    )


def test_one_s_own_rounds_page_by_page(
    evening: Felt, anns_token: str, page: Page, axe: Axe, screenshot: Screenshot
) -> None:
    cookie = cookie_name(evening.running.config)
    page.context.add_cookies([{"name": cookie, "value": anns_token, "url": evening.running.url}])
    page.goto(f"{evening.address}/history")
    expected = journal_of(evening, "Ann")
    assert len(expected) == ROUNDS - 1
    newest = [read(panel) for panel in page.locator(".side .panel").all()]
    assert newest == expected[:ON_A_PAGE]
    assert "Zoltan" not in page.locator("main").inner_text()
    page.locator(".results summary").first.click()
    expect(page.locator(".results details[open] p .clause").first).to_be_visible()
    look_at(page, "history", axe, screenshot)

    page.get_by_role("link", name="Older rounds").click()
    page.wait_for_url(re.compile("before="))
    older = [read(panel) for panel in page.locator(".side .panel").all()]
    assert older == expected[ON_A_PAGE:]
    expect(page.get_by_role("link", name="Older rounds")).to_have_count(0)
    choose_language(page, "zh")
    expect(page.locator(".side .panel")).to_have_count(len(older))
    look_at(page, "history-chinese", axe, screenshot)


def test_who_has_not_played_here_has_no_rounds(evening: Felt, page: Page, axe: Axe, screenshot: Screenshot) -> None:
    page.goto(f"{evening.address}/history")
    expect(page.locator("main")).to_contain_text("Sign in to see the rounds you have played.")
    look_at(page, "history-nobody", axe, screenshot)
    come_in(page, evening, "Cleo")
    page.goto(f"{evening.address}/history")
    expect(page.locator("main")).to_contain_text("You have no settled bets at this table yet.")
    expect(page.locator(".side .panel")).to_have_count(0)
    look_at(page, "history-none", axe, screenshot)
