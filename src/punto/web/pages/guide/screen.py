"""Tells an open guide that its table has changed. The page then fetches its own address again."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import ClassVar

from markupsafe import escape

from punto.catalogue.sentence import Language
from punto.floor.journal.actor import Actor
from punto.table.records.positions import STAFF
from punto.web.http.context import Service
from punto.web.pages.base.templates import Context
from punto.web.pages.guide.contexts import GuidePage, wire
from punto.web.pages.trouble.words import QuestionsPiece, TilesPiece
from punto.web.views.table_cache import TableCache
from punto.web.views.visibility import sight_at


class GuideScreen:
    """The guide of one table."""

    contexts: ClassVar[Collection[type[Context]]] = (GuidePage, TilesPiece, QuestionsPiece)

    def __init__(self, service: Service, cache: TableCache) -> None:
        self._service = service
        self.cache = cache

    def changed(self) -> Callable[[], Awaitable[object]]:
        """Returns a function that waits until the table changes."""
        return self.cache.live.changed.wait

    async def pieces(
        self,
        actor: Actor | None,
        query: Mapping[str, str],  # noqa: ARG002 - the same for all
        language: Language,  # noqa: ARG002
    ) -> dict[str, str]:
        """The cursor of the table, for those who run tables."""
        if actor is None or actor.position not in STAFF:
            return {}
        rules = await self._service.floor_view.rules()
        view = await self.cache.view(sight_at(actor, self.cache.live.setup.name, rules))
        return {"moment": str(escape(wire(view)))}
