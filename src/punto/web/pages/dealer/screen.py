"""The pieces of a table's console: drawn for the person who deals, sent when they have changed."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from typing import ClassVar

from markupsafe import escape

from punto.catalogue.sentence import Language
from punto.floor.journal.actor import Actor
from punto.floor.settings.gaming_day import GamingDay
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.version_cache import SharedReads, VersionCache
from punto.table.procedure.chip_set import ChipSet
from punto.table.procedure.moment import moments_of
from punto.table.procedure.scene import LastBet, Scene
from punto.table.records.positions import STAFF, SUPERVISOR_UP
from punto.table.records.state import Phase
from punto.web.http.context import Service
from punto.web.messages import TableView
from punto.web.pages.base.i18n import translator
from punto.web.pages.base.templates import Context, render
from punto.web.pages.dealer.boxes import typing_of
from punto.web.pages.dealer.contexts import CONSOLE_PIECES, ConsoleDid, ConsoleLook, console_contexts, words_of
from punto.web.pages.dealer.last_bets import last_bets
from punto.web.pages.dealer.last_key import last_key, what_it_did, with_words
from punto.web.pages.dealer.wire import Wire, last_card, wire_moment, write_wire
from punto.web.views.cursors import write_cursor
from punto.web.views.table_cache import NamesKey, TableCache, names_key
from punto.web.views.visibility import sight_at


class ConsoleScreen:
    """The console of one table."""

    contexts: ClassVar[Collection[type[Context]]] = CONSOLE_PIECES

    def __init__(self, service: Service, cache: TableCache) -> None:
        self._service = service
        self.cache = cache
        self._bets: SharedReads[None, tuple[LastBet, ...]] = SharedReads()
        self._pieces: VersionCache[
            tuple[ConsoleLook, NamesKey, bool, frozenset[int], ChipSet, GamingDay], dict[str, str]
        ] = VersionCache()

    def changed(self) -> Callable[[], Awaitable[object]]:
        """Returns a function that waits until the table changes."""
        return self.cache.live.changed.wait

    async def pieces(
        self,
        actor: Actor | None,
        query: Mapping[str, str],  # noqa: ARG002 - the same for all
        language: Language,
    ) -> dict[str, str]:
        """The current HTML of each piece, by the id of its element; nothing for those who do not run tables."""
        if actor is None or actor.position not in STAFF:
            return {}
        rules = await self._service.floor_view.rules()
        sight = sight_at(actor, self.cache.live.setup.name, rules)
        while True:
            end = self.cache.end
            bets, scanned = await self._last_bets(), await self._scanned()
            chips, on_duty = await self._service.floor_view.chip_set(), await self._service.floor_view.on_duty()
            day = await self._service.floor_view.gaming_day()
            view = await self.cache.view(sight)
            if self.cache.end == end:
                break
        # nothing is awaited from here on, so the cached pieces belong to this version
        live, name = self.cache.live, self.cache.live.setup.name
        supervisors = on_duty.at_table(name, SUPERVISOR_UP)
        look = ConsoleLook(actor.name, actor.position, supervisors, language)
        key = (look, names_key(view), view.stopped, scanned, chips, day)
        at = (live.rules, live.state, live.setup.shoes is not ShoeKind.MANUAL, actor.position, actor.name)
        results = self.cache.results
        fresh = results.of_shoe_before
        scene = Scene(*at, scanned, bets, view.gaming_stopped, 0 if fresh else results.naturals, fresh)
        return self._pieces.get(self.cache.end, key, lambda: self._draw(view, look, scene, chips, day))

    async def _last_bets(self) -> tuple[LastBet, ...]:
        """Of the round before, while betting is open and nothing lies there."""
        live, now = self.cache.live, self.cache.live.state.round
        if live.state.phase is not Phase.BETTING or live.head is None or now is None or now.bets:
            return ()
        read = partial(live.database.read, partial(last_bets, head=live.head))
        return await self._bets.get((live.openings, now.number), None, read)

    async def _scanned(self) -> frozenset[int]:
        """The places of cards face down that a scanner has read. Which cards they are stays with the floor."""
        live, now = self.cache.live, self.cache.live.state.round
        if live.setup.shoes is not ShoeKind.MANUAL or now is None or now.over or None not in now.cards:
            return frozenset()
        places = [
            (place, (shoe, draw))
            for place, (card, shoe, draw) in enumerate(zip(now.cards, now.shoes, now.draws, strict=True), 1)
            if card is None
        ]
        known = [place for place, at in places if await self._service.floor.is_scanned(live, at)]
        return frozenset(known)

    def _draw(self, view: TableView, look: ConsoleLook, scene: Scene, chips: ChipSet, day: GamingDay) -> dict[str, str]:
        t = translator(look.language, at_shuffler=scene.table.at_shuffler)
        events = last_key(self.cache.live.tail)
        moments = with_words(scene, moments_of(scene), events)
        contexts = console_contexts(self.cache.live, view, look, scene, moments, chips, day)
        contexts["did"] = ConsoleDid(lines=what_it_did(events, view, t))
        wire = Wire(
            at=write_cursor(view.opening, view.version),
            round=view.round.number if view.round else 0,
            typing=typing_of(scene, t),
            last_card=last_card(scene, t),
            moments=tuple(wire_moment(each, words_of(each.say, view, t) if each.say else "") for each in moments),
        )
        pieces = {name: render(context, look.language, t) for name, context in contexts.items()}
        pieces["moment"] = str(escape(write_wire(wire)))
        return pieces
