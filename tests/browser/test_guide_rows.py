"""Each row of docs/irregularities.md once, spread over the books, by somebody who does only what the screen says."""

from collections.abc import Iterator

import pytest
from msgspec import Struct
from playwright.sync_api import Page, expect

from punto.rules.coup.cards import Face
from punto.table.play.restarting import ASKS_AFTER_US
from punto.table.procedure.trouble.tiles import TileName
from punto.table.records.commands import Command
from punto.table.records.corrections import CorrectCard
from punto.table.records.positions import Position
from punto.table.records.reports import ExchangeShoe, ReportRestart
from punto.table.situation import Then, situation
from tests.browser.console import PIN, Console, enrol, hire
from tests.browser.felt_cases import Played, filed, play_on
from tests.browser.follower import MAX_INPUTS, Follower
from tests.marks import rest_at_night
from tests.web.serving import NAMES, Server, server

COMMISSION, INSURANCE, SUPER_SIX = "commission", "commission-insurance", "super-six-plus"
DA_HU, BUFFALO = "da-hu-ying-xiong", "tiger-buffalo"
DORA = NAMES[Position.DEALER]
HOUSE = ("house", Position.HOUSE)
REASON, WHAT = "Reason", "What is it?"
ORDER = "Is the order of the cards known?"


class Row(Struct, frozen=True, kw_only=True):
    """What one sees in a case, and what one knows of it, by the words of the questions."""

    tile: TileName
    book: str
    case: str
    see: str
    knows: dict[str, str] = {}
    wants: dict[str, str] = {}
    before: tuple[Command, ...] = ()
    """What happens just before."""
    incident: bool = True


BY_DAY = {
    TileName.WRONG_NUMBER,  # an order that is lost
    TileName.AT_ONCE,  # a ruling and choices
    TileName.RUNS_OUT,  # a supervisor's word
    TileName.ENTERED_WRONGLY,  # a correction
    TileName.UNINSURED,  # people and amounts
    TileName.NOTHING_FITS,  # a ruling on money
}
"""Rows with every form that the guide has. The words of the others are tested case by case without a browser."""
ROWS = (
    Row(
        tile=TileName.EXCESS,
        book=SUPER_SIX,
        case="The first card is exposed too early: the players choose",
        see="A card too many is drawn, or one is seen too early",
        knows={"Which cards, in the order drawn?": "9"},
        wants={"Box 1": "Return", "Box 2": "Continue"},
    ),
    Row(
        tile=TileName.WRONG_NUMBER,
        book=COMMISSION,
        case="A wrong number of cards that cannot be reconstructed",
        see="A hand has too many or too few cards",
        knows={ORDER: "Lost", REASON: "nobody saw the order"},
    ),
    Row(
        tile=TileName.WRONG_SIDE,
        book=DA_HU,
        case="The first two cards are on the wrong sides: the players choose",
        see="A card lies with the wrong hand or person",
        knows={"Tap each card that lies with the other hand": "nine, with Player; two, with Banker"},
        wants={"Box 1": "Return", "Behind box 1": "Continue", "Box 2": "Continue"},
    ),
    Row(
        tile=TileName.FACE_UP,
        book=BUFFALO,
        case="A card is dealt face up at a face-down table: the players choose",
        see="A card lands face up where cards are dealt face down",
        knows={"What is it?": "9"},
        wants={"Box 1": "Return", "Box 2": "Continue"},
    ),
    Row(
        tile=TileName.AT_ONCE,
        book=INSURANCE,
        case="Two cards come at once: a pit supervisor decides which was first, and the players choose",
        see="Cards come out together: which was first?",
        knows={"Which cards came out together and are not entered yet?": "29", "order": "2"},
        wants={"Box 1": "Return", "Box 2": "Continue"},
    ),
    Row(
        tile=TileName.DEALING_ERROR,
        book=SUPER_SIX,
        case="Another dealing error: the players choose, whatever is decided",
        see="Any other mistake in dealing",
        knows={REASON: "the card came from under the cover"},
        wants={"Box 1": "Return", "Box 2": "Continue"},
    ),
    Row(
        tile=TileName.OPTIONS,
        book=DA_HU,
        case="A player who has not chosen when time is called continues",
        see="Any other mistake in dealing",
        knows={REASON: "the card came from under the cover"},
        wants={"Box 2": "Return"},
    ),
    Row(
        tile=TileName.WRONG_CARDS,
        book=COMMISSION,
        case="A card of another set is found during a game",
        see="Wrong cards in the shoe",
        knows={WHAT: "A card with another back, or of another game"},
    ),
    Row(
        tile=TileName.RUNS_OUT,
        book=BUFFALO,
        case="The shoe runs out one card before the end",
        see="A card is needed, and the shoe is empty",
    ),
    Row(
        tile=TileName.STOPPED,
        book=INSURANCE,
        case="A fifth card drawn on a natural is carried over to the next round",
        see="The table has stopped by itself",
        knows={WHAT: "Nothing is wrong", REASON: "no card was drawn"},
    ),
    Row(
        tile=TileName.INTERRUPTION,
        book=DA_HU,
        case="The power fails after three cards that decide nothing",
        see="The power fails, or the screens go dark",
    ),
    Row(
        tile=TileName.SERVER_AWAY,
        book=SUPER_SIX,
        case="A bet pulled after the close still plays",
        see="Punto was away, and the game went on",
        knows={WHAT: "The cards on the felt are those on record"},
        before=(ReportRestart(*HOUSE, 0, ASKS_AFTER_US),),
    ),
    Row(
        tile=TileName.ENTERED_WRONGLY,
        book=BUFFALO,
        case="A bet pulled after the close still plays",
        see="The record is wrong, and the felt is right",
        knows={WHAT: "Correct a card", "Which card": "eight", "It really is": "9"},
        before=(CorrectCard("sue", Position.PIT_SUPERVISOR, "red", 2, Face("8")),),
        incident=False,
    ),
    Row(
        tile=TileName.LATE_BET,
        book=COMMISSION,
        case="A bet pulled after the close still wins or loses",
        see="A chip is placed, added or pulled after the close",
        knows={"What happened to the chip?": "Pulled", "Which bet?": "Behind box 1, Banker: 30"},
    ),
    Row(
        tile=TileName.UNINSURED,
        book=DA_HU,
        case="Insurance was not offered and would have won: a player who meant to take it gets the bet back",
        see="A card was drawn without offering insurance",
        knows={
            "Which bet was meant to be insured, and would have won?": "Box 1, Banker: 100",
            REASON: "the player had asked for it",
        },
    ),
    Row(
        tile=TileName.WALKS_AWAY,
        book=SUPER_SIX,
        case="The bet of a player who walks away is settled as usual",
        see="A player leaves with chips on the felt",
        knows={"Who?": "Box 1"},
        incident=False,
    ),
    Row(
        tile=TileName.EARLIER_ROUND,
        book=INSURANCE,
        case="An error in an earlier round is found after the next one has started",
        see="A mistake in an earlier round is noticed",
        knows={REASON: "a card was misread"},
    ),
    Row(
        tile=TileName.NOTHING_FITS,
        book=COMMISSION,
        case="Anything else is a shift manager's ruling, without a clause",
        see="None of these: a shift manager rules",
        knows={"What is ruled?": "the round is void", REASON: "no rule covers it"},
    ),
)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with server(str(tmp_path_factory.mktemp("rows") / "floor.db")) as made:
        hire(made, Position.DEALER)
        for position in (Position.PIT_SUPERVISOR, Position.PIT_MANAGER, Position.SHIFT_MANAGER):
            hire(made, position, pin=PIN)
        yield made


