"""A screen for each table, made when somebody first looks and kept for all who look after him."""

from collections.abc import Callable, Mapping
from typing import Generic, Protocol, TypeVar

from punto.floor.running.floor import Actor
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Language
from punto.web.pages.live.floor_signal import Changed
from punto.web.views.table_cache import Showing, Showings
from punto.web.views.visibility import Sight


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


class SameForAll:
    """A screen that is the same for everybody, so its pieces are drawn once a language while the table stands."""

    def __init__(self, showing: Showing) -> None:
        self.showing = showing
        self._kept: dict[Language, tuple[tuple[int, int], dict[str, str]]] = {}

    def changed(self) -> Changed:
        """From now on: how to wait until the table has moved."""
        return self.showing.live.changed.wait

    async def pieces(self, actor: Actor | None, asked: Mapping[str, str], language: Language) -> dict[str, str]:  # noqa: ARG002 - everybody sees the same
        """The pieces as they are now."""
        view = await self.showing.view(Sight.PUBLIC)
        version = (view.opening, view.version)
        kept = self._kept.get(language)
        if kept is None or kept[0] != version:
            kept = self._kept[language] = version, self.draw(view, language)
        return kept[1]

    def draw(self, view: TableView, language: Language) -> dict[str, str]:
        """The pieces of this view."""
        raise NotImplementedError
