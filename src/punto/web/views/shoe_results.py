"""The results of a shoe so far, told from the journal: what the display board draws its roads from."""

from collections.abc import Iterable
from typing import Any

from punto.floor.database.base import Transaction
from punto.floor.journal import streams
from punto.floor.journal.entry import Entry, read_event, tag, tag_of
from punto.floor.journal.streams import Head
from punto.rules.coup.cards import Card
from punto.rules.coup.space import Winner
from punto.table.records.events import BettingOpened, CardTurned, RoundSettled, ShoeLoaded
from punto.table.records.findings import CardOrderRuled, RoundVoided, SettlementReversed, ShoeReplaced

ENTRIES_A_STEP_BACK = 500
"""How many entries are read at once on the way back."""

_LETTER = {Winner.BANKER: "B", Winner.PLAYER: "P", Winner.TIE: "T"}
_TELLING = (BettingOpened, CardTurned, RoundSettled, ShoeLoaded, CardOrderRuled, RoundVoided, ShoeReplaced)
_TAGS = frozenset(tag(kind) for kind in (*_TELLING, SettlementReversed))


class ShoeResults:
    """The marks of one table's present shoe. Fed with every entry in order, it is always up to date."""

    def __init__(self) -> None:
        self.of_shoe: list[tuple[int, str]] = []
        """Round and mark."""
        self.at_us: dict[str, int] = {}
        """When something of a kind that is counted from happened last, by its tag; ``""``: anything."""
        self._cards: dict[int, Card] = {}
        self._round = 0
        self._new_shoe = False

    @property
    def written(self) -> tuple[str, ...]:
        """As ``punto roads`` reads them."""
        return tuple(mark for _, mark in self.of_shoe)

    def feed(self, entries: Iterable[Entry]) -> None:
        """What has happened since."""
        for entry in entries:
            kind = tag_of(entry)
            self.at_us[""] = self.at_us[kind] = entry.at_us
            if kind in _TAGS:
                self._take(read_event(entry.event))

    def _take(self, event: Any) -> None:
        if isinstance(event, BettingOpened):
            if self._new_shoe:
                self.of_shoe, self._new_shoe = [], False
            self._round, self._cards = event.round, {}
        elif isinstance(event, CardTurned):
            self._cards[event.place] = event.card
        elif isinstance(event, CardOrderRuled):
            self._cards = reordered(self._cards, event)
        elif isinstance(event, RoundSettled):
            self.of_shoe.append((self._round, self._mark(event.winner)))
        elif isinstance(event, RoundVoided | SettlementReversed):
            self.of_shoe = [(number, mark) for number, mark in self.of_shoe if number != event.round]
        elif isinstance(event, ShoeLoaded | ShoeReplaced):
            self._new_shoe = True  # the board keeps the last shoe until the first round of the next

    def _mark(self, winner: Winner) -> str:
        return _LETTER[winner] + ("b" if self._pair(2, 4) else "") + ("p" if self._pair(1, 3) else "")

    def _pair(self, first: int, second: int) -> bool:
        one, other = self._cards.get(first), self._cards.get(second)
        return one is not None and other is not None and one.rank == other.rank


def reordered(cards: dict[int, Card], ruled: CardOrderRuled) -> dict[int, Card]:
    """The cards by place after an order was ruled."""
    places = sorted(ruled.order)
    lain = {place: cards[at] for place, at in zip(places, ruled.order, strict=True) if at in cards}
    return {place: card for place, card in cards.items() if place not in places} | lain


def of_present_shoe(transaction: Transaction, head: Head) -> list[Entry]:
    """The entries from the loading of the present shoe on, or of the one before it where no round was played since."""
    found: list[Entry] = []
    at, played = head.version, False
    while at > 0:
        piece = streams.read(transaction, head, max(at - ENTRIES_A_STEP_BACK, 0), min(ENTRIES_A_STEP_BACK, at))
        for index in range(len(piece) - 1, -1, -1):
            kind = tag_of(piece[index])
            played = played or kind == _OPENED
            if kind in _LOADED and played:
                return piece[index:] + found
        found = piece + found
        at -= len(piece)
    return found


_OPENED = tag(BettingOpened)
_LOADED = frozenset(tag(kind) for kind in (ShoeLoaded, ShoeReplaced))
