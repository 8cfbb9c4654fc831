"""The marks of a shoe from the journal, compared with the marks from the states of the table."""

from collections.abc import Callable
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from msgspec import to_builtins

from punto.floor.database.base import Database
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, read_event
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.streams import Head
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.library import book, book_ids
from punto.rules.coup.coup import Hand
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table import evolve
from punto.table.decision import coup_of
from punto.table.records.events import BettingOpened, BoardStarted, ShoeLoaded, TableOpened
from punto.table.records.findings import ShoeExchanged, ShoeReplaced
from punto.table.records.state import Table
from punto.web.views import shoe_results
from punto.web.views.shoe_results import ShoeResults, entries_of_board
from tests.floor.journals import random_history
from tests.floor.nights import DORA, MAX, SUE, Night, opened, small, troubled
from tests.floor.nights import night as run_night


class Board:
    """The board of one opening, made from the state of the table after every event."""

    def __init__(self, rules: Rulebook) -> None:
        self._rules = rules
        self._state = Table()
        self._shoe = 0
        self._machine = False
        self._rounds: dict[int, tuple[int, str]] = {}
        """For each round: the number of its board, counted from 1, and its mark."""
        self._shown = 0
        """The number of the board on the screens: a new shoe's board is shown from its first round."""

    def take(self, entry: Entry) -> None:
        event = read_event(entry.event)
        self._state = evolve(self._state, event)
        if isinstance(event, ShoeLoaded | ShoeReplaced | ShoeExchanged):
            runs_on, self._machine = self._machine and event.continuous is not None, event.continuous is not None
            self._shoe += not runs_on
        now = self._state.round
        if isinstance(event, BoardStarted):
            self._shoe += 1
            self._shown = self._shoe
        if isinstance(event, BettingOpened):
            self._shown = self._shoe
            self._rounds[event.round] = (self._shoe, "")
        elif now is not None:
            self._rounds[now.number] = (self._rounds[now.number][0], self._mark() if now.settled else "")

    def _mark(self) -> str:
        coup = coup_of(self._rules, self._state)
        assert coup.winner is not None
        pairs = [letter for letter, side in (("b", Side.BANKER), ("p", Side.PLAYER)) if _pair(coup.hand(side))]
        return str(coup.winner)[0].upper() + "".join(pairs)

    @property
    def marks(self) -> tuple[str, ...]:
        """Marks of the board on the screens, as far back as a board goes."""
        newest, size = max(self._rounds, default=0), shoe_results.BOARD_ROUNDS
        first = newest - newest % size - size
        return tuple(mark for at, (shoe, mark) in self._rounds.items() if shoe == self._shown and mark and at >= first)


def _pair(hand: Hand) -> bool:
    first, second = hand.cards[:2]
    return first is not None and second is not None and first.rank == second.rank


class Compared:
    """Compares ShoeResults with the board at every table of a database."""

    def __init__(self, url: str) -> None:
        self.most = 0
        self.boards: list[tuple[str, ...]] = []
        with opened(url) as database:
            for stream, head in database.reading(streams.heads).result().items():
                if stream != HOUSE:
                    self._compare(database, head)

    def _compare(self, database: Database, head: Head) -> None:
        entries = list(streams.read_all(database, head))
        first = read_event(entries[0].event)
        assert isinstance(first, TableOpened)
        marks, board = ShoeResults(), Board(book(first.book))
        for entry in entries:
            marks.feed([entry])
            board.take(entry)
            assert marks.marks == board.marks, (entry.stream, entry.version)
            self.boards.append(board.marks)
        rebuilt = ShoeResults()
        rebuilt.feed(database.reading(lambda transaction: entries_of_board(transaction, head)).result())
        assert rebuilt.marks == marks.marks
        assert rebuilt.at_us[""] == marks.at_us[""]
        self.most = max(self.most, *map(len, self.boards))


