"""The players at the pit: the register, who somebody is, what they did on a gaming day, and codes for their slips."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from msgspec import Struct

from punto.floor.errors import FloorCode, FloorRefused
from punto.floor.house.projections.players import Player
from punto.floor.people.looks import LookKind
from punto.floor.people.players import (
    DEFAULT_FOUND,
    MAX_CARD_LENGTH,
    MAX_NOTES_LENGTH,
    MAX_PLAYER_NAME_LENGTH,
    MAY_CHANGE,
    MAY_ERASE,
    MAY_READ,
    players_in,
)
from punto.floor.reports.days.shift_report import MAY_READ_REPORTS
from punto.floor.reports.player_day import CashLine, RatingLine, cash_lines, rating_lines
from punto.floor.running.live_table import LiveTable
from punto.floor.settings.gaming_day import GamingDay
from punto.floor.turns import in_thread
from punto.table.records.identity import player_number
from punto.table.records.positions import DEALER_UP, SUPERVISOR_UP
from punto.web.api.people.player_days import report_of_day
from punto.web.http.endpoint import EXPENSIVE, Endpoint, HttpRequest, Raw
from punto.web.pages.base.i18n import TRANSLATORS, Translator, person_name
from punto.web.pages.base.layout import PageContext, PageQuery, layout_of
from punto.web.pages.base.templates import page

PLAYERS_PATH = "/pit/players"


class PlayersForm(PageQuery, frozen=True):
    """What the forms send: empty fields do not matter."""

    search: str = ""
    player: str = ""
    """The id of the player who is shown."""
    day: str = ""


class Holding(Struct, frozen=True):
    """A table where somebody has a place or chips."""

    table: str
    title: str
    chips_minor: int
    currency: str
    screens: bool
    """Whether bets are placed on screens, so that a code opens them."""


class Unknown(Struct, frozen=True):
    """Somebody at a table whom nobody has identified."""

    who: str
    name: str
    at: Holding


class ShownSitting(Struct, frozen=True):
    table: str
    since: datetime
    until: datetime
    rounds: int


class ShownRating(Struct, frozen=True):
    line: RatingLine
    sittings: tuple[ShownSitting, ...]


class ShownCash(Struct, frozen=True):
    line: CashLine
    name: str
    id: str
    """Of a registered player; else empty."""


class PlayersPage(PageContext, frozen=True, kw_only=True):
    template = "pit_players.html"
    form: PlayersForm
    found: tuple[Player, ...]
    most: int
    """How many are shown at most."""
    player: Player | None
    missing: str
    """Why there is no such player; empty if there is one, or none was chosen."""
    holdings: tuple[Holding, ...] | None
    """None for administrators, who see no balances."""
    unknown: tuple[Unknown, ...]
    ratings: tuple[ShownRating, ...]
    cash: tuple[ShownCash, ...]
    large_cash_minor: int
    may: frozenset[str]
    """Of register, erase, code, revoke, identify and report."""
    most_name: int
    most_card: int
    most_notes: int


async def players(call: HttpRequest) -> Raw:
    form, by, t = call.query, call.by, TRANSLATORS[call.language]
    service, settings = call.service, await call.service.floor_view.settings()
    await service.floor.house_log.require(by, MAY_READ, "read_players")
    found = await service.players.search(by, form.search.strip()) if form.search.strip() else []
    player, missing = await _chosen(call, found, t)
    if shown := sorted({each.id for each in (*found, player) if each is not None}):
        await service.looks.saw(by, LookKind.REGISTER, *shown)
    may = _may(call)
    ratings: tuple[ShownRating, ...] = ()
    cash: tuple[ShownCash, ...] = ()
    if "report" in may:
        day, report = await report_of_day(call, form.day)
        form = PlayersForm(search=form.search, player=form.player, day=day.isoformat())
        await service.looks.saw(by, LookKind.CASH, day.isoformat())
        if player is not None:
            await service.looks.saw(by, LookKind.RATING, player.id)
            lines = await in_thread(rating_lines, report, player.id)
            ratings = tuple(_rating(line, settings.gaming_day) for line in lines)
        paid = cash_lines(report, settings.large_cash_minor)
        names = await service.player_names.of(players_in(tuple(line.who for line in paid)))
        cash = tuple(_cash(line, names, t) for line in paid)
    rules = await service.floor_view.rules()
    lives = [live for name, live in sorted(service.floor.tables.items()) if not rules.for_play_money(name)]
    context = PlayersPage(
        layout=layout_of(call, "players", PLAYERS_PATH, settings.gaming_day.zone),
        form=form,
        found=tuple(found),
        most=DEFAULT_FOUND,
        player=player,
        missing=missing,
        holdings=tuple(_holding(live, player.id) for live in lives if player and player.id in live.state.people)
        if call.sees_all
        else None,
        unknown=tuple(each for live in lives for each in _unknown(live, t)) if "identify" in may else (),
        ratings=ratings,
        cash=cash,
        large_cash_minor=settings.large_cash_minor,
        may=may,
        most_name=MAX_PLAYER_NAME_LENGTH,
        most_card=MAX_CARD_LENGTH,
        most_notes=MAX_NOTES_LENGTH,
    )
    return await page(context, call.language)


async def _chosen(call: HttpRequest, found: list[Player], t: Translator) -> tuple[Player | None, str]:
    """The player whom the address names, or the only one who was found."""
    wanted = call.query.player or (found[0].id if len(found) == 1 else "")
    if not wanted:
        return None, ""
    try:
        return await call.service.players.find(call.by, wanted), ""
    except FloorRefused as refused:
        if refused.code is not FloorCode.UNKNOWN_PLAYER:
            raise
        return None, t.write(refused.refusal.phrase)


def _may(call: HttpRequest) -> frozenset[str]:
    positions = {
        "register": MAY_CHANGE,
        "erase": MAY_ERASE,
        "code": DEALER_UP,
        "revoke": SUPERVISOR_UP,
        "identify": DEALER_UP,
        "report": MAY_READ_REPORTS,
    }
    return frozenset(act for act, may in positions.items() if call.by.position in may)


def _holding(live: LiveTable, who: str) -> Holding:
    settings = live.state.settings
    return Holding(
        table=live.setup.name,
        title=live.title,
        chips_minor=live.state.chips_minor(who),
        currency=settings.currency if settings else "",
        screens=settings is not None and not settings.felt,
    )


def _unknown(live: LiveTable, t: Translator) -> Iterator[Unknown]:
    settings = live.state.settings
    labels = settings.box_labels if settings else ()
    for who in sorted(live.state.people):
        if player_number(who) is None:
            yield Unknown(who, person_name(who, t, {}, labels), _holding(live, who))


def _rating(line: RatingLine, day: GamingDay) -> ShownRating:
    sittings = (
        ShownSitting(each.table, day.local(each.from_us), day.local(each.to_us), each.rounds) for each in line.sittings
    )
    return ShownRating(line, tuple(sittings))


def _cash(line: CashLine, names: Mapping[str, str], t: Translator) -> ShownCash:
    name = person_name(line.who, t, names, with_id=True)
    if line.table:
        name = t("reports.at_table", name=name, table=line.table)
    return ShownCash(line, name, line.who if player_number(line.who) is not None else "")


ENDPOINTS = (Endpoint("GET", PLAYERS_PATH, players, "The players, for the pit", query=PlayersForm, cost=EXPENSIVE),)