def test_every_row_is_there_and_every_book() -> None:
    assert sorted(row.tile for row in ROWS) == sorted({*TileName} - {TileName.RESTORED})
    assert len({row.book for row in ROWS}) == 5


@pytest.mark.parametrize("row", rest_at_night(ROWS, [row for row in ROWS if row.tile in BY_DAY], lambda row: row.tile))
def test_a_row_of_the_page(page: Page, running: Server, row: Row) -> None:
    case = filed(row.book, row.case)
    played = Played(running, row.tile, case)
    for command in row.before:
        played.give(command)
    enrol(page, running, None)
    console = Console(page, running, row.tile)
    console.sign_in(DORA)
    follower = Follower(page, row.see, row.knows, row.wants)
    live = running.floor.table(row.tile)
    follower.start(by_itself=situation(live.rules, live.state).then in (Then.REPORT, Then.UNINSURED))
    follower.follow()
    assert follower.inputs <= MAX_INPUTS
    assert follower.knows == {}, "the screen asked for everything"
    assert bool(follower.incidents) is row.incident
    play_on(console, played.cards)
    ends = played.ends()
    assert {who: ends[who] for who in case.case.ends} == case.case.ends


def test_after_a_backup_the_system_exchanges_the_shoe_by_itself(page: Page, running: Server) -> None:
    case = filed(INSURANCE, "A bet pulled after the close still plays")
    played = Played(running, TileName.RESTORED, case)
    played.give(ExchangeShoe(*HOUSE, "blue", 8))
    console = Console(page, running, TileName.RESTORED)
    console.sign_in(DORA)
    console.press("!")
    page.wait_for_url("**/guide?**")
    expect(page.locator("#tile-restored small")).to_have_text("The system does this by itself.")
    console.press("Escape")
    page.wait_for_url("**/deal")
    play_on(console, ["A", *played.cards])  # the new shoe burns one
    ends = played.ends()
    assert {who: ends[who] for who in case.case.ends} == case.case.ends
