"""All tables of the floor, and one more."""

from punto.floor.running.table_setup import Pace
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.settings import Settings
from punto.table.records.state import Phase
from punto.web.messages.base import Message, RequestBody


class LobbyTable(Message, frozen=True):
    """A table in the list of tables."""

    table: str
    book: str
    title: str
    phase: Phase
    shoes: ShoeKind
    settings: Settings | None
    taken: tuple[int, ...]
    """The boxes at which somebody sits."""
    round: int | None
    marks: tuple[str, ...]
    play_money_minor: int | None
    """What a visitor gets to play with there; None: nothing."""


class Lobby(Message, frozen=True):
    """All tables."""

    tables: tuple[LobbyTable, ...]
    visitors: bool


class TableAsked(RequestBody, frozen=True):
    """A further table."""

    name: str
    book: str
    shoes: ShoeKind = ShoeKind.VIRTUAL
    decks: int | None = None
    """None: as many as the book allows."""
    pace: Pace = Pace()
    seed: str = ""
