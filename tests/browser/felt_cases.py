"""Irregularity cases at felt tables: played up to what goes wrong, and finished at the console."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from punto.floor.running.table_setup import TableSetup
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.rules.coup.cards import Face
from punto.rules.money import write_amount
from punto.table.records import reports
from punto.table.records.commands import (
    BuyIn,
    Command,
    DealCard,
    Leave,
    OpenTable,
    Sit,
    StandBehind,
    TurnCard,
)
from punto.table.records.positions import Position
from tests.browser.console import Console
from tests.cases.irregularity_files import Filed, all_irregularities
from tests.cases.playing import STAFF, opening, steps
from tests.floor.playing import MANAGER
from tests.golden.script import lines_of
from tests.golden.words import read_command
from tests.web.serving import Server

PLACES = {"ann": "box 1", "ben": "box 2", "cat": "box 3", "dan": "behind box 1"}
"""At a felt table nobody has a name."""
_OTHER_MOMENT = """([name, at]) =>
  document.body.dataset.name !== name || document.getElementById("moment").textContent !== at"""


def filed(book: str, case: str) -> Filed:
    return next(each for each in all_irregularities() if each.book == book and each.case.name == case)


class Played:
    """A felt table where a case has come to the moment in which somebody sees that something is wrong."""

    def __init__(self, running: Server, name: str, case: Filed) -> None:
        self.running, self.name = running, name
        self._brought: dict[int, Mapping[str, int]] = {}
        running.run(running.floor.create_table(MANAGER, TableSetup(name, case.book, ShoeKind.MANUAL)))
        for line in lines_of("\n".join(opening(case))):
            self._give(line)
        self._start = self._chips()
        lines = [line for line in lines_of("\n".join(steps(case.case))) if not _is_refused(line)]
        told = next((at for at, line in enumerate(lines) if _is_told(line)), len(lines))
        for line in lines[:told]:
            self._give(line)
        self.cards = list(_cards(lines[told:]))
        """The ranks that are still to be seen, in the order in which the console asks for them."""

    def _give(self, line: str) -> None:
        command = _command(line)
        if not isinstance(command, BuyIn | Sit | StandBehind):
            self.give(_at_the_felt(command))

    def give(self, command: Command) -> None:
        """Give a command, which has to be accepted."""
        floor = self.running.floor
        answer = self.running.run(floor.give(floor.table(self.name), f"case {self.running.next_id()}", command))
        assert answer.refusal is None, (command, answer.refusal)
        self._chips()

    def _chips(self) -> dict[str, int]:
        """What everybody has won; chips that were brought from elsewhere are no gain."""
        state = self.running.floor.table(self.name).state
        if state.round is not None:
            self._brought[state.round.number] = state.round.brought
        return {
            who: state.chips_minor(place) - sum(each.get(place, 0) for each in self._brought.values())
            for who, place in PLACES.items()
        }

    def ends(self) -> dict[str, str]:
        """What everybody has won since the case began, written as in its file."""
        now = self._chips()
        changes = {who: now[who] - self._start[who] for who in PLACES}
        return {who: f"{'+' if minor > 0 else ''}{write_amount(minor)}" for who, minor in changes.items()}


def _is_refused(line: str) -> bool:
    return " -- " in line and " -- raises" not in line


def _is_told(line: str) -> bool:
    """Whether people tell it to the guide: a report, or a player who walks away."""
    command = _command(line)
    return type(command).__module__ == reports.__name__ or isinstance(command, Leave)


def _command(line: str) -> Command:
    return read_command(line.partition(" -- ")[0], STAFF)


def _cards(lines: list[str]) -> Iterator[str]:
    """Dealt cards as they come; of cards that lie face down, Player's are turned first."""
    commands = [_command(line) for line in lines]
    turned = [each for each in commands if isinstance(each, TurnCard)]
    dealt = [each for each in commands if isinstance(each, DealCard)]
    turned.sort(key=lambda turn: (turn.place % 2 == 0, turn.place))
    for card in (*(each.card for each in dealt), *(each.card for each in turned)):
        if card is not None:
            yield str(card)[0]


def _at_the_felt(command: Command) -> Command:
    """As the dealer records it: places instead of people, ranks instead of cards."""
    changes: dict[str, object] = {}
    if command.by in PLACES:
        changes |= {"by": "dora", "position": Position.DEALER}
    who = getattr(command, "who", None)
    if who in PLACES:
        changes["who"] = PLACES[who]
    if isinstance(card := getattr(command, "card", None), str):
        changes["card"] = Face(card[0])
    if isinstance(command, OpenTable):
        changes["settings"] = replace(command.settings, observing=True, faces_by_rank=True)
    return replace(command, **changes)


def play_on(console: Console, cards: list[str]) -> None:
    """Do what the console says until the round is over."""
    page, cards = console.page, list(cards)
    while not console.round.over or console.moment in ("settlement", "void"):
        console.synced()
        before = (console.moment, page.locator("#moment").text_content())
        step = page.locator("#now .moment:visible .step").first
        if step.locator(".card-wanted").count():
            console.press(cards.pop(0))
        else:
            console.press("Shift+Space" if console.moment == "settlement" else "Space")
        page.wait_for_function(_OTHER_MOMENT, arg=before)
    assert not cards
