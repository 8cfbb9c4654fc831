"""The tables of the floor: list them, get one, add one, get play money."""

import asyncio

import msgspec

from punto.floor.errors import is_database_error
from punto.floor.journal.token_bounds import TokenWork
from punto.floor.people.floor_rules import FloorRules
from punto.floor.people.table_titles import change_title, require_unlike_titles
from punto.floor.running.table_faults import SHOWN
from punto.floor.running.table_setup import TableSetup
from punto.library import book
from punto.web.api.commands import accepted, legal_now, sensible_now
from punto.web.http.context import Service
from punto.web.http.endpoint import EXPENSIVE, Access, Endpoint, HttpRequest, Raw
from punto.web.messages import Accepted, LegalList, Lobby, LobbyTable, TableRequest, TableSnapshot, TitleRequest
from punto.web.views.table_cache import TableCache
from punto.web.views.visibility import Sight, sight_at


async def lobby(call: HttpRequest) -> Lobby:
    return await lobby_of(call.service)


async def lobby_of(service: Service) -> Lobby:
    """All tables. One that cannot be shown is named, and does not take the others with it."""
    rules, faults = await service.floor_view.rules(), service.floor.faults
    tables, not_shown = [], []
    for name in sorted(service.floor.tables):
        try:
            tables.append(await lobby_table(await service.table_caches.of(name), rules))
        except Exception as error:
            if is_database_error(error):
                raise
            faults.add(name, SHOWN, error)
            not_shown.append(name)
        else:
            faults.clear(name, SHOWN)
    return Lobby(tables=tuple(tables), visitors=rules.visitors, not_shown=tuple(not_shown))


async def lobby_table(cache: TableCache, rules: FloorRules) -> LobbyTable:
    view = await cache.view(Sight.PUBLIC)
    return LobbyTable(
        table=view.table,
        book=view.book,
        title=view.title,
        table_title=view.table_title,
        phase=view.phase,
        shoes=cache.live.setup.shoes,
        settings=view.settings,
        taken=tuple(view.seats),
        round=view.round.number if view.round else None,
        marks=view.marks,
        play_money_minor=rules.play_money_minor(view.table) or None,
    )


async def snapshot(call: HttpRequest) -> Raw:
    cache = await call.service.table_caches.of(call.path["table"])
    rules = await call.service.floor_view.rules()
    state = await cache.view_json(sight_at(call.actor, call.path["table"], rules))
    me = cache.me(call.actor, rules) if call.actor else None
    return Raw(msgspec.json.encode({"state": state, "me": me}))


async def create(call: HttpRequest) -> LobbyTable:
    """Add a table. It is closed at first."""
    request, floor = call.body, call.service.floor
    await floor.require_may_create(call.by, request.name)  # before the book and the decks are looked at
    require_unlike_titles(floor, request.name)
    rules = await asyncio.to_thread(book, request.book)
    decks = rules.require_decks(request.decks)
    setup = TableSetup(request.name, request.book, request.shoes, decks, request.pace, request.seed)
    await floor.create_table(call.by, setup)
    cache = await call.service.table_caches.of(request.name)
    return await lobby_table(cache, await call.service.floor_view.rules())


async def retitle(call: HttpRequest) -> LobbyTable:
    table = call.path["table"]
    await change_title(call.service.floor, call.by, table, call.body.title)
    return await lobby_table(await call.service.table_caches.of(table), await call.service.floor_view.rules())


async def options(call: HttpRequest) -> LegalList:
    live = await call.service.floor.find_table(call.path["table"])
    return LegalList(legal=await legal_now(call, live), sensible=await sensible_now(call, live))


async def play_money(call: HttpRequest) -> Accepted:
    table = call.path["table"]
    return await accepted(call, await call.service.visitors.buy_in(call.token, table))


ENDPOINTS = (
    Endpoint("GET", "/api/tables", lobby, "List all tables", Lobby, access=Access.ANYBODY),
    Endpoint(
        "POST",
        "/api/tables",
        create,
        "Add a table",
        LobbyTable,
        TableRequest,
        status=201,
        work=TokenWork.COMMANDS,
        names_table="name",
    ),
    Endpoint(
        "GET",
        "/api/tables/{table}",
        snapshot,
        "Get a table, and your place at it",
        TableSnapshot,
        access=Access.ANYBODY,
    ),
    Endpoint(
        "GET",
        "/api/tables/{table}/legal",
        options,
        "List the commands that would be accepted now",
        LegalList,
        cost=EXPENSIVE,
    ),
    Endpoint("PUT", "/api/tables/{table}/title", retitle, "Change the title of a table", LobbyTable, TitleRequest),
    Endpoint("POST", "/api/tables/{table}/play-money", play_money, "Get play money, as a visitor", Accepted),
)
