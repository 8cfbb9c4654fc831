"""A screen for each table, made when somebody first looks and kept for all who look after him."""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from punto.web.showing import Showing, Showings


class OfTable(Protocol):
    """A screen that shows one table."""

    showing: Showing


S = TypeVar("S", bound=OfTable)


class ByTable(Generic[S]):
    """The screens of one kind."""

    def __init__(self, showings: Showings, make: Callable[[Showing], S]) -> None:
        self._showings, self._make = showings, make
        self._known: dict[str, S] = {}

    async def of(self, table: str) -> S:
        """A table's; refused where there is no such table."""
        showing = await self._showings.of(table)
        screen = self._known.get(table)
        if screen is None or screen.showing is not showing:
            screen = self._known[table] = self._make(showing)
        return screen
