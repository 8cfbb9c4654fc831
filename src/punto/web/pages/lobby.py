"""The lobby: all tables of the floor and what is happening at each."""

import hashlib
from collections.abc import Collection, Mapping
from typing import ClassVar
from urllib.parse import urlencode

from markupsafe import Markup
from msgspec import Struct

from punto.board.drawing import big_road_svg
from punto.board.results import read_marks
from punto.board.roads import big_road
from punto.catalogue.sentence import Language
from punto.floor.errors import is_database_error
from punto.floor.journal.actor import Actor
from punto.floor.people import floor_facts
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.live_table import LiveTable
from punto.floor.running.table_faults import SHOWN
from punto.floor.shoes.shoe_kind import ShoeKind
from punto.floor.version_cache import SharedReads, VersionCache
from punto.table.records.identity import player_number
from punto.table.records.positions import Position
from punto.table.records.settings import box_label
from punto.table.records.state import Phase
from punto.web.http.context import Service
from punto.web.http.endpoint import Access, Endpoint, HttpRequest, Raw
from punto.web.messages import TableView
from punto.web.pages.base.i18n import Translator, translator
from punto.web.pages.base.layout import PageContext, PageQuery, kind_of_game, layout_of, now_ms, table_path
from punto.web.pages.base.templates import Context, compile_templates, page, render, rendered, svg
from punto.web.pages.live.floor_signal import Changed, FloorChanged
from punto.web.pages.live.per_table import ByTable
from punto.web.pages.parts.announcement import Announcement, call_of
from punto.web.pages.parts.words import limit_lines
from punto.web.views.table_cache import TableCache
from punto.web.views.visibility import Sight

LOBBY_ROAD_COLUMNS = 20
_LAMPS = {Phase.CLOSED: "closed", Phase.READY: "closed", Phase.BETTING: "betting"}


class LobbyBox(Struct, frozen=True):
    label: str
    state: str
    """mine, taken or free."""


class TableCard(Struct, frozen=True):
    """A table as the lobby shows it."""

    title: str
    path: str
    book: str
    game: str
    kind: str
    call: Announcement
    lamp: str
    round: int | None
    road: Markup
    limits: list[tuple[str, str]]
    no_insurance: bool
    squeeze: bool
    """Players squeeze the cards without asking the house."""
    boxes: tuple[LobbyBox, ...]
    free: int
    mine: bool
    balance_minor: int | None
    """The viewer's chips here that are not staked; None if they are not at the table."""
    currency: str
    watch_only: bool
    play_money_minor: int
    seeded: bool


class LobbyCardPiece(Context, frozen=True, kw_only=True):
    template = "lobby/table.html"
    card: TableCard


class LobbyFaultPiece(Context, frozen=True, kw_only=True):
    """In the place of a table that cannot be shown."""

    template = "lobby/fault.html"
    name: str


class LobbyTables(Context, frozen=True, kw_only=True):
    """All tables, each already rendered."""

    template = "lobby/tables.html"
    cards: list[Markup]


class LobbySum(Context, frozen=True, kw_only=True):
    """What the viewer has at all tables."""

    template = "lobby/sum.html"
    sums: list[tuple[str, int]]
    """Currency and amount in the smallest unit."""


class LobbyPage(PageContext, frozen=True, kw_only=True):
    template = "lobby.html"
    sum: Markup
    cards: list[Markup]
    live: str
    now_ms: int


class DrawnLobby(Struct, frozen=True):
    """The lobby, rendered for people who see the same."""

    list_id: str
    """Hash of the list of tables."""
    tables: dict[str, str]
    whole: dict[str, str]


class LobbyCard:
    """Renders one table for the lobby."""

    contexts: ClassVar[Collection[type[Context]]] = (LobbyCardPiece,)

    def __init__(self, cache: TableCache) -> None:
        self.cache = cache
        self._html: VersionCache[tuple[Language, str], str] = VersionCache()

    async def html(self, player: str, rules: FloorRules, language: Language) -> str:
        """Rendered once for all who see the same, until the table or the rules of the floor change."""
        view, live = await self.cache.view(Sight.PUBLIC), self.cache.live
        me = player if player in live.state.people and _is_theirs(player, rules, live.setup.name) else ""

        def draw() -> str:
            t = translator(language, at_shuffler=live.state.at_shuffler)
            card = card_of(live, view, rules, me, t)
            return render(LobbyCardPiece(card=card), language)

        shown = (view.opening, view.version, view.table_title, view.stopped, view.gaming_stopped, rules)
        return self._html.get(shown, (language, me), draw)


