"""What the house has on record: which streams there are and how they ended, which tables, which shoes."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from punto.floor.audit.faults import Wrong, faulty
from punto.floor.audit.hash_chain import Link, Told, walk
from punto.floor.database.base import Database
from punto.floor.journal.house_events import (
    HOUSE,
    AccountCreated,
    FloorRulesChanged,
    HouseEvent,
    PositionAssigned,
    ShoeRevealed,
    ShoeSealed,
    StreamClosed,
    StreamOpened,
    TableCreated,
    read_house_event,
)
from punto.floor.journal.stream_name import StreamName
from punto.floor.journal.streams import Head
from punto.floor.shoes.sealed import commitment
from punto.rules.coup.cards import Card, read_cards
from punto.rules.refusals import Refused


class Sealed(Struct, frozen=True):
    """A shoe that was sealed, where that stands, and once it is revealed its order."""

    event: ShoeSealed
    version: int
    key: int
    order: tuple[Card, ...] | None = None


class HouseRecord:
    """What the house's stream says, held against itself."""

    def __init__(self) -> None:
        self.created: dict[str, TableCreated] = {}
        self.opened: dict[str, int] = {}
        """The streams, and the entries that say so."""
        self.closed: dict[str, StreamClosed] = {}
        self.closed_at: dict[str, int] = {}
        self.shoes: dict[str, Sealed] = {}
        self.held: dict[str, str] = {}
        """The accounts, and the position that was last assigned to each."""
        self.rules: dict[str, Any] | None = None
        """For visitors, as they were last decided on."""

    def read(self, database: Database, head: Head, told: Told, seen: Callable[[Link], None]) -> None:
        """All of the stream; stops with the first entry that cannot be."""
        for link in walk(database, head, told):
            seen(link)
            version = link.entry.version
            if link.entry.law or link.entry.command:
                raise faulty(HOUSE, version, Wrong.NOT_AN_ENTRY, "the house applies no law and is given no commands")
            try:
                event = read_house_event(link.entry.event)
            except msgspec.MsgspecError as error:
                words = f"this is no event of the house: {error}"
                raise faulty(HOUSE, version, Wrong.DOES_NOT_REPLAY, words) from error
            self._take(link, event)

    def _take(self, link: Link, event: HouseEvent) -> None:
        taken: dict[type[HouseEvent], Callable[[Link, Any], None]] = {
            TableCreated: self._created,
            StreamOpened: self._opened,
            StreamClosed: self._closed,
            ShoeSealed: self._sealed,
            ShoeRevealed: self._revealed,
            AccountCreated: self._assigned,
            PositionAssigned: self._assigned,
            FloorRulesChanged: self._changed,
        }
        if (take := taken.get(type(event))) is not None:
            take(link, event)

    def _created(self, link: Link, event: TableCreated) -> None:
        _require(link, event.table not in self.created, Wrong.TABLE_DIFFERS, f"{event.table!r} was created before")
        self.created[event.table] = event

    def _assigned(self, link: Link, event: AccountCreated | PositionAssigned) -> None:
        new = isinstance(event, AccountCreated)
        words = f"the account {event.name!r} {'was created before' if new else 'was never created'}"
        _require(link, new is (event.name not in self.held), Wrong.ACCOUNT_DIFFERS, words)
        self.held[event.name] = event.position

    def _changed(self, _: Link, event: FloorRulesChanged) -> None:
        self.rules = {**msgspec.structs.asdict(event), "tables": list(event.tables)}

    def _opened(self, link: Link, event: StreamOpened) -> None:
        name = StreamName.find(event.stream)
        known = event.table in self.created and event.stream not in self.opened
        could = name is not None and (name.opening == 1 or str(name.at(name.opening - 1)) in self.closed)
        words = f"{event.stream!r} cannot have been opened now"
        ours = name is not None and name.table == event.table
        _require(link, known and ours and could, Wrong.STREAM_UNKNOWN, words)
        self.opened[event.stream] = link.entry.version

    def _closed(self, link: Link, event: StreamClosed) -> None:
        could = event.stream in self.opened and event.stream not in self.closed
        _require(link, could, Wrong.CLOSING_DIFFERS, f"{event.stream!r} was not open")
        self.closed[event.stream] = event
        self.closed_at[event.stream] = link.entry.version

    def _sealed(self, link: Link, event: ShoeSealed) -> None:
        known = event.table in self.created and event.shoe not in self.shoes
        words = f"the shoe {event.shoe!r} cannot have been sealed now"
        _require(link, known and event.stream in self.opened, Wrong.SHOE_NOT_SEALED, words)
        self.shoes[event.shoe] = Sealed(event, link.entry.version, link.key)

    def _revealed(self, link: Link, event: ShoeRevealed) -> None:
        sealed = self.shoes.get(event.shoe)
        if sealed is None or sealed.order is not None:
            words = f"the shoe {event.shoe!r} was not sealed, or was revealed before"
            raise faulty(HOUSE, link.entry.version, Wrong.SHOE_NOT_SEALED, words)
        order = checked_order(sealed.event, event.nonce, event.cards)
        if order is None:
            words = f"what is revealed of the shoe {event.shoe!r} is not what was committed to"
            raise faulty(HOUSE, link.entry.version, Wrong.COMMITMENT_DIFFERS, words)
        self.shoes[event.shoe] = msgspec.structs.replace(sealed, order=order)


def _require(link: Link, holds: bool, code: Wrong, words: str) -> None:  # noqa: FBT001 - reads as a sentence
    if not holds:
        raise faulty(HOUSE, link.entry.version, code, words)


def checked_order(sealed: ShoeSealed, nonce: str, cards: str) -> tuple[Card, ...] | None:
    """The order of a shoe, if it is the one committed to and of whole decks; None if not."""
    if commitment(nonce, cards) != sealed.commitment:
        return None
    try:
        order = tuple(card for card in read_cards(cards) if card is not None)
    except Refused:
        return None
    return order if Counter(order) == dict.fromkeys(Card, sealed.decks) else None
