"""The marks of a shoe from the journal, compared with the marks from the states of the table."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from punto.floor.database.base import Database
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, read_event
from punto.floor.journal.house_events import HOUSE
from punto.floor.journal.streams import Head
from punto.library import book, book_ids
from punto.rules.coup.coup import Hand
from punto.rules.coup.table_of_play import Side
from punto.rules.rulebook import Rulebook
from punto.table import evolve
from punto.table.decision import coup_of
from punto.table.records.events import BettingOpened, ShoeLoaded, TableOpened
from punto.table.records.findings import ShoeExchanged, ShoeReplaced
from punto.table.records.state import Table
from punto.web.views.shoe_results import ShoeResults, entries_of_current_shoe
from tests.floor.journals import random_history
from tests.floor.nights import opened, small, troubled


class Board:
    """The board of one opening, made from the state of the table after every event."""

    def __init__(self, rules: Rulebook) -> None:
        self._rules = rules
        self._state = Table()
        self._shoe = 0
        self._rounds: dict[int, tuple[int, str]] = {}
        """For each round: the number of its shoe, counted from 1, and its mark."""

    def take(self, entry: Entry) -> None:
        event = read_event(entry.event)
        self._state = evolve(self._state, event)
        self._shoe += isinstance(event, ShoeLoaded | ShoeReplaced | ShoeExchanged)
        now = self._state.round
        if isinstance(event, BettingOpened):
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
        """Marks of the last round's shoe."""
        last = self._rounds[max(self._rounds)][0] if self._rounds else 0
        return tuple(mark for shoe, mark in self._rounds.values() if shoe == last and mark)


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
        rebuilt.feed(database.reading(lambda transaction: entries_of_current_shoe(transaction, head)).result())
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
