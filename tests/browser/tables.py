"""A server with a table whose cards the test chooses, and people who use it with a browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from punto.floor.people.accounts.accounts import THE_CONSOLE
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.table_setup import Pace, TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book
from punto.rules.coup.coup import Coup
from punto.rules.topics import Topic
from punto.table.play.insuring import due_offer
from punto.table.records.state import Round, Table
from punto.web.views.cursors import write_cursor
from tests.floor.nights import SID
from tests.floor.playing import AT_ONCE, DEALER, MANAGER, SUPERVISOR, At, player
from tests.web.serving import Server, server

NAME = "Orchid"
PLAY_MONEY_MINOR = 10_000_00
MINIMUM_MINOR, MAXIMUM_MINOR = 25_00, 5_000_00
LAYOUTS = {
    "commission": ("C", 7),
    "commission-insurance": ("E", 7),
    "super-six-plus": ("D", 7),
    "da-hu-ying-xiong": ("A", 6),
    "tiger-buffalo": ("A", 6),
}
"""Layout and number of boxes of each game's table."""
BANKER_WINS, PLAYER_WINS, TIE = "2s 9d Kh Kc", "9s 2d Kh Kc", "9s 9d Kh Kc"
BANKER_INSURED = "Ks 2d Kh 3c"
"""Player 0, Banker 5: if the book has insurance, Banker is insured after four cards."""


class Felt:
    """A table whose dealer is the test."""

    def __init__(self, running: Server, game: str, name: str = NAME, ids: str = "dealer") -> None:
        self.running, self.game, self.name = running, game, name
        self._at = At(running.floor, name, f"{name}-{ids}")

    @property
    def state(self) -> Table:
        return self.running.floor.tables[self.name].state

    @property
    def round(self) -> Round:
        assert self.state.round is not None
        return self.state.round

    @property
    def cursor(self) -> str:
        """How far the table has come, as its pages say it."""
        live = self.running.floor.tables[self.name]
        return write_cursor(live.openings, live.head.version if live.head else 0)

    @property
    def address(self) -> str:
        return f"{self.running.url}/tables/{self.name}"

    def deal(self, *commands: tuple[str, dict[str, Any]]) -> None:
        """Give commands as the dealer. They must be accepted."""
        for command, fields in commands:
            self.running.run(self._at.do(DEALER, command, **fields))

    def pit(self, command: str, **fields: Any) -> None:
        """Give a command as the pit supervisor. It must be accepted."""
        self.running.run(self._at.do(SUPERVISOR, command, **fields))

    def shift_manager(self, command: str, **fields: Any) -> None:
        """Give a command as the shift manager. It must be accepted."""
        self.running.run(self._at.do(SID, command, **fields))

    def seat(self, name: str, box: int) -> None:
        """Seat a player with chips, without a browser."""
        self.deal(("buy_in", {"who": name, "amount_minor": PLAY_MONEY_MINOR}))
        self.running.run(self._at.do(player(name), "sit", who=name, box=box))

    def bet(self, name: str, box: int, bet: str, stake_minor: int) -> None:
        """Place a bet, without a browser."""
        answer = self.running.run(self._at.bet(name, stake_minor, box=box, bet=bet))
        assert answer.refusal is None, answer.refusal

    def open_betting(self) -> None:
        self.deal(("open_betting", {}))

    def cards(self, written: str) -> None:
        """Deal these cards face up."""
        for card in written.split():
            self.deal(("deal_card", {"card": card}))

    def play(self, written: str) -> None:
        """Close betting, deal these cards and settle. Insurance is offered and closed without being taken."""
        self.deal(("close_betting", {}))
        for card in written.split():
            self.pass_insurance()
            self.cards(card)
        self.deal(("settle", {}))

    def finish(self) -> None:
        """Deal sixes until the coup is finished, and settle. No insurance is taken."""
        while not self.coup.finished:
            self.pass_insurance()
            self.cards("6s")
        self.deal(("settle", {}))

    @property
    def coup(self) -> Coup:
        """The coup of the cards on the table, all face up."""
        return Coup.of(book(self.game).space, self.round.cards)

    def pass_insurance(self) -> None:
        if due_offer(book(self.game), self.state, self.coup):
            self.deal(("open_insurance", {}), ("close_insurance", {}))


