"""The page of a table in pieces: one is sent again only when it has changed, and made once for all who see the same."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from punto.board.drawing import big_road_svg
from punto.board.results import read_marks
from punto.board.roads import big_road
from punto.board.statistics import statistics
from punto.floor.people.floor_rules import FloorRules
from punto.floor.running.floor import Actor
from punto.rules.coup.table_of_play import Side
from punto.rules.refusals import Refusal
from punto.rules.rulebook import Rulebook
from punto.table import decide
from punto.table.decision import coup_of
from punto.table.play.limits import excess
from punto.table.records.commands import RequestSqueeze
from punto.table.records.positions import Position
from punto.table.records.settings import Settings
from punto.table.records.state import Phase, Table
from punto.web.http.context import Service
from punto.web.messages import TableView
from punto.web.pages.base.i18n import TONGUES, Language, Tongue
from punto.web.pages.base.templates import render, svg
from punto.web.pages.odds import BetOdds, bets_shown, decks_of
from punto.web.pages.table import felt
from punto.web.pages.table.insurance import offer_to
from punto.web.pages.table.view_model import areas_of, bet_name, call_of, hand_of, limits_said, outcomes_of, seats_of
from punto.web.views.table_cache import Showing
from punto.web.views.table_view import me_at
from punto.web.views.visibility import Sight, sight_of, write_cursor

TABLE_PIECES = ("head", "stage", "box", "sheet", "rail", "side")
"""The pieces of the page, by the ids of their elements; ``table/<name>.html`` is the template of each."""
ROAD_COLUMNS = 20
MOST_KEPT = 512


class Look(Struct, frozen=True):
    """Who looks at a table, at which box, in which language: whatever makes one page differ from another."""

    name: str
    """Empty for whoever has no place at the table: they all see the same."""
    player: bool
    """May sit down and bet."""
    box: int
    language: Language
    signed_in: bool = False
    named: bool = False
    """Sees who sits where. Only the staff do who may not bet, and they see what was noted too."""
    play_money_minor: int = 0
    """What the floor gives a visitor here."""


class TableScreen:
    """The pieces of one table, kept as long as the table does not move."""

    def __init__(self, service: Service, showing: Showing) -> None:
        self._service = service
        self.showing = showing
        self._version = (0, 0)
        self._kept: dict[Look, dict[str, str]] = {}

    def changed(self) -> Callable[[], Awaitable[object]]:
        """From now on: how to wait until the table has moved."""
        return self.showing.live.changed.wait

    async def pieces(self, actor: Actor | None, asked: Mapping[str, str], language: Language) -> dict[str, str]:
        """The pieces as they are now; a page may ask for another of one's boxes."""
        number = asked.get("box", "")
        box = int(number) if number.isdecimal() and len(number) < 4 else 0
        floor_rules = await self._service.visitors.rules()
        sight = sight_of(actor.position if actor else None)
        view = await self.showing.view(sight)
        # nothing is waited for from here on: what is kept must be of this version
        version = (view.opening, view.version)
        if version != self._version or len(self._kept) > MOST_KEPT:
            self._version = version
            self._kept.clear()
        look = look_of(actor, self.showing.live.state, box, language)
        look = replace(
            look,
            signed_in=actor is not None,
            named=sight is not Sight.PUBLIC,
            play_money_minor=self._play_money_minor(floor_rules),
        )
        kept = self._kept.get(look)
        if kept is None:
            values = self._values(view, look)
            kept = {name: render(f"table/{name}.html", language, **values) for name in TABLE_PIECES}
            kept["at"] = write_cursor(view.opening, view.version)
            self._kept[look] = kept
        return kept

    def _play_money_minor(self, rules: FloorRules) -> int:
        return rules.buy_in_minor if rules.visitors and self.showing.live.setup.name in rules.tables else 0

    def _values(self, view: TableView, look: Look) -> dict[str, Any]:
        """What the templates speak of."""
        live, t, me = self.showing.live, TONGUES[look.language], look.name
        settings, marks = view.settings, read_marks(" ".join(view.marks))
        values: dict[str, Any] = {
            "view": view,
            "rules": live.rules,
            "seeded": live.setup.shoes == "seeded",
            "look": look,
            "settings": settings,
            "call": call_of(live, view, t),
            "hands": [hand_of(side, view, me, t) for side in (Side.PLAYER, Side.BANKER)],
            "betting": view.phase is Phase.BETTING,
            "play_money_minor": look.play_money_minor,
            "odds": self._service.config.odds,
            "me": None,
            "road": svg(big_road_svg(big_road(marks), ROAD_COLUMNS, look.language)),
            "counts": statistics(marks),
        }
        if settings is not None:
            values |= self._at_box(view, settings, look, t)
        return values

    def _edges(self, settings: Settings, language: Language) -> tuple[BetOdds, ...]:
        """What each bet of the layout costs, beside the felt for who wants to know."""
        live = self.showing.live
        if not self._service.config.odds:
            return ()
        return bets_shown(live.rules.id, decks_of(live), settings.layout, language)

    def _at_box(self, view: TableView, settings: Settings, look: Look, t: Tongue) -> dict[str, Any]:
        live, me = self.showing.live, look.name
        now = view.round
        coup = coup_of(live.rules, live.state) if now is not None else None
        mine = [result for result in (now.results if now else ()) if result.who == me] if me else []
        bets = [bet for bet in (now.bets if now else ()) if bet.who == me] if me else []
        cover = [each for each in (now.cover if now else ()) if each.who == me] if me else []
        options = now.options if now else None
        return {
            "me": me_at(live.state, me, Position.PLAYER) if me else None,
            "seats": seats_of(view, settings, me, t),
            "areas": areas_of(live.rules, view, settings, look.box, me, t) if look.box else None,
            "behind": [bet for bet in (now.bets if now else ()) if bet.box == look.box and bet.who != me],
            "bet_name": lambda bet: bet_name(live.rules, bet, t),
            "offer": offer_to(live, me, look.box, t, odds=self._service.config.odds) if me and look.box else None,
            "covered_minor": sum(each.stake_minor for each in cover if each.box == look.box),
            "choose": options is not None and me in options.asked,
            "reconstructable": options is not None and options.reconstructable,
            "outcomes": outcomes_of(live.rules, coup, mine, t),
            "gain_minor": sum(result.returned_minor - result.stake_minor for result in mine),
            "on_felt_minor": sum(bet.stake_minor for bet in bets) + sum(each.stake_minor for each in cover)
            if now is not None and now.winner is None and now.void is None
            else 0,
            "bets": bets,
            "tray": felt.tray(settings),
            "limits": limits_said(settings, t),
            "excess": excess(live.state.round.bets, look.box, settings.differential_minor)
            if live.state.round and look.box
            else None,
            "can_ask_squeeze": _can_ask(live.rules, live.state, settings, me),
            "edges": self._edges(settings, look.language),
        }


def _can_ask(rules: Rulebook, state: Table, settings: Settings, me: str) -> list[str]:
    """The hands that he could ask to squeeze now."""
    if not me or not settings.face_down:
        return []
    asked = [RequestSqueeze(me, Position.PLAYER, me, side) for side in Side]
    return [each.side for each in asked if not isinstance(decide(rules, state, each), Refusal)]


def look_of(actor: Actor | None, state: Table, box: int, language: Language) -> Look:
    """Who has no place at a table sees it as everybody does."""
    player = actor is not None and actor.position is Position.PLAYER
    name = actor.name if actor is not None and player and actor.name in state.people else ""
    return Look(name, player, _box(state, name, box), language)


def _box(state: Table, name: str, asked: int) -> int:
    """The box that a page shows: the one asked for, or else one's own; 0: none."""
    if not name:
        return 0
    own = sorted(box for box, who in state.seats.items() if who == name) + sorted(state.behind.get(name, ()))
    return asked if asked in own else own[0] if own else 0