def test_marks_of_the_golden_evenings(golden_db: str) -> None:
    assert Compared(golden_db).most > 1


@pytest.mark.parametrize("night", [small, troubled])
def test_marks_of_nights(tmp_path: Path, night: Callable[[str], None]) -> None:
    url = str(tmp_path / "floor.db")
    night(url)
    compared = Compared(url)
    assert compared.most > 1
    fewer = [len(after) < len(before) for before, after in pairwise(compared.boards)]
    assert any(fewer)  # a round was voided after it was settled, or a new shoe was started


@pytest.mark.sweep
@pytest.mark.parametrize("game", book_ids())
def test_marks_of_random_histories(tmp_path: Path, game: str) -> None:
    random_history(str(tmp_path / "floor.db"), game)
    assert Compared(str(tmp_path / "floor.db")).most > 10


def test_a_piece_of_the_way_back_may_end_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = str(tmp_path / "floor.db")
    small(url)
    for piece in (1, 2, 7, 30):
        monkeypatch.setattr("punto.floor.journal.streams.ENTRIES_A_STEP_BACK", piece)
        assert Compared(url).most > 1


def at_machines(url: str) -> None:
    """Twelve rounds; a new board starts after the fifth, another machine comes after the seventh, a shoe at last."""

    async def play(night: Night) -> None:
        await night.table("m", shoes=ShoeKind.MANUAL, automations=(), burn=False, continuous={})
        await night.do(SUE, "m", "load_shoe.1", shoe="m1", decks=8)
        for number in range(1, 13):
            if number == 6:
                await night.do(SUE, "m", "start_board.1")
            if number == 12:
                settings = {**to_builtins(night.live("m").state.settings), "continuous": None}
                await night.do(SUE, "m", "change_settings.1", settings=settings)
            if number in (8, 12):
                await night.do(SUE, "m", "load_shoe.1", shoe=f"m{number}", decks=8)
            await night.do(DORA, "m", "open_betting.1")
            await night.do(DORA, "m", "close_betting.1")
            for card in ("9s", "2d", "Kh", "3c"):
                await night.do(DORA, "m", "deal_card.1", card=card)
            await night.do(DORA, "m", "settle.1")

    run_night(url, play)


def test_the_board_of_a_machine_runs_until_somebody_starts_a_new_one(tmp_path: Path) -> None:
    url = str(tmp_path / "floor.db")
    at_machines(url)
    lengths = [len(board) for board in Compared(url).boards]
    assert (max(lengths), lengths[-1]) == (6, 1)
    assert sorted(set(lengths)) == [0, 1, 2, 3, 4, 5, 6]


def test_a_new_board_is_empty_at_once(tmp_path: Path) -> None:
    """And stays so if the last round is settled again, which belongs to the board before."""

    async def play(night: Night) -> None:
        await night.table("m", shoes=ShoeKind.MANUAL, automations=(), observing=True, burn=False, continuous={})
        await night.do(SUE, "m", "load_shoe.1", shoe="m1", decks=8)
        for _ in range(2):
            await night.do(DORA, "m", "open_betting.1")
            await night.do(DORA, "m", "close_betting.1")
            for card in ("9s", "2d", "Kh", "3c"):
                await night.do(DORA, "m", "deal_card.1", card=card)
            await night.do(DORA, "m", "settle.1")
        await night.do(SUE, "m", "start_board.1")
        await night.do(MAX, "m", "correct_card.1", shoe="m1", draw=4, card="8s", reason="camera")

    url = str(tmp_path / "floor.db")
    run_night(url, play)
    boards = [board for board, _ in groupby(Compared(url).boards)]
    assert boards == [(), ("P",), ("P", "P"), ()]


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_board_does_not_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rounds: int) -> None:
    monkeypatch.setattr(shoe_results, "BOARD_ROUNDS", rounds)
    url = str(tmp_path / "floor.db")
    at_machines(url)
    assert Compared(url).most == 2 * rounds
