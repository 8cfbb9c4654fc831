"""The lobby: every table of the floor, what it is for, and what is happening there now."""

import asyncio
import hashlib
from collections.abc import Mapping
from urllib.parse import urlencode

from markupsafe import Markup
from msgspec import Struct

from punto.board.drawing import big_road_svg
from punto.board.results import read_marks
from punto.board.roads import big_road
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.floor import Actor
from punto.floor.running.table_setup import ShoeKind
from punto.table.records.positions import Position
from punto.table.records.state import Phase
from punto.web.http.context import Service
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.pages.base.handler import language
from punto.web.pages.base.i18n import TONGUES, Language
from punto.web.pages.base.layout import PlainAsked, frame, name_and_kind, now_ms, table_path
from punto.web.pages.base.templates import page, render, svg
from punto.web.pages.live.floor_signal import Changed, FloorChanged
from punto.web.pages.table.view_model import CHINESE, Announcement, call_of, limits_said
from punto.web.views.table_cache import Showing
from punto.web.views.visibility import Sight

ROAD_COLUMNS = 20
LOOK_AGAIN_S = 2.0
"""So soon a table that somebody adds, or another rule of the floor, is seen."""
MOST_KEPT = 512
_LAMPS = {Phase.CLOSED: "closed", Phase.READY: "closed", Phase.BETTING: "betting"}


class BoxSeen(Struct, frozen=True):
    """A box as the lobby shows it."""

    box: int
    state: str
    """mine, taken or free."""


class TableCard(Struct, frozen=True):
    """A table in the lobby."""

    name: str
    path: str
    game: str
    kind: str
    call: Announcement
    lamp: str
    round: int | None
    road: Markup
    limits: list[tuple[str, str]]
    boxes: tuple[BoxSeen, ...]
    free: int
    mine: bool
    play_money_minor: int
    seeded: bool


class Drawn(Struct, frozen=True):
    """The lobby as some see it at one moment."""

    mark: str
    """Of which list it is."""
    tables: dict[str, str]
    whole: dict[str, str]


