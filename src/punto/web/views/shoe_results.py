"""The results of a shoe so far, told from the journal: what the display board draws its roads from."""

from collections.abc import Iterable, Sequence

from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, event_of, tag, tag_of
from punto.floor.journal.round_record import RoundRecord
from punto.floor.journal.rounds import ROUND_TAGS, RoundFold
from punto.floor.journal.streams import Head
from punto.rules.coup.cards import Card
from punto.rules.coup.space import Winner
from punto.table.records.events import BettingOpened, ShoeLoaded
from punto.table.records.findings import ShoeReplaced

_LETTER = {Winner.BANKER: "B", Winner.PLAYER: "P", Winner.TIE: "T"}
_OPENED = tag(BettingOpened)
_LOADED = frozenset(tag(kind) for kind in (ShoeLoaded, ShoeReplaced))


class ShoeResults:
    """The marks of one table's present shoe, and its last round. Fed with every entry in order."""

    def __init__(self) -> None:
        self.at_us: dict[str, int] = {}
        """When something of a kind that is counted from happened last, by its tag; ``""``: anything."""
        self._earlier: list[str] = []
        """The marks of the rounds of this shoe before the last one."""
        self._last: RoundFold | None = None
        self._new_shoe = False

    @property
    def record(self) -> RoundRecord | None:
        """The last round; None before the first."""
        return self._last.record if self._last else None

    @property
    def written(self) -> tuple[str, ...]:
        """As ``punto roads`` reads them."""
        return (*self._earlier, *_mark(self.record))

    def feed(self, entries: Iterable[Entry]) -> None:
        """What has happened since."""
        for entry in entries:
            kind = tag_of(entry)
            self.at_us[""] = self.at_us[kind] = entry.at_us
            if kind == _OPENED:
                # the board keeps the last shoe until the first round of the next
                self._earlier = [] if self._new_shoe else [*self._earlier, *_mark(self.record)]
                self._last, self._new_shoe = RoundFold(entry), False
            elif kind in _LOADED:
                self._new_shoe = True
            elif self._last is not None and kind in ROUND_TAGS:
                self._last.take(entry, event_of(entry))


def _mark(record: RoundRecord | None) -> tuple[str, ...]:
    """The mark of a round; none while it is in play, or where it is void."""
    if record is None or record.winner is None:
        return ()
    pairs = ("b" if _pair(record.cards, 2, 4) else "") + ("p" if _pair(record.cards, 1, 3) else "")
    return (_LETTER[record.winner] + pairs,)


def _pair(cards: Sequence[Card | None], *places: int) -> bool:
    first, second = (cards[place - 1] for place in places)
    return first is not None and second is not None and first.rank == second.rank


def of_present_shoe(transaction: Transaction, head: Head) -> list[Entry]:
    """The entries from the loading of the present shoe on, or of the one before it where no round was played since."""
    found: list[Entry] = []
    played = False
    for entry in streams.read_back(transaction, head):
        found.append(entry)
        kind = tag_of(entry)
        played = played or kind == _OPENED
        if kind in _LOADED and played:
            break
    return found[::-1]
