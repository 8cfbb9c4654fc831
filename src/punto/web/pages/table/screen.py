"""The pieces of a table's page: sent only when they have changed, and drawn once for all who see the same."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import ClassVar

from punto.catalogue.sentence import Language
from punto.floor.journal.actor import Actor
from punto.floor.people.floor_rules import FloorRules
from punto.floor.version_cache import SharedReads, VersionCache
from punto.odds.figures import StakeFigures
from punto.rules.coup.cards import Card
from punto.rules.rulebook import Rulebook
from punto.rules.topics import Topic
from punto.table.moves.listing import boxes_of
from punto.table.records.positions import Position
from punto.table.records.state import Table
from punto.web.http.context import Service
from punto.web.messages import TableView
from punto.web.pages.base.i18n import translator
from punto.web.pages.base.templates import Context, render
from punto.web.pages.parts.bet_odds import BetOdds, bet_odds, decks_of
from punto.web.pages.table.contexts import TABLE_PIECES, Look, Personal, table_contexts
from punto.web.pages.table.own_result import own_result
from punto.web.pages.table.shared import SharedPieces
from punto.web.views.cursors import write_cursor
from punto.web.views.table_cache import NamesKey, TableCache, names_key
from punto.web.views.table_view import me_at, with_own_name, without_former
from punto.web.views.visibility import Sight, sight_at


class TableScreen:
    """The pieces of one table, cached until the table changes."""

    contexts: ClassVar[Collection[type[Context]]] = (*TABLE_PIECES, *SharedPieces.contexts)

    def __init__(self, service: Service, cache: TableCache) -> None:
        self._service = service
        self.cache = cache
        self._pieces: VersionCache[tuple[Look, NamesKey], dict[str, str]] = VersionCache()
        self._shared = SharedPieces(cache)
        self._squeezed: SharedReads[None, dict[int, Card]] = SharedReads()
        self._edges: SharedReads[Language, tuple[BetOdds, ...]] = SharedReads()

    def changed(self) -> Callable[[], Awaitable[object]]:
        """Returns a function that waits until the table changes."""
        return self.cache.live.changed.wait

    async def pieces(self, actor: Actor | None, query: Mapping[str, str], language: Language) -> dict[str, str]:
        """The current HTML of each piece, by the id of its element. ``query["box"]`` chooses the box."""
        rules = await self._service.floor_view.rules()
        sight = sight_at(actor, self.cache.live.setup.name, rules)
        while True:
            end = self.cache.end
            edges = await self._edges_shown(language)
            view, worth = await self._view(Sight.PLAYER if sight is Sight.OWN else sight)
            squeezed = await self._squeezed.get(end, None, self._read_squeezed)
            if self.cache.end == end:
                break
        # nothing is awaited from here on, so the cached pieces belong to this version
        look = self._look(actor, query.get("box", ""), rules, sight, language)
        return self._pieces.get(end, (look, names_key(view)), lambda: self._draw(view, look, edges, worth, squeezed))

    async def _read_squeezed(self) -> dict[int, Card]:
        return await self._service.floor.squeezed_cards(self.cache.live)

    async def _view(self, sight: Sight) -> tuple[TableView, StakeFigures | None]:
        if self._service.config.odds:
            return await self.cache.view_with_worth(sight)
        return await self.cache.view(sight), None

    async def _edges_shown(self, language: Language) -> tuple[BetOdds, ...]:
        """The odds of each bet of the layout; empty if odds are off."""
        live = self.cache.live
        settings = live.state.settings
        if settings is None or settings.layout not in live.rules.layouts or not self._service.config.odds:
            return ()
        book, decks, layout = live.rules.id, decks_of(live), settings.layout
        return await self._edges.get(
            (decks, layout), language, lambda: asyncio.to_thread(bet_odds, book, decks, layout, language)
        )

    def _look(self, actor: Actor | None, box: str, rules: FloorRules, sight: Sight, language: Language) -> Look:
        state, table = self.cache.live.state, self.cache.live.setup.name
        player = rules.may_play(actor, table)
        name = actor.name if actor is not None and player and actor.name in state.people else ""
        return Look(
            name=name,
            since_us=actor.since_us if actor is not None and name else 0,
            player=player,
            box=_box(self.cache.live.rules, state, name, int(box) if box.isdecimal() and len(box) < 4 else 0),
            language=language,
            staff=actor is not None and actor.position is not Position.PLAYER,
            sight=sight,
            for_play_money=rules.for_play_money(table),
            play_money_minor=rules.play_money_minor(table),
        )

    def _draw(
        self,
        view: TableView,
        look: Look,
        edges: tuple[BetOdds, ...],
        worth: StakeFigures | None,
        squeezed: dict[int, Card],
    ) -> dict[str, str]:
        own = result = None
        live, results = self.cache.live, self.cache.results
        t = translator(look.language, at_shuffler=live.state.at_shuffler)
        if look.sight is Sight.OWN:
            view = with_own_name(view, look.name)
        if look.name:
            by = Actor(look.name, Position.PLAYER, look.since_us)
            view = without_former(view, results.record, by)
            own = me_at(live.state, results.record, by, plays=True) if view.settings else None
            result = own_result(live, view, by, own, results.last_of.get(by.name), t) if own else None
        presence = self.cache.presence
        personal = Personal(
            own, result, squeezed, presence.idle_rounds(look.name), was_freed=presence.was_freed(look.name)
        )
        contexts = table_contexts(live, view, look, personal, edges, worth)
        pieces = {name: render(context, look.language, t) for name, context in contexts.items()}
        pieces |= self._shared.draw(view, edges, look.language)
        pieces["at"] = write_cursor(view.opening, view.version)
        pieces["round"] = str(view.round.number if view.round else 0)
        return pieces


def _box(rules: Rulebook, state: Table, name: str, wanted: int) -> int:
    """The wanted box if the player can bet there, else the first where they have a place or a bet; 0: none."""
    if not name or state.settings is None:
        return 0
    own = sorted(box for box, who in state.seats.items() if who == name) + sorted(state.behind.get(name, ()))
    if state.round is not None and not rules.has(Topic.STANDING_PLAYER):
        own += sorted(placed.box for placed in state.round.bets.values() if placed.who == name)
    return wanted if wanted in boxes_of(rules, state, name) else own[0] if own else 0