def add_table(
    running: Server,
    game: str,
    name: str = NAME,
    shoes: ShoeKind = ShoeKind.MANUAL,
    pace: Pace = AT_ONCE,
    **changes: Any,
) -> Felt:
    """Add an open table of a game, with a shoe."""
    layout, boxes = LAYOUTS[game]
    settings: dict[str, Any] = {
        "layout": layout,
        "boxes": boxes,
        "main": {"min_minor": MINIMUM_MINOR, "max_minor": MAXIMUM_MINOR},
        "side": {"min_minor": 5_00, "max_minor": 500_00},
        "burn": False,
        **({"differential_minor": MAXIMUM_MINOR} if book(game).topics[Topic.LIMITS_DISPLAYED] else {}),
        **changes,
    }
    setup = TableSetup(name, game, shoes, pace=pace, seed="7" if shoes is ShoeKind.SEEDED else "")
    running.run(running.floor.create_table(MANAGER, setup))
    made = Felt(running, game, name)
    asked_by = {"no_insurance_asked_by": "box 1"} if settings.get("no_insurance") else {}
    made.pit("open_table", settings=settings, float_minor=10_000_000_00, **asked_by)
    made.pit("load_shoe", shoe="the first" if name == NAME else f"{name} 1", decks=book(game).decks.most)
    return made


def let_visitors_in(running: Server, *tables: str) -> None:
    """Let visitors in, with play money at these tables."""
    rules = FloorRules(visitors=True, buy_in_minor=PLAY_MONEY_MINOR, buy_ins=2, tables=tables)
    running.run(running.service.visitors.change_rules(THE_CONSOLE, rules))
    running.service.floor_view.refresh()


@contextmanager
def felt(directory: Path, game: str, pace: Pace = AT_ONCE, *, odds: bool = True, **changes: Any) -> Iterator[Felt]:
    """A server with one table of a game, where visitors get play money."""
    with server(str(directory / "floor.db"), odds=odds) as running:
        made = add_table(running, game, pace=pace, **changes)
        let_visitors_in(running, NAME)
        yield made


@contextmanager
def felt_again(directory: Path, game: str) -> Iterator[Felt]:
    """The same floor, restarted at another address."""
    with server(str(directory / "floor.db")) as running:
        yield Felt(running, game, ids="dealer-again")


def come_in(page: Page, felt: Felt, name: str) -> None:
    """Enter as a visitor in this browser, and open the page of the table."""
    answer = page.context.request.post(f"{felt.running.url}/api/visit", data={"name": name})
    assert answer.ok, answer.text()
    page.goto(felt.address)


def choose_language(page: Page, language: str) -> None:
    """Tap a language in the bar. The page comes again, and is ready to be used."""
    page.locator(f".tongue a[lang={language}]").first.click()
    expect(page.locator("html")).to_have_attribute("lang", {"en": "en", "zh": "zh-Hans"}[language])
    page.wait_for_load_state()


def synced(page: Page, felt: Felt) -> None:
    """Wait until the page shows the table as it is on the server."""
    expect(page.locator("#at")).to_have_text(felt.cursor)


def sit(page: Page, box: int) -> None:
    """Sit, with the play money of the table."""
    page.locator(f"[data-sit='{box}']").click()
    page.wait_for_selector(f".areas[data-box='{box}']")


def bet(page: Page, name: str, chip: int, times: int = 1) -> None:
    """Put this many chips on a bet, one after another. Each is confirmed before the next."""
    page.wait_for_selector("body:not([data-away]) fieldset.tray:not(.shut)")
    page.locator(f"input[name=chip][value='{chip}']").check()
    for time in range(1, times + 1):
        page.locator(f".area[data-bet={name}]:not([aria-disabled=true])").click()
        page.wait_for_selector(f".area[data-bet={name}][data-stake='{chip * time}']:not([data-pending])")


def minor(text: str) -> int:
    """Parse an amount on a page, into the smallest unit."""
    sign = -1 if text.startswith("\N{MINUS SIGN}") else 1
    whole, _, cents = text.lstrip("+\N{MINUS SIGN}").replace(",", "").partition(".")
    return sign * (int(whole) * 100 + int(cents.ljust(2, "0") if cents else 0))
