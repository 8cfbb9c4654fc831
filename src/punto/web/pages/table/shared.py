"""The pieces of a table's page that all readers of a language see alike, drawn once for them."""

from collections.abc import Collection
from typing import ClassVar

from punto.catalogue.sentence import Language
from punto.floor.version_cache import VersionCache
from punto.web.messages import TableView
from punto.web.pages.base.i18n import translator
from punto.web.pages.base.templates import Context, render
from punto.web.pages.parts.bet_odds import BetOdds
from punto.web.pages.table.bet_info import TableInfo, info_of
from punto.web.pages.table.study import TableChart, TableRoads, roads_of, third_cards_of
from punto.web.views.table_cache import TableCache


class SharedPieces:
    contexts: ClassVar[Collection[type[Context]]] = (TableRoads, TableChart, TableInfo)

    def __init__(self, cache: TableCache) -> None:
        self._cache = cache
        self._roads: VersionCache[Language, str] = VersionCache()
        self._third_cards: VersionCache[Language, str] = VersionCache()
        self._info: VersionCache[tuple[Language, tuple[BetOdds, ...]], str] = VersionCache()

    def draw(self, view: TableView, edges: tuple[BetOdds, ...], language: Language) -> dict[str, str]:
        """``view`` is of the cache's version."""
        live, settings = self._cache.live, view.settings
        at_shuffler = live.state.at_shuffler
        t = translator(language, at_shuffler=at_shuffler)
        return {
            "roads": self._roads.get(
                (settings is None, at_shuffler, view.marks),
                language,
                lambda: render(roads_of(view, language), language, t),
            ),
            "third": self._third_cards.get(
                self._cache.end, language, lambda: render(third_cards_of(live, view, language), language)
            ),
            "info": self._info.get(
                (settings and settings.layout, at_shuffler),
                (language, edges),
                lambda: render(info_of(live.rules, settings, edges, language), language, t),
            ),
        }
