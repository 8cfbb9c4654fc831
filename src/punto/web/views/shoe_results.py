"""The results on a board so far, read from the journal. The display board draws its roads from them.

A shoe has a board of its own. At a continuous shuffler the board runs on until somebody starts a new one, and shows
the last rounds only.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, event_of, tag, tag_of
from punto.floor.journal.round_record import RoundRecord
from punto.floor.journal.rounds import ROUND_TAGS, RoundFold, restored_by
from punto.floor.journal.streams import Head
from punto.rules.coup.cards import RANKS, Face
from punto.rules.coup.space import Winner
from punto.table.records.correction_events import RoundCancelled
from punto.table.records.events import BettingOpened, BoardStarted, Event, ShoeLoaded
from punto.table.records.findings import ShoeExchanged, ShoeReplaced

_LETTER = {Winner.BANKER: "B", Winner.PLAYER: "P", Winner.TIE: "T"}
_OPENED, _CANCELLED = tag(BettingOpened), tag(RoundCancelled)
_LOADED = frozenset(tag(kind) for kind in (ShoeLoaded, ShoeReplaced, ShoeExchanged))
_STARTED = tag(BoardStarted)
BOARD_ROUNDS = 200
"""More than a shoe has. A board shows its rounds since the last but one that this divides: 200 to 399 of them."""


class ShoeResults:
    """The marks of one table's current board, and its last round. Every entry must be fed in order."""

    def __init__(self) -> None:
        self.at_us: dict[str, int] = {}
        """When an event last happened, by its tag; ``""``: any event."""
        self._earlier: list[_Marked] = []
        """The rounds of this board, except the last round."""
        self.last_of: dict[str, RoundRecord] = {}
        """By player, the last round before this one in which they had a bet, or an amount was moved for them."""
        self._last: RoundFold | None = None
        self._at_call: _AtCall | None = None
        self._new_board = False
        """The next round is the first of a new shoe."""
        self._cleared = False
        """Somebody has started a new board since the last round: nothing is on it yet."""
        self._continuous = True
        """The shoe is a machine: so are the rounds whose shoe was loaded too long ago to be read."""

    @property
    def record(self) -> RoundRecord | None:
        """The last round; None before the first."""
        return self._last.record if self._last else None

    @property
    def marks(self) -> tuple[str, ...]:
        """In the notation that ``punto roads`` reads."""
        return tuple(each.mark for each in self._shown())

    @property
    def naturals(self) -> int:
        """In how many of these rounds either hand had a natural."""
        return sum(each.natural for each in self._shown())

    @property
    def of_shoe_before(self) -> bool:
        """Another shoe is on the table, and no round has been called since."""
        return self._new_board

    def feed(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            kind = tag_of(entry)
            self.at_us[""] = self.at_us[kind] = entry.at_us
            if kind == _OPENED:
                # the board shows the previous shoe until the first round of the new one
                starts = self._new_board or self._cleared
                self._at_call = _AtCall(self._last, self.last_of, self._earlier, self._new_board, self._cleared)
                self._earlier = [] if starts else [*self._earlier, *self._marked()]
                self._remember(self.record)
                self._last, self._new_board, self._cleared = RoundFold(entry), False, False
                first = first_shown(self._last.record.number)
                self._earlier = [each for each in self._earlier if each.round >= first]
            elif kind in _LOADED:
                machine = _is_machine(event_of(entry))
                self._new_board, self._continuous = not (machine and self._continuous) or self._new_board, machine
            elif kind == _STARTED:
                self._cleared = True
            elif self._last is not None and kind in ROUND_TAGS:
                event = event_of(entry)
                self._last.take(entry, event)
                if restored_by(event) is not None and self._at_call is not None:
                    self._last, self.last_of, self._earlier, self._new_board, self._cleared = self._at_call
                    self._at_call = None

    def _remember(self, before: RoundRecord | None) -> None:
        if before is not None and before.over:
            people = {bet.who for bet in before.bets} | {moved.who for moved in before.adjustments}
            self.last_of = {**self.last_of, **dict.fromkeys(people, before)}

    def _shown(self) -> list["_Marked"]:
        return [] if self._cleared else [*self._earlier, *self._marked()]

    def _marked(self) -> list["_Marked"]:
        record = self.record
        if record is None:
            return []
        return [_Marked(record.number, mark, _natural(record.cards)) for mark in _mark(record)]


class _AtCall(NamedTuple):
    """The board and its last rounds before a call for bets, which gives them back if it is cancelled."""

    last: RoundFold | None
    last_of: dict[str, RoundRecord]
    earlier: list["_Marked"]
    new_board: bool
    cleared: bool


class _Marked(NamedTuple):
    """A round with a result."""

    round: int
    mark: str
    natural: bool


def first_shown(number: int) -> int:
    """The first round that a board can still show in round ``number``.

    >>> first_shown(399), first_shown(400)
    (0, 200)
    """
    return max(number // BOARD_ROUNDS - 1, 0) * BOARD_ROUNDS


def _is_machine(event: Event) -> bool:
    return isinstance(event, ShoeLoaded | ShoeReplaced | ShoeExchanged) and event.continuous is not None


def _mark(record: RoundRecord | None) -> tuple[str, ...]:
    """The mark of a round; empty while it is in play, and if it is void."""
    if record is None or record.winner is None:
        return ()
    pairs = ("b" if _pair(record.cards, 2, 4) else "") + ("p" if _pair(record.cards, 1, 3) else "")
    return (_LETTER[record.winner] + pairs,)


def _pair(cards: Sequence[Face | None], *places: int) -> bool:
    first, second = (cards[place - 1] for place in places)
    return first is not None and second is not None and first.rank == second.rank


def _natural(cards: Sequence[Face | None]) -> bool:
    """Whether either hand has 8 or 9 on its first two cards.

    >>> _natural([Face("9"), Face("2"), Face("K"), Face("3")]), _natural([Face("7"), Face("2"), Face("T"), Face("3")])
    (True, False)
    """
    faces = [face for face in cards[:4] if face is not None]
    values = [min(RANKS.index(face.rank) + 1, 10) for face in faces]
    return len(faces) == 4 and any(sum(values[first::2]) % 10 >= 8 for first in (0, 1))


def entries_of_board(transaction: Transaction, head: Head) -> list[Entry]:
    """The entries of the current board, or of the one before it if this one has no round yet."""
    entries: list[Entry] = []
    first: int | None = None
    given_back = False
    for entry in streams.read_back(transaction, head):
        entries.append(entry)
        kind = tag_of(entry)
        if kind == _CANCELLED:
            given_back = restored_by(event_of(entry)) is not None
        elif kind == _OPENED and given_back:  # its board is that of the round before
            given_back = False
        elif kind == _OPENED:
            number = round_of(entry)
            first = first_shown(number) if first is None else first
            if number <= first:
                break
        starts = kind == _STARTED or (kind in _LOADED and not _is_machine(event_of(entry)))
        if starts and first is not None:
            break
    return entries[::-1]


def round_of(call: Entry) -> int:
    opened = event_of(call)
    return opened.round if isinstance(opened, BettingOpened) else 0
