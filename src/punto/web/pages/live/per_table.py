"""One screen per table, made for the first viewer and shared by all later ones."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from typing import ClassVar, Generic, Protocol, TypeVar

from punto.catalogue.sentence import Language
from punto.floor.journal.actor import Actor
from punto.floor.version_cache import VersionCache
from punto.web.pages.base.templates import Context, compile_templates
from punto.web.pages.live.floor_signal import Changed
from punto.web.views.table_cache import TableCache, TableCaches


class OfTable(Protocol):
    """A screen that shows one table."""

    cache: TableCache
    contexts: ClassVar[Collection[type[Context]]]
    """The contexts of the pieces it draws."""


S = TypeVar("S", bound=OfTable)


class ByTable(Generic[S]):
    """The screens of one kind, by table."""

    def __init__(self, caches: TableCaches, make: Callable[[TableCache], S]) -> None:
        self._caches, self._make = caches, make
        self._screens: dict[str, S] = {}

    async def of(self, table: str) -> S:
        """The screen of a table, ready to draw. Refused if the table does not exist."""
        cache = await self._caches.of(table)
        screen = self._screens.get(table)
        if screen is None:
            screen = self._screens[table] = self._make(cache)
        await compile_templates(*screen.contexts)
        return screen


Data = TypeVar("Data")


class SameForAll(ABC, Generic[Data]):
    """A screen that is the same for everyone. Its pieces are drawn once per language and version of the table."""

    contexts: ClassVar[Collection[type[Context]]]

    def __init__(self, cache: TableCache) -> None:
        self.cache = cache
        self._pieces: VersionCache[Language, dict[str, str]] = VersionCache()

    def changed(self) -> Changed:
        """Returns a function that waits until the table changes."""
        return self.cache.live.changed.wait

    async def pieces(self, actor: Actor | None, query: Mapping[str, str], language: Language) -> dict[str, str]:  # noqa: ARG002 - everyone sees the same
        """The current HTML of each piece, by the id of its element."""
        data = await self.read()
        # nothing is awaited from here on, so `end` is the version that was read
        live = self.cache.live
        return self._pieces.get((self.cache.end, live.title, live.stop), language, lambda: self.draw(data, language))

    @abstractmethod
    async def read(self) -> Data:
        """The data to draw, as it is when this returns."""

    @abstractmethod
    def draw(self, data: Data, language: Language) -> dict[str, str]:
        """The HTML of each piece, by the id of its element."""
