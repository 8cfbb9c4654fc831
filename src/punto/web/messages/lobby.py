"""The list of tables, and the request to add one."""

from punto.floor.running.table_setup import Pace
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.table.records.settings import Settings
from punto.table.records.state import Phase
from punto.web.messages.base import Message, RequestBody


class LobbyTable(Message, frozen=True):
    """One table in the list of tables."""

    table: str
    book: str
    title: str
    """Of the book."""
    phase: Phase
    shoes: ShoeKind
    settings: Settings | None
    taken: tuple[int, ...]
    """Boxes that are taken."""
    round: int | None
    marks: tuple[str, ...]
    play_money_minor: int | None
    """How much play money a visitor gets here; None if the table is not for play money."""
    table_title: str
    """What pages call the table: its name until somebody gives it a title."""


class Lobby(Message, frozen=True):
    """All tables of the floor, and whether visitors may enter."""

    tables: tuple[LobbyTable, ...]
    visitors: bool
    not_shown: tuple[str, ...] = ()
    """Tables that cannot be shown, because of a fault that the server has logged."""


class TitleRequest(RequestBody, frozen=True):
    """What to call a table; empty for its name."""

    title: str


class TableRequest(RequestBody, frozen=True):
    """A table to add. Without `decks`, the shoe has as many decks as the book allows."""

    name: str
    book: str
    shoes: ShoeKind = ShoeKind.VIRTUAL
    decks: int | None = None
    pace: Pace = Pace()
    seed: str = ""