class LobbyScreen:
    """The lobby in pieces, one per table.

    A page says which list of tables it was made with. While the list is the same, tables are sent one by one.
    After that the whole lobby is sent.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._cards = ByTable(service.table_caches, LobbyCard)
        self._checked_rules = FloorRules()
        """The rules at the last check. ``floor_view`` may already have newer ones, read for a page."""
        self._floor_changed = FloorChanged(service.floor.tables, self._rules_changed, lambda: floor_facts.REFRESH_S)
        self._drawn: SharedReads[tuple[str, Language], DrawnLobby] = SharedReads()
        self._people: VersionCache[None, frozenset[str]] = VersionCache()

    def changed(self) -> Changed:
        """Returns a function that waits until a table changes, a table is added or the rules of the floor change."""
        return self._floor_changed.changed()

    async def _rules_changed(self) -> bool:
        """Whether the rules of the floor have changed since the last check."""
        before = self._checked_rules
        self._service.floor_view.refresh()
        self._checked_rules = await self._service.floor_view.rules()
        return self._checked_rules != before

    async def pieces(self, actor: Actor | None, query: Mapping[str, str], language: Language) -> dict[str, str]:
        """Each table by the id of its element, or the whole lobby if the page has another list."""
        times, name = self._floor_changed.times, player_name(actor)
        player = name if name in self._people.get(times, None, self._people_now) else ""
        # a change while drawing increases `times`, so the page is updated again afterwards
        drawn = await self._drawn.get(times, (player, language), lambda: self._draw(player, language))
        pieces = drawn.tables if query.get("list") == drawn.list_id else drawn.whole
        return pieces | {"sum": await self.sum(player, language)} if name else pieces

    def _people_now(self) -> frozenset[str]:
        """Everyone who has a place at a table."""
        return frozenset[str]().union(*(live.state.people for live in self._service.floor.tables.values()))

    async def _draw(self, player: str, language: Language) -> DrawnLobby:
        list_id, cards = self.list_id(), await self.cards(player, language)
        await compile_templates(LobbyTables)
        return DrawnLobby(
            list_id=list_id,
            tables={f"table-{at}": card for at, card in enumerate(cards, 1)},
            whole={"lobby": render(LobbyTables(cards=[rendered(card) for card in cards]), language)},
        )

    def list_id(self) -> str:
        """Hash of the list of tables."""
        return hashlib.sha256("\n".join(sorted(self._service.floor.tables)).encode()).hexdigest()[:12]

    async def cards(self, player: str, language: Language) -> list[str]:
        """All tables, sorted by name, as a player sees them. An empty ``player`` is for everyone else."""
        rules = await self._service.floor_view.rules()
        return [await self._card(name, player, rules, language) for name in sorted(self._service.floor.tables)]

    async def sum(self, player: str, language: Language) -> str:
        """What a player has at all tables, by currency."""
        rules, sums = await self._service.floor_view.rules(), dict[str, int]()
        for name, live in self._service.floor.tables.items():
            state = live.state
            if player in state.people and state.settings is not None and _is_theirs(player, rules, name):
                currency = state.settings.currency
                sums[currency] = sums.get(currency, 0) + state.chips_minor(player)
        await compile_templates(LobbySum)
        return render(LobbySum(sums=sorted(sums.items())), language)

    async def _card(self, name: str, player: str, rules: FloorRules, language: Language) -> str:
        """One table. If it cannot be shown, its card says so, and the others are shown."""
        try:
            card = await self._cards.of(name)
            return await card.html(player, rules, language)
        except Exception as error:
            if is_database_error(error):
                raise
            self._service.floor.faults.add(name, SHOWN, error)
            await compile_templates(LobbyFaultPiece)
            return render(LobbyFaultPiece(name=name), language)


def card_of(live: LiveTable, view: TableView, rules: FloorRules, me: str, t: Translator) -> TableCard:
    settings, name = view.settings, live.setup.name
    labels = settings.box_labels if settings else ()
    mine = {box for box, who in live.state.seats.items() if who == me} if me else set()
    boxes = tuple(
        LobbyBox(box_label(labels, box), "mine" if box in mine else "taken" if box in view.seats else "free")
        for box in range(1, (settings.boxes if settings else 0) + 1)
    )
    return TableCard(
        title=view.table_title,
        path=table_path(name),
        book=view.book,
        game=t(f"book.{view.book}"),
        kind=kind_of_game(view.book, t),
        call=call_of(live, view, t),
        lamp=_LAMPS.get(view.phase, "dealing"),
        round=view.round.number if view.round else None,
        road=svg(big_road_svg(big_road(read_marks(" ".join(view.marks))), LOBBY_ROAD_COLUMNS, t.language)),
        limits=limit_lines(settings, t) if settings else [],
        no_insurance=settings is not None and settings.no_insurance,
        squeeze=settings is not None and settings.face_down and settings.squeeze_granted,
        boxes=boxes,
        free=sum(box.state == "free" for box in boxes),
        mine=bool(me),
        balance_minor=live.state.chips_minor(me) if me else None,
        currency=settings.currency if settings else "",
        watch_only=not rules.for_play_money(name) and not me,
        play_money_minor=rules.play_money_minor(name),
        seeded=live.setup.shoes is ShoeKind.SEEDED,
    )


def _is_theirs(player: str, rules: FloorRules, table: str) -> bool:
    """Whether chips under this name are the viewer's: a visitor may have the name of a customer, but not an id."""
    return rules.for_play_money(table) is (player_number(player) is None)


def player_name(actor: Actor | None) -> str:
    """The name of a player; empty for everyone else."""
    return actor.name if actor is not None and actor.position is Position.PLAYER else ""


def endpoints(screen: LobbyScreen) -> list[Endpoint]:
    async def lobby(call: HttpRequest) -> Raw:
        language = call.language
        player = player_name(call.actor)
        cards = await screen.cards(player, language)
        context = LobbyPage(
            layout=layout_of(call, "lobby", "/"),
            sum=rendered(await screen.sum(player, language)),
            cards=[rendered(card) for card in cards],
            live=f"/live/?{urlencode({'lang': language, 'list': screen.list_id()})}",
            now_ms=now_ms(call),
        )
        return await page(context, language)

    return [Endpoint("GET", "/", lobby, "The lobby", query=PageQuery, access=Access.ANYBODY)]
