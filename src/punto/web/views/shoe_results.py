"""The results of a shoe so far, read from the journal. The display board draws its roads from them."""

from collections.abc import Iterable, Sequence

from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, event_of, tag, tag_of
from punto.floor.journal.round_record import RoundRecord
from punto.floor.journal.rounds import ROUND_TAGS, RoundFold
from punto.floor.journal.streams import Head
from punto.rules.coup.cards import Face
from punto.rules.coup.space import Winner
from punto.table.records.events import BettingOpened, ShoeLoaded
from punto.table.records.findings import ShoeExchanged, ShoeReplaced

_LETTER = {Winner.BANKER: "B", Winner.PLAYER: "P", Winner.TIE: "T"}
_OPENED = tag(BettingOpened)
_LOADED = frozenset(tag(kind) for kind in (ShoeLoaded, ShoeReplaced, ShoeExchanged))


class ShoeResults:
    """The marks of one table's current shoe, and its last round. Every entry must be fed in order."""

    def __init__(self) -> None:
        self.at_us: dict[str, int] = {}
        """When an event last happened, by its tag; ``""``: any event."""
        self._earlier: list[str] = []
        """Marks of this shoe's rounds, except the last round."""
        self.before: RoundRecord | None = None
        """The round before the last; None if it is not known."""
        self._last: RoundFold | None = None
        self._new_shoe = False

    @property
    def record(self) -> RoundRecord | None:
        """The last round; None before the first."""
        return self._last.record if self._last else None

    @property
    def marks(self) -> tuple[str, ...]:
        """In the notation that ``punto roads`` reads."""
        return (*self._earlier, *_mark(self.record))

    def feed(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            kind = tag_of(entry)
            self.at_us[""] = self.at_us[kind] = entry.at_us
            if kind == _OPENED:
                # the board shows the previous shoe until the first round of the new one
                self._earlier = [] if self._new_shoe else [*self._earlier, *_mark(self.record)]
                self.before = self.record
                self._last, self._new_shoe = RoundFold(entry), False
            elif kind in _LOADED:
                self._new_shoe = True
            elif self._last is not None and kind in ROUND_TAGS:
                self._last.take(entry, event_of(entry))


def _mark(record: RoundRecord | None) -> tuple[str, ...]:
    """The mark of a round; empty while it is in play, and if it is void."""
    if record is None or record.winner is None:
        return ()
    pairs = ("b" if _pair(record.cards, 2, 4) else "") + ("p" if _pair(record.cards, 1, 3) else "")
    return (_LETTER[record.winner] + pairs,)


def _pair(cards: Sequence[Face | None], *places: int) -> bool:
    first, second = (cards[place - 1] for place in places)
    return first is not None and second is not None and first.rank == second.rank


def entries_of_current_shoe(transaction: Transaction, head: Head) -> list[Entry]:
    """The entries since the current shoe was loaded, or since the one before it if this one has no round yet."""
    entries: list[Entry] = []
    played = False
    for entry in streams.read_back(transaction, head):
        entries.append(entry)
        kind = tag_of(entry)
        played = played or kind == _OPENED
        if kind in _LOADED and played:
            break
    return entries[::-1]
