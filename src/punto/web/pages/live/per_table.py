"""A screen for each table, made when somebody first looks and kept for all who look afterwards."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from typing import ClassVar, Generic, Protocol, TypeVar

from punto.floor.journal.actor import Actor
from punto.web.pages.base.i18n import Language
from punto.web.pages.base.templates import Context, compile_templates
from punto.web.pages.live.floor_signal import Changed
from punto.web.version_cache import VersionCache
from punto.web.views.table_cache import Showing, Showings


class OfTable(Protocol):
    """A screen that shows one table."""

    showing: Showing
    contexts: ClassVar[Collection[type[Context]]]
    """Of the pieces that it draws."""


S = TypeVar("S", bound=OfTable)


class ByTable(Generic[S]):
    """The screens of one kind, one a table."""

    def __init__(self, showings: Showings, make: Callable[[Showing], S]) -> None:
        self._showings, self._make = showings, make
        self._known: dict[str, S] = {}

    async def of(self, table: str) -> S:
        """A table's, ready to be drawn; refused where there is no such table."""
        showing = await self._showings.of(table)
        screen = self._known.get(table)
        if screen is None:
            screen = self._known[table] = self._make(showing)
        await compile_templates(*screen.contexts)
        return screen


Looked = TypeVar("Looked")


class SameForAll(ABC, Generic[Looked]):
    """A screen that is the same for everybody, so its pieces are drawn once a language while the table stands."""

    contexts: ClassVar[Collection[type[Context]]]

    def __init__(self, showing: Showing) -> None:
        self.showing = showing
        self._pieces: VersionCache[Language, dict[str, str]] = VersionCache()

    def changed(self) -> Changed:
        """From now on: how to wait until the table has moved."""
        return self.showing.live.changed.wait

    async def pieces(self, actor: Actor | None, asked: Mapping[str, str], language: Language) -> dict[str, str]:  # noqa: ARG002 - everybody sees the same
        """The pieces as they are now."""
        looked = await self.look()
        # nothing is awaited from here on, so this is the version that was looked at
        return self._pieces.get(self.showing.end, language, lambda: self.draw(looked, language))

    @abstractmethod
    async def look(self) -> Looked:
        """Whatever the pieces are drawn from, as it is when this returns."""

    @abstractmethod
    def draw(self, looked: Looked, language: Language) -> dict[str, str]:
        """The pieces."""