class LobbyScreen:
    """The lobby in pieces, a table each.

    A page says which list of tables it was made with. As long as that is the list, the tables are sent one by one;
    from then on the whole of it is.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._kept: dict[tuple[str, Language, str], tuple[object, str]] = {}
        self._rules = FloorRules()
        self._rules_seen = FloorRules()
        """By the last look: a page that was asked for may have learnt of others since."""
        self._looked_s = float("-inf")
        self._floor_changed = FloorChanged(service.floor.tables, self._look, lambda: LOOK_AGAIN_S)
        self._drawing = asyncio.Lock()
        self._drawn: dict[tuple[str, Language], Drawn] = {}
        self._drawn_at = -1
        self._people = frozenset[str]()
        """Who had a place at a table then."""

    def changed(self) -> Changed:
        """From now on: how to wait until a table has moved, or there is a new one, or another rule of the floor."""
        return self._floor_changed.changed()

    async def _look(self) -> bool:
        """Whether the floor allows visitors something else than a moment ago."""
        before, self._looked_s = self._rules_seen, float("-inf")
        self._rules_seen = await self.rules()
        return self._rules_seen != before

    async def pieces(self, actor: Actor | None, asked: Mapping[str, str], language: Language) -> dict[str, str]:
        """Each table under the id of its element, or all of them where the page has another list."""
        drawn = await self._drawn_now(actor, language)
        return drawn.tables if asked.get("list") == drawn.mark else drawn.whole

    async def _drawn_now(self, actor: Actor | None, language: Language) -> Drawn:
        """Drawn once for all who see the same, and again when something has changed."""
        name = _player(actor)
        if self._drawn_at == self._floor_changed.times:
            drawn = self._drawn.get((name if name in self._people else "", language))
            if drawn is not None:
                return drawn
        async with self._drawing:
            # whatever happens from here on is another time: who is shown this is told so
            times = self._floor_changed.times
            if self._drawn_at != times:
                self._drawn_at = times
                self._drawn.clear()
                self._people = frozenset[str]().union(
                    *(live.state.people for live in self._service.floor.tables.values())
                )
            key = name if name in self._people else "", language
            drawn = self._drawn.get(key)
            if drawn is None:
                drawn = self._drawn[key] = await self._draw(actor, language)
            return drawn

    async def _draw(self, actor: Actor | None, language: Language) -> Drawn:
        mark, cards = self.list_mark(), await self.cards(actor, language)
        return Drawn(
            mark=mark,
            tables={f"table-{at}": card for at, card in enumerate(cards, 1)},
            whole={"lobby": render("lobby/tables.html", language, cards=[Markup(card) for card in cards])},  # noqa: S704 - ours
        )

    def list_mark(self) -> str:
        """Says which tables there are."""
        return hashlib.sha256("\n".join(sorted(self._service.floor.tables)).encode()).hexdigest()[:12]

    async def rules(self) -> FloorRules:
        """What the floor allows visitors; asked anew now and then."""
        floor = self._service.floor
        if floor.clock.steady_s() - self._looked_s >= LOOK_AGAIN_S:
            if floor.database.shared:
                await floor.load_tables()
            self._rules, self._looked_s = await self._service.visitors.rules(), floor.clock.steady_s()
        return self._rules

    async def cards(self, actor: Actor | None, language: Language) -> list[str]:
        """The tables by name; one that has not moved is not drawn again."""
        rules = await self.rules()
        me = _player(actor)
        drawn = []
        if len(self._kept) > MOST_KEPT:
            self._kept.clear()
        for name in sorted(self._service.floor.tables):
            showing = await self._service.showings.of(name)
            at_table = me if me in showing.live.state.people else ""
            view = await showing.view(Sight.PUBLIC)
            stands = (view.opening, view.version, rules)
            kept = self._kept.get((name, language, at_table))
            if kept is None or kept[0] != stands:
                card = await self._card(showing, rules, at_table, language)
                html = render("lobby/table.html", language, card=card, chinese=CHINESE)
                kept = self._kept[name, language, at_table] = stands, html
            drawn.append(kept[1])
        return drawn

    async def _card(self, showing: Showing, rules: FloorRules, me: str, language: Language) -> TableCard:
        view, live, t = await showing.view(Sight.PUBLIC), showing.live, TONGUES[language]
        settings, name = view.settings, live.setup.name
        mine = {box for box, who in live.state.seats.items() if who == me} if me else set()
        boxes = tuple(
            BoxSeen(box, "mine" if box in mine else "taken" if box in view.seats else "free")
            for box in range(1, (settings.boxes if settings else 0) + 1)
        )
        game, kind = name_and_kind(view.title, t)
        return TableCard(
            name=name,
            path=table_path(name),
            game=game,
            kind=kind,
            call=call_of(live, view, t),
            lamp=_LAMPS.get(view.phase, "dealing"),
            round=view.round.number if view.round else None,
            road=svg(big_road_svg(big_road(read_marks(" ".join(view.marks))), ROAD_COLUMNS, language)),
            limits=limits_said(settings, t) if settings else [],
            boxes=boxes,
            free=sum(box.state == "free" for box in boxes),
            mine=bool(me),
            play_money_minor=rules.buy_in_minor if rules.visitors and name in rules.tables else 0,
            seeded=live.setup.shoes is ShoeKind.SEEDED,
        )


def _player(actor: Actor | None) -> str:
    """The name of who may have a place at a table; of anybody else none."""
    return actor.name if actor is not None and actor.position is Position.PLAYER else ""


def endpoints(screen: LobbyScreen) -> list[Endpoint]:
    """The page of the lobby."""

    async def lobby(call: HttpRequest) -> Raw:
        spoken = language(call)
        cards = await screen.cards(call.actor, spoken)
        return page(
            "lobby.html",
            spoken,
            cards=[Markup(card) for card in cards],  # noqa: S704 - rendered by our templates
            live=f"/live/?{urlencode({'lang': spoken, 'list': screen.list_mark()})}",
            now_ms=now_ms(call),
            **frame(call, "lobby", "/"),
        )

    return [Endpoint("GET", "/", lobby, "The lobby", query=PlainAsked, access=Access.ANYBODY)]
